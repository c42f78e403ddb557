//! Cassandra's rules for which of two facts wins, as pure functions over values.
//!
//! Cassandra decides between two facts with chains of comparisons (`Cells.resolveRegular`,
//! `LivenessInfo.supersedes`, `DeletionTime.supersedes`, tag cassandra-5.0.2). Each chain is
//! a lexicographic order, so here every fact has a *rank*, and the fact with the greatest
//! rank wins. It follows that the order of writing cannot matter.
//!
//! Two cells of equal rank differ at most in the time to live they were asked for. Nobody
//! can see that: CQL's `TTL()` is computed from the time of expiry.

#[cfg(test)]
mod tests;

use crate::facts::{Cell, CellState, Deletion, Liveness};

/// The rank of a cell: write time; then tombstone over expiring over live (CASSANDRA-14592);
/// then the later end; then the greater value, bytewise.
pub fn cell_rank(cell: &Cell) -> (i64, u8, i64, &[u8]) {
    let (kind, end, value): (u8, i64, &[u8]) = match &cell.state {
        CellState::Live(value) => (0, 0, value),
        CellState::Expiring { value, expiry } => (1, expiry.expires_at_seconds, value),
        CellState::Tombstone { deleted_at_seconds } => (2, *deleted_at_seconds, &[]),
    };
    (cell.timestamp_micros, kind, end, value)
}

/// The rank of a row's liveness: write time; then expiring over lasting; then the later end.
pub fn liveness_rank(liveness: &Liveness) -> (i64, Option<i64>) {
    let end = liveness.expiry.map(|expiry| expiry.expires_at_seconds);
    (liveness.timestamp_micros, end)
}

/// The rank of a deletion: write time; then the later time of deletion.
pub fn deletion_rank(deletion: &Deletion) -> (i64, i64) {
    (deletion.timestamp_micros, deletion.deleted_at_seconds)
}

/// The cell that wins.
pub fn winning_cell<'cells>(cells: impl IntoIterator<Item = &'cells Cell>) -> Option<&'cells Cell> {
    cells
        .into_iter()
        .max_by(|left, right| cell_rank(left).cmp(&cell_rank(right)))
}

/// The liveness that wins.
pub fn winning_liveness(all: impl IntoIterator<Item = Liveness>) -> Option<Liveness> {
    all.into_iter().max_by_key(liveness_rank)
}

/// The deletion that wins.
pub fn winning_deletion(all: impl IntoIterator<Item = Deletion>) -> Option<Deletion> {
    all.into_iter().max_by_key(deletion_rank)
}

/// Whether a deletion hides what was written at a time: its own time and all before it.
pub fn shadows(deletion: Option<Deletion>, timestamp_micros: i64) -> bool {
    deletion.is_some_and(|deletion| timestamp_micros <= deletion.timestamp_micros)
}

/// Whether `inner` still says something that `outer`, which covers it, does not say.
pub fn supersedes(inner: Deletion, outer: Option<Deletion>) -> bool {
    outer.is_none_or(|outer| deletion_rank(&inner) > deletion_rank(&outer))
}

/// The value of a cell, if it is live at a time.
pub fn live_value(cell: &Cell, now_seconds: i64) -> Option<&[u8]> {
    match &cell.state {
        CellState::Live(value) => Some(value),
        CellState::Expiring { value, expiry } if now_seconds < expiry.expires_at_seconds => {
            Some(value)
        }
        CellState::Expiring { .. } | CellState::Tombstone { .. } => None,
    }
}

/// Whether a liveness is live at a time.
pub fn is_live(liveness: &Liveness, now_seconds: i64) -> bool {
    liveness
        .expiry
        .is_none_or(|expiry| now_seconds < expiry.expires_at_seconds)
}

/// From when on a cell is gone: its deletion or its expiry. `None` for a value that stays.
pub fn cell_end_seconds(cell: &Cell) -> Option<i64> {
    match &cell.state {
        CellState::Live(_) => None,
        CellState::Expiring { expiry, .. } => Some(expiry.expires_at_seconds),
        CellState::Tombstone { deleted_at_seconds } => Some(*deleted_at_seconds),
    }
}
