//! Values as cqlsh shows them in result tables.
//!
//! | type | shown as |
//! |---|---|
//! | text, ascii | as it is; control characters escaped, backslashes doubled; quoted inside others |
//! | float, double | five digits after the point, in `%g` style |
//! | timestamp | `2011-02-03 04:05:00.000000+0000`; the milliseconds if the year is not 1 to 9999 |
//! | date | `2011-02-03`; the days since 1970 if the year is not 1 to 9999 |
//! | boolean | `True`, `False` |
//! | collections | `[a, b]`, `{a, b}`, `{k: v}`; tuples `(a, b)`; user types `{field: value}` |
//!
//! Inside collections, text, addresses and timestamps are in single quotes. A null is `null`, but
//! `None` as a field of a tuple, which cqlsh leaves to Python.

use super::{hex, part_types, temporal};
use crate::data_type::DataType;
use crate::temporal::{CivilDate, Date};
use crate::value::Value;

/// Digits that cqlsh shows of floats, unless it is told otherwise.
const FLOAT_DIGITS: i32 = 5;

/// The value as cqlsh shows it in a cell of its own.
#[must_use]
pub fn display(data_type: &DataType, value: &Value) -> String {
    show(data_type, value, Place::Cell)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Cell,
    Inside,
}

fn show(data_type: &DataType, value: &Value, place: Place) -> String {
    let quoted = |text: String| match place {
        Place::Cell => text,
        Place::Inside => format!("'{text}'"),
    };
    match value {
        Value::Null | Value::Unset => "null".to_owned(),
        Value::Empty => String::new(),
        Value::Ascii(text) | Value::Text(text) => match place {
            Place::Cell => escaped(text),
            Place::Inside => quoted(escaped(&text.replace('\'', "''"))),
        },
        Value::Blob(bytes) | Value::Custom(bytes) => hex(bytes),
        Value::BigInt(number) | Value::Counter(number) => number.to_string(),
        Value::Boolean(truth) => if *truth { "True" } else { "False" }.to_owned(),
        Value::Date(date) => date_text(*date),
        Value::Decimal(decimal) => decimal.to_string(),
        Value::Double(number) => float_text(*number),
        Value::Float(number) => float_text(f64::from(*number)),
        Value::Duration(duration) => duration.to_string(),
        Value::Inet(address) => quoted(address.to_string()),
        Value::Int(number) => number.to_string(),
        Value::SmallInt(number) => number.to_string(),
        Value::TinyInt(number) => number.to_string(),
        Value::Time(time) => temporal::time_text(*time),
        Value::Timestamp(time) => quoted(match temporal::timestamp_parts(*time) {
            Some((date, time, millis)) => format!("{date} {time}.{:06}+0000", millis * 1_000),
            None => time.0.to_string(),
        }),
        Value::TimeUuid(uuid) | Value::Uuid(uuid) => uuid.to_string(),
        Value::VarInt(number) => number.to_string(),
        Value::List(values) | Value::Vector(values) => format!("[{}]", joined(data_type, values)),
        Value::Set(values) => format!("{{{}}}", joined(data_type, values)),
        Value::Tuple(values) => format!("({})", joined(data_type, values)),
        Value::Map(entries) => show_map(data_type, entries),
        Value::UserDefined(values) => show_fields(data_type, values),
    }
}

fn joined(data_type: &DataType, values: &[Value]) -> String {
    let shown = part_types(data_type)
        .zip(values)
        .map(|(data_type, value)| match value {
            Value::Null => "None".to_owned(),
            value => show(data_type, value, Place::Inside),
        });
    shown.collect::<Vec<_>>().join(", ")
}

fn show_map(data_type: &DataType, entries: &[(Value, Value)]) -> String {
    let (key_type, value_type) = match data_type {
        DataType::Map { key, value, .. } => (&**key, &**value),
        _ => (&DataType::Empty, &DataType::Empty),
    };
    let entry = |(key, value): &(Value, Value)| {
        let key = show(key_type, key, Place::Inside);
        format!("{key}: {}", show(value_type, value, Place::Inside))
    };
    format!(
        "{{{}}}",
        entries.iter().map(entry).collect::<Vec<_>>().join(", ")
    )
}

fn show_fields(data_type: &DataType, values: &[Value]) -> String {
    let fields = match data_type {
        DataType::UserDefined(user) => user.fields.as_slice(),
        _ => &[],
    };
    let field = fields.iter().zip(values).map(|(field, value)| {
        format!(
            "{}: {}",
            escaped(&field.name),
            show(&field.data_type, value, Place::Inside)
        )
    });
    format!("{{{}}}", field.collect::<Vec<_>>().join(", "))
}

/// Control characters as Python writes them in a string, and every backslash twice.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\0'..='\x1F' | '\x7F'..='\u{A0}' => {
                out.push_str(&format!("\\x{:02x}", u32::from(character)));
            }
            other => out.push(other),
        }
    }
    out
}

