//! The final ranking of a closed day, and which policies moved by much.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::board::{AllFacts, facts_key};
use crate::model::{Day, PolicyFacts, PolicyId, PolicyState, RankedPolicies, SnapshotId};
use crate::rules::roots::MOST_MERGES;

/// Places that are much, where they are also a tenth of the rank: far down everyone moves by ten
/// places every day.
const MUCH: i32 = 10;
/// The places that everyone looks at.
const TOP: i32 = 10;

/// The ranking at the end of a day of all policies that were listed then: what was merged later
/// counts for itself, what was made later is not there. Hidden policies are left out, and those
/// that had ended by then.
#[must_use]
pub fn ranking_on(day: Day, facts: &AllFacts) -> RankedPolicies {
    let end = day.next().start_micros();
    let mut totals: BTreeMap<(i64, PolicyId), i64> = BTreeMap::new();
    for it in facts.values().filter(|it| it.policy.made_at_micros() < end) {
        let root = root_before(it, facts, end);
        if let Some(root) = root.filter(|root| is_ranked(root, end)) {
            let total = totals.entry(facts_key(root.policy)).or_default();
            *total = total.saturating_add(closing_total(it, day));
        }
    }
    let mut ranked: Vec<((i64, PolicyId), i64)> = totals.into_iter().collect();
    // Stable: the older stay first among equals.
    ranked.sort_by_key(|(_, total)| std::cmp::Reverse(*total));
    let ranked = ranked.into_iter().zip(1..);
    ranked
        .map(|(((_, policy), total), rank)| (rank, (policy, total)))
        .collect()
}

/// Where the votes of a policy counted at a moment, if that is known. The target of a merge is made
/// when it begins.
fn root_before<'a>(of: &'a PolicyFacts, facts: &'a AllFacts, end: i64) -> Option<&'a PolicyFacts> {
    let mut root = of;
    for _ in 0..MOST_MERGES {
        let next = root.standing.merged_to.map(facts_key);
        match next.filter(|(made, _)| *made < end) {
            Some(key) => root = facts.get(&key)?,
            None => break,
        }
    }
    Some(root)
}

fn is_ranked(root: &PolicyFacts, end: i64) -> bool {
    let page = root.page.as_ref();
    let is_hidden = page.is_some_and(|page| page.is_hidden);
    let was_open = match root.standing.state {
        PolicyState::Active | PolicyState::Merged => true,
        PolicyState::Creating => false,
        // A day may be ranked long after it is over.
        PolicyState::Withdrawn
        | PolicyState::Retired
        | PolicyState::PendingDeletion
        | PolicyState::Deleted => page
            .and_then(|page| page.ended_micros)
            .is_some_and(|ended| ended >= end),
    };
    was_open && !is_hidden
}

fn closing_total(facts: &PolicyFacts, day: Day) -> i64 {
    let after = facts.days.partition_point(|it| it.day <= day);
    let last = after.checked_sub(1).and_then(|at| facts.days.get(at));
    last.map_or(0, |it| it.closing_total)
}

/// What a ranking is called: a digest of it, so that whoever computes the same writes the same.
#[must_use]
pub fn snapshot_of(day: Day, ranking: &RankedPolicies) -> SnapshotId {
    let mut digest = Sha256::new();
    digest.update(day.0.to_be_bytes());
    for (rank, (policy, total)) in ranking {
        digest.update(rank.to_be_bytes());
        digest.update(policy.0.as_bytes());
        digest.update(total.to_be_bytes());
    }
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(digest.finalize()) {
        *to = from;
    }
    SnapshotId(Uuid::from_bytes(bytes))
}

/// A policy whose rank changed by much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// The policy.
    pub policy: PolicyId,
    /// Its rank the day before, if it had one.
    pub before: Option<i32>,
    /// Its rank now.
    pub after: i32,
}

/// The policies that moved by ten places and a tenth of their rank or more, or came into or out of
/// the first ten.
#[must_use]
pub fn moved(before: &RankedPolicies, after: &RankedPolicies) -> Vec<Moved> {
    let earlier: BTreeMap<PolicyId, i32> = before.iter().map(|(rank, it)| (it.0, *rank)).collect();
    let policies = after.iter().map(|(rank, it)| Moved {
        policy: it.0,
        before: earlier.get(&it.0).copied(),
        after: *rank,
    });
    policies.filter(Moved::is_much).collect()
}

impl Moved {
    fn is_much(&self) -> bool {
        let is_top = self.after <= TOP;
        match self.before {
            None => is_top,
            Some(before) => {
                let places = before.saturating_sub(self.after).abs();
                (before <= TOP) != is_top || places >= MUCH.max(before / 10)
            }
        }
    }
}

/// Whether a ranking has each policy once, and no gap.
#[must_use]
pub fn is_whole(ranking: &RankedPolicies) -> bool {
    let policies: BTreeSet<PolicyId> = ranking.values().map(|it| it.0).collect();
    let has_no_gap = ranking.keys().zip(1..).all(|(rank, nth)| *rank == nth);
    policies.len() == ranking.len() && has_no_gap
}
