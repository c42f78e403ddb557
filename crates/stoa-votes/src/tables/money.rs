//! `salary` and `voting_config`: what was paid, and what holds. Written by conditional writes
//! alone, once each.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

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
                     penalty_percent FROM {ks}.voting_config WHERE scope = ?",
                )
                .await?,
            set_config: base
                .prepare(
                    "INSERT INTO {ks}.voting_config (scope, from_day, period_unit, period_count, \
                     salary, creation_cost, penalty_percent) VALUES (?, ?, ?, ?, ?, ?, ?) \
                     IF NOT EXISTS",
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

    /// Everything that was ever decided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn config(&self, otherwise: VotingConfig) -> Result<ConfigHistory, Error> {
        let bound = self.config.bind((SCOPE,))?.with(serial());
        let rows = self.session.all::<ConfigRow>(&bound).await?;
        let mut configs = rows.iter().map(ConfigRow::config);
        let first = configs.next().unwrap_or(otherwise);
        Ok(ConfigHistory::new(first, configs))
    }

    /// Decides what holds from a day on, unless that was decided; whether it was not.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn decide_config(&self, config: &VotingConfig) -> Result<bool, Error> {
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
        }
    }
}
