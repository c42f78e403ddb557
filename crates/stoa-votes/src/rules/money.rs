//! Votes as money: what a user has where, what withdrawals cost, what is left to spend.
//!
//! Invariants:
//! 1. The price of withdrawals is kept in hundredths of a vote and rounded up once, over all of
//!    them, so that splitting one neither helps nor hurts; and a changed percentage does not
//!    change what was withdrawn before.
//! 2. What is not known of a policy never makes a balance greater: a merge that is not seen rounds
//!    up twice, a release that is not seen gives nothing back.

use std::collections::BTreeMap;

use super::roots::Standings;
use crate::model::{Entry, PolicyId};

/// What a user has on a policy that votes count for, all policies merged into it included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// Votes.
    pub total: i64,
    /// What withdrawals cost, in hundredths of a vote.
    pub burned_hundredths: i64,
}

impl Position {
    /// What withdrawals cost, in whole votes.
    #[must_use]
    pub fn burned(self) -> i64 {
        burned(self.burned_hundredths)
    }
}

/// Hundredths of a vote in whole votes, rounded up.
#[must_use]
pub fn burned(hundredths: i64) -> i64 {
    let rounded_down = hundredths.div_euclid(100);
    rounded_down.saturating_add(i64::from(hundredths.rem_euclid(100) != 0))
}

/// What is lost of withdrawn votes, in hundredths.
#[must_use]
pub fn price_hundredths(withdrawn: i64, penalty_percent: i64) -> i64 {
    withdrawn.saturating_mul(penalty_percent)
}

/// What a user has on every policy that votes count for.
#[must_use]
pub fn positions(
    entries: &BTreeMap<PolicyId, Entry>,
    standings: &Standings,
) -> BTreeMap<PolicyId, Position> {
    let mut positions: BTreeMap<PolicyId, Position> = BTreeMap::new();
    for (policy, entry) in entries {
        let position = positions.entry(standings.root(*policy)).or_default();
        position.total = position.total.saturating_add(entry.total);
        position.burned_hundredths = position
            .burned_hundredths
            .saturating_add(entry.burned_hundredths);
    }
    positions
}

/// What is left of a salary, where votes on released policies are given back with their price.
#[must_use]
pub fn balance(
    salary: i64,
    positions: &BTreeMap<PolicyId, Position>,
    standings: &Standings,
) -> i64 {
    let kept = positions
        .iter()
        .filter(|(root, _)| !standings.is_released(**root));
    kept.fold(salary, |left, (_, position)| {
        left.saturating_sub(position.total)
            .saturating_sub(position.burned())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::model::{PolicyState, Standing};

    proptest! {
        #[test]
        fn splitting_a_withdrawal_neither_helps_nor_hurts(
            parts in proptest::collection::vec(1_i64..1_000, 1..50),
            percent in 0_i64..=100,
        ) {
            let whole = price_hundredths(parts.iter().sum(), percent);
            let split: i64 = parts.iter().map(|part| price_hundredths(*part, percent)).sum();
            prop_assert_eq!(burned(whole), burned(split));
        }

        #[test]
        fn a_merge_that_is_not_seen_never_makes_a_balance_greater(
            entries in proptest::collection::vec((0_i64..500, 0_i64..20_000), 2..6),
            salary in 0_i64..5_000,
        ) {
            let policy = |number: usize| PolicyId(Uuid::from_u128(number as u128));
            let entries: BTreeMap<PolicyId, Entry> = entries
                .iter()
                .enumerate()
                .map(|(at, (total, burned_hundredths))| {
                    let entry = Entry { total: *total, withdrawn: 0, burned_hundredths: *burned_hundredths };
                    (policy(at), entry)
                })
                .collect();
            let blind = Standings::default();
            let mut seeing = Standings::default();
            for at in 1..entries.len() {
                let merged_to = Some(policy(0));
                seeing.add(policy(at), Standing { merged_to, ..Standing::new(PolicyState::Merged) });
            }
            let of = |known: &Standings| balance(salary, &positions(&entries, known), known);
            prop_assert!(of(&blind) <= of(&seeing));
            seeing.add(policy(0), Standing::new(PolicyState::Retired));
            prop_assert_eq!(of(&seeing), salary);
            prop_assert!(of(&blind) <= of(&seeing));
        }
    }

    #[test]
    fn a_part_of_a_vote_costs_a_whole_one() {
        assert_eq!([0, 1, 99, 100, 101, 5_000].map(burned), [0, 1, 1, 1, 2, 50]);
    }
}
