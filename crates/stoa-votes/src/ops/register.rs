//! Registering: a new account with a name and an address that nobody else has.
//!
//! 1. Read both claims: what somebody else plainly has is refused, and nothing was written.
//! 2. Write the user as joining, with the attempt. Nobody sees it.
//! 3. Reserve the address, then the name, for the attempt; others may have come between.
//! 4. The user joins, if the attempt is still the one: from here on the account exists.
//! 5. Own both claims, record what tells of a second account, and put the mail with the link into
//!    the outbox.
//!
//! The user's identifier follows from the request, so asking again goes on where it stopped, with
//! an attempt of its own. Whoever dies leaves reservations that expire; then others may end the
//! attempt (`ops/claim.rs`).
//!
//! Whether an address has an account is nobody's business. So whoever registers quietly with one
//! that has gets an account apart: one that has the name and the password, claims no address and can
//! never be confirmed. It looks like any other until it is given up, as all are that are not
//! confirmed; and the address hears of it by mail.

use std::collections::BTreeMap;

use stoa_session::{Error, ErrorKind};
use uuid::Uuid;

use super::claim::busy;
use super::sign_in::Origin;
use crate::model::{AccountRefusal, Day, NotDone, RequestId, User, UserId, UserState};
use crate::rules::claims::{ClaimKind, is_later};
use crate::rules::names::{Email, Name};
use crate::rules::passwords::{check_password, hash_password, is_password};
use crate::rules::secrets::{Secret, derived_id, digest, registered_user};
use crate::tables::outbox::Mail;
use crate::tables::tokens::{SentTo, Token, TokenKind};
use crate::tables::users::NewUser;
use crate::votes::Votes;

/// What somebody brings to become a user.
#[derive(Clone, PartialEq, Eq)]
pub struct Registration {
    /// What the client calls it, so that it can ask again.
    pub request: RequestId,
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
    /// The password.
    pub password: String,
    /// From where, if that is known. Of it the network is kept and a digest of the browser, for 90
    /// days.
    pub origin: Option<Origin>,
}

impl std::fmt::Debug for Registration {
    /// Without the password: this ends in logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Registration({})", self.request)
    }
}

