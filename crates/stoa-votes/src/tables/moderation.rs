//! `moderation_log` and `audit_log`: what those with roles did; in the one for everybody to read, in
//! the other for admins alone, and no entry is in both. Neither is ever forgotten. An entry is
//! written once, at the time of its identifier, so writing it again changes nothing.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::time_uuid;
use uuid::Uuid;

use super::{Base, quorum, write};
use crate::model::{Day, UserId};

/// Something that somebody with a role did.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct LogEntry {
    /// When; a time UUID.
    pub id: Uuid,
    /// Who.
    pub moderator: UserId,
    /// What.
    pub action: String,
    /// To whom or what.
    pub target: String,
    /// Why.
    pub reason: String,
}

/// Who may read a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readers {
    Everybody,
    Admins,
}

/// One of the tables.
#[derive(Debug)]
pub struct ModerationTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    list: Prepared,
    first: Prepared,
    before: Prepared,
}

const LIST: &str = "SELECT id, moderator, action, target, reason \
    FROM {ks}.{log} WHERE day = ?";

impl ModerationTable {
    pub(super) async fn prepare(base: &Base<'_>, readers: Readers) -> Result<Self, Error> {
        let log = match readers {
            Readers::Everybody => "moderation_log",
            Readers::Admins => "audit_log",
        };
        let prepare = async |text: &str| base.prepare(&text.replace("{log}", log)).await;
        Ok(Self {
            session: base.session(),
            insert: prepare(
                "INSERT INTO {ks}.{log} (day, id, moderator, action, target, reason) \
                 VALUES (?, ?, ?, ?, ?, ?)",
            )
            .await?,
            list: prepare(LIST).await?,
            first: prepare(&format!("{LIST} LIMIT ?")).await?,
            before: prepare(&format!("{LIST} AND id < ? LIMIT ?")).await?,
        })
    }

    /// Writes an entry under the day of its identifier.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, entry: &LogEntry) -> Result<(), Error> {
        let at = time_uuid::unix_micros(&entry.id).unwrap_or(0);
        let values = (
            Day::of_micros(at),
            entry.id,
            entry.moderator,
            &entry.action,
            &entry.target,
            &entry.reason,
        );
        write(&*self.session, &self.insert, values, at).await
    }

    /// Entries of a day before one of them, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn page(
        &self,
        day: Day,
        before: Option<Uuid>,
        most: i32,
    ) -> Result<Vec<LogEntry>, Error> {
        let bound = match before {
            None => self.first.bind((day, most))?,
            Some(before) => self.before.bind((day, before, most))?,
        };
        self.session.all(&bound.with(quorum())).await
    }

    /// All entries of a day, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn list(&self, day: Day) -> Result<Vec<LogEntry>, Error> {
        let bound = self.list.bind((day,))?.with(quorum());
        self.session.all(&bound).await
    }
}
