//! The texts of scalars as Cassandra's serializers write them, for casts and JSON.

use std::net::IpAddr;

use stoa_types::{Date, Time, Timestamp, Value};

use super::calendar::Day;
use super::float_text::{double_text, float_text};

const MILLIS_PER_DAY: i64 = 86_400_000;

/// What stands between the date and the time of a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateSeparator {
    /// `2011-02-03T04:05:00.000Z`, in casts.
    T,
    /// `2011-02-03 04:05:00.000Z`, in JSON.
    Space,
}

/// The text of a scalar; that of an empty value, and of what is no scalar, is empty.
pub(crate) fn scalar_text(value: &Value, separator: DateSeparator) -> String {
    match value {
        Value::Ascii(text) | Value::Text(text) => text.clone(),
        Value::Blob(bytes) | Value::Custom(bytes) => hex(bytes),
        Value::Boolean(truth) => truth.to_string(),
        Value::TinyInt(number) => number.to_string(),
        Value::SmallInt(number) => number.to_string(),
        Value::Int(number) => number.to_string(),
        Value::BigInt(number) | Value::Counter(number) => number.to_string(),
        Value::VarInt(number) => number.to_string(),
        Value::Decimal(number) => number.to_string(),
        Value::Float(number) => float_text(*number),
        Value::Double(number) => double_text(*number),
        Value::Date(date) => date_text(*date),
        Value::Time(time) => time_text(*time),
        Value::Timestamp(time) => timestamp_text(*time, separator),
        Value::Duration(duration) => duration.to_string(),
        Value::Uuid(uuid) | Value::TimeUuid(uuid) => uuid.to_string(),
        Value::Inet(address) => address_text(*address),
        _ => String::new(),
    }
}

/// Bytes in hexadecimal, after `0x`.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    std::iter::once("0x".to_owned()).chain(digits).collect()
}

/// `2011-02-03`; years below 0 and above 9999 have a sign.
fn date_text(date: Date) -> String {
    let day = Day::gregorian(date.days_since_epoch().into());
    let sign = if day.year < 0 {
        "-"
    } else {
        plus_sign(day.year)
    };
    format!(
        "{sign}{:04}-{:02}-{:02}",
        day.year.abs(),
        day.month,
        day.day
    )
}

fn plus_sign(year: i64) -> &'static str {
    if year > 9999 { "+" } else { "" }
}

/// Years before the first are counted backwards without a sign: 1 BC and 1 AD look alike.
fn timestamp_text(time: Timestamp, separator: DateSeparator) -> String {
    let day = Day::gregorian(time.0.div_euclid(MILLIS_PER_DAY));
    let year = day.year_of_era();
    let of_day = time.0.rem_euclid(MILLIS_PER_DAY);
    let (seconds, millis) = (of_day / 1_000, of_day % 1_000);
    let separator = match separator {
        DateSeparator::T => 'T',
        DateSeparator::Space => ' ',
    };
    format!(
        "{}{year:04}-{:02}-{:02}{separator}{:02}:{:02}:{:02}.{millis:03}Z",
        plus_sign(year),
        day.month,
        day.day,
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// `08:12:54.123456789`. A count beyond a day, which bytes may hold, starts again at midnight; a
/// negative one gets its signs in odd places, as in Cassandra.
fn time_text(time: Time) -> String {
    let part = |unit: i64, modulus: i64| time.0 / unit % modulus;
    [
        &padded(part(3_600_000_000_000, 24), 2),
        ":",
        &padded(part(60_000_000_000, 60), 2),
        ":",
        &padded(part(1_000_000_000, 60), 2),
        ".",
        &padded(part(1_000_000, 1_000), 3),
        &padded(part(1_000, 1_000), 3),
        &padded(part(1, 1_000), 3),
    ]
    .concat()
}

/// One zero for each power of ten, below the width, that the number is less than.
fn padded(number: i64, width: u32) -> String {
    let zeros = (1..width).filter(|power| number < 10_i64.pow(*power));
    format!("{}{number}", "0".repeat(zeros.count()))
}

/// Addresses of the new kind have all their groups.
fn address_text(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let groups = address.segments().map(|group| format!("{group:x}"));
            groups.join(":")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_timestamps() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-719_529, "-0001-12-31"),
            (-719_528, "0000-01-01"),
            (2_932_897, "+10000-01-01"),
            (i32::MIN, "-5877641-06-23"),
        ] {
            assert_eq!(date_text(Date::from_days_since_epoch(days)), text);
        }
        for (millis, text) in [
            (-1, "1969-12-31 23:59:59.999Z"),
            (-62_135_596_800_001, "0001-12-31 23:59:59.999Z"),
            (253_402_300_800_000, "+10000-01-01 00:00:00.000Z"),
            (i64::MIN, "+292275056-05-16 16:47:04.192Z"),
        ] {
            assert_eq!(
                timestamp_text(Timestamp(millis), DateSeparator::Space),
                text
            );
        }
    }

    #[test]
    fn times_within_and_beyond_a_day() {
        for (nanoseconds, text) in [
            (1, "00:00:00.000000001"),
            (86_399_999_999_999, "23:59:59.999999999"),
            (86_400_000_000_000, "00:00:00.000000000"),
            (i64::MAX, "23:47:16.854775807"),
            (-1, "00:00:00.00000000-1"),
        ] {
            assert_eq!(time_text(Time(nanoseconds)), text);
        }
    }

    #[test]
    fn addresses_are_written_out() {
        for (address, text) in [
            ("10.0.0.1", "10.0.0.1"),
            ("2001:db8::1", "2001:db8:0:0:0:0:0:1"),
            ("::ffff:10.0.0.1", "10.0.0.1"),
        ] {
            assert_eq!(address_text(address.parse().unwrap()), text);
        }
    }
}
