//! Changing one's address: a link is sent to the new one, and only whoever opens it has it.
//!
//! 1. Whoever asks knows the password. The answer is the same whoever has the new address: somebody
//!    who has an account is told of that by mail, and so is nobody else.
//! 2. The old address hears that it is to be left, while its owner can still choose a new password.
//! 3. The link changes the address; until then everything stays as it is. It confirms the new one.

use std::collections::BTreeMap;

use super::change_claimed::{Changed, Wanted};
use super::register::email_key;
use crate::model::{AccountRefusal, NotDone, RequestId, User, UserId};
use crate::rules::claims::ClaimKind;
use crate::rules::names::Email;
use crate::rules::secrets::{Secret, derived_id};
use crate::tables::outbox::Mail;
use crate::tables::tokens::{SentTo, TokenKind};
use crate::votes::Votes;

impl Votes {
    /// Sends a link to the address that a user wants to have, a few times an hour at most. Hashing
    /// the password keeps a thread busy for some ten milliseconds.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown; asking again with the same request sends no second
    /// mail on that day.
    pub async fn request_address(
        &self,
        user: UserId,
        password: &str,
        email: &str,
        request: RequestId,
    ) -> Result<(), NotDone> {
        let email = Email::of(email)?;
        self.check_own_password(user, password).await?;
        let user = self.user(user).await?;
        let to = SentTo {
            email_key: email_key(&email),
            email: email.shown,
        };
        let is_same = user.email == to.email && user.email_key == to.email_key;
        let who = format!("address {}", user.id);
        if is_same || !self.may_send_link(&who).await? {
            return Ok(());
        }
        let (id, today) = (derived_id("address", request), self.today());
        if self
            .is_anothers(ClaimKind::Email, &to.email_key, user.id)
            .await?
        {
            self.tell_in_use(&to.email, id, today).await?;
        } else {
            self.send_link_to(TokenKind::Address, &user, &to, id, today)
                .await?;
        }
        self.tell_asked(&user, request).await
    }

    /// Changes the address to the one that the link was sent to, and confirms it. The link works for
    /// one request; the same request may ask again.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn confirm_address(
        &self,
        secret: &Secret,
        request: RequestId,
    ) -> Result<UserId, NotDone> {
        let token = self.take_token(secret, TokenKind::Address, request).await?;
        let wanted = Wanted {
            kind: ClaimKind::Email,
            shown: &token.sent_to.email,
            key: &token.sent_to.email_key,
        };
        match self.change_claimed(token.user, wanted).await? {
            Changed::Done => {
                let users = &self.tables.users;
                users.verify(token.user, &token.sent_to.email_key).await?;
                Ok(token.user)
            }
            Changed::Anothers => Err(AccountRefusal::EmailTaken.into()),
        }
    }

    /// Tells the present address that it is to be left; one that was never confirmed hears nothing.
    async fn tell_asked(&self, user: &User, request: RequestId) -> Result<(), NotDone> {
        if !user.state.is_confirmed() {
            return Ok(());
        }
        let mail = Mail {
            day: self.today(),
            id: derived_id("address asked", request),
            recipient: user.email.clone(),
            kind: "address_asked".to_owned(),
            fields: BTreeMap::from([("name".to_owned(), user.name.clone())]),
            created_micros: self.clock.now_micros(),
        };
        self.tables.outbox.put(&mail).await?;
        Ok(())
    }
}
