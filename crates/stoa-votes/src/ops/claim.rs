//! Claiming names and addresses: reserving one for an attempt, and finding out what a claim that
//! somebody left behind is worth.
//!
//! Invariant: a claim is given back only when the attempt that made it can never come to anything,
//! or its user has moved on. The attempt stands in the user's row from before the claim is made
//! until it is decided there; so the row is read after the claim, and what is under way is ended in
//! the row first.

use stoa_session::{Error, ErrorKind};
use uuid::Uuid;

use crate::model::{AccountRefusal, UserId};
use crate::rules::claims::{BLOCKED_MICROS, Claim, ClaimKind, ClaimState, RESERVED_MICROS, Worth};
use crate::rules::names::{Name, is_same_name};
use crate::votes::Votes;

/// What became of a claim that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settled {
    /// Somebody has it.
    Kept,
    /// Nobody has it any more, or others changed it meanwhile.
    Given,
}

impl Votes {
    /// Reserves something for an attempt that stands in the user's row; whether it is reserved.
    pub(crate) async fn reserve(
        &self,
        kind: ClaimKind,
        key: &str,
        user: UserId,
        attempt: Uuid,
    ) -> Result<bool, Error> {
        let claims = self.tables.claims.of(kind);
        for _ in 0..self.settings.attempts {
            let now = self.clock.now_micros();
            let until = now + RESERVED_MICROS;
            let Some(claim) = claims.read(key).await? else {
                if claims.insert(key, user, attempt, until).await? {
                    return Ok(true);
                }
                continue;
            };
            let is_released = claim.state == ClaimState::Released;
            if claim.attempt == attempt && !is_released {
                return Ok(true);
            }
            let is_own = claim.user == Some(user);
            if is_own && !claim.yields_to(attempt) {
                return Err(busy("a later attempt of the same is under way"));
            }
            if (is_released && claim.is_over(now)) || is_own {
                if claims.retake(&claim, user, attempt, until).await? {
                    return Ok(true);
                }
                continue;
            }
            if claim.is_held(now) || self.settle_claim(kind, &claim).await? == Settled::Kept {
                return Ok(false);
            }
        }
        Err(busy("too many others claimed the same"))
    }

    /// Whether somebody else plainly has something, so that reserving it could only be refused. Who
    /// asks this first writes nothing in vain; that it is free says nothing yet.
    pub(crate) async fn is_anothers(
        &self,
        kind: ClaimKind,
        key: &str,
        user: UserId,
    ) -> Result<bool, Error> {
        let claim = self.tables.claims.of(kind).read(key).await?;
        let now = self.clock.now_micros();
        Ok(claim.is_some_and(|claim| claim.user != Some(user) && claim.is_held(now)))
    }

    /// Why a name cannot be had that was not reserved: somebody has it, or one that looks like it.
    /// It is found out by the same reads for both. Who has the name may not be known any more; then
    /// it is taken.
    pub(crate) async fn why_not(&self, name: &Name) -> Result<AccountRefusal, Error> {
        let claims = self.tables.claims.of(ClaimKind::Name);
        let holder = claims.read(&name.key).await?.and_then(|claim| claim.user);
        let holder = match holder {
            Some(user) => self.tables.users.read(user).await?,
            None => None,
        };
        // Whoever is about to take a name, or has another one by now, is not called so.
        let called = holder.filter(|user| user.name_key == name.key);
        match called.is_some_and(|user| !is_same_name(&user.name, &name.shown)) {
            true => Ok(AccountRefusal::NameLooksAlike),
            false => Ok(AccountRefusal::NameTaken),
        }
    }

    /// Makes what an attempt reserved its user's own. Should others have done so, it is well.
    pub(crate) async fn own(&self, kind: ClaimKind, key: &str, attempt: Uuid) -> Result<(), Error> {
        let claims = self.tables.claims.of(kind);
        claims.own(key, attempt).await.map(|_| ())
    }

    /// Gives back what one attempt reserved and did not get to own; the attempt must have ended.
    pub(crate) async fn unreserve(
        &self,
        kind: ClaimKind,
        key: &str,
        attempt: Uuid,
    ) -> Result<(), Error> {
        let claims = self.tables.claims.of(kind);
        match claims.read(key).await? {
            Some(claim) if claim.attempt == attempt && claim.state == ClaimState::Reserved => {
                claims.release(&claim, None).await.map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// Finds out what a claim is worth, and gives it back if that is nothing.
    pub(crate) async fn settle_claim(
        &self,
        kind: ClaimKind,
        claim: &Claim,
    ) -> Result<Settled, Error> {
        let (claims, users) = (self.tables.claims.of(kind), &self.tables.users);
        let Some(holder) = claim.user else {
            return Ok(Settled::Given);
        };
        for _ in 0..self.settings.attempts {
            let now = self.clock.now_micros();
            let user = users.read(holder).await?;
            let is_left = claim.is_over(now);
            let until = match (claim.worth(kind, user.as_ref(), now), user) {
                (Worth::Joining(_) | Worth::Changing(_), _) if !is_left => {
                    return Ok(Settled::Kept);
                }
                (Worth::Joining(attempt), _) => {
                    users.abandon(holder, attempt).await?;
                    continue;
                }
                (Worth::Changing(attempt), _) => {
                    users.drop_plan(holder, attempt).await?;
                    continue;
                }
                (Worth::Unconfirmed, Some(user)) => {
                    users.give_up(holder, user.created_micros).await?;
                    continue;
                }
                (Worth::Held, _) => {
                    if claim.state == ClaimState::Reserved {
                        claims.own(&claim.key, claim.attempt).await?;
                    }
                    return Ok(Settled::Kept);
                }
                (Worth::Ended, Some(user)) => {
                    self.finish_ending(&user).await?;
                    blocked_until(kind, user.ending.map(|ending| ending.at_micros()))
                }
                (Worth::Nothing | Worth::Ended | Worth::Unconfirmed, _) => None,
            };
            claims.release(claim, until).await?;
            return Ok(Settled::Given);
        }
        Err(busy("an account changed each time its claim was looked at"))
    }
}

/// Until when nobody may have what an account had that ended.
fn blocked_until(kind: ClaimKind, ended_micros: Option<i64>) -> Option<i64> {
    match kind {
        ClaimKind::Name => ended_micros.map(|at| at.saturating_add(BLOCKED_MICROS)),
        ClaimKind::Email => None,
    }
}

/// That others came between too often; nothing is known to have been done.
pub(crate) fn busy(what: &str) -> Error {
    Error::unknown(ErrorKind::Unavailable, what)
}
