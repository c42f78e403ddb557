//! The copies of a record, several tables at a time: each round trip that a vote waits for is a
//! sync of the disk, or a quorum of a cluster.
//!
//! Every statement may be repeated and stands for itself, so it does not matter where only some of
//! them are carried out: whoever sent them does not get an answer, and they are sent again.

use std::collections::BTreeSet;

use stoa_session::{Batch, BatchKind, Error};

use super::changes::Changed;
use super::intents::Spread;
use super::{Tables, written_at};
use crate::model::{PolicyId, UserId, VoteRecord};

/// Of how many policies the rows are sent together. A cluster refuses batches that are large.
const POLICIES_A_BATCH: usize = 4;

/// Plain writes to be sent together, at one time where they do not say another.
pub(super) fn together(at_micros: i64) -> Batch {
    Batch::new(BatchKind::Unlogged).with(written_at(at_micros))
}

impl Tables {
    /// Writes what a record says about policies, and its row of the public ledger, with what was
    /// paid by then and whether it is the first of its year.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_copies(
        &self,
        user: UserId,
        record: &VoteRecord,
        paid: i64,
        is_first_of_year: bool,
    ) -> Result<(), Error> {
        let at = record.version.made_at_micros();
        let session = &*self.counts.session;
        let mut batch = together(at);
        let row = self.ledger.copy(user, record, paid, is_first_of_year)?;
        let changes = record.changes.iter();
        let changes: Vec<_> = changes.filter(|(_, it)| it.increment != 0).collect();
        // Where many policies changed, the row of the ledger is large by itself.
        match changes.len() > POLICIES_A_BATCH {
            true => {
                session.execute(&row.with(written_at(at)), None).await?;
            }
            false => batch.push(row),
        }
        for some in changes.chunks(POLICIES_A_BATCH) {
            for (policy, change) in some {
                self.counts
                    .push_change(&mut batch, user, record, **policy, change)?;
            }
            let full = std::mem::replace(&mut batch, together(at));
            session.batch(&full).await?;
        }
        match batch.items().is_empty() {
            true => Ok(()),
            false => session.batch(&batch).await.map(|_| ()),
        }
    }

    /// Notes that totals changed, and deletes the intent of the record that changed them. After
    /// both: whoever sees that a total changed sees what it is.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn finish_copies(
        &self,
        spread: Spread,
        record: &VoteRecord,
        roots: &BTreeSet<PolicyId>,
        now_micros: i64,
    ) -> Result<(), Error> {
        let (day, version) = (record.day, record.version);
        if roots.len() > POLICIES_A_BATCH {
            for root in roots {
                self.changes
                    .write(*root, Changed::Votes, now_micros)
                    .await?;
            }
            return self.intents.delete(spread, day, version).await;
        }
        let mut batch = together(version.made_at_micros() + 1);
        for root in roots {
            batch.push(self.changes.note(*root, Changed::Votes, now_micros)?);
        }
        batch.push(self.intents.deletion(spread, day, version)?);
        self.counts.session.batch(&batch).await.map(|_| ())
    }
}
