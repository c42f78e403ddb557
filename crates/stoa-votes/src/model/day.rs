//! A day of the calendar, in UTC.

use std::fmt;

use stoa_session::bind::ValueError;
use stoa_session::to_cql::Presence;
use stoa_session::{DataType, FromCql, ToCql};
use stoa_types::{CivilDate, Date};

const MICROS: i64 = 86_400_000_000;

/// A day: how many days after 1970-01-01 it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i32);

impl Day {
    /// The day of a text such as `2026-11-18`, of a year with four digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let is_number = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
        if !(is_number(year) && is_number(month) && is_number(day)) {
            return None;
        }
        let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
        if !(1970..=9_999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day)
        {
            return None;
        }
        let date = CivilDate { year, month, day };
        let days = date.to_days();
        let is_real = CivilDate::from_days(days) == date;
        i32::try_from(days).ok().filter(|_| is_real).map(Self)
    }

    /// The day a moment falls on.
    #[must_use]
    pub fn of_micros(micros: i64) -> Self {
        Self(i32::try_from(micros.div_euclid(MICROS)).unwrap_or(i32::MAX))
    }

    /// Its first moment.
    #[must_use]
    pub fn start_micros(self) -> i64 {
        i64::from(self.0) * MICROS
    }

    /// The hour of the day that a moment falls on.
    #[must_use]
    pub fn hour_of_micros(micros: i64) -> i16 {
        let hour = micros.rem_euclid(MICROS) / (MICROS / 24);
        i16::try_from(hour).unwrap_or(0)
    }

    /// The day so many days later.
    #[must_use]
    pub fn plus(self, days: i32) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// The day after.
    #[must_use]
    pub fn next(self) -> Self {
        self.plus(1)
    }

    /// The day before.
    #[must_use]
    pub fn previous(self) -> Self {
        self.plus(-1)
    }

    /// Its year, month and day of the month.
    #[must_use]
    pub fn civil(self) -> CivilDate {
        CivilDate::from_days(i64::from(self.0))
    }

    /// All days from this one to another, both included.
    pub fn through(self, last: Self) -> impl DoubleEndedIterator<Item = Self> {
        (self.0..=last.0).map(Self)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CivilDate { year, month, day } = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl ToCql for Day {
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError> {
        Date::from_days_since_epoch(self.0).write_cql(data_type, out)
    }
}

impl FromCql<'_> for Day {
    fn check(data_type: &DataType) -> Result<(), ValueError> {
        Date::check(data_type)
    }

    fn from_bytes(data_type: &DataType, bytes: &[u8]) -> Result<Self, ValueError> {
        Date::from_bytes(data_type, bytes).map(|date| Self(date.days_since_epoch()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_day_only_if_the_calendar_has_it() {
        for text in ["2026-11-16", "1970-01-01", "2028-02-29", "9999-12-31"] {
            assert_eq!(
                Day::parse(text).map(|it| it.to_string()),
                Some(text.to_owned())
            );
        }
        assert_eq!(Day::parse("2026-1-2"), Day::parse("2026-01-02"));
        for text in [
            "",
            "2026",
            "2026-11",
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-11-31",
            "+2026-11-01",
            "1969-12-31",
            "10000-01-01",
            "2026-11-16 ",
            "16.11.2026",
            "99999999999999999999-01-01",
        ] {
            assert_eq!(Day::parse(text), None, "{text:?}");
        }
    }
}
