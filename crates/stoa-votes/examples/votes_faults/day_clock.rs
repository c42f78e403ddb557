//! A clock that goes on as the machine's does, and can be moved to the same time of the next day.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use stoa_types::{Clock, SystemClock};

const DAY_MICROS: i64 = 86_400_000_000;

/// The clock that all instances share.
#[derive(Debug, Default)]
pub(crate) struct DayClock {
    real: SystemClock,
    days_passed: AtomicI64,
}

impl DayClock {
    pub(crate) fn jump_a_day(&self) {
        self.days_passed.fetch_add(1, Ordering::Relaxed);
    }
}

impl Clock for DayClock {
    fn now_micros(&self) -> i64 {
        self.real.now_micros() + self.days_passed.load(Ordering::Relaxed) * DAY_MICROS
    }

    fn monotonic(&self) -> Duration {
        let days = self.days_passed.load(Ordering::Relaxed).unsigned_abs();
        self.real.monotonic() + Duration::from_secs(days * 86_400)
    }
}
