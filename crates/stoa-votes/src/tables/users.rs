//! `users`: accounts of people. Every cell is written by conditional writes alone; each of them
//! answers whether it was applied, and a caller who is not sure reads again.

use std::sync::Arc;

use stoa_session::{Error, ErrorKind, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, decide, serial};
use crate::model::{Ending, RealName, RequestId, User, UserId, UserState};

/// The table.
#[derive(Debug)]
pub struct UserTable {
    session: Arc<dyn Session>,
    read: Prepared,
    all: Prepared,
    begin: Prepared,
    begin_anew: Prepared,
    join: Prepared,
    abandon: Prepared,
    give_up: Prepared,
    verify: Prepared,
    plan: Prepared,
    rename: Prepared,
    readdress: Prepared,
    drop_plan: Prepared,
    set_password: Prepared,
    end: Prepared,
    set_real_name: Prepared,
    people: Prepared,
}

/// Somebody whom others find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Who.
    pub user: UserId,
    /// The name as it is shown.
    pub name: String,
    /// The name in the world, if it is shown.
    pub real_name: Option<String>,
}

#[derive(FromRow)]
struct PersonRow {
    user: UserId,
    state: Option<String>,
    name: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    show_real_name: Option<bool>,
}

/// What a new user brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUser {
    /// The name as it is shown.
    pub name: String,
    /// The name as it is claimed.
    pub name_key: String,
    /// The address as mail is sent to it.
    pub email: String,
    /// The address as it is claimed.
    pub email_key: String,
    /// The hash of the password.
    pub password: String,
    /// When that is, in microseconds since 1970.
    pub created_micros: i64,
}

/// What a look at all users tells of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScannedUser {
    /// The user.
    pub id: UserId,
    /// The state.
    pub state: UserState,
    /// The registration, or the change of name or address, under way.
    pub attempt: Option<Uuid>,
    /// The name as it is claimed.
    pub name_key: String,
    /// The address as it is claimed.
    pub email_key: String,
}

#[derive(FromRow)]
struct ScannedRow {
    user: UserId,
    state: Option<String>,
    attempt: Option<Uuid>,
    name_key: Option<String>,
    email_key: Option<String>,
}

#[derive(FromRow)]
struct UserRow {
    user: UserId,
    state: Option<String>,
    attempt: Option<Uuid>,
    name: Option<String>,
    name_key: Option<String>,
    email: Option<String>,
    email_key: Option<String>,
    password: Option<String>,
    password_by: Option<RequestId>,
    created_micros: Option<i64>,
    logins_from_micros: Option<i64>,
    ending: Option<Uuid>,
    ended_by: Option<UserId>,
    ended_reason: Option<String>,
    merged_into: Option<UserId>,
    first_name: Option<String>,
    last_name: Option<String>,
    show_real_name: Option<bool>,
}

const READ: &str = "SELECT user, state, attempt, name, name_key, email, email_key, password, \
    password_by, created_micros, logins_from_micros, ending, ended_by, ended_reason, merged_into, \
    first_name, last_name, show_real_name FROM {ks}.users WHERE user = ?";
const PEOPLE: &str =
    "SELECT user, state, name, first_name, last_name, show_real_name FROM {ks}.users";
const ALL: &str = "SELECT user, state, attempt, name_key, email_key FROM {ks}.users";
const BEGIN: &str = "INSERT INTO {ks}.users (user, state, attempt, name, name_key, email, \
    email_key, password, created_micros) VALUES (?, 'joining', ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS";
const BEGIN_ANEW: &str = "UPDATE {ks}.users SET attempt = ?, name = ?, name_key = ?, email = ?, \
    email_key = ?, password = ?, created_micros = ? WHERE user = ? \
    IF state = 'joining' AND attempt = ?";
const JOIN: &str = "UPDATE {ks}.users SET state = 'unverified', attempt = null WHERE user = ? \
    IF state = 'joining' AND attempt = ?";
const ABANDON: &str = "DELETE FROM {ks}.users WHERE user = ? IF state = 'joining' AND attempt = ?";
const GIVE_UP: &str =
    "DELETE FROM {ks}.users WHERE user = ? IF state = 'unverified' AND created_micros = ?";
const VERIFY: &str = "UPDATE {ks}.users SET state = 'active' WHERE user = ? \
    IF state = 'unverified' AND email_key = ?";
