//! The public log: what moderators did, and who may do what, for everybody to read.

use stoa_session::Error;
use uuid::Uuid;

use crate::model::{Day, Role};
use crate::tables::moderation::LogEntry;
use crate::tables::roles::Grant;
use crate::votes::Votes;

/// Entries of the log that are given at once.
const MOST_ENTRIES: usize = 100;

/// A part of what moderators did on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPage {
    /// What they did, the last first.
    pub entries: Vec<LogEntry>,
    /// Before which entry to go on, if there may be more.
    pub next: Option<Uuid>,
}

impl Votes {
    /// What moderators did on a day, the last first, before the entry that is given; 100 at most.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn moderation_log(
        &self,
        day: Day,
        before: Option<Uuid>,
        most: usize,
    ) -> Result<LogPage, Error> {
        let most = most.clamp(1, MOST_ENTRIES);
        let limit = i32::try_from(most).unwrap_or(1);
        let entries = self.tables.moderation.page(day, before, limit).await?;
        let last = entries.last().map(|it| it.id);
        let next = last.filter(|_| entries.len() >= most);
        Ok(LogPage { entries, next })
    }

    /// Who has a role, since when, and by whom.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn grants(&self, role: Role) -> Result<Vec<Grant>, Error> {
        let mut grants = self.tables.roles.list(role).await?;
        grants.retain(|it| it.is_granted);
        Ok(grants)
    }
}
