//! A community that lives by the rules: what it keeps, and what is judged after every step.

use std::collections::BTreeMap;

use stoa_testkit::rng::Rng;
use stoa_types::time_uuid;
use stoa_votes::model::{
    ConfigHistory, Day, PolicyId, PolicyState, Standing, UserId, VoteRecord, VoteVersion,
    VotingConfig,
};
use stoa_votes::rules::audit::{Finding, Invariant};
use stoa_votes::rules::chain::{Folded, Ledger};
use stoa_votes::rules::money::{balance, positions};
use stoa_votes::rules::roots::Standings;
use stoa_votes::rules::salary::{Payment, paid_of, payments};
use uuid::Uuid;

use super::naive::{Held, Naive};
use super::planted::Planted;
use super::{Happened, schedule};

/// Records that a chain is folded from at most, as it is read from a table.
const READ_RECORDS: usize = 51;

/// Where policies stand.
pub(super) type States = BTreeMap<PolicyId, Standing>;

/// A user and what the store has of one.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) user: UserId,
    pub(super) joined: Day,
    pub(super) records: Vec<VoteRecord>,
    /// What was paid, by the first days of periods.
    pub(super) paid: BTreeMap<Day, i64>,
}

impl Member {
    pub(super) fn head(&self) -> Option<VoteVersion> {
        self.records.last().map(|record| record.version)
    }
}

/// A community; see [the module](self).
#[derive(Debug)]
pub(super) struct Community {
    pub(super) rng: Rng,
    pub(super) planted: Option<Planted>,
    pub(super) now_micros: i64,
    pub(super) first_day: Day,
    pub(super) steps: u32,
    /// Whether it is about a long chain, which does not end early.
    pub(super) is_long: bool,
    pub(super) config: ConfigHistory,
    pub(super) members: Vec<Member>,
    pub(super) states: States,
    /// The days on which policies were merged or released, which tell of it at the latest. Whoever
    /// acts later, acts by a record of that day or a later one: clocks are right here, or ahead.
    pub(super) told: BTreeMap<PolicyId, Day>,
    /// Where policies stood, for instances that remember.
    pub(super) old_states: Vec<States>,
    pub(super) made: u64,
    pub(super) naive: Naive,
    pub(super) happened: Happened,
    pub(super) findings: Vec<Finding>,
}

impl Community {
    pub(super) fn of_seed(seed: u64, planted: Option<Planted>) -> Self {
        let mut rng = Rng::new(seed ^ 0x7275_6C65);
        let first_day = Day(20_740 + i32::try_from(rng.below(100)).unwrap_or(0));
        let is_long = rng.chance(1);
        let count = if is_long { 1 } else { 1 + rng.index(3) };
        let members: Vec<Member> = (0..count)
            .map(|at| Member {
                user: UserId(Uuid::from_u128(0xA000 + at as u128)),
                joined: first_day.plus(-i32::try_from(rng.below(9)).unwrap_or(0)),
                records: Vec::new(),
                paid: BTreeMap::new(),
            })
            .collect();
        let first = schedule::config(&mut rng, first_day.plus(-20));
        let naive = Naive {
            acts: vec![Vec::new(); members.len()],
            joined: members.iter().map(|it| it.joined).collect(),
            configs: vec![first],
            payments: vec![BTreeMap::new(); members.len()],
            ..Naive::default()
        };
        let steps = match is_long {
            true => 300,
            false => 16 + u32::try_from(rng.below(25)).unwrap_or(0),
        };
        Self {
            rng,
            planted,
            now_micros: first_day.start_micros() + 36_000_000_000,
            first_day,
            steps,
            is_long,
            config: ConfigHistory::new(first, []),
            members,
            states: States::new(),
            told: BTreeMap::new(),
            old_states: vec![States::new()],
            made: 0,
            naive,
            happened: Happened::default(),
            findings: Vec::new(),
        }
    }

    pub(super) fn has(&self, planted: Planted) -> bool {
        self.planted == Some(planted)
    }

    pub(super) fn find(&mut self, invariant: Invariant, what: String) {
        self.findings.push(Finding { invariant, what });
    }

    pub(super) fn today(&self) -> Day {
        Day::of_micros(self.now_micros)
    }

    pub(super) fn new_uuid(&mut self) -> Uuid {
        self.made += 1;
        time_uuid::from_unix_micros(self.now_micros, self.made)
    }

    /// The chain of a member, folded from as much as is read of it.
    pub(super) fn folded(&mut self, at: usize) -> Option<Folded> {
        let records = self.members.get(at)?.records.as_slice();
        let skipped = records.len().saturating_sub(READ_RECORDS);
        let read = records.get(skipped..).unwrap_or_default();
        let folded = Ledger::fold(read);
        self.happened.checkpoints += u64::from(skipped > 0);
        match folded {
            Ok(folded) => Some(folded),
            Err(broken) => {
                self.find(Invariant::OnePath, format!("member {at}: {broken}"));
                None
            }
        }
    }