const PLAN: &str = "UPDATE {ks}.users SET attempt = ? WHERE user = ? IF state = ? AND attempt = ?";
const RENAME: &str = "UPDATE {ks}.users SET name = ?, name_key = ?, attempt = null \
    WHERE user = ? IF attempt = ?";
const READDRESS: &str = "UPDATE {ks}.users SET email = ?, email_key = ?, attempt = null \
    WHERE user = ? IF attempt = ?";
const DROP_PLAN: &str = "UPDATE {ks}.users SET attempt = null WHERE user = ? IF attempt = ?";
const SET_PASSWORD: &str = "UPDATE {ks}.users SET password = ?, password_by = ?, \
    logins_from_micros = ? WHERE user = ? IF state = ? AND password = ?";
const END: &str = "UPDATE {ks}.users SET state = ?, ending = ?, ended_by = ?, ended_reason = ?, \
    merged_into = ?, name = null, name_key = null, email = null, email_key = null, \
    password = null, password_by = null, attempt = null, first_name = null, last_name = null, \
    show_real_name = null WHERE user = ? IF state = ?";
const SET_REAL_NAME: &str = "UPDATE {ks}.users SET first_name = ?, last_name = ?, \
    show_real_name = ? WHERE user = ? IF state = ?";

impl UserTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            read: base.prepare(READ).await?,
            all: base.prepare(ALL).await?,
            begin: base.prepare(BEGIN).await?,
            begin_anew: base.prepare(BEGIN_ANEW).await?,
            join: base.prepare(JOIN).await?,
            abandon: base.prepare(ABANDON).await?,
            give_up: base.prepare(GIVE_UP).await?,
            verify: base.prepare(VERIFY).await?,
            plan: base.prepare(PLAN).await?,
            rename: base.prepare(RENAME).await?,
            readdress: base.prepare(READDRESS).await?,
            drop_plan: base.prepare(DROP_PLAN).await?,
            set_password: base.prepare(SET_PASSWORD).await?,
            end: base.prepare(END).await?,
            set_real_name: base.prepare(SET_REAL_NAME).await?,
            people: base.prepare(PEOPLE).await?,
        })
    }

    /// A user; no change stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, user: UserId) -> Result<Option<User>, Error> {
        let bound = self.read.bind((user,))?.with(serial());
        let row = self.session.first::<UserRow>(&bound).await?;
        row.map(UserRow::user).transpose()
    }

    /// Every user as it was not long ago; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn scan(&self) -> Result<Vec<ScannedUser>, Error> {
        let bound = self.all.bind(())?.with(super::quorum());
        let rows = self.session.all::<ScannedRow>(&bound).await?;
        let users = rows.into_iter().filter_map(|row| {
            Some(ScannedUser {
                id: row.user,
                state: UserState::of_name(row.state.as_deref()?)?,
                attempt: row.attempt,
                name_key: row.name_key.unwrap_or_default(),
                email_key: row.email_key.unwrap_or_default(),
            })
        });
        Ok(users.collect())
    }

    /// Everybody who confirmed the address and has not ended, as it was not long ago; reads the whole
    /// table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn people(&self) -> Result<Vec<Person>, Error> {
        let bound = self.people.bind(())?.with(super::quorum());
        let rows = self.session.all::<PersonRow>(&bound).await?;
        let active = UserState::Active.name();
        let rows = rows.into_iter();
        let rows = rows.filter(|row| row.state.as_deref() == Some(active));
        let people = rows.filter_map(|row| {
            let real_name = RealName {
                first: row.first_name.unwrap_or_default(),
                last: row.last_name.unwrap_or_default(),
                is_shown: row.show_real_name.unwrap_or(false),
            };
            Some(Person {
                user: row.user,
                name: row.name?,
                real_name: real_name.shown(),
            })
        });
        Ok(people.collect())
    }

    /// Begins a registration.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn begin(&self, user: UserId, attempt: Uuid, new: &NewUser) -> Result<bool, Error> {
        let values = (
            user,
            attempt,
            &new.name,
            &new.name_key,
            &new.email,
            &new.email_key,
            &new.password,
            new.created_micros,
        );
        decide(&*self.session, &self.begin, values).await
    }

    /// Begins a registration anew that came to nothing so far.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn begin_anew(
        &self,
        user: UserId,
        before: Uuid,
        attempt: Uuid,
        new: &NewUser,
    ) -> Result<bool, Error> {
        let values = (
            attempt,
            &new.name,
            &new.name_key,
            &new.email,
            &new.email_key,
            &new.password,
            new.created_micros,
            user,
            before,
        );
        decide(&*self.session, &self.begin_anew, values).await
    }

    /// Ends a registration well: from here on the user is one.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn join(&self, user: UserId, attempt: Uuid) -> Result<bool, Error> {
        decide(&*self.session, &self.join, (user, attempt)).await
    }

    /// Ends a registration that came to nothing, for good.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn abandon(&self, user: UserId, attempt: Uuid) -> Result<bool, Error> {
        decide(&*self.session, &self.abandon, (user, attempt)).await
    }

    /// Gives up a user who never confirmed the address.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn give_up(&self, user: UserId, created_micros: i64) -> Result<bool, Error> {
        decide(&*self.session, &self.give_up, (user, created_micros)).await
    }

    /// Confirms the address, if it is that one.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn verify(&self, user: UserId, email_key: &str) -> Result<bool, Error> {
        decide(&*self.session, &self.verify, (user, email_key)).await
    }

    /// Writes down that a change of name or address begins, in place of one that is seen there.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn plan(&self, seen: &User, attempt: Uuid) -> Result<bool, Error> {
        let values = (attempt, seen.id, seen.state.name(), seen.attempt);
        decide(&*self.session, &self.plan, values).await
    }

    /// Changes the name, if the change is still under way.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn rename(
        &self,
        user: UserId,
        attempt: Uuid,
        name: &str,
        name_key: &str,
    ) -> Result<bool, Error> {
        let values = (name, name_key, user, attempt);
        decide(&*self.session, &self.rename, values).await
    }

    /// Changes the address, if the change is still under way.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn readdress(
        &self,
        user: UserId,
        attempt: Uuid,
        email: &str,
        email_key: &str,
    ) -> Result<bool, Error> {
        let values = (email, email_key, user, attempt);
        decide(&*self.session, &self.readdress, values).await
    }

    /// Ends a change of name or address that came to nothing, for good.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn drop_plan(&self, user: UserId, attempt: Uuid) -> Result<bool, Error> {
        decide(&*self.session, &self.drop_plan, (user, attempt)).await
    }

    /// Sets the password in place of the one that was seen, and ends all logins.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn set_password(
        &self,
        seen: &User,
        password: &str,
        by: RequestId,
        now_micros: i64,
    ) -> Result<bool, Error> {
        let values = (
            password,
            by,
            now_micros,
            seen.id,
            seen.state.name(),
            &seen.password,
        );
        decide(&*self.session, &self.set_password, values).await
    }

    /// Writes the name of a user in the world; whether the user is still in the state that was seen.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn set_real_name(&self, seen: &User, name: &RealName) -> Result<bool, Error> {
        let state = seen.state.name();
        let values = (&name.first, &name.last, name.is_shown, seen.id, state);
        decide(&*self.session, &self.set_real_name, values).await
    }

    /// Ends an account and erases what is personal.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn end(&self, seen: &User, ending: &Ending) -> Result<bool, Error> {
        let values = (
            ending.state.name(),
            ending.id,
            ending.by,
            &ending.reason,
            ending.into,
            seen.id,
            seen.state.name(),
        );
        decide(&*self.session, &self.end, values).await
    }
}

