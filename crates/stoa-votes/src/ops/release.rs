//! Giving votes back: a policy is retired, or taken away. No way leads back from there, because
//! people may have spent what they got.

use stoa_session::Error;

use crate::model::{PolicyId, PolicyState};
use crate::rules::named::Rule;
use crate::votes::Votes;

/// How votes are given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// Closed; the page stays.
    Retire,
    /// Taken away; what was written is erased later.
    Delete,
}

impl Votes {
    /// Rule state-cas: releases an active policy; whether it is released so.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn release(&self, policy: PolicyId, how: Release) -> Result<bool, Error> {
        let to = match how {
            Release::Retire => PolicyState::Retired,
            Release::Delete => PolicyState::PendingDeletion,
        };
        let policies = &self.tables.policies;
        self.forget(policy);
        if !self.holds(Rule::StateCas) {
            // Looks first, and then does not look again.
            let state = policies.read(policy).await?.map(|it| it.state);
            if state != Some(PolicyState::Active) {
                return Ok(false);
            }
            policies.change_state_blindly(policy, to).await?;
            return Ok(true);
        }
        let from = PolicyState::Active;
        policies
            .change_state(policy, from, to, self.settles())
            .await
    }
}
