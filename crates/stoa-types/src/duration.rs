//! CQL's `duration`: months, days and nanoseconds, kept apart.
//!
//! They are kept apart because a month has no fixed number of days and a day no fixed number of
//! hours. For the same reason durations have no order and cannot be part of a key.
//!
//! Bytes: three signed vints (see [`crate::vint`]).
//!
//! Text: `1y2mo3d4h5m6s7ms8us9ns` with weeks as input only; and as input ISO 8601, in its forms
//! `P1Y2M3DT4H5M6S`, `P2W` and `P0001-02-03T04:05:06`. A leading minus negates all of it.
//!
//! Invariants:
//! 1. The three parts never have different signs.

use std::fmt;
use std::str::FromStr;

use crate::vint;

/// An amount of calendar and clock time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Duration {
    months: i32,
    days: i32,
    nanoseconds: i64,
}

/// Why three numbers, or a text, are not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// Some parts are negative and others positive.
    #[error(
        "the duration months, days and nanoseconds must be all of the same sign \
         ({months}, {days}, {nanoseconds})"
    )]
    MixedSigns {
        /// The months given.
        months: i32,
        /// The days given.
        days: i32,
        /// The nanoseconds given.
        nanoseconds: i64,
    },
    /// The text follows none of the formats.
    #[error("unable to convert '{0}' to a duration")]
    Malformed(String),
    /// A unit comes after a smaller one, or twice.
    #[error("invalid duration: the {0} are out of order or given twice")]
    OutOfOrder(&'static str),
    /// A part is too large for its field.
    #[error("invalid duration: too many {0}")]
    TooLarge(&'static str),
}

const NANOS_PER_MICRO: u64 = 1_000;
const NANOS_PER_MILLI: u64 = 1_000 * NANOS_PER_MICRO;
const NANOS_PER_SECOND: u64 = 1_000 * NANOS_PER_MILLI;
const NANOS_PER_MINUTE: u64 = 60 * NANOS_PER_SECOND;
const NANOS_PER_HOUR: u64 = 60 * NANOS_PER_MINUTE;
const MONTHS_PER_YEAR: u64 = 12;
const DAYS_PER_WEEK: u64 = 7;

impl Duration {
    /// A duration of these parts.
    ///
    /// # Errors
    /// When some parts are negative and others positive.
    pub fn new(months: i32, days: i32, nanoseconds: i64) -> Result<Self, DurationError> {
        let any_negative = months < 0 || days < 0 || nanoseconds < 0;
        let any_positive = months > 0 || days > 0 || nanoseconds > 0;
        if any_negative && any_positive {
            return Err(DurationError::MixedSigns {
                months,
                days,
                nanoseconds,
            });
        }
        Ok(Self {
            months,
            days,
            nanoseconds,
        })
    }

    /// The months.
    #[must_use]
    pub fn months(&self) -> i32 {
        self.months
    }

    /// The days.
    #[must_use]
    pub fn days(&self) -> i32 {
        self.days
    }

    /// The nanoseconds.
    #[must_use]
    pub fn nanoseconds(&self) -> i64 {
        self.nanoseconds
    }

    /// Appends the native bytes.
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        vint::write_signed(self.months.into(), out);
        vint::write_signed(self.days.into(), out);
        vint::write_signed(self.nanoseconds, out);
    }
}

impl fmt::Display for Duration {
    /// Cassandra's text. That of no time at all is empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.months < 0 || self.days < 0 || self.nanoseconds < 0 {
            f.write_str("-")?;
        }
        let (months, days) = (self.months.unsigned_abs(), self.days.unsigned_abs());
        write_units(f, months.into(), &[(MONTHS_PER_YEAR, "y"), (1, "mo")])?;
        write_units(f, days.into(), &[(1, "d")])?;
        let clock_units = [
            (NANOS_PER_HOUR, "h"),
            (NANOS_PER_MINUTE, "m"),
            (NANOS_PER_SECOND, "s"),
            (NANOS_PER_MILLI, "ms"),
            (NANOS_PER_MICRO, "us"),
            (1, "ns"),
        ];
        write_units(f, self.nanoseconds.unsigned_abs(), &clock_units)
    }
}

fn write_units(f: &mut fmt::Formatter<'_>, mut amount: u64, units: &[(u64, &str)]) -> fmt::Result {
    for (size, name) in units {
        let (count, rest) = (amount / size, amount % size);
        if count > 0 {
            write!(f, "{count}{name}")?;
        }
        amount = rest;
    }
    Ok(())
}

/// A unit of a text, in the only order in which units may follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Years,
    Months,
    Weeks,
    Days,
    Hours,
    Minutes,
    Seconds,
    Millis,
    Micros,
    Nanos,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Years => "years",
            Self::Months => "months",
            Self::Weeks => "weeks",
            Self::Days => "days",
            Self::Hours => "hours",
            Self::Minutes => "minutes",
            Self::Seconds => "seconds",
            Self::Millis => "milliseconds",
            Self::Micros => "microseconds",
            Self::Nanos => "nanoseconds",
        }
    }
}

