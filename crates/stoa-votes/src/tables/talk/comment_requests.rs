//! `comment_requests`: which comment each request makes, and how many comments an author wrote within
//! an hour. Both are decided by one conditional batch, so no request makes two comments, and nobody
//! writes more than is allowed, however many requests come at once.

use std::sync::Arc;

use stoa_session::shortcuts::applied;
use stoa_session::{Batch, BatchKind, Error, FromRow, Prepared, Session, Shortcuts};

use crate::model::{CommentId, RequestId, UserId};
use crate::tables::{Base, conditional, serial};

/// How long it is known which comment a request made.
const REQUEST_SECONDS: i32 = 90 * 86_400;

/// What a request makes.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct GivenComment {
    /// The comment.
    pub comment: CommentId,
    /// What the request asks for, as a digest.
    pub digest: String,
}

/// How many comments an author wrote in the last hour of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, FromRow)]
pub struct Pace {
    /// The hour, counted since 1970.
    pub hour: Option<i64>,
    /// How many.
    pub written: Option<i32>,
}

impl Pace {
    /// How many comments were written in an hour.
    #[must_use]
    pub fn within(self, hour: i64) -> i32 {
        let written = self.written.filter(|_| self.hour == Some(hour));
        written.unwrap_or(0)
    }
}

/// The table.
#[derive(Debug)]
pub struct CommentRequestTable {
    session: Arc<dyn Session>,
    given: Prepared,
    pace: Prepared,
    advance: Prepared,
    insert: Prepared,
}

impl CommentRequestTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            given: base
                .prepare(
                    "SELECT comment, digest FROM {ks}.comment_requests \
                     WHERE author = ? AND request = ?",
                )
                .await?,
            pace: base
                .prepare("SELECT hour, written FROM {ks}.comment_requests WHERE author = ? LIMIT 1")
                .await?,
            advance: base
                .prepare(
                    "UPDATE {ks}.comment_requests SET hour = ?, written = ? WHERE author = ? \
                     IF hour = ? AND written = ?",
                )
                .await?,
            insert: base
                .prepare(&format!(
                    "INSERT INTO {{ks}}.comment_requests (author, request, comment, digest) \
                     VALUES (?, ?, ?, ?) USING TTL {REQUEST_SECONDS}"
                ))
                .await?,
        })
    }

    /// What a request makes, if that was decided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn given(
        &self,
        author: UserId,
        request: RequestId,
    ) -> Result<Option<GivenComment>, Error> {
        let bound = self.given.bind((author, request))?.with(serial());
        self.session.first(&bound).await
    }

    /// How many comments an author wrote.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn pace(&self, author: UserId) -> Result<Pace, Error> {
        let bound = self.pace.bind((author,))?.with(serial());
        Ok(self.session.first(&bound).await?.unwrap_or_default())
    }

    /// Decides what a request makes, if nothing was written since the pace was seen.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn give(
        &self,
        author: UserId,
        seen: Pace,
        hour: i64,
        request: RequestId,
        it: &GivenComment,
    ) -> Result<bool, Error> {
        let written = seen.within(hour).saturating_add(1);
        let mut batch = Batch::new(BatchKind::Unlogged).with(conditional());
        let values = (hour, written, author, seen.hour, seen.written);
        batch.push(self.advance.bind(values)?);
        let values = (author, request, it.comment, &it.digest);
        batch.push(self.insert.bind(values)?);
        Ok(applied(self.session.batch(&batch).await?)?.is_yes())
    }
}
