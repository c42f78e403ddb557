//! `salary` and `voting_config`: what was paid, and what holds. Written by conditional writes
//! alone, once each.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, decide, quorum, serial};
use crate::model::{ConfigHistory, Day, PeriodLength, UserId, VotingConfig};
use crate::rules::salary::Payment;

/// The only partition of the configuration.
const SCOPE: i8 = 0;

#[derive(FromRow)]
struct SalaryRow {
    period: Day,
    amount: i64,
}

#[derive(FromRow)]
struct ConfigRow {
    from_day: Day,
    period_unit: String,
    period_count: i32,
    salary: i64,
    creation_cost: i64,
    penalty_percent: i64,
    most_unspent: Option<i64>,
    only_present: bool,
    window_days: i32,
}

/// Who decided what holds, and when; a time UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decided {
    /// Who.
    pub by: UserId,
    /// When.
    pub act: Uuid,
}

#[derive(FromRow)]
struct DecidedRow {
    decided_by: Option<UserId>,
    act: Option<Uuid>,
}

/// The tables.
#[derive(Debug)]
pub struct MoneyTables {
    session: Arc<dyn Session>,
    paid: Prepared,
    pay: Prepared,
    pay_blindly: Prepared,
    config: Prepared,
    set_config: Prepared,
    decided: Prepared,
}

impl MoneyTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            paid: base
                .prepare("SELECT period, amount FROM {ks}.salary WHERE user = ?")
                .await?,
            pay: base
                .prepare(
                    "INSERT INTO {ks}.salary (user, period, amount) VALUES (?, ?, ?) IF NOT EXISTS",
                )
                .await?,
            pay_blindly: base
                .prepare("INSERT INTO {ks}.salary (user, period, amount) VALUES (?, ?, ?)")
                .await?,
            config: base
                .prepare(
                    "SELECT from_day, period_unit, period_count, salary, creation_cost, \
                     penalty_percent, most_unspent, only_present, window_days FROM {ks}.voting_config WHERE scope = ?",
                )
                .await?,
            set_config: base
                .prepare(
                    "INSERT INTO {ks}.voting_config (scope, from_day, period_unit, period_count, \
                     salary, creation_cost, penalty_percent, most_unspent, only_present, \
                     window_days, decided_by, act) \
                     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS",
                )
                .await?,
            decided: base
                .prepare(
                    "SELECT decided_by, act FROM {ks}.voting_config \
                     WHERE scope = ? AND from_day = ?",
                )
                .await?,
        })
    }

    /// What a user has been paid; no payment stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn paid(&self, user: UserId) -> Result<Vec<Payment>, Error> {
        let bound = self.paid.bind((user,))?.with(serial());
        let rows = self.session.all::<SalaryRow>(&bound).await?;
        let payments = rows.into_iter().map(|row| Payment {
            period: row.period,
            amount: row.amount,
        });
        Ok(payments.collect())
    }

    /// What a user has been paid up to a day, as every acknowledged payment says.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn paid_by(&self, user: UserId, day: Day) -> Result<i64, Error> {
        let bound = self.paid.bind((user,))?.with(quorum());
        let rows = self.session.all::<SalaryRow>(&bound).await?;
        let paid = rows.iter().filter(|row| row.period <= day);
        Ok(paid.map(|row| row.amount).sum())
    }

    /// Rule pay-once: pays a period, unless it was paid.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn pay(&self, user: UserId, payment: Payment) -> Result<(), Error> {
        let values = (user, payment.period, payment.amount);
        decide(&*self.session, &self.pay, values).await.map(|_| ())
    }

    /// Pays without looking whether it was paid: what happens without the rule pay-once.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn pay_blindly(&self, user: UserId, payment: Payment) -> Result<(), Error> {
        let values = (user, payment.period, payment.amount);
        let bound = self.pay_blindly.bind(values)?.with(quorum());
        self.session.execute(&bound, None).await.map(|_| ())
    }

    /// Everything that was ever decided, and before it what holds where nobody decided anything:
    /// a decision never changes what was before it.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn config(&self) -> Result<ConfigHistory, Error> {
        let bound = self.config.bind((SCOPE,))?.with(serial());
        let rows = self.session.all::<ConfigRow>(&bound).await?;
        let decided = rows.iter().map(ConfigRow::config);
        Ok(ConfigHistory::new(VotingConfig::initial(Day(0)), decided))
    }

    /// Who decided what holds from a day on; no decision stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn decided(&self, from: Day) -> Result<Option<Decided>, Error> {
        let bound = self.decided.bind((SCOPE, from))?.with(serial());
        let row = self.session.first::<DecidedRow>(&bound).await?;
        Ok(row.and_then(|row| {
            let (by, act) = (row.decided_by?, row.act?);
            Some(Decided { by, act })
        }))
    }

    /// Decides what holds from a day on, unless that was decided; whether it was not. Nobody is
    /// named who decided what holds from the founding.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn decide_config(
        &self,
        config: &VotingConfig,
        decided: Option<Decided>,
    ) -> Result<bool, Error> {
        let (unit, count) = match config.period {
            PeriodLength::Days(count) => ("day", i32::from(count)),
            PeriodLength::Week => ("week", 1),
            PeriodLength::Month => ("month", 1),
        };
        let values = (
            SCOPE,
            config.from,
            unit,
            count,
            config.salary,
            config.creation_cost,
            config.penalty_percent,
            config.most_unspent,
            config.only_present,
            i32::from(config.window_days),
            decided.map(|it| it.by),
            decided.map(|it| it.act),
        );
        decide(&*self.session, &self.set_config, values).await
    }
}

impl ConfigRow {
    fn config(&self) -> VotingConfig {
        let period = match self.period_unit.as_str() {
            "month" => PeriodLength::Month,
            "day" => PeriodLength::Days(u16::try_from(self.period_count).unwrap_or(1)),
            _ => PeriodLength::Week,
        };
        VotingConfig {
            from: self.from_day,
            period,
            salary: self.salary,
            creation_cost: self.creation_cost,
            penalty_percent: self.penalty_percent,
            most_unspent: self.most_unspent,
            only_present: self.only_present,
            window_days: u16::try_from(self.window_days).unwrap_or(1),
        }
    }
}
