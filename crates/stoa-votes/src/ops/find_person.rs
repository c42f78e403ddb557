//! Finding somebody by name, for the page that everybody may read.

use crate::model::{AccountRefusal, NotDone, User, UserState};
use crate::rules::claims::{ClaimKind, ClaimState};
use crate::rules::names::Name;
use crate::votes::Votes;

impl Votes {
    /// Who has a name, or one that is claimed alike. An address is no name here, so nobody finds
    /// out by this who has one; who has not confirmed the address is not found either.
    ///
    /// # Errors
    /// That nobody has it, or that who had it is gone and the name still blocked; or those of the
    /// session.
    pub async fn find_person(&self, name: &str) -> Result<User, NotDone> {
        let name = Name::of(name).map_err(|_| AccountRefusal::NoSuchUser)?;
        let claims = self.tables.claims.of(ClaimKind::Name);
        let claim = claims.read(&name.key).await?;
        let claim = claim.ok_or(AccountRefusal::NoSuchUser)?;
        let holder = match (claim.state, claim.user) {
            (ClaimState::Released, _) if !claim.is_over(self.clock.now_micros()) => {
                return Err(AccountRefusal::AccountEnded.into());
            }
            (ClaimState::Released, _) | (_, None) => return Err(AccountRefusal::NoSuchUser.into()),
            (_, Some(holder)) => holder,
        };
        let user = self.tables.users.read(holder).await?;
        match user.filter(|user| user.name_key == name.key) {
            Some(user) if user.state == UserState::Active => Ok(user),
            Some(user) if user.state.has_ended() => Err(AccountRefusal::AccountEnded.into()),
            _ => Err(AccountRefusal::NoSuchUser.into()),
        }
    }
}
