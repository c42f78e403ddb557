//! Where votes count: a policy that was merged counts for its target, and that for its own.

use std::collections::BTreeMap;

use crate::model::{PolicyId, Standing};

/// How often votes may be handed on. More is a circle, which no sequence of merges makes.
pub const MOST_MERGES: usize = 64;

/// What is known of where policies stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standings {
    read: BTreeMap<PolicyId, Standing>,
    remembered: BTreeMap<PolicyId, PolicyId>,
}

impl Standings {
    /// What was read.
    #[must_use]
    pub fn new(read: BTreeMap<PolicyId, Standing>) -> Self {
        Self {
            read,
            remembered: BTreeMap::new(),
        }
    }

    /// Adds the merges that a chain remembers, for policies that were read before they merged.
    #[must_use]
    pub fn remembering(mut self, roots: &BTreeMap<PolicyId, PolicyId>) -> Self {
        self.remembered.clone_from(roots);
        self
    }

    /// Adds what was read of a policy.
    pub fn add(&mut self, policy: PolicyId, standing: Standing) {
        self.read.insert(policy, standing);
    }

    /// What was read of a policy.
    #[must_use]
    pub fn of(&self, policy: PolicyId) -> Option<&Standing> {
        self.read.get(&policy)
    }

    /// The policy that the votes of a policy count for directly, if it was merged.
    #[must_use]
    pub fn next(&self, policy: PolicyId) -> Option<PolicyId> {
        let read = self.read.get(&policy).and_then(|it| it.merged_to);
        read.or_else(|| self.remembered.get(&policy).copied())
            .filter(|next| *next != policy)
    }

    /// The policy that the votes of a policy count for in the end: itself, unless it was merged.
    #[must_use]
    pub fn root(&self, policy: PolicyId) -> PolicyId {
        let mut root = policy;
        for _ in 0..MOST_MERGES {
            match self.next(root) {
                Some(next) => root = next,
                None => break,
            }
        }
        root
    }

    /// Whether votes that count for a policy are given back.
    #[must_use]
    pub fn is_released(&self, root: PolicyId) -> bool {
        self.of(root).is_some_and(|it| it.state.is_released())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::model::PolicyState;

    fn policy(number: u128) -> PolicyId {
        PolicyId(Uuid::from_u128(number))
    }

    fn merged(into: u128) -> Standing {
        Standing {
            merged_to: Some(policy(into)),
            ..Standing::new(PolicyState::Merged)
        }
    }

    #[test]
    fn merges_of_merges_are_followed_to_their_end() {
        let mut known = Standings::default();
        known.add(policy(1), merged(2));
        known.add(policy(2), merged(3));
        assert_eq!(known.root(policy(1)), policy(3));
        known.add(policy(3), Standing::new(PolicyState::Retired));
        assert!(known.is_released(known.root(policy(1))));
    }

    #[test]
    fn a_remembered_merge_holds_where_an_older_state_was_read() {
        let stale = BTreeMap::from([(policy(1), Standing::new(PolicyState::Active))]);
        let known = Standings::new(stale);
        assert_eq!(known.root(policy(1)), policy(1));
        let remembered = BTreeMap::from([(policy(1), policy(2))]);
        assert_eq!(known.remembering(&remembered).root(policy(1)), policy(2));
    }

    #[test]
    fn a_circle_does_not_hang() {
        let mut known = Standings::default();
        known.add(policy(1), merged(2));
        known.add(policy(2), merged(1));
        let _ = known.root(policy(1));
    }
}
