//! Cassandra's rules for which of two facts wins, as pure functions over values.
//!
//! Cassandra decides between two facts with chains of comparisons (`Cells.resolveRegular`,
//! `LivenessInfo.supersedes`, `DeletionTime.supersedes`, tag cassandra-5.0.2). Each chain is
//! a lexicographic order, so here every fact has a *rank*, and the fact with the greatest
//! rank wins. It follows that the order of writing cannot matter.
//!
//! Two cells of equal rank differ at most in the time to live they were asked for. Nobody
//! can see that: CQL's `TTL()` is computed from the time of expiry.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Expiry;

    /// Each pair: the winner first.
    fn cell_contests() -> Vec<(&'static str, Cell, Cell)> {
        vec![
            ("later write", Cell::live(2, "a"), Cell::live(1, "z")),
            (
                "later write over tombstone",
                Cell::live(2, "a"),
                Cell::tombstone(1, 99),
            ),
            (
                "later write, negative",
                Cell::live(-1, "a"),
                Cell::live(-2, "z"),
            ),
            (
                "later write, smallest",
                Cell::live(i64::MIN + 2, "a"),
                Cell::live(i64::MIN + 1, "z"),
            ),
            (
                "tombstone over live",
                Cell::tombstone(1, 0),
                Cell::live(1, "z"),
            ),
            (
                "tombstone over expiring",
                Cell::tombstone(1, 0),
                Cell::expiring(1, "z", 500, 9),
            ),
            (
                "expiring over live",
                Cell::expiring(1, "", 0, 1),
                Cell::live(1, "z"),
            ),
            (
                "later expiry",
                Cell::expiring(1, "a", 10, 5),
                Cell::expiring(1, "z", 10, 4),
            ),
            (
                "later deletion",
                Cell::tombstone(1, 11),
                Cell::tombstone(1, 10),
            ),
            ("greater value", Cell::live(1, "b"), Cell::live(1, "a")),
            (
                "greater value, unsigned",
                Cell::live(1, [0x80]),
                Cell::live(1, [0x7f]),
            ),
            (
                "greater value, longer",
                Cell::live(1, "aa"),
                Cell::live(1, "a"),
            ),
            (
                "greater value than none",
                Cell::live(1, "a"),
                Cell::live(1, ""),
            ),
            (
                "greater value, expiring",
                Cell::expiring(1, "b", 1, 5),
                Cell::expiring(1, "a", 1, 5),
            ),
        ]
    }

    #[test]
    fn cells_win_by_each_rule_in_either_order() {
        for (name, winner, loser) in cell_contests() {
            assert_eq!(winning_cell([&winner, &loser]), Some(&winner), "{name}");
            assert_eq!(
                winning_cell([&loser, &winner]),
                Some(&winner),
                "{name}, swapped"
            );
        }
    }

    #[test]
    fn the_asked_time_to_live_decides_nothing() {
        let short = Cell::expiring(1, "a", 95, 5);
        let long = Cell::expiring(1, "a", 0, 100);
        assert_eq!(cell_rank(&short), cell_rank(&long));
        assert_ne!(short, long);
    }

    #[test]
    fn liveness_wins_by_each_rule_in_either_order() {
        let lasting = |timestamp_micros| Liveness {
            timestamp_micros,
            expiry: None,
        };
        let expiring = |timestamp_micros, end: i64| {
            let expiry = Some(Expiry::after(end - 7, 7));
            Liveness {
                timestamp_micros,
                expiry,
            }
        };
        let contests = [
            ("later write", lasting(2), expiring(1, 99)),
            ("expiring over lasting", expiring(1, 5), lasting(1)),
            ("later expiry", expiring(1, 6), expiring(1, 5)),
        ];
        for (name, winner, loser) in contests {
            assert_eq!(winning_liveness([winner, loser]), Some(winner), "{name}");
            assert_eq!(
                winning_liveness([loser, winner]),
                Some(winner),
                "{name}, swapped"
            );
        }
    }

    #[test]
    fn deletions_shadow_their_own_time_and_supersede_by_rank() {
        let deletion = |timestamp_micros, deleted_at_seconds| Deletion {
            timestamp_micros,
            deleted_at_seconds,
        };
        assert!(shadows(Some(deletion(5, 0)), 5));
        assert!(shadows(Some(deletion(5, 0)), i64::MIN));
        assert!(!shadows(Some(deletion(5, 0)), 6));
        assert!(!shadows(None, i64::MIN));
        assert!(supersedes(deletion(6, 0), Some(deletion(5, 9))));
        assert!(supersedes(deletion(5, 2), Some(deletion(5, 1))));
        assert!(!supersedes(deletion(5, 1), Some(deletion(5, 1))));
        assert!(!supersedes(deletion(4, 9), Some(deletion(5, 1))));
        assert_eq!(
            winning_deletion([deletion(5, 9), deletion(6, 1), deletion(6, 0)]),
            Some(deletion(6, 1)),
        );
    }

    #[test]
    fn expiring_cells_are_live_before_their_end_only() {
        let cell = Cell::expiring(1, "a", 10, 5);
        assert_eq!(live_value(&cell, 14), Some(b"a".as_slice()));
        assert_eq!(live_value(&cell, 15), None);
        assert_eq!(live_value(&Cell::tombstone(1, 99), 0), None);
        assert_eq!(live_value(&Cell::live(1, ""), 99), Some(b"".as_slice()));
    }
}
