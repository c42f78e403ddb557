//! Policies in a recount: what they have, where they count, what each day changed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::Notes;
use crate::model::{Day, PolicyId};
use crate::rules::public_ledger::line::PolicyLine;
use crate::rules::roots::MOST_MERGES;

/// A policy, as far as it was told.
#[derive(Debug, Default)]
struct Told {
    /// Votes at the end of the last day, merges left aside.
    own: i64,
    /// With all that are merged into it.
    total: i64,
    merged_to: Option<PolicyId>,
    is_released: bool,
    /// Whether a line said how it came to be: created, or the target of a merge.
    has_origin: bool,
    /// The first day that it had votes, or that it was created.
    seen: Option<Day>,
}

/// What the records of a day amount to for a policy.
#[derive(Debug, Default)]
struct Sum {
    change: i64,
    gross: i64,
    voters: i64,
    last_voter: Option<Uuid>,
}

/// Every policy.
#[derive(Debug, Default)]
pub(super) struct Policies {
    told: BTreeMap<PolicyId, Told>,
    /// What the records of this day say.
    today: BTreeMap<PolicyId, Sum>,
    /// Created on this day, and no record of it was seen.
    created: BTreeSet<PolicyId>,
    /// What became of which on this day.
    fates: Vec<PolicyId>,
    /// Whose votes changed on this day.
    changed: Vec<PolicyId>,
    /// The ranking that should follow, the last first.
    ranking: Option<Vec<(PolicyId, i64)>>,
    places: i64,
    /// Voted for, and not created so far; the clocks of instances may differ.
    orphans: BTreeMap<PolicyId, Day>,
}

impl Policies {
    pub(super) fn number(&self) -> u64 {
        self.told.len() as u64
    }

    pub(super) fn create(&mut self, policy: PolicyId, notes: &mut Notes) {
        let told = self.told.entry(policy).or_default();
        if told.has_origin {
            notes.find(format!("the policy {policy} is created twice"));
        }
        told.has_origin = true;
        self.created.insert(policy);
        self.orphans.remove(&policy);
    }

    /// A record says that it creates a policy.
    pub(super) fn created_by_record(&mut self, policy: PolicyId, notes: &mut Notes) {
        if !self.created.remove(&policy) {
            notes.find(format!("no line of the day says that {policy} was created"));
        }
    }

    fn decide(&mut self, policy: PolicyId, notes: &mut Notes) -> bool {
        let told = self.told.entry(policy).or_default();
        let is_new = told.merged_to.is_none() && !told.is_released;
        if !is_new {
            notes.find(format!("the policy {policy} was merged or released before"));
        }
        self.fates.push(policy);
        is_new
    }

    pub(super) fn merge(&mut self, policy: PolicyId, into: PolicyId, notes: &mut Notes) {
        let is_new = self.decide(policy, notes);
        let target = self.told.entry(into).or_default();
        target.has_origin = true;
        self.orphans.remove(&into);
        let root = self.root(into);
        if root == policy {
            notes.find(format!("the policy {policy} is merged into itself"));
            return;
        }
        if !is_new {
            return;
        }
        let mut moved = 0;
        if let Some(told) = self.told.get_mut(&policy) {
            told.merged_to = Some(into);
            moved = told.total;
        }
        let root = self.told.entry(root).or_default();
        root.total = root.total.saturating_add(moved);
        self.changed.push(policy);
    }

    pub(super) fn release(&mut self, policy: PolicyId, notes: &mut Notes) {
        self.decide(policy, notes);
        if let Some(told) = self.told.get_mut(&policy) {
            told.is_released = true;
        }
    }

    /// Where the votes of a policy count.
    pub(super) fn root(&self, policy: PolicyId) -> PolicyId {
        let mut root = policy;
        for _ in 0..MOST_MERGES {
            match self.told.get(&root).and_then(|it| it.merged_to) {
                Some(next) => root = next,
                None => break,
            }
        }
        root
    }

    pub(super) fn is_released(&self, root: PolicyId) -> bool {
        self.told.get(&root).is_some_and(|it| it.is_released)
    }

    /// One change of a record of this day.
    pub(super) fn vote(&mut self, policy: PolicyId, who: Uuid, increment: i64) {
        if increment == 0 {
            return;
        }
        let sum = self.today.entry(policy).or_default();
        sum.change = sum.change.saturating_add(increment);
        sum.gross = sum.gross.saturating_add(increment.saturating_abs());
        if sum.last_voter != Some(who) {
            // Records are sorted by who made them.
            sum.last_voter = Some(who);
            sum.voters += 1;
        }
    }

