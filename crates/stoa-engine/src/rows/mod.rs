//! Rows as statements look at them: values by column, and the facts of their cells.
//!
//! [`Row`] is what selections and filters ask. A [`StoredRow`] answers from a partition of the
//! store, a [`GivenRow`] from values that were computed, such as those of system tables.

mod assemble;
mod clustering;
pub(crate) mod element;

use std::borrow::Cow;

use stoa_store::cell::{ColumnRef, CounterState, RowRef, ValueRef};
use stoa_store::cell::{Elements, Expiry};

use crate::catalog::{ColumnKind, Table};

pub(crate) use assemble::field_path;
pub(crate) use clustering::{clustering_values, original_clustering};

/// Time and lifetime of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellFacts {
    /// The client's microseconds.
    pub(crate) written_at_micros: i64,
    /// The seconds it still has, if it was written with a TTL.
    pub(crate) ttl_seconds: Option<i32>,
}

/// The cells of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cells<'r> {
    /// There is none.
    None,
    /// A single one.
    One(CellFacts),
    /// One for each element or field, with its path.
    Many(Vec<(&'r [u8], CellFacts)>),
}

/// A row that can be looked at.
pub(crate) trait Row {
    /// The value of a column, by its place in the table; `None` for null.
    fn value(&self, column: usize) -> Option<Cow<'_, [u8]>>;

    /// The cells of a column that is not part of the key.
    fn cells(&self, column: usize) -> Cells<'_>;
}

/// A row of a partition of the store.
pub(crate) struct StoredRow<'r> {
    pub(crate) table: &'r Table,
    /// The values of the partition key.
    pub(crate) key: &'r [&'r [u8]],
    /// The values of the clustering; `None` if there is only a static row.
    pub(crate) clustering: Option<&'r [Option<Vec<u8>>]>,
    pub(crate) static_row: Option<&'r RowRef<'r>>,
    pub(crate) row: Option<&'r RowRef<'r>>,
    /// The second at which it is looked at.
    pub(crate) now: i64,
}

impl<'r> StoredRow<'r> {
    fn column(&self, at: usize) -> Option<(&'r ColumnRef<'r>, &'r crate::catalog::Column)> {
        let column = self.table.columns.get(at)?;
        let row = match column.kind {
            ColumnKind::Static => self.static_row?,
            _ => self.row?,
        };
        let columns = &row.columns;
        let found = columns
            .binary_search_by_key(&column.id, |(id, _)| *id)
            .ok()?;
        Some((&columns.get(found)?.1, column))
    }

    fn facts(&self, timestamp: i64, expiry: Option<Expiry>) -> CellFacts {
        let left = |expiry: Expiry| i32::try_from(expiry.expires_at - self.now).unwrap_or(i32::MAX);
        CellFacts {
            written_at_micros: timestamp,
            ttl_seconds: expiry.map(left),
        }
    }
}

impl Row for StoredRow<'_> {
    fn value(&self, at: usize) -> Option<Cow<'_, [u8]>> {
        let column = self.table.columns.get(at)?;
        match column.kind {
            ColumnKind::PartitionKey => {
                return self.key.get(column.position).map(|it| Cow::Borrowed(*it));
            }
            ColumnKind::Clustering => {
                let value = self.clustering?.get(column.position)?;
                return value.as_deref().map(Cow::Borrowed);
            }
            ColumnKind::Static | ColumnKind::Regular => {}
        }
        let (stored, column) = self.column(at)?;
        match stored {
            ColumnRef::Cell(cell) => match cell.value()? {
                ValueRef::Inline(bytes) => Some(Cow::Borrowed(bytes)),
                ValueRef::Spilled { .. } => None,
            },
            ColumnRef::Counter(counter) => match counter.state {
                CounterState::Total(total) => Some(Cow::Owned(total.to_be_bytes().to_vec())),
                CounterState::Add(_) | CounterState::Tombstone { .. } => None,
            },
            ColumnRef::Complex(complex) => {
                assemble::value(&column.data_type, &complex.elements).map(Cow::Owned)
            }
        }
    }

    fn cells(&self, at: usize) -> Cells<'_> {
        let Some((stored, _)) = self.column(at) else {
            return Cells::None;
        };
        match stored {
            ColumnRef::Cell(cell) => Cells::One(self.facts(cell.timestamp, cell.expiry())),
            ColumnRef::Counter(counter) => Cells::One(self.facts(counter.timestamp, None)),
            ColumnRef::Complex(complex) => match &complex.elements {
                Elements::Inline(elements) => Cells::Many(
                    elements
                        .iter()
                        .map(|(path, cell)| (*path, self.facts(cell.timestamp, cell.expiry())))
                        .collect(),
                ),
                Elements::Spilled => Cells::None,
            },
        }
    }
}

/// A row of values that were computed.
pub(crate) struct GivenRow<'r>(pub(crate) &'r [Option<Vec<u8>>]);

impl Row for GivenRow<'_> {
    fn value(&self, column: usize) -> Option<Cow<'_, [u8]>> {
        let value = self.0.get(column)?;
        value.as_deref().map(Cow::Borrowed)
    }

    fn cells(&self, _: usize) -> Cells<'_> {
        Cells::None
    }
}
