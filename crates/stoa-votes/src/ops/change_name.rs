//! Changing one's name, to one that nobody else has.

use super::change_claimed::{Changed, Wanted};
use crate::model::{NotDone, UserId};
use crate::rules::claims::ClaimKind;
use crate::rules::names::Name;
use crate::votes::Votes;

impl Votes {
    /// Changes the name of a user. Asking again does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn change_name(&self, user: UserId, name: &str) -> Result<(), NotDone> {
        let name = Name::of(name)?;
        let wanted = Wanted {
            kind: ClaimKind::Name,
            shown: &name.shown,
            key: &name.key,
        };
        match self.change_claimed(user, wanted).await? {
            Changed::Done => Ok(()),
            Changed::Anothers => Err(self.why_not(&name).await?.into()),
        }
    }
}
