//! One execution of a write: the updates of partitions that it means.

use stoa_store::StoreError;
use stoa_store::cell::RowRef;
use stoa_store::key::PartitionKey;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::partition::Partition;
use stoa_store::tombstone::RangeDeletion;
use stoa_types::ordered;

use super::operation::{Operation, Places};
use super::row::{Mark, RowWriter, Stamp};
use super::{Kind, Modification};
use crate::catalog::{Column, ColumnKind};
use crate::failure::Failure;
use crate::refusal::Refusal;
use crate::restrict::clusterings::Selected;
use crate::restrict::plan::Partitions;
use crate::rows::original_clustering;
use crate::terms::Values;

/// What an execution needs beside the values of its variables.
pub(crate) struct Execution<'e> {
    /// When everything is written.
    pub(crate) time: Time,
    /// The server's second.
    pub(crate) now: i64,
    pub(crate) places: &'e dyn Places,
}

/// When everything is written, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    /// What gives no timestamp itself is written at this one.
    Default(i64),
    /// Everything is written at this one: a condition has held. Slices and partitions are deleted
    /// just before it.
    Decided(i64),
}

/// What is stored, for writes that depend on it.
pub(crate) trait Stored {
    /// The partition with this key.
    fn partition(
        &self,
        write: &Modification,
        key: &PartitionKey,
    ) -> Result<Partition<'_>, StoreError>;

    /// Whether a row of it is known.
    fn has_row(&self, _clustering: &[u8]) -> bool {
        true
    }

    /// Whether a static column of it is known.
    fn has_static(&self, _column: &Column) -> bool {
        true
    }
}

impl Modification {
    /// The partitions it writes to.
    pub(crate) fn keys(&self, values: &Values<'_>) -> Result<Vec<PartitionKey>, Failure> {
        let keys = match self.rows.partitions(&self.table, values)? {
            Partitions::Keys(keys) => keys,
            Partitions::Between(..) | Partitions::None => Vec::new(),
        };
        let keys = keys.iter().map(|key| PartitionKey::new(key));
        Ok(keys.collect::<Result<_, _>>()?)
    }

    /// The stamp of everything it writes.
    pub(crate) fn stamp(
        &self,
        values: &Values<'_>,
        execution: &Execution<'_>,
    ) -> Result<Stamp, Refusal> {
        let given = self.attributes.timestamp(values)?;
        let timestamp = match execution.time {
            Time::Default(time) => given.unwrap_or(time),
            Time::Decided(time) => time,
        };
        let expiry = match self.kind {
            Kind::Delete => None,
            Kind::Insert | Kind::Update if self.table.is_counter() => None,
            Kind::Insert | Kind::Update => {
                self.attributes.expiry(&self.table, values, execution.now)?
            }
        };
        Ok(Stamp {
            timestamp,
            now: execution.now,
            expiry,
        })
    }

    /// The updates that it means. `stored` is asked only where what is written depends on it.
    pub(crate) fn updates(
        &self,
        values: &Values<'_>,
        execution: &Execution<'_>,
        stored: Option<&dyn Stored>,
    ) -> Result<Vec<PartitionUpdate>, Failure> {
        let stamp = self.stamp(values, execution)?;
        let keys = self.keys(values)?;
        let selected = match (self.only_static, self.kind) {
            (true, _) => Selected::All,
            (false, Kind::Delete) => self.rows.deleted(&self.table, values)?,
            (false, _) => self.rows.selected(&self.table, values)?,
        };
        let mut updates = Vec::with_capacity(keys.len());
        for key in keys {
            let mut writing = Writing {
                write: self,
                values,
                execution,
                stamp,
                stored,
                partition: match stored {
                    Some(stored) if self.depends_on_before() => Some(stored.partition(self, &key)?),
                    _ => None,
                },
                update: PartitionUpdate::new(self.table.store, key.clone()),
            };
            writing.run(&selected)?;
            updates.push(writing.update);
        }
        Ok(updates)
    }
}

struct Writing<'w> {
    write: &'w Modification,
    values: &'w Values<'w>,
    execution: &'w Execution<'w>,
    stamp: Stamp,
    stored: Option<&'w dyn Stored>,
    partition: Option<Partition<'w>>,
    update: PartitionUpdate,
}