    /// What a day's line says about a policy.
    pub(super) fn count(
        &mut self,
        line: &PolicyLine,
        day: Day,
        has_records: bool,
        notes: &mut Notes,
    ) {
        let policy = line.policy;
        if has_records {
            let sum = self.today.remove(&policy).unwrap_or_default();
            let is = (line.change, line.gross, line.voters);
            if is != (sum.change, sum.gross, sum.voters) {
                notes.find(format!(
                    "the policy {policy} got {} of {} votes by {}, where records say {} of {} by {}",
                    line.change, line.gross, line.voters, sum.change, sum.gross, sum.voters
                ));
            }
        }
        let told = self.told.entry(policy).or_default();
        let total = told.own.saturating_add(line.change);
        if line.total != total {
            notes.find(format!(
                "the policy {policy} ends with {}, where it should with {total}",
                line.total
            ));
        }
        if line.gross < line.change.saturating_abs() || line.voters < 1 {
            notes.find(format!("the votes of {policy} cannot have come about"));
        }
        told.own = line.total;
        told.seen.get_or_insert(day);
        if !told.has_origin {
            self.orphans.entry(policy).or_insert(day);
        }
        let root = self.root(policy);
        let root = self.told.entry(root).or_default();
        root.total = root.total.saturating_add(line.change);
        self.changed.push(policy);
    }

    /// The next place of the day's ranking.
    pub(super) fn rank(&mut self, place: i64, policy: PolicyId, total: i64, notes: &mut Notes) {
        let mut expected = match self.ranking.take() {
            Some(expected) => expected,
            None => self.expected_ranking(),
        };
        self.places += 1;
        if expected.pop() != Some((policy, total)) || place != self.places {
            notes.find(format!(
                "place {place} is not that of {policy} with {total}"
            ));
        }
        self.ranking = Some(expected);
    }

    /// The policies whose votes changed, as they should be ranked, the last first.
    fn expected_ranking(&self) -> Vec<(PolicyId, i64)> {
        let roots: BTreeSet<PolicyId> = self.changed.iter().map(|it| self.root(*it)).collect();
        let roots = roots.into_iter().filter(|root| !self.is_released(*root));
        let total = |root: PolicyId| self.told.get(&root).map_or(0, |it| it.total);
        let mut ranking: Vec<(PolicyId, i64)> = roots.map(|root| (root, total(root))).collect();
        ranking.sort_by_key(|(policy, total)| rank_key(*policy, *total));
        ranking.reverse();
        ranking
    }

    /// The end of a day.
    pub(super) fn end(&mut self, day: Day, has_records: bool, notes: &mut Notes) {
        for policy in std::mem::take(&mut self.today).into_keys() {
            notes.find(format!(
                "the day has votes for {policy}, but no line for it"
            ));
        }
        let left = match self.ranking.take() {
            Some(left) => left,
            None => self.expected_ranking(),
        };
        for (policy, _) in left {
            notes.find(format!(
                "the policy {policy} has no place, though its votes changed"
            ));
        }
        self.places = 0;
        for policy in std::mem::take(&mut self.changed) {
            let root = self.root(policy);
            let total = self.told.get(&root).map_or(0, |it| it.total);
            if total < 0 {
                notes.find(format!("the policy {root} ends {day} with {total} votes"));
            }
        }
        for policy in std::mem::take(&mut self.created) {
            if has_records {
                notes.find(format!("no record creates the policy {policy}"));
            }
        }
        for policy in std::mem::take(&mut self.fates) {
            let is_known = self.told.get(&policy);
            if !is_known.is_some_and(|it| it.has_origin || it.seen.is_some()) {
                notes.find(format!("nothing was told of the policy {policy} before"));
            }
        }
        // Clocks differ by less than a day, so a vote may stand one day before what it is for.
        let late: Vec<PolicyId> = self
            .orphans
            .iter()
            .filter(|(_, since)| **since < day)
            .map(|(policy, _)| *policy)
            .collect();
        for policy in late {
            self.orphans.remove(&policy);
            notes.find(format!(
                "there are votes for {policy}, which nobody created"
            ));
        }
    }
}

/// The order of a ranking: more votes first, then the older policy.
pub(crate) fn rank_key(policy: PolicyId, total: i64) -> (Reverse<i64>, i64, PolicyId) {
    (Reverse(total), policy.made_at_micros(), policy)
}
