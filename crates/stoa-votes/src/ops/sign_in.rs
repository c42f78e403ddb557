//! Signing in and out. Whoever is unknown, and whoever has another password, hears the same after
//! the same work.

use std::net::IpAddr;

use stoa_session::Error;

use super::account::Account;
use super::register::email_key;
use crate::model::{AccountRefusal, By, NotDone, Role, User, UserId, UserState};
use crate::rules::claims::{ClaimKind, ClaimState};
use crate::rules::names::{Email, Name};
use crate::rules::passwords::is_password;
use crate::rules::secrets::{Secret, digest};
use crate::tables::logins::{Login, LoginRecord};
use crate::votes::Votes;

/// How long somebody who was seen is not written down as seen again: an hour.
const SEEN_MICROS: i64 = 3_600_000_000;

/// From where somebody signs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The address, of which the first part is kept.
    pub address: IpAddr,
    /// What the browser says about itself, of which a digest is kept.
    pub agent: String,
}

impl Origin {
    /// The network: 24 bits of an old address, 48 of a new one.
    #[must_use]
    pub fn network(&self) -> String {
        match self.address.to_canonical() {
            IpAddr::V4(address) => {
                let [a, b, c, _] = address.octets();
                format!("{a}.{b}.{c}.0/24")
            }
            IpAddr::V6(address) => {
                let [a, b, c, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}::/48")
            }
        }
    }

    /// A digest of what the browser says.
    #[must_use]
    pub fn agent_digest(&self) -> String {
        digest("agent", self.agent.as_bytes())
    }
}

/// What tries to sign in are counted by: the same for every way to write a name or an address that
/// finds the same account, names that look alike included.
#[must_use]
pub fn counted_as(name_or_email: &str) -> String {
    let text = name_or_email.trim();
    let key = match (Email::of(text), Name::of(text)) {
        (Ok(email), _) => email_key(&email),
        (_, Ok(name)) => name.key,
        _ => text.to_lowercase(),
    };
    digest("sign in", key.as_bytes())
}

impl Votes {
    /// Signs in by a name, or by an address once it is confirmed: before, whoever registers with the
    /// address of another could learn by it whether that one has an account. The secret is for the cookie, and is told this once.
    /// Hashing the password keeps a thread busy for some ten milliseconds.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown; then it is tried anew.
    pub async fn sign_in(
        &self,
        name_or_email: &str,
        password: &str,
        origin: &Origin,
    ) -> Result<(User, Secret), NotDone> {
        let user = self.find_user(name_or_email).await?;
        let is_address = Email::of(name_or_email).is_ok();
        let user = user.filter(|user| user.state.is_confirmed() || !is_address);
        let hash = user.as_ref().map(|user| user.password.as_str());
        let is_right = is_password(password, hash, self.settings.passwords);
        let user = user.filter(|_| is_right);
        let user = user.ok_or(AccountRefusal::WrongCredentials)?;
        let at = self.ids.time_uuid();
        let record = LoginRecord {
            at,
            network: origin.network(),
            agent: origin.agent_digest(),
        };
        self.tables.logins.record(user.id, &record).await?;
        if user.state == UserState::Active && self.config().await?.on(self.today()).only_present {
            let joined = user.joined();
            let user = user.id;
            self.statement(Account { user, joined }).await?;
        }
        let now = self.clock.now_micros().max(user.logins_from_micros);
        let login = Login {
            user: user.id,
            created_micros: now,
            seen_micros: now,
        };
        let (secret, network) = (self.secret(), origin.network());
        let logins = &self.tables.logins;
        logins.write(&secret.digest(), login, &network).await?;
        Ok((user, secret))
    }

    /// Who is signed in by a cookie: until nobody comes for 30 days, and for 180 days at most.
    ///
    /// # Errors
    /// That nobody is, or those of the session.
    pub async fn signed_in(&self, secret: &Secret) -> Result<User, NotDone> {
        let digest = secret.digest();
        let login = self.tables.logins.read(&digest).await?;
        let login = login.ok_or(AccountRefusal::NotSignedIn)?;
        let user = self.tables.users.read(login.user).await?;
        let now = self.clock.now_micros();
        let user = user.filter(|user| {
            matches!(user.state, UserState::Unverified | UserState::Active)
                && login.created_micros >= user.logins_from_micros
                && now < login.until_micros()
        });
        let user = user.ok_or(AccountRefusal::NotSignedIn)?;
        if now - login.seen_micros > SEEN_MICROS {
            let seen_micros = now;
            let login = Login {
                seen_micros,
                ..login
            };
            let logins = &self.tables.logins;
            let network = logins.network(user.id, &digest).await?;
            logins.write(&digest, login, &network).await?;
        }
        Ok(user)
    }

    /// Signs out.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn sign_out(&self, secret: &Secret) -> Result<(), NotDone> {
        let digest = secret.digest();
        if let Some(login) = self.tables.logins.read(&digest).await? {
            let now = self.clock.now_micros();
            self.tables.logins.delete(&digest, login, now).await?;
        }
        Ok(())
    }

    /// When and from where a user signed in, the last first, of 90 days. Users see their own; others
    /// need the role of editing users, and that they looked is in the audit log.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn sign_ins(&self, by: By, user: UserId) -> Result<Vec<LoginRecord>, NotDone> {
        if by != By::User(user) {
            self.demand(by, Role::EditUsers).await?;
        }
        self.user(user).await?;
        if by != By::User(user) {
            let whose = user.to_string();
            self.note_reading(by, "read_sign_ins", &whose).await?;
        }
        Ok(self.tables.logins.records(user).await?)
    }

    /// The user of a name or an address, who may sign in.
    pub(crate) async fn find_user(&self, name_or_email: &str) -> Result<Option<User>, Error> {
        let (kind, key) = match (Email::of(name_or_email), Name::of(name_or_email.trim())) {
            (Ok(email), _) => (ClaimKind::Email, email_key(&email)),
            (_, Ok(name)) => (ClaimKind::Name, name.key),
            _ => return Ok(None),
        };
        let claim = self.tables.claims.of(kind).read(&key).await?;
        let claim = claim.filter(|claim| claim.state != ClaimState::Released);
        let Some(holder) = claim.and_then(|claim| claim.user) else {
            return Ok(None);
        };
        let user = self.tables.users.read(holder).await?;
        Ok(user.filter(|user| {
            matches!(user.state, UserState::Unverified | UserState::Active)
                && kind.key_of(user) == key
        }))
    }
}
