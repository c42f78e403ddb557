//! The days of the public ledger, for a page that lists them, and the lines of one day.

use std::collections::BTreeMap;

use stoa_session::Error;

use super::export_ledger::{head_hash, no_hash};
use crate::model::{Day, PrivacyMode};
use crate::rules::public_ledger::{LedgerHash, Line};
use crate::tables::ledger::LedgerSettings;
use crate::votes::Votes;

/// Days of one page at most.
pub const MOST_DAYS_SHOWN: u16 = 100;

/// A closed day of the public ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerDay {
    /// Which day.
    pub day: Day,
    /// The hash it was closed with.
    pub hash: LedgerHash,
    /// How many policies its ranking has; none if it is not ranked yet.
    pub policies: Option<i64>,
}

/// Some closed days, the last first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LedgerDays {
    /// Which.
    pub days: Vec<LedgerDay>,
    /// Before which day to go on, if there are more.
    pub next: Option<Day>,
    /// The first day of the ledger.
    pub first: Option<Day>,
}

impl Votes {
    /// The closed days before a day, the last first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn ledger_days(&self, before: Option<Day>, most: u16) -> Result<LedgerDays, Error> {
        let through = self.closed_through().await?;
        let first = self.tables.days.first(self.today()).await?;
        let last = before.map_or(through, |before| before.previous().min(through));
        if last < first {
            return Ok(LedgerDays::default());
        }
        let from = last.plus(1 - i32::from(most.clamp(1, MOST_DAYS_SHOWN)));
        let from = from.max(first);
        let mut hashes: BTreeMap<Day, LedgerHash> = BTreeMap::new();
        // So few days are of two years at most.
        hashes.extend(self.tables.days.hashes_in_year(from).await?);
        if from.civil().year != last.civil().year {
            hashes.extend(self.tables.days.hashes_in_year(last).await?);
        }
        let ranked = self.tables.rank_history.ranked_days(from, last).await?;
        let ranked = ranked.into_iter().map(|it| (it.day, it.count));
        let ranked: BTreeMap<Day, i64> = ranked.collect();
        let days = from.through(last).rev().map(|day| {
            let hash = hashes.get(&day).copied().ok_or_else(|| no_hash(day))?;
            let policies = ranked.get(&day).copied();
            Ok(LedgerDay {
                day,
                hash,
                policies,
            })
        });
        Ok(LedgerDays {
            days: days.collect::<Result<_, Error>>()?,
            next: (from > first).then_some(from),
            first: Some(first),
        })
    }

    /// The lines of a closed day as they stand in the public ledger, the one that ends it included;
    /// none if the day is not closed.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn ledger_day(&self, day: Day) -> Result<Option<Vec<String>>, Error> {
        let first = self.tables.days.first(self.today()).await?;
        let Some((snapshot, hash)) = self.tables.days.closed(day).await? else {
            return Ok(None);
        };
        let settings = self.tables.ledger.settings().await?;
        let settings = settings.unwrap_or(LedgerSettings {
            mode: PrivacyMode::DEFAULT,
            secret: String::new(),
            is_locked: false,
            chosen: None,
        });
        let previous = match day == first {
            true => head_hash(settings.mode, first),
            false => {
                let before = day.previous();
                let closed = self.tables.days.closed(before).await?;
                closed.ok_or_else(|| no_hash(before))?.1
            }
        };
        let mut lines = self.day_lines(&settings, day, snapshot).await?;
        let end = Line::End {
            day,
            lines: i64::try_from(lines.len()).unwrap_or(i64::MAX),
            previous,
            hash,
        };
        lines.push(end.to_string());
        Ok(Some(lines))
    }
}
