//! How large writes are, as Cassandra counts it, and what it makes of large ones.
//!
//! ```text
//! partition of a table   8 + its static row + rows + ranges
//! static row             21 + cells, also where there is none
//! row                    clustering + 8 (20 with a TTL) + 13 + cells
//! cell                   20 + path + value; a counter has 36 bytes of value
//! collection             12 + its cells
//! ranges                 4 + for each of them 12 + the values of both ends
//! ```
//! These are `dataSize()` of Cassandra's `PartitionUpdate`, `BTreeRow`, `AbstractCell`,
//! `ComplexColumnData`, `LivenessInfo` and `RangeTombstoneList`. A batch of one partition may have
//! any size up to the largest mutation (CASSANDRA-10876); others are warned of above 5 KiB and
//! refused above 50 KiB, Cassandra's settings `batch_size_warn_threshold` and
//! `batch_size_fail_threshold` as they come. Conditional batches are not looked at.
//!
//! Ranges of one batch that overlap are counted as they stand; Cassandra cuts them first.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use stoa_store::StoreError;
use stoa_store::cell::{CellRef, ColumnId, ColumnRef, Elements, RowRef, ValueRef};
use stoa_store::mutation::PartitionUpdate;
use stoa_store::row::PackedRow;
use stoa_store::row::merge::{SpilledValues, merge};
use stoa_store::tombstone::RangeDeletion;
use stoa_types::{DataType, ordered};

use crate::catalog::Table;
use crate::failure::Failure;
use crate::refusal::Refusal;
use crate::rows::clustering_values;

const WARN_BYTES: usize = 5 * 1024;
const FAIL_BYTES: usize = 50 * 1024;

/// The largest mutation: half of a segment of Cassandra's commit log.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The place of an element of a list is a time UUID in Cassandra, and half of that here.
const LIST_PATH: usize = 16;

/// What a row or a range adds at most to the bytes that it is packed in, and by how much it
/// multiplies them: no cell is packed in less than two bytes.
const MOST_ADDED: usize = 64;
const MOST_MULTIPLIED: usize = 12;

/// Refuses updates of which one partition takes too much.
pub(crate) fn check_mutations(updates: &[PartitionUpdate]) -> Result<(), Refusal> {
    let all: usize = updates.iter().map(packed_size).sum();
    if all <= MOST_BYTES {
        return Ok(());
    }
    let mut sizes: BTreeMap<&[u8], usize> = BTreeMap::new();
    for update in updates {
        *sizes.entry(update.partition.bytes()).or_default() += packed_size(update);
    }
    match sizes.into_values().find(|it| *it > MOST_BYTES) {
        Some(size) => Err(Refusal::invalid(format!(
            "Rejected an oversized mutation ({size}/{MOST_BYTES}): write less to one partition at once"
        ))),
        None => Ok(()),
    }
}

fn packed_size(update: &PartitionUpdate) -> usize {
    let rows = update.rows.iter();
    let rows: usize = rows
        .map(|(key, row)| key.len() + row.as_bytes().len())
        .sum();
    let static_row = update.static_row.as_ref();
    rows + static_row.map_or(0, |row| row.as_bytes().len())
}

/// What the author of a batch should know of its size.
///
/// # Errors
/// When it is too large.
pub(crate) fn check_batch(
    updates: &[PartitionUpdate],
    tables: &[&Table],
) -> Result<Option<String>, Failure> {
    let most: usize = updates.iter().map(most_size).sum();
    if most <= WARN_BYTES {
        return Ok(None);
    }
    let batch = Mutations::new(updates, tables);
    if batch.count() <= 1 {
        return Ok(None);
    }
    let size = batch.size()?;
    if size > FAIL_BYTES {
        return Err(Refusal::invalid("Batch too large").into());
    }
    let over = size.saturating_sub(WARN_BYTES);
    Ok((over > 0).then(|| {
        format!(
            "Batch for [{}] is of size {size}, exceeding specified threshold of {WARN_BYTES} by {over}.",
            batch.names().join(", ")
        )
    }))
}

/// The size of an update that it does not exceed.
fn most_size(update: &PartitionUpdate) -> usize {
    let rows = update.rows.iter();
    let rows =
        rows.map(|(key, row)| key.len() + row.as_bytes().len() * MOST_MULTIPLIED + MOST_ADDED);
    let ranges = update.ranges.iter();
    let ranges = ranges.map(|it| it.start.len() + it.end.len() + MOST_ADDED);
    let static_row = update.static_row.as_ref();
    let static_row = static_row.map_or(0, |row| row.as_bytes().len() * MOST_MULTIPLIED);
    rows.chain(ranges).sum::<usize>() + static_row + MOST_ADDED
}

/// What is done to partitions of one key, table by table.
type OfKey<'u> = Vec<(&'u Table, Vec<&'u PartitionUpdate>)>;

