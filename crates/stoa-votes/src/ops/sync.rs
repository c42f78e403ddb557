//! Copying an accepted record to where it is counted. Any number of times, in any order, by
//! anyone: the result is the same.

use std::collections::BTreeSet;

use stoa_session::Error;

use super::submit::Accepted;
use crate::model::{Day, PolicyState, UserId, VoteRecord, VoteVersion};
use crate::votes::Votes;

impl Votes {
    /// Copies an accepted record and forgets its intent. The drain does the same for whoever died
    /// before.
    ///
    /// # Errors
    /// Those of the session; nothing is lost then.
    pub async fn sync(&self, user: UserId, accepted: Accepted) -> Result<(), Error> {
        match self.tables.chain.record(user, accepted.seq).await? {
            Some(record) if record.version == accepted.version => {
                self.sync_record(user, &record).await
            }
            _ => Ok(()),
        }
    }

    /// The order matters: rows first, then the policy that it creates, then the sums of all that
    /// they count for, the intent last.
    pub(crate) async fn sync_record(&self, user: UserId, record: &VoteRecord) -> Result<(), Error> {
        for (policy, change) in &record.changes {
            if change.increment != 0 {
                let counts = &self.tables.counts;
                counts.write_change(user, record, *policy, change).await?;
            }
        }
        if let Some(policy) = record.policy_created {
            let (from, to) = (PolicyState::Creating, PolicyState::Active);
            let settles = self.settles();
            let policies = &self.tables.policies;
            policies.change_state(policy, from, to, settles).await?;
        }
        let mut roots = BTreeSet::new();
        for policy in record.changes.keys() {
            roots.insert(self.root(*policy).await?);
        }
        for root in roots {
            self.recount(root).await?;
        }
        self.forget_intent(record.day, record.version).await
    }

    pub(crate) async fn forget_intent(&self, day: Day, version: VoteVersion) -> Result<(), Error> {
        let spread = self.settings.spread;
        self.tables.intents.delete(spread, day, version).await
    }
}
