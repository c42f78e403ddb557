//! `merge_intent`: merges that have begun and are not finished.

use std::collections::BTreeSet;
use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, quorum, write};
use crate::model::{PolicyId, UserId};

/// The only partition.
const SCOPE: i8 = 0;

/// A merge under way.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Merge {
    /// The new policy.
    pub target: PolicyId,
    /// Those that shall count for it.
    pub sources: BTreeSet<PolicyId>,
    /// Who does it.
    pub moderator: UserId,
}

/// The table.
#[derive(Debug)]
pub struct MergeTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    delete: Prepared,
    all: Prepared,
}

impl MergeTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.merge_intent (scope, target, sources, moderator) \
                     VALUES (?, ?, ?, ?)",
                )
                .await?,
            delete: base
                .prepare("DELETE FROM {ks}.merge_intent WHERE scope = ? AND target = ?")
                .await?,
            all: base
                .prepare("SELECT target, sources, moderator FROM {ks}.merge_intent WHERE scope = ?")
                .await?,
        })
    }

    /// Writes down that a merge begins.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, merge: &Merge) -> Result<(), Error> {
        let values = (SCOPE, merge.target, &merge.sources, merge.moderator);
        let at = merge.target.made_at_micros();
        write(&*self.session, &self.insert, values, at).await
    }

    /// Forgets a merge that is finished.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn delete(&self, target: PolicyId) -> Result<(), Error> {
        let at = target.made_at_micros() + 1;
        write(&*self.session, &self.delete, (SCOPE, target), at).await
    }

    /// Every merge under way.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all(&self) -> Result<Vec<Merge>, Error> {
        let bound = self.all.bind((SCOPE,))?.with(quorum());
        self.session.all(&bound).await
    }
}
