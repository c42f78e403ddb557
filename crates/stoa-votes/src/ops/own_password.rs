//! The password of somebody who is signed in: showing that one knows it, and another one.

use super::claim::busy;
use crate::model::{AccountRefusal, NotDone, RequestId, UserId};
use crate::rules::passwords::{check_password, is_password};
use crate::votes::Votes;

impl Votes {
    /// Refuses whoever does not know the password of a user. Hashing it keeps a thread busy for some
    /// ten milliseconds.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn check_own_password(&self, user: UserId, password: &str) -> Result<(), NotDone> {
        let known = self.user(user).await?;
        match is_password(password, Some(&known.password), self.settings.passwords) {
            true => Ok(()),
            false => Err(AccountRefusal::WrongCredentials.into()),
        }
    }

    /// Sets another password for whoever knows the present one, and ends all logins. Asking again
    /// with the same request does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn change_password(
        &self,
        user: UserId,
        present: &str,
        password: &str,
        request: RequestId,
    ) -> Result<(), NotDone> {
        check_password(password)?;
        let hash = self.hashed(password)?;
        for _ in 0..self.settings.attempts {
            let known = self.user(user).await?;
            let cost = self.settings.passwords;
            if known.password_by == Some(request)
                && is_password(password, Some(&known.password), cost)
            {
                return Ok(());
            }
            if !is_password(present, Some(&known.password), cost) {
                return Err(AccountRefusal::WrongCredentials.into());
            }
            // A login of the same moment ends too.
            let from = self.clock.now_micros() + 1;
            let users = &self.tables.users;
            if users.set_password(&known, &hash, request, from).await? {
                return Ok(());
            }
        }
        Err(busy("the account changed too often meanwhile").into())
    }
}
