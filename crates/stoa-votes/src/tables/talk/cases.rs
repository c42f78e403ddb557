//! `cases` and `open_cases`: what people should look at. Cases change by conditional writes alone,
//! each naming the act that it follows. The list of open ones is written before a case is opened and
//! cleaned after it is closed, so it may name too much and never too little.

use std::sync::Arc;

use stoa_session::{Error, ErrorKind, FromRow, Prepared, Session, Shortcuts, ToValues};
use stoa_types::time_uuid;
use uuid::Uuid;

use crate::model::{Case, CaseState, Decision, PolicyId, Target, TargetKind, UserId};
use crate::tables::{Base, decide, quorum, serial, write};

/// Open cases of one kind that are looked at.
const MOST_OPEN: i32 = 1_000;

/// A case that is open, or was when its row was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenCase {
    /// When it was opened; a time UUID.
    pub id: Uuid,
    /// What it is about.
    pub target: Target,
}

#[derive(ToValues)]
struct CaseValues<'a> {
    kind: &'a str,
    target: Uuid,
    policy: Option<PolicyId>,
    state: &'a str,
    id: Uuid,
    act: Uuid,
    score: i64,
    about: &'a str,
    handled_by: Option<UserId>,
    hiding: Option<Uuid>,
    decision: Option<&'a str>,
    reason: &'a str,
}

#[derive(FromRow)]
struct CaseRow {
    state: String,
    id: Uuid,
    act: Uuid,
    score: Option<i64>,
    about: Option<String>,
    handled_by: Option<UserId>,
    hiding: Option<Uuid>,
    decision: Option<String>,
    reason: Option<String>,
}

#[derive(FromRow)]
struct OpenRow {
    id: Uuid,
    target: Uuid,
    policy: Option<PolicyId>,
}

/// The tables.
#[derive(Debug)]
pub struct CaseTables {
    session: Arc<dyn Session>,
    insert: Prepared,
    read: Prepared,
    change: Prepared,
    insert_open: Prepared,
    delete_open: Prepared,
    list_open: Prepared,
}

const INSERT: &str = "INSERT INTO {ks}.cases (kind, target, policy, state, id, act, score, about, \
    handled_by, hiding, decision, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
    IF NOT EXISTS";
const READ: &str = "SELECT state, id, act, score, about, handled_by, hiding, decision, reason \
    FROM {ks}.cases WHERE kind = ? AND target = ?";
const CHANGE: &str = "UPDATE {ks}.cases SET state = ?, id = ?, act = ?, score = ?, about = ?, \
    handled_by = ?, hiding = ?, decision = ?, reason = ? WHERE kind = ? AND target = ? IF act = ?";

impl CaseTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base.prepare(INSERT).await?,
            read: base.prepare(READ).await?,
            change: base.prepare(CHANGE).await?,
            insert_open: base
                .prepare(
                    "INSERT INTO {ks}.open_cases (kind, id, target, policy) VALUES (?, ?, ?, ?)",
                )
                .await?,
            delete_open: base
                .prepare("DELETE FROM {ks}.open_cases WHERE kind = ? AND id = ?")
                .await?,
            list_open: base
                .prepare("SELECT id, target, policy FROM {ks}.open_cases WHERE kind = ? LIMIT ?")
                .await?,
        })
    }

    /// The case of something; no change stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, target: Target) -> Result<Option<Case>, Error> {
        let values = (target.kind().name(), target.id());
        let bound = self.read.bind(values)?.with(serial());
        let row = self.session.first::<CaseRow>(&bound).await?;
        row.map(|row| row.case(target)).transpose()
    }

    /// Opens the case of something, unless there is one; whether there was none.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn insert(&self, it: &Case) -> Result<bool, Error> {
        let values = CaseValues {
            kind: it.target.kind().name(),
            target: it.target.id(),
            policy: it.target.policy(),
            state: it.state.name(),
            id: it.id,
            act: it.act,
            score: it.score,
            about: &it.about,
            handled_by: it.handled_by,
            hiding: it.hiding,
            decision: it.decision.map(Decision::name),
            reason: &it.reason,
        };
        decide(&*self.session, &self.insert, values).await
    }

    /// Changes a case, if nothing was done since it was seen; whether it was changed.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn change(&self, seen: &Case, it: &Case) -> Result<bool, Error> {
        let values = (
            it.state.name(),
            it.id,
            it.act,
            it.score,
            &it.about,
            it.handled_by,
            it.hiding,
            it.decision.map(Decision::name),
            &it.reason,
            seen.target.kind().name(),
            seen.target.id(),
            seen.act,
        );
        decide(&*self.session, &self.change, values).await
    }

    /// Writes that a case is about to be opened.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_open(&self, it: OpenCase) -> Result<(), Error> {
        let at = time_uuid::unix_micros(&it.id).unwrap_or(0);
        let target = it.target;
        let values = (target.kind().name(), it.id, target.id(), target.policy());
        write(&*self.session, &self.insert_open, values, at).await
    }

    /// Writes that a case is not open any more, or never was.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn delete_open(&self, it: OpenCase) -> Result<(), Error> {
        let at = time_uuid::unix_micros(&it.id).unwrap_or(0);
        let values = (it.target.kind().name(), it.id);
        write(&*self.session, &self.delete_open, values, at + 1).await
    }

    /// The cases of a kind that may be open, the first first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn list_open(&self, kind: TargetKind) -> Result<Vec<OpenCase>, Error> {
        let bound = self
            .list_open
            .bind((kind.name(), MOST_OPEN))?
            .with(quorum());
        let rows = self.session.all::<OpenRow>(&bound).await?;
        let open = rows.into_iter().filter_map(|row| {
            let target = Target::of_parts(kind, row.target, row.policy)?;
            Some(OpenCase { id: row.id, target })
        });
        Ok(open.collect())
    }
}

impl CaseRow {
    fn case(self, target: Target) -> Result<Case, Error> {
        let state = CaseState::of_name(&self.state).ok_or_else(|| {
            let what = format!("the case of {target} has an unknown state, {}", self.state);
            Error::not_applied(ErrorKind::Value, what)
        })?;
        Ok(Case {
            target,
            id: self.id,
            state,
            act: self.act,
            score: self.score.unwrap_or(0),
            about: self.about.unwrap_or_default(),
            handled_by: self.handled_by,
            hiding: self.hiding,
            decision: self.decision.as_deref().and_then(Decision::of_name),
            reason: self.reason.unwrap_or_default(),
        })
    }
}
