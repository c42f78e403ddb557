//! Something that happened to a policy, for those who watch it.

use stoa_types::time_uuid;
use uuid::Uuid;

use super::ids::{PolicyId, UserId};

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HappeningKind {
    /// The policy was created.
    Created,
    /// Its text has a new version.
    Edited,
    /// Somebody commented on it.
    Commented,
    /// Somebody answered a comment of the one who is told.
    Replied,
    /// Its tags changed.
    Tagged,
    /// An official response was published.
    Responded,
    /// Its progress was noted.
    Milestone,
    /// Merging it was proposed.
    MergeProposed,
    /// An owner objected to a merge that the one who is told proposed.
    MergeObjected,
    /// It counts for another policy now.
    Merged,
    /// It was closed, and its votes given back.
    Retired,
    /// It was hidden until somebody has looked at it.
    Hidden,
    /// It is shown again.
    Shown,
    /// It was taken away.
    Deleted,
    /// Its rank changed by much.
    RankMoved,
    /// A report of the one who is told was decided.
    ReportDecided,
    /// A role of the one who is told changed.
    RoleChanged,
}

impl HappeningKind {
    /// Every kind with its name in tables.
    pub const NAMES: [(Self, &'static str); 17] = [
        (Self::Created, "created"),
        (Self::Edited, "edited"),
        (Self::Commented, "commented"),
        (Self::Replied, "replied"),
        (Self::Tagged, "tagged"),
        (Self::Responded, "responded"),
        (Self::Milestone, "milestone"),
        (Self::MergeProposed, "merge_proposed"),
        (Self::MergeObjected, "merge_objected"),
        (Self::Merged, "merged"),
        (Self::Retired, "retired"),
        (Self::Hidden, "hidden"),
        (Self::Shown, "shown"),
        (Self::Deleted, "deleted"),
        (Self::RankMoved, "rank_moved"),
        (Self::ReportDecided, "report_decided"),
        (Self::RoleChanged, "role_changed"),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(kind, _)| *kind == self);
        found.map_or("", |(_, name)| name)
    }

    /// The kind of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(kind, _)| *kind)
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happening {
    /// A time UUID: when. The same act has the same one however often it is written.
    pub id: Uuid,
    /// To which policy.
    pub policy: Option<PolicyId>,
    /// What.
    pub kind: HappeningKind,
    /// Who did it.
    pub actor: UserId,
    /// The comment, tag or other policy that it is about.
    pub about: Option<Uuid>,
    /// A few words for people: a title, a reason.
    pub detail: String,
}

impl Happening {
    /// When it happened, in microseconds since 1970.
    #[must_use]
    pub fn at_micros(&self) -> i64 {
        time_uuid::unix_micros(&self.id).unwrap_or(0)
    }
}
