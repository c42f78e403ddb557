//! `comment_marks` and `comment_scores`: what readers think of comments. A mark is written as of when
//! it was given; scores are summed anew and written as of when the reading began.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use crate::model::{CommentId, Mark, PolicyId, Score, UserId};
use crate::tables::{Base, quorum, write};

#[derive(FromRow)]
struct MarkRow {
    mark: i8,
}

#[derive(FromRow)]
struct ScoreRow {
    comment: CommentId,
    up: i64,
    down: i64,
}

/// The tables.
#[derive(Debug)]
pub struct MarkTables {
    session: Arc<dyn Session>,
    insert: Prepared,
    marks: Prepared,
    own: Prepared,
    insert_score: Prepared,
    scores: Prepared,
}

impl MarkTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.comment_marks (policy, comment, user, mark) \
                     VALUES (?, ?, ?, ?)",
                )
                .await?,
            marks: base
                .prepare("SELECT mark FROM {ks}.comment_marks WHERE policy = ? AND comment = ?")
                .await?,
            own: base
                .prepare(
                    "SELECT mark FROM {ks}.comment_marks \
                     WHERE policy = ? AND comment = ? AND user = ?",
                )
                .await?,
            insert_score: base
                .prepare(
                    "INSERT INTO {ks}.comment_scores (policy, comment, up, down) \
                     VALUES (?, ?, ?, ?)",
                )
                .await?,
            scores: base
                .prepare("SELECT comment, up, down FROM {ks}.comment_scores WHERE policy = ?")
                .await?,
        })
    }

    /// Writes what a user thinks of a comment.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(
        &self,
        (policy, comment): (PolicyId, CommentId),
        user: UserId,
        mark: Mark,
        at_micros: i64,
    ) -> Result<(), Error> {
        let values = (policy, comment, user, mark.number());
        write(&*self.session, &self.insert, values, at_micros).await
    }

    /// What a user thinks of a comment.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn own(
        &self,
        (policy, comment): (PolicyId, CommentId),
        user: UserId,
    ) -> Result<Mark, Error> {
        let bound = self.own.bind((policy, comment, user))?.with(quorum());
        let row = self.session.first::<MarkRow>(&bound).await?;
        Ok(row.map_or(Mark::None, |row| Mark::of_number(row.mark)))
    }

    /// What all users think of a comment, counted anew.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn count(&self, policy: PolicyId, comment: CommentId) -> Result<Score, Error> {
        let bound = self.marks.bind((policy, comment))?.with(quorum());
        let rows = self.session.all::<MarkRow>(&bound).await?;
        let count = |mark: Mark| {
            let same = rows.iter().filter(|row| row.mark == mark.number());
            u32::try_from(same.count()).unwrap_or(u32::MAX)
        };
        Ok(Score {
            up: count(Mark::Up),
            down: count(Mark::Down),
        })
    }

    /// Writes what was counted, as of when the reading for it began.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_score(
        &self,
        (policy, comment): (PolicyId, CommentId),
        score: Score,
        as_of_micros: i64,
    ) -> Result<(), Error> {
        let (up, down) = (i64::from(score.up), i64::from(score.down));
        let values = (policy, comment, up, down);
        write(&*self.session, &self.insert_score, values, as_of_micros).await
    }

    /// The scores of all comments of a policy that have marks.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn scores(&self, policy: PolicyId) -> Result<BTreeMap<CommentId, Score>, Error> {
        let bound = self.scores.bind((policy,))?.with(quorum());
        let rows = self.session.all::<ScoreRow>(&bound).await?;
        let read = |count: i64| u32::try_from(count).unwrap_or(0);
        let scores = rows.into_iter().map(|row| {
            let (up, down) = (read(row.up), read(row.down));
            (row.comment, Score { up, down })
        });
        Ok(scores.collect())
    }
}
