//! What may be forgotten of a row: deletions and expired values past their grace.
//!
//! A deletion is kept for the table's `gc_grace_seconds` even on one machine, because a write with
//! an older client timestamp may still arrive and must stay shadowed. After that it is dropped.
//! `gc_before` is now minus the grace; what was deleted, or expired, strictly before it goes.
//!
//! Invariants:
//! 1. Purging changes nothing that is visible at the time of purging.
//! 2. A row with spilled parts is left alone here: its other keys must go in the same commit,
//!    which only the janitor can do.

use crate::cell::{
    CellRef, CellState, ColumnRef, CounterState, Deletion, Elements, Liveness, RowRef, ValueRef,
};

/// The row without what may be forgotten; `None` when there is nothing to forget.
#[must_use]
pub fn purge<'a>(row: &RowRef<'a>, gc_before: i64) -> Option<RowRef<'a>> {
    if !has_purgeable(row, gc_before) {
        return None;
    }
    let columns = row
        .columns
        .iter()
        .filter_map(|(id, column)| purge_column(column, gc_before).map(|c| (*id, c)))
        .collect();
    Some(RowRef {
        original_clustering: row.original_clustering,
        liveness: row.liveness.filter(|it| !liveness_is_past(it, gc_before)),
        deletion: row.deletion.filter(|it| !deletion_is_past(it, gc_before)),
        columns,
    })
}

/// Whether any part of the row lives under another key.
#[must_use]
pub fn has_spilled(row: &RowRef<'_>) -> bool {
    let is_spilled = |cell: &CellRef<'_>| matches!(cell.value(), Some(ValueRef::Spilled { .. }));
    row.columns.iter().any(|(_, column)| match column {
        ColumnRef::Cell(cell) => is_spilled(cell),
        ColumnRef::Counter(_) => false,
        ColumnRef::Complex(complex) => match &complex.elements {
            Elements::Spilled => true,
            Elements::Inline(elements) => elements.iter().any(|(_, cell)| is_spilled(cell)),
        },
    })
}

/// Whether a cell is a deletion or an expired value past its grace.
#[must_use]
pub fn cell_is_past(cell: &CellRef<'_>, gc_before: i64) -> bool {
    match cell.state {
        CellState::Live(_) => false,
        CellState::Expiring(_, expiry) => expiry.expires_at < gc_before,
        CellState::Tombstone { deleted_at } => deleted_at < gc_before,
    }
}

/// Whether a deletion is past its grace.
#[must_use]
pub fn deletion_is_past(deletion: &Deletion, gc_before: i64) -> bool {
    deletion.deleted_at < gc_before
}

/// The earliest second that decides when something of the row may be forgotten.
#[must_use]
pub fn earliest_end(row: &RowRef<'_>) -> Option<i64> {
    let liveness = row
        .liveness
        .and_then(|it| it.expiry)
        .map(|it| it.expires_at);
    let deletion = row.deletion.map(|it| it.deleted_at);
    let columns = row.columns.iter().filter_map(|(_, column)| match column {
        ColumnRef::Cell(cell) => cell_end(cell),
        ColumnRef::Counter(counter) => match counter.state {
            CounterState::Tombstone { deleted_at } => Some(deleted_at),
            CounterState::Total(_) | CounterState::Add(_) => None,
        },
        ColumnRef::Complex(complex) => {
            let elements = match &complex.elements {
                Elements::Inline(elements) => {
                    elements.iter().filter_map(|(_, cell)| cell_end(cell)).min()
                }
                Elements::Spilled => None,
            };
            complex
                .deletion
                .map(|it| it.deleted_at)
                .into_iter()
                .chain(elements)
                .min()
        }
    });
    columns.chain(liveness).chain(deletion).min()
}

/// The second that decides when a cell may be forgotten, if it ends at all.
#[must_use]
pub fn cell_end(cell: &CellRef<'_>) -> Option<i64> {
    match cell.state {
        CellState::Live(_) => None,
        CellState::Expiring(_, expiry) => Some(expiry.expires_at),
        CellState::Tombstone { deleted_at } => Some(deleted_at),
    }
}

fn has_purgeable(row: &RowRef<'_>, gc_before: i64) -> bool {
    earliest_end(row).is_some_and(|end| end < gc_before)
}

fn liveness_is_past(liveness: &Liveness, gc_before: i64) -> bool {
    liveness
        .expiry
        .is_some_and(|expiry| expiry.expires_at < gc_before)
}

fn purge_column<'a>(column: &ColumnRef<'a>, gc_before: i64) -> Option<ColumnRef<'a>> {
    match column {
        ColumnRef::Cell(cell) => (!cell_is_past(cell, gc_before)).then_some(ColumnRef::Cell(*cell)),
        ColumnRef::Counter(counter) => match counter.state {
            CounterState::Tombstone { deleted_at } if deleted_at < gc_before => None,
            _ => Some(ColumnRef::Counter(*counter)),
        },
        ColumnRef::Complex(complex) => {
            let mut kept = complex.clone();
            kept.deletion = kept.deletion.filter(|it| !deletion_is_past(it, gc_before));
            if let Elements::Inline(elements) = &mut kept.elements {
                elements.retain(|(_, cell)| !cell_is_past(cell, gc_before));
                if elements.is_empty() && kept.deletion.is_none() {
                    return None;
                }
            }
            Some(ColumnRef::Complex(kept))
        }
    }
}
