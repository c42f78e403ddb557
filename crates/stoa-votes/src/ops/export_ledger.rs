//! Exporting the public ledger: every closed day, from the first on.

use stoa_session::{Error, ErrorKind};

use crate::model::{Day, PrivacyMode};
use crate::rules::public_ledger::{DayHasher, LedgerHash, Line};
use crate::tables::ledger::LedgerSettings;
use crate::votes::Votes;

/// An export under way. It holds the lines of one day at a time.
#[derive(Debug)]
pub struct LedgerExport<'a> {
    votes: &'a Votes,
    settings: LedgerSettings,
    first: Day,
    through: Day,
    next: Next,
    hash: LedgerHash,
    days: i64,
    differing: Vec<Day>,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Head,
    Day(Day),
    Nothing,
}

impl Votes {
    /// The public ledger, of all days that are closed now.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn export_ledger(&self) -> Result<LedgerExport<'_>, Error> {
        let first = self.tables.days.first(self.today()).await?;
        let through = self.tables.days.closed_through(first.previous()).await?;
        let settings = self.tables.ledger.settings().await?;
        let settings = settings.unwrap_or(LedgerSettings {
            mode: PrivacyMode::DEFAULT,
            secret: String::new(),
            is_locked: false,
            chosen: None,
        });
        Ok(LedgerExport {
            votes: self,
            hash: head_hash(settings.mode, first),
            settings,
            first,
            through,
            next: Next::Head,
            days: 0,
            differing: Vec::new(),
        })
    }
}

/// The hash of the first line of a ledger.
pub(crate) fn head_hash(mode: PrivacyMode, first: Day) -> LedgerHash {
    LedgerHash::of_line(&Line::Head { mode, first }.to_string())
}

impl LedgerExport<'_> {
    /// How many days there are.
    #[must_use]
    pub fn days(&self) -> u64 {
        let days = i64::from(self.through.0) - i64::from(self.first.0) + 1;
        u64::try_from(days).unwrap_or(0)
    }

    /// The last day, and the last line that there will be; none if no day is closed.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn end(&self) -> Result<Option<(Day, String)>, Error> {
        let Some(days) = i64::try_from(self.days()).ok().filter(|days| *days > 0) else {
            return Ok(None);
        };
        let closed = self.votes.tables.days.closed(self.through).await?;
        let (_, hash) = closed.ok_or_else(|| no_hash(self.through))?;
        Ok(Some((self.through, Line::Close { days, hash }.to_string())))
    }

    /// The next lines: the head, those of one day, or the last one. `None` after that.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn next(&mut self) -> Result<Option<Vec<String>>, Error> {
        match self.next {
            Next::Head => {
                self.next = Next::Day(self.first);
                let (mode, first) = (self.settings.mode, self.first);
                Ok(Some(vec![Line::Head { mode, first }.to_string()]))
            }
            Next::Day(day) if day <= self.through => {
                let lines = self.day(day).await?;
                self.next = Next::Day(day.next());
                Ok(Some(lines))
            }
            Next::Day(_) => {
                self.next = Next::Nothing;
                let (days, hash) = (self.days, self.hash);
                Ok(Some(vec![Line::Close { days, hash }.to_string()]))
            }
            Next::Nothing => Ok(None),
        }
    }

    async fn day(&mut self, day: Day) -> Result<Vec<String>, Error> {
        let closed = self.votes.tables.days.closed(day).await?;
        let (snapshot, hash) = closed.ok_or_else(|| no_hash(day))?;
        let made = self.votes.day_lines(&self.settings, day, snapshot).await;
        let mut lines = made?;
        let mut hasher = DayHasher::after(self.hash);
        lines.iter().for_each(|line| hasher.add(line.as_bytes()));
        if hasher.hash() != hash {
            self.differing.push(day);
        }
        let end = Line::End {
            day,
            lines: i64::try_from(lines.len()).unwrap_or(i64::MAX),
            previous: self.hash,
            hash,
        };
        lines.push(end.to_string());
        self.hash = hash;
        self.days += 1;
        Ok(lines)
    }

    /// Days so far whose lines do not give the hash that they were closed with: someone wrote past
    /// the rules. They are exported with that hash, so whoever verifies the ledger finds them.
    #[must_use]
    pub fn differing(&self) -> &[Day] {
        &self.differing
    }

    /// The hash of the last day so far.
    #[must_use]
    pub fn hash(&self) -> LedgerHash {
        self.hash
    }
}

pub(crate) fn no_hash(day: Day) -> Error {
    let what = format!("{day} is closed, and the public ledger has no hash of it");
    Error::not_applied(ErrorKind::Storage, what)
}
