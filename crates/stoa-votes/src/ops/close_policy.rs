//! Closing a policy: its owner withdraws it, a moderator retires it, or it is taken away.
//!
//! 1. The state changes, and with it whether votes are given back. That decides.
//! 2. The page says by whom and why; whoever watches is told, and the public log too.
//!
//! Whoever dies between the two leaves a policy that is closed and does not say why; asking again
//! goes on there.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::account::Account;
use super::claim::busy;
use super::release::Release;
use super::submit::{Ask, NotAccepted, Request};
use crate::model::{
    By, HappeningKind, NotDone, PageAction, PageEnding, PageRefusal, PolicyId, PolicyState,
    RequestId, RetireReason, Role, UserId,
};
use crate::rules::page_text::checked_reason;
use crate::tables::pages::PageChange;
use crate::votes::Votes;

impl Votes {
    /// Closes a policy of one's own, while nobody else has votes on it. What the owner has on it
    /// is withdrawn at the usual price, or making policies would cost nothing.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown; asking again goes on.
    pub async fn withdraw_policy(
        &self,
        account: Account,
        policy: PolicyId,
        reason: &str,
    ) -> Result<(), NotDone> {
        // Before the state changes: with a wrong clock the votes could not be taken off after it.
        self.check_clock()?;
        let reason = checked_reason(reason)?;
        let page = self.settled_page(policy).await?;
        if !page.is_owned_by(account.user) {
            return Err(PageRefusal::NotAnOwner.into());
        }
        let state = self.tables.policies.settle(policy).await?;
        match state.map(|it| it.state) {
            Some(PolicyState::Withdrawn) => {}
            Some(PolicyState::Active) => {
                let total = self.recount(policy).await?;
                if total > self.on_policy(account, policy).await? {
                    return Err(PageRefusal::OthersVote.into());
                }
                let (from, to) = (PolicyState::Active, PolicyState::Withdrawn);
                let policies = &self.tables.policies;
                self.forget(policy);
                if !policies
                    .change_state(policy, from, to, self.settles())
                    .await?
                {
                    return Err(PageRefusal::Closed(policy).into());
                }
            }
            _ => return Err(PageRefusal::Closed(policy).into()),
        }
        self.take_everything_off(account, policy).await?;
        let state = PolicyState::Withdrawn;
        let ended = self.end_page(policy, state, account.user, &reason);
        let ending = ended.await?;
        let act = (ending.id, ending.by);
        self.tell(policy, HappeningKind::Retired, act, &ending.reason)
            .await?;
        Ok(())
    }

    async fn on_policy(&self, account: Account, policy: PolicyId) -> Result<i64, NotDone> {
        let statement = self.statement(account).await?;
        Ok(statement.positions.get(&policy).map_or(0, |it| it.total))
    }

    async fn take_everything_off(&self, account: Account, policy: PolicyId) -> Result<(), NotDone> {
        for _ in 0..self.settings.attempts {
            let statement = self.statement(account).await?;
            let held = statement.positions.get(&policy).map_or(0, |it| it.total);
            if held <= 0 {
                return Ok(());
            }
            let request = Request {
                id: RequestId(self.ids.uuid()),
                basis: statement.basis,
                ask: Ask::Move(BTreeMap::from([(policy, -held)])),
                actor: account.user,
            };
            match self.submit(account, &request).await {
                Ok(accepted) => return Ok(self.sync(account.user, accepted).await?),
                Err(NotAccepted::Unknown(error)) => return Err(error.into()),
                Err(_) => {}
            }
        }
        Err(busy("the votes changed too often meanwhile").into())
    }

    /// Retires a policy with a reason and gives all votes on it back; also one that its owner
    /// withdrew. It takes the role of editing policies.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown; asking again goes on.
    pub async fn retire_policy(
        &self,
        by: By,
        policy: PolicyId,
        reason: RetireReason,
        words: &str,
    ) -> Result<(), NotDone> {
        let words = checked_reason(words)?;
        let reason = format!("{}: {words}", reason.name());
        self.end_policy(by, policy, Release::Retire, &reason).await
    }

    /// Takes a policy away and gives all votes on it back; also one that its owner withdrew. Its
    /// texts are erased later. It takes the role of editing policies.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown; asking again goes on.
    pub async fn delete_policy(
        &self,
        by: By,
        policy: PolicyId,
        reason: &str,
    ) -> Result<(), NotDone> {
        let reason = checked_reason(reason)?;
        self.end_policy(by, policy, Release::Delete, &reason).await
    }

    async fn end_policy(
        &self,
        by: By,
        policy: PolicyId,
        how: Release,
        reason: &str,
    ) -> Result<(), NotDone> {
        self.demand(by, Role::EditPolicies).await?;
        self.settled_page(policy).await?;
        if !self.release(policy, how).await? {
            return Err(PageRefusal::Closed(policy).into());
        }
        let (state, kind, action) = match how {
            Release::Retire => (
                PolicyState::Retired,
                HappeningKind::Retired,
                "retire_policy",
            ),
            Release::Delete => (
                PolicyState::PendingDeletion,
                HappeningKind::Deleted,
                "delete_policy",
            ),
        };
        let ending = self.end_page(policy, state, by.id(), reason).await?;
        let act = (ending.id, ending.by);
        self.tell(policy, kind, act, &ending.reason).await?;
        self.log_act(act, action, &policy.to_string(), &ending.reason)
            .await?;
        Ok(())
    }

    /// Writes how a policy ended, unless that is written; how it did.
    async fn end_page(
        &self,
        policy: PolicyId,
        state: PolicyState,
        by: UserId,
        reason: &str,
    ) -> Result<PageEnding, NotDone> {
        let ended = PageChange::Ended { state, by, reason };
        let page = self.change_page(policy, ended).await?;
        let ending = page.ending;
        ending.ok_or_else(|| PageRefusal::Changed.into())
    }

    /// Erases the texts of a policy that was merged into another, withdrawn or retired: it cannot be
    /// taken away any more. It takes the role of editing policies.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn redact_policy(
        &self,
        by: By,
        policy: PolicyId,
        reason: &str,
    ) -> Result<(), NotDone> {
        self.demand(by, Role::EditPolicies).await?;
        let reason = checked_reason(reason)?;
        let state = self.standing(policy).await?.map(|it| it.state);
        if !matches!(
            state,
            Some(PolicyState::Merged | PolicyState::Withdrawn | PolicyState::Retired)
        ) {
            return Err(PageRefusal::NoSuchPolicy(policy).into());
        }
        let act = (by, PageAction::Redact, &*reason);
        self.moderate_page(policy, PageChange::Erased, act).await
    }

    /// Erases every text of a page; the change that did.
    pub(crate) async fn erase_page(&self, policy: PolicyId) -> Result<Uuid, NotDone> {
        let page = self.change_page(policy, PageChange::Erased).await?;
        Ok(page.change)
    }
}
