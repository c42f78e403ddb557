//! Removing policies that never came to be: the record that was to create them is not in its
//! chain, and cannot come any more.

use stoa_session::Error;
use uuid::Uuid;

use super::failures::Failures;
use crate::model::{PolicyId, PolicyState, UserId};
use crate::tables::merges::Merge;
use crate::tables::policies::Creation;
use crate::votes::Votes;

/// How old a creation is before it is looked at. An intent lives for two minutes at most.
const PATIENCE_MICROS: i64 = 3_600_000_000;

impl Votes {
    /// Looks at every policy that is being created for more than an hour.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn sweep_creations(&self) -> Result<(), Error> {
        let old = self.clock.now_micros() - PATIENCE_MICROS;
        let mut failures = Failures::default();
        for (policy, state, creation) in self.tables.policies.all().await? {
            if state != PolicyState::Creating || policy.made_at_micros() >= old {
                continue;
            }
            failures.part(match creation {
                Some(creation) => self.sweep_created(policy, &creation).await,
                None => self.sweep_target(policy).await,
            })?;
        }
        failures.end()
    }

    async fn sweep_created(&self, policy: PolicyId, by: &Creation) -> Result<(), Error> {
        let chain = &self.tables.chain;
        let tip = chain.tip(by.user).await?;
        match chain.record(by.user, by.seq).await? {
            Some(record) if record.version == by.version => {
                self.sync_record(by.user, &record).await
            }
            // Another record has its number, so this one can never have it.
            Some(_) => self.remove_creation(policy).await,
            // It may still come, unless its chain is fenced.
            None if chain.fence(by.user, tip).await? => self.remove_creation(policy).await,
            None => Ok(()),
        }
    }

    /// The page goes first: it is found by the policy.
    async fn remove_creation(&self, policy: PolicyId) -> Result<(), Error> {
        self.forget_page(policy).await?;
        self.tables.policies.remove_creating(policy).await
    }

    /// A target that was written after its merge had come to nothing, or whose merge is not
    /// finished. Doing the merge again does nothing that was not to be done.
    async fn sweep_target(&self, target: PolicyId) -> Result<(), Error> {
        let Some(standing) = self.tables.policies.settle(target).await? else {
            return Ok(());
        };
        let merge = Merge {
            target,
            sources: standing.merged_from,
            moderator: UserId(Uuid::nil()),
        };
        self.finish_merge(&merge).await.map(|_| ())
    }
}
