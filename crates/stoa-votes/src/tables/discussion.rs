//! `policy_discussion`: how much is said about each policy. Derived from the comments and written
//! as of when the reading began, so it may be written again at any time.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, quorum, write};
use crate::model::PolicyId;

/// How much is said about a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct Discussion {
    /// The policy.
    pub policy: PolicyId,
    /// Comments that are shown.
    pub comments: i64,
    /// People who wrote them.
    pub people: i64,
    /// When the last one was written, in microseconds since 1970.
    pub last_micros: i64,
}

/// The table.
#[derive(Debug)]
pub struct DiscussionTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    read: Prepared,
    all: Prepared,
    stamps: Prepared,
}

/// When a discussion was counted last, which is done whenever a comment comes, goes or is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct DiscussionStamp {
    /// The policy.
    pub policy: PolicyId,
    /// When the last comment was written, in microseconds since 1970.
    pub last_micros: i64,
    /// When it was counted.
    pub counted_micros: i64,
}

impl DiscussionTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.policy_discussion (policy, comments, people, last_micros) \
                     VALUES (?, ?, ?, ?)",
                )
                .await?,
            read: base
                .prepare(
                    "SELECT policy, comments, people, last_micros \
                     FROM {ks}.policy_discussion WHERE policy = ?",
                )
                .await?,
            all: base
                .prepare("SELECT policy, comments, people, last_micros FROM {ks}.policy_discussion")
                .await?,
            stamps: base
                .prepare(
                    "SELECT policy, last_micros, WRITETIME(comments) AS counted_micros \
                     FROM {ks}.policy_discussion",
                )
                .await?,
        })
    }

    /// Writes how much is said about a policy, as of when the reading for it began.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, it: &Discussion, as_of_micros: i64) -> Result<(), Error> {
        let values = (it.policy, it.comments, it.people, it.last_micros);
        write(&*self.session, &self.insert, values, as_of_micros).await
    }

    /// How much is said about a policy, if anything ever was.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, policy: PolicyId) -> Result<Option<Discussion>, Error> {
        let bound = self.read.bind((policy,))?.with(quorum());
        self.session.first(&bound).await
    }

    /// How much is said about every policy; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all(&self) -> Result<Vec<Discussion>, Error> {
        let bound = self.all.bind(())?.with(quorum());
        self.session.all(&bound).await
    }

    /// When every discussion was counted last; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn stamps(&self) -> Result<Vec<DiscussionStamp>, Error> {
        let bound = self.stamps.bind(())?.with(quorum());
        self.session.all(&bound).await
    }
}
