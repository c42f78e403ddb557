//! How far an instance's clock may be off the store's.
//!
//! Clocks only decide to which day a vote belongs, and when tasks run; but an instance whose clock
//! is far off would put votes on days that nobody else is in. The offset is measured now and then,
//! not for every vote: in between, a clock that is set is noticed by the one that cannot be set.

use std::time::Duration;

/// How far a clock may be off, in microseconds: five minutes.
pub const MOST_OFF_MICROS: i64 = 300_000_000;

/// A comparison of the instance's clock with the store's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockReading {
    /// By how much the instance's clock is ahead at least; negative if it is behind.
    pub least_micros: i64,
    /// By how much it is ahead at most.
    pub most_micros: i64,
    /// The clock that can be set, less the one that cannot, when it was measured.
    base_micros: i64,
}

impl ClockReading {
    /// From when the question was sent by both clocks of the instance, how long the answer took,
    /// and what the store's clock showed in between, in whole milliseconds.
    #[must_use]
    pub fn measured(
        sent_micros: i64,
        sent_monotonic: Duration,
        took: Duration,
        store_millis: i64,
    ) -> Self {
        let store_micros = store_millis.saturating_mul(1_000);
        let answered_micros = sent_micros.saturating_add(micros(took));
        Self {
            // The store's clock was at the end of its millisecond when the question was sent, or
            // at the beginning of it when the answer came.
            least_micros: sent_micros.saturating_sub(store_micros.saturating_add(999)),
            most_micros: answered_micros.saturating_sub(store_micros),
            base_micros: sent_micros.saturating_sub(micros(sent_monotonic)),
        }
    }

    /// By how much the clock is off for sure by now, in microseconds: zero if it may be right.
    #[must_use]
    pub fn off_micros(&self, now_micros: i64, monotonic: Duration) -> i64 {
        let base = now_micros.saturating_sub(micros(monotonic));
        let was_set = base.saturating_sub(self.base_micros);
        let least = self.least_micros.saturating_add(was_set);
        let most = self.most_micros.saturating_add(was_set);
        match (least > 0, most < 0) {
            (true, _) => least,
            (_, true) => most.saturating_neg(),
            _ => 0,
        }
    }

    /// Whether the clock is off by more than is allowed.
    #[must_use]
    pub fn is_off(&self, now_micros: i64, monotonic: Duration) -> bool {
        self.off_micros(now_micros, monotonic) > MOST_OFF_MICROS
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000_000_000;
    const UP: Duration = Duration::from_secs(77);

    fn reading(offset: i64, there: i64, back: i64) -> ClockReading {
        // The store answers at `NOW`, whichever clock the instance has.
        let took = Duration::from_micros((there + back).unsigned_abs());
        ClockReading::measured(NOW + offset - there, UP, took, NOW / 1_000)
    }

    proptest! {
        #[test]
        fn a_clock_within_the_bound_is_never_off(
            offset in -MOST_OFF_MICROS..=MOST_OFF_MICROS,
            there in 0_i64..20_000_000,
            back in 0_i64..20_000_000,
        ) {
            let reading = reading(offset, there, back);
            prop_assert!(reading.least_micros <= offset && offset <= reading.most_micros);
            prop_assert!(!reading.is_off(NOW + offset - there, UP));
        }

        #[test]
        fn a_clock_beyond_the_bound_and_the_way_is_off(
            beyond in 20_001_000_i64..1_000_000_000_000,
            there in 0_i64..10_000_000,
            back in 0_i64..10_000_000,
        ) {
            for offset in [MOST_OFF_MICROS + beyond, -MOST_OFF_MICROS - beyond] {
                prop_assert!(reading(offset, there, back).is_off(NOW + offset - there, UP));
            }
        }
    }

    #[test]
    fn a_clock_that_is_set_is_noticed_without_asking_again() {
        let reading = reading(0, 1_000, 1_000);
        let later = Duration::from_secs(3_600);
        let right = NOW - 1_000 + 3_600_000_000;
        assert!(!reading.is_off(right, UP + later));
        assert!(reading.is_off(right + MOST_OFF_MICROS + 2_000, UP + later));
        assert!(reading.is_off(right - MOST_OFF_MICROS - 2_000, UP + later));
        assert_eq!(reading.off_micros(right, UP + later), 0);
    }
}
