//! Merging policies: several become sources of a new one, and their votes count for it.
//!
//! Nothing is rewritten: a vote stays where it was put, and is counted where its policy points.

use std::collections::BTreeSet;

use stoa_session::Error;

use crate::model::{PolicyId, PolicyState, UserId};
use crate::rules::named::Rule;
use crate::tables::merges::Merge;
use crate::votes::Votes;

impl Votes {
    /// Rule merge-intent: merges active policies into a new one, which is given. The merge is
    /// written down first, so that it is finished whatever happens. `None` if none of the sources
    /// was active.
    ///
    /// # Errors
    /// Those of the session; the merge is then finished by a task.
    pub async fn merge(
        &self,
        moderator: UserId,
        sources: BTreeSet<PolicyId>,
    ) -> Result<Option<PolicyId>, Error> {
        let mut active = BTreeSet::new();
        for source in sources {
            let state = self.standing(source).await?.map(|it| it.state);
            if state == Some(PolicyState::Active) {
                active.insert(source);
            }
        }
        if active.is_empty() {
            return Ok(None);
        }
        let merge = Merge {
            target: PolicyId(self.ids.time_uuid()),
            sources: active,
            moderator,
        };
        if self.holds(Rule::MergeIntent) {
            self.tables.merges.write(&merge).await?;
        }
        self.finish_merge(&merge).await
    }

    /// Does what is left of a merge. Every source was active when it began; one that is not active
    /// and does not point to the target never will, since no way leads back to active. So a target
    /// without sources can go once no source is active.
    pub(crate) async fn finish_merge(&self, merge: &Merge) -> Result<Option<PolicyId>, Error> {
        let (target, policies) = (merge.target, &self.tables.policies);
        policies.write_target(merge).await?;
        let mut switched = false;
        for source in &merge.sources {
            switched |= self.switch(*source, target).await?;
        }
        let found = if switched {
            let (from, to) = (PolicyState::Creating, PolicyState::Active);
            policies
                .change_state(target, from, to, self.settles())
                .await?;
            let root = self.root(target).await?;
            self.recount(root).await?;
            Some(target)
        } else {
            self.forget_page(target).await?;
            policies.remove_creating(target).await?;
            None
        };
        self.tables.merges.delete(target).await?;
        Ok(found)
    }

    async fn switch(&self, source: PolicyId, target: PolicyId) -> Result<bool, Error> {
        let policies = &self.tables.policies;
        self.forget(source);
        if !self.holds(Rule::StateCas) {
            let state = policies.read(source).await?.map(|it| it.state);
            if state == Some(PolicyState::Active) {
                policies.merge_blindly(source, target).await?;
                return Ok(true);
            }
            return Ok(false);
        }
        let points_to = policies.merge(source, target, self.settles()).await?;
        Ok(points_to == Some(target))
    }
}
