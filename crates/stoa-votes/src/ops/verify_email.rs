//! Confirming an e-mail address by the link that was sent to it.

use super::claim::busy;
use crate::model::{AccountRefusal, Day, NotDone, RequestId, UserId, UserState};
use crate::rules::secrets::{Secret, derived_id};
use crate::tables::tokens::{Token, TokenKind};
use crate::votes::Votes;

impl Votes {
    /// Confirms the address that a link was sent to. The link works for one request; the same
    /// request may ask again.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn verify_email(
        &self,
        secret: &Secret,
        request: RequestId,
    ) -> Result<UserId, NotDone> {
        let token = self.take_token(secret, TokenKind::Verify, request).await?;
        let users = &self.tables.users;
        users.verify(token.user, &token.sent_to.email_key).await?;
        match users.read(token.user).await? {
            Some(user) if user.state == UserState::Active => Ok(user.id),
            Some(user) if user.state.has_ended() => Err(AccountRefusal::AccountEnded.into()),
            _ => Err(AccountRefusal::TokenInvalid.into()),
        }
    }

    /// Sends the link once more, with a new secret, unless the address is confirmed, and a few times
    /// an hour at most. The answers are alike.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn request_verification(
        &self,
        user: UserId,
        request: RequestId,
    ) -> Result<(), NotDone> {
        let user = self.user(user).await?;
        let who = format!("verification {}", user.email_key);
        if user.state == UserState::Unverified && self.may_send_link(&who).await? {
            let id = derived_id("verification", request);
            let day: Day = self.today();
            self.send_link(TokenKind::Verify, &user, id, day).await?;
        }
        Ok(())
    }

    /// Takes a token for a request, for good.
    pub(crate) async fn take_token(
        &self,
        secret: &Secret,
        kind: TokenKind,
        request: RequestId,
    ) -> Result<Token, NotDone> {
        let (tokens, digest) = (&self.tables.tokens, secret.digest());
        for _ in 0..self.settings.attempts {
            let token = tokens.read(&digest, kind).await?;
            let token = token.ok_or(AccountRefusal::TokenInvalid)?;
            match token.used_for {
                Some(used) if used == request => return Ok(token),
                Some(_) => return Err(AccountRefusal::TokenUsed.into()),
                None if token.expires_micros <= self.clock.now_micros() => {
                    return Err(AccountRefusal::TokenInvalid.into());
                }
                None => {
                    if tokens.take(&digest, kind, request).await? {
                        return Ok(token);
                    }
                }
            }
        }
        Err(busy("the same link was used too often at once").into())
    }
}
