//! `users_by_joined`, `users_by_origin` and `origins_by_user`: who registered when and from where, as
//! far as it tells of second accounts. All of it expires, and no address is in it: the first part of
//! one, and a digest.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, quorum, write};
use crate::model::{Day, UserId};
use crate::rules::signals::{SIGNS_SECONDS, SignalKind};

/// Origins of one user that are erased: there is one of each kind, or a few if somebody asked again
/// from elsewhere.
const MOST_ORIGINS: i32 = 100;

/// Where somebody registered from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginOf {
    /// The sign that another one from there is.
    pub kind: SignalKind,
    /// A network, or the digest of what a browser says.
    pub origin: String,
    /// Who.
    pub user: UserId,
    /// When, in microseconds since 1970.
    pub created_micros: i64,
}

#[derive(FromRow)]
struct UserOnly {
    user: UserId,
}

#[derive(FromRow)]
struct OriginRow {
    kind: String,
    origin: String,
    created_micros: i64,
}

/// The tables.
#[derive(Debug)]
pub struct OriginTables {
    session: Arc<dyn Session>,
    insert_joined: Prepared,
    delete_joined: Prepared,
    joined: Prepared,
    insert: Prepared,
    delete: Prepared,
    users: Prepared,
    insert_of_user: Prepared,
    delete_of_user: Prepared,
    of_user: Prepared,
}

const INSERT_JOINED: &str =
    "INSERT INTO {ks}.users_by_joined (day, user) VALUES (?, ?) USING TTL ?";
const DELETE_JOINED: &str = "DELETE FROM {ks}.users_by_joined WHERE day = ? AND user = ?";
const JOINED: &str = "SELECT user FROM {ks}.users_by_joined WHERE day = ? LIMIT ?";
const INSERT: &str = "INSERT INTO {ks}.users_by_origin (kind, origin, created_micros, user) \
    VALUES (?, ?, ?, ?) USING TTL ?";
const DELETE: &str = "DELETE FROM {ks}.users_by_origin \
    WHERE kind = ? AND origin = ? AND created_micros = ? AND user = ?";
const USERS: &str = "SELECT user FROM {ks}.users_by_origin WHERE kind = ? AND origin = ? LIMIT ?";
const INSERT_OF_USER: &str = "INSERT INTO {ks}.origins_by_user (user, kind, origin, \
    created_micros) VALUES (?, ?, ?, ?) USING TTL ?";
const DELETE_OF_USER: &str = "DELETE FROM {ks}.origins_by_user WHERE user = ?";
const OF_USER: &str =
    "SELECT kind, origin, created_micros FROM {ks}.origins_by_user WHERE user = ? LIMIT ?";

impl OriginTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert_joined: base.prepare(INSERT_JOINED).await?,
            delete_joined: base.prepare(DELETE_JOINED).await?,
            joined: base.prepare(JOINED).await?,
            insert: base.prepare(INSERT).await?,
            delete: base.prepare(DELETE).await?,
            users: base.prepare(USERS).await?,
            insert_of_user: base.prepare(INSERT_OF_USER).await?,
            delete_of_user: base.prepare(DELETE_OF_USER).await?,
            of_user: base.prepare(OF_USER).await?,
        })
    }

    /// Writes that somebody registered on the day of a moment.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_joined(&self, user: UserId, created_micros: i64) -> Result<(), Error> {
        let values = (Day::of_micros(created_micros), user, SIGNS_SECONDS);
        write(&*self.session, &self.insert_joined, values, created_micros).await
    }

    /// Some of those who registered on a day.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn joined(&self, day: Day, most: i32) -> Result<Vec<UserId>, Error> {
        let bound = self.joined.bind((day, most))?.with(quorum());
        let rows = self.session.all::<UserOnly>(&bound).await?;
        Ok(rows.into_iter().map(|row| row.user).collect())
    }

    /// Writes where somebody registered from. The row of the user comes first, so that all of it can
    /// be erased.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, it: &OriginOf) -> Result<(), Error> {
        let (session, at) = (&*self.session, it.created_micros);
        let (kind, seconds) = (it.kind.name(), SIGNS_SECONDS);
        let values = (it.user, kind, &it.origin, at, seconds);
        write(session, &self.insert_of_user, values, at).await?;
        let values = (kind, &it.origin, at, it.user, seconds);
        write(session, &self.insert, values, at).await
    }

    /// Who registered from there, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn users(
        &self,
        kind: SignalKind,
        origin: &str,
        most: i32,
    ) -> Result<Vec<UserId>, Error> {
        let bound = self.users.bind((kind.name(), origin, most))?;
        let rows = self.session.all::<UserOnly>(&bound.with(quorum())).await?;
        Ok(rows.into_iter().map(|row| row.user).collect())
    }

    /// Forgets when and from where somebody registered.
    ///
    /// # Errors
    /// Those of the session; asking again does the rest.
    pub async fn forget(
        &self,
        user: UserId,
        created_micros: i64,
        at_micros: i64,
    ) -> Result<(), Error> {
        let session = &*self.session;
        let day = Day::of_micros(created_micros);
        write(session, &self.delete_joined, (day, user), at_micros).await?;
        let bound = self.of_user.bind((user, MOST_ORIGINS))?.with(quorum());
        for row in session.all::<OriginRow>(&bound).await? {
            let values = (&row.kind, &row.origin, row.created_micros, user);
            write(session, &self.delete, values, at_micros).await?;
        }
        write(session, &self.delete_of_user, (user,), at_micros).await
    }
}
