//! What a client can ask for: mutations, batches, compare-and-set and reads.
//!
//! These are the words in which a test driver speaks to the model and to the engine. They
//! carry every time they need, so applying them needs no clock.

use crate::answer::VisibleRow;
use crate::facts::{Cell, ColumnId, Deletion, Interval, Liveness, TableId};

/// Names one row of a partition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowKey {
    /// The row of the static columns.
    Static,
    /// The row with this clustering key.
    Clustering(Vec<u8>),
}

/// One change inside a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Deletes everything in the partition, the static row too.
    DeletePartition(Deletion),
    /// Deletes the rows in a range of clustering keys, never the static row.
    DeleteRange {
        /// The clustering positions it covers.
        range: Interval,
        /// The deletion.
        deletion: Deletion,
    },
    /// Writes to one row.
    UpdateRow(RowUpdate),
    /// Adds to a counter. Write times of increments are the server's and never go back.
    AddToCounter {
        /// The counter's row.
        row: RowKey,
        /// The counter's column.
        column: ColumnId,
        /// What is added; sums wrap around.
        delta: i64,
        /// The write time.
        timestamp_micros: i64,
    },
    /// Deletes one counter cell, for good: later increments leave it deleted.
    DeleteCounter {
        /// The counter's row.
        row: RowKey,
        /// The counter's column.
        column: ColumnId,
        /// The deletion.
        deletion: Deletion,
    },
}

/// What one write brings to one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowUpdate {
    /// The row.
    pub row: RowKey,
    /// The mark of an INSERT.
    pub liveness: Option<Liveness>,
    /// A deletion of the whole row.
    pub deletion: Option<Deletion>,
    /// Cells of simple columns, each column at most once.
    pub cells: Vec<(ColumnId, Cell)>,
    /// Deletions of whole collections, each column at most once.
    pub complex_deletions: Vec<(ColumnId, Deletion)>,
    /// Cells of collection elements, each path of a column at most once.
    pub elements: Vec<Element>,
}

impl RowUpdate {
    /// An update that brings nothing yet.
    pub fn new(row: RowKey) -> Self {
        Self {
            row,
            liveness: None,
            deletion: None,
            cells: Vec::new(),
            complex_deletions: Vec::new(),
            elements: Vec::new(),
        }
    }
}

/// One element of a collection, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The collection's column.
    pub column: ColumnId,
    /// The element's place in the collection, ordered bytewise.
    pub path: Vec<u8>,
    /// What was written there.
    pub cell: Cell,
}

/// Changes to one partition of one table, made in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelMutation {
    /// The table.
    pub table: TableId,
    /// The partition key.
    pub partition: Vec<u8>,
    /// The changes. Their order matters for counters only.
    pub changes: Vec<Change>,
}

/// Mutations that are made together or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelBatch {
    /// The mutations, over any partitions and tables.
    pub mutations: Vec<ModelMutation>,
}

/// What must hold for a compare-and-set to be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The row is shown by a read.
    RowExists,
    /// The row is not shown by a read.
    RowAbsent,
    /// A simple column has this value; `None` means null, which a missing row has too.
    ColumnIs {
        /// The column.
        column: ColumnId,
        /// The value, or null.
        value: Option<Vec<u8>>,
    },
}

/// A mutation that is applied only if a row of its partition meets a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompareAndSet {
    /// The row that is looked at, in the mutation's partition.
    pub row: RowKey,
    /// What it must meet.
    pub condition: Condition,
    /// The time at which it is looked at.
    pub now_seconds: i64,
    /// What is applied then.
    pub mutation: ModelMutation,
}

/// The answer to a compare-and-set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompareAndSetAnswer {
    /// Whether the mutation was applied.
    pub applied: bool,
    /// The row as it was before, if it was shown.
    pub seen: Option<VisibleRow>,
}

/// The order in which rows are returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By clustering key.
    Forward,
    /// By clustering key, the greatest first.
    Reversed,
}

/// A read of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The table.
    pub table: TableId,
    /// The partition key.
    pub partition: Vec<u8>,
    /// The time at which expiry is judged.
    pub now_seconds: i64,
    /// The rows asked for: those in any of these, sorted and disjoint. The static row is
    /// always returned.
    pub slices: Vec<Interval>,
    /// The order of the rows.
    pub order: Order,
    /// At most so many rows, the static row not counted.
    pub limit: Option<usize>,
    /// The page size to use on the engine. Pages put together must equal the answer, so the
    /// model does not look at it.
    pub page_rows: Option<usize>,
}

impl Read {
    /// A read of a whole partition in one page.
    pub fn whole(table: TableId, partition: impl Into<Vec<u8>>, now_seconds: i64) -> Self {
        Self {
            table,
            partition: partition.into(),
            now_seconds,
            slices: vec![Interval::all()],
            order: Order::Forward,
            limit: None,
            page_rows: None,
        }
    }
}
