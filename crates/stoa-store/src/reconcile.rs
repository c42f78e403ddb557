//! Which of two versions wins: Cassandra's rules, pure functions of the two.
//!
//! 1. Cells: the larger timestamp; then what expires or is deleted over what stays; then a
//!    deletion over an expiring value; then the later second of expiry or deletion; then the
//!    greater value bytes, unsigned. The clock is never asked, so the winner does not depend on
//!    when the two meet.
//! 2. Liveness: the larger timestamp; then expiring over lasting; then the later expiry.
//! 3. Deletions: the larger timestamp; then the later second.
//! 4. Counters: a deletion of the column wins over every count, whatever the timestamps; two
//!    deletions follow rule 1.
//!
//! Every rule is commutative, associative and idempotent (tested), except that adding to a counter is
//! an addition.

use std::cmp::Ordering;

use crate::cell::{CellRef, CellState, Counter, CounterState, Deletion, Liveness};

/// The side that wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Winner {
    /// The first argument; also when the two are the same.
    Left,
    /// The second argument.
    Right,
    /// All but the values is equal: the greater value wins, and the caller compares them.
    GreaterValue,
}

impl From<Ordering> for Winner {
    fn from(ordering: Ordering) -> Self {
        if ordering == Ordering::Less {
            Self::Right
        } else {
            Self::Left
        }
    }
}

/// Rule 1: which of two cells of one column (and path) wins.
#[must_use]
#[inline]
pub fn cells(left: &CellRef<'_>, right: &CellRef<'_>) -> Winner {
    let by_all_but_value = left
        .timestamp
        .cmp(&right.timestamp)
        .then_with(|| rank(&left.state).cmp(&rank(&right.state)))
        .then_with(|| ends_at(&left.state).cmp(&ends_at(&right.state)));
    match by_all_but_value {
        Ordering::Greater => Winner::Left,
        Ordering::Less => Winner::Right,
        Ordering::Equal if matches!(left.state, CellState::Tombstone { .. }) => Winner::Left,
        Ordering::Equal => Winner::GreaterValue,
    }
}

/// Rule 2: the liveness that wins.
#[must_use]
#[inline]
pub fn liveness(left: Option<Liveness>, right: Option<Liveness>) -> Option<Liveness> {
    let key = |it: &Liveness| {
        (
            it.timestamp,
            it.expiry.is_some(),
            it.expiry.map(|e| e.expires_at),
        )
    };
    match (left, right) {
        (Some(a), Some(b)) => Some(if key(&b) > key(&a) { b } else { a }),
        (one, other) => one.or(other),
    }
}

/// Rule 3: the deletion that wins.
#[must_use]
#[inline]
pub fn deletions(left: Option<Deletion>, right: Option<Deletion>) -> Option<Deletion> {
    // The derived order of `Deletion` is rule 3, and nothing is less than something.
    left.max(right)
}

/// Rule 4: a stored counter after an update.
#[must_use]
pub fn counters(stored: Counter, update: Counter) -> Counter {
    use CounterState::{Add, Tombstone, Total};
    match (stored.state, update.state) {
        (Tombstone { deleted_at: a }, Tombstone { deleted_at: b }) => {
            if (update.timestamp, b) > (stored.timestamp, a) {
                update
            } else {
                stored
            }
        }
        (Tombstone { .. }, _) => stored,
        (_, Tombstone { .. }) => update,
        (Add(a), Add(b)) => merged(stored, update, Add(a.wrapping_add(b))),
        (Total(a), Add(b)) | (Add(a), Total(b)) => merged(stored, update, Total(a.wrapping_add(b))),
        // Two totals meet only when a backup is loaded over data: the later one stands.
        (Total(a), Total(b)) => {
            if (update.timestamp, b) > (stored.timestamp, a) {
                update
            } else {
                stored
            }
        }
    }
}

fn merged(left: Counter, right: Counter, state: CounterState) -> Counter {
    Counter {
        timestamp: left.timestamp.max(right.timestamp),
        state,
    }
}

fn rank(state: &CellState<'_>) -> u8 {
    match state {
        CellState::Live(_) => 0,
        CellState::Expiring(..) => 1,
        CellState::Tombstone { .. } => 2,
    }
}

fn ends_at(state: &CellState<'_>) -> i64 {
    match state {
        CellState::Live(_) => i64::MAX,
        CellState::Expiring(_, expiry) => expiry.expires_at,
        CellState::Tombstone { deleted_at } => *deleted_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Expiry, ValueRef};

    fn live(timestamp: i64, value: &[u8]) -> CellRef<'_> {
        CellRef {
            timestamp,
            state: CellState::Live(ValueRef::Inline(value)),
        }
    }

    fn expiring(timestamp: i64, expires_at: i64, value: &[u8]) -> CellRef<'_> {
        let expiry = Expiry {
            ttl_seconds: 10,
            expires_at,
        };
        CellRef {
            timestamp,
            state: CellState::Expiring(ValueRef::Inline(value), expiry),
        }
    }

    fn deleted(timestamp: i64, deleted_at: i64) -> CellRef<'static> {
        CellRef {
            timestamp,
            state: CellState::Tombstone { deleted_at },
        }
    }

    #[test]
    fn cells_follow_the_five_steps() {
        let in_order = [
            live(1, b"z"),
            expiring(1, 100, b"z"),
            expiring(1, 101, b"a"),
            deleted(1, 5),
            deleted(1, 6),
            live(2, b"a"),
            expiring(2, 3, b""),
            deleted(2, 0),
        ];
        for (i, lesser) in in_order.iter().enumerate() {
            assert_ne!(cells(lesser, lesser), Winner::Right);
            for greater in in_order.iter().skip(i + 1) {
                assert_eq!(
                    cells(lesser, greater),
                    Winner::Right,
                    "{lesser:?} {greater:?}"
                );
                assert_eq!(
                    cells(greater, lesser),
                    Winner::Left,
                    "{lesser:?} {greater:?}"
                );
            }
        }
        assert_eq!(cells(&live(1, b"a"), &live(1, b"b")), Winner::GreaterValue);
        assert_eq!(
            cells(&expiring(1, 9, b"a"), &expiring(1, 9, b"b")),
            Winner::GreaterValue
        );
    }

    #[test]
    fn liveness_prefers_expiring_then_later() {
        let lasting = |timestamp| {
            Some(Liveness {
                timestamp,
                expiry: None,
            })
        };
        let until = |timestamp, expires_at| {
            Some(Liveness {
                timestamp,
                expiry: Some(Expiry {
                    ttl_seconds: 1,
                    expires_at,
                }),
            })
        };
        let in_order = [None, lasting(1), until(1, 5), until(1, 6), lasting(2)];
        for (i, lesser) in in_order.iter().enumerate() {
            for greater in in_order.iter().skip(i) {
                assert_eq!(liveness(*lesser, *greater), *greater);
                assert_eq!(liveness(*greater, *lesser), *greater);
            }
        }
    }

    #[test]
    fn a_deleted_counter_stays_deleted() {
        let total = Counter {
            timestamp: 50,
            state: CounterState::Total(7),
        };
        let gone = Counter {
            timestamp: 1,
            state: CounterState::Tombstone { deleted_at: 3 },
        };
        let more = Counter {
            timestamp: 60,
            state: CounterState::Add(2),
        };
        assert_eq!(counters(total, gone), gone);
        assert_eq!(counters(gone, more), gone);
        assert_eq!(
            counters(total, more),
            Counter {
                timestamp: 60,
                state: CounterState::Total(9)
            }
        );
    }
}
