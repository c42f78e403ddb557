//! What a merge would amount to, before anybody is asked: votes and people together.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{By, NotDone, PolicyId, Role, UserId};
use crate::votes::Votes;

/// People of all sources who are gone through at most, to count those once who are for several.
const MOST_PEOPLE: i64 = 50_000;

/// What a merge would amount to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergePreview {
    /// The votes of each.
    pub votes: BTreeMap<PolicyId, i64>,
    /// The people who have votes on each, as they were last counted.
    pub supporters: BTreeMap<PolicyId, i64>,
    /// The people who have votes on any, each counted once; not told where they are too many.
    pub together: Option<i64>,
}

impl MergePreview {
    /// All votes.
    #[must_use]
    pub fn all_votes(&self) -> i64 {
        self.votes.values().sum()
    }
}

impl Votes {
    /// What a merge of some policies would amount to. It takes the role of merging policies.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn preview_merge(
        &self,
        by: By,
        sources: &BTreeSet<PolicyId>,
    ) -> Result<MergePreview, NotDone> {
        self.demand(by, Role::MergePolicies).await?;
        let (mut votes, mut supporters) = (BTreeMap::new(), BTreeMap::new());
        for source in sources {
            let total = self.tables.counts.total(*source).await?;
            votes.insert(*source, total.unwrap_or(0));
            let measured = self.tables.breadth.read(*source).await?;
            supporters.insert(*source, measured.map_or(0, |it| it.breadth.supporters));
        }
        let together = match supporters.values().sum::<i64>() <= MOST_PEOPLE {
            true => Some(self.people_on(sources).await?),
            false => None,
        };
        Ok(MergePreview {
            votes,
            supporters,
            together,
        })
    }

    /// How many people have votes on any of some policies, merges followed.
    async fn people_on(&self, policies: &BTreeSet<PolicyId>) -> Result<i64, NotDone> {
        let mut all: BTreeMap<UserId, i64> = BTreeMap::new();
        for policy in policies {
            for of in self.closure(*policy).await? {
                for (user, votes) in self.tables.breadth.supporters(of).await? {
                    let sum = all.entry(user).or_default();
                    *sum = sum.saturating_add(votes);
                }
            }
        }
        let count = all.values().filter(|votes| **votes > 0).count();
        Ok(i64::try_from(count).unwrap_or(i64::MAX))
    }
}
