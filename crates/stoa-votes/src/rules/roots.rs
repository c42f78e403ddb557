//! Where votes count: a policy that was merged counts for its target, and that for its own.

use std::collections::BTreeMap;

use crate::model::{Day, PolicyId, Standing};

/// How often votes may be handed on. More is a circle, which no sequence of merges makes.
pub const MOST_MERGES: usize = 64;

/// What is known of where policies stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standings {
    read: BTreeMap<PolicyId, Standing>,
    remembered: BTreeMap<PolicyId, PolicyId>,
    told: BTreeMap<PolicyId, Day>,
    /// The day of which they are asked; today, if it is none.
    on: Option<Day>,
}

impl Standings {
    /// What was read.
    #[must_use]
    pub fn new(read: BTreeMap<PolicyId, Standing>) -> Self {
        Self {
            read,
            ..Self::default()
        }
    }

    /// Adds the days that told what became of policies, so that days can be asked.
    #[must_use]
    pub fn telling(mut self, told: &BTreeMap<PolicyId, Day>) -> Self {
        self.told.clone_from(told);
        self
    }

    /// Answers for a closed day from now on, by nothing that was told later; for today, if it is none.
    pub fn ask_of(&mut self, day: Option<Day>) {
        self.on = day;
    }

    /// Whether what became of a policy was told by the day that is asked.
    fn is_told(&self, policy: PolicyId) -> bool {
        let told = || self.told.get(&policy);
        self.on
            .is_none_or(|day| told().is_some_and(|told| *told <= day))
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
        read.filter(|_| self.is_told(policy))
            .or_else(|| self.remembered.get(&policy).copied())
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
        let is_released = self.of(root).is_some_and(|it| it.state.is_released());
        is_released && self.is_told(root)
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
    fn a_day_knows_nothing_that_a_later_one_told() {
        let mut known = Standings::default();
        known.add(policy(1), merged(2));
        known.add(policy(2), Standing::new(PolicyState::Retired));
        let mut known = known.telling(&BTreeMap::from([(policy(1), Day(3)), (policy(2), Day(5))]));
        for (day, root, is_released) in [
            (Some(Day(2)), policy(1), false),
            (Some(Day(3)), policy(2), false),
            (Some(Day(5)), policy(2), true),
            (None, policy(2), true),
        ] {
            known.ask_of(day);
            assert_eq!(known.root(policy(1)), root, "{day:?}");
            assert_eq!(known.is_released(policy(2)), is_released, "{day:?}");
        }
    }

    #[test]
    fn a_circle_does_not_hang() {
        let mut known = Standings::default();
        known.add(policy(1), merged(2));
        known.add(policy(2), merged(1));
        let _ = known.root(policy(1));
    }
}
