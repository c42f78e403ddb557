//! `policy_pages`: what lists of policies need of each. Written before the policy is seen; changed
//! by conditional writes alone.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, quorum};
use crate::model::{PolicyId, UserId};

/// What lists need of a policy.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct ListedPage {
    /// The policy.
    pub policy: PolicyId,
    /// Its title.
    pub title: String,
    /// The key of its category.
    pub category: String,
    /// The party that stands behind it.
    pub party: Option<Uuid>,
    /// Who created it.
    pub owner: UserId,
    /// When, in microseconds since 1970.
    pub created_micros: i64,
    /// Whether it is hidden until somebody has looked at it.
    pub is_hidden: Option<bool>,
}

/// The table.
#[derive(Debug)]
pub struct PageTable {
    session: Arc<dyn Session>,
    all: Prepared,
}

impl PageTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            all: base
                .prepare(
                    "SELECT policy, title, category, party, owner, created_micros, is_hidden \
                     FROM {ks}.policy_pages",
                )
                .await?,
        })
    }

    /// Every page; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all(&self) -> Result<Vec<ListedPage>, Error> {
        let bound = self.all.bind(())?.with(quorum());
        self.session.all(&bound).await
    }
}
