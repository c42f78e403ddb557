//! Where a user is signed in: the logins of one's own, and ending them one by one or all but one.
//!
//! A login is told by the digest of its secret, from which nobody gets the secret back.

use stoa_session::Error;

use crate::model::{NotDone, UserId};
use crate::rules::secrets::Secret;
use crate::tables::logins::Login;
use crate::votes::Votes;

/// A place where somebody is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnLogin {
    /// The digest of its secret.
    pub digest: String,
    /// From which network it began.
    pub network: String,
    /// Since when, in microseconds since 1970.
    pub created_micros: i64,
    /// When last seen, in microseconds since 1970; to the hour.
    pub seen_micros: i64,
}

impl Votes {
    /// Where a user is signed in, the one that was seen last first.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn own_logins(&self, user: UserId) -> Result<Vec<OwnLogin>, NotDone> {
        let from = self.user(user).await?.logins_from_micros;
        let now = self.clock.now_micros();
        let mut own = Vec::new();
        for place in self.tables.logins.places(user).await? {
            let login = self.tables.logins.read(&place.secret).await?;
            let login = login.filter(|it| {
                it.user == user && it.created_micros >= from && now < it.until_micros()
            });
            own.extend(login.map(|it| OwnLogin {
                digest: place.secret,
                network: place.network.unwrap_or_default(),
                created_micros: it.created_micros,
                seen_micros: it.seen_micros,
            }));
        }
        own.sort_by_key(|it| std::cmp::Reverse(it.seen_micros));
        Ok(own)
    }

    /// Ends a login of a user. What is none of the user's, or has ended, is left alone.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn end_login(&self, user: UserId, digest: &str) -> Result<(), NotDone> {
        // What was sent may be no digest at all, and is not asked for.
        let own = self.own_logins(user).await?;
        match own.iter().find(|it| it.digest == digest) {
            Some(login) => Ok(self.end(user, login).await?),
            None => Ok(()),
        }
    }

    async fn end(&self, user: UserId, it: &OwnLogin) -> Result<(), Error> {
        let login = Login {
            user,
            created_micros: it.created_micros,
            seen_micros: it.seen_micros,
        };
        let now = self.clock.now_micros();
        self.tables.logins.delete(&it.digest, login, now).await
    }

    /// Ends every login of a user but one.
    ///
    /// # Errors
    /// A refusal, or those of the session; asking again ends the rest.
    pub async fn end_other_logins(&self, user: UserId, kept: &Secret) -> Result<(), NotDone> {
        let kept = kept.digest();
        for login in self.own_logins(user).await? {
            if login.digest != kept {
                self.end(user, &login).await?;
            }
        }
        Ok(())
    }
}
