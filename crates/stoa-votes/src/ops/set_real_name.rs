//! Telling one's name in the world, and whether others see it.

use super::claim::busy;
use crate::model::{NotDone, RealName, UserId};
use crate::rules::real_names::real_name_part;
use crate::votes::Votes;

impl Votes {
    /// Sets the name of a user in the world; empty parts are none. The last who asks wins, and asking
    /// again does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn set_real_name(&self, user: UserId, name: &RealName) -> Result<(), NotDone> {
        let name = RealName {
            first: real_name_part(&name.first)?,
            last: real_name_part(&name.last)?,
            is_shown: name.is_shown,
        };
        for _ in 0..self.settings.attempts {
            let seen = self.user(user).await?;
            if seen.real_name == name || self.tables.users.set_real_name(&seen, &name).await? {
                return Ok(());
            }
        }
        Err(busy("the account changed too often meanwhile").into())
    }
}
