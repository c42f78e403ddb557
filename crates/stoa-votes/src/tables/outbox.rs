//! `outbox`: mail to be sent. By conditional writes alone; it expires after a week.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, decide, quorum, serial};
use crate::model::Day;

/// How long mail is kept.
const MAIL_SECONDS: i32 = 7 * 86_400;

/// A mail to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// The day it is kept under.
    pub day: Day,
    /// Its identifier; the same mail has the same.
    pub id: Uuid,
    /// To whom.
    pub recipient: String,
    /// Which mail.
    pub kind: String,
    /// What its text is about, by name.
    pub fields: BTreeMap<String, String>,
    /// When it was put here, in microseconds since 1970.
    pub created_micros: i64,
}

/// A mail that is still to be sent, and who tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// The mail.
    pub mail: Mail,
    /// The last claim of it; at first its own identifier.
    pub claim: Uuid,
    /// How often somebody tried to send it.
    pub attempts: i32,
    /// When the next one may try, in microseconds since 1970.
    pub due_micros: i64,
}

/// What a look at the outbox tells of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its identifier.
    pub id: Uuid,
    /// Nothing while it waits; then what became of it.
    pub delivery: Option<Delivery>,
    /// To whom; nobody any more, once something became of it.
    pub recipient: Option<String>,
    /// Which mail.
    pub kind: String,
    /// When it was put here, in microseconds since 1970.
    pub created_micros: i64,
    /// How often somebody tried to send it.
    pub attempts: i32,
    /// When the next one may try, in microseconds since 1970.
    pub due_micros: i64,
}

/// What became of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It was sent.
    Sent,
    /// It cannot be sent.
    Failed,
}

#[derive(FromRow)]
struct MailRow {
    id: Uuid,
    state: Option<String>,
    recipient: Option<String>,
    kind: Option<String>,
    fields: Option<BTreeMap<String, String>>,
    created_micros: Option<i64>,
    claim: Option<Uuid>,
    attempts: Option<i32>,
    due_micros: Option<i64>,
}

impl MailRow {
    /// A row of which only what follows was written has no mail any more.
    fn listed(self) -> Option<Listed> {
        let delivery = match self.state.as_deref()? {
            "pending" => None,
            "sent" => Some(Delivery::Sent),
            _ => Some(Delivery::Failed),
        };
        Some(Listed {
            id: self.id,
            delivery,
            recipient: self.recipient,
            kind: self.kind.unwrap_or_default(),
            created_micros: self.created_micros.unwrap_or(0),
            attempts: self.attempts.unwrap_or(0),
            due_micros: self.due_micros.unwrap_or(0),
        })
    }

    fn queued(self, day: Day) -> Option<Queued> {
        (self.state.as_deref() == Some("pending")).then_some(())?;
        let mail = Mail {
            day,
            id: self.id,
            recipient: self.recipient?,
            kind: self.kind?,
            fields: self.fields.unwrap_or_default(),
            created_micros: self.created_micros?,
        };
        Some(Queued {
            mail,
            claim: self.claim?,
            attempts: self.attempts?,
            due_micros: self.due_micros?,
        })
    }
}

/// The table.
#[derive(Debug)]
pub struct OutboxTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    list: Prepared,
    first: Prepared,
    after: Prepared,
    one: Prepared,
    claim: Prepared,
    finish: Prepared,
}

const LIST: &str = "SELECT id, state, recipient, kind, fields, created_micros, claim, attempts, \
    due_micros FROM {ks}.outbox WHERE day = ?";

