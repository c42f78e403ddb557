//! Changing one's name: the new one is claimed, then taken, then the old one is given back.
//!
//! What somebody else plainly has is refused before anything is written. Then the change is written
//! down in the user's row before the claim, as a registration is; whoever dies in the middle is
//! cleared away by the sweep.

use super::claim::busy;
use crate::model::{NotDone, UserId};
use crate::rules::claims::{ClaimKind, ClaimState, is_later};
use crate::rules::names::Name;
use crate::votes::Votes;

impl Votes {
    /// Changes the name of a user. Asking again does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn change_name(&self, user: UserId, name: &str) -> Result<(), NotDone> {
        let name = Name::of(name)?;
        let attempt = self.ids.time_uuid();
        let users = &self.tables.users;
        let seen = self.user(user).await?;
        if seen.name == name.shown {
            return Ok(());
        }
        let is_new = seen.name_key != name.key;
        if is_new && self.is_anothers(ClaimKind::Name, &name.key, user).await? {
            return Err(self.why_not(&name).await?.into());
        }
        let is_planned = is_later(attempt, seen.attempt) && users.plan(&seen, attempt).await?;
        // The first answer may have been lost, and then the second one says no.
        if !is_planned && self.user(user).await?.attempt != Some(attempt) {
            return Err(busy("the account was changed meanwhile").into());
        }
        if is_new
            && !self
                .reserve(ClaimKind::Name, &name.key, user, attempt)
                .await?
        {
            users.drop_plan(user, attempt).await?;
            return Err(self.why_not(&name).await?.into());
        }
        users.rename(user, attempt, &name.shown, &name.key).await?;
        let now = self.user(user).await?;
        if now.name != name.shown {
            return Err(busy("the account was changed meanwhile").into());
        }
        if is_new {
            self.own(ClaimKind::Name, &name.key, attempt).await?;
            let claims = self.tables.claims.of(ClaimKind::Name);
            let old = claims.read(&seen.name_key).await?;
            let old = old.filter(|claim| claim.user == Some(user));
            if let Some(claim) = old.filter(|claim| claim.state != ClaimState::Released) {
                self.settle_claim(ClaimKind::Name, &claim).await?;
            }
        }
        Ok(())
    }
}
