//! Conditional writes: look at one partition, then write to it or not, as one step.
//!
//! On one machine no agreement protocol is needed: the leader of a commit group reads, tests and
//! writes at one place in the order of all commits. The timestamp it gives is above that of every
//! conditional write before, whatever the clock does; as in Cassandra, a cell written with a
//! timestamp from the far future still shadows what an applied condition writes.

use crate::error::StoreError;
use crate::key::PartitionKey;
use crate::mutation::PartitionUpdate;
use crate::partition::Partition;
use crate::store::Store;
use crate::table::TableId;

impl Store {
    /// Lets `decide` look at a partition and return what to write to it, if anything, beside an
    /// answer for the caller. It is given the timestamp (microseconds) to write with.
    ///
    /// # Errors
    ///
    /// [`StoreError::Invalid`] if the update is to another partition than the one looked at.
    pub fn compare_and_set<R: Send + 'static>(
        &self,
        table: TableId,
        key: PartitionKey,
        decide: impl FnOnce(&Partition<'_>, i64) -> Result<(R, Option<PartitionUpdate>), StoreError>
        + Send
        + 'static,
    ) -> Result<R, StoreError> {
        self.decide(move |group| {
            let time = group.next_write_time()?;
            let partition = group.partition(table, &key)?;
            let (answer, update) = decide(&partition, time)?;
            drop(partition);
            if let Some(update) = update {
                if update.table != table || update.partition != key {
                    return Err(StoreError::Invalid(
                        "a conditional write to another partition",
                    ));
                }
                group.apply(&[update])?;
            }
            Ok(answer)
        })
    }
}
