//! `outbox`: mail to be sent. By conditional writes alone; it expires after a week.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, decide, serial};
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
}

/// The table.
#[derive(Debug)]
pub struct OutboxTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    list: Prepared,
    finish: Prepared,
}

impl OutboxTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.outbox \
                     (day, id, state, recipient, kind, fields, created_micros) \
                     VALUES (?, ?, 'pending', ?, ?, ?, ?) IF NOT EXISTS USING TTL ?",
                )
                .await?,
            list: base
                .prepare(
                    "SELECT id, state, recipient, kind, fields, created_micros \
                     FROM {ks}.outbox WHERE day = ?",
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
            MAIL_SECONDS,
        );
        decide(&*self.session, &self.insert, values).await
    }

    /// The mail of a day that is still to be sent.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn pending(&self, day: Day) -> Result<Vec<Mail>, Error> {
        let bound = self.list.bind((day,))?.with(serial());
        let rows = self.session.all::<MailRow>(&bound).await?;
        let pending = rows.into_iter().filter_map(|row| {
            (row.state.as_deref() == Some("pending")).then_some(())?;
            Some(Mail {
                day,
                id: row.id,
                recipient: row.recipient?,
                kind: row.kind?,
                fields: row.fields.unwrap_or_default(),
                created_micros: row.created_micros?,
            })
        });
        Ok(pending.collect())
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