impl OutboxTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.outbox \
                     (day, id, state, recipient, kind, fields, created_micros, \
                     claim, attempts, due_micros) \
                     VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, 0, ?) IF NOT EXISTS USING TTL ?",
                )
                .await?,
            list: base.prepare(LIST).await?,
            first: base.prepare(&format!("{LIST} LIMIT ?")).await?,
            after: base.prepare(&format!("{LIST} AND id > ? LIMIT ?")).await?,
            one: base
                .prepare(
                    "SELECT id, state, recipient, kind, fields, created_micros, claim, attempts, \
                     due_micros FROM {ks}.outbox WHERE day = ? AND id = ?",
                )
                .await?,
            claim: base
                .prepare(
                    "UPDATE {ks}.outbox USING TTL ? SET claim = ?, attempts = ?, due_micros = ? \
                     WHERE day = ? AND id = ? IF state = 'pending' AND claim = ?",
                )
                .await?,
            finish: base
                .prepare(
                    "UPDATE {ks}.outbox USING TTL ? SET state = ?, fields = null, \
                     recipient = null WHERE day = ? AND id = ? IF state = 'pending'",
                )
                .await?,
        })
    }

    /// Puts a mail here, unless it is here; whether it was not.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn put(&self, mail: &Mail) -> Result<bool, Error> {
        let values = (
            mail.day,
            mail.id,
            &mail.recipient,
            &mail.kind,
            &mail.fields,
            mail.created_micros,
            mail.id,
            mail.created_micros,
            MAIL_SECONDS,
        );
        decide(&*self.session, &self.insert, values).await
    }

    /// The mail of a day that is still to be sent.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn pending(&self, day: Day) -> Result<Vec<Mail>, Error> {
        let queue = self.queue(day).await?;
        Ok(queue.into_iter().map(|queued| queued.mail).collect())
    }

    /// The mail of a day that is still to be sent, and who tried.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn queue(&self, day: Day) -> Result<Vec<Queued>, Error> {
        let bound = self.list.bind((day,))?.with(serial());
        let rows = self.session.all::<MailRow>(&bound).await?;
        let queued = rows.into_iter().filter_map(|row| row.queued(day));
        Ok(queued.collect())
    }

    /// A part of the mail of a day, sent or not, by its identifiers after one of them; as it was not
    /// long ago.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn part(
        &self,
        day: Day,
        after: Option<Uuid>,
        most: i32,
    ) -> Result<Vec<Listed>, Error> {
        let bound = match after {
            None => self.first.bind((day, most))?,
            Some(after) => self.after.bind((day, after, most))?,
        };
        let rows = self.session.all::<MailRow>(&bound.with(quorum())).await?;
        Ok(rows.into_iter().filter_map(MailRow::listed).collect())
    }

    /// A mail, if it is still to be sent; no claim of it stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn settle(&self, day: Day, id: Uuid) -> Result<Option<Queued>, Error> {
        let bound = self.one.bind((day, id))?.with(serial());
        let row = self.session.first::<MailRow>(&bound).await?;
        Ok(row.and_then(|row| row.queued(day)))
    }

    /// Changes who tries a mail, how often somebody did and when the next one may, if the claim is
    /// still the one that was seen; whether it was. It expires when the mail does.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn claim(&self, seen: Uuid, queued: &Queued, now_micros: i64) -> Result<bool, Error> {
        let mail = &queued.mail;
        let values = (
            seconds_left(mail.created_micros, now_micros),
            queued.claim,
            queued.attempts,
            queued.due_micros,
            mail.day,
            mail.id,
            seen,
        );
        decide(&*self.session, &self.claim, values).await
    }

    /// Writes what became of a mail and erases what was in it; whether nobody did before.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn finish(&self, day: Day, id: Uuid, delivery: Delivery) -> Result<bool, Error> {
        let state = match delivery {
            Delivery::Sent => "sent",
            Delivery::Failed => "failed",
        };
        let values = (MAIL_SECONDS, state, day, id);
        decide(&*self.session, &self.finish, values).await
    }
}

/// For how long a mail is still kept. Never nothing: that would be for ever.
fn seconds_left(created_micros: i64, now_micros: i64) -> i32 {
    let age = now_micros.saturating_sub(created_micros) / 1_000_000;
    let left = i64::from(MAIL_SECONDS).saturating_sub(age);
    i32::try_from(left.clamp(1, i64::from(MAIL_SECONDS))).unwrap_or(MAIL_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_expires_with_its_mail() {
        assert_eq!(seconds_left(0, 0), MAIL_SECONDS);
        assert_eq!(seconds_left(0, 86_400_000_000), MAIL_SECONDS - 86_400);
        assert_eq!(seconds_left(0, i64::MAX), 1);
        assert_eq!(seconds_left(i64::MAX, 0), MAIL_SECONDS);
        assert_eq!(seconds_left(i64::MIN, i64::MAX), 1);
    }
}
