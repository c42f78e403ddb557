//! The second model: a list of deeds, and sums over it.
//!
//! It shares no code with the rules. It has no ledger, no checkpoint, no standings: every figure is
//! summed anew from the first deed on, and every calendar day is looked at by itself.

use std::collections::{BTreeMap, BTreeSet};

use stoa_votes::model::{Day, PeriodLength, PolicyId, VoteVersion, VotingConfig};

/// First days of months around the days that are simulated: October 2026 to May 2027.
const MONTHS: [i32; 8] = [
    20_727, 20_758, 20_788, 20_819, 20_850, 20_878, 20_909, 20_939,
];

/// What one record did to one policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deed {
    pub(super) policy: PolicyId,
    pub(super) increment: i64,
    /// What it cost, in hundredths; negative where an undo gives it back.
    pub(super) price_hundredths: i64,
}

/// What one record did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Act {
    pub(super) version: VoteVersion,
    pub(super) day: Day,
    pub(super) at_micros: i64,
    /// Whether it can be undone, time aside.
    pub(super) is_undoable: bool,
    pub(super) deeds: Vec<Deed>,
}

/// What happened, as sums see it.
#[derive(Debug, Clone, Default)]
pub(super) struct Naive {
    /// The acts of every user.
    pub(super) acts: Vec<Vec<Act>>,
    pub(super) joined: Vec<Day>,
    pub(super) configs: Vec<VotingConfig>,
    /// What every user was paid, by the first days of periods; 0 of those that were missed.
    pub(super) payments: Vec<BTreeMap<Day, i64>>,
    pub(super) policies: BTreeSet<PolicyId>,
    pub(super) merged: BTreeMap<PolicyId, PolicyId>,
    pub(super) released: BTreeSet<PolicyId>,
}

/// Votes, and their price in hundredths.
pub(super) type Held = BTreeMap<PolicyId, (i64, i64)>;

impl Naive {
    /// A merge, of policies that take votes.
    pub(super) fn merge(&mut self, sources: &[PolicyId], target: PolicyId) {
        self.policies.insert(target);
        for source in sources {
            self.merged.entry(*source).or_insert(target);
        }
    }

    pub(super) fn release(&mut self, policy: PolicyId) {
        self.released.insert(policy);
    }

    pub(super) fn root(&self, policy: PolicyId) -> PolicyId {
        match self.merged.get(&policy) {
            Some(target) => self.root(*target),
            None => policy,
        }
    }

    pub(super) fn is_released(&self, root: PolicyId) -> bool {
        self.released.contains(&root)
    }

    /// Whether votes may be put on a policy.
    pub(super) fn takes_votes(&self, policy: PolicyId) -> bool {
        self.policies.contains(&policy)
            && !self.merged.contains_key(&policy)
            && !self.released.contains(&policy)
    }

    fn deeds(&self, user: usize) -> impl Iterator<Item = (&Act, &Deed)> {
        let acts = self.acts.get(user).into_iter().flatten();
        acts.flat_map(|act| act.deeds.iter().map(move |deed| (act, deed)))
    }

    /// What a user has on each policy, merges left aside.
    pub(super) fn own(&self, user: usize) -> Held {
        let mut held = Held::new();
        for (_, deed) in self.deeds(user) {
            add(&mut held, deed.policy, deed);
        }
        held
    }

    /// What a user has where it counts, and after some more deeds.
    pub(super) fn effective(&self, user: usize, more: &[Deed]) -> Held {
        let mut held = Held::new();
        for deed in self.deeds(user).map(|(_, deed)| deed).chain(more) {
            add(&mut held, self.root(deed.policy), deed);
        }
        held
    }

    /// What a user may still spend on a day, after some more deeds.
    pub(super) fn balance(&self, user: usize, day: Day, more: &[Deed]) -> i64 {
        let paid = self.paid(user, day);
        let mut left: i64 = paid.iter().map(|(_, amount)| amount).sum();
        for (root, (votes, price)) in self.effective(user, more) {
            if !self.is_released(root) {
                left -= votes + (price + 99) / 100;
            }
        }
        left
    }

