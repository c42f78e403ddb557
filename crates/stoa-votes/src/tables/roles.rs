//! `users_by_role`: what users may do, who said so and when. By conditional writes alone.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, decide, serial};
use crate::model::{Role, UserId};

/// The table.
#[derive(Debug)]
pub struct RoleTable {
    session: Arc<dyn Session>,
    read: Prepared,
    list: Prepared,
    insert: Prepared,
    change: Prepared,
}

/// What was last said about a role of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct Grant {
    /// The user.
    pub user: UserId,
    /// Whether the user has the role.
    pub is_granted: bool,
    /// When that was said; a time UUID, and the entry of the moderation log.
    pub change: Uuid,
    /// Who said it.
    pub changed_by: UserId,
}

impl RoleTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            read: base
                .prepare(
                    "SELECT user, is_granted, change, changed_by FROM {ks}.users_by_role \
                     WHERE role = ? AND user = ?",
                )
                .await?,
            list: base
                .prepare(
                    "SELECT user, is_granted, change, changed_by FROM {ks}.users_by_role \
                     WHERE role = ?",
                )
                .await?,
            insert: base
                .prepare(
                    "INSERT INTO {ks}.users_by_role (role, user, is_granted, change, changed_by) \
                     VALUES (?, ?, ?, ?, ?) IF NOT EXISTS",
                )
                .await?,
            change: base
                .prepare(
                    "UPDATE {ks}.users_by_role SET is_granted = ?, change = ?, changed_by = ? \
                     WHERE role = ? AND user = ? IF change = ?",
                )
                .await?,
        })
    }

    /// What was last said about a role of a user; nothing stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, role: Role, user: UserId) -> Result<Option<Grant>, Error> {
        let bound = self.read.bind((role.name(), user))?.with(serial());
        self.session.first(&bound).await
    }

    /// Everything that was last said about a role.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn list(&self, role: Role) -> Result<Vec<Grant>, Error> {
        let bound = self.list.bind((role.name(),))?.with(serial());
        self.session.all(&bound).await
    }

    /// Says something else than what was seen.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn change(
        &self,
        role: Role,
        seen: Option<&Grant>,
        grant: &Grant,
    ) -> Result<bool, Error> {
        let role = role.name();
        let (is, change, by) = (grant.is_granted, grant.change, grant.changed_by);
        match seen {
            None => {
                let values = (role, grant.user, is, change, by);
                decide(&*self.session, &self.insert, values).await
            }
            Some(seen) => {
                let values = (is, change, by, role, grant.user, seen.change);
                decide(&*self.session, &self.change, values).await
            }
        }
    }
}
