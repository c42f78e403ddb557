//! Who stands next to a policy in a list, and how many votes lie between.

use std::collections::BTreeSet;

use super::board::{RankedLine, RankingBoard, count};
use crate::model::{PolicyId, RankingFilter, RankingKind, RankingRefusal};

/// Neighbours on one side, at most.
pub const MOST_NEIGHBOURS: usize = 50;

/// A policy and those next to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    /// The policy itself.
    pub own: RankedLine,
    /// How many there are in the whole list.
    pub count: usize,
    /// Those before it, the nearest first.
    pub above: Vec<Neighbour>,
    /// Those after it, the nearest first.
    pub below: Vec<Neighbour>,
}

/// A policy next to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// The neighbour.
    pub policy: RankedLine,
    /// Votes that the one behind needs to pass the other, where votes are what counts: those
    /// needed to beat a neighbour above, or by which one is ahead of a neighbour below.
    pub needed: Option<i64>,
}

impl RankingBoard {
    /// Those who stand next to a policy in a list, so many on each side.
    ///
    /// # Errors
    /// When the policy is not in that list, or a window is empty.
    pub fn neighbours(
        &self,
        kind: RankingKind,
        policy: PolicyId,
        filter: &RankingFilter,
        most: usize,
    ) -> Result<Neighbours, RankingRefusal> {
        let chosen = self.chosen(filter);
        let number = self.number(policy).filter(|number| chosen.has(*number));
        let line = self.line(policy).zip(number);
        let (line, number) = line.ok_or(RankingRefusal::NotListed)?;
        let own = (line.value(kind, self.today()), number);
        let most = most.min(MOST_NEIGHBOURS);
        let found = self.with_order(kind, |order| {
            let at = order.before(own.0, own.1);
            let entries = order.entries();
            let (before, rest) = entries.split_at_checked(at).unwrap_or((entries, &[]));
            let after = rest.split_first().map_or(rest, |(_, after)| after);
            let rank = count(before, &chosen) + 1;
            let listed = |it: &&(i64, u32)| chosen.has(it.1);
            let above = before.iter().rev().filter(listed).take(most);
            let above = above.enumerate().filter_map(|(nth, it)| {
                let policy = self.ranked(rank.checked_sub(nth + 1)?, *it)?;
                let needed = kind.is_of_votes().then(|| needed(own, *it));
                Some(Neighbour { policy, needed })
            });
            let below = after.iter().filter(listed).take(most);
            let below = below.enumerate().filter_map(|(nth, it)| {
                let policy = self.ranked(rank + nth + 1, *it)?;
                let needed = kind.is_of_votes().then(|| needed(*it, own));
                Some(Neighbour { policy, needed })
            });
            Some(Neighbours {
                own: self.ranked(rank, own)?,
                count: rank + count(after, &chosen),
                above: above.collect(),
                below: below.collect(),
            })
        })?;
        found.ok_or(RankingRefusal::NotListed)
    }

    /// The rank that a new policy of so many votes would have, if some others were not there.
    #[must_use]
    pub fn rank_of(&self, votes: i64, without: &BTreeSet<PolicyId>) -> usize {
        let chosen = self.chosen(&RankingFilter::default());
        let without: BTreeSet<_> = without.iter().filter_map(|it| self.number(*it)).collect();
        let ahead = self.with_order(RankingKind::Total, |order| {
            // Among equals the older is first, and nothing is younger than what is new.
            let entries = order.entries().iter();
            let ahead = entries.take_while(|(value, _)| *value >= votes);
            let ahead = ahead.filter(|(_, number)| chosen.has(*number));
            ahead
                .filter(|(_, number)| !without.contains(number))
                .count()
        });
        ahead.unwrap_or(0) + 1
    }
}

/// Votes that one needs to pass another that stands before it. Among equals the older is first.
fn needed(behind: (i64, u32), ahead: (i64, u32)) -> i64 {
    let wins_tie = i64::from(ahead.1 < behind.1);
    let missing = ahead.0.saturating_sub(behind.0).saturating_add(wins_tie);
    missing.max(1)
}
