//! The audit: whether everything in the tables follows from the chains, to the single vote.
//!
//! It takes all there is and finds what is wrong with it, each finding under the invariant that it
//! breaks. It may be asked at rest only: while votes are being copied, copies are missing.
//!
//! A record of a closed day is judged by the merges and releases that days told until then, as the
//! public recount judges it: what was released later pays for nothing that was spent before.

mod accounts;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use accounts::Kept;

use super::chain::Ledger;
use super::roots::Standings;
use super::salary::{Payment, is_possible};
use crate::model::{
    ClosedDay, ConfigHistory, Day, PolicyId, PolicyState, Standing, UserId, VoteRecord, VoteVersion,
};

/// What always holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// I1: the accepted records of a user are one path from the beginning.
    OnePath,
    /// I2: no user ever spent more than there was.
    NoOverdraft,
    /// I3: no user ever had less than nothing on a policy.
    NothingNegative,
    /// I4: what a policy has is the sum of what users have on it.
    CountsAgree,
    /// I5: closed days add up.
    DaysAddUp,
    /// I6: the first writer wins: one user's calls could have happened one by one.
    FirstWriterWins,
    /// I7: what was accepted stays.
    AcceptedStays,
    /// I8: running a task again changes nothing.
    Convergence,
    /// I9: withdrawals cost what they should.
    PriceExact,
    /// I10: a merge moves votes and makes none.
    MergesConserve,
    /// I11: what was released stays released.
    ReleasedOnce,
    /// I12: each period is paid once, at its rate, to those who had joined by its end.
    PaidOnce,
    /// I13: a policy is seen if, and only if, the record that creates it was accepted.
    CreatedVisible,
    /// I14: a closed day does not change.
    ClosedStays,
    /// I15: no closed day ends below zero.
    NoDayBelowZero,
    /// One request has one answer.
    OneAnswer,
    /// The public ledger counts up, from its lines alone.
    LedgerVerifies,
    /// An instance whose clock is off by more than is allowed takes no votes, and no other refuses.
    ClockBound,
}

impl Invariant {
    /// Whether it is one of I1 to I15, which say what holds of votes; the others say what holds of
    /// answers, of the public ledger and of clocks.
    #[must_use]
    pub fn is_numbered(self) -> bool {
        self <= Self::NoDayBelowZero
    }
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OnePath => "I1 one path",
            Self::NoOverdraft => "I2 no overdraft",
            Self::NothingNegative => "I3 nothing negative",
            Self::CountsAgree => "I4 counts agree",
            Self::DaysAddUp => "I5 days add up",
            Self::FirstWriterWins => "I6 first writer wins",
            Self::AcceptedStays => "I7 accepted stays",
            Self::Convergence => "I8 convergence",
            Self::PriceExact => "I9 price exact",
            Self::MergesConserve => "I10 merges conserve",
            Self::ReleasedOnce => "I11 released once",
            Self::PaidOnce => "I12 paid once",
            Self::CreatedVisible => "I13 created is visible",
            Self::ClosedStays => "I14 closed stays",
            Self::NoDayBelowZero => "I15 no day below zero",
            Self::OneAnswer => "one answer",
            Self::LedgerVerifies => "ledger verifies",
            Self::ClockBound => "clock bound",
        })
    }
}

/// What users did on a day with the votes of a policy.
#[derive(Debug, Default)]
struct Moved {
    change: i64,
    gross: i64,
    voters: BTreeSet<UserId>,
}

impl Moved {
    fn is_told_by(&self, closed: &ClosedDay) -> bool {
        let voters = i64::try_from(self.voters.len()).unwrap_or(i64::MAX);
        (closed.change, closed.gross, closed.voters) == (self.change, self.gross, voters)
    }
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What should hold.
    pub invariant: Invariant,
    /// What is there instead.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.what)
    }
}

/// A policy, as the audit sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedPolicy {
    /// Where it stands.
    pub standing: Standing,
    /// The record that created it, unless it is the target of a merge.
    pub created_by: Option<(UserId, VoteVersion)>,
    /// Its total, as it was last counted.
    pub total: Option<i64>,
    /// Its closed days, the earliest first.
    pub days: Vec<ClosedDay>,
}

/// Everything there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Books {
    /// The records of every user, the earliest first, and the head.
    pub chains: BTreeMap<UserId, (Option<VoteVersion>, Vec<VoteRecord>)>,
    /// Every policy.
    pub policies: BTreeMap<PolicyId, AuditedPolicy>,
    /// Every increment: policy, day and record, and whose and how much.
    pub increments: BTreeMap<(PolicyId, Day, VoteVersion), (UserId, i64)>,
    /// What users have on policies.
    pub supporters: BTreeMap<(PolicyId, UserId), i64>,
    /// What was paid.
    pub salary: BTreeMap<UserId, Vec<Payment>>,
    /// When users joined. Where nobody did, as in simulations, chains are judged without accounts.
    pub joined: BTreeMap<UserId, Day>,
    /// The last closed day; days after it are open.
    pub closed_through: Day,
    /// What was decided about votes as money.
    pub config: ConfigHistory,
    /// The closed days that told what became of policies: that they were merged, or released.
    pub told: BTreeMap<PolicyId, Day>,
}

