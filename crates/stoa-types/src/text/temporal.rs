//! Texts of `date`, `time` and `timestamp`.
//!
//! Dates are ISO (`2011-02-03`), with a sign in front of years below 0 or above 9999. Timestamps
//! are read in the formats of Cassandra 5.0: date, `T` or a space, hours and minutes, optionally
//! seconds and up to nine digits of a fraction, optionally an offset (`Z`, `+01`, `+0100`,
//! `+01:00`) or, after a space, also the name of a zone (see `zone`); or a date alone with such an
//! offset. Without an offset the time is UTC: Cassandra takes the server's zone there, and ours has
//! none. Days beyond the end of a month mean its last day, and 24:00 is midnight of the next day, as
//! in Cassandra.

use std::fmt::Write;

use super::zone;
use crate::temporal::{CivilDate, Date, Time, Timestamp};

const MILLIS_PER_DAY: i64 = 86_400_000;

/// A year as ISO writes it.
fn write_year(year: i64, out: &mut String) {
    let sign = match year {
        ..0 => "-",
        0..=9999 => "",
        _ => "+",
    };
    let _ = write!(out, "{sign}{:04}", year.unsigned_abs());
}

fn write_civil(date: CivilDate, out: &mut String) {
    write_year(date.year, out);
    let _ = write!(out, "-{:02}-{:02}", date.month, date.day);
}

/// `2011-02-03`.
pub(super) fn date_text(date: Date) -> String {
    let mut out = String::new();
    write_civil(
        CivilDate::from_days(date.days_since_epoch().into()),
        &mut out,
    );
    out
}

/// `08:12:54.123456789`, or the bare count for times that no clock shows.
pub(super) fn time_text(time: Time) -> String {
    if !time.is_in_day() {
        return time.0.to_string();
    }
    let (seconds, nanos) = (time.0 / 1_000_000_000, time.0 % 1_000_000_000);
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}.{nanos:09}", seconds % 60)
}

/// The parts of a timestamp in a year from 1 to 9999: the date, the time down to seconds, and the
/// milliseconds. Others have no text.
pub(super) fn timestamp_parts(time: Timestamp) -> Option<(String, String, i64)> {
    let civil = CivilDate::from_days(time.0.div_euclid(MILLIS_PER_DAY));
    if !(1..=9999).contains(&civil.year) {
        return None;
    }
    let mut date = String::new();
    write_civil(civil, &mut date);
    let of_day = time.0.rem_euclid(MILLIS_PER_DAY);
    let (seconds, millis) = (of_day / 1_000, of_day % 1_000);
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    Some((
        date,
        format!("{hours:02}:{minutes:02}:{:02}", seconds % 60),
        millis,
    ))
}

/// Reads `2011-02-03` or the raw unsigned count.
pub(super) fn read_date(text: &str) -> Option<Date> {
    if is_integer(text) {
        return text.parse::<u32>().ok().map(Date);
    }
    let mut scanner = Scanner { rest: text };
    let civil = scanner.iso_date()?;
    if !scanner.rest.is_empty() || civil.day > civil.days_in_month() {
        return None;
    }
    i32::try_from(civil.to_days())
        .ok()
        .map(Date::from_days_since_epoch)
}

/// Reads `08:12:54` with up to nine digits of a fraction, or the raw count of nanoseconds.
pub(super) fn read_time(text: &str) -> Option<Time> {
    if is_integer(text) {
        return text.parse().ok().map(Time).filter(|time| time.is_in_day());
    }
    let mut scanner = Scanner { rest: text.trim() };
    let hour = scanner.number(1..=10)?;
    scanner.symbol(':')?;
    let minute = scanner.number(1..=10)?;
    scanner.symbol(':')?;
    let second = scanner.number(1..=10)?;
    let nanos = scanner.optional_fraction()?;
    let is_in_range = hour < 24 && minute < 60 && second < 60 && scanner.rest.is_empty();
    is_in_range.then(|| Time((hour * 3_600 + minute * 60 + second) * 1_000_000_000 + nanos))
}

