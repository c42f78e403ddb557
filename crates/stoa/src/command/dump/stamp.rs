//! When a cell was written and when it ends: what cells have to share to be written by one
//! statement.

/// When a cell was written and when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp {
    /// Its timestamp.
    pub(super) micros: i64,
    /// The second of the wall clock at which it is gone.
    pub(super) expires: Option<i64>,
}

/// How stamps are written in the statements of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Using {
    /// The second from which TTLs count.
    pub(super) base: i64,
    /// Whether the table gives a TTL to what is written without one.
    pub(super) has_default_ttl: bool,
}

impl Using {
    /// What stands after `USING`.
    pub(super) fn text(self, stamp: Stamp) -> String {
        let micros = stamp.micros;
        match stamp.expires {
            Some(second) => format!(
                "TIMESTAMP {micros} AND TTL {}",
                second.saturating_sub(self.base)
            ),
            // Without it, the cell would get the table's own.
            None if self.has_default_ttl => format!("TIMESTAMP {micros} AND TTL 0"),
            None => format!("TIMESTAMP {micros}"),
        }
    }

    /// Whether a cell is gone at the second from which TTLs count.
    pub(super) fn is_gone(self, stamp: Stamp) -> bool {
        stamp.expires.is_some_and(|second| second <= self.base)
    }
}
