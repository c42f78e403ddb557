//! What a policy is to the counting of votes: its state, and where its votes count.

use std::collections::BTreeSet;

use super::ids::PolicyId;

/// The state of a policy. Votes are released by the last three, for good: no way leads back.
/// From [`Withdrawn`](Self::Withdrawn) too no way leads back, but what is on it stays where it is
/// until it is taken off at the usual price, or a moderator releases it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PolicyState {
    /// Written, but the record that creates it is not yet accepted. Nobody sees it.
    Creating,
    /// Votes may be put on it.
    Active,
    /// Its votes count for another one.
    Merged,
    /// Closed by its owner while nobody else had votes on it.
    Withdrawn,
    /// Closed with a reason; its page stays.
    Retired,
    /// Taken away; its texts are about to be erased.
    PendingDeletion,
    /// Erased.
    Deleted,
}

impl PolicyState {
    /// Every state with its name in tables.
    pub const NAMES: [(Self, &'static str); 7] = [
        (Self::Creating, "creating"),
        (Self::Active, "active"),
        (Self::Merged, "merged"),
        (Self::Withdrawn, "withdrawn"),
        (Self::Retired, "retired"),
        (Self::PendingDeletion, "pending_deletion"),
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

    /// Whether votes on it are given back.
    #[must_use]
    pub fn is_released(self) -> bool {
        matches!(self, Self::Retired | Self::PendingDeletion | Self::Deleted)
    }

    /// Whether people see that it is or was there.
    #[must_use]
    pub fn is_visible(self) -> bool {
        self != Self::Creating
    }

    /// Whether people read its texts.
    #[must_use]
    pub fn is_readable(self) -> bool {
        !matches!(self, Self::Creating | Self::PendingDeletion | Self::Deleted)
    }
}

/// Where a policy stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Its state.
    pub state: PolicyState,
    /// The policy its votes count for, once it is merged.
    pub merged_to: Option<PolicyId>,
    /// The policies that were to be merged into it. One counts only if it points here.
    pub merged_from: BTreeSet<PolicyId>,
}

impl Standing {
    /// A policy of some state, without merges.
    #[must_use]
    pub fn new(state: PolicyState) -> Self {
        Self {
            state,
            merged_to: None,
            merged_from: BTreeSet::new(),
        }
    }
}
