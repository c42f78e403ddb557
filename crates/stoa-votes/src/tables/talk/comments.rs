//! `comments`: what is said about each policy. By conditional writes alone.

use std::sync::Arc;

use stoa_session::{Error, ErrorKind, FromRow, Prepared, Session, Shortcuts, ToValues};
use stoa_types::time_uuid;
use uuid::Uuid;

use crate::model::{Comment, CommentId, CommentState, PolicyId, Removal, UserId};
use crate::tables::{Base, decide, quorum, serial};

/// Comments of one policy that are looked at: the last ones, if there are more.
const MOST_COMMENTS: i32 = 20_000;

/// The table.
#[derive(Debug)]
pub struct CommentTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    read: Prepared,
    several: Prepared,
    outline: Prepared,
    since: Prepared,
    before: Prepared,
    last: Prepared,
    edit: Prepared,
    remove: Prepared,
    hide: Prepared,
    show: Prepared,
    erase: Prepared,
}

/// What counting and ordering need of a comment.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Outline {
    /// Which.
    pub id: CommentId,
    /// Under which it stands.
    pub parent: Option<CommentId>,
    /// Who wrote it.
    pub author: UserId,
    state: String,
    hidden_for: Option<Uuid>,
}

impl Outline {
    /// Whether everybody may read it.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.state == CommentState::Shown.name() && self.hidden_for.is_none()
    }
}

#[derive(ToValues)]
struct NewComment<'a> {
    policy: PolicyId,
    id: CommentId,
    parent: Option<CommentId>,
    answers: Option<CommentId>,
    depth: i32,
    author: UserId,
    subject: &'a str,
    body: &'a str,
    version: Uuid,
    state: &'a str,
}

#[derive(FromRow)]
struct CommentRow {
    policy: PolicyId,
    id: CommentId,
    parent: Option<CommentId>,
    answers: Option<CommentId>,
    depth: i32,
    author: UserId,
    subject: Option<String>,
    body: Option<String>,
    version: Uuid,
    state: String,
    removal: Option<Uuid>,
    removed_by: Option<UserId>,
    removal_reason: Option<String>,
    hidden_for: Option<Uuid>,
}

const COLUMNS: &str = "policy, id, parent, answers, depth, author, subject, body, version, state, \
    removal, removed_by, removal_reason, hidden_for";
const INSERT: &str = "INSERT INTO {ks}.comments (policy, id, parent, answers, depth, author, \
    subject, body, version, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS";
const OUTLINE: &str = "SELECT id, parent, author, state, hidden_for FROM {ks}.comments \
    WHERE policy = ? LIMIT ?";
const EDIT: &str = "UPDATE {ks}.comments SET subject = ?, body = ?, version = ? \
    WHERE policy = ? AND id = ? IF state = 'shown' AND version = ? AND hidden_for = null";
const REMOVE: &str = "UPDATE {ks}.comments SET state = 'removed', removal = ?, removed_by = ?, \
    removal_reason = ? WHERE policy = ? AND id = ? IF state = 'shown'";
const HIDE: &str = "UPDATE {ks}.comments SET hidden_for = ? WHERE policy = ? AND id = ? \
    IF state = 'shown' AND hidden_for = null";
const SHOW: &str = "UPDATE {ks}.comments SET hidden_for = null WHERE policy = ? AND id = ? \
    IF hidden_for = ?";
const ERASE: &str = "UPDATE {ks}.comments SET state = 'erased', subject = null, body = null \
    WHERE policy = ? AND id = ? IF state = 'removed' AND removal = ?";

