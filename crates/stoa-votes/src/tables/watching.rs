//! `watchers`, `watched` and `notification_settings`: who watches what, and how they are told.
//! Written when a user asks; a later wish wins.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::time_uuid;
use uuid::Uuid;

use super::{Base, quorum, write};
use crate::model::{DigestFrequency, NotificationSettings, PolicyId, UserId};

/// The tables.
#[derive(Debug)]
pub struct WatchingTables {
    session: Arc<dyn Session>,
    insert_watcher: Prepared,
    insert_watched: Prepared,
    delete_watcher: Prepared,
    delete_watched: Prepared,
    watchers: Prepared,
    watched: Prepared,
    settings: Prepared,
    set_digest: Prepared,
    set_seen: Prepared,
    forget_watched: Prepared,
    forget_settings: Prepared,
}

#[derive(FromRow)]
struct UserOnly {
    user: UserId,
}

#[derive(FromRow)]
struct PolicyOnly {
    policy: PolicyId,
}

#[derive(FromRow)]
struct SettingsRow {
    digest: Option<String>,
    seen_through: Option<Uuid>,
}

impl WatchingTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert_watcher: base
                .prepare("INSERT INTO {ks}.watchers (policy, user) VALUES (?, ?)")
                .await?,
            insert_watched: base
                .prepare("INSERT INTO {ks}.watched (user, policy) VALUES (?, ?)")
                .await?,
            delete_watcher: base
                .prepare("DELETE FROM {ks}.watchers WHERE policy = ? AND user = ?")
                .await?,
            delete_watched: base
                .prepare("DELETE FROM {ks}.watched WHERE user = ? AND policy = ?")
                .await?,
            watchers: base
                .prepare("SELECT user FROM {ks}.watchers WHERE policy = ?")
                .await?,
            watched: base
                .prepare("SELECT policy FROM {ks}.watched WHERE user = ?")
                .await?,
            settings: base
                .prepare(
                    "SELECT digest, seen_through FROM {ks}.notification_settings WHERE user = ?",
                )
                .await?,
            set_digest: base
                .prepare("INSERT INTO {ks}.notification_settings (user, digest) VALUES (?, ?)")
                .await?,
            set_seen: base
                .prepare(
                    "INSERT INTO {ks}.notification_settings (user, seen_through) VALUES (?, ?)",
                )
                .await?,
            forget_watched: base
                .prepare("DELETE FROM {ks}.watched WHERE user = ?")
                .await?,
            forget_settings: base
                .prepare("DELETE FROM {ks}.notification_settings WHERE user = ?")
                .await?,
        })
    }

    /// Lets a user watch a policy. Who dies between the two rows has it in the list and can ask
    /// again.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn watch(&self, user: UserId, policy: PolicyId, at_micros: i64) -> Result<(), Error> {
        let session = &*self.session;
        write(session, &self.insert_watched, (user, policy), at_micros).await?;
        write(session, &self.insert_watcher, (policy, user), at_micros).await
    }

    /// Lets a user watch a policy no more. The list goes last, so that the user can ask again.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn unwatch(
        &self,
        user: UserId,
        policy: PolicyId,
        at_micros: i64,
    ) -> Result<(), Error> {
        let session = &*self.session;
        write(session, &self.delete_watcher, (policy, user), at_micros).await?;
        write(session, &self.delete_watched, (user, policy), at_micros).await
    }

    /// Forgets what a user watches and how the user is told, as of a moment. The list goes last, so
    /// that asking again does the rest.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn forget(&self, user: UserId, at_micros: i64) -> Result<(), Error> {
        let session = &*self.session;
        for policy in self.watched(user).await? {
            write(session, &self.delete_watcher, (policy, user), at_micros).await?;
        }
        write(session, &self.forget_settings, (user,), at_micros).await?;
        write(session, &self.forget_watched, (user,), at_micros).await
    }

    /// Who watches a policy.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn watchers(&self, policy: PolicyId) -> Result<Vec<UserId>, Error> {
        let bound = self.watchers.bind((policy,))?.with(quorum());
        let rows = self.session.all::<UserOnly>(&bound).await?;
        Ok(rows.into_iter().map(|row| row.user).collect())
    }

    /// What a user watches.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn watched(&self, user: UserId) -> Result<Vec<PolicyId>, Error> {
        let bound = self.watched.bind((user,))?.with(quorum());
        let rows = self.session.all::<PolicyOnly>(&bound).await?;
        Ok(rows.into_iter().map(|row| row.policy).collect())
    }

    /// How a user is told.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn settings(&self, user: UserId) -> Result<NotificationSettings, Error> {
        let bound = self.settings.bind((user,))?.with(quorum());
        let Some(row) = self.session.first::<SettingsRow>(&bound).await? else {
            return Ok(NotificationSettings::default());
        };
        let digest = row.digest.as_deref().and_then(DigestFrequency::of_name);
        Ok(NotificationSettings {
            digest: digest.unwrap_or_default(),
            seen_through: row.seen_through,
        })
    }

    /// Writes how often a user gets a mail.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn set_digest(
        &self,
        user: UserId,
        digest: DigestFrequency,
        at_micros: i64,
    ) -> Result<(), Error> {
        let values = (user, digest.name());
        write(&*self.session, &self.set_digest, values, at_micros).await
    }

    /// Writes the last notification that a user has seen; the latest one holds.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn set_seen(&self, user: UserId, through: Uuid) -> Result<(), Error> {
        let at = time_uuid::unix_micros(&through).unwrap_or(0);
        write(&*self.session, &self.set_seen, (user, through), at).await
    }
}
