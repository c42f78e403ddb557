//! `policy_happenings`, `happenings_by_hour` and `notifications`: what happened, and who is told.
//!
//! Each row is written at the time of its identifier, and the identifier is that of the act, so
//! writing it again changes nothing. The words about what happened to a policy stand with the policy
//! alone, so that they are erased with it: as of their own time, so nobody brings them back.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, quorum, write};
use crate::model::{Happening, HappeningKind, PolicyId, UserId};

const MICROS_OF_HOUR: i64 = 3_600_000_000;
/// Happenings that are read at once to erase what they say.
const MOST_ERASED: i32 = 500;

/// The tables.
#[derive(Debug)]
pub struct HappeningTables {
    session: Arc<dyn Session>,
    insert_of_policy: Prepared,
    insert_of_hour: Prepared,
    insert_notification: Prepared,
    of_policy: Prepared,
    of_policy_before: Prepared,
    several: Prepared,
    erase_detail: Prepared,
    of_hour: Prepared,
    notifications: Prepared,
    notifications_before: Prepared,
    notifications_after: Prepared,
    forget: Prepared,
}

#[derive(FromRow)]
struct HappeningRow {
    id: Uuid,
    policy: Option<PolicyId>,
    kind: String,
    actor: UserId,
    about: Option<Uuid>,
    detail: Option<String>,
}

/// Prepares a read of happenings: a table, and which of its rows.
async fn read(base: &Base<'_>, rows: &str) -> Result<Prepared, Error> {
    base.prepare(&format!(
        "SELECT id, policy, kind, actor, about, detail FROM {{ks}}.{rows}"
    ))
    .await
}

impl HappeningTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let read = |rows: &'static str| read(base, rows);
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
                     (hour, id, policy, kind, actor, about) VALUES (?, ?, ?, ?, ?, ?)",
                )
                .await?,
            insert_notification: base
                .prepare(
                    "INSERT INTO {ks}.notifications \
                     (user, id, kind, policy, actor, about, detail) \
                     VALUES (?, ?, ?, ?, ?, ?, ?) USING TTL 7776000",
                )
                .await?,
            of_policy: read("policy_happenings WHERE policy = ? LIMIT ?").await?,
            of_policy_before: read("policy_happenings WHERE policy = ? AND id < ? LIMIT ?").await?,
            several: read("policy_happenings WHERE policy = ? AND id IN ?").await?,
            erase_detail: base
                .prepare("DELETE detail FROM {ks}.policy_happenings WHERE policy = ? AND id = ?")
                .await?,
            of_hour: read("happenings_by_hour WHERE hour = ?").await?,
            notifications: read("notifications WHERE user = ? LIMIT ?").await?,
            notifications_before: read("notifications WHERE user = ? AND id < ? LIMIT ?").await?,
            notifications_after: read("notifications WHERE user = ? AND id > ? LIMIT ?").await?,
            forget: base
                .prepare("DELETE FROM {ks}.notifications WHERE user = ?")
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
        let values = (hour, it.id, policy, kind, it.actor, it.about);
        write(&*self.session, &self.insert_of_hour, values, at).await
    }

    /// Tells one user.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn notify(&self, user: UserId, it: &Happening) -> Result<(), Error> {
        let kind = it.kind.name();
        let detail = Some(&it.detail).filter(|_| has_own_detail(it));
        let values = (user, it.id, kind, it.policy, it.actor, it.about, detail);
        write(
            &*self.session,
            &self.insert_notification,
            values,
            it.at_micros(),
        )
        .await
    }

    /// Forgets what a user was told up to a moment.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn forget(&self, user: UserId, at_micros: i64) -> Result<(), Error> {
        write(&*self.session, &self.forget, (user,), at_micros).await
    }

    /// What happened to a policy, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn of_policy(&self, policy: PolicyId, most: i32) -> Result<Vec<Happening>, Error> {
        let bound = self.of_policy.bind((policy, most))?.with(quorum());
        self.list(&bound).await
    }

    /// Some of what happened to a policy, in no order.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn several(&self, policy: PolicyId, ids: &[Uuid]) -> Result<Vec<Happening>, Error> {
        let bound = self.several.bind((policy, ids))?.with(quorum());
        self.list(&bound).await
    }

    /// Erases the words about everything that happened to a policy, for good.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn erase_details(&self, policy: PolicyId) -> Result<(), Error> {
        let mut page = self.of_policy(policy, MOST_ERASED).await?;
        while let Some(last) = page.last().map(|it| it.id) {
            for it in &page {
                let (values, at) = ((policy, it.id), it.at_micros());
                write(&*self.session, &self.erase_detail, values, at).await?;
            }
            let bound = self.of_policy_before.bind((policy, last, MOST_ERASED))?;
            page = self.list(&bound.with(quorum())).await?;
        }
        Ok(())
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

    /// What a user was told before something, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn notifications_before(
        &self,
        user: UserId,
        before: Uuid,
        most: i32,
    ) -> Result<Vec<Happening>, Error> {
        let bound = self.notifications_before.bind((user, before, most))?;
        self.list(&bound.with(quorum())).await
    }

    /// What a user was told after something, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn notifications_after(
        &self,
        user: UserId,
        after: Uuid,
        most: i32,
    ) -> Result<Vec<Happening>, Error> {
        let bound = self.notifications_after.bind((user, after, most))?;
        self.list(&bound.with(quorum())).await
    }

    async fn list(&self, bound: &stoa_session::Bound) -> Result<Vec<Happening>, Error> {
        let rows = self.session.all::<HappeningRow>(bound).await?;
        Ok(rows.into_iter().filter_map(HappeningRow::read).collect())
    }
}

/// Whether what is told of it is kept with whom it is told to: nothing of it is people's words.
fn has_own_detail(it: &Happening) -> bool {
    it.policy.is_none() || it.kind == HappeningKind::ReportDecided
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
            detail: self.detail.unwrap_or_default(),
        })
    }
}
