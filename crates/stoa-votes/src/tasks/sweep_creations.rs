//! Removing policies that never came to be: the record that was to create them is not in its
//! chain, and cannot come any more.

use stoa_session::Error;

use crate::model::PolicyState;
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
        for (policy, state, creation) in self.tables.policies.all().await? {
            let Some(creation) = creation else {
                continue;
            };
            if state != PolicyState::Creating || creation.version.made_at_micros() >= old {
                continue;
            }
            let tip = self.tables.chain.tip(creation.user).await?;
            let chain = &self.tables.chain;
            let record = chain.record(creation.user, creation.seq).await?;
            match record {
                Some(record) if record.version == creation.version => {
                    self.sync_record(creation.user, &record).await?;
                }
                // Another record has its number, so this one can never have it.
                Some(_) => self.tables.policies.remove_creating(policy).await?,
                // It may still come, unless its chain is fenced.
                None if chain.fence(creation.user, tip).await? => {
                    self.tables.policies.remove_creating(policy).await?;
                }
                None => {}
            }
        }
        Ok(())
    }
}
