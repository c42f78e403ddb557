//! Who votes for what, page by page, where the mode of privacy is public; refused in all others.

use std::ops::Bound;

use stoa_session::Error;

use crate::model::{LedgerRefusal, NotDone, PolicyId, PolicyState, PrivacyMode, UserId};
use crate::rules::money::positions;
use crate::rules::proposal::Proposal;
use crate::rules::signals::Allocations;
use crate::votes::Votes;

/// Lines of one page at most.
pub const MOST_SHOWN: i32 = 100;

/// Some of those who have votes on a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupporterPage {
    /// Who, and how many votes, merges followed. A page may have fewer than were asked for.
    pub supporters: Vec<(UserId, i64)>,
    /// Where the next page begins, if there may be one.
    pub next: Option<SupporterCursor>,
}

/// The last of a page: the policy among those that count for the root, and the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupporterCursor {
    /// The policy whose supporters are being gone through.
    pub policy: PolicyId,
    /// The last user of the page; none at the beginning of the policy.
    pub user: Option<UserId>,
}

/// Some of what a user has votes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllocationPage {
    /// The policies that votes count for, and how many votes.
    pub votes: Vec<(PolicyId, i64)>,
    /// Where the next page begins, if there is one.
    pub next: Option<PolicyId>,
}

impl Votes {
    /// Who has votes on a policy or on what was merged into it.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn supporters(
        &self,
        policy: PolicyId,
        after: Option<SupporterCursor>,
        most: i32,
    ) -> Result<SupporterPage, NotDone> {
        self.demand_public_votes().await?;
        let most = most.clamp(1, MOST_SHOWN);
        let root = self.root(policy).await?;
        let closure: Vec<PolicyId> = self.closure(root).await?.into_iter().collect();
        let from = after.and_then(|it| closure.iter().position(|policy| *policy == it.policy));
        let (before, rest) = closure.split_at(from.unwrap_or(0));
        let mut earlier = before.to_vec();
        let mut user = after.and_then(|it| it.user);
        for (at, of) in rest.iter().enumerate() {
            let table = &self.tables.breadth;
            let rows = table.supporters_after(*of, user, most).await?;
            let is_full = usize::try_from(most).is_ok_and(|most| rows.len() >= most);
            let last = rows.last().map(|(user, _)| *user);
            let supporters = self.counted(rows, *of, &closure, &earlier).await?;
            let next = match is_full {
                true => Some((*of, last)),
                false => rest.get(at + 1).map(|next| (*next, None)),
            };
            let next = next.map(|(policy, user)| SupporterCursor { policy, user });
            if !supporters.is_empty() || is_full || next.is_none() {
                return Ok(SupporterPage { supporters, next });
            }
            earlier.push(*of);
            user = None;
        }
        Ok(SupporterPage {
            supporters: Vec::new(),
            next: None,
        })
    }

    /// What users have on a whole closure, without those who were shown with an earlier policy of it.
    async fn counted(
        &self,
        rows: Vec<(UserId, i64)>,
        of: PolicyId,
        closure: &[PolicyId],
        earlier: &[PolicyId],
    ) -> Result<Vec<(UserId, i64)>, Error> {
        let mut counted = Vec::new();
        for (user, mut total) in rows {
            let mut was_shown = false;
            for other in closure.iter().filter(|other| **other != of) {
                let theirs = self.tables.counts.supporter(*other, user).await?;
                was_shown |= theirs.is_some() && earlier.contains(other);
                total = total.saturating_add(theirs.unwrap_or(0));
            }
            if total > 0 && !was_shown {
                counted.push((user, total));
            }
        }
        Ok(counted)
    }

    /// What a user has votes on, merges followed; the page after another one begins at its `next`.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn votes_of(
        &self,
        user: UserId,
        after: Option<PolicyId>,
        most: i32,
    ) -> Result<AllocationPage, NotDone> {
        self.demand_public_votes().await?;
        self.user(user).await?;
        let most = usize::try_from(most.clamp(1, MOST_SHOWN)).unwrap_or(1);
        let allocations = self.allocations(user).await?;
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut votes = Vec::new();
        let mut next = None;
        for (policy, total) in allocations.range((from, Bound::Unbounded)) {
            if votes.len() == most {
                next = votes.last().map(|(policy, _)| *policy);
                break;
            }
            let standing = self.standing(*policy).await?;
            let state = standing.map(|it| it.state);
            if !state.is_some_and(PolicyState::is_released) {
                votes.push((*policy, *total));
            }
        }
        Ok(AllocationPage { votes, next })
    }

    /// What a user has on each policy that votes count for.
    pub(crate) async fn allocations(&self, user: UserId) -> Result<Allocations, Error> {
        let (_, chain) = self.chain(user).await?;
        let standings = self.standings(&Proposal::End, &chain).await?;
        let positions = positions(&chain.ledger.entries, &standings);
        let held = positions.into_iter().filter(|(_, it)| it.total > 0);
        Ok(held.map(|(root, it)| (root, it.total)).collect())
    }

    async fn demand_public_votes(&self) -> Result<(), NotDone> {
        match self.privacy().await?.mode {
            PrivacyMode::Public => Ok(()),
            PrivacyMode::Pseudonymous | PrivacyMode::Tallies => {
                Err(LedgerRefusal::VotesNotPublic.into())
            }
        }
    }
}
