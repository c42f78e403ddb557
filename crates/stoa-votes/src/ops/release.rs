//! Giving votes back: a policy is retired, or taken away. No way leads back from there, because
//! people may have spent what they got.

use stoa_session::Error;

use crate::model::{PolicyId, PolicyState};
use crate::rules::named::Rule;
use crate::tables::changes::Changed;
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
    /// Rule state-cas: releases an active policy, or one that its owner withdrew while somebody came
    /// to vote for it; whether it is released so.
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
        let mut is_released = false;
        // From withdrawn no way leads back to active, so each is tried once.
        for from in [PolicyState::Active, PolicyState::Withdrawn] {
            is_released = policies
                .change_state(policy, from, to, self.settles())
                .await?;
            if is_released {
                break;
            }
        }
        self.note_changed(policy, Changed::Votes).await?;
        Ok(is_released)
    }
}
