//! Watching policies. What is watched follows merges: whoever watches a source watches its root.

use std::collections::BTreeSet;

use stoa_session::Error;

use crate::model::{NotDone, PolicyId, UserId, WatchRefusal};
use crate::votes::Votes;

/// Policies that one user watches at most.
pub const MOST_WATCHED: usize = 1_000;

impl Votes {
    /// Lets a user watch a policy. Asking again does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn watch(&self, user: UserId, policy: PolicyId) -> Result<(), NotDone> {
        self.account(user).await?;
        let standing = self.standing(policy).await?;
        if !standing.is_some_and(|it| it.state.is_visible()) {
            return Err(WatchRefusal::NoSuchPolicy.into());
        }
        let watched = self.tables.watching.watched(user).await?;
        if watched.len() >= MOST_WATCHED && !watched.contains(&policy) {
            return Err(WatchRefusal::TooMany.into());
        }
        let now = self.begin_micros();
        Ok(self.tables.watching.watch(user, policy, now).await?)
    }

    /// Lets an owner watch a policy from its beginning on. Who watches it no more since then stays
    /// so, however often this is done.
    pub(crate) async fn watch_own(&self, owner: UserId, policy: PolicyId) -> Result<(), Error> {
        let at = policy.made_at_micros();
        self.tables.watching.watch(owner, policy, at).await
    }

    /// Lets a user watch a policy no more, nor any that was merged into it. Asking again does no
    /// harm.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn unwatch(&self, user: UserId, policy: PolicyId) -> Result<(), Error> {
        let now = self.begin_micros();
        let mut policies = BTreeSet::from([policy]);
        for watched in self.tables.watching.watched(user).await? {
            if self.root(watched).await? == policy {
                policies.insert(watched);
            }
        }
        for policy in policies {
            self.tables.watching.unwatch(user, policy, now).await?;
        }
        Ok(())
    }

    /// What a user watches, merges followed.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn watchlist(&self, user: UserId) -> Result<BTreeSet<PolicyId>, Error> {
        let mut roots = BTreeSet::new();
        for policy in self.tables.watching.watched(user).await? {
            roots.insert(self.root(policy).await?);
        }
        Ok(roots)
    }

    /// Who watches a policy or anything that counts for the same root.
    pub(crate) async fn all_watchers(&self, policy: PolicyId) -> Result<BTreeSet<UserId>, Error> {
        let root = self.root(policy).await?;
        let mut watchers = BTreeSet::new();
        for policy in self.closure(root).await? {
            watchers.extend(self.tables.watching.watchers(policy).await?);
        }
        Ok(watchers)
    }
}
