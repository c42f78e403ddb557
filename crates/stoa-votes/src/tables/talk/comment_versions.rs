//! `comment_versions`: texts that comments had before. Each is written before it is replaced, at the
//! time of its version, so it is the same whoever writes it.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::time_uuid;
use uuid::Uuid;

use crate::model::{Comment, CommentId, PolicyId};
use crate::tables::{Base, quorum, write};

/// A text that a comment had.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct CommentVersion {
    /// Since when; a time UUID.
    pub version: Uuid,
    /// What it was about.
    pub subject: String,
    /// What it said.
    pub body: String,
}

/// The table.
#[derive(Debug)]
pub struct CommentVersionTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    list: Prepared,
    delete: Prepared,
}

impl CommentVersionTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.comment_versions (policy, comment, version, subject, body) \
                     VALUES (?, ?, ?, ?, ?)",
                )
                .await?,
            list: base
                .prepare(
                    "SELECT version, subject, body FROM {ks}.comment_versions \
                     WHERE policy = ? AND comment = ?",
                )
                .await?,
            delete: base
                .prepare("DELETE FROM {ks}.comment_versions WHERE policy = ? AND comment = ?")
                .await?,
        })
    }

    /// Writes the text that a comment has now.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, it: &Comment) -> Result<(), Error> {
        let at = time_uuid::unix_micros(&it.version).unwrap_or(0);
        let values = (it.policy, it.id, it.version, &it.subject, &it.body);
        write(&*self.session, &self.insert, values, at).await
    }

    /// The texts of a comment, the first first. The one it has now may be among them.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn list(
        &self,
        policy: PolicyId,
        comment: CommentId,
    ) -> Result<Vec<CommentVersion>, Error> {
        let bound = self.list.bind((policy, comment))?.with(quorum());
        self.session.all(&bound).await
    }

    /// Deletes the texts of a comment.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn delete(
        &self,
        policy: PolicyId,
        comment: CommentId,
        at_micros: i64,
    ) -> Result<(), Error> {
        write(&*self.session, &self.delete, (policy, comment), at_micros).await
    }
}
