//! The task that keeps the public ledger of all closed days where others can fetch it; apart from the
//! catalogue, because only an instance that has such a place can run it. Each writes its own.
//!
//! The ledger is written whole, under cover, and then takes the place of the one before: whoever
//! fetches it gets one or the other. Its last line says through which day it goes, so nothing is
//! written until another day is closed. A ledger that does not give the hashes of its days is not
//! shown: the one before stays, and the task fails until somebody has looked.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use stoa_session::Error;
use stoa_tasks::{Done, Task, TaskError, Work};

use super::catalog::Described;
use crate::model::Day;
use crate::ops::export_ledger::LedgerExport;
use crate::votes::Votes;

/// The task, as people know it.
pub(super) const DESCRIBED: Described = Described {
    name: "votes.write_export",
    every: Duration::from_secs(600),
    about: "Writes the public ledger into a folder after each closed day, on each instance.",
    serves: &["exports"],
};

/// Where ledgers are kept: a folder, as a rule.
pub trait LedgerShelf: Send + Sync + fmt::Debug {
    /// The last line of the ledger that is shown; none if none is.
    ///
    /// # Errors
    /// Why that is not known.
    fn last_line(&self) -> Result<Option<String>, NotWritten>;

    /// Begins another one, which nobody sees yet. Whatever was begun before and not shown is gone.
    ///
    /// # Errors
    /// Why it cannot be written.
    fn begin(&self) -> Result<Box<dyn LedgerDraft>, NotWritten>;
}

/// A ledger that nobody sees yet. One that is dropped is never shown.
pub trait LedgerDraft: Send {
    /// Adds a line.
    ///
    /// # Errors
    /// Why it was not written.
    fn line(&mut self, line: &str) -> Result<(), NotWritten>;

    /// Shows it in the place of the one before, at once and for good.
    ///
    /// # Errors
    /// Why it is not shown.
    fn show(self: Box<Self>) -> Result<(), NotWritten>;
}

/// Why a ledger was not written, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotWritten(pub String);

/// What became of a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// No day is closed.
    Nothing,
    /// The ledger of these days was there.
    Before(Day),
    /// The ledger of these days was written.
    Now(Day),
    /// It was not written: the lines of this day do not give its hash.
    Differs(Day),
}

/// Why nothing is known of it.
#[derive(Debug, thiserror::Error)]
pub enum NotShown {
    /// A statement was not answered.
    #[error(transparent)]
    Session(#[from] Error),
    /// It could not be written.
    #[error(transparent)]
    Written(#[from] NotWritten),
}

impl Votes {
    /// Writes the public ledger of all closed days, unless it is shown already.
    ///
    /// # Errors
    /// Those of the session and of the shelf; what is shown stays.
    pub async fn write_export(&self, shelf: &dyn LedgerShelf) -> Result<Shown, NotShown> {
        let export = self.export_ledger().await?;
        let Some((through, last_line)) = export.end().await? else {
            return Ok(Shown::Nothing);
        };
        if shelf.last_line()?.is_some_and(|line| line == last_line) {
            return Ok(Shown::Before(through));
        }
        write_whole(export, through, shelf).await
    }
}

async fn write_whole(
    mut export: LedgerExport<'_>,
    through: Day,
    shelf: &dyn LedgerShelf,
) -> Result<Shown, NotShown> {
    let mut draft = shelf.begin()?;
    while let Some(lines) = export.next().await? {
        if let Some(day) = export.differing().first() {
            return Ok(Shown::Differs(*day));
        }
        for line in &lines {
            draft.line(line)?;
        }
    }
    draft.show()?;
    Ok(Shown::Now(through))
}

/// The task.
#[must_use]
pub fn export_task(votes: &Arc<Votes>, shelf: Arc<dyn LedgerShelf>) -> Arc<dyn Task> {
    let votes = Arc::clone(votes);
    Arc::new(ExportTask { votes, shelf })
}

#[derive(Debug)]
struct ExportTask {
    votes: Arc<Votes>,
    shelf: Arc<dyn LedgerShelf>,
}

impl ExportTask {
    async fn write(&self) -> Result<Done, TaskError> {
        match self.votes.write_export(&*self.shelf).await {
            Ok(Shown::Nothing) => Ok(Done::told("no day is closed")),
            Ok(Shown::Before(day)) => Ok(Done::told(format!("the ledger goes to {day} already"))),
            Ok(Shown::Now(day)) => Ok(Done::told(format!("the ledger now goes to {day}"))),
            Ok(Shown::Differs(day)) => Err(TaskError::Wrong(format!(
                "the public lines of {day} do not give the hash of the day, so nothing was written"
            ))),
            Err(NotShown::Session(error)) => Err(error.into()),
            Err(NotShown::Written(why)) => Err(TaskError::Wrong(why.to_string())),
        }
    }
}

impl Task for ExportTask {
    fn name(&self) -> &str {
        DESCRIBED.name
    }

    fn about(&self) -> &str {
        DESCRIBED.about
    }

    fn period(&self) -> Duration {
        DESCRIBED.every
    }

    fn is_everywhere(&self) -> bool {
        true
    }

    fn run(&self, _shard: u32) -> Work<'_> {
        Box::pin(self.write())
    }
}
