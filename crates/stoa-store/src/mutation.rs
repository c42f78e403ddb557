//! What a caller asks to be written: updates to partitions, applied as one.

use crate::cell::Deletion;
use crate::error::StoreError;
use crate::key::PartitionKey;
use crate::kv::Bytes;
use crate::row::PackedRow;
use crate::row::packed::RESERVED_TIMESTAMP;
use crate::table::TableId;
use crate::tombstone::RangeDeletion;

/// Changes to one partition of one table.
#[derive(Debug, Clone)]
pub struct PartitionUpdate {
    /// The table.
    pub table: TableId,
    /// The partition.
    pub partition: PartitionKey,
    /// Deletes the partition.
    pub deletion: Option<Deletion>,
    /// Deletes slices of it.
    pub ranges: Vec<RangeDeletion>,
    /// Changes the static row.
    pub static_row: Option<PackedRow>,
    /// Changes rows, by clustering.
    pub rows: Vec<(Bytes, PackedRow)>,
}

impl PartitionUpdate {
    /// An update that changes nothing yet.
    #[must_use]
    pub fn new(table: TableId, partition: PartitionKey) -> Self {
        Self {
            table,
            partition,
            deletion: None,
            ranges: Vec::new(),
            static_row: None,
            rows: Vec::new(),
        }
    }

    /// Adds a change to a row.
    #[must_use]
    pub fn row(mut self, clustering: impl Into<Bytes>, row: PackedRow) -> Self {
        self.rows.push((clustering.into(), row));
        self
    }

    /// Refuses what makes no sense, before anything is written.
    pub(crate) fn validate(&self) -> Result<(), StoreError> {
        let deletions = self
            .ranges
            .iter()
            .map(|it| it.deletion)
            .chain(self.deletion);
        for deletion in deletions {
            if deletion.timestamp == RESERVED_TIMESTAMP {
                return Err(StoreError::ReservedTimestamp(deletion.timestamp));
            }
        }
        Ok(())
    }

    /// Whether it concerns more than rows.
    pub(crate) fn writes_record(&self) -> bool {
        self.deletion.is_some() || self.static_row.is_some() || !self.ranges.is_empty()
    }

    /// About how many bytes the update will take, for the limit of a commit group.
    pub(crate) fn size(&self) -> usize {
        let rows: usize = self
            .rows
            .iter()
            .map(|(key, row)| key.len() + row.as_bytes().len() + 64)
            .sum();
        let static_row = self
            .static_row
            .as_ref()
            .map_or(0, |row| row.as_bytes().len());
        rows + static_row + self.ranges.len() * 64 + self.partition.prefix().len()
    }
}

/// Updates to any number of partitions and tables: all of them are applied, or none.
pub type Batch = Vec<PartitionUpdate>;
