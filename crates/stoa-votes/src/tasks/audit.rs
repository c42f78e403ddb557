//! The audit as a task: reads everything and says what is wrong.

use std::collections::BTreeSet;

use stoa_session::Error;

use super::failures::Failures;
use super::share::Share;
use crate::model::PolicyId;
use crate::rules::audit::{Books, Finding};
use crate::votes::Votes;

impl Votes {
    /// Everything there is.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn books(&self) -> Result<Books, Error> {
        let closed_through = self.closed_through().await?;
        let config = self.config().await?;
        let first = self.tables.days.first(closed_through).await?;
        let told = self.told_fates(first, closed_through.next()).await?;
        let told = told.into_iter().map(|(policy, (day, _))| (policy, day));
        let books = &self.tables.books;
        books.read(closed_through, config, told.collect()).await
    }

    /// What is wrong with everything there is. Votes that are being copied meanwhile may be among
    /// it; asked at rest, it finds nothing.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn audit(&self) -> Result<Vec<Finding>, Error> {
        Ok(self.books().await?.audit())
    }

    /// Recounts every policy that votes count for; how many there are.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn recount_all(&self) -> Result<usize, Error> {
        let roots = self.roots().await?;
        for root in &roots {
            self.recount(*root).await?;
        }
        Ok(roots.len())
    }

    /// Every policy that votes count for.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn roots(&self) -> Result<BTreeSet<PolicyId>, Error> {
        let mut roots = BTreeSet::new();
        for (policy, _, _) in self.tables.policies.all().await? {
            roots.insert(self.root(policy).await?);
        }
        Ok(roots)
    }

    /// Recounts a share of the policies that votes count for; how many those are. What was merged
    /// into another policy is counted with it, in the share of that one.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn recount_share(&self, share: Share) -> Result<usize, Error> {
        let mut failures = Failures::default();
        let mut counted = 0;
        for (policy, _, _) in self.tables.policies.all().await? {
            if share.has(policy) {
                let recounted = self.recount_root(policy).await;
                counted += usize::from(failures.part(recounted)?.unwrap_or(false));
            }
        }
        failures.end()?;
        Ok(counted)
    }

    /// Recounts a policy, if votes count for it; whether they do.
    async fn recount_root(&self, policy: PolicyId) -> Result<bool, Error> {
        if self.root(policy).await? != policy {
            return Ok(false);
        }
        self.recount(policy).await?;
        Ok(true)
    }
}
