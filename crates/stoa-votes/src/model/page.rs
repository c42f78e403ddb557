//! What people read about a policy: its text in versions, where it belongs, and what became of it.

use std::collections::BTreeSet;

use stoa_session::FromRow;
use stoa_types::time_uuid;
use uuid::Uuid;

use super::ids::{PolicyId, RequestId, UserId};
use super::page_act::PageAct;
use super::policy::PolicyState;

/// The text of a policy as somebody wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyText {
    /// What it is called.
    pub title: String,
    /// What it says, in markdown.
    pub description: String,
    /// Where more can be read.
    pub links: Vec<String>,
}

/// What a new policy begins with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewPage {
    /// Its text.
    pub text: PolicyText,
    /// The key of its category.
    pub category: String,
    /// The party that stands behind it.
    pub party: Option<Uuid>,
}

/// The page of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The policy.
    pub policy: PolicyId,
    /// Its title now.
    pub title: String,
    /// The key of its category.
    pub category: String,
    /// The party that stands behind it.
    pub party: Option<Uuid>,
    /// Who created it, or the owner of the first of those that were merged into it.
    pub owner: UserId,
    /// Who owns it too, since something of theirs was merged into it.
    pub co_owners: BTreeSet<UserId>,
    /// When it was created, in microseconds since 1970.
    pub created_micros: i64,
    /// Whether it is hidden until somebody has looked at it.
    pub is_hidden: bool,
    /// The case that it is hidden for; none if a moderator hid it.
    pub hidden_for: Option<Uuid>,
    /// The number of the text that is shown.
    pub text_version: i32,
    /// The last change of the page; what the next one is made for.
    pub change: Uuid,
    /// How it ended, if it was closed or taken away.
    pub ending: Option<PageEnding>,
    /// What a moderator did to it last, but ending it.
    pub act: Option<PageAct>,
}

/// How a policy ended, as its page tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageEnding {
    /// A time UUID: when, and the entry of the moderation log.
    pub id: Uuid,
    /// What it is since.
    pub state: PolicyState,
    /// Who ended it.
    pub by: UserId,
    /// Why.
    pub reason: String,
}

impl Page {
    /// Whether somebody owns it.
    #[must_use]
    pub fn is_owned_by(&self, user: UserId) -> bool {
        self.owner == user || self.co_owners.contains(&user)
    }
}

/// One version of a text. It is written once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextVersion {
    /// Its number; the first is 1.
    pub version: i32,
    /// The text.
    pub text: PolicyText,
    /// Who wrote it.
    pub author: UserId,
    /// A time UUID: when.
    pub at: Uuid,
    /// The request that brought it.
    pub request: RequestId,
    /// What the author says about the change.
    pub note: String,
}

impl TextVersion {
    /// When it was written, in microseconds since 1970.
    #[must_use]
    pub fn at_micros(&self) -> i64 {
        time_uuid::unix_micros(&self.at).unwrap_or(0)
    }
}

/// Why a policy is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RetireReason {
    /// Another one says the same.
    Duplicated,
    /// It has been begun.
    Started,
    /// It cannot be done.
    Unfeasible,
    /// It has been done.
    Done,
    /// Something else.
    Other,
}

impl RetireReason {
    /// Every reason with its name in tables.
    pub const NAMES: [(Self, &'static str); 5] = [
        (Self::Duplicated, "duplicated"),
        (Self::Started, "started"),
        (Self::Unfeasible, "unfeasible"),
        (Self::Done, "done"),
        (Self::Other, "other"),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(reason, _)| *reason == self);
        found.map_or("", |(_, name)| name)
    }

    /// The reason of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(reason, _)| *reason)
    }
}

/// What policies are sorted into. The list is the admins'.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Category {
    /// What pages name it by; it never changes.
    pub key: String,
    /// What it is called.
    pub name: String,
    /// What belongs into it.
    pub description: String,
    /// Where it stands in the list.
    pub position: i32,
    /// Whether new policies may be sorted into it.
    pub is_active: bool,
}

/// A party that stands behind policies.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Party {
    /// The party.
    pub party: Uuid,
    /// What it is called.
    pub name: String,
    /// What it stands for.
    pub description: String,
    /// Whether new policies may name it.
    pub is_active: bool,
}
