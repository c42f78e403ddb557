//! `policy_progress`: what those say who carry policies out. Each is written once, by a conditional
//! write, under the request that brought it.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, decide, serial};
use crate::model::{Day, PolicyId, PolicyStatus, Progress, ProgressKind, RequestId, UserId};

/// The table.
#[derive(Debug)]
pub struct ProgressTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    delete: Prepared,
    list: Prepared,
}

#[derive(FromRow)]
struct ProgressRow {
    request: RequestId,
    written: Uuid,
    kind: String,
    status: Option<String>,
    due: Option<Day>,
    said: String,
    author: UserId,
}

impl ProgressTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.policy_progress \
                     (policy, request, written, kind, status, due, said, author) \
                     VALUES (?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS",
                )
                .await?,
            delete: base
                .prepare(
                    "DELETE FROM {ks}.policy_progress WHERE policy = ? AND request = ? IF EXISTS",
                )
                .await?,
            list: base
                .prepare(
                    "SELECT request, written, kind, status, due, said, author \
                     FROM {ks}.policy_progress WHERE policy = ?",
                )
                .await?,
        })
    }

    /// Writes something that was said, unless its request is there; whether it was not.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn write(&self, policy: PolicyId, it: &Progress) -> Result<bool, Error> {
        let values = (
            policy,
            it.request,
            it.at,
            it.kind.name(),
            it.kind.status().map(PolicyStatus::name),
            it.kind.day(),
            &it.text,
            it.author,
        );
        decide(&*self.session, &self.insert, values).await
    }

    /// Erases everything that was said about a policy.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn erase(&self, policy: PolicyId) -> Result<(), Error> {
        for it in self.list(policy).await? {
            decide(&*self.session, &self.delete, (policy, it.request)).await?;
        }
        Ok(())
    }

    /// Everything that was said about a policy, the last first; nothing stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn list(&self, policy: PolicyId) -> Result<Vec<Progress>, Error> {
        let bound = self.list.bind((policy,))?.with(serial());
        let rows = self.session.all::<ProgressRow>(&bound).await?;
        let said = rows.into_iter().filter_map(|row| {
            let status = row.status.as_deref().and_then(PolicyStatus::of_name);
            Some(Progress {
                kind: ProgressKind::of(&row.kind, status, row.due)?,
                at: row.written,
                request: row.request,
                text: row.said,
                author: row.author,
            })
        });
        let mut said: Vec<Progress> = said.collect();
        said.sort_by_key(|it| {
            std::cmp::Reverse((stoa_types::time_uuid::unix_micros(&it.at), it.at))
        });
        Ok(said)
    }
}
