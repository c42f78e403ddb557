//! `policies_by_owner`: the policies that somebody created. Written before the policy is seen, so a
//! policy that never came to be may be listed; readers look where it stands.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, quorum, write};
use crate::model::{PolicyId, UserId};

/// The table.
#[derive(Debug)]
pub struct OwnerTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    list: Prepared,
}

#[derive(FromRow)]
struct PolicyOnly {
    policy: PolicyId,
}

impl OwnerTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare("INSERT INTO {ks}.policies_by_owner (owner, policy) VALUES (?, ?)")
                .await?,
            list: base
                .prepare("SELECT policy FROM {ks}.policies_by_owner WHERE owner = ?")
                .await?,
        })
    }

    /// Writes that somebody creates a policy.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(
        &self,
        owner: UserId,
        policy: PolicyId,
        at_micros: i64,
    ) -> Result<(), Error> {
        write(&*self.session, &self.insert, (owner, policy), at_micros).await
    }

    /// The policies of somebody, whether or not they came to be.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn list(&self, owner: UserId) -> Result<Vec<PolicyId>, Error> {
        let bound = self.list.bind((owner,))?.with(quorum());
        let rows = self.session.all::<PolicyOnly>(&bound).await?;
        Ok(rows.into_iter().map(|row| row.policy).collect())
    }
}
