//! `account_signals`: signs that an account is a second one. A sign is its key alone, and some of
//! them expire.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, quorum, write};
use crate::model::UserId;
use crate::rules::signals::{Signal, SignalKind};

/// Signs of one account that are looked at.
const MOST_SIGNALS: i32 = 1_000;

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
    write_for: Prepared,
    list: Prepared,
    forget: Prepared,
}

impl SignalTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            write: base
                .prepare("INSERT INTO {ks}.account_signals (user, kind, about) VALUES (?, ?, ?)")
                .await?,
            write_for: base
                .prepare(
                    "INSERT INTO {ks}.account_signals (user, kind, about) VALUES (?, ?, ?) \
                     USING TTL ?",
                )
                .await?,
            list: base
                .prepare("SELECT kind, about FROM {ks}.account_signals WHERE user = ? LIMIT ?")
                .await?,
            forget: base
                .prepare("DELETE FROM {ks}.account_signals WHERE user = ?")
                .await?,
        })
    }

    /// Writes a sign that was seen at a moment.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, user: UserId, signal: &Signal, at_micros: i64) -> Result<(), Error> {
        let (kind, about) = (signal.kind.name(), &signal.about);
        let session = &*self.session;
        match signal.kind.kept_seconds() {
            Some(seconds) => {
                let values = (user, kind, about, seconds);
                write(session, &self.write_for, values, at_micros).await
            }
            None => write(session, &self.write, (user, kind, about), at_micros).await,
        }
    }

    /// Forgets every sign up to a moment.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn forget(&self, user: UserId, at_micros: i64) -> Result<(), Error> {
        write(&*self.session, &self.forget, (user,), at_micros).await
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
}