/// Adds up the units of a text; everything is positive until [`Builder::build`].
#[derive(Debug, Default)]
struct Builder {
    months: i32,
    days: i32,
    nanoseconds: i64,
    last: Option<Unit>,
}

impl Builder {
    fn add(&mut self, count: u64, unit: Unit) -> Result<(), DurationError> {
        if self.last.is_some_and(|last| last >= unit) {
            return Err(DurationError::OutOfOrder(unit.name()));
        }
        self.last = Some(unit);
        let too_large = || DurationError::TooLarge(unit.name());
        let plus_i32 = |sum: i32, size: u64| {
            let added = count
                .checked_mul(size)
                .and_then(|added| i32::try_from(added).ok())?;
            sum.checked_add(added)
        };
        let mut add_nanos = |size: u64| {
            let added = count
                .checked_mul(size)
                .and_then(|added| i64::try_from(added).ok())?;
            self.nanoseconds = self.nanoseconds.checked_add(added)?;
            Some(())
        };
        match unit {
            Unit::Years => {
                self.months = plus_i32(self.months, MONTHS_PER_YEAR).ok_or_else(too_large)?;
            }
            Unit::Months => self.months = plus_i32(self.months, 1).ok_or_else(too_large)?,
            Unit::Weeks => self.days = plus_i32(self.days, DAYS_PER_WEEK).ok_or_else(too_large)?,
            Unit::Days => self.days = plus_i32(self.days, 1).ok_or_else(too_large)?,
            Unit::Hours => add_nanos(NANOS_PER_HOUR).ok_or_else(too_large)?,
            Unit::Minutes => add_nanos(NANOS_PER_MINUTE).ok_or_else(too_large)?,
            Unit::Seconds => add_nanos(NANOS_PER_SECOND).ok_or_else(too_large)?,
            Unit::Millis => add_nanos(NANOS_PER_MILLI).ok_or_else(too_large)?,
            Unit::Micros => add_nanos(NANOS_PER_MICRO).ok_or_else(too_large)?,
            Unit::Nanos => add_nanos(1).ok_or_else(too_large)?,
        }
        Ok(())
    }
}

impl FromStr for Duration {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        let malformed = || DurationError::Malformed(text.to_owned());
        let (is_negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut builder = Builder::default();
        let parsed = match unsigned.strip_prefix('P') {
            Some(iso) if iso.contains('-') => read_iso_dashes(iso, &mut builder),
            Some(iso) => read_iso_units(iso, &mut builder),
            None if unsigned.is_empty() => Ok(None),
            None => read_units(unsigned, standard_unit, &mut builder),
        };
        parsed?.ok_or_else(malformed)?;
        let Builder {
            months,
            days,
            nanoseconds,
            ..
        } = builder;
        Ok(if is_negative {
            Self {
                months: -months,
                days: -days,
                nanoseconds: -nanoseconds,
            }
        } else {
            Self {
                months,
                days,
                nanoseconds,
            }
        })
    }
}

/// The outcome of reading a part of a text: `None` if it has not the expected form.
type Reading = Result<Option<()>, DurationError>;

/// Reads `count unit` pairs until the end of the text.
fn read_units(
    mut text: &str,
    unit_at: impl Fn(&str) -> Option<(Unit, usize)>,
    builder: &mut Builder,
) -> Reading {
    while !text.is_empty() {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let Some((count, rest)) = text.split_at_checked(digits) else {
            return Ok(None);
        };
        let Ok(count) = count.parse::<i64>() else {
            return Ok(None);
        };
        let Some((unit, length)) = unit_at(rest) else {
            return Ok(None);
        };
        builder.add(count.unsigned_abs(), unit)?;
        text = rest.get(length..).unwrap_or_default();
    }
    Ok(Some(()))
}

/// The unit that a text starts with, in either case, and its length in bytes.
fn standard_unit(text: &str) -> Option<(Unit, usize)> {
    const LONG: [(&str, Unit); 5] = [
        ("mo", Unit::Months),
        ("ms", Unit::Millis),
        ("us", Unit::Micros),
        ("µs", Unit::Micros),
        ("ns", Unit::Nanos),
    ];
    const SHORT: [(&str, Unit); 6] = [
        ("y", Unit::Years),
        ("w", Unit::Weeks),
        ("d", Unit::Days),
        ("h", Unit::Hours),
        ("m", Unit::Minutes),
        ("s", Unit::Seconds),
    ];
    LONG.into_iter().chain(SHORT).find_map(|(name, unit)| {
        let start = text.get(..name.len())?;
        start
            .eq_ignore_ascii_case(name)
            .then_some((unit, name.len()))
    })
}

