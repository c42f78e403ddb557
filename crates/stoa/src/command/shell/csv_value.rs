//! Values as fields of CSV, and back, without loss.
//!
//! A native value is written as its text without quotes; everything else as its CQL literal. How
//! numbers, booleans and timestamps look that stand alone in a field is a matter of [`Style`].

use anyhow::{anyhow, bail};
use chrono::format::{Item, StrftimeItems};
use chrono::{DateTime, NaiveDate, NaiveDateTime};
use stoa_types::text::{self, LiteralError};
use stoa_types::{Clock, DataType, Timestamp, Value};

use crate::command::term_value::value_of_term;

/// How numbers, booleans and timestamps look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
    /// Between the whole and the fraction of a number.
    pub(super) decimal: char,
    /// Between groups of three digits.
    pub(super) thousands: Option<char>,
    /// True, and false.
    pub(super) booleans: (String, String),
    /// As `strftime` has it; ISO if `None`.
    time_format: Option<String>,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            decimal: '.',
            thousands: None,
            booleans: ("true".to_owned(), "false".to_owned()),
            time_format: None,
        }
    }
}

impl Style {
    /// What cqlsh writes, unless it is told otherwise.
    pub(super) fn of_cqlsh() -> Self {
        Self {
            booleans: ("True".to_owned(), "False".to_owned()),
            ..Self::default()
        }
    }

    /// Takes a format of `strftime`.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn set_time_format(&mut self, format: &str) -> anyhow::Result<()> {
        // Python counts microseconds there, chrono nanoseconds.
        let format = format.replace("%f", "%6f");
        if StrftimeItems::new(&format).any(|item| item == Item::Error) {
            bail!("DATETIMEFORMAT is as strftime has it, such as '%Y-%m-%d %H:%M:%S%z'");
        }
        self.time_format = Some(format);
        Ok(())
    }

    /// A number with other signs.
    fn number(&self, text: &str) -> String {
        if self.decimal == '.' && self.thousands.is_none() {
            return text.to_owned();
        }
        let (whole, rest) = match text.find(['.', 'e', 'E']) {
            Some(at) => text.split_at_checked(at).unwrap_or((text, "")),
            None => (text, ""),
        };
        let rest = rest.replacen('.', &self.decimal.to_string(), 1);
        let (sign, digits) = match whole.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", whole),
        };
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let Some(thousands) = self.thousands.filter(|_| is_number) else {
            return format!("{whole}{rest}");
        };
        let mut grouped = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                grouped.push(thousands);
            }
            grouped.push(digit);
        }
        format!("{sign}{grouped}{rest}")
    }

    /// A number with the signs of CQL.
    fn plain_number(&self, text: &str) -> String {
        let is_kept = |it: &char| Some(*it) != self.thousands;
        let plain = text.chars().filter(is_kept);
        let plain = plain.map(|it| if it == self.decimal { '.' } else { it });
        plain.collect()
    }

    fn time(&self, time: Timestamp) -> Option<String> {
        let format = self.time_format.as_ref()?;
        let moment = DateTime::from_timestamp_millis(time.0)?;
        Some(moment.format(format).to_string())
    }

    fn plain_time(&self, text: &str) -> Option<Timestamp> {
        let format = self.time_format.as_ref()?;
        let with_offset = DateTime::parse_from_str(text, format).map(|it| it.timestamp_millis());
        let in_utc = || {
            NaiveDateTime::parse_from_str(text, format).map(|it| it.and_utc().timestamp_millis())
        };
        let of_day = || {
            let day = NaiveDate::parse_from_str(text, format).ok()?;
            Some(day.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis())
        };
        let millis = with_offset.or_else(|_| in_utc()).ok().or_else(of_day);
        millis.map(Timestamp)
    }
}

fn is_number(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::BigInt
            | DataType::Counter
            | DataType::Decimal
            | DataType::Double
            | DataType::Float
            | DataType::Int
            | DataType::SmallInt
            | DataType::TinyInt
            | DataType::VarInt
    )
}

/// The field of a value in a style; `None` is null.
pub(super) fn field(
    data_type: &DataType,
    value: &Value,
    style: &Style,
) -> Result<Option<String>, LiteralError> {
    let plain = plain_field(data_type, value)?;
    Ok(match value {
        Value::Boolean(true) => Some(style.booleans.0.clone()),
        Value::Boolean(false) => Some(style.booleans.1.clone()),
        Value::Timestamp(time) => style.time(*time).or(plain),
        _ if is_number(data_type) => plain.map(|text| style.number(&text)),
        _ => plain,
    })
}

fn plain_field(data_type: &DataType, value: &Value) -> Result<Option<String>, LiteralError> {
    Ok(match value {
        Value::Null => None,
        Value::Empty => Some(String::new()),
        Value::Text(text) | Value::Ascii(text) => Some(text.clone()),
        other => {
            let literal = text::literal(data_type, other)?;
            let inner = literal
                .strip_prefix('\'')
                .and_then(|it| it.strip_suffix('\''));
            Some(inner.map_or(literal.clone(), |inner| inner.replace("''", "'")))
        }
    })
}

