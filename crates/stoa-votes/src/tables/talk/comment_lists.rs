//! `recent_comments`, `comments_of_authors` and `removed_comments`: comments by when they were written,
//! by whom, and by when they were removed. A row is written before what it is about, so that nothing is
//! ever missing; one without it means nothing.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::time_uuid;
use uuid::Uuid;

use crate::model::{CommentId, Day, PolicyId, UserId};
use crate::tables::happenings::hour_of;
use crate::tables::{Base, quorum, write};

/// A comment that was written not long ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct RecentComment {
    /// Which.
    pub id: CommentId,
    /// About which policy.
    pub policy: PolicyId,
}

/// A comment that was removed, or was about to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct RemovedComment {
    /// When; a time UUID.
    pub removal: Uuid,
    /// About which policy.
    pub policy: PolicyId,
    /// Which.
    pub comment: CommentId,
}

/// The tables.
#[derive(Debug)]
pub struct CommentLists {
    session: Arc<dyn Session>,
    insert_recent: Prepared,
    recent: Prepared,
    insert_written: Prepared,
    written: Prepared,
    written_before: Prepared,
    insert_removed: Prepared,
    removed: Prepared,
    delete_removed: Prepared,
}

impl CommentLists {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert_recent: base
                .prepare(
                    "INSERT INTO {ks}.recent_comments (hour, id, policy) VALUES (?, ?, ?) \
                     USING TTL 2592000",
                )
                .await?,
            recent: base
                .prepare("SELECT id, policy FROM {ks}.recent_comments WHERE hour = ? AND id >= ?")
                .await?,
            insert_written: base
                .prepare(
                    "INSERT INTO {ks}.comments_of_authors (author, id, policy) VALUES (?, ?, ?)",
                )
                .await?,
            written: base
                .prepare("SELECT id, policy FROM {ks}.comments_of_authors WHERE author = ? LIMIT ?")
                .await?,
            written_before: base
                .prepare(
                    "SELECT id, policy FROM {ks}.comments_of_authors WHERE author = ? AND id < ? \
                     LIMIT ?",
                )
                .await?,
            insert_removed: base
                .prepare(
                    "INSERT INTO {ks}.removed_comments (day, removal, policy, comment) \
                     VALUES (?, ?, ?, ?)",
                )
                .await?,
            removed: base
                .prepare("SELECT removal, policy, comment FROM {ks}.removed_comments WHERE day = ?")
                .await?,
            delete_removed: base
                .prepare("DELETE FROM {ks}.removed_comments WHERE day = ? AND removal = ?")
                .await?,
        })
    }

    /// Writes that an author is about to write a comment.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_recent(&self, author: UserId, it: RecentComment) -> Result<(), Error> {
        let at = it.id.made_at_micros();
        let values = (author, it.id, it.policy);
        write(&*self.session, &self.insert_written, values, at).await?;
        let values = (hour_of(at), it.id, it.policy);
        write(&*self.session, &self.insert_recent, values, at).await
    }

    /// The comments of an author, the last first; those before one, if that is said.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn written(
        &self,
        author: UserId,
        before: Option<CommentId>,
        most: i32,
    ) -> Result<Vec<RecentComment>, Error> {
        let bound = match before {
            Some(before) => self.written_before.bind((author, before, most))?,
            None => self.written.bind((author, most))?,
        };
        self.session.all(&bound.with(quorum())).await
    }

    /// The comments of an hour since one, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn recent(&self, hour: i64, since: CommentId) -> Result<Vec<RecentComment>, Error> {
        let bound = self.recent.bind((hour, since))?.with(quorum());
        self.session.all(&bound).await
    }

    /// Writes that a comment is about to be removed.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_removed(&self, it: RemovedComment) -> Result<(), Error> {
        let at = time_uuid::unix_micros(&it.removal).unwrap_or(0);
        let values = (Day::of_micros(at), it.removal, it.policy, it.comment);
        write(&*self.session, &self.insert_removed, values, at).await
    }

    /// The removed comments of a day whose texts are not erased.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn removed(&self, day: Day) -> Result<Vec<RemovedComment>, Error> {
        let bound = self.removed.bind((day,))?.with(quorum());
        self.session.all(&bound).await
    }

    /// Deletes the row of a removed comment, for good.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn delete_removed(&self, removal: Uuid) -> Result<(), Error> {
        let at = time_uuid::unix_micros(&removal).unwrap_or(0);
        let values = (Day::of_micros(at), removal);
        write(&*self.session, &self.delete_removed, values, at + 1).await
    }
}
