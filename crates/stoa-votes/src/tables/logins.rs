//! `logins`, `logins_of_users` and `login_records`: who is signed in, where a user is, and who signed
//! in when. Plain writes that expire.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::time_uuid;
use uuid::Uuid;

use super::{Base, quorum, write};
use crate::model::UserId;

/// How long somebody stays signed in without being seen: 30 days.
pub const LOGIN_SECONDS: i32 = 30 * 86_400;
/// How long somebody stays signed in at most, seen or not: 180 days.
pub const LONGEST_LOGIN_SECONDS: i32 = 180 * 86_400;
/// How long a record of signing in is kept: 90 days.
const RECORD_SECONDS: i32 = 90 * 86_400;
/// Records that are shown at most.
const MOST_RECORDS: i32 = 100;

/// Somebody who is signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct Login {
    /// Who.
    pub user: UserId,
    /// Since when, in microseconds since 1970.
    pub created_micros: i64,
    /// When last seen, in microseconds since 1970.
    pub seen_micros: i64,
}

impl Login {
    /// Until when it is good, in microseconds since 1970, if nobody comes before.
    #[must_use]
    pub fn until_micros(&self) -> i64 {
        let idle = self.seen_micros + i64::from(LOGIN_SECONDS) * 1_000_000;
        let longest = self.created_micros + i64::from(LONGEST_LOGIN_SECONDS) * 1_000_000;
        idle.min(longest)
    }
}

/// That somebody signed in.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct LoginRecord {
    /// When; a time UUID.
    pub at: Uuid,
    /// From which network: the first part of the address.
    pub network: String,
    /// With what: a digest of what the browser says about itself.
    pub agent: String,
}

/// Where a user may be signed in.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct LoginPlace {
    /// The digest of the secret.
    pub secret: String,
    /// From which network the login began.
    pub network: Option<String>,
}

#[derive(FromRow)]
struct NetworkRow {
    network: Option<String>,
}

#[derive(FromRow)]
struct LoginRow {
    user: Option<UserId>,
    created_micros: Option<i64>,
    seen_micros: Option<i64>,
}

/// The tables.
#[derive(Debug)]
pub struct LoginTables {
    session: Arc<dyn Session>,
    write: Prepared,
    read: Prepared,
    delete: Prepared,
    insert_place: Prepared,
    place: Prepared,
    places: Prepared,
    delete_place: Prepared,
    forget_places: Prepared,
    record: Prepared,
    records: Prepared,
    forget: Prepared,
}

impl LoginTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            write: base
                .prepare(
                    "INSERT INTO {ks}.logins (secret, user, created_micros, seen_micros) \
                     VALUES (?, ?, ?, ?) USING TTL ?",
                )
                .await?,
            read: base
                .prepare(
                    "SELECT user, created_micros, seen_micros FROM {ks}.logins WHERE secret = ?",
                )
                .await?,
            delete: base
                .prepare("DELETE FROM {ks}.logins WHERE secret = ?")
                .await?,
            insert_place: base
                .prepare(
                    "INSERT INTO {ks}.logins_of_users (user, secret, network) VALUES (?, ?, ?) \
                     USING TTL ?",
                )
                .await?,
            place: base
                .prepare("SELECT network FROM {ks}.logins_of_users WHERE user = ? AND secret = ?")
                .await?,
            places: base
                .prepare("SELECT secret, network FROM {ks}.logins_of_users WHERE user = ? LIMIT ?")
                .await?,
            delete_place: base
                .prepare("DELETE FROM {ks}.logins_of_users WHERE user = ? AND secret = ?")
                .await?,
            forget_places: base
                .prepare("DELETE FROM {ks}.logins_of_users WHERE user = ?")
                .await?,
            record: base
                .prepare(
                    "INSERT INTO {ks}.login_records (user, at, network, agent) \
                     VALUES (?, ?, ?, ?) USING TTL ?",
                )
                .await?,
            records: base
                .prepare("SELECT at, network, agent FROM {ks}.login_records WHERE user = ? LIMIT ?")
                .await?,
            forget: base
                .prepare("DELETE FROM {ks}.login_records WHERE user = ?")
                .await?,
        })
    }

    /// Writes that somebody is signed in, and was seen. The write time is when that was. The list of
    /// the user's logins goes first, so that none is missing there.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, digest: &str, login: Login, network: &str) -> Result<(), Error> {
        let (created, seen) = (login.created_micros, login.seen_micros);
        let place = (login.user, digest, network, LOGIN_SECONDS);
        write(&*self.session, &self.insert_place, place, seen).await?;
        let values = (digest, login.user, created, seen, LOGIN_SECONDS);
        write(&*self.session, &self.write, values, seen).await
    }

    /// Who is signed in.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, digest: &str) -> Result<Option<Login>, Error> {
        let bound = self.read.bind((digest,))?.with(quorum());
        let row = self.session.first::<LoginRow>(&bound).await?;
        Ok(row.and_then(|row| {
            Some(Login {
                user: row.user?,
                created_micros: row.created_micros?,
                seen_micros: row.seen_micros?,
            })
        }))
    }

    /// Signs out, whatever clock wrote the login: nothing that was seen so far outlives it.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn delete(&self, digest: &str, login: Login, now_micros: i64) -> Result<(), Error> {
        let at = now_micros.max(login.seen_micros + 1);
        write(&*self.session, &self.delete, (digest,), at).await?;
        let place = (login.user, digest);
        write(&*self.session, &self.delete_place, place, at).await
    }

    /// From which network a login began; nothing, if that is not known.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn network(&self, user: UserId, digest: &str) -> Result<String, Error> {
        let bound = self.place.bind((user, digest))?.with(quorum());
        let row = self.session.first::<NetworkRow>(&bound).await?;
        Ok(row.and_then(|row| row.network).unwrap_or_default())
    }

    /// Where a user may be signed in; a hundred at most, in no order.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn places(&self, user: UserId) -> Result<Vec<LoginPlace>, Error> {
        let bound = self.places.bind((user, MOST_RECORDS))?.with(quorum());
        self.session.all(&bound).await
    }

    /// Writes that somebody signed in.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn record(&self, user: UserId, record: &LoginRecord) -> Result<(), Error> {
        let at = time_uuid::unix_micros(&record.at).unwrap_or(0);
        let values = (
            user,
            record.at,
            &record.network,
            &record.agent,
            RECORD_SECONDS,
        );
        write(&*self.session, &self.record, values, at).await
    }

    /// When a user signed in, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn records(&self, user: UserId) -> Result<Vec<LoginRecord>, Error> {
        let bound = self.records.bind((user, MOST_RECORDS))?.with(quorum());
        self.session.all(&bound).await
    }

    /// Forgets where and when a user signed in up to now.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn forget(&self, user: UserId, now_micros: i64) -> Result<(), Error> {
        write(&*self.session, &self.forget_places, (user,), now_micros).await?;
        write(&*self.session, &self.forget, (user,), now_micros).await
    }
}