/// The value of a field.
///
/// # Errors
/// When it is not a value of the type.
pub(super) fn value(
    data_type: &DataType,
    field: Option<&str>,
    style: &Style,
    clock: &dyn Clock,
) -> anyhow::Result<Value> {
    let Some(field) = field else {
        return Ok(Value::Null);
    };
    if *data_type == DataType::Boolean {
        let (yes, no) = &style.booleans;
        for (word, truth) in [(yes, true), (no, false)] {
            if field.eq_ignore_ascii_case(word) {
                return Ok(Value::Boolean(truth));
            }
        }
    }
    if *data_type == DataType::Timestamp
        && let Some(time) = style.plain_time(field)
    {
        return Ok(Value::Timestamp(time));
    }
    if is_number(data_type) {
        return Ok(text::parse(data_type, &style.plain_number(field), clock)?);
    }
    if data_type.native_name().is_some() {
        return Ok(text::parse(data_type, field, clock)?);
    }
    if field.is_empty() && data_type.allows_empty() {
        return Ok(Value::Empty);
    }
    let term = stoa_cql::parse_term(field)?;
    let value = value_of_term(data_type, &term, clock);
    value.ok_or_else(|| anyhow!("unable to make {data_type} from '{field}'"))
}

#[cfg(test)]
mod tests {
    use stoa_types::clock::ManualClock;

    use super::*;

    fn round_trip(data_type: &DataType, written: &str) {
        let clock = ManualClock::at_micros(0);
        let style = Style::default();
        let read = value(data_type, Some(written), &style, &clock).unwrap();
        let again = field(data_type, &read, &style).unwrap();
        assert_eq!(again.as_deref(), Some(written));
    }

    #[test]
    fn styles_are_written_and_read() {
        let clock = ManualClock::at_micros(0);
        let mut style = Style {
            decimal: ',',
            thousands: Some('.'),
            booleans: ("ja".to_owned(), "nein".to_owned()),
            time_format: None,
        };
        style.set_time_format("%d.%m.%Y %H:%M:%S.%f%z").unwrap();
        for (data_type, plain, styled) in [
            (DataType::Double, "1234567.125", "1.234.567,125"),
            (DataType::BigInt, "-9876543210", "-9.876.543.210"),
            (DataType::Int, "100", "100"),
            (DataType::Decimal, "0.10", "0,10"),
            (DataType::Boolean, "true", "ja"),
            (DataType::Double, "-Infinity", "-Infinity"),
            (DataType::Double, "1.5e300", "1,5e300"),
            (
                DataType::Timestamp,
                "2026-11-16T07:20:00.123Z",
                "16.11.2026 07:20:00.123000+0000",
            ),
        ] {
            let read = value(&data_type, Some(plain), &Style::default(), &clock).unwrap();
            assert_eq!(
                field(&data_type, &read, &style).unwrap().as_deref(),
                Some(styled)
            );
            assert_eq!(
                value(&data_type, Some(styled), &style, &clock).unwrap(),
                read
            );
        }
    }

    #[test]
    fn times_without_an_offset_or_a_clock_are_utc() {
        let clock = ManualClock::at_micros(0);
        let mut style = Style::default();
        for (format, text) in [
            ("%Y/%m/%d %H:%M", "1970/01/02 00:00"),
            ("%d.%m.%Y", "02.01.1970"),
        ] {
            style.set_time_format(format).unwrap();
            let read = value(&DataType::Timestamp, Some(text), &style, &clock).unwrap();
            assert_eq!(read, Value::Timestamp(Timestamp(86_400_000)), "{text}");
        }
    }

    #[test]
    fn natives_are_written_without_quotes() {
        round_trip(&DataType::Text, "it's 'it'");
        round_trip(&DataType::Int, "-5");
        round_trip(&DataType::Blob, "0xcafe");
        round_trip(&DataType::Boolean, "true");
        round_trip(&DataType::Date, "2011-02-03");
        round_trip(&DataType::Timestamp, "2011-02-03T04:05:00.007Z");
        round_trip(&DataType::Inet, "::1");
        round_trip(&DataType::Double, "0.1");
        round_trip(&DataType::Duration, "1y2mo");
    }

    #[test]
    fn the_rest_is_written_as_literals() {
        let names = DataType::list(DataType::Text);
        round_trip(&names, "['it''s', '']");
        round_trip(&DataType::map(DataType::Int, names), "{1: ['a'], 2: []}");
        round_trip(&DataType::set(DataType::Date), "{'2011-02-03'}");
        round_trip(
            &DataType::tuple(vec![DataType::Int, DataType::Text]),
            "(1, null)",
        );
        round_trip(&DataType::vector(DataType::Float, 2), "[1.5, -2.0]");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let clock = ManualClock::at_micros(0);
        for (data_type, written) in [
            (DataType::Int, "one"),
            (DataType::list(DataType::Int), "['one']"),
            (DataType::list(DataType::Int), "[1"),
            (DataType::set(DataType::Int), "[1]"),
            (DataType::list(DataType::Int), "[now()]"),
        ] {
            assert!(
                value(&data_type, Some(written), &Style::default(), &clock).is_err(),
                "{written}"
            );
        }
    }
}
