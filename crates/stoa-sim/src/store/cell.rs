//! A cell, and which of two wins.
//!
//! Invariants:
//! 1. [`Cell::beats`] is a total order up to equality, so the order of writing cannot matter.

use std::sync::Arc;

/// Bytes that are shared between replicas.
pub(crate) type Bytes = Arc<[u8]>;

/// A write time before every other: nothing was written.
pub(crate) const NEVER: i64 = i64::MIN;

/// A value or its absence, written at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    /// Microseconds.
    pub(crate) timestamp: i64,
    /// The value; `None` for a tombstone.
    pub(crate) value: Option<Bytes>,
    /// From when on it is gone, in seconds; `None` if it stays.
    pub(crate) expires_at: Option<i64>,
}

impl Cell {
    /// A deletion of whatever was there.
    pub(crate) fn tombstone(timestamp: i64) -> Self {
        Self {
            timestamp,
            value: None,
            expires_at: None,
        }
    }

    /// Whether this one stays when both are known (`Cells.resolveRegular`): the later write; then
    /// a tombstone over an expiring over a lasting value; then the later end; then the greater
    /// value, bytewise.
    pub(crate) fn beats(&self, other: &Self) -> bool {
        self.rank() > other.rank()
    }

    fn rank(&self) -> (i64, u8, Option<i64>, Option<&[u8]>) {
        let kind = match (&self.value, self.expires_at) {
            (None, _) => 2,
            (Some(_), Some(_)) => 1,
            (Some(_), None) => 0,
        };
        (self.timestamp, kind, self.expires_at, self.value.as_deref())
    }

    /// The value at a moment, if nothing hides it.
    pub(crate) fn live(&self, shadow: i64, now_seconds: i64) -> Option<&Bytes> {
        let is_hidden = self.timestamp <= shadow;
        let is_over = self.expires_at.is_some_and(|end| end <= now_seconds);
        self.value.as_ref().filter(|_| !is_hidden && !is_over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(timestamp: i64, value: Option<&str>, expires_at: Option<i64>) -> Cell {
        Cell {
            timestamp,
            value: value.map(|text| Arc::from(text.as_bytes())),
            expires_at,
        }
    }

    #[test]
    fn the_later_then_the_deleted_then_the_expiring_then_the_greater_wins() {
        let rising = [
            cell(1, None, None),
            cell(2, Some("a"), None),
            cell(2, Some("ab"), None),
            cell(2, Some("b"), None),
            cell(2, Some("a"), Some(7)),
            cell(2, Some("a"), Some(8)),
            cell(2, None, None),
            cell(3, Some("a"), None),
        ];
        for (index, left) in rising.iter().enumerate() {
            for (other, right) in rising.iter().enumerate() {
                assert_eq!(left.beats(right), index > other, "{left:?} {right:?}");
            }
        }
    }

    #[test]
    fn a_deletion_shadows_equal_timestamps_and_the_end_is_excluded() {
        let lasting = cell(5, Some("a"), None);
        assert!(lasting.live(4, 0).is_some());
        assert!(lasting.live(5, 0).is_none());
        let expiring = cell(5, Some("a"), Some(10));
        assert!(expiring.live(NEVER, 9).is_some());
        assert!(expiring.live(NEVER, 10).is_none());
    }
}
