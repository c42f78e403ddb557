//! Checking that the lines of the public ledger can be given away: those of each closed day are made
//! as an export makes them, and must give the hash that the day was closed with. Exports are made
//! from the same lines, when somebody asks and by `tasks/write_export.rs`.
//!
//! The mark says through which day all is well. A day that differs is not passed: it is told again
//! with every run, until somebody has looked.

use stoa_session::Error;

use crate::model::Day;
use crate::ops::export_ledger::{head_hash, no_hash};
use crate::rules::public_ledger::DayHasher;
use crate::votes::Votes;

/// The name of the mark.
const MARK: &str = "check_export";
/// How many days one run checks at most.
const MOST_DAYS: usize = 31;

/// What a check of the export came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exported {
    /// Every day up to this one can be exported; none if no day is closed.
    Through(Option<Day>),
    /// The lines of this day do not give its hash: someone wrote past the rules.
    Differs(Day),
}

impl Votes {
    /// Checks the export of days that were closed since the last time.
    ///
    /// # Errors
    /// Those of the session; the next run goes on where this one stopped.
    pub async fn check_export(&self) -> Result<Exported, Error> {
        let closed_through = self.closed_through().await?;
        let first = self.tables.days.first(closed_through).await?;
        let mark = self.tables.telling.mark(MARK).await?.map(Day::of_micros);
        let from = mark.map_or(first, Day::next).max(first);
        let mut through = mark;
        for day in from.through(closed_through).take(MOST_DAYS) {
            if !self.gives_its_hash(first, day).await? {
                return Ok(Exported::Differs(day));
            }
            let telling = &self.tables.telling;
            telling.write_mark(MARK, day.start_micros()).await?;
            through = Some(day);
        }
        Ok(Exported::Through(through))
    }

    async fn gives_its_hash(&self, first: Day, day: Day) -> Result<bool, Error> {
        let settings = self.locked_ledger().await?;
        let days = &self.tables.days;
        let previous = match day > first {
            true => {
                let closed = days.closed(day.previous()).await?;
                closed.ok_or_else(|| no_hash(day.previous()))?.1
            }
            false => head_hash(settings.mode, first),
        };
        let closed = days.closed(day).await?;
        let (snapshot, hash) = closed.ok_or_else(|| no_hash(day))?;
        let mut hasher = DayHasher::after(previous);
        let lines = self.day_lines(&settings, day, snapshot).await?;
        lines.iter().for_each(|line| hasher.add(line.as_bytes()));
        Ok(hasher.hash() == hash)
    }
}