    /// Whether some more deeds leave nothing below zero.
    pub(super) fn allows(&self, user: usize, day: Day, more: &[Deed]) -> bool {
        let effective = self.effective(user, more);
        effective.values().all(|(votes, _)| *votes >= 0) && self.balance(user, day, more) >= 0
    }

    /// What a user was paid up to a day: the first days of periods, and how much.
    pub(super) fn paid(&self, user: usize, through: Day) -> Vec<(Day, i64)> {
        let paid = self.payments.get(user).into_iter().flatten();
        let paid = paid.filter(|(period, _)| **period <= through);
        paid.map(|(period, amount)| (*period, *amount)).collect()
    }

    /// Pays a user who is there on a day: that of joining, and of every period that began since, if
    /// it is one for everybody or under way, and as much as may be unspent.
    pub(super) fn pay(&mut self, user: usize, through: Day) {
        let Some(joined) = self.joined.get(user).copied() else {
            return;
        };
        let length = self.config(joined).period;
        let mut first = joined;
        while !is_first(first, length) {
            first = Day(first.0 - 1);
        }
        self.pay_once(user, first, self.config(first).salary);
        let mut day = Day(joined.0 + 1);
        while day <= through {
            let config = self.config(day);
            if is_first(day, config.period) {
                let mut is_over = false;
                for later in day.0 + 1..=through.0 {
                    is_over |= is_first(Day(later), config.period);
                }
                let is_missed = config.only_present && is_over;
                self.pay_once(user, day, if is_missed { 0 } else { config.salary });
            }
            day = Day(day.0 + 1);
        }
    }

    fn pay_once(&mut self, user: usize, period: Day, rate: i64) {
        let most = self.config(period).most_unspent;
        let known = self.payments.get(user);
        if known.is_none_or(|known| known.contains_key(&period)) {
            return;
        }
        let mut amount = rate;
        if let Some(most) = most {
            // What was paid for days that only some clocks have reached is unspent too.
            let room = most - self.balance(user, Day(i32::MAX), &[]);
            if room < amount {
                amount = room;
            }
            if amount < 0 {
                amount = 0;
            }
        }
        if let Some(payments) = self.payments.get_mut(user) {
            payments.insert(period, amount);
        }
    }

    /// What was decided for a day: of what began by then, the latest.
    pub(super) fn config(&self, day: Day) -> VotingConfig {
        let mut found: Option<VotingConfig> = None;
        let mut earliest: Option<VotingConfig> = None;
        for config in &self.configs {
            let begun = config.from <= day;
            if begun && found.is_none_or(|it| it.from < config.from) {
                found = Some(*config);
            }
            if earliest.is_none_or(|it| config.from < it.from) {
                earliest = Some(*config);
            }
        }
        let found = found.or(earliest);
        found.unwrap_or_else(|| VotingConfig::initial(day))
    }

    /// All votes of a policy up to the end of a day, merges left aside.
    pub(super) fn closing(&self, policy: PolicyId, day: Day) -> i64 {
        let users = 0..self.acts.len();
        let deeds = users.flat_map(|user| self.deeds(user));
        deeds
            .filter(|(act, deed)| act.day <= day && deed.policy == policy)
            .map(|(_, deed)| deed.increment)
            .sum()
    }

    /// All votes that count for a policy up to the end of a day.
    pub(super) fn closing_of_root(&self, root: PolicyId, day: Day) -> i64 {
        let policies = self.policies.iter();
        let counted = policies.filter(|policy| self.root(**policy) == root);
        counted.map(|policy| self.closing(*policy, day)).sum()
    }
}

fn add(held: &mut Held, policy: PolicyId, deed: &Deed) {
    let (votes, price) = held.entry(policy).or_default();
    *votes += deed.increment;
    *price += deed.price_hundredths;
}

/// Whether a period begins on a day.
fn is_first(day: Day, length: PeriodLength) -> bool {
    match length {
        PeriodLength::Days(days) => day.0 % i32::from(days) == 0,
        // 1970-01-05 was a Monday.
        PeriodLength::Week => day.0 % 7 == 4,
        PeriodLength::Month => MONTHS.contains(&day.0),
    }
}
