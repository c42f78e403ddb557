//! Copying an accepted record to where it is counted. Any number of times, in any order, by
//! anyone: the result is the same.

use std::collections::BTreeSet;

use stoa_session::Error;
use tokio::sync::SemaphorePermit;

use super::submit::Accepted;
use crate::model::{Day, HappeningKind, PolicyId, PolicyState, UserId, VoteRecord, VoteVersion};
use crate::votes::Votes;

impl Votes {
    /// Copies an accepted record and forgets its intent. The drain does the same for whoever died
    /// before.
    ///
    /// # Errors
    /// Those of the session; nothing is lost then.
    pub async fn sync(&self, user: UserId, accepted: Accepted) -> Result<(), Error> {
        let record = {
            let _turn = self.turn_to_copy().await;
            self.tables.chain.record(user, accepted.seq).await?
        };
        match record {
            Some(record) if record.version == accepted.version => {
                self.sync_record(user, &record).await
            }
            _ => Ok(()),
        }
    }

    /// A turn to do some of the copying; nobody who has one waits for another.
    async fn turn_to_copy(&self) -> Option<SemaphorePermit<'_>> {
        // Nothing closes the gate, so there is always a turn.
        self.copying.acquire().await.ok()
    }

    /// The order matters: rows first, then the policy that it creates, then the sums of all that
    /// they count for, the intent last.
    pub(crate) async fn sync_record(&self, user: UserId, record: &VoteRecord) -> Result<(), Error> {
        let roots = self.copy_rows(user, record).await?;
        for root in &roots {
            let recounted = self.recounts.begun_from_now(*root, async || {
                let _turn = self.turn_to_copy().await;
                self.sum(*root).await.map(|_| ())
            });
            recounted.await?;
        }
        let _turn = self.turn_to_copy().await;
        let (spread, now) = (self.settings.spread, self.begin_micros());
        let tables = &self.tables;
        tables.finish_copies(spread, record, &roots, now).await
    }

    /// Writes what a record says to where it is counted; the policies that have to be summed then.
    async fn copy_rows(
        &self,
        user: UserId,
        record: &VoteRecord,
    ) -> Result<BTreeSet<PolicyId>, Error> {
        let _turn = self.turn_to_copy().await;
        // What was paid up to the day of a record was paid before the record was accepted, so
        // whoever copies it finds the same.
        let paid = self.tables.money.paid_by(user, record.day).await?;
        let is_first = self.is_first_of_year(user, record).await?;
        self.tables
            .write_copies(user, record, paid, is_first)
            .await?;
        if let Some(policy) = record.policy_created {
            let (from, to) = (PolicyState::Creating, PolicyState::Active);
            let settles = self.settles();
            let policies = &self.tables.policies;
            policies.change_state(policy, from, to, settles).await?;
            let at = policy.made_at_micros();
            self.tables.owners.write(user, policy, at).await?;
            let act = (record.version.0, record.actor);
            self.tell(policy, HappeningKind::Created, act, "").await?;
        }
        let mut roots = BTreeSet::new();
        for policy in record.changes.keys() {
            roots.insert(self.root(*policy).await?);
        }
        Ok(roots)
    }

    /// Whether the record before one is of an earlier year. Its day is not before the day it was
    /// made on, so it is read only where that does not decide.
    async fn is_first_of_year(&self, user: UserId, record: &VoteRecord) -> Result<bool, Error> {
        let Some(previous) = record.previous else {
            return Ok(true);
        };
        let year = record.day.civil().year;
        if Day::of_micros(previous.made_at_micros()).civil().year == year {
            return Ok(false);
        }
        let before = self.tables.chain.record(user, record.seq - 1).await?;
        Ok(before.is_some_and(|before| before.day.civil().year != year))
    }

    pub(crate) async fn forget_intent(&self, day: Day, version: VoteVersion) -> Result<(), Error> {
        let spread = self.settings.spread;
        self.tables.intents.delete(spread, day, version).await
    }
}