impl Books {
    /// What is wrong with them.
    #[must_use]
    pub fn audit(&self) -> Vec<Finding> {
        let standings = self.policies.iter();
        let standings = standings.map(|(policy, it)| (*policy, it.standing.clone()));
        let mut audit = Audit {
            books: self,
            standings: Standings::new(standings.collect()).telling(&self.told),
            own: BTreeMap::new(),
            expected: BTreeMap::new(),
            ledgers: BTreeMap::new(),
            findings: Vec::new(),
        };
        for (user, (head, records)) in &self.chains {
            audit.chain(*user, *head, records);
        }
        audit.increments();
        audit.supporters();
        audit.totals();
        audit.days();
        audit.merges();
        audit.creations();
        audit.salaries();
        audit.voters();
        audit.findings
    }
}

struct Audit<'a> {
    books: &'a Books,
    standings: Standings,
    own: BTreeMap<PolicyId, i64>,
    expected: BTreeMap<(PolicyId, Day, VoteVersion), (UserId, i64)>,
    ledgers: BTreeMap<UserId, Ledger>,
    findings: Vec<Finding>,
}

impl Audit<'_> {
    fn find(&mut self, invariant: Invariant, what: String) {
        self.findings.push(Finding { invariant, what });
    }

    fn chain(&mut self, user: UserId, head: Option<VoteVersion>, records: &[VoteRecord]) {
        let mut kept = Kept::default();
        for record in records {
            let next = match kept.ledger.after(record) {
                Ok(next) => next,
                Err(broken) => {
                    self.find(Invariant::OnePath, format!("user {user}: {broken}"));
                    return;
                }
            };
            self.account(user, &kept, record, &next);
            kept = kept.then(record, next);
            for (policy, change) in &record.changes {
                *self.own.entry(*policy).or_default() += change.increment;
                let key = (*policy, record.day, record.version);
                if change.increment != 0 {
                    self.expected.insert(key, (user, change.increment));
                }
            }
        }
        let ledger = kept.ledger;
        if ledger.head != head {
            let what = format!("user {user}: head {head:?}, last record {:?}", ledger.head);
            self.find(Invariant::OnePath, what);
        }
        self.ledgers.insert(user, ledger);
    }

    fn increments(&mut self) {
        let (expected, books) = (std::mem::take(&mut self.expected), self.books);
        for (key, value) in &expected {
            let found = books.increments.get(key);
            if found != Some(value) {
                let what = format!("increment {key:?} should be {value:?}, is {found:?}");
                self.find(Invariant::CountsAgree, what);
            }
        }
        for key in books.increments.keys() {
            if !expected.contains_key(key) {
                let what = format!("increment {key:?} has no record");
                self.find(Invariant::CountsAgree, what);
            }
        }
        self.expected = expected;
    }

    fn supporters(&mut self) {
        let mut expected = BTreeMap::new();
        for (user, ledger) in &self.ledgers {
            for (policy, entry) in &ledger.entries {
                expected.insert((*policy, *user), entry.total);
            }
        }
        let keys: BTreeSet<_> = expected
            .keys()
            .chain(self.books.supporters.keys())
            .collect();
        let mut wrong = Vec::new();
        for key in keys {
            let (should, is) = (expected.get(key), self.books.supporters.get(key));
            if should.unwrap_or(&0) != is.unwrap_or(&0) {
                wrong.push(format!(
                    "supporter {key:?} should have {should:?}, has {is:?}"
                ));
            }
        }
        for what in wrong {
            self.find(Invariant::CountsAgree, what);
        }
    }

    /// What users have on each policy that counts, with all that was merged into it.
    fn by_root(&self) -> BTreeMap<PolicyId, i64> {
        let mut sums = BTreeMap::new();
        for (policy, votes) in &self.own {
            *sums.entry(self.standings.root(*policy)).or_default() += votes;
        }
        sums
    }

    fn totals(&mut self) {
        let sums = self.by_root();
        for (policy, it) in &self.books.policies {
            let counts = self.standings.root(*policy) == *policy;
            // What was taken away shows no total, and what ended shows its last one.
            if !counts || !it.standing.state.is_readable() {
                continue;
            }
            let sum = sums.get(policy).copied().unwrap_or(0);
            if it.total.unwrap_or(0) != sum {
                let what = format!("policy {policy} shows {:?}, users have {sum}", it.total);
                self.find(Invariant::CountsAgree, what);
            }
        }
    }

    fn days(&mut self) {
        let mut moved: BTreeMap<(PolicyId, Day), Moved> = BTreeMap::new();
        for ((policy, day, _), (user, increment)) in &self.expected {
            if *day <= self.books.closed_through {
                let of_day = moved.entry((*policy, *day)).or_default();
                of_day.change += increment;
                of_day.gross += increment.abs();
                of_day.voters.insert(*user);
            }
        }
        let books = self.books;
        for (policy, it) in &books.policies {
            let mut closing = 0;
            for closed in &it.days {
                let of_day = moved.remove(&(*policy, closed.day)).unwrap_or_default();
                closing += of_day.change;
                // A day that is still being closed may have been written.
                if closed.day > books.closed_through {
                    continue;
                }
                if !of_day.is_told_by(closed) || closed.closing_total != closing {
                    let what =
                        format!("policy {policy}: {closed:?}, should be {of_day:?} to {closing}");
                    self.find(Invariant::DaysAddUp, what);
                }
            }
        }
        for ((policy, day), of_day) in moved {
            let change = of_day.change;
            let what = format!("policy {policy}, {day}: {change} votes are in no closed day");
            self.find(Invariant::DaysAddUp, what);
        }
        self.days_above_zero();
    }

    fn days_above_zero(&mut self) {
        let mut by_root: BTreeMap<PolicyId, BTreeMap<Day, i64>> = BTreeMap::new();
        for ((policy, day, _), (_, increment)) in &self.expected {
            let root = self.standings.root(*policy);
            *by_root.entry(root).or_default().entry(*day).or_default() += increment;
        }
        for (root, days) in by_root {
            let mut sum = 0;
            for (day, change) in days {
                sum += change;
                if sum < 0 && day <= self.books.closed_through {
                    let what = format!("policy {root} ends {day} with {sum} votes");
                    self.find(Invariant::NoDayBelowZero, what);
                }
            }
        }
    }

    fn merges(&mut self) {
        let books = self.books;
        for (policy, it) in &books.policies {
            let Some(target) = it.standing.merged_to else {
                continue;
            };
            let is_listed = books
                .policies
                .get(&target)
                .is_some_and(|it| it.standing.merged_from.contains(policy));
            if it.standing.state != PolicyState::Merged || !is_listed {
                let what = format!("policy {policy} points to {target}, which does not know it");
                self.find(Invariant::MergesConserve, what);
            }
            if self.standings.root(target) == *policy {
                let what = format!("policy {policy} is merged into itself");
                self.find(Invariant::MergesConserve, what);
            }
            let end = self.standings.root(*policy);
            let end = books.policies.get(&end).map(|it| it.standing.state);
            if end.is_none_or(|state| !state.is_visible()) {
                let what = format!("policy {policy} counts for one that is not there");
                self.find(Invariant::MergesConserve, what);
            }
        }
    }

    fn creations(&mut self) {
        let books = self.books;
        let mut created = BTreeSet::new();
        for (user, (_, records)) in &books.chains {
            for record in records {
                let Some(policy) = record.policy_created else {
                    continue;
                };
                created.insert(policy);
                let state = books.policies.get(&policy).map(|it| it.standing.state);
                if state.is_none_or(|state| !state.is_visible()) {
                    let what = format!("user {user} created {policy}, which is {state:?}");
                    self.find(Invariant::CreatedVisible, what);
                }
            }
        }
        for (policy, it) in &books.policies {
            let is_visible = it.standing.state.is_visible();
            if it.created_by.is_some() && is_visible && !created.contains(policy) {
                let what = format!("policy {policy} is seen, but no record creates it");
                self.find(Invariant::CreatedVisible, what);
            }
        }
    }

    fn salaries(&mut self) {
        let config = &self.books.config;
        for (user, payments) in &self.books.salary {
            let joined = self.books.joined.get(user).copied();
            for payment in payments {
                let rate = config.on(payment.period);
                if !is_possible(*payment, joined, config) {
                    let since =
                        joined.map_or(String::new(), |day| format!(", and joined on {day}"));
                    let what = format!(
                        "user {user} got {} for {}, where the rate is {}{since}",
                        payment.amount, payment.period, rate.salary
                    );
                    self.find(Invariant::PaidOnce, what);
                }
            }
        }
    }

    /// Nobody votes who never joined.
    fn voters(&mut self) {
        let books = self.books;
        if books.joined.is_empty() {
            return;
        }
        for (user, (_, records)) in &books.chains {
            if !records.is_empty() && !books.joined.contains_key(user) {
                let what = format!("user {user} votes and never joined");
                self.find(Invariant::PaidOnce, what);
            }
        }
    }
}
