//! The figures on the page of a user.

use std::collections::BTreeSet;

use stoa_session::Error;

use crate::model::{Day, NotDone, PolicyId, PolicyState, Role, UserId};
use crate::votes::Votes;

/// The figures of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Who.
    pub user: UserId,
    /// The name as it is shown.
    pub name: String,
    /// The name in the world, if the user wishes it to be shown.
    pub real_name: Option<String>,
    /// Since when.
    pub joined: Day,
    /// Votes that are not spent.
    pub balance: i64,
    /// The policies that the user created and that came to be.
    pub created: BTreeSet<PolicyId>,
    /// On how many policies the user has votes.
    pub voted_for: usize,
    /// What the user may do beyond what all may.
    pub roles: Vec<Role>,
}

impl Votes {
    /// The figures of a user who may vote.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn profile(&self, user: UserId) -> Result<Profile, NotDone> {
        let account = self.account(user).await?;
        let statement = self.statement_for_others(account).await?;
        let mut voted_for = 0;
        for (policy, position) in &statement.positions {
            if position.total > 0 && !self.is_released(*policy).await? {
                voted_for += 1;
            }
        }
        let known = self.user(user).await?;
        Ok(Profile {
            user,
            real_name: known.real_name.shown(),
            name: known.name,
            joined: account.joined,
            balance: statement.balance,
            created: self.created_by(user).await?,
            voted_for,
            roles: self.roles(user).await?,
        })
    }

    /// The policies that somebody created and that came to be.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn created_by(&self, owner: UserId) -> Result<BTreeSet<PolicyId>, Error> {
        let mut created = BTreeSet::new();
        for policy in self.tables.owners.list(owner).await? {
            let state = self.state_lately(policy).await?;
            if state.is_some_and(PolicyState::is_visible) {
                created.insert(policy);
            }
        }
        Ok(created)
    }

    async fn is_released(&self, policy: PolicyId) -> Result<bool, Error> {
        let state = self.state_lately(policy).await?;
        Ok(state.is_some_and(PolicyState::is_released))
    }

    /// The state of a policy, as it was not long ago.
    async fn state_lately(&self, policy: PolicyId) -> Result<Option<PolicyState>, Error> {
        let standing = match self.remembered(policy) {
            Some(standing) => Some(standing),
            None => self.standing(policy).await?,
        };
        Ok(standing.map(|it| it.state))
    }
}
