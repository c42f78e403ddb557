//! What a change of votes would cost, before anybody confirms it. Nothing is written.

use std::collections::BTreeMap;

use super::account::{Account, Statement};
use super::submit::NotAccepted;
use crate::model::{PolicyId, Refusal};
use crate::rules::money::{Position, balance, positions};
use crate::rules::proposal::{Proposal, entries_after};
use crate::votes::Votes;

/// What a change would come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// What the user has now.
    pub before: Statement,
    /// What would be left to spend.
    pub balance: i64,
    /// What would be on which policy, merges followed.
    pub positions: BTreeMap<PolicyId, Position>,
    /// How many votes would be lost by withdrawing, for each policy where any would.
    pub prices: BTreeMap<PolicyId, i64>,
}

impl Quote {
    /// How many votes would be lost in all.
    #[must_use]
    pub fn price(&self) -> i64 {
        self.prices.values().sum()
    }
}

impl Votes {
    /// What a change of votes would come to, were it made now. It may be refused all the same, if
    /// something happens in between.
    ///
    /// # Errors
    /// Why it would be refused, or those of the session.
    pub async fn quote(
        &self,
        account: Account,
        moves: &BTreeMap<PolicyId, i64>,
    ) -> Result<Quote, NotAccepted> {
        let proposal = Proposal::Move(moves.clone());
        proposal.check_shape().map_err(NotAccepted::Refused)?;
        let (tip, chain) = self.chain(account.user).await?;
        if chain.ledger.has_ended {
            return Err(NotAccepted::Refused(Refusal::AccountEnded));
        }
        let before = self.statement_of(account, tip, &chain).await?;
        let standings = self.standings(&proposal, &chain).await?;
        let earliest = self.earliest_day().await?;
        let day = chain.ledger.day.map_or(earliest, |day| day.max(earliest));
        let percent = self.config().await?.on(day).penalty_percent;
        let draft = proposal
            .judge(&chain, &standings, before.salary, percent)
            .map_err(NotAccepted::Refused)?;
        let after = positions(&entries_after(&draft, &chain.ledger), &standings);
        let paid = |root: &PolicyId| before.positions.get(root).map_or(0, |it| it.burned());
        let prices = after
            .iter()
            .map(|(root, it)| (*root, it.burned() - paid(root)));
        Ok(Quote {
            balance: balance(before.salary, &after, &standings),
            prices: prices.filter(|(_, price)| *price != 0).collect(),
            positions: after,
            before,
        })
    }
}