impl CommentTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let select = format!("SELECT {COLUMNS} FROM {{ks}}.comments WHERE policy = ? AND id");
        let last = format!("SELECT {COLUMNS} FROM {{ks}}.comments WHERE policy = ? LIMIT ?");
        Ok(Self {
            session: base.session(),
            insert: base.prepare(INSERT).await?,
            read: base.prepare(&format!("{select} = ?")).await?,
            several: base.prepare(&format!("{select} IN ?")).await?,
            outline: base.prepare(OUTLINE).await?,
            since: base.prepare(&format!("{select} >= ? LIMIT ?")).await?,
            before: base.prepare(&format!("{select} < ? LIMIT ?")).await?,
            last: base.prepare(&last).await?,
            edit: base.prepare(EDIT).await?,
            remove: base.prepare(REMOVE).await?,
            hide: base.prepare(HIDE).await?,
            show: base.prepare(SHOW).await?,
            erase: base.prepare(ERASE).await?,
        })
    }

    /// Writes a comment, unless it is there; whether it was not.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn insert(&self, it: &Comment) -> Result<bool, Error> {
        let values = NewComment {
            policy: it.policy,
            id: it.id,
            parent: it.parent,
            answers: it.answers,
            depth: it.depth,
            author: it.author,
            subject: &it.subject,
            body: &it.body,
            version: it.version,
            state: it.state.name(),
        };
        decide(&*self.session, &self.insert, values).await
    }

    /// A comment; no change stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, policy: PolicyId, id: CommentId) -> Result<Option<Comment>, Error> {
        // Clients may name anything; what is no time UUID cannot even be asked for.
        if time_uuid::ticks(&id.0).is_none() {
            return Ok(None);
        }
        let bound = self.read.bind((policy, id))?.with(serial());
        let row = self.session.first::<CommentRow>(&bound).await?;
        row.map(CommentRow::comment).transpose()
    }

    /// Several comments of a policy, in no order; no more than a page of them.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn several(
        &self,
        policy: PolicyId,
        ids: &[CommentId],
    ) -> Result<Vec<Comment>, Error> {
        let mut found = Vec::new();
        for some in ids.chunks(100) {
            let bound = self.several.bind((policy, some))?.with(quorum());
            let rows = self.session.all::<CommentRow>(&bound).await?;
            for row in rows {
                found.push(row.comment()?);
            }
        }
        Ok(found)
    }

    /// What counting and ordering need of the comments of a policy, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn outline(&self, policy: PolicyId) -> Result<Vec<Outline>, Error> {
        let bound = self.outline.bind((policy, MOST_COMMENTS))?.with(quorum());
        self.session.all(&bound).await
    }

    /// Comments of a policy before one, or the last ones, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn before(
        &self,
        policy: PolicyId,
        before: Option<CommentId>,
        most: i32,
    ) -> Result<Vec<Comment>, Error> {
        let bound = match before {
            Some(before) => self.before.bind((policy, before, most))?,
            None => self.last.bind((policy, most))?,
        };
        let rows = self
            .session
            .all::<CommentRow>(&bound.with(quorum()))
            .await?;
        rows.into_iter().map(CommentRow::comment).collect()
    }

    /// The last comments of a policy since one, that one included, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn since(
        &self,
        policy: PolicyId,
        since: CommentId,
        most: i32,
    ) -> Result<Vec<Comment>, Error> {
        let bound = self.since.bind((policy, since, most))?.with(quorum());
        let rows = self.session.all::<CommentRow>(&bound).await?;
        rows.into_iter().map(CommentRow::comment).collect()
    }

    /// Gives a comment another text, if it has the one that was seen.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn edit(
        &self,
        seen: &Comment,
        version: Uuid,
        subject: &str,
        body: &str,
    ) -> Result<bool, Error> {
        let values = (subject, body, version, seen.policy, seen.id, seen.version);
        decide(&*self.session, &self.edit, values).await
    }

    /// Removes a comment, unless it is removed; whether it was not.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn remove(&self, seen: &Comment, it: &Removal) -> Result<bool, Error> {
        let values = (it.id, it.by, &it.reason, seen.policy, seen.id);
        decide(&*self.session, &self.remove, values).await
    }

    /// Hides a comment for a case, unless it is hidden or removed; whether it was not.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn hide(&self, policy: PolicyId, id: CommentId, case: Uuid) -> Result<bool, Error> {
        decide(&*self.session, &self.hide, (case, policy, id)).await
    }

    /// Shows a comment again that is hidden for a case; whether it was.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn show(&self, policy: PolicyId, id: CommentId, case: Uuid) -> Result<bool, Error> {
        decide(&*self.session, &self.show, (policy, id, case)).await
    }

    /// Erases the text of a removed comment; whether it was there.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn erase(
        &self,
        policy: PolicyId,
        id: CommentId,
        removal: Uuid,
    ) -> Result<bool, Error> {
        decide(&*self.session, &self.erase, (policy, id, removal)).await
    }
}

impl CommentRow {
    fn comment(self) -> Result<Comment, Error> {
        let state = CommentState::of_name(&self.state).ok_or_else(|| {
            let what = format!(
                "the comment {} has an unknown state, {}",
                self.id, self.state
            );
            Error::not_applied(ErrorKind::Value, what)
        })?;
        let (by, reason) = (self.removed_by, self.removal_reason);
        let removal = self.removal.map(|id| Removal {
            id,
            by: by.unwrap_or(self.author),
            reason: reason.unwrap_or_default(),
        });
        Ok(Comment {
            policy: self.policy,
            id: self.id,
            parent: self.parent,
            answers: self.answers,
            depth: self.depth,
            author: self.author,
            subject: self.subject.unwrap_or_default(),
            body: self.body.unwrap_or_default(),
            version: self.version,
            state,
            removal,
            hidden_for: self.hidden_for,
        })
    }
}
