//! Counting everything again from the lines of the ledger alone.
//!
//! One pass. What is wrong becomes a finding with the number of its line; counting goes on as if
//! the ledger were right, so that one wrong line does not hide another.
//!
//! Facts about policies are told before the records of their day. A record may have been judged by
//! less than what its day's closer saw, never by more, and what was not seen only makes a balance
//! smaller: so judging it by all of it blames nobody.

mod calendar;
mod policies;
mod users;

use std::fmt;

use super::hash::{DayHasher, LedgerHash};
use super::line::Line;
use crate::model::{Day, PrivacyMode};
use calendar::Calendar;
use policies::Policies;
pub(crate) use policies::rank_key;
use users::Users;

/// Findings that are kept; the others are counted.
const FINDINGS_KEPT: usize = 100;

/// Something that is wrong with a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerFinding {
    /// The line at which it was found, from 1.
    pub line: u64,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for LedgerFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// What a recount came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What the ledger shows, if its head says so.
    pub mode: Option<PrivacyMode>,
    /// How many days it has.
    pub days: u64,
    /// How many lines.
    pub lines: u64,
    /// How many records.
    pub records: u64,
    /// How many names of people.
    pub people: u64,
    /// How many policies.
    pub policies: u64,
    /// The last day.
    pub through: Option<Day>,
    /// The last hash: who compares it with the published one knows that nothing was changed.
    pub hash: Option<LedgerHash>,
    /// What is wrong; the first hundred.
    pub findings: Vec<LedgerFinding>,
    /// How much is wrong.
    pub wrong: u64,
}

impl Report {
    /// What was checked.
    #[must_use]
    pub fn checked(&self) -> &'static [&'static str] {
        const ALWAYS: [&str; 4] = [
            "every line is as it was when its day was closed, none is missing, none was added",
            "days follow each other, and closing totals are those before and the day's change",
            "votes of merged policies count once, where the policy points; none is below zero",
            "policies whose votes changed stand in their order",
        ];
        const RECORDS: [&str; 9] = [
            ALWAYS[0],
            ALWAYS[1],
            ALWAYS[2],
            ALWAYS[3],
            "what a policy got and lost is the sum of the records",
            "the records of each person are one path, and end where the account ended",
            "each period is paid once, at its rate, and nobody spent more than there was",
            "withdrawals cost what they should, an undo gives back exactly that",
            "nobody has less than nothing on a policy",
        ];
        match self.mode {
            Some(PrivacyMode::Tallies) | None => &ALWAYS,
            Some(PrivacyMode::Public | PrivacyMode::Pseudonymous) => &RECORDS,
        }
    }

    /// What the ledger does not show.
    #[must_use]
    pub fn hidden(&self) -> &'static [&'static str] {
        self.mode.map_or(&[], PrivacyMode::hides)
    }
}

/// A recount under way.
#[derive(Debug, Default)]
pub struct Recount {
    notes: Notes,
    mode: Option<PrivacyMode>,
    /// The day whose lines come next.
    day: Option<Day>,
    days: u64,
    records: u64,
    hash: Option<LedgerHash>,
    hasher: Option<DayHasher>,
    /// Lines of the day, and where the last one stands.
    lines: i64,
    place: Option<(u8, u128, i64)>,
    is_over: bool,
    calendar: Calendar,
    policies: Policies,
    users: Users,
}

/// What is found, and where the reading is.
#[derive(Debug, Default)]
struct Notes {
    line: u64,
    findings: Vec<LedgerFinding>,
    wrong: u64,
}

impl Notes {
    fn find(&mut self, what: impl Into<String>) {
        self.wrong += 1;
        if self.findings.len() < FINDINGS_KEPT {
            self.findings.push(LedgerFinding {
                line: self.line,
                what: what.into(),
            });
        }
    }
}

impl Recount {
    /// Before the first line.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next line, with the line feed that ends it.
    pub fn line(&mut self, bytes: &[u8]) {
        self.notes.line += 1;
        let Some(bytes) = bytes.strip_suffix(b"\n") else {
            self.notes.find("the line does not end");
            return self.take(bytes);
        };
        self.take(bytes);
    }

    fn take(&mut self, bytes: &[u8]) {
        let line = std::str::from_utf8(bytes).ok().and_then(Line::parse);
        if self.is_over {
            self.notes.find("nothing may follow the last line");
            return;
        }
        if let (Some(hasher), false) = (
            &mut self.hasher,
            matches!(line, Some(Line::End { .. } | Line::Close { .. })),
        ) {
            hasher.add(bytes);
            self.lines += 1;
        }
        match line {
            None => self.notes.find("this is no line of a ledger"),
            Some(Line::Head { mode, first }) => self.head(bytes, mode, first),
            Some(Line::End {
                day,
                lines,
                previous,
                hash,
            }) => self.end(day, lines, previous, hash),
            Some(Line::Close { days, hash }) => self.close(days, hash),
            Some(line) => self.inside(line),
        }
    }

