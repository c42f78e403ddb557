//! The audit log: everything that those with roles did with their roles, for admins to read.
//!
//! Its public part is the public log (`ops/read_log.rs`). The other part is what must not be public,
//! or would tell too much: who looked at whose sign-ins, who read what was hidden or removed, who
//! took which case. Reading is written down before anything is shown.

use stoa_session::Error;
use stoa_types::time_uuid;
use uuid::Uuid;

use crate::model::{By, Case, Day, NotDone, PolicyId, Progress, Role, Target};
use crate::rules::secrets::sibling_id;
use crate::tables::moderation::LogEntry;
use crate::votes::Votes;

/// Entries that are given at once.
const MOST_ENTRIES: usize = 100;

/// Something that somebody did with a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// What it was.
    pub entry: LogEntry,
    /// Whether everybody may read it, in the public log.
    pub is_public: bool,
}

/// A part of what those with roles did on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    /// What they did, the last first.
    pub entries: Vec<AuditEntry>,
    /// Before which entry to go on, if there may be more.
    pub next: Option<Uuid>,
}

impl Votes {
    /// What those with roles did on a day, the last first, before the entry that is given; 100 at
    /// most. Only admins may read it.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn audit_log(
        &self,
        by: By,
        day: Day,
        before: Option<Uuid>,
        most: usize,
    ) -> Result<AuditPage, NotDone> {
        self.demand(by, Role::Admin).await?;
        let most = most.clamp(1, MOST_ENTRIES);
        let limit = i32::try_from(most).unwrap_or(1);
        let mut entries = Vec::new();
        for (log, is_public) in [(&self.tables.moderation, true), (&self.tables.audit, false)] {
            let page = log.page(day, before, limit).await?;
            entries.extend(
                page.into_iter()
                    .map(|entry| AuditEntry { entry, is_public }),
            );
        }
        entries.sort_by(|one, other| time_uuid::compare(&other.entry.id, &one.entry.id));
        entries.truncate(most);
        let last = entries.last().map(|it| it.entry.id);
        let next = last.filter(|_| entries.len() >= most);
        Ok(AuditPage { entries, next })
    }

    /// Writes down that somebody is about to read what not everybody may.
    pub(crate) async fn note_reading(
        &self,
        by: By,
        action: &str,
        target: &str,
    ) -> Result<(), Error> {
        let entry = LogEntry {
            id: self.ids.time_uuid(),
            moderator: by.id(),
            action: action.to_owned(),
            target: target.to_owned(),
            reason: String::new(),
        };
        self.tables.audit.write(&entry).await
    }

    /// Writes down that somebody said something officially, by what it is. Any number of times.
    pub(crate) async fn note_publishing(
        &self,
        policy: PolicyId,
        said: &Progress,
    ) -> Result<(), Error> {
        let entry = LogEntry {
            id: said.at,
            moderator: said.author,
            action: "publish".to_owned(),
            target: Target::Policy(policy).to_string(),
            reason: String::new(),
        };
        self.tables.audit.write(&entry).await
    }

    /// Writes down what somebody did with a case, by the act of the case. Any number of times.
    pub(crate) async fn note_case(&self, by: By, action: &str, case: &Case) -> Result<(), Error> {
        let entry = LogEntry {
            // The act itself may stand in the public log.
            id: sibling_id(case.act, action.as_bytes()),
            moderator: by.id(),
            action: action.to_owned(),
            target: case.target.to_string(),
            reason: String::new(),
        };
        self.tables.audit.write(&entry).await
    }
}