impl UserRow {
    fn user(self) -> Result<User, Error> {
        let state = self.state.as_deref().and_then(UserState::of_name);
        let state = state.ok_or_else(|| {
            let what = format!(
                "the user {} has an unknown state, {:?}",
                self.user, self.state
            );
            Error::not_applied(ErrorKind::Value, what)
        })?;
        let (ended_by, into) = (self.ended_by, self.merged_into);
        let reason = self.ended_reason.unwrap_or_default();
        let ending = self.ending.filter(|_| state.has_ended()).map(|id| Ending {
            state,
            id,
            by: ended_by.unwrap_or(self.user),
            reason,
            into,
        });
        Ok(User {
            id: self.user,
            state,
            name: self.name.unwrap_or_default(),
            name_key: self.name_key.unwrap_or_default(),
            email: self.email.unwrap_or_default(),
            email_key: self.email_key.unwrap_or_default(),
            password: self.password.unwrap_or_default(),
            password_by: self.password_by,
            created_micros: self.created_micros.unwrap_or(0),
            logins_from_micros: self.logins_from_micros.unwrap_or(0),
            attempt: self.attempt,
            ending,
            real_name: RealName {
                first: self.first_name.unwrap_or_default(),
                last: self.last_name.unwrap_or_default(),
                is_shown: self.show_real_name.unwrap_or(false),
            },
        })
    }
}
