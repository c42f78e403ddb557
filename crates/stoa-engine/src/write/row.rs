//! A row being written: the cells of a statement, before they are packed.

use std::borrow::Cow;

use stoa_store::StoreError;
use stoa_store::cell::{
    CellRef, CellState, ColumnId, ColumnRef, ComplexRef, Counter, CounterState, Deletion, Elements,
    Expiry, Liveness, RowRef, ValueRef,
};
use stoa_store::row::PackedRow;

/// Time and lifetime of everything a statement writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp {
    /// The client's microseconds.
    pub(crate) timestamp: i64,
    /// The server's second.
    pub(crate) now: i64,
    pub(crate) expiry: Option<Expiry>,
}

impl Stamp {
    /// A deletion at this time.
    pub(crate) fn deletion(self) -> Deletion {
        Deletion {
            timestamp: self.timestamp,
            deleted_at: self.now,
        }
    }

    /// A deletion of what was there before a whole collection is written at this time.
    pub(crate) fn deletion_before(self) -> Deletion {
        Deletion {
            timestamp: self.timestamp.saturating_sub(1),
            deleted_at: self.now,
        }
    }

    fn cell<'a>(self, value: Option<&'a [u8]>) -> CellRef<'a> {
        let state = match (value, self.expiry) {
            (Some(value), None) => CellState::Live(ValueRef::Inline(value)),
            (Some(value), Some(expiry)) => CellState::Expiring(ValueRef::Inline(value), expiry),
            (None, _) => CellState::Tombstone {
                deleted_at: self.now,
            },
        };
        CellRef {
            timestamp: self.timestamp,
            state,
        }
    }
}

/// The value of a cell; `None` deletes it.
type Written<'a> = Option<Cow<'a, [u8]>>;

enum Change<'a> {
    Cell(Written<'a>),
    Count(CounterChange),
    Complex {
        deletion: Option<Deletion>,
        elements: Vec<(Cow<'a, [u8]>, Written<'a>)>,
    },
}

enum CounterChange {
    Add(i64),
    Delete,
}

/// The cells that a statement writes to one row.
#[derive(Default)]
pub(crate) struct RowWriter<'a> {
    changes: Vec<(ColumnId, Change<'a>)>,
}

impl<'a> RowWriter<'a> {
    /// Whether nothing is written.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Writes a single cell, or deletes it.
    pub(crate) fn cell(&mut self, column: ColumnId, value: Written<'a>) {
        // A statement may delete a column twice, but sets it once.
        self.changes.retain(|(id, _)| *id != column);
        self.changes.push((column, Change::Cell(value)));
    }

    /// Adds to a counter.
    pub(crate) fn count(&mut self, column: ColumnId, step: i64) {
        let counted = self
            .changes
            .iter_mut()
            .find_map(|(id, change)| match change {
                Change::Count(CounterChange::Add(sum)) if *id == column => Some(sum),
                _ => None,
            });
        match counted {
            Some(sum) => *sum = sum.wrapping_add(step),
            None => {
                let change = Change::Count(CounterChange::Add(step));
                self.changes.push((column, change));
            }
        }
    }

    /// Deletes a counter.
    pub(crate) fn delete_counter(&mut self, column: ColumnId) {
        let change = Change::Count(CounterChange::Delete);
        self.changes.push((column, change));
    }

    /// Writes an element or a field, or deletes it.
    pub(crate) fn element(
        &mut self,
        column: ColumnId,
        path: impl Into<Cow<'a, [u8]>>,
        value: Written<'a>,
    ) {
        let (_, elements) = self.complex(column);
        elements.push((path.into(), value));
    }

    /// Deletes a collection or user type whole.
    pub(crate) fn delete_complex(&mut self, column: ColumnId, stamp: Stamp) {
        let (deletion, _) = self.complex(column);
        *deletion = Some(stamp.deletion());
    }

    /// Deletes what was there before a collection or user type is written whole.
    pub(crate) fn overwrite_complex(&mut self, column: ColumnId, stamp: Stamp) {
        // Before the least time of a write there is nothing to delete.
        let before = stamp.deletion_before();
        let (deletion, _) = self.complex(column);
        *deletion = Some(before).filter(|it| it.timestamp > i64::MIN);
    }

    #[expect(clippy::type_complexity, reason = "the two halves of one change")]
    fn complex(
        &mut self,
        column: ColumnId,
    ) -> (
        &mut Option<Deletion>,
        &mut Vec<(Cow<'a, [u8]>, Written<'a>)>,
    ) {
        let is_it = |(id, change): &(ColumnId, Change<'a>)| {
            *id == column && matches!(change, Change::Complex { .. })
        };
        let at = match self.changes.iter().position(is_it) {
            Some(at) => at,
            None => {
                let change = Change::Complex {
                    deletion: None,
                    elements: Vec::new(),
                };
                self.changes.push((column, change));
                self.changes.len() - 1
            }
        };
        match self.changes.get_mut(at) {
            Some((_, Change::Complex { deletion, elements })) => (deletion, elements),
            _ => unreachable!("the change at this place was just found or made"),
        }
    }

    /// The row as the store takes it.
    pub(crate) fn pack(
        &self,
        stamp: Stamp,
        mark: Mark,
        original_clustering: Option<&[u8]>,
    ) -> Result<PackedRow, StoreError> {
        let mut columns: Vec<(ColumnId, ColumnRef<'_>)> = self
            .changes
            .iter()
            .map(|(id, change)| (*id, packed(change, stamp)))
            .collect();
        columns.sort_by_key(|(id, _)| *id);
        PackedRow::encode(&RowRef {
            original_clustering,
            liveness: (mark == Mark::Insert).then_some(Liveness {
                timestamp: stamp.timestamp,
                expiry: stamp.expiry,
            }),
            deletion: (mark == Mark::Delete).then(|| stamp.deletion()),
            columns,
        })
    }
}

/// What is written beside the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Nothing.
    None,
    /// The row exists, though it may have no cells.
    Insert,
    /// The row is deleted.
    Delete,
}

fn bytes<'c>(cell: &CellRef<'c>) -> Option<&'c [u8]> {
    match cell.value() {
        Some(ValueRef::Inline(bytes)) => Some(bytes),
        Some(ValueRef::Spilled { .. }) | None => None,
    }
}

fn packed<'c>(change: &'c Change<'_>, stamp: Stamp) -> ColumnRef<'c> {
    match change {
        Change::Cell(value) => ColumnRef::Cell(stamp.cell(value.as_deref())),
        Change::Count(change) => ColumnRef::Counter(Counter {
            timestamp: stamp.timestamp,
            state: match change {
                CounterChange::Add(step) => CounterState::Add(*step),
                CounterChange::Delete => CounterState::Tombstone {
                    deleted_at: stamp.now,
                },
            },
        }),
        Change::Complex { deletion, elements } => {
            let mut cells: Vec<(&[u8], CellRef<'_>)> = Vec::with_capacity(elements.len());
            for (path, value) in elements {
                let cell = stamp.cell(value.as_deref());
                // Of two changes of one element in a statement the deletion wins, else the greater
                // value: they have one time.
                match cells.iter_mut().find(|(it, _)| *it == &**path) {
                    Some((_, found)) => {
                        let is_deleted = found.value().is_none();
                        if !is_deleted && (value.is_none() || bytes(found) < value.as_deref()) {
                            *found = cell;
                        }
                    }
                    None => cells.push((path, cell)),
                }
            }
            cells.sort_by_key(|(path, _)| *path);
            ColumnRef::Complex(ComplexRef {
                deletion: *deletion,
                elements: Elements::Inline(cells),
            })
        }
    }
}
