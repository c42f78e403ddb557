//! Receipts: where a record stands in the public ledger, so that its user can find it there.

use stoa_session::{Error, ErrorKind};

use super::export_ledger::no_hash;
use super::ledger_lines::record_line;
use crate::model::{Day, PrivacyMode, UserId};
use crate::rules::public_ledger::LedgerHash;
use crate::votes::Votes;

/// Where a record stands in the public ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipt {
    /// Nowhere yet: its day is open.
    NotYet {
        /// The day.
        day: Day,
    },
    /// In a day that shows no records.
    Hidden {
        /// The day.
        day: Day,
        /// The hash of the day.
        day_hash: LedgerHash,
    },
    /// In a line of a day.
    Published {
        /// The day.
        day: Day,
        /// The line, as everybody finds it among those of the day.
        line: String,
        /// The hash of the line with its line feed.
        line_hash: LedgerHash,
        /// The hash of the day.
        day_hash: LedgerHash,
    },
}

impl Votes {
    /// The receipt of a record of a user; `None` if there is no such record.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn receipt(&self, user: UserId, seq: i64) -> Result<Option<Receipt>, Error> {
        let Some(record) = self.tables.chain.record(user, seq).await? else {
            return Ok(None);
        };
        let day = record.day;
        if self.closed_through().await? < day {
            return Ok(Some(Receipt::NotYet { day }));
        }
        let closed = self.tables.days.closed(day).await?;
        let (_, day_hash) = closed.ok_or_else(|| no_hash(day))?;
        let settings = self.locked_ledger().await?;
        if settings.mode == PrivacyMode::Tallies {
            return Ok(Some(Receipt::Hidden { day, day_hash }));
        }
        let copied = self.tables.ledger.record(day, user, seq).await?;
        let copied = copied.ok_or_else(|| no_copy(day, seq))?;
        let line = record_line(&settings, day, &copied).to_string();
        let line_hash = LedgerHash::of_line(&line);
        Ok(Some(Receipt::Published {
            day,
            line,
            line_hash,
            day_hash,
        }))
    }
}

/// A day is closed only once all of its records are copied, so someone wrote past the rules.
fn no_copy(day: Day, seq: i64) -> Error {
    let what = format!("{day} is closed, and the public ledger has no copy of record {seq} of it");
    Error::not_applied(ErrorKind::Storage, what)
}
