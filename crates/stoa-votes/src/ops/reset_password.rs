//! A new password for whoever forgot it, by a link that is sent to the address.

use super::claim::busy;
use crate::model::{AccountRefusal, NotDone, RequestId, UserId, UserState};
use crate::rules::passwords::check_password;
use crate::rules::secrets::{Secret, derived_id, digest};
use crate::tables::tokens::TokenKind;
use crate::votes::Votes;

impl Votes {
    /// Sends a link, if there is such a user, a few times an hour at most. Nobody is told whether
    /// there is, nor whether one was sent: the answers are alike, and so is the work.
    ///
    /// # Errors
    /// Those of the session; asking again with the same request sends no second mail on that day.
    pub async fn request_reset(
        &self,
        name_or_email: &str,
        request: RequestId,
    ) -> Result<(), NotDone> {
        let user = self.find_user(name_or_email).await?;
        let address = match &user {
            Some(user) => user.email_key.clone(),
            None => digest("unknown", name_or_email.as_bytes()),
        };
        let may_send = self.may_send_link(&format!("reset {address}")).await?;
        if let Some(user) = user.filter(|_| may_send) {
            let id = derived_id("reset", request);
            self.send_link(TokenKind::Reset, &user, id, self.today())
                .await?;
        }
        Ok(())
    }

    /// Sets the password by the link, and ends all logins. The link works for one request. Since
    /// it came by mail, it confirms the address too.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn reset_password(
        &self,
        secret: &Secret,
        password: &str,
        request: RequestId,
    ) -> Result<UserId, NotDone> {
        check_password(password)?;
        let token = self.take_token(secret, TokenKind::Reset, request).await?;
        let users = &self.tables.users;
        users.verify(token.user, &token.sent_to.email_key).await?;
        let hash = self.hashed(password)?;
        for _ in 0..self.settings.attempts {
            let user = self.user(token.user).await?;
            if user.email_key != token.sent_to.email_key || user.state != UserState::Active {
                return Err(AccountRefusal::TokenInvalid.into());
            }
            if user.password_by == Some(request) {
                return Ok(user.id);
            }
            // A login of the same moment ends too.
            let from = self.clock.now_micros() + 1;
            if users.set_password(&user, &hash, request, from).await? {
                return Ok(user.id);
            }
        }
        Err(busy("the account changed too often meanwhile").into())
    }
}
