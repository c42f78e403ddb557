//! A tag: a few words that many policies bear, and what became of it.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::ids::{PolicyId, TagId, UserId};

/// The state of a tag. The last two are for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TagState {
    /// Policies may bear it.
    Active,
    /// Whatever bears it bears another one.
    Merged,
    /// Nothing bears it, and its names are blocked.
    Deleted,
}

impl TagState {
    /// Every state with its name in tables.
    pub const NAMES: [(Self, &'static str); 3] = [
        (Self::Active, "active"),
        (Self::Merged, "merged"),
        (Self::Deleted, "deleted"),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(state, _)| *state == self);
        found.map_or("", |(_, name)| name)
    }

    /// The state of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(state, _)| *state)
    }
}

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Which.
    pub id: TagId,
    /// The state.
    pub state: TagState,
    /// The name as it is shown.
    pub name: String,
    /// The name as it is claimed.
    pub key: String,
    /// The tag that counts instead, once it is merged.
    pub merged_to: Option<TagId>,
    /// The tags that were merged into it.
    pub merged_from: BTreeSet<TagId>,
    /// The last change; a time UUID.
    pub change: Uuid,
    /// What a moderator did last.
    pub act: Option<TagAct>,
}

/// What a moderator did to a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagAct {
    /// When; a time UUID, and the entry of the moderation log.
    pub id: Uuid,
    /// Who.
    pub by: UserId,
    /// What, as the log calls it.
    pub kind: String,
    /// What it was about, and why.
    pub reason: String,
}

/// The tags of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyTags {
    /// The policy.
    pub policy: PolicyId,
    /// Its tags, merges not followed.
    pub tags: BTreeSet<TagId>,
    /// The last change; a time UUID.
    pub change: Uuid,
    /// Who made it; the nil UUID if nobody did but a task.
    pub changed_by: UserId,
}

/// What somebody suggests about a tag of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuggestionKind {
    /// To put it on the policy.
    Add,
    /// To take it from the policy.
    Remove,
}

impl SuggestionKind {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Remove => "remove",
        }
    }

    /// The kind of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Add, Self::Remove]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// A suggestion of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagSuggestion {
    /// About which policy.
    pub policy: PolicyId,
    /// About which tag; there may be no such tag yet.
    pub tag: TagId,
    /// What.
    pub kind: SuggestionKind,
    /// Whose.
    pub user: UserId,
    /// The name of the tag.
    pub name: String,
}
