//! What a row is made of: deletions, liveness, cells, counters, elements of collections.
//!
//! All types borrow from the bytes they were read from (`'a`), so that merging two rows copies
//! nothing until the result is written. Times come in two units, as in Cassandra: *timestamps*
//! are the client's microseconds and decide who wins; *seconds* are the server's clock and decide
//! when something expires or may be forgotten.

/// A column of a table. Ids are never reused: a column dropped and added again has a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnId(pub u32);

/// Everything written at `timestamp` or before is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deletion {
    /// The client's microseconds: what it deletes.
    pub timestamp: i64,
    /// The server's seconds when it was written: what decides when it may be forgotten.
    pub deleted_at: i64,
}

impl Deletion {
    /// Whether it deletes what was written at `timestamp`.
    #[must_use]
    #[inline]
    pub fn covers(self, timestamp: i64) -> bool {
        timestamp <= self.timestamp
    }
}

/// Whether an optional deletion deletes what was written at `timestamp`.
#[must_use]
#[inline]
pub fn is_covered(shadow: Option<Deletion>, timestamp: i64) -> bool {
    shadow.is_some_and(|deletion| deletion.covers(timestamp))
}

/// When something written with a TTL ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Expiry {
    /// The TTL it was written with, in seconds; more than zero.
    pub ttl_seconds: i32,
    /// The second from which on it is gone.
    pub expires_at: i64,
}

impl Expiry {
    /// Whether it is over at `now` (seconds).
    #[must_use]
    #[inline]
    pub fn is_over(self, now: i64) -> bool {
        now >= self.expires_at
    }
}

/// The mark an INSERT leaves: the row exists even without cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Liveness {
    /// The client's microseconds.
    pub timestamp: i64,
    /// Set when written with a TTL.
    pub expiry: Option<Expiry>,
}

/// The bytes of a cell, or where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueRef<'a> {
    /// The bytes themselves.
    Inline(&'a [u8]),
    /// The bytes have a key of their own; only their length and hash are here.
    Spilled {
        /// Length of the value in bytes.
        length: u32,
        /// XXH3-64 of the value.
        hash: u64,
    },
}

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellState<'a> {
    /// A value for good.
    Live(ValueRef<'a>),
    /// A value with a TTL.
    Expiring(ValueRef<'a>, Expiry),
    /// A deletion of this cell, written at this second of the server's clock.
    Tombstone {
        /// The server's seconds when it was written.
        deleted_at: i64,
    },
}

/// One version of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CellRef<'a> {
    /// The client's microseconds.
    pub timestamp: i64,
    /// Value, expiring value or deletion.
    pub state: CellState<'a>,
}

impl<'a> CellRef<'a> {
    /// The value if the cell is live at `now` (seconds).
    #[must_use]
    #[inline]
    pub fn live_value(&self, now: i64) -> Option<ValueRef<'a>> {
        match self.state {
            CellState::Live(value) => Some(value),
            CellState::Expiring(value, expiry) if !expiry.is_over(now) => Some(value),
            CellState::Expiring(..) | CellState::Tombstone { .. } => None,
        }
    }

    /// The expiry, if it was written with a TTL.
    #[must_use]
    pub fn expiry(&self) -> Option<Expiry> {
        match self.state {
            CellState::Expiring(_, expiry) => Some(expiry),
            CellState::Live(_) | CellState::Tombstone { .. } => None,
        }
    }

    /// The stored value, live or not.
    #[must_use]
    pub fn value(&self) -> Option<ValueRef<'a>> {
        match self.state {
            CellState::Live(value) | CellState::Expiring(value, _) => Some(value),
            CellState::Tombstone { .. } => None,
        }
    }

    /// The same cell with its value elsewhere or here.
    #[must_use]
    pub fn with_value<'b>(&self, value: ValueRef<'b>) -> CellRef<'b> {
        let state = match self.state {
            CellState::Live(_) => CellState::Live(value),
            CellState::Expiring(_, expiry) => CellState::Expiring(value, expiry),
            CellState::Tombstone { deleted_at } => CellState::Tombstone { deleted_at },
        };
        CellRef {
            timestamp: self.timestamp,
            state,
        }
    }
}

/// A counter column of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CounterState {
    /// The sum so far.
    Total(i64),
    /// Only in updates: add this to the total.
    Add(i64),
    /// The column was deleted at this second of the server's clock.
    Tombstone {
        /// The server's seconds when it was written.
        deleted_at: i64,
    },
}

/// One counter and the time of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Counter {
    /// Microseconds of the last change.
    pub timestamp: i64,
    /// Total, change or deletion.
    pub state: CounterState,
}

/// The elements of a collection or the fields of a user type, each a cell with a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elements<'a> {
    /// In the row itself, sorted by path.
    Inline(Vec<(&'a [u8], CellRef<'a>)>),
    /// Each under a key of its own.
    Spilled,
}

/// A column whose elements live and die on their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComplexRef<'a> {
    /// Deletes every element written at its timestamp or before.
    pub deletion: Option<Deletion>,
    /// The elements.
    pub elements: Elements<'a>,
}

/// One column of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnRef<'a> {
    /// A single cell.
    Cell(CellRef<'a>),
    /// A counter.
    Counter(Counter),
    /// A collection or user type with cells of its own.
    Complex(ComplexRef<'a>),
}

/// One row, as stored or as an update: the two have the same form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowRef<'a> {
    /// The clustering values as first written, where the key cannot give the same bytes back.
    pub original_clustering: Option<&'a [u8]>,
    /// The mark of an INSERT.
    pub liveness: Option<Liveness>,
    /// A deletion of the whole row.
    pub deletion: Option<Deletion>,
    /// The columns, sorted by id.
    pub columns: Vec<(ColumnId, ColumnRef<'a>)>,
}

impl RowRef<'_> {
    /// True when nothing at all is left of the row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.liveness.is_none() && self.deletion.is_none() && self.columns.is_empty()
    }
}
