//! Which days are over and not closed yet.

use stoa_session::Error;

use super::close_day::PATIENCE_MICROS;
use crate::model::Day;
use crate::votes::Votes;

impl Votes {
    /// The days that [`close_days`](Votes::close_days) would close now, in their order.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn days_over(&self) -> Result<Vec<Day>, Error> {
        let now = self.clock.now_micros();
        let first = self.closed_through().await?.next();
        let is_over = |day: &Day| day.next().start_micros() + PATIENCE_MICROS <= now;
        let days = first.through(self.today());
        Ok(days.take_while(is_over).collect())
    }
}
