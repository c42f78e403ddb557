//! Cell timestamps: when a write happened, as far as reconciliation is concerned.
//!
//! A write time is a count of microseconds since 1970 that the client or the server chose; of two
//! writes to one cell the one with the greater write time wins.
//!
//! Invariants:
//! 1. `i64::MIN` is not a write time. Cassandra uses it for "no timestamp", and so do we, in
//!    [`WriteTime::NONE`]; it compares below every real write time.
//! 2. Write times from one [`RisingMicros`] rise strictly.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::clock::Clock;

/// A cell's timestamp in microseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteTime(i64);

impl WriteTime {
    /// No timestamp at all; below every write time.
    pub const NONE: Self = Self(i64::MIN);
    /// The least write time a client may choose.
    pub const LEAST: Self = Self(i64::MIN + 1);
    /// The greatest write time.
    pub const GREATEST: Self = Self(i64::MAX);

    /// The write time of a client's `USING TIMESTAMP`, or `None` for the reserved `i64::MIN`.
    #[must_use]
    pub fn from_micros(micros: i64) -> Option<Self> {
        (micros != i64::MIN).then_some(Self(micros))
    }

    /// Reads back what [`WriteTime::as_micros`] gave, with `i64::MIN` as [`WriteTime::NONE`].
    #[must_use]
    pub fn from_stored(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since 1970; `i64::MIN` for [`WriteTime::NONE`].
    #[must_use]
    pub fn as_micros(self) -> i64 {
        self.0
    }

    /// Whether there is no timestamp.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Eight bytes that sort as write times rise.
    #[must_use]
    pub fn to_rising_bytes(self) -> [u8; 8] {
        (self.0.cast_unsigned() ^ (1 << 63)).to_be_bytes()
    }

    /// Eight bytes that sort as write times fall, so that a scan meets the newest first.
    #[must_use]
    pub fn to_falling_bytes(self) -> [u8; 8] {
        self.to_rising_bytes().map(|byte| !byte)
    }

    /// The inverse of [`WriteTime::to_rising_bytes`].
    #[must_use]
    pub fn from_rising_bytes(bytes: [u8; 8]) -> Self {
        Self((u64::from_be_bytes(bytes) ^ (1 << 63)).cast_signed())
    }

    /// The inverse of [`WriteTime::to_falling_bytes`].
    #[must_use]
    pub fn from_falling_bytes(bytes: [u8; 8]) -> Self {
        Self::from_rising_bytes(bytes.map(|byte| !byte))
    }
}

impl fmt::Display for WriteTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            f.write_str("none")
        } else {
            self.0.fmt(f)
        }
    }
}

/// Server-side timestamps: the clock's, or the last one plus one when the clock has not moved on.
#[derive(Debug)]
pub struct RisingMicros {
    last: AtomicI64,
}

impl RisingMicros {
    /// Timestamps that start at the clock's time.
    #[must_use]
    pub fn new() -> Self {
        Self::after(WriteTime::NONE)
    }

    /// Timestamps that are all greater than `last`, say the greatest one found in a store.
    #[must_use]
    pub fn after(last: WriteTime) -> Self {
        Self {
            last: AtomicI64::new(last.0),
        }
    }

    /// The next timestamp in microseconds, greater than every one before.
    ///
    /// At `i64::MAX`, some 292,000 years from now, it stays there.
    pub fn next(&self, clock: &dyn Clock) -> i64 {
        let now = clock.now_micros();
        let next = |last: i64| now.max(last.saturating_add(1));
        match self
            .last
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |last| Some(next(last)))
        {
            Ok(last) | Err(last) => next(last),
        }
    }

    /// Makes every timestamp from now on greater than this one.
    pub fn raise(&self, above: i64) {
        self.last.fetch_max(above, Ordering::SeqCst);
    }

    /// The last timestamp that was given, or what the next ones must be above.
    #[must_use]
    pub fn last(&self) -> i64 {
        self.last.load(Ordering::SeqCst)
    }

    /// [`RisingMicros::next`] as a write time.
    pub fn next_write_time(&self, clock: &dyn Clock) -> WriteTime {
        WriteTime(self.next(clock))
    }
}

impl Default for RisingMicros {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn timestamps_rise_when_the_clock_stands_or_falls() {
        let clock = ManualClock::at_micros(100);
        let rising = RisingMicros::new();
        assert_eq!(rising.next(&clock), 100);
        assert_eq!(rising.next(&clock), 101);
        clock.set_micros(50);
        assert_eq!(rising.next(&clock), 102);
        clock.set_micros(500);
        assert_eq!(rising.next_write_time(&clock).as_micros(), 500);
    }

    #[test]
    fn timestamps_start_above_what_was_stored() {
        let clock = ManualClock::at_micros(100);
        let stored = WriteTime::from_micros(1_000).unwrap();
        assert_eq!(RisingMicros::after(stored).next(&clock), 1_001);
    }

    #[test]
    fn reserved_value_is_refused_and_sorts_first() {
        assert_eq!(WriteTime::from_micros(i64::MIN), None);
        assert!(WriteTime::NONE < WriteTime::LEAST);
        assert_eq!(WriteTime::NONE.to_string(), "none");
    }

    #[test]
    fn bytes_rise_and_fall_with_the_time() {
        let times = [i64::MIN, -1, 0, 1, i64::MAX].map(WriteTime::from_stored);
        for pair in times.windows(2) {
            assert!(pair[0].to_rising_bytes() < pair[1].to_rising_bytes());
            assert!(pair[0].to_falling_bytes() > pair[1].to_falling_bytes());
        }
        for time in times {
            assert_eq!(WriteTime::from_rising_bytes(time.to_rising_bytes()), time);
            assert_eq!(WriteTime::from_falling_bytes(time.to_falling_bytes()), time);
        }
    }
}
