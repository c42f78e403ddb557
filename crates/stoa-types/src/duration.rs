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

mod parse;

use std::fmt;

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