/// `1Y2M3DT4H5M6S` with every part optional, or `2W`.
fn read_iso_units(text: &str, builder: &mut Builder) -> Reading {
    if let Some(weeks) = text.strip_suffix('W') {
        let is_number = !weeks.is_empty() && weeks.bytes().all(|byte| byte.is_ascii_digit());
        let Some(weeks) = is_number.then(|| weeks.parse::<u64>().ok()).flatten() else {
            return Ok(None);
        };
        return builder.add(weeks, Unit::Weeks).map(Some);
    }
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    let date_unit = |text: &str| match text.bytes().next()? {
        b'Y' => Some((Unit::Years, 1)),
        b'M' => Some((Unit::Months, 1)),
        b'D' => Some((Unit::Days, 1)),
        _ => None,
    };
    let time_unit = |text: &str| match text.bytes().next()? {
        b'H' => Some((Unit::Hours, 1)),
        b'M' => Some((Unit::Minutes, 1)),
        b'S' => Some((Unit::Seconds, 1)),
        _ => None,
    };
    if read_units(date, date_unit, builder)?.is_none() {
        return Ok(None);
    }
    read_units(time, time_unit, builder)
}

/// `0001-02-03T04:05:06`.
fn read_iso_dashes(text: &str, builder: &mut Builder) -> Reading {
    const UNITS: [(usize, Unit, &str); 6] = [
        (4, Unit::Years, "-"),
        (2, Unit::Months, "-"),
        (2, Unit::Days, "T"),
        (2, Unit::Hours, ":"),
        (2, Unit::Minutes, ":"),
        (2, Unit::Seconds, ""),
    ];
    let mut rest = text;
    for (width, unit, separator) in UNITS {
        let Some((digits, after)) = rest.split_at_checked(width) else {
            return Ok(None);
        };
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(None);
        }
        let (Ok(count), Some(after)) = (digits.parse(), after.strip_prefix(separator)) else {
            return Ok(None);
        };
        builder.add(count, unit)?;
        rest = after;
    }
    Ok(rest.is_empty().then_some(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duration(months: i32, days: i32, nanoseconds: i64) -> Duration {
        Duration::new(months, days, nanoseconds).unwrap()
    }

    #[test]
    fn texts_are_read() {
        const HOUR: i64 = 3_600_000_000_000;
        for (text, months, days, nanoseconds) in [
            ("1y2mo", 14, 0, 0),
            ("2w3d", 0, 17, 0),
            ("1Mo2D3H", 1, 2, 3 * HOUR),
            ("-2d10h", 0, -2, -10 * HOUR),
            ("1m5ms6us7ns", 0, 0, 60_005_006_007),
            ("7µs", 0, 0, 7_000),
            ("P1Y2D", 12, 2, 0),
            ("P1Y2M3DT4H5M6S", 14, 3, 4 * HOUR + 306_000_000_000),
            ("PT2H", 0, 0, 2 * HOUR),
            ("-P2W", 0, -14, 0),
            ("P0001-03-02T10:05:00", 15, 2, 10 * HOUR + 300_000_000_000),
            ("P", 0, 0, 0),
        ] {
            assert_eq!(
                text.parse(),
                Ok(duration(months, days, nanoseconds)),
                "{text}"
            );
        }
    }

    #[test]
    fn wrong_texts_are_refused() {
        for text in [
            "", "-", "1", "1x", "d", "1d 2h", "P1H", "P1-2-3", "1yd", "PT1D", "PW", "+1d",
        ] {
            let wrong = text.parse::<Duration>();
            assert_eq!(
                wrong,
                Err(DurationError::Malformed(text.to_owned())),
                "{text}"
            );
        }
        assert_eq!(
            "1d1mo".parse::<Duration>(),
            Err(DurationError::OutOfOrder("months"))
        );
        assert_eq!(
            "1d1d".parse::<Duration>(),
            Err(DurationError::OutOfOrder("days"))
        );
        assert_eq!(
            "178956971y".parse::<Duration>(),
            Err(DurationError::TooLarge("years"))
        );
        assert_eq!(
            "2562048h".parse::<Duration>(),
            Err(DurationError::TooLarge("hours"))
        );
    }

    #[test]
    fn texts_are_written() {
        for text in [
            "1y2mo3d4h5m6s7ms8us9ns",
            "-1mo",
            "12h",
            "100d",
            "178956970y7mo",
        ] {
            assert_eq!(text.parse::<Duration>().unwrap().to_string(), text);
        }
        assert_eq!(duration(0, 0, 0).to_string(), "");
        assert_eq!(
            duration(i32::MIN, 0, i64::MIN).to_string().chars().next(),
            Some('-')
        );
    }

    #[test]
    fn mixed_signs_are_refused() {
        assert!(Duration::new(1, -1, 0).is_err());
        assert!(Duration::new(0, 1, -1).is_err());
        assert!(Duration::new(-1, 0, -1).is_ok());
    }

    #[test]
    fn bytes_are_three_vints() {
        let mut bytes = Vec::new();
        duration(1, 2, 3).write_bytes(&mut bytes);
        assert_eq!(bytes, [2, 4, 6]);
    }
}
