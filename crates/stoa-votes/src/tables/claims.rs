//! `name_claims` and `email_claims`: who has a name or an address. Rows are never deleted; every
//! cell is written by conditional writes alone, on the attempt that was seen.

use std::sync::Arc;

use stoa_session::{Error, ErrorKind, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, decide, serial};
use crate::model::UserId;
use crate::rules::claims::{Claim, ClaimKind, ClaimState};

/// Both tables.
#[derive(Debug)]
pub struct ClaimTables {
    names: ClaimTable,
    emails: ClaimTable,
}

/// One table.
#[derive(Debug)]
pub struct ClaimTable {
    session: Arc<dyn Session>,
    read: Prepared,
    all: Prepared,
    insert: Prepared,
    retake: Prepared,
    own: Prepared,
    release: Prepared,
}

#[derive(FromRow)]
struct ClaimRow {
    key: String,
    state: Option<String>,
    user: Option<UserId>,
    attempt: Option<Uuid>,
    until_micros: Option<i64>,
}

impl ClaimTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            names: ClaimTable::prepare(base, "name_claims").await?,
            emails: ClaimTable::prepare(base, "email_claims").await?,
        })
    }

    /// The table of a kind.
    #[must_use]
    pub fn of(&self, kind: ClaimKind) -> &ClaimTable {
        match kind {
            ClaimKind::Name => &self.names,
            ClaimKind::Email => &self.emails,
        }
    }
}

impl ClaimTable {
    async fn prepare(base: &Base<'_>, table: &str) -> Result<Self, Error> {
        let prepare = async |text: &str| base.prepare(&text.replace("{table}", table)).await;
        Ok(Self {
            session: base.session(),
            read: prepare(
                "SELECT key, state, user, attempt, until_micros FROM {ks}.{table} WHERE key = ?",
            )
            .await?,
            all: prepare("SELECT key, state, user, attempt, until_micros FROM {ks}.{table}")
                .await?,
            insert: prepare(
                "INSERT INTO {ks}.{table} (key, state, user, attempt, until_micros) \
                 VALUES (?, 'reserved', ?, ?, ?) IF NOT EXISTS",
            )
            .await?,
            retake: prepare(
                "UPDATE {ks}.{table} SET state = 'reserved', user = ?, attempt = ?, \
                 until_micros = ? WHERE key = ? IF state = ? AND attempt = ?",
            )
            .await?,
            own: prepare(
                "UPDATE {ks}.{table} SET state = 'owned', until_micros = null WHERE key = ? \
                 IF state = 'reserved' AND attempt = ?",
            )
            .await?,
            release: prepare(
                "UPDATE {ks}.{table} SET state = 'released', user = null, until_micros = ? \
                 WHERE key = ? IF state = ? AND attempt = ?",
            )
            .await?,
        })
    }

    /// A claim; no change of it stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, key: &str) -> Result<Option<Claim>, Error> {
        let bound = self.read.bind((key,))?.with(serial());
        let row = self.session.first::<ClaimRow>(&bound).await?;
        row.map(ClaimRow::claim).transpose()
    }

    /// Every claim as it was not long ago; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all(&self) -> Result<Vec<Claim>, Error> {
        let bound = self.all.bind(())?.with(super::quorum());
        let rows = self.session.all::<ClaimRow>(&bound).await?;
        rows.into_iter().map(ClaimRow::claim).collect()
    }

    /// Reserves what nobody ever had.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn insert(
        &self,
        key: &str,
        user: UserId,
        attempt: Uuid,
        until_micros: i64,
    ) -> Result<bool, Error> {
        let values = (key, user, attempt, until_micros);
        decide(&*self.session, &self.insert, values).await
    }

    /// Reserves what was released, or is the user's own, if the claim is still the one seen.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn retake(
        &self,
        seen: &Claim,
        user: UserId,
        attempt: Uuid,
        until_micros: i64,
    ) -> Result<bool, Error> {
        let (state, before) = (seen.state.name(), seen.attempt);
        let values = (user, attempt, until_micros, &seen.key, state, before);
        decide(&*self.session, &self.retake, values).await
    }

    /// Makes a reservation the user's own.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn own(&self, key: &str, attempt: Uuid) -> Result<bool, Error> {
        decide(&*self.session, &self.own, (key, attempt)).await
    }

    /// Gives a claim back, if it is still the one seen.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn release(&self, seen: &Claim, until_micros: Option<i64>) -> Result<bool, Error> {
        let values = (until_micros, &seen.key, seen.state.name(), seen.attempt);
        decide(&*self.session, &self.release, values).await
    }
}

impl ClaimRow {
    fn claim(self) -> Result<Claim, Error> {
        let state = self.state.as_deref().and_then(ClaimState::of_name);
        let (Some(state), Some(attempt)) = (state, self.attempt) else {
            let what = format!("a claim has an unknown state, {:?}", self.state);
            return Err(Error::not_applied(ErrorKind::Value, what));
        };
        Ok(Claim {
            key: self.key,
            state,
            user: self.user,
            attempt,
            until_micros: self.until_micros,
        })
    }
}
