//! A stored row and an update become one row.
//!
//! The rules are those of [`crate::reconcile`], applied column by column under the deletions that
//! cover the row. What a deletion covers is left out of the result at once: a packed row never
//! holds what it shadows itself.
//!
//! Invariants:
//! 1. `merge` of rows without counters is commutative, associative and idempotent.
//! 2. The result borrows from its arguments; nothing is copied.
//! 3. The clock is not asked: an expired cell takes part like any other until it is purged.

use std::cmp::Ordering;

use crate::cell::{
    CellRef, ColumnId, ColumnRef, ComplexRef, Counter, CounterState, Deletion, Elements, RowRef,
    ValueRef, is_covered,
};
use crate::error::StoreError;
use crate::reconcile::{self, Winner};

/// Fetches values that are stored under keys of their own, for the rare tie that needs them.
pub trait SpilledValues {
    /// Compares the spilled value of a cell with `other`, byte by byte, unsigned.
    fn compare(&self, column: ColumnId, other: &[u8]) -> Result<Ordering, StoreError>;
}

/// Merges `update` into `stored` under `shadow`, the deletion of the partition or of a range.
///
/// Elements of an update to a spilled column must have been taken out by the caller.
pub fn merge<'a>(
    stored: RowRef<'a>,
    update: RowRef<'a>,
    shadow: Option<Deletion>,
    spilled: &dyn SpilledValues,
) -> Result<RowRef<'a>, StoreError> {
    let deletion = reconcile::deletions(stored.deletion, update.deletion);
    let shadow = reconcile::deletions(deletion, shadow);
    let alive = |liveness: &crate::cell::Liveness| !is_covered(shadow, liveness.timestamp);
    let mut columns = Vec::with_capacity(stored.columns.len().max(update.columns.len()));
    let mut stored_columns = stored.columns.into_iter().peekable();
    let mut update_columns = update.columns.into_iter().peekable();
    loop {
        let order = match (stored_columns.peek(), update_columns.peek()) {
            (Some((a, _)), Some((b, _))) => a.cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        let left = if order.is_le() {
            stored_columns.next()
        } else {
            None
        };
        let right = if order.is_ge() {
            update_columns.next()
        } else {
            None
        };
        let merged = match (left, right) {
            (Some((id, a)), Some((_, b))) => both(id, a, b, shadow, spilled)?.map(|c| (id, c)),
            (Some((id, one)), None) | (None, Some((id, one))) => {
                uncovered(one, shadow).map(|c| (id, c))
            }
            (None, None) => None,
        };
        columns.extend(merged);
    }
    Ok(RowRef {
        original_clustering: stored.original_clustering.or(update.original_clustering),
        liveness: reconcile::liveness(stored.liveness.filter(alive), update.liveness.filter(alive)),
        // A deletion that the shadow outdoes has nothing left to say.
        deletion: deletion.filter(|own| Some(*own) >= shadow),
        columns,
    })
}

/// The row as it stands under `shadow`: what the deletion covers is left out.
#[must_use]
pub fn apply_shadow<'a>(row: RowRef<'a>, shadow: Option<Deletion>) -> RowRef<'a> {
    let shadow = reconcile::deletions(row.deletion, shadow);
    RowRef {
        original_clustering: row.original_clustering,
        liveness: row
            .liveness
            .filter(|liveness| !is_covered(shadow, liveness.timestamp)),
        deletion: row.deletion.filter(|own| Some(*own) >= shadow),
        columns: row
            .columns
            .into_iter()
            .filter_map(|(id, column)| uncovered(column, shadow).map(|c| (id, c)))
            .collect(),
    }
}

fn both<'a>(
    id: ColumnId,
    stored: ColumnRef<'a>,
    update: ColumnRef<'a>,
    shadow: Option<Deletion>,
    spilled: &dyn SpilledValues,
) -> Result<Option<ColumnRef<'a>>, StoreError> {
    match (stored, update) {
        (ColumnRef::Cell(a), ColumnRef::Cell(b)) => {
            Ok(both_cells(id, a, b, shadow, spilled)?.map(ColumnRef::Cell))
        }
        (ColumnRef::Counter(a), ColumnRef::Counter(b)) => {
            let a = Some(a).filter(|it| !is_covered(shadow, it.timestamp));
            let b = Some(b).filter(|it| !is_covered(shadow, it.timestamp));
            Ok(match (a, b) {
                (Some(a), Some(b)) => Some(ColumnRef::Counter(reconcile::counters(a, b))),
                (one, other) => one.or(other).map(settled),
            })
        }
        (ColumnRef::Complex(a), ColumnRef::Complex(b)) => {
            Ok(both_complex(id, a, b, shadow, spilled)?.map(ColumnRef::Complex))
        }
        _ => Err(StoreError::ColumnKind { column: id }),
    }
}

