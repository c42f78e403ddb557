//! `policy_happenings`, `happenings_by_hour` and `notifications`: what happened, and who is told.
//!
//! Each row is written at the time of its identifier, and the identifier is that of the act, so
//! writing it again changes nothing.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, quorum, write};
use crate::model::{Happening, HappeningKind, PolicyId, UserId};

const MICROS_OF_HOUR: i64 = 3_600_000_000;

/// The tables.
#[derive(Debug)]
pub struct HappeningTables {
    session: Arc<dyn Session>,
    insert_of_policy: Prepared,
    insert_of_hour: Prepared,
    insert_notification: Prepared,
    of_policy: Prepared,
    of_hour: Prepared,
    notifications: Prepared,
}

#[derive(FromRow)]
struct HappeningRow {
    id: Uuid,
    policy: Option<PolicyId>,
    kind: String,
    actor: UserId,
    about: Option<Uuid>,
    detail: String,
}

impl HappeningTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert_of_policy: base
                .prepare(
                    "INSERT INTO {ks}.policy_happenings (policy, id, kind, actor, about, detail) \
                     VALUES (?, ?, ?, ?, ?, ?)",
                )
                .await?,
            insert_of_hour: base
                .prepare(
                    "INSERT INTO {ks}.happenings_by_hour \
                     (hour, id, policy, kind, actor, about, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
                )
                .await?,
            insert_notification: base
                .prepare(
                    "INSERT INTO {ks}.notifications \
                     (user, id, kind, policy, actor, about, detail) \
                     VALUES (?, ?, ?, ?, ?, ?, ?) USING TTL 7776000",
                )
                .await?,
            of_policy: base
                .prepare(
                    "SELECT id, policy, kind, actor, about, detail \
                     FROM {ks}.policy_happenings WHERE policy = ? LIMIT ?",
                )
                .await?,
            of_hour: base
                .prepare(
                    "SELECT id, policy, kind, actor, about, detail \
                     FROM {ks}.happenings_by_hour WHERE hour = ?",
                )
                .await?,
            notifications: base
                .prepare(
                    "SELECT id, policy, kind, actor, about, detail \
                     FROM {ks}.notifications WHERE user = ? LIMIT ?",
                )
                .await?,
        })
    }

    /// Writes what happened to a policy, for whoever watches it.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, policy: PolicyId, it: &Happening) -> Result<(), Error> {
        let (kind, at) = (it.kind.name(), it.at_micros());
        let values = (policy, it.id, kind, it.actor, it.about, &it.detail);
        write(&*self.session, &self.insert_of_policy, values, at).await?;
        let hour = hour_of(at);
        let values = (hour, it.id, policy, kind, it.actor, it.about, &it.detail);
        write(&*self.session, &self.insert_of_hour, values, at).await
    }

    /// Tells one user.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn notify(&self, user: UserId, it: &Happening) -> Result<(), Error> {
        let kind = it.kind.name();
        let values = (user, it.id, kind, it.policy, it.actor, it.about, &it.detail);
        write(
            &*self.session,
            &self.insert_notification,
            values,
            it.at_micros(),
        )
        .await
    }

    /// What happened to a policy, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn of_policy(&self, policy: PolicyId, most: i32) -> Result<Vec<Happening>, Error> {
        let bound = self.of_policy.bind((policy, most))?.with(quorum());
        self.list(&bound).await
    }

    /// What happened in an hour, the first first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn of_hour(&self, hour: i64) -> Result<Vec<Happening>, Error> {
        let bound = self.of_hour.bind((hour,))?.with(quorum());
        self.list(&bound).await
    }

    /// What a user was told, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn notifications(&self, user: UserId, most: i32) -> Result<Vec<Happening>, Error> {
        let bound = self.notifications.bind((user, most))?.with(quorum());
        self.list(&bound).await
    }

    async fn list(&self, bound: &stoa_session::Bound) -> Result<Vec<Happening>, Error> {
        let rows = self.session.all::<HappeningRow>(bound).await?;
        Ok(rows.into_iter().filter_map(HappeningRow::read).collect())
    }
}

/// The hour of a moment, counted since 1970.
#[must_use]
pub fn hour_of(micros: i64) -> i64 {
    micros.div_euclid(MICROS_OF_HOUR)
}

impl HappeningRow {
    /// What it says, if this program knows that kind.
    fn read(self) -> Option<Happening> {
        Some(Happening {
            kind: HappeningKind::of_name(&self.kind)?,
            id: self.id,
            policy: self.policy,
            actor: self.actor,
            about: self.about,
            detail: self.detail,
        })
    }
}
