//! `tokens`: what links in mails are good for. By conditional writes alone; they expire.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, decide, serial};
use crate::model::{RequestId, User, UserId};

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// Confirming an e-mail address.
    Verify,
    /// Setting a new password.
    Reset,
    /// Having another e-mail address.
    Address,
}

impl TokenKind {
    /// Its name in tables and of the mail that brings it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Verify => "verify_email",
            Self::Reset => "reset_password",
            Self::Address => "change_address",
        }
    }

    /// How long it is good for.
    #[must_use]
    pub fn seconds(self) -> i32 {
        match self {
            Self::Verify => 7 * 86_400,
            Self::Reset => 3_600,
            Self::Address => 86_400,
        }
    }
}

/// The address that a link is sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentTo {
    /// As mail is sent to it.
    pub email: String,
    /// As it is claimed.
    pub email_key: String,
}

impl SentTo {
    /// The address of a user.
    #[must_use]
    pub fn of(user: &User) -> Self {
        Self {
            email: user.email.clone(),
            email_key: user.email_key.clone(),
        }
    }
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What it is good for.
    pub kind: TokenKind,
    /// For whom.
    pub user: UserId,
    /// The address that it was sent to.
    pub sent_to: SentTo,
    /// Until when, in microseconds since 1970.
    pub expires_micros: i64,
    /// The request that used it.
    pub used_for: Option<RequestId>,
}

#[derive(FromRow)]
struct TokenRow {
    kind: Option<String>,
    user: Option<UserId>,
    email: Option<String>,
    email_key: Option<String>,
    expires_micros: Option<i64>,
    used_for: Option<RequestId>,
}

/// The table.
#[derive(Debug)]
pub struct TokenTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    read: Prepared,
    take: Prepared,
}

impl TokenTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.tokens (secret, kind, user, email, email_key, \
                     expires_micros) VALUES (?, ?, ?, ?, ?, ?) IF NOT EXISTS USING TTL ?",
                )
                .await?,
            read: base
                .prepare(
                    "SELECT kind, user, email, email_key, expires_micros, used_for \
                     FROM {ks}.tokens WHERE secret = ?",
                )
                .await?,
            take: base
                .prepare(
                    "UPDATE {ks}.tokens USING TTL ? SET used_for = ? WHERE secret = ? \
                     IF kind = ? AND used_for = null",
                )
                .await?,
        })
    }

    /// Writes a token.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, digest: &str, token: &Token) -> Result<(), Error> {
        let kind = token.kind;
        let values = (
            digest,
            kind.name(),
            token.user,
            &token.sent_to.email,
            &token.sent_to.email_key,
            token.expires_micros,
            kind.seconds(),
        );
        // Whether it was there makes no difference: the secret is new.
        decide(&*self.session, &self.insert, values)
            .await
            .map(|_| ())
    }

    /// A token of a kind; no use of it stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, digest: &str, kind: TokenKind) -> Result<Option<Token>, Error> {
        let bound = self.read.bind((digest,))?.with(serial());
        let row = self.session.first::<TokenRow>(&bound).await?;
        Ok(row.and_then(|row| {
            let is_kind = row.kind.as_deref() == Some(kind.name());
            is_kind.then_some(Token {
                kind,
                user: row.user?,
                sent_to: SentTo {
                    email: row.email?,
                    email_key: row.email_key?,
                },
                expires_micros: row.expires_micros?,
                used_for: row.used_for,
            })
        }))
    }

    /// Uses a token for a request, unless it is used.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn take(
        &self,
        digest: &str,
        kind: TokenKind,
        request: RequestId,
    ) -> Result<bool, Error> {
        // It outlives the rest of the row, which is then no token any more.
        let values = (kind.seconds(), request, digest, kind.name());
        decide(&*self.session, &self.take, values).await
    }
}