impl Writing<'_> {
    fn run(&mut self, selected: &Selected) -> Result<(), Failure> {
        if self.write.kind == Kind::Delete && self.write.operations.is_empty() {
            return self.delete(selected);
        }
        let rows = match selected {
            Selected::Rows(rows) => rows.len(),
            Selected::All | Selected::Slices(_) => 1,
        };
        self.static_row(rows)?;
        if self.write.only_static {
            return Ok(());
        }
        let has_clustering = !self.write.table.clustering().is_empty();
        match selected {
            Selected::Rows(rows) => rows.iter().try_for_each(|it| self.row(it)),
            Selected::All if !has_clustering => self.row(&[]),
            // Only the static row was meant.
            Selected::All | Selected::Slices(_) => Ok(()),
        }
    }

    fn delete(&mut self, selected: &Selected) -> Result<(), Failure> {
        let deletion = match self.execution.time {
            Time::Default(_) => self.stamp.deletion(),
            Time::Decided(_) => self.stamp.deletion_before(),
        };
        match selected {
            Selected::All => self.update.deletion = Some(deletion),
            Selected::Slices(slices) => {
                for slice in slices {
                    self.update.ranges.push(RangeDeletion {
                        start: slice.start.clone(),
                        end: slice.end.clone(),
                        deletion,
                    });
                }
            }
            Selected::Rows(rows) => {
                for clustering in rows {
                    let row = RowWriter::default();
                    let packed = row.pack(self.stamp, Mark::Delete, None)?;
                    self.update
                        .rows
                        .push((clustering.as_slice().into(), packed));
                }
            }
        }
        Ok(())
    }

    /// Writes to the static row. Cassandra does so once for each row that is written, which shows
    /// where a write adds to what is there.
    fn static_row(&mut self, rows: usize) -> Result<(), Failure> {
        let mut row = RowWriter::default();
        let before = match &self.partition {
            Some(partition) => partition.static_row()?,
            None => None,
        };
        let before = match &before {
            Some(row) => row.visible(self.execution.now)?,
            None => None,
        };
        for (column, operation) in self.operations() {
            let times = match (column.is_static(), operation.adds_up(column)) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => rows,
            };
            for _ in 0..times {
                let is_known = self.stored.is_some_and(|it| it.has_static(column));
                let before = before.as_ref().filter(|_| is_known);
                self.apply(column, operation, before, &mut row)?;
            }
        }
        if !row.is_empty() {
            self.update.static_row = Some(row.pack(self.stamp, Mark::None, None)?);
        }
        Ok(())
    }

    fn row(&mut self, clustering: &[u8]) -> Result<(), Failure> {
        let mut row = RowWriter::with_room_for(self.write.operations.len());
        let is_known = self.stored.is_some_and(|it| it.has_row(clustering));
        let before = match &self.partition {
            Some(partition) if is_known => partition.row(clustering)?,
            _ => None,
        };
        let before = match &before {
            Some(row) => row.visible(self.execution.now)?,
            None => None,
        };
        for (column, operation) in self.operations() {
            if column.kind == ColumnKind::Regular {
                self.apply(column, operation, before.as_ref(), &mut row)?;
            }
        }
        let mark = match self.write.kind {
            Kind::Insert => Mark::Insert,
            Kind::Update | Kind::Delete => Mark::None,
        };
        if row.is_empty() && mark == Mark::None {
            return Ok(());
        }
        let original = self.original(clustering)?;
        let packed = row.pack(self.stamp, mark, original.as_deref())?;
        self.update.rows.push((clustering.into(), packed));
        Ok(())
    }

    /// What must be kept of the clustering beside its key bytes.
    fn original(&self, clustering: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        let key = self.write.table.clustering_key();
        let may_differ = key.iter().any(|it| may_not_restore(&it.data_type));
        if !may_differ {
            return Ok(None);
        }
        let values = self
            .write
            .rows
            .clustering_values(&self.write.table, self.values)?;
        let values: Vec<Option<&[u8]>> = values
            .iter()
            .find(|it| encodes_to(key, it, clustering))
            .map(|it| it.iter().map(Option::as_deref).collect())
            .unwrap_or_default();
        match values.is_empty() {
            true => Ok(None),
            false => Ok(original_clustering(key, &values)),
        }
    }

    fn operations(&self) -> impl Iterator<Item = (&'_ Column, &'_ Operation)> {
        let columns = &self.write.table.columns;
        let operations = self.write.operations.iter();
        operations.filter_map(|(at, operation)| Some((columns.get(*at)?, operation)))
    }

    fn apply<'w>(
        &'w self,
        column: &Column,
        operation: &'w Operation,
        before: Option<&RowRef<'_>>,
        row: &mut RowWriter<'w>,
    ) -> Result<(), Refusal> {
        let before = before.and_then(|row| {
            let mut columns = row.columns.iter();
            columns.find(|(id, _)| *id == column.id).map(|(_, it)| it)
        });
        operation.apply(
            column,
            self.values,
            self.stamp,
            before,
            self.execution.places,
            row,
        )
    }
}

/// Whether key bytes of this type may fail to give back what was written.
fn may_not_restore(data_type: &stoa_types::DataType) -> bool {
    use stoa_types::DataType as T;
    match data_type {
        T::Decimal | T::VarInt | T::Boolean | T::Tuple(_) | T::UserDefined(_) => true,
        other => other.inner().into_iter().any(may_not_restore),
    }
}

fn encodes_to(
    key: &[stoa_types::KeyColumn],
    values: &[Option<Vec<u8>>],
    clustering: &[u8],
) -> bool {
    let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
    ordered::encode_clustering(key, &values).is_ok_and(|it| it == clustering)
}
