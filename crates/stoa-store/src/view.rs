//! A view of all tables as of one commit: what every read goes through.

use std::sync::Arc;

use stoa_types::token::Token;

use crate::catalog::{self, Catalog, NamedRecord};
use crate::error::StoreError;
use crate::key::{PartitionKey, split_prefix};
use crate::kv::{Direction, Snapshot, SpaceId};
use crate::partition::Partition;
use crate::table::{Table, TableId};

/// All tables as of one commit. Cheap to clone; holding one keeps old data from being reclaimed.
#[derive(Clone)]
pub struct View {
    pub(crate) snapshot: Arc<dyn Snapshot>,
    pub(crate) catalog: Arc<Catalog>,
}

impl View {
    /// The catalogue.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// A table.
    pub fn table(&self, id: TableId) -> Result<Arc<Table>, StoreError> {
        self.catalog.table(id).cloned()
    }

    /// A partition, for reading.
    pub fn partition(
        &self,
        table: TableId,
        key: PartitionKey,
    ) -> Result<Partition<'_>, StoreError> {
        let table = Arc::clone(self.catalog.table(table)?);
        Partition::open(&*self.snapshot, table, key)
    }

    /// The partitions of a table with `from <= token`, in token order.
    pub fn partitions(&self, table: TableId, from: Token) -> Result<Partitions<'_>, StoreError> {
        let space = self.catalog.table(table)?.space;
        Ok(Partitions {
            view: self,
            space,
            next: from.to_ordered_bytes().to_vec(),
        })
    }

    /// The partitions of a table that come after `last`, in token order.
    pub fn partitions_after(
        &self,
        table: TableId,
        last: &PartitionKey,
    ) -> Result<Partitions<'_>, StoreError> {
        let space = self.catalog.table(table)?.space;
        Ok(Partitions {
            view: self,
            space,
            next: last.after(),
        })
    }

    /// A record of the layer above.
    pub fn record(&self, name: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        catalog::load_record(&*self.snapshot, name)
    }

    /// The records of the layer above whose names begin with `prefix`, sorted by name.
    pub fn records(&self, prefix: &[u8]) -> Result<Vec<NamedRecord>, StoreError> {
        catalog::load_records(&*self.snapshot, prefix)
    }
}

/// A walk over the partitions of a table.
pub struct Partitions<'v> {
    view: &'v View,
    space: SpaceId,
    /// The next partition is the first at or after this key.
    next: Vec<u8>,
}

impl Partitions<'_> {
    fn step(&mut self) -> Result<Option<PartitionKey>, StoreError> {
        let top = [0xff; 32];
        let snapshot = &self.view.snapshot;
        let mut walk = snapshot.range(self.space, &self.next, &top, Direction::Forward)?;
        let Some(pair) = walk.next() else {
            return Ok(None);
        };
        let (key, _) = pair?;
        let (prefix, _) = split_prefix(&key)
            .ok_or_else(|| StoreError::damaged_key(self.space, &key, "not a key of a partition"))?;
        let partition = PartitionKey::from_prefix(prefix);
        self.next = partition.after();
        Ok(Some(partition))
    }
}

impl Iterator for Partitions<'_> {
    type Item = Result<PartitionKey, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}
