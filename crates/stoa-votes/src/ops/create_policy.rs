//! Creating a policy: its page and its first votes, which the creator pays for.

use super::account::Account;
use super::submit::{Accepted, Ask, NotAccepted, Request};
use crate::model::{NewPage, NotDone, PageRefusal, PolicyId, Refused, RequestId, VoteVersion};
use crate::rules::page_text::checked_page;
use crate::votes::Votes;

/// A policy that was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Created {
    /// The policy.
    pub policy: PolicyId,
    /// The record that created it.
    pub accepted: Accepted,
}

/// Policies that one user creates within a day at most.
const MOST_A_DAY: usize = 5;
const DAY_MICROS: i64 = 86_400_000_000;

impl Votes {
    /// Creates a policy. It is seen once its record is accepted, and not before.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown; asking again with the same request tells.
    pub async fn create_policy(
        &self,
        account: Account,
        request: RequestId,
        basis: Option<VoteVersion>,
        new: &NewPage,
    ) -> Result<Created, NotAccepted> {
        let page = checked_page(new).map_err(NotAccepted::Page)?;
        // What was answered before is answered so again, whatever became of places since.
        if self
            .tables
            .chain
            .answer(account.user, request)
            .await?
            .is_none()
        {
            self.check_place(&page.category, page.party)
                .await
                .map_err(page_refusal)?;
            self.check_rate(account).await?;
        }
        let request = Request {
            id: request,
            basis,
            ask: Ask::Create(Some(Box::new(page))),
            actor: account.user,
        };
        let accepted = self.submit(account, &request).await?;
        self.sync(account.user, accepted).await?;
        let record = self.tables.chain.record(account.user, accepted.seq).await?;
        let policy = record.and_then(|record| record.policy_created);
        let policy = policy.ok_or(NotAccepted::Page(PageRefusal::RequestReused))?;
        self.watch_own(account.user, policy).await?;
        Ok(Created { policy, accepted })
    }

    /// Refuses who created enough for a day.
    async fn check_rate(&self, account: Account) -> Result<(), NotAccepted> {
        let since = self.clock.now_micros() - DAY_MICROS;
        let created = self.tables.owners.list(account.user).await?.into_iter();
        let lately = created.filter(|policy| policy.made_at_micros() > since);
        match lately.count() < MOST_A_DAY {
            true => Ok(()),
            false => Err(NotAccepted::Page(PageRefusal::TooManyPolicies)),
        }
    }
}

fn page_refusal(not_done: NotDone) -> NotAccepted {
    match not_done {
        NotDone::Refused(Refused::Page(refusal)) => NotAccepted::Page(refusal),
        NotDone::Refused(_) => NotAccepted::Page(PageRefusal::NoSuchCategory),
        NotDone::Unknown(error) => NotAccepted::Unknown(error),
    }
}
