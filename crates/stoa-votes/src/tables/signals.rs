//! `account_signals` and `cases`: signs that an account is a second one, and what people should
//! look at. A sign is its key alone; a case is opened by a conditional write.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, decide, quorum, serial};
use crate::model::UserId;
use crate::rules::signals::{Signal, SignalKind};

/// The kind of cases about second accounts.
const DUPLICATE: &str = "duplicate_account";
/// Signs of one account that are looked at.
const MOST_SIGNALS: i32 = 1_000;

/// An account that people should look at.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Case {
    /// Whose.
    pub user: UserId,
    /// `open`, until people say otherwise.
    pub state: String,
    /// When it was opened; a time UUID.
    pub opened: Uuid,
    /// The score that opened it.
    pub score: i64,
}

#[derive(FromRow)]
struct SignalRow {
    kind: String,
    about: String,
}

/// The tables.
#[derive(Debug)]
pub struct SignalTables {
    session: Arc<dyn Session>,
    write: Prepared,
    list: Prepared,
    open: Prepared,
    cases: Prepared,
}

impl SignalTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            write: base
                .prepare("INSERT INTO {ks}.account_signals (user, kind, about) VALUES (?, ?, ?)")
                .await?,
            list: base
                .prepare("SELECT kind, about FROM {ks}.account_signals WHERE user = ? LIMIT ?")
                .await?,
            open: base
                .prepare(
                    "INSERT INTO {ks}.cases (kind, user, state, opened, score) \
                     VALUES (?, ?, 'open', ?, ?) IF NOT EXISTS",
                )
                .await?,
            cases: base
                .prepare("SELECT user, state, opened, score FROM {ks}.cases WHERE kind = ?")
                .await?,
        })
    }

    /// Writes a sign.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, user: UserId, signal: &Signal) -> Result<(), Error> {
        let values = (user, signal.kind.name(), &signal.about);
        let bound = self.write.bind(values)?.with(quorum());
        self.session.execute(&bound, None).await.map(|_| ())
    }

    /// The signs of an account.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn list(&self, user: UserId) -> Result<Vec<Signal>, Error> {
        let bound = self.list.bind((user, MOST_SIGNALS))?.with(quorum());
        let rows = self.session.all::<SignalRow>(&bound).await?;
        let known = rows.into_iter().filter_map(|row| {
            let kind = SignalKind::of_name(&row.kind)?;
            let about = row.about;
            Some(Signal { kind, about })
        });
        Ok(known.collect())
    }

    /// Opens the case of an account, unless there is one; whether there was none.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn open_case(&self, user: UserId, opened: Uuid, score: i64) -> Result<bool, Error> {
        let values = (DUPLICATE, user, opened, score);
        decide(&*self.session, &self.open, values).await
    }

    /// Every case.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn cases(&self) -> Result<Vec<Case>, Error> {
        let bound = self.cases.bind((DUPLICATE,))?.with(serial());
        self.session.all(&bound).await
    }
}
