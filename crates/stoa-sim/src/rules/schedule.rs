//! What happens when: the steps of a community.

use std::collections::BTreeMap;

use stoa_testkit::rng::Rng;
use stoa_votes::model::{
    ConfigHistory, Day, PeriodLength, PolicyId, PolicyState, Standing, VotingConfig,
};
use stoa_votes::rules::audit::Invariant;
use stoa_votes::rules::decisions;
use stoa_votes::rules::money::{balance, positions};
use stoa_votes::rules::roots::Standings;

use super::community::Community;
use super::planted::Planted;

/// How many days a decision waits for the end of a period at most.
const MOST_AHEAD: i32 = 8;
const DAY_MICROS: i64 = 86_400_000_000;

impl Community {
    /// Lets everything happen, until a mistake is found.
    pub(super) fn act(&mut self) {
        for _ in 0..self.steps {
            if !self.findings.is_empty() {
                return;
            }
            self.wait();
            match self.rng.below(100) {
                0..=6 => self.merge(),
                7..=9 => self.release(),
                10..=11 => self.configure(),
                12..=13 => self.reopen(),
                _ => self.use_window(),
            }
        }
    }

    fn wait(&mut self) {
        let before = self.today();
        self.now_micros += match self.rng.below(100) {
            0..=79 => self.rng.between(1, 120_000_000),
            80..=89 => self.rng.between(1, 1_200_000_000),
            _ => self.rng.between(1, 130_000_000_000),
        };
        self.happened.days += u64::from(self.today() != before);
    }

    /// Merges one or two policies that take votes into a new one. I10.
    fn merge(&mut self) {
        let candidates = match self.has(Planted::MergedTwice) {
            true => self.states.keys().copied().collect(),
            false => self.active(),
        };
        let count = 1 + self.rng.index(2);
        let sources = self.rng.sample(&candidates, count);
        if sources.is_empty() {
            return;
        }
        let target = PolicyId(self.new_uuid());
        for source in &sources {
            if let Some(standing) = self.states.get_mut(source) {
                self.happened.merged_again += u64::from(!standing.merged_from.is_empty());
                standing.state = PolicyState::Merged;
                standing.merged_to = Some(target);
            }
            self.tell(*source);
        }
        let mut standing = Standing::new(PolicyState::Active);
        standing.merged_from.extend(&sources);
        self.states.insert(target, standing);
        self.naive.merge(&sources, target);
        self.happened.merged += 1;
        self.remember();
        self.judge_positions(Invariant::MergesConserve);
    }

    /// Releases a policy that takes votes. I11: everyone gets back exactly what was there.
    fn release(&mut self) {
        let active = self.active();
        let Some(policy) = self.rng.pick(&active).copied() else {
            return;
        };
        if self.has(Planted::SpentAhead) {
            self.spend_ahead(policy);
        }
        let before = self.balances();
        let state = match self.rng.chance(50) {
            true => PolicyState::Retired,
            false => PolicyState::PendingDeletion,
        };
        if let Some(standing) = self.states.get_mut(&policy) {
            standing.state = state;
        }
        self.tell(policy);
        let after = self.balances();
        for (at, (before, after)) in before.into_iter().zip(after).enumerate() {
            let effective = self.naive.effective(at, &[]);
            let (votes, price) = effective.get(&policy).copied().unwrap_or_default();
            let should = votes + (price + 99) / 100;
            if after - before != should {
                let what = format!("member {at} got {}, should be {should}", after - before);
                self.find(Invariant::ReleasedOnce, what);
            }
        }
        self.naive.release(policy);
        self.happened.released += 1;
        self.remember();
        self.judge_positions(Invariant::ReleasedOnce);
    }

    /// A mistake: somebody spends, two days before a policy is released, what the release will give
    /// back. Once it has, nothing that is summed up at the end tells of it.
    fn spend_ahead(&mut self, policy: PolicyId) {
        let other = self.active().into_iter().find(|it| *it != policy);
        let day = self.today();
        for at in 0..self.members.len() {
            let held = self.naive.effective(at, &[]);
            let (votes, price) = held.get(&policy).copied().unwrap_or_default();
            let left = self.naive.balance(at, day, &[]);
            if let Some(other) = other.filter(|_| votes > 0) {
                let given = votes + (price + 99) / 100;
                self.overspend(at, BTreeMap::from([(other, left + given)]), given);
            }
        }
        self.now_micros += 2 * DAY_MICROS;
    }

    fn balances(&mut self) -> Vec<i64> {
        let standings = Standings::new(self.states.clone());
        (0..self.members.len())
            .filter_map(|at| {
                let held = positions(&self.folded(at)?.ledger.entries, &standings);
                Some(balance(0, &held, &standings))
            })
            .collect()
    }

    /// A mistake: a released policy takes votes again.
    fn reopen(&mut self) {
        if !self.has(Planted::Reopened) {
            return;
        }
        let mut states = self.states.values_mut();
        if let Some(standing) = states.find(|it| it.state.is_released()) {
            standing.state = PolicyState::Active;
            self.judge_positions(Invariant::ReleasedOnce);
        }
    }

    /// Decides something about money, from a day to come.
    fn configure(&mut self) {
        // Some clocks are a day ahead here, and a decision is known before any of them is there.
        let soon = 2 + i32::try_from(self.rng.below(3)).unwrap_or(0);
        let from = self.today().plus(soon);
        let config = config(&mut self.rng, from);
        let mut dated = (0..MOST_AHEAD).map(|days| VotingConfig {
            from: config.from.plus(days),
            ..config
        });
        let may_be = |it: &VotingConfig| {
            let is_new = self.naive.configs.iter().all(|known| known.from != it.from);
            is_new && decisions::check(it, &self.config, self.now_micros).is_ok()
        };
        let Some(config) = dated.find(may_be) else {
            return;
        };
        self.naive.configs.push(config);
        let mut all = self.naive.configs.iter().copied();
        if let Some(first) = all.next() {
            self.config = ConfigHistory::new(first, all);
        }
        self.happened.configured += 1;
    }
}

/// Something that could be decided about money.
pub(super) fn config(rng: &mut Rng, from: Day) -> VotingConfig {
    let period = match rng.below(4) {
        0 => PeriodLength::Week,
        1 => PeriodLength::Month,
        _ => PeriodLength::Days(1 + u16::try_from(rng.below(3)).unwrap_or(0)),
    };
    VotingConfig {
        period,
        salary: rng.between(30, 150),
        creation_cost: rng.between(1, 30),
        penalty_percent: rng.pick(&[0, 10, 33, 50, 100]).copied().unwrap_or(50),
        most_unspent: rng.chance(30).then(|| rng.between(0, 300)),
        only_present: rng.chance(30),
        ..VotingConfig::initial(from)
    }
}
