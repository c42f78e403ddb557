//! Up to when a task has done what people's acts leave for it, by when they acted. That stands in the
//! store: after a stop the task goes on where it was, however long the stop was.
//!
//! Invariants:
//! 1. A mark passes nothing that is not done.
//! 2. What is written late, by whoever is slow or whose clock is behind, is a little older than the
//!    mark: each run begins a while before it.

use stoa_session::Error;

use crate::votes::Votes;

/// How long before the first day somebody may have acted, by a clock that is behind: a day.
const BEFORE_THE_FIRST_MICROS: i64 = 86_400_000_000;

/// The work of a task.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sweep {
    /// The name of its mark, the same for ever.
    pub(super) mark: &'static str,
    /// How long before its mark a run begins.
    pub(super) again_micros: i64,
}

impl Votes {
    /// From when on a run looks: a while before the mark, and from the beginning where there is none.
    pub(super) async fn sweeps_from(&self, sweep: Sweep) -> Result<i64, Error> {
        match self.tables.telling.mark(sweep.mark).await? {
            Some(mark) => Ok(mark.saturating_sub(sweep.again_micros)),
            None => {
                let first = self.tables.days.first(self.today()).await?;
                Ok(first.start_micros() - BEFORE_THE_FIRST_MICROS)
            }
        }
    }

    /// Writes down that all is done up to a moment. A mark never goes back.
    pub(super) async fn swept(&self, sweep: Sweep, through_micros: i64) -> Result<(), Error> {
        let telling = &self.tables.telling;
        telling.write_mark(sweep.mark, through_micros).await
    }
}