    fn head(&mut self, bytes: &[u8], mode: PrivacyMode, first: Day) {
        if self.mode.is_some() || self.notes.line != 1 {
            self.notes.find("a ledger begins once");
            return;
        }
        self.mode = Some(mode);
        let hash = LedgerHash::of_line(&String::from_utf8_lossy(bytes));
        self.hash = Some(hash);
        self.begin(first);
    }

    fn begin(&mut self, day: Day) {
        let turns = self
            .day
            .is_some_and(|last| last.civil().year != day.civil().year);
        if turns && self.mode == Some(PrivacyMode::Pseudonymous) {
            self.users.turn_of_the_year();
        }
        self.hasher = self.hash.map(DayHasher::after);
        self.lines = 0;
        self.place = None;
        self.day = Some(day);
    }

    /// A line of a day.
    fn inside(&mut self, line: Line) {
        let (Some(day), Some(mode)) = (self.day, self.mode) else {
            self.notes.find("the ledger has no head");
            return;
        };
        let place = line.place();
        if self.place.is_some_and(|last| last >= place) {
            self.notes.find("the line is not where it belongs");
        }
        self.place = Some(place);
        let notes = &mut self.notes;
        match line {
            Line::Config(config) => {
                let begins = config.from == day || (self.days == 0 && config.from < day);
                if !begins {
                    notes.find(format!("this holds from {}, not from {day}", config.from));
                }
                self.calendar.add(config);
            }
            Line::Created(policy) => self.policies.create(policy, notes),
            Line::Merged { policy, into } => self.policies.merge(policy, into, notes),
            Line::Released(policy) => self.policies.release(policy, notes),
            Line::Carried(carried) => {
                if mode != PrivacyMode::Pseudonymous {
                    notes.find("names do not change in this mode");
                }
                self.users.carry(carried, notes);
            }
            Line::Record(record) => {
                self.records += 1;
                if mode == PrivacyMode::Tallies {
                    notes.find("records are not shown in this mode");
                }
                self.calendar.reach(day);
                let facts = (&mut self.calendar, &mut self.policies);
                self.users.record(day, &record, facts, notes);
            }
            Line::Policy(line) => {
                let has_records = mode != PrivacyMode::Tallies;
                self.policies.count(&line, day, has_records, notes);
            }
            Line::Rank {
                place,
                policy,
                total,
            } => self.policies.rank(place, policy, total, notes),
            Line::Head { .. } | Line::End { .. } | Line::Close { .. } => {}
        }
    }

    fn end(&mut self, day: Day, lines: i64, previous: LedgerHash, hash: LedgerHash) {
        let Some(expected) = self.day else {
            self.notes.find("the ledger has no head");
            return;
        };
        if day != expected {
            self.notes
                .find(format!("{day} ends, where {expected} should"));
        }
        if lines != self.lines {
            let what = format!("{day} has {} lines, not {lines}", self.lines);
            self.notes.find(what);
        }
        if Some(previous) != self.hash {
            let what = format!("{day} does not follow the day before it");
            self.notes.find(what);
        }
        let made = self.hasher.take().map(DayHasher::hash);
        if made != Some(hash) {
            self.notes
                .find(format!("the lines of {day} do not give its hash"));
        }
        if self.days == 0 && self.calendar.is_empty() {
            self.notes.find("nothing says how votes are paid");
        }
        let has_records = self.mode != Some(PrivacyMode::Tallies);
        self.policies.end(expected, has_records, &mut self.notes);
        self.calendar.reach(expected);
        self.days += 1;
        // What comes is judged by what is said here, so that one wrong day is one finding.
        self.hash = Some(hash);
        self.begin(day.next());
    }

    fn close(&mut self, days: i64, hash: LedgerHash) {
        self.is_over = true;
        if self.lines != 0 {
            self.notes.find("the last day does not end");
        }
        if u64::try_from(days) != Ok(self.days) {
            let what = format!("there are {} days, not {days}", self.days);
            self.notes.find(what);
        }
        if Some(hash) != self.hash {
            self.notes.find("this is not the hash of the last day");
        }
    }

    /// What it came to, after the last line.
    #[must_use]
    pub fn finish(mut self) -> Report {
        if !self.is_over {
            self.notes.line += 1;
            self.notes.find("the last line is missing");
        }
        let last = self.day.filter(|_| self.days > 0).map(Day::previous);
        Report {
            mode: self.mode,
            days: self.days,
            lines: self.notes.line,
            records: self.records,
            people: self.users.names(),
            policies: self.policies.number(),
            through: last,
            hash: self.hash,
            findings: self.notes.findings,
            wrong: self.notes.wrong,
        }
    }
}

#[cfg(test)]
mod tests;
