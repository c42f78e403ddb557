//! Changing what an account has and nobody else may have, its name or its address: the new one is
//! claimed, then taken, then the old one is given back.
//!
//! What somebody else plainly has is refused before anything is written. Then the change is written
//! down in the user's row before the claim, as a registration is; whoever dies in the middle is
//! cleared away by the sweep.

use super::claim::busy;
use crate::model::{NotDone, User, UserId};
use crate::rules::claims::{ClaimKind, ClaimState, is_later};
use crate::votes::Votes;

/// What an account is to have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) kind: ClaimKind,
    /// As it is shown, or as mail is sent to it.
    pub(crate) shown: &'a str,
    /// As it is claimed.
    pub(crate) key: &'a str,
}

impl Wanted<'_> {
    fn is_shown_by(&self, user: &User) -> bool {
        match self.kind {
            ClaimKind::Name => user.name == self.shown,
            ClaimKind::Email => user.email == self.shown && user.email_key == self.key,
        }
    }
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    /// The account has it.
    Done,
    /// Somebody else has it, and nothing was changed.
    Anothers,
}

impl Votes {
    /// Changes the name or the address of a user. Asking again does no harm.
    pub(crate) async fn change_claimed(
        &self,
        user: UserId,
        wanted: Wanted<'_>,
    ) -> Result<Changed, NotDone> {
        let Wanted { kind, shown, key } = wanted;
        let attempt = self.ids.time_uuid();
        let users = &self.tables.users;
        let seen = self.user(user).await?;
        if wanted.is_shown_by(&seen) {
            return Ok(Changed::Done);
        }
        let is_new = kind.key_of(&seen) != key;
        if is_new && self.is_anothers(kind, key, user).await? {
            return Ok(Changed::Anothers);
        }
        let is_planned = is_later(attempt, seen.attempt) && users.plan(&seen, attempt).await?;
        // The first answer may have been lost, and then the second one says no.
        if !is_planned && self.user(user).await?.attempt != Some(attempt) {
            return Err(busy("the account was changed meanwhile").into());
        }
        if is_new && !self.reserve(kind, key, user, attempt).await? {
            users.drop_plan(user, attempt).await?;
            return Ok(Changed::Anothers);
        }
        match kind {
            ClaimKind::Name => users.rename(user, attempt, shown, key).await?,
            ClaimKind::Email => users.readdress(user, attempt, shown, key).await?,
        };
        if !wanted.is_shown_by(&self.user(user).await?) {
            return Err(busy("the account was changed meanwhile").into());
        }
        if is_new {
            self.own(kind, key, attempt).await?;
            let old = self.tables.claims.of(kind).read(kind.key_of(&seen)).await?;
            let old = old.filter(|claim| claim.user == Some(user));
            if let Some(claim) = old.filter(|claim| claim.state != ClaimState::Released) {
                self.settle_claim(kind, &claim).await?;
            }
        }
        Ok(Changed::Done)
    }
}
