//! The records of a user's chain, as a statement of account shows them.

use std::collections::BTreeMap;

use stoa_session::Error;

use crate::model::{CHECKPOINT_EVERY, Entry, PolicyId, UserId, VoteRecord};
use crate::rules::money::burned;
use crate::votes::Votes;

/// Records that are given at once.
const MOST_RECORDS: i64 = 100;

/// A record, and what it cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldRecord {
    /// The record.
    pub record: VoteRecord,
    /// Votes that were lost by it, on each policy that it changes; less than none where an undo
    /// gave them back. A merge may round otherwise.
    pub burned: BTreeMap<PolicyId, i64>,
}

impl Votes {
    /// The records of a user before a number, the last first; of the whole chain, if no number is
    /// given. No more than a hundred.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn told_records(
        &self,
        user: UserId,
        before: Option<i64>,
        most: i64,
    ) -> Result<Vec<ToldRecord>, Error> {
        let tip = self.tables.chain.tip(user).await?;
        let last = before.map_or(tip.seq, |before| tip.seq.min(before.saturating_sub(1)));
        let first = last
            .saturating_sub(most.clamp(1, MOST_RECORDS))
            .saturating_add(1)
            .max(1);
        // What was there before the first of them is told by the last one that carries everything.
        let from = ((first - 1).div_euclid(CHECKPOINT_EVERY) * CHECKPOINT_EVERY).max(1);
        let mut entries: BTreeMap<PolicyId, Entry> = BTreeMap::new();
        let mut told = Vec::new();
        for record in self.tables.chain.between(user, from, last).await? {
            let mut costs = BTreeMap::new();
            for (policy, change) in &record.changes {
                let known = entries.insert(*policy, change.entry).unwrap_or_default();
                let lost = burned(change.entry.burned_hundredths) - burned(known.burned_hundredths);
                costs.insert(*policy, lost);
            }
            if let Some(all) = &record.checkpoint {
                entries.clone_from(all);
            }
            if record.seq >= first {
                told.push(ToldRecord {
                    record,
                    burned: costs,
                });
            }
        }
        told.reverse();
        Ok(told)
    }
}
