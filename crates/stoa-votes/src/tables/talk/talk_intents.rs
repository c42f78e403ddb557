//! `talk_intents`: what was begun with comments and cases, so that whoever dies in the middle is
//! finished by others.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::time_uuid;
use uuid::Uuid;

use crate::model::{PolicyId, Target, TargetKind};
use crate::tables::happenings::hour_of;
use crate::tables::{Base, quorum, write};

/// What cases begin is told apart from what comments begin.
const CASE: &str = "case_";

/// What was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// Something with a comment: it is [`Target::Comment`].
    Comment(Target),
    /// Something with the case of a thing.
    Case(Target),
}

/// Something that was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TalkIntent {
    /// When; a time UUID.
    pub id: Uuid,
    /// What.
    pub begun: Begun,
}

impl TalkIntent {
    /// When it was begun, in microseconds since 1970.
    #[must_use]
    pub fn at_micros(&self) -> i64 {
        time_uuid::unix_micros(&self.id).unwrap_or(0)
    }
}

#[derive(FromRow)]
struct IntentRow {
    id: Uuid,
    kind: String,
    target: Uuid,
    policy: Option<PolicyId>,
}

/// The table.
#[derive(Debug)]
pub struct TalkIntentTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    delete: Prepared,
    list: Prepared,
}

impl TalkIntentTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.talk_intents (hour, id, kind, target, policy) \
                     VALUES (?, ?, ?, ?, ?)",
                )
                .await?,
            delete: base
                .prepare("DELETE FROM {ks}.talk_intents WHERE hour = ? AND id = ?")
                .await?,
            list: base
                .prepare("SELECT id, kind, target, policy FROM {ks}.talk_intents WHERE hour = ?")
                .await?,
        })
    }

    /// Writes what is about to be done.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, it: &TalkIntent) -> Result<(), Error> {
        let (kind, target) = match it.begun {
            Begun::Comment(target) => (target.kind().name().to_owned(), target),
            Begun::Case(target) => (format!("{CASE}{}", target.kind().name()), target),
        };
        let at = it.at_micros();
        let values = (hour_of(at), it.id, kind, target.id(), target.policy());
        write(&*self.session, &self.insert, values, at).await
    }

    /// Deletes what is done, for good.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn delete(&self, it: &TalkIntent) -> Result<(), Error> {
        let at = it.at_micros();
        let values = (hour_of(at), it.id);
        write(&*self.session, &self.delete, values, at + 1).await
    }

    /// What was begun in an hour and is not known to be done.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn list(&self, hour: i64) -> Result<Vec<TalkIntent>, Error> {
        let bound = self.list.bind((hour,))?.with(quorum());
        let rows = self.session.all::<IntentRow>(&bound).await?;
        Ok(rows.into_iter().filter_map(IntentRow::read).collect())
    }
}

impl IntentRow {
    fn read(self) -> Option<TalkIntent> {
        let (is_case, kind) = match self.kind.strip_prefix(CASE) {
            Some(kind) => (true, kind),
            None => (false, self.kind.as_str()),
        };
        let target = Target::of_parts(TargetKind::of_name(kind)?, self.target, self.policy)?;
        let begun = match is_case {
            true => Begun::Case(target),
            false => Begun::Comment(target),
        };
        Some(TalkIntent { id: self.id, begun })
    }
}