/// The updates of a batch, by keyspace and partition.
struct Mutations<'u> {
    partitions: BTreeMap<(&'u str, &'u [u8]), OfKey<'u>>,
}

impl<'u> Mutations<'u> {
    fn new(updates: &'u [PartitionUpdate], tables: &[&'u Table]) -> Self {
        let mut all = Self {
            partitions: BTreeMap::new(),
        };
        for update in updates {
            let Some(table) = tables.iter().find(|it| it.store == update.table) else {
                continue;
            };
            let place = (&*table.keyspace, update.partition.bytes());
            let of_key = all.partitions.entry(place).or_default();
            match of_key.iter_mut().find(|(it, _)| it.store == table.store) {
                Some((_, updates)) => updates.push(update),
                None => of_key.push((table, vec![update])),
            }
        }
        all
    }

    /// Partitions with the same key in one keyspace are one mutation.
    fn count(&self) -> usize {
        self.partitions.len()
    }

    fn names(&self) -> Vec<String> {
        let tables = self.partitions.values().flatten();
        let names = tables.map(|(it, _)| format!("{}.{}", it.keyspace, it.name));
        names.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn size(&self) -> Result<usize, Failure> {
        let tables = self.partitions.values().flatten();
        let sizes = tables.map(|(table, updates)| partition_size(table, updates));
        sizes.sum()
    }
}

/// The size of all that a batch does to a partition of a table.
fn partition_size(table: &Table, updates: &[&PartitionUpdate]) -> Result<usize, Failure> {
    let mut rows: BTreeMap<&[u8], Vec<&PackedRow>> = BTreeMap::new();
    let mut ranges: Vec<&RangeDeletion> = Vec::new();
    for update in updates {
        for (clustering, row) in &update.rows {
            rows.entry(clustering).or_default().push(row);
        }
        ranges.extend(&update.ranges);
    }
    let static_rows = updates.iter().filter_map(|it| it.static_row.as_ref());
    let mut size = 8 + row_size(&merged(static_rows)?, table);
    for (clustering, packed) in rows {
        let row = merged(packed.into_iter())?;
        let values = clustering_values(table.clustering_key(), clustering, &row)?;
        size += values_size(&values) + row_size(&row, table);
    }
    if !ranges.is_empty() {
        size += 4;
    }
    for range in ranges {
        let bound = |position: &[u8]| {
            let decoded = ordered::decode_position(table.clustering_key(), position);
            decoded.map_or(0, |(values, _)| values_size(&values))
        };
        size += 12 + bound(&range.start) + bound(&range.end);
    }
    Ok(size)
}

fn values_size(values: &[Option<Vec<u8>>]) -> usize {
    values.iter().flatten().map(Vec::len).sum()
}

/// Several updates of one row as one.
fn merged<'r>(rows: impl Iterator<Item = &'r PackedRow>) -> Result<RowRef<'r>, Failure> {
    let mut all = RowRef::default();
    for row in rows {
        let row = row.decode().map_err(|problem| StoreError::Damaged {
            place: "a row that is about to be written".to_owned(),
            what: problem.to_string(),
        })?;
        all = merge(all, row, None, &NotSpilled)?;
    }
    Ok(all)
}

/// Nothing of an update is stored under a key of its own yet.
struct NotSpilled;

impl SpilledValues for NotSpilled {
    fn compare(&self, _: ColumnId, _: &[u8]) -> Result<Ordering, StoreError> {
        Ok(Ordering::Equal)
    }
}

/// The size of a row without its clustering.
fn row_size(row: &RowRef<'_>, table: &Table) -> usize {
    let expires = row.liveness.is_some_and(|it| it.expiry.is_some());
    let mark = if expires { 20 } else { 8 };
    let is_list = |id: &ColumnId| {
        let mut columns = table.columns.iter();
        let column = columns.find(|it| it.id == *id);
        column.is_some_and(|it| matches!(it.data_type, DataType::List { .. }))
    };
    let columns = row.columns.iter().map(|(id, column)| match column {
        ColumnRef::Cell(cell) => cell_size(cell),
        ColumnRef::Counter(_) => 20 + 36,
        ColumnRef::Complex(complex) => {
            let cells = match &complex.elements {
                Elements::Inline(cells) => cells.as_slice(),
                Elements::Spilled => &[],
            };
            let own = is_list(id).then_some(LIST_PATH);
            let cells = cells.iter().map(|(path, cell)| {
                let path = own.unwrap_or(path.len());
                path + cell_size(cell)
            });
            12 + cells.sum::<usize>()
        }
    });
    mark + 13 + columns.sum::<usize>()
}

fn cell_size(cell: &CellRef<'_>) -> usize {
    let value = match cell.value() {
        Some(ValueRef::Inline(bytes)) => bytes.len(),
        Some(ValueRef::Spilled { length, .. }) => usize::try_from(length).unwrap_or(usize::MAX),
        None => 0,
    };
    20 + value
}
