//! The smallest things that can be written: cells, liveness, deletions and intervals.
//!
//! All of them are plain data. Write times are microseconds and only compared; times of
//! deletion and of expiry are seconds and decide what is live and what may be purged.

/// A table, by number.
pub type TableId = u32;

/// A column of a table, by number.
pub type ColumnId = u32;

/// A deletion of a partition, a range, a row, a collection or a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// Shadows whatever has this write time or an older one.
    pub timestamp_micros: i64,
    /// When the deletion was made; it may be purged `gc_grace_seconds` later.
    pub deleted_at_seconds: i64,
}

/// When something written with a time to live ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// The time to live as it was asked for. No rule of the model looks at it.
    pub ttl_seconds: i32,
    /// Live while `now < expires_at_seconds`.
    pub expires_at_seconds: i64,
}

/// The mark an INSERT leaves, which shows the row even when all its columns are null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Liveness {
    /// The write time.
    pub timestamp_micros: i64,
    /// The end of the mark, if it was written with a time to live.
    pub expiry: Option<Expiry>,
}

/// One written value of a column, or of one element of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The write time.
    pub timestamp_micros: i64,
    /// What was written.
    pub state: CellState,
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellState {
    /// A value that stays.
    Live(Vec<u8>),
    /// A value that ends by itself.
    Expiring {
        /// The value.
        value: Vec<u8>,
        /// Its end.
        expiry: Expiry,
    },
    /// A deletion of this one cell.
    Tombstone {
        /// When the deletion was made.
        deleted_at_seconds: i64,
    },
}

impl Cell {
    /// A cell with a value that stays.
    pub fn live(timestamp_micros: i64, value: impl Into<Vec<u8>>) -> Self {
        Self {
            timestamp_micros,
            state: CellState::Live(value.into()),
        }
    }

    /// A cell with a value written at `now_seconds` to live for `ttl_seconds`.
    pub fn expiring(
        timestamp_micros: i64,
        value: impl Into<Vec<u8>>,
        now_seconds: i64,
        ttl_seconds: i32,
    ) -> Self {
        let expiry = Expiry::after(now_seconds, ttl_seconds);
        Self {
            timestamp_micros,
            state: CellState::Expiring {
                value: value.into(),
                expiry,
            },
        }
    }

    /// A deleted cell.
    pub fn tombstone(timestamp_micros: i64, deleted_at_seconds: i64) -> Self {
        Self {
            timestamp_micros,
            state: CellState::Tombstone { deleted_at_seconds },
        }
    }
}

impl Expiry {
    /// The end of what is written at `now_seconds` to live for `ttl_seconds`.
    pub fn after(now_seconds: i64, ttl_seconds: i32) -> Self {
        let expires_at_seconds = now_seconds.saturating_add(i64::from(ttl_seconds));
        Self {
            ttl_seconds,
            expires_at_seconds,
        }
    }
}

/// The clustering positions from `start` up to, but not including, `end`, compared bytewise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval {
    /// The first position inside.
    pub start: Vec<u8>,
    /// The first position outside again; `None` when there is none.
    pub end: Option<Vec<u8>>,
}

impl Interval {
    /// Every position there is.
    pub fn all() -> Self {
        Self {
            start: Vec::new(),
            end: None,
        }
    }

    /// The positions from `start` up to, but not including, `end`.
    pub fn new(start: impl Into<Vec<u8>>, end: impl Into<Vec<u8>>) -> Self {
        Self {
            start: start.into(),
            end: Some(end.into()),
        }
    }

    /// Whether a position lies inside.
    pub fn contains(&self, position: &[u8]) -> bool {
        self.start.as_slice() <= position && self.end.as_deref().is_none_or(|end| position < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_its_start_and_not_its_end() {
        let interval = Interval::new("b", "d");
        let inside: Vec<&str> = ["a", "b", "bz", "c", "d", "da"]
            .into_iter()
            .filter(|position| interval.contains(position.as_bytes()))
            .collect();
        assert_eq!(inside, ["b", "bz", "c"]);
        assert!(Interval::all().contains(b""));
        assert!(Interval::all().contains(&[0xff; 9]));
        assert!(!Interval::new("d", "b").contains(b"c"));
    }
}
