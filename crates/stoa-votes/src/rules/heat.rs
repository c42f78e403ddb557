//! How much happens around a tag or a category: the sum over days of what happened, where each day
//! weighs 2^(-d/2), d days ago. People are counted, not votes, so that one who has many votes makes
//! nothing hot.
//!
//! It is computed in thousandths, in whole numbers: the same on every machine.

use std::collections::BTreeSet;

use crate::model::UserId;

/// What a day weighs, in thousandths, by how many days ago it was.
const WEIGHTS: [i64; 14] = [
    1_000, 707, 500, 354, 250, 177, 125, 88, 63, 44, 31, 22, 16, 11,
];
/// How many days are looked at, today among them.
pub const HEAT_DAYS: i32 = 14;
/// What a new policy weighs.
const NEW_POLICY: i64 = 3;

/// What happened on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Activity {
    /// Different people who voted.
    pub voters: i64,
    /// Comments that were written.
    pub comments: i64,
    /// Policies that were created.
    pub created: i64,
}

/// What happened on a day, with who voted: who votes on many policies of a tag counts there once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Events {
    /// Who voted.
    pub voters: BTreeSet<UserId>,
    /// Comments that were written.
    pub comments: i64,
    /// Policies that were created.
    pub created: i64,
}

impl Events {
    /// Adds what happened elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.voters.extend(&other.voters);
        self.comments = self.comments.saturating_add(other.comments);
        self.created = self.created.saturating_add(other.created);
    }

    /// What it amounts to.
    #[must_use]
    pub fn activity(&self) -> Activity {
        Activity {
            voters: i64::try_from(self.voters.len()).unwrap_or(i64::MAX),
            comments: self.comments,
            created: self.created,
        }
    }
}

/// The heat of what happened so many days ago, in thousandths. What is further away than
/// [`HEAT_DAYS`], or in the future, has none.
#[must_use]
pub fn heat_thousandths(days_ago: i32, it: Activity) -> i64 {
    let weight = usize::try_from(days_ago)
        .ok()
        .and_then(|days| WEIGHTS.get(days));
    let created = it.created.saturating_mul(NEW_POLICY);
    let sum = it
        .voters
        .saturating_add(it.comments)
        .saturating_add(created);
    weight.map_or(0, |weight| weight.saturating_mul(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voters(voters: i64) -> Activity {
        Activity {
            voters,
            ..Activity::default()
        }
    }

    #[test]
    fn a_day_weighs_half_of_what_it_did_two_days_before() {
        for (days, weight) in (0_i32..).zip(WEIGHTS) {
            let exact = 1_000.0 * 0.5_f64.powf(f64::from(days) / 2.0);
            let weight = f64::from(i32::try_from(weight).unwrap());
            assert!((weight - exact).abs() <= 0.5, "{days}: {weight} {exact}");
        }
        assert_eq!(WEIGHTS.len(), usize::try_from(HEAT_DAYS).unwrap());
    }

    #[test]
    fn a_new_policy_is_worth_three_people() {
        let created = Activity {
            created: 1,
            comments: 2,
            ..voters(4)
        };
        assert_eq!(heat_thousandths(0, created), 9_000);
        assert_eq!(heat_thousandths(2, created), 4_500);
    }

    #[test]
    fn who_votes_on_many_policies_of_a_tag_counts_once() {
        let vote = Events {
            voters: BTreeSet::from([UserId(uuid::Uuid::from_u128(1))]),
            comments: 1,
            created: 0,
        };
        let mut of_tag = Events::default();
        for _ in 0..50 {
            of_tag.add(&vote);
        }
        assert_eq!(of_tag.activity().voters, 1);
        assert_eq!(of_tag.activity().comments, 50);
    }

    #[test]
    fn what_is_long_ago_or_to_come_is_not_hot() {
        for days in [-1, HEAT_DAYS, i32::MAX, i32::MIN] {
            assert_eq!(heat_thousandths(days, voters(5)), 0);
        }
        assert_eq!(heat_thousandths(0, voters(i64::MAX)), i64::MAX);
    }
}
