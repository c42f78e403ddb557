//! Texts to durations: units are added up in order, and each at most once.

use std::str::FromStr;

use super::{
    DAYS_PER_WEEK, Duration, DurationError, MONTHS_PER_YEAR, NANOS_PER_HOUR, NANOS_PER_MICRO,
    NANOS_PER_MILLI, NANOS_PER_MINUTE, NANOS_PER_SECOND,
};

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

/// Adds up the units of a text; everything is positive until it is built.
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