fn date_text(date: Date) -> String {
    let days = date.days_since_epoch();
    match CivilDate::from_days(days.into()).year {
        1..=9999 => temporal::date_text(date),
        _ => days.to_string(),
    }
}

/// A float with [`FLOAT_DIGITS`] digits after the point, where `%g` would not use an exponent.
fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned();
    }
    let exponent = if number.abs() > f64::EPSILON {
        // Between -308 and 308, cut towards zero.
        number.abs().log10() as i32
    } else {
        i32::MIN
    };
    let is_plain = (-4..FLOAT_DIGITS).contains(&exponent);
    let digits = if is_plain {
        FLOAT_DIGITS + exponent + 1
    } else {
        FLOAT_DIGITS
    };
    general(number, digits)
}

/// C's `%.*g`: the given number of significant digits, without zeros at the end, and with an
/// exponent if it is below -4 or not below the number of digits.
fn general(number: f64, digits: i32) -> String {
    let decimals = usize::try_from(digits - 1).unwrap_or(0);
    let scientific = format!("{number:.decimals$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= digits {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!(
            "{}e{sign}{:02}",
            without_zeros(mantissa),
            exponent.unsigned_abs()
        );
    }
    let decimals = usize::try_from(digits - 1 - exponent).unwrap_or(0);
    without_zeros(&format!("{number:.decimals$}")).to_owned()
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_type::{UserField, UserType};
    use crate::temporal::{Time, Timestamp};

    /// Results of cqlsh's own rule, computed in Python.
    #[test]
    fn floats() {
        for (number, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (3.241_592_65, "3.24159"),
            (123_456.789, "1.2346e+05"),
            (99_999.5, "99999.5"),
            (100_000.0, "1e+05"),
            (1e10, "1e+10"),
            (0.5, "0.5"),
            (0.001_234_56, "0.001235"),
            (0.000_123_456, "0.000123"),
            (1.23456e-5, "1.2e-05"),
            (1e-20, "1e-20"),
            (99_999.999_99, "99999.99999"),
            (1.1e300, "1.1e+300"),
            (12_345.678_901, "12345.6789"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(display(&DataType::Double, &Value::Double(number)), text);
        }
        assert_eq!(display(&DataType::Float, &Value::Float(1.1)), "1.1");
    }

    #[test]
    fn scalars() {
        assert_eq!(
            display(&DataType::Text, &"it's a\\b\n\u{1}é".into()),
            "it's a\\\\b\\n\\x01é"
        );
        assert_eq!(display(&DataType::Boolean, &true.into()), "True");
        assert_eq!(display(&DataType::Int, &Value::Null), "null");
        assert_eq!(display(&DataType::Int, &Value::Empty), "");
        let time = Value::Timestamp(Timestamp(1_296_705_900_007));
        assert_eq!(
            display(&DataType::Timestamp, &time),
            "2011-02-03 04:05:00.007000+0000"
        );
        let far = Value::Timestamp(Timestamp(i64::MIN));
        assert_eq!(display(&DataType::Timestamp, &far), "-9223372036854775808");
        assert_eq!(
            display(&DataType::Date, &Value::Date(Date(1 << 31))),
            "1970-01-01"
        );
        assert_eq!(
            display(&DataType::Date, &Value::Date(Date(0))),
            "-2147483648"
        );
        assert_eq!(
            display(&DataType::Time, &Value::Time(Time(1))),
            "00:00:00.000000001"
        );
        assert_eq!(display(&DataType::Blob, &Value::Blob(vec![0xAB])), "0xab");
    }

    #[test]
    fn composites_quote_what_is_inside() {
        let list = DataType::list(DataType::Text);
        let value = Value::List(vec!["it's".into(), "b".into()]);
        assert_eq!(display(&list, &value), "['it''s', 'b']");
        let map = DataType::map(DataType::Text, DataType::Int);
        let value = Value::Map(vec![("a".into(), 1.into())]);
        assert_eq!(display(&map, &value), "{'a': 1}");
        let set = DataType::set(DataType::Inet);
        let value = Value::Set(vec![Value::Inet("1.2.3.4".parse().unwrap())]);
        assert_eq!(display(&set, &value), "{'1.2.3.4'}");
        let tuple = DataType::tuple(vec![DataType::Int, DataType::Text]);
        assert_eq!(
            display(&tuple, &Value::Tuple(vec![1.into(), Value::Null])),
            "(1, None)"
        );
        let vector = DataType::vector(DataType::Float, 2);
        let value = Value::Vector(vec![Value::Float(1.5), Value::Float(2.0)]);
        assert_eq!(display(&vector, &value), "[1.5, 2]");
        let user = DataType::UserDefined(Box::new(UserType {
            keyspace: "ks".to_owned(),
            name: "t".to_owned(),
            fields: vec![UserField {
                name: "f".to_owned(),
                data_type: DataType::Text,
            }],
            is_frozen: false,
        }));
        assert_eq!(
            display(&user, &Value::UserDefined(vec!["x".into()])),
            "{f: 'x'}"
        );
    }
}
