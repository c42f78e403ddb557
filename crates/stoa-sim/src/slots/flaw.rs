//! The judge: which totals are wrong, and by which flaw, told from what happened.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::model::{NewVote, Policy, Record, User, Version};
use super::notes::Facts;

/// How a total came to be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flaw {
    /// F1: a slot that was taken is forgotten once its record is finalized, and an old window takes
    /// it again.
    ForgottenSlot,
    /// F2: a parent older than the boundary is taken for an accepted one, though it had lost.
    RejectedParent,
    /// F3: an old list of policies leaves a hole in the chain of a new policy's row, and what comes
    /// after it is deleted as an orphan.
    MissingZero,
    /// F4: a pending vote that is finished after the boundary passed it is taken for counted.
    LateReplay,
    /// F5: by wrong clocks a vote is older than what it follows, and is taken for counted.
    WrongClock,
    /// Something else, such as an orphan that was none, deleted before its parent arrived.
    Other,
}

impl Flaw {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::ForgottenSlot,
        Self::RejectedParent,
        Self::MissingZero,
        Self::LateReplay,
        Self::WrongClock,
        Self::Other,
    ];
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ForgottenSlot => "F1 forgotten slot",
            Self::RejectedParent => "F2 rejected parent",
            Self::MissingZero => "F3 missing zero",
            Self::LateReplay => "F4 late replay",
            Self::WrongClock => "F5 wrong clock",
            Self::Other => "other",
        })
    }
}

/// A total that is not what users have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongTotal {
    /// The policy, by number.
    pub policy: u8,
    /// What it shows.
    pub total: i64,
    /// What users have on it.
    pub ledger: i64,
    /// Why.
    pub flaws: BTreeSet<Flaw>,
}

impl fmt::Display for WrongTotal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            policy,
            total,
            ledger,
            flaws,
        } = self;
        let flaws: Vec<String> = flaws.iter().map(ToString::to_string).collect();
        let flaws = flaws.join(", ");
        write!(
            f,
            "policy {policy} shows {total}, users have {ledger}: {flaws}"
        )
    }
}

/// What there is at the end, when all is done.
#[derive(Debug, Clone, Default)]
pub(super) struct Ending {
    /// The chain of every user.
    pub(super) chains: BTreeMap<User, Vec<Record>>,
    /// The records of every policy that count on top of its boundary.
    pub(super) passed: BTreeMap<Policy, Vec<NewVote>>,
    /// What every policy shows.
    pub(super) totals: BTreeMap<Policy, i64>,
}

/// Every wrong total.
pub(super) fn judge(ending: &Ending, facts: &Facts) -> Vec<WrongTotal> {
    let accepted: BTreeSet<Version> = ending
        .chains
        .values()
        .flatten()
        .map(|record| record.version)
        .collect();
    let totals = ending.totals.iter();
    totals
        .filter_map(|(policy, total)| {
            let case = Case {
                policy: *policy,
                ending,
                facts,
                accepted: &accepted,
            };
            let ledger = case.ledger();
            (ledger != *total).then(|| WrongTotal {
                policy: *policy,
                total: *total,
                ledger,
                flaws: case.flaws(),
            })
        })
        .collect()
}

struct Case<'a> {
    policy: Policy,
    ending: &'a Ending,
    facts: &'a Facts,
    accepted: &'a BTreeSet<Version>,
}

impl Case<'_> {
    fn records(&self) -> impl Iterator<Item = (&Record, i64)> {
        let records = self.ending.chains.values().flatten();
        records.filter_map(|record| Some((record, *record.increments.get(&self.policy)?)))
    }

    fn ledger(&self) -> i64 {
        self.records().map(|(_, votes)| votes).sum()
    }

    /// Whether a record is in what the policy shows.
    fn is_counted(&self, version: Version) -> bool {
        let passed = self.ending.passed.get(&self.policy);
        let mut passed = passed.into_iter().flatten();
        self.facts.finished.contains(&(self.policy, version))
            || passed.any(|it| it.version == version)
    }

    fn flaws(&self) -> BTreeSet<Flaw> {
        let mut flaws = BTreeSet::new();
        for made in self.facts.made.values() {
            let record = &made.record;
            if !record.increments.contains_key(&self.policy) {
                continue;
            }
            let is_accepted = self.accepted.contains(&record.version);
            match (is_accepted, self.is_counted(record.version)) {
                (false, true) => flaws.insert(self.why_counted(record)),
                (true, false) => flaws.insert(self.why_missing(record, made.at)),
                _ => false,
            };
        }
        if flaws.is_empty() {
            flaws.insert(Flaw::Other);
        }
        flaws
    }

    /// Why a record counts that is in nobody's chain.
    fn why_counted(&self, record: &Record) -> Flaw {
        let mut rivals = self.facts.made.values().map(|made| &made.record);
        let is_slot_used = rivals.any(|rival| {
            rival.previous == record.previous
                && rival.version != record.version
                && self.facts.finished.contains(&(self.policy, rival.version))
        });
        if is_slot_used {
            return Flaw::ForgottenSlot;
        }
        let is_parent_old = self.last_boundary().is_some_and(|it| record.previous <= it);
        match !self.accepted.contains(&record.previous) && is_parent_old {
            true => Flaw::RejectedParent,
            false => Flaw::Other,
        }
    }

    /// Why a record does not count that is in its user's chain.
    fn why_missing(&self, record: &Record, made_at: u64) -> Flaw {
        let key = (self.policy, record.version);
        if self.facts.orphaned.contains(&key) {
            let parent = (self.policy, record.previous);
            let is_hole = !self.facts.sent.contains_key(&parent);
            return match is_hole {
                true => Flaw::MissingZero,
                false => Flaw::Other,
            };
        }
        let boundaries = self.facts.boundaries.get(&self.policy);
        let mut boundaries = boundaries.into_iter().flatten();
        let passing = boundaries.find(|(_, boundary)| *boundary >= record.version);
        let Some((passed_at, boundary)) = passing else {
            return Flaw::Other;
        };
        let boundary_made_at = self.facts.made.get(boundary).map(|made| made.at);
        let is_misdated = record.version < record.previous
            || boundary_made_at.is_some_and(|boundary_made_at| boundary_made_at < made_at);
        let sent_at = self.facts.sent.get(&key);
        if is_misdated {
            Flaw::WrongClock
        } else if sent_at.is_some_and(|sent_at| sent_at > passed_at) {
            Flaw::LateReplay
        } else {
            Flaw::Other
        }
    }

    fn last_boundary(&self) -> Option<Version> {
        let boundaries = self.facts.boundaries.get(&self.policy)?;
        boundaries.iter().map(|(_, boundary)| *boundary).max()
    }
}
