//! How broadly a policy is supported, from what each user has and what was voted on open days.

use std::collections::HashMap;

use crate::model::{Breadth, Day, Increment, OpenDay, UserId};

/// Parts of a vote that heat is counted in.
pub const HEAT_OF_VOTE: i64 = 1 << 20;

const DAY_MICROS: f64 = 86_400_000_000.0;

/// Adds up what users have on the policies of one closure. A user may have less than nothing on
/// one of them, but not on all together.
pub fn add_supporters(
    all: &mut HashMap<UserId, i64>,
    of_one: impl IntoIterator<Item = (UserId, i64)>,
) {
    for (user, total) in of_one {
        let sum = all.entry(user).or_default();
        *sum = sum.saturating_add(total);
    }
}

/// How many people have votes, and the square roots of what each has, in hundredths.
#[must_use]
pub fn breadth(supporters: &HashMap<UserId, i64>) -> Breadth {
    let mut breadth = Breadth::default();
    for total in supporters.values().filter(|total| **total > 0) {
        breadth.supporters += 1;
        let root = total.saturating_mul(10_000).isqrt();
        breadth.square_roots = breadth.square_roots.saturating_add(root);
    }
    breadth
}

/// What votes of an open day come to.
#[must_use]
pub fn open_day(day: Day, votes: &[Increment]) -> OpenDay {
    let end = day.next().start_micros();
    let mut sum = OpenDay::default();
    for vote in votes {
        sum.change = sum.change.saturating_add(vote.increment);
        sum.gross = sum.gross.saturating_add(vote.increment.saturating_abs());
        let before_end = end.saturating_sub(vote.version.made_at_micros());
        let heat = heat(vote.increment, before_end);
        sum.heat = sum.heat.saturating_add(heat);
    }
    sum
}

/// Votes half as much for each day before the end of theirs. A vote of a day was made on it, but
/// for clocks that are off.
fn heat(votes: i64, before_end_micros: i64) -> i64 {
    let days = (before_end_micros as f64 / DAY_MICROS).clamp(0.0, 1.0);
    let weight = (-days).exp2() * HEAT_OF_VOTE as f64;
    (votes as f64 * weight).round() as i64
}

#[cfg(test)]
mod tests {
    use stoa_types::time_uuid;
    use uuid::Uuid;

    use super::*;
    use crate::model::VoteVersion;

    fn user(number: u128) -> UserId {
        UserId(Uuid::from_u128(number))
    }

    #[test]
    fn people_count_once_over_all_merged_policies_and_roots_are_exact() {
        let mut all = HashMap::new();
        add_supporters(&mut all, [(user(1), 100), (user(2), 50), (user(3), 2)]);
        add_supporters(&mut all, [(user(1), 300), (user(2), -50)]);
        let breadth = breadth(&all);
        assert_eq!((breadth.supporters, breadth.square_roots), (2, 2_000 + 141));
    }

    #[test]
    fn a_vote_at_the_beginning_of_a_day_is_worth_half_of_one_at_its_end() {
        let day = Day(20_000);
        let vote = |micros, increment| Increment {
            version: VoteVersion(time_uuid::from_unix_micros(micros, 1)),
            user: user(1),
            increment,
        };
        let votes = [
            vote(day.start_micros(), 10),
            vote(day.next().start_micros(), -4),
        ];
        let sum = open_day(day, &votes);
        assert_eq!((sum.change, sum.gross), (6, 14));
        assert_eq!(sum.heat, HEAT_OF_VOTE);
    }
}