fn both_cells<'a>(
    id: ColumnId,
    stored: CellRef<'a>,
    update: CellRef<'a>,
    shadow: Option<Deletion>,
    spilled: &dyn SpilledValues,
) -> Result<Option<CellRef<'a>>, StoreError> {
    let stored_covered = is_covered(shadow, stored.timestamp);
    let update_covered = is_covered(shadow, update.timestamp);
    match (stored_covered, update_covered) {
        (true, true) => Ok(None),
        (true, false) => Ok(Some(update)),
        (false, true) => Ok(Some(stored)),
        (false, false) => winner(id, stored, update, spilled).map(Some),
    }
}

/// The winner of two cells, looking at their values only if nothing else decides.
pub fn winner<'a>(
    id: ColumnId,
    stored: CellRef<'a>,
    update: CellRef<'a>,
    spilled: &dyn SpilledValues,
) -> Result<CellRef<'a>, StoreError> {
    let winner = match reconcile::cells(&stored, &update) {
        Winner::GreaterValue => match (stored.value(), update.value()) {
            (Some(ValueRef::Inline(a)), Some(ValueRef::Inline(b))) => a.cmp(b).into(),
            (Some(ValueRef::Spilled { .. }), Some(ValueRef::Inline(b))) => {
                spilled.compare(id, b)?.into()
            }
            // An update's values are never spilled; what is left has no value to compare.
            _ => Winner::Left,
        },
        decided => decided,
    };
    Ok(if winner == Winner::Right {
        update
    } else {
        stored
    })
}

fn both_complex<'a>(
    id: ColumnId,
    stored: ComplexRef<'a>,
    update: ComplexRef<'a>,
    shadow: Option<Deletion>,
    spilled: &dyn SpilledValues,
) -> Result<Option<ComplexRef<'a>>, StoreError> {
    let deletion = reconcile::deletions(stored.deletion, update.deletion);
    let inner_shadow = reconcile::deletions(deletion, shadow);
    let elements = match (stored.elements, update.elements) {
        (Elements::Inline(a), Elements::Inline(b)) => {
            Elements::Inline(both_elements(id, a, b, inner_shadow, spilled)?)
        }
        _ => Elements::Spilled,
    };
    Ok(not_void(ComplexRef {
        deletion: deletion.filter(|own| Some(*own) > shadow),
        elements,
    }))
}

fn both_elements<'a>(
    id: ColumnId,
    stored: Vec<(&'a [u8], CellRef<'a>)>,
    update: Vec<(&'a [u8], CellRef<'a>)>,
    shadow: Option<Deletion>,
    spilled: &dyn SpilledValues,
) -> Result<Vec<(&'a [u8], CellRef<'a>)>, StoreError> {
    let mut out = Vec::with_capacity(stored.len() + update.len());
    let mut stored = stored.into_iter().peekable();
    let mut update = update.into_iter().peekable();
    loop {
        let order = match (stored.peek(), update.peek()) {
            (Some((a, _)), Some((b, _))) => a.cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return Ok(out),
        };
        let left = if order.is_le() { stored.next() } else { None };
        let right = if order.is_ge() { update.next() } else { None };
        match (left, right) {
            (Some((path, a)), Some((_, b))) => {
                let cell = both_cells(id, a, b, shadow, spilled)?;
                out.extend(cell.map(|cell| (path, cell)));
            }
            (Some((path, cell)), None) | (None, Some((path, cell))) => {
                if !is_covered(shadow, cell.timestamp) {
                    out.push((path, cell));
                }
            }
            (None, None) => {}
        }
    }
}

fn uncovered<'a>(column: ColumnRef<'a>, shadow: Option<Deletion>) -> Option<ColumnRef<'a>> {
    match column {
        ColumnRef::Cell(cell) => {
            (!is_covered(shadow, cell.timestamp)).then_some(ColumnRef::Cell(cell))
        }
        ColumnRef::Counter(counter) => {
            (!is_covered(shadow, counter.timestamp)).then(|| settled(counter))
        }
        ColumnRef::Complex(complex) => {
            let inner = reconcile::deletions(complex.deletion, shadow);
            let elements = match complex.elements {
                Elements::Spilled => Elements::Spilled,
                Elements::Inline(mut elements) => {
                    elements.retain(|(_, cell)| !is_covered(inner, cell.timestamp));
                    Elements::Inline(elements)
                }
            };
            let deletion = complex.deletion.filter(|own| Some(*own) > shadow);
            not_void(ComplexRef { deletion, elements }).map(ColumnRef::Complex)
        }
    }
}

/// A change to a counter that has no total yet is its total.
fn settled<'a>(counter: Counter) -> ColumnRef<'a> {
    let state = match counter.state {
        CounterState::Add(delta) => CounterState::Total(delta),
        other => other,
    };
    ColumnRef::Counter(Counter { state, ..counter })
}

fn not_void(complex: ComplexRef<'_>) -> Option<ComplexRef<'_>> {
    let void = complex.deletion.is_none()
        && matches!(&complex.elements, Elements::Inline(elements) if elements.is_empty());
    (!void).then_some(complex)
}
