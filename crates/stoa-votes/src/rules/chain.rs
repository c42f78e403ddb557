//! A user's chain, folded: what its records amount to.
//!
//! Invariant: each record follows the one before it: its number is one more, its `previous` is that
//!    record's version, its totals are those before plus its increments.
//!
//! That a record which ends the account has no successor is for who appends to see to, and for the
//! audit.

use std::collections::BTreeMap;

use crate::model::{CHECKPOINT_EVERY, Day, Entry, PolicyId, RecordKind, VoteRecord, VoteVersion};

/// What a chain amounts to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    /// The last record; `None` before the first.
    pub head: Option<VoteVersion>,
    /// How many records there are.
    pub seq: i64,
    /// The day of the last record.
    pub day: Option<Day>,
    /// Whether the account has ended.
    pub has_ended: bool,
    /// What the user has on each policy, merges left aside.
    pub entries: BTreeMap<PolicyId, Entry>,
    /// The merges that the chain has seen.
    pub roots: BTreeMap<PolicyId, PolicyId>,
}

/// What is wrong with a chain. It cannot happen unless someone writes past the rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A record is missing, or there are two.
    #[error("record {seq} does not follow record {after}")]
    Gap {
        /// The record's number.
        seq: i64,
        /// The number before it.
        after: i64,
    },
    /// A record names another predecessor.
    #[error("record {seq} follows {previous:?}, not the record before it")]
    Link {
        /// The record's number.
        seq: i64,
        /// What it names.
        previous: Option<VoteVersion>,
    },
    /// A record's totals are not the sum of what came before.
    #[error("record {seq} says {total} votes on {policy}, where there are {sum}")]
    Total {
        /// The record's number.
        seq: i64,
        /// The policy.
        policy: PolicyId,
        /// What it says.
        total: i64,
        /// What there are.
        sum: i64,
    },
    /// No record from which reading could begin.
    #[error("the chain's records up to {head_seq} have no checkpoint")]
    NoCheckpoint {
        /// The number of the last one.
        head_seq: i64,
    },
}

impl Ledger {
    /// The ledger after one more record.
    ///
    /// # Errors
    /// When the record does not follow.
    pub fn after(&self, record: &VoteRecord) -> Result<Self, Broken> {
        let seq = record.seq;
        if seq != self.seq + 1 {
            return Err(Broken::Gap {
                seq,
                after: self.seq,
            });
        }
        if record.previous != self.head {
            let previous = record.previous;
            return Err(Broken::Link { seq, previous });
        }
        let mut next = self.clone();
        for (policy, change) in &record.changes {
            let entry = next.entries.entry(*policy).or_default();
            let (total, sum) = (change.entry.total, entry.total + change.increment);
            if total != sum {
                let policy = *policy;
                return Err(Broken::Total {
                    seq,
                    policy,
                    total,
                    sum,
                });
            }
            *entry = change.entry;
        }
        next.roots.extend(&record.roots);
        next.stand_at(record);
        Ok(next)
    }

    /// The ledger that a record with a checkpoint carries.
    #[must_use]
    pub fn at_checkpoint(record: &VoteRecord) -> Option<Self> {
        let mut ledger = Self {
            entries: record.checkpoint.clone()?,
            roots: record.roots.clone(),
            ..Self::default()
        };
        ledger.stand_at(record);
        Some(ledger)
    }

    fn stand_at(&mut self, record: &VoteRecord) {
        self.head = Some(record.version);
        self.seq = record.seq;
        self.day = Some(record.day);
        self.has_ended = record.kind == RecordKind::Final;
    }

    /// Folds the last records of a chain, the earliest first: all of them, or enough to hold a
    /// checkpoint before the last one.
    ///
    /// # Errors
    /// When they are not a chain, or do not reach back far enough.
    pub fn fold(records: &[VoteRecord]) -> Result<Folded, Broken> {
        let Some((last, before)) = records.split_last() else {
            return Ok(Folded::default());
        };
        let start = before
            .iter()
            .enumerate()
            .rev()
            .find_map(|(at, record)| Some((at + 1, Self::at_checkpoint(record)?)));
        let begins = records.first().is_some_and(|record| record.seq == 1);
        let (from, mut ledger) = match start {
            Some(start) => start,
            None if begins => (0, Self::default()),
            None => {
                let head_seq = last.seq;
                return Err(Broken::NoCheckpoint { head_seq });
            }
        };
        for record in before.iter().skip(from) {
            ledger = ledger.after(record)?;
        }
        let after = ledger.after(last)?;
        Ok(Folded {
            ledger: after,
            before: ledger,
            last: Some(last.clone()),
        })
    }

    /// Whether the next record carries everything.
    #[must_use]
    pub fn next_is_checkpoint(&self) -> bool {
        (self.seq + 1) % CHECKPOINT_EVERY == 0
    }
}

/// A chain, folded, and its last step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folded {
    /// What it amounts to.
    pub ledger: Ledger,
    /// What it amounted to before the last record.
    pub before: Ledger,
    /// The last record.
    pub last: Option<VoteRecord>,
}

#[cfg(test)]
mod tests;