impl Votes {
    /// Registers a user, who then confirms the address by the link in the mail. Hashing the
    /// password keeps a thread busy for some ten milliseconds.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn register(&self, registration: &Registration) -> Result<UserId, NotDone> {
        let key = Email::of(&registration.email).map(|email| email_key(&email));
        self.register_as(registration, key.unwrap_or_default())
            .await
    }

    /// The same, and nobody learns whether the address has an account: the answers are alike, and
    /// whoever has it is told by mail.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn register_quietly(&self, registration: &Registration) -> Result<UserId, NotDone> {
        let apart = [AccountRefusal::EmailTaken, AccountRefusal::RequestReused];
        match self.register(registration).await {
            // The second where it was asked before: the account apart has the request's identifier.
            Err(not_done) if apart.iter().any(|it| it.code() == not_done.code()) => {
                let request = registration.request.to_string();
                let key = digest("apart", request.as_bytes());
                self.register_as(registration, key).await
            }
            done => done,
        }
    }

    async fn register_as(
        &self,
        registration: &Registration,
        email_key: String,
    ) -> Result<UserId, NotDone> {
        let name = Name::of(&registration.name)?;
        let email = Email::of(&registration.email)?;
        check_password(&registration.password)?;
        let user = registered_user(registration.request);
        let new = NewUser {
            name: name.shown.clone(),
            name_key: name.key.clone(),
            email_key,
            email: email.shown.clone(),
            password: self.hashed(&registration.password)?,
            created_micros: self.clock.now_micros(),
        };
        let attempt = self.ids.time_uuid();
        let joined = match self.begin(user, attempt, &new, &name).await? {
            Some(before) => before,
            None => self.join(user, attempt, &new, &name).await?,
        };
        let is_same = joined.name_key == new.name_key
            && joined.email_key == new.email_key
            && is_password(
                &registration.password,
                Some(&joined.password),
                self.settings.passwords,
            );
        if joined.state.has_ended() || !is_same {
            return Err(AccountRefusal::RequestReused.into());
        }
        if joined.state == UserState::Unverified {
            // Before the mail: whoever confirms the address was looked at.
            self.note_registration(&joined, &email, registration.origin.as_ref())
                .await?;
            let id = derived_id("verification", registration.request);
            self.send_link(TokenKind::Verify, &joined, id, joined.joined())
                .await?;
        }
        Ok(user)
    }

    /// Writes the user as joining by this attempt, unless the user has joined: then that one. What
    /// somebody else plainly has is refused first.
    async fn begin(
        &self,
        user: UserId,
        attempt: Uuid,
        new: &NewUser,
        claimed: &Name,
    ) -> Result<Option<User>, NotDone> {
        let users = &self.tables.users;
        for _ in 0..self.settings.attempts {
            let before = match users.read(user).await? {
                None => {
                    self.check_claims(user, new, claimed).await?;
                    if users.begin(user, attempt, new).await? {
                        return Ok(None);
                    }
                    continue;
                }
                Some(known) if known.state != UserState::Joining => return Ok(Some(known)),
                Some(known) => known.attempt,
            };
            if before == Some(attempt) {
                return Ok(None);
            }
            let Some(before) = before.filter(|before| is_later(attempt, Some(*before))) else {
                return Err(busy("a later attempt of the same is under way").into());
            };
            if users.begin_anew(user, before, attempt, new).await? {
                return Ok(None);
            }
        }
        Err(busy("the same was asked too often at once").into())
    }

    /// Refuses what somebody else plainly has. Both claims are read for either answer, so that they
    /// take the same time.
    async fn check_claims(
        &self,
        user: UserId,
        new: &NewUser,
        claimed: &Name,
    ) -> Result<(), NotDone> {
        let (email, name) = (&new.email_key, &new.name_key);
        let is_email_taken = self.is_anothers(ClaimKind::Email, email, user).await?;
        let is_name_taken = self.is_anothers(ClaimKind::Name, name, user).await?;
        match (is_email_taken, is_name_taken) {
            (true, _) => Err(AccountRefusal::EmailTaken.into()),
            (false, true) => Err(self.why_not(claimed).await?.into()),
            (false, false) => Ok(()),
        }
    }

    async fn join(
        &self,
        user: UserId,
        attempt: Uuid,
        new: &NewUser,
        claimed: &Name,
    ) -> Result<User, NotDone> {
        let users = &self.tables.users;
        let (email, name) = (&new.email_key, &new.name_key);
        if !self.reserve(ClaimKind::Email, email, user, attempt).await? {
            users.abandon(user, attempt).await?;
            return Err(AccountRefusal::EmailTaken.into());
        }
        if !self.reserve(ClaimKind::Name, name, user, attempt).await? {
            // The attempt ends first, and then what it reserved is given back.
            users.abandon(user, attempt).await?;
            self.unreserve(ClaimKind::Email, email, attempt).await?;
            return Err(self.why_not(claimed).await?.into());
        }
        users.join(user, attempt).await?;
        let joined = users.read(user).await?;
        let joined = joined.filter(|it| it.state != UserState::Joining);
        let joined = joined.ok_or_else(|| busy("the same was asked once more meanwhile"))?;
        self.own(ClaimKind::Email, email, attempt).await?;
        self.own(ClaimKind::Name, name, attempt).await?;
        Ok(joined)
    }

    /// Puts a mail with a link for the address of a user into the outbox, unless it is there. Of an
    /// account apart, whoever has the address is told of it instead.
    pub(crate) async fn send_link(
        &self,
        kind: TokenKind,
        user: &User,
        id: Uuid,
        day: Day,
    ) -> Result<(), Error> {
        match is_apart(user) {
            true => self.tell_in_use(&user.email, id, day).await,
            false => {
                let to = SentTo::of(user);
                self.send_link_to(kind, user, &to, id, day).await
            }
        }
    }

    /// Puts a mail with a link into the outbox, unless it is there. The secret stands in the mail
    /// alone; what is kept of it is written first, so every link that is sent is good.
    pub(crate) async fn send_link_to(
        &self,
        kind: TokenKind,
        user: &User,
        to: &SentTo,
        id: Uuid,
        day: Day,
    ) -> Result<(), Error> {
        let now = self.clock.now_micros();
        let secret = self.secret();
        let token = Token {
            kind,
            user: user.id,
            sent_to: to.clone(),
            expires_micros: now + i64::from(kind.seconds()) * 1_000_000,
            used_for: None,
        };
        self.tables.tokens.write(&secret.digest(), &token).await?;
        let fields = [("name", user.name.as_str()), ("token", secret.reveal())];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mail = Mail {
            day,
            id,
            recipient: to.email.clone(),
            kind: kind.name().to_owned(),
            fields: BTreeMap::from(fields),
            created_micros: now,
        };
        self.tables.outbox.put(&mail).await.map(|_| ())
    }

    /// Tells whoever has an address, a few times an hour at most, that somebody else wanted it.
    pub(crate) async fn tell_in_use(&self, email: &str, id: Uuid, day: Day) -> Result<(), Error> {
        let Some(holder) = self.find_user(email).await? else {
            return Ok(());
        };
        let who = format!("in use {}", holder.email_key);
        if !self.may_send_link(&who).await? {
            return Ok(());
        }
        let mail = Mail {
            day,
            id,
            recipient: holder.email,
            kind: "address_in_use".to_owned(),
            fields: BTreeMap::from([("name".to_owned(), holder.name)]),
            created_micros: self.clock.now_micros(),
        };
        self.tables.outbox.put(&mail).await.map(|_| ())
    }

    pub(crate) fn secret(&self) -> Secret {
        Secret::of_random([(); 4].map(|()| self.ids.random_u64()))
    }

    /// The hash of a password, with a new salt.
    pub(crate) fn hashed(&self, password: &str) -> Result<String, Error> {
        let salt = (u128::from(self.ids.random_u64()) << 64) | u128::from(self.ids.random_u64());
        let hash = hash_password(password, &salt.to_be_bytes(), self.settings.passwords);
        hash.map_err(|bad| Error::not_applied(ErrorKind::Configuration, bad.to_string()))
    }
}

/// Whether an account is one apart: another one has its address.
fn is_apart(user: &User) -> bool {
    let key = Email::of(&user.email).map(|email| email_key(&email));
    key.is_ok_and(|key| key != user.email_key)
}

/// An address as it is claimed: its digest, since claims outlive accounts.
pub(crate) fn email_key(email: &Email) -> String {
    digest("email", email.key.as_bytes())
}
