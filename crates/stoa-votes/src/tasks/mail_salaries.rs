//! Mail to those whose votes of a new period have arrived. Votes are paid whenever somebody looks; this
//! is for those who do not look.
//!
//! Once for each period and person: the identifier of the mail follows from both, and the mail stands
//! under the first day of the period, so it is put there once, however often this dies. The mark goes
//! last. Who just joined looked a moment ago, and gets none for the first period.

use std::collections::BTreeMap;

use stoa_session::Error;

use super::failures::Failures;
use crate::model::{Day, DigestFrequency, UserId, UserState};
use crate::ops::account::Account;
use crate::rules::salary::period_of;
use crate::rules::secrets::id_of;
use crate::tables::outbox::Mail;
use crate::votes::Votes;

/// The name of the mark.
const MARK: &str = "mail_salaries";
/// Shorter periods are not worth a mail, in days.
const LEAST_PERIOD: i32 = 7;
/// After so many days of a period nobody is told of its beginning. Mail is kept longer, so none is
/// put there a second time.
const MOST_DAYS: i32 = 3;

impl Votes {
    /// Puts a mail into the outbox for everybody whose votes have arrived and who wants mail; how many
    /// were put there.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn mail_salaries(&self) -> Result<usize, Error> {
        let today = self.today();
        let config = self.config().await?.on(today);
        // Where only those who are there are paid, nothing arrives while they are away.
        if config.only_present {
            return Ok(0);
        }
        let length = config.period;
        let period = period_of(today, length);
        let before = period_of(period.previous(), length);
        let is_short = period.0.saturating_sub(before.0) < LEAST_PERIOD;
        if is_short || today > period.plus(MOST_DAYS) {
            return Ok(0);
        }
        let telling = &self.tables.telling;
        let mark = telling.mark(MARK).await?;
        if mark.is_some_and(|mark| mark >= period.start_micros()) {
            return Ok(0);
        }
        let mut failures = Failures::default();
        let mut count = 0;
        for person in self.tables.users.people().await? {
            let put = self.mail_salary(person.user, period).await;
            count += usize::from(failures.part(put)?.unwrap_or(false));
        }
        failures.end()?;
        telling.write_mark(MARK, period.start_micros()).await?;
        Ok(count)
    }

    /// Whether the mail was put there now.
    async fn mail_salary(&self, user: UserId, period: Day) -> Result<bool, Error> {
        let known = self.tables.users.read(user).await?;
        let known = known.filter(|it| it.state == UserState::Active && it.joined() < period);
        let Some(known) = known else {
            return Ok(false);
        };
        let settings = self.tables.watching.settings(user).await?;
        if settings.digest == DigestFrequency::Never {
            return Ok(false);
        }
        let joined = known.joined();
        let statement = self.statement(Account { user, joined }).await?;
        let paid = self.tables.money.paid(user).await?;
        let paid = paid.iter().find(|payment| payment.period == period);
        let Some(paid) = paid.filter(|payment| payment.amount > 0) else {
            return Ok(false);
        };
        let fields = [
            ("name", known.name),
            ("votes", paid.amount.to_string()),
            ("balance", statement.balance.to_string()),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value));
        let mail = Mail {
            day: period,
            id: mail_id(user, period),
            recipient: known.email,
            kind: "salary".to_owned(),
            fields: BTreeMap::from(fields),
            created_micros: self.clock.now_micros(),
        };
        self.tables.outbox.put(&mail).await
    }
}

/// The identifier of the mail of a user and a period.
fn mail_id(user: UserId, period: Day) -> uuid::Uuid {
    let mut named = user.0.as_bytes().to_vec();
    named.extend(period.0.to_be_bytes());
    id_of("salary", &named)
}
