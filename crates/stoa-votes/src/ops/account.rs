//! What a user has: everything paid, everything on policies, what is left.

use std::collections::{BTreeMap, BTreeSet};

use stoa_session::{Error, ErrorKind};

use crate::model::{AccountRefusal, Day, NotDone, PolicyId, User, UserId, UserState};
use crate::rules::chain::{Folded, Ledger};
use crate::rules::money::{Position, balance, positions};
use crate::rules::named::Rule;
use crate::rules::proposal::Proposal;
use crate::rules::salary::{Payment, paid_of, payments};
use crate::tables::chain::Tip;
use crate::votes::Votes;

/// A user, as far as votes are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    /// The user.
    pub user: UserId,
    /// The day of joining, from which votes are paid.
    pub joined: Day,
}

/// What a user has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The state that it is of; the basis of the next request.
    pub basis: Option<crate::model::VoteVersion>,
    /// Everything that was paid.
    pub salary: i64,
    /// What is left to spend.
    pub balance: i64,
    /// What is on which policy, merges followed.
    pub positions: BTreeMap<PolicyId, Position>,
}

impl Votes {
    /// The account of a user who may vote: one who confirmed the address and has not ended.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn account(&self, user: UserId) -> Result<Account, NotDone> {
        let user = self.user(user).await?;
        match user.state {
            UserState::Active => Ok(Account {
                user: user.id,
                joined: user.joined(),
            }),
            _ => Err(AccountRefusal::EmailUnverified.into()),
        }
    }

    /// A user who has joined and has not ended.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn user(&self, user: UserId) -> Result<User, NotDone> {
        match self.tables.users.read(user).await? {
            Some(user) if user.state.has_ended() => Err(AccountRefusal::AccountEnded.into()),
            Some(user) if user.state != UserState::Joining => Ok(user),
            _ => Err(AccountRefusal::NoSuchUser.into()),
        }
    }

    /// The chain of a user: what decides about its next record, and what it amounts to.
    pub(crate) async fn chain(&self, user: UserId) -> Result<(Tip, Folded), Error> {
        let (tip, records) = self.tables.chain.read(user).await?;
        let folded = Ledger::fold(&records).map_err(|broken| {
            let what = format!("the chain of the user {user} is broken: {broken}");
            Error::not_applied(ErrorKind::Storage, what)
        })?;
        Ok((tip, folded))
    }

    /// Rule pay-once: pays what is due up to a day and answers everything that was paid up to it. A
    /// payment counts once it has been read.
    pub(crate) async fn salary(
        &self,
        account: Account,
        through: Day,
        chain: &Folded,
    ) -> Result<i64, Error> {
        let config = self.config().await?;
        let due = payments(&config, account.joined, through);
        let mut paid = self.tables.money.paid(account.user).await?;
        let periods: BTreeSet<Day> = paid.iter().map(|payment| payment.period).collect();
        if due.iter().any(|payment| !periods.contains(&payment.period)) {
            for payment in due {
                if !self.holds(Rule::PayOnce) {
                    let amount = config.on(through).salary;
                    let payment = Payment { amount, ..payment };
                    self.tables.money.pay_blindly(account.user, payment).await?;
                } else if !periods.contains(&payment.period) {
                    let most = config.on(payment.period).most_unspent;
                    let payment = self.limited(account.user, payment, most, chain).await?;
                    self.tables.money.pay(account.user, payment).await?;
                }
            }
            paid = self.tables.money.paid(account.user).await?;
        }
        // Another instance, whose day has begun, may have paid more; a record of this day must not
        // spend it, or nobody could check the day by itself.
        let earned = paid.iter().filter(|payment| payment.period <= through);
        Ok(earned.map(|payment| payment.amount).sum())
    }

    /// A payment to somebody of whose unspent votes there may be so many. Whoever pays first decides
    /// how much it is.
    async fn limited(
        &self,
        user: UserId,
        payment: Payment,
        most_unspent: Option<i64>,
        chain: &Folded,
    ) -> Result<Payment, Error> {
        if most_unspent.is_none() || payment.amount == 0 {
            return Ok(payment);
        }
        let paid = self.tables.money.paid(user).await?;
        let paid = paid.iter().map(|payment| payment.amount).sum();
        let standings = self.standings(&Proposal::End, chain).await?;
        let positions = positions(&chain.ledger.entries, &standings);
        let unspent = balance(paid, &positions, &standings);
        let amount = paid_of(payment.amount, unspent, most_unspent);
        Ok(Payment { amount, ..payment })
    }

    /// What a user has, for others to see. Looking at somebody is not being there: where only those
    /// who are there are paid, nothing is paid.
    pub(crate) async fn statement_for_others(&self, account: Account) -> Result<Statement, Error> {
        let (tip, chain) = self.chain(account.user).await?;
        let today = self.today();
        if !self.config().await?.on(today).only_present {
            return self.statement_of(account, tip, &chain).await;
        }
        let salary = self.tables.money.paid_by(account.user, today).await?;
        self.statement_with(salary, tip, &chain).await
    }

    /// What a user has, who is there and is paid what is due.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn statement(&self, account: Account) -> Result<Statement, Error> {
        let (tip, chain) = self.chain(account.user).await?;
        self.statement_of(account, tip, &chain).await
    }

    /// The same of a chain that was just read.
    pub(crate) async fn statement_of(
        &self,
        account: Account,
        tip: Tip,
        chain: &Folded,
    ) -> Result<Statement, Error> {
        let salary = self.salary(account, self.today(), chain).await?;
        self.statement_with(salary, tip, chain).await
    }

    async fn statement_with(
        &self,
        salary: i64,
        tip: Tip,
        chain: &Folded,
    ) -> Result<Statement, Error> {
        let standings = self.standings(&Proposal::End, chain).await?;
        let positions = positions(&chain.ledger.entries, &standings);
        Ok(Statement {
            basis: tip.head,
            salary,
            balance: balance(salary, &positions, &standings),
            positions,
        })
    }
}