/// Reads one of the formats above, or the raw count of milliseconds.
pub(super) fn read_timestamp(text: &str) -> Option<Timestamp> {
    if is_integer(text) {
        return text.parse().ok().map(Timestamp);
    }
    let date_time = || {
        let mut scanner = Scanner { rest: text };
        let days = clamped_days(scanner.loose_date()?)?;
        scanner.symbol('T').or_else(|| scanner.symbol(' '))?;
        let local = days * MILLIS_PER_DAY + scanner.time_of_day_millis()?;
        Some(local - scanner.offset_to_end(local)?)
    };
    let date_only = || {
        let mut scanner = Scanner { rest: text };
        let local = clamped_days(scanner.iso_date()?)? * MILLIS_PER_DAY;
        Some(local - scanner.offset_to_end(local)?)
    };
    date_time().or_else(date_only).map(Timestamp)
}

/// An optional minus and digits.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn clamped_days(mut date: CivilDate) -> Option<i64> {
    date.day = date.day.min(date.days_in_month());
    // Java's calendar ends here too; beyond, milliseconds would not fit.
    (date.year.abs() <= 292_000_000).then(|| date.to_days())
}

/// Takes parts off the front of a text.
struct Scanner<'a> {
    rest: &'a str,
}

impl Scanner<'_> {
    fn symbol(&mut self, symbol: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(symbol)?;
        Some(())
    }

    /// A number with as many digits as allowed; more are left, fewer fail.
    fn number(&mut self, widths: std::ops::RangeInclusive<usize>) -> Option<i64> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.rest.split_at_checked(digits.min(*widths.end()))?;
        if number.len() < *widths.start() {
            return None;
        }
        self.rest = rest;
        number.parse().ok()
    }

    /// A date whose month and day have two digits, and whose year has four or a sign.
    fn iso_date(&mut self) -> Option<CivilDate> {
        let is_plus = self.symbol('+').is_some();
        let is_minus = !is_plus && self.symbol('-').is_some();
        let year = self.number(4..=10)?;
        if is_plus != (year > 9999 && !is_minus) {
            return None;
        }
        self.month_and_day(if is_minus { -year } else { year }, 2..=2)
    }

    /// A date of any number of digits, in year 1 or later.
    fn loose_date(&mut self) -> Option<CivilDate> {
        let year = self.number(1..=18).filter(|&year| year >= 1)?;
        self.month_and_day(year, 1..=2)
    }

    fn month_and_day(
        &mut self,
        year: i64,
        widths: std::ops::RangeInclusive<usize>,
    ) -> Option<CivilDate> {
        self.symbol('-')?;
        let month = self.number(widths.clone())?;
        self.symbol('-')?;
        let day = self.number(widths)?;
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        Some(CivilDate {
            year,
            month: u32::try_from(month).ok()?,
            day: u32::try_from(day).ok()?,
        })
    }

    fn time_of_day_millis(&mut self) -> Option<i64> {
        let hour = self.number(1..=2)?;
        self.symbol(':')?;
        let minute = self.number(1..=2)?;
        let second = match self.symbol(':') {
            Some(()) => self.number(1..=2)?,
            None => 0,
        };
        let nanos = self.optional_fraction()?;
        let is_end_of_day = hour == 24 && (minute, second, nanos) == (0, 0, 0);
        let is_in_range = (hour < 24 && minute < 60 && second < 60) || is_end_of_day;
        is_in_range.then(|| (hour * 3_600 + minute * 60 + second) * 1_000 + nanos / 1_000_000)
    }

    /// A point and one to nine digits, in nanoseconds; zero if there is no point.
    fn optional_fraction(&mut self) -> Option<i64> {
        if self.symbol('.').is_none() {
            return Some(0);
        }
        let before = self.rest.len();
        let digits = self.number(1..=9)?;
        let width = u32::try_from(before - self.rest.len()).ok()?;
        Some(digits * 10_i64.pow(9_u32.checked_sub(width)?))
    }

    /// What is left must be an offset or nothing; the result is in milliseconds. The offset of a
    /// zone depends on what its clocks show.
    fn offset_to_end(&mut self, local_millis: i64) -> Option<i64> {
        if self.rest.is_empty() {
            return Some(0);
        }
        let after_space = self.symbol(' ').is_some();
        if self.rest == "Z" {
            return Some(0);
        }
        if after_space && !self.rest.starts_with(['+', '-']) {
            let seconds = zone::offset_seconds(self.rest, local_millis.div_euclid(1_000))?;
            return Some(seconds * 1_000);
        }
        let sign = if self.symbol('-').is_some() {
            -1
        } else {
            self.symbol('+').map(|()| 1)?
        };
        let hours = self.number(2..=2)?;
        let minutes = if self.rest.is_empty() {
            0
        } else {
            // A colon is not read after a space, as in Cassandra.
            if !after_space {
                let _ = self.symbol(':');
            }
            self.number(2..=2)?
        };
        let is_whole = self.rest.is_empty() && hours <= 18 && minutes < 60;
        is_whole.then(|| sign * (hours * 60 + minutes) * 60_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read_in_all_formats() {
        let expected = 1_296_705_900_000; // 2011-02-03T04:05:00Z
        for text in [
            "1296705900000",
            "2011-02-03 04:05Z",
            "2011-02-03 04:05+0000",
            "2011-02-03 04:05 +0000",
            "2011-02-03 04:05:00+00:00",
            "2011-02-03 05:05:00.000+01",
            "2011-02-03 04:05:00.000000+0000",
            "2011-02-03T04:05",
            "2011-02-03T04:05:00",
            "2011-2-3T4:5",
            "2011-02-03T04:05:00 UTC",
            "2011-02-03T05:05:00 CET",
            "2011-02-02 20:05 America/Los_Angeles",
            "2011-02-03 06:05 UTC+02:00",
            "2011-02-02T23:05:00-05:00",
        ] {
            assert_eq!(read_timestamp(text), Some(Timestamp(expected)), "{text}");
        }
        assert_eq!(
            read_timestamp("2011-02-03"),
            Some(Timestamp(1_296_691_200_000))
        );
        assert_eq!(
            read_timestamp("2011-02-03+0100"),
            Some(Timestamp(1_296_687_600_000))
        );
        assert_eq!(
            read_timestamp("1970-01-01T00:00:00.1239"),
            Some(Timestamp(123))
        );
        assert_eq!(read_timestamp("-5"), Some(Timestamp(-5)));
        assert_eq!(read_timestamp("2011-02-30"), read_timestamp("2011-02-28"));
        let midnight = read_timestamp("2011-02-04");
        assert_eq!(read_timestamp("2011-02-03 24:00"), midnight);
        assert_eq!(read_timestamp("2011-02-03T24:00:00.000Z"), midnight);
    }

    #[test]
    fn wrong_timestamps_are_refused() {
        for text in [
            "",
            "x",
            "2011-13-01",
            "2011-02-32",
            "2011-02-03 24:01",
            "2011-02-03 24:00:01",
            "2011-02-03 24:00:00.001",
            "2011-02-03 04:05:06UTC",
            "2011-02-03 04",
            "2011-02-03T04:05:60",
            "2011-02-03 04:05 X",
            "2011-02-03 04:05+1",
            "2011-02-03T",
            "2011-02-03 04:05:00.1234567890",
            "2011-2-3",
            "0000-01-01T00:00",
            "99999999999999999999",
        ] {
            assert_eq!(read_timestamp(text), None, "{text}");
        }
    }

    #[test]
    fn dates_round_trip() {
        for days in [0, -1, 19_723, i32::MIN, i32::MAX, 2_932_897] {
            let date = Date::from_days_since_epoch(days);
            assert_eq!(
                read_date(&date_text(date)),
                Some(date),
                "{}",
                date_text(date)
            );
        }
        assert_eq!(date_text(Date(1 << 31)), "1970-01-01");
        assert_eq!(date_text(Date(u32::MAX)), "+5881580-07-11");
        assert_eq!(date_text(Date(0)), "-5877641-06-23");
        assert_eq!(read_date("2147483648"), Some(Date(1 << 31)));
        for wrong in [
            "2011-02-30",
            "2011-2-3",
            "-1",
            "4294967296",
            "10000-01-01",
            "+2011-01-01",
        ] {
            assert_eq!(read_date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_round_trip() {
        for text in [
            "00:00:00.000000000",
            "08:12:54.123456789",
            "23:59:59.999999999",
        ] {
            assert_eq!(read_time(text).map(time_text).as_deref(), Some(text));
        }
        assert_eq!(read_time("8:12:54.1"), Some(Time(29_574_100_000_000)));
        assert_eq!(read_time("5"), Some(Time(5)));
        for wrong in [
            "24:00:00",
            "1:60:00",
            "1:00",
            "1:00:00.",
            "1:00:00.1234567890",
            "-1",
            "86400000000000",
        ] {
            assert_eq!(read_time(wrong), None, "{wrong}");
        }
        assert_eq!(time_text(Time(-7)), "-7");
    }
}