    /// What a member was paid up to a day.
    pub(super) fn salary(&self, at: usize, through: Day) -> Vec<Payment> {
        let Some(member) = self.members.get(at) else {
            return Vec::new();
        };
        let paid = member.paid.range(..=through);
        let paid = paid.map(|(period, amount)| Payment {
            period: *period,
            amount: *amount,
        });
        let mut paid: Vec<Payment> = paid.collect();
        if self.has(Planted::PaidTwice) {
            paid.extend(paid.last().copied());
        }
        paid
    }

    /// Pays a member who is there on a day what is due and was not paid.
    pub(super) fn pay(&mut self, at: usize, through: Day, folded: &Folded) {
        let Some(joined) = self.members.get(at).map(|it| it.joined) else {
            return;
        };
        let due = match self.has(Planted::AbsentPaid) {
            true => payments(&self.pays_the_absent(), joined, through),
            false => payments(&self.config, joined, through),
        };
        for payment in due {
            let known = self.members.get(at).map(|it| &it.paid);
            if known.is_none_or(|known| known.contains_key(&payment.period)) {
                continue;
            }
            let rate = self.config.on(payment.period);
            let amount = match self.has(Planted::CapIgnored) {
                true => payment.amount,
                false => self.limited(at, payment, rate.most_unspent, folded),
            };
            self.happened.capped += u64::from(amount < payment.amount);
            self.happened.absences += u64::from(payment.amount < rate.salary);
            if let Some(member) = self.members.get_mut(at) {
                member.paid.insert(payment.period, amount);
            }
        }
        self.naive.pay(at, through);
    }

    /// What is paid where so many votes may be unspent.
    fn limited(&self, at: usize, payment: Payment, most: Option<i64>, folded: &Folded) -> i64 {
        let standings = Standings::new(self.states.clone());
        let found = positions(&folded.ledger.entries, &standings);
        let paid = self.members.get(at).map_or(0, |it| it.paid.values().sum());
        let unspent = balance(paid, &found, &standings);
        paid_of(payment.amount, unspent, most)
    }

    /// A mistake: what was decided, as if everybody was always there.
    fn pays_the_absent(&self) -> ConfigHistory {
        let all = self.config.all().iter();
        let mut all = all.map(|config| VotingConfig {
            only_present: false,
            ..*config
        });
        let first = all.next();
        let first = first.unwrap_or_else(|| VotingConfig::initial(self.first_day));
        ConfigHistory::new(first, all)
    }

    /// Judges salaries, I12: what the rules pay is what the calendar says.
    pub(super) fn judge_salary(&mut self, at: usize, through: Day) {
        let paid = self.salary(at, through);
        let paid: Vec<(Day, i64)> = paid.iter().map(|it| (it.period, it.amount)).collect();
        let should = self.naive.paid(at, through);
        if paid != should {
            let what = format!("member {at} through {through}: {paid:?}, should be {should:?}");
            self.find(Invariant::PaidOnce, what);
        }
    }

    /// Judges what members have, under an invariant that the last step could have broken.
    pub(super) fn judge_positions(&mut self, invariant: Invariant) {
        let standings = Standings::new(self.states.clone());
        let day = self.today();
        for at in 0..self.members.len() {
            let Some(folded) = self.folded(at) else {
                continue;
            };
            let found = positions(&folded.ledger.entries, &standings);
            let salary = self.salary(at, day).iter().map(|it| it.amount).sum();
            let left = balance(salary, &found, &standings);
            let found: Held = found
                .into_iter()
                .map(|(root, it)| (root, (it.total, it.burned_hundredths)))
                .collect();
            let should = self.naive.effective(at, &[]);
            if found != should {
                let what = format!("member {at} has {found:?}, should have {should:?}");
                self.find(invariant, what);
            }
            let should = self.naive.balance(at, day, &[]);
            if left != should && !self.has(Planted::PaidTwice) {
                let what = format!("member {at} may spend {left}, should be {should}");
                self.find(invariant, what);
            }
        }
    }

    /// The policies that take votes.
    pub(super) fn active(&self) -> Vec<PolicyId> {
        let states = self.states.iter();
        states
            .filter(|(_, it)| it.state == PolicyState::Active)
            .map(|(policy, _)| *policy)
            .collect()
    }

    /// Notes that what became of a policy is told by today.
    pub(super) fn tell(&mut self, policy: PolicyId) {
        let today = self.today();
        self.told.entry(policy).or_insert(today);
    }

    /// Lets instances remember where policies stand now.
    pub(super) fn remember(&mut self) {
        self.old_states.push(self.states.clone());
    }
}
