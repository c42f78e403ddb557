//! `told_happenings`, `task_marks` and `digests_due`: what those who tell remember. Every row is
//! written at a time that follows from what it says, so writing it again changes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::time_uuid;
use uuid::Uuid;

use super::happenings::hour_of;
use super::{Base, quorum, write};
use crate::model::{Day, UserId};

/// How long it is known of something that all who watch have been told: 15 days.
pub const TOLD_SECONDS: u32 = 15 * 86_400;

/// The tables.
#[derive(Debug)]
pub struct TellingTables {
    session: Arc<dyn Session>,
    insert_told: Prepared,
    told: Prepared,
    insert_mark: Prepared,
    mark: Prepared,
    insert_due: Prepared,
    delete_due: Prepared,
    due: Prepared,
}

#[derive(FromRow)]
struct IdOnly {
    id: Uuid,
}

#[derive(FromRow)]
struct MarkRow {
    through_micros: i64,
}

#[derive(FromRow)]
struct UserOnly {
    user: UserId,
}

impl TellingTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert_told: base
                .prepare(&format!(
                    "INSERT INTO {{ks}}.told_happenings (hour, id) VALUES (?, ?) \
                     USING TTL {TOLD_SECONDS}"
                ))
                .await?,
            told: base
                .prepare("SELECT id FROM {ks}.told_happenings WHERE hour = ?")
                .await?,
            insert_mark: base
                .prepare("INSERT INTO {ks}.task_marks (task, through_micros) VALUES (?, ?)")
                .await?,
            mark: base
                .prepare("SELECT through_micros FROM {ks}.task_marks WHERE task = ?")
                .await?,
            insert_due: base
                .prepare("INSERT INTO {ks}.digests_due (day, user) VALUES (?, ?)")
                .await?,
            delete_due: base
                .prepare("DELETE FROM {ks}.digests_due WHERE day = ? AND user = ?")
                .await?,
            due: base
                .prepare("SELECT user FROM {ks}.digests_due WHERE day = ?")
                .await?,
        })
    }

    /// Writes that all who watch have been told of something.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_told(&self, id: Uuid) -> Result<(), Error> {
        let at = time_uuid::unix_micros(&id).unwrap_or(0);
        write(&*self.session, &self.insert_told, (hour_of(at), id), at).await
    }

    /// What of an hour all who watch have been told of.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn told(&self, hour: i64) -> Result<BTreeSet<Uuid>, Error> {
        let bound = self.told.bind((hour,))?.with(quorum());
        let rows = self.session.all::<IdOnly>(&bound).await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    /// Writes up to when a task has done its work; the latest moment holds.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_mark(&self, task: &str, through_micros: i64) -> Result<(), Error> {
        let values = (task, through_micros);
        write(&*self.session, &self.insert_mark, values, through_micros).await
    }

    /// Up to when a task has done its work.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn mark(&self, task: &str) -> Result<Option<i64>, Error> {
        let bound = self.mark.bind((task,))?.with(quorum());
        let row = self.session.first::<MarkRow>(&bound).await?;
        Ok(row.map(|row| row.through_micros))
    }

    /// Writes that a user may be sent a digest on a day, of something from before the day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_due(&self, day: Day, user: UserId, at_micros: i64) -> Result<(), Error> {
        let at = at_micros.min(day.start_micros() - 1);
        write(&*self.session, &self.insert_due, (day, user), at).await
    }

    /// Forgets a digest that was sent or is not wanted.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn delete_due(&self, day: Day, user: UserId) -> Result<(), Error> {
        let at = day.start_micros();
        write(&*self.session, &self.delete_due, (day, user), at).await
    }

    /// Who may be sent a digest on a day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn due(&self, day: Day) -> Result<Vec<UserId>, Error> {
        let bound = self.due.bind((day,))?.with(quorum());
        let rows = self.session.all::<UserOnly>(&bound).await?;
        Ok(rows.into_iter().map(|row| row.user).collect())
    }
}
