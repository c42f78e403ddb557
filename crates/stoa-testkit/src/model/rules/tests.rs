//! Each rule by which one fact wins over another.

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
