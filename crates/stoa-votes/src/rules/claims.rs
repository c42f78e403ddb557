//! Claims of names and addresses: who has one, judged by the row of the user who made it.
//!
//! A claim is made by an attempt of a user, which is written down in the user's row before. So the
//! row tells what a claim is worth: the attempt is under way; it came to something; or it can never
//! come to anything, and only then is the claim given back. That a reservation has expired says no
//! more than that somebody may look: whoever wants to take it ends the attempt first.

use stoa_types::time_uuid;
use uuid::Uuid;

use crate::model::{User, UserId, UserState};

/// How long a reservation is left alone.
pub const RESERVED_MICROS: i64 = 900_000_000;
/// How long nobody may have the name of an account that ended: 90 days.
pub const BLOCKED_MICROS: i64 = 90 * 86_400_000_000;
/// How long an address may stay unconfirmed before the account is given up: 7 days.
pub const UNVERIFIED_MICROS: i64 = 7 * 86_400_000_000;

/// What is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimKind {
    /// A name.
    Name,
    /// An e-mail address, by its digest.
    Email,
}

impl ClaimKind {
    /// What a user has of the kind, as it is claimed.
    #[must_use]
    pub fn key_of(self, user: &User) -> &str {
        match self {
            Self::Name => &user.name_key,
            Self::Email => &user.email_key,
        }
    }
}

/// The state of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClaimState {
    /// Somebody is about to own it.
    Reserved,
    /// Somebody owns it.
    Owned,
    /// Nobody has it any more.
    Released,
}

impl ClaimState {
    /// Every state with its name in tables.
    const NAMES: [(Self, &'static str); 3] = [
        (Self::Reserved, "reserved"),
        (Self::Owned, "owned"),
        (Self::Released, "released"),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(state, _)| *state == self);
        found.map_or("", |(_, name)| name)
    }

    /// The state of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(state, _)| *state)
    }
}

/// A claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What it is of.
    pub key: String,
    /// Its state.
    pub state: ClaimState,
    /// Who has it, unless it is released.
    pub user: Option<UserId>,
    /// The attempt that made it; a time UUID, so it says since when. No two are the same.
    pub attempt: Uuid,
    /// Until when a reservation is left alone, or a released name stays blocked.
    pub until_micros: Option<i64>,
}

impl Claim {
    /// Whether its time is over, or it has none.
    #[must_use]
    pub fn is_over(&self, now_micros: i64) -> bool {
        self.until_micros.is_none_or(|until| until <= now_micros)
    }

    /// Whether nobody but its user can have it now, whatever the row of its user says: it is owned, or
    /// its time is not over.
    #[must_use]
    pub fn is_held(&self, now_micros: i64) -> bool {
        self.state == ClaimState::Owned || !self.is_over(now_micros)
    }

    /// What it is worth, by the row of its user, which was read after it.
    #[must_use]
    pub fn worth(&self, kind: ClaimKind, user: Option<&User>, now_micros: i64) -> Worth {
        let Some(user) = user else {
            return Worth::Nothing;
        };
        let is_joining = user.state == UserState::Joining;
        let is_own = kind.key_of(user) == self.key && !is_joining;
        match (user.state, user.attempt, self.state) {
            (state, ..) if state.has_ended() => Worth::Ended,
            (UserState::Unverified, ..)
                if is_own && user.created_micros + UNVERIFIED_MICROS <= now_micros =>
            {
                Worth::Unconfirmed
            }
            _ if is_own => Worth::Held,
            // Whichever attempt reserved it, the one that is under way may be about to use it.
            (UserState::Joining, Some(attempt), ClaimState::Reserved) => Worth::Joining(attempt),
            (_, Some(attempt), ClaimState::Reserved) => Worth::Changing(attempt),
            // An attempt that wants what is owned reserves it first, and then it is another claim.
            _ => Worth::Nothing,
        }
    }

    /// Whether an attempt of the same user may take it over: a later one, so that no attempt that
    /// was overtaken comes back.
    #[must_use]
    pub fn yields_to(&self, attempt: Uuid) -> bool {
        is_later(attempt, Some(self.attempt))
    }
}

/// Whether an attempt is later than another one, if there is one.
#[must_use]
pub fn is_later(attempt: Uuid, than: Option<Uuid>) -> bool {
    than.is_none_or(|than| time_uuid::compare(&than, &attempt).is_lt())
}

/// What a claim is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// A registration is under way, by this attempt.
    Joining(Uuid),
    /// A change of name or address is under way, by this attempt.
    Changing(Uuid),
    /// It is what its user is called, or where mail is sent to.
    Held,
    /// Its user never confirmed the address, and had the time to.
    Unconfirmed,
    /// The account of its user has ended.
    Ended,
    /// Its attempt came to nothing, or its user moved on.
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RealName;

    fn user(state: UserState, attempt: Option<Uuid>) -> User {
        User {
            id: UserId(Uuid::from_u128(1)),
            state,
            name: "Ada".to_owned(),
            name_key: "ada".to_owned(),
            email: String::new(),
            email_key: String::new(),
            password: String::new(),
            password_by: None,
            created_micros: 0,
            logins_from_micros: 0,
            attempt,
            ending: None,
            real_name: RealName::default(),
        }
    }

    #[test]
    fn a_claim_is_worth_what_the_row_of_its_user_says() {
        let attempt = Uuid::from_u128(7);
        let of = |key: &str| Claim {
            key: key.to_owned(),
            state: ClaimState::Reserved,
            user: Some(UserId(Uuid::from_u128(1))),
            attempt,
            until_micros: Some(10),
        };
        let worth = |key, user: Option<User>| of(key).worth(ClaimKind::Name, user.as_ref(), 5);
        assert_eq!(worth("ada", None), Worth::Nothing);
        let (mine, other) = (Some(attempt), Some(Uuid::from_u128(8)));
        let (joining, active) = (UserState::Joining, UserState::Active);
        let by = |attempt: Option<Uuid>| attempt.unwrap();
        assert_eq!(
            worth("ada", Some(user(joining, mine))),
            Worth::Joining(by(mine))
        );
        assert_eq!(
            worth("ada", Some(user(joining, other))),
            Worth::Joining(by(other))
        );
        assert_eq!(
            worth("eve", Some(user(active, other))),
            Worth::Changing(by(other))
        );
        assert_eq!(worth("eve", Some(user(active, None))), Worth::Nothing);
        assert_eq!(worth("ada", Some(user(active, other))), Worth::Held);
        assert_eq!(
            worth("ada", Some(user(UserState::Unverified, None))),
            Worth::Held
        );
        assert_eq!(
            worth("ada", Some(user(UserState::Left, None))),
            Worth::Ended
        );
        let late = of("ada").worth(
            ClaimKind::Name,
            Some(&user(UserState::Unverified, None)),
            UNVERIFIED_MICROS,
        );
        assert_eq!(late, Worth::Unconfirmed);
        assert!(of("ada").is_over(10) && !of("ada").is_over(9));
        assert!(of("ada").is_held(9) && !of("ada").is_held(10));
        let owned = Claim {
            state: ClaimState::Owned,
            until_micros: None,
            ..of("ada")
        };
        assert!(owned.is_held(10));
    }
}
