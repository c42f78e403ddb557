//! What those say who carry policies out.

use uuid::Uuid;

use super::day::Day;
use super::ids::{RequestId, UserId};

/// What sort of word from those who carry policies out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProgressKind {
    /// What is officially said about it.
    Response,
    /// How far it is.
    Status(PolicyStatus),
    /// Something that was reached, or shall be, on a day.
    Milestone(Day),
}

impl ProgressKind {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Status(_) => "status",
            Self::Milestone(_) => "milestone",
        }
    }

    /// How far it is, if this says so.
    #[must_use]
    pub fn status(self) -> Option<PolicyStatus> {
        match self {
            Self::Status(status) => Some(status),
            Self::Response | Self::Milestone(_) => None,
        }
    }

    /// The day of a milestone.
    #[must_use]
    pub fn day(self) -> Option<Day> {
        match self {
            Self::Milestone(day) => Some(day),
            Self::Response | Self::Status(_) => None,
        }
    }

    /// The kind of a name, with what belongs to it.
    #[must_use]
    pub fn of(name: &str, status: Option<PolicyStatus>, day: Option<Day>) -> Option<Self> {
        match name {
            "response" => Some(Self::Response),
            "status" => status.map(Self::Status),
            "milestone" => day.map(Self::Milestone),
            _ => None,
        }
    }
}

/// How far those are who carry a policy out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PolicyStatus {
    /// They are looking at it.
    Examined,
    /// They shall do it.
    Planned,
    /// They have begun.
    Started,
    /// They have done it.
    Done,
    /// They will not do it.
    Declined,
}

impl PolicyStatus {
    /// Every status with its name in tables.
    pub const NAMES: [(Self, &'static str); 5] = [
        (Self::Examined, "examined"),
        (Self::Planned, "planned"),
        (Self::Started, "started"),
        (Self::Done, "done"),
        (Self::Declined, "declined"),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(status, _)| *status == self);
        found.map_or("", |(_, name)| name)
    }

    /// The status of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(status, _)| *status)
    }
}

/// A word from those who carry policies out. It is written once; the last one of a kind holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// A time UUID: when.
    pub at: Uuid,
    /// The request that brought it.
    pub request: RequestId,
    /// What sort.
    pub kind: ProgressKind,
    /// What it says.
    pub text: String,
    /// Who says it.
    pub author: UserId,
}
