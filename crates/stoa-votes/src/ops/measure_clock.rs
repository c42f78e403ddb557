//! Comparing the instance's clock with the store's: an instance that is far off takes no votes.

use stoa_session::Error;

use crate::model::Refusal;
use crate::rules::clock_bound::ClockReading;
use crate::votes::Votes;

impl Votes {
    /// Compares the instance's clock with the store's, and remembers the result: while it is off by
    /// more than five minutes, [`Votes::submit`] refuses. Who serves people calls this at the start
    /// and every minute or so, in every instance. Before the first time, nothing is refused.
    ///
    /// # Errors
    /// Those of the session; what was measured before still holds.
    pub async fn measure_clock(&self) -> Result<ClockReading, Error> {
        let (sent_micros, sent) = (self.clock.now_micros(), self.clock.monotonic());
        let store_millis = self.tables.store_time.now_millis().await?;
        let took = self.clock.monotonic().saturating_sub(sent);
        let reading = ClockReading::measured(sent_micros, sent, took, store_millis);
        self.remember_clock(reading);
        Ok(reading)
    }

    /// Refuses while the clock is known to be off. It asks nobody, and is no answer to the request:
    /// another instance may take it.
    ///
    /// # Errors
    /// The refusal, with how far it is off.
    pub fn check_clock(&self) -> Result<(), Refusal> {
        let Some(reading) = self.remembered_clock() else {
            return Ok(());
        };
        let (now, monotonic) = (self.clock.now_micros(), self.clock.monotonic());
        match reading.is_off(now, monotonic) {
            true => Err(Refusal::ClockOff {
                seconds: reading.off_micros(now, monotonic) / 1_000_000,
            }),
            false => Ok(()),
        }
    }
}
