//! Values to CQL terms that give them back.

use super::{hex, identifier, part_types, temporal};
use crate::data_type::DataType;
use crate::value::Value;

/// Why a value has no CQL term.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LiteralError {
    /// An unset value, or an empty value of a type that has no conversion function.
    #[error("a value of kind {kind} and type {data_type} cannot be written in CQL")]
    NoLiteral {
        /// The kind of the value.
        kind: &'static str,
        /// The type in CQL.
        data_type: String,
    },
}

/// Writes a value as a CQL term.
///
/// An empty value of a type for which that is not ordinary becomes a conversion from a blob,
/// such as `blob_as_int(0x)`. Whatever is not a number is `NaN`.
///
/// # Errors
/// When there is no term for it.
pub fn literal(data_type: &DataType, value: &Value) -> Result<String, LiteralError> {
    term(data_type, value, Nan::Any)
}

/// As [`literal`], but every value comes back to the bit: there are many floats that are not
/// numbers, the word is read as one of them, and another becomes a conversion from a blob.
///
/// # Errors
/// When there is no term for it.
pub fn exact_literal(data_type: &DataType, value: &Value) -> Result<String, LiteralError> {
    term(data_type, value, Nan::Exact)
}

/// How floats are written that are not numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nan {
    Any,
    Exact,
}

fn term(data_type: &DataType, value: &Value, nan: Nan) -> Result<String, LiteralError> {
    let no_literal = || LiteralError::NoLiteral {
        kind: value.kind(),
        data_type: data_type.to_string(),
    };
    Ok(match value {
        Value::Null => "null".to_owned(),
        Value::Unset => return Err(no_literal()),
        Value::Empty => match data_type.native_name() {
            Some(name) => format!("blob_as_{name}(0x)"),
            None => return Err(no_literal()),
        },
        Value::Ascii(text) | Value::Text(text) => quote(text),
        Value::Blob(bytes) | Value::Custom(bytes) => hex(bytes),
        Value::BigInt(number) | Value::Counter(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Date(date) => quote(&temporal::date_text(*date)),
        Value::Decimal(decimal) => decimal.to_string(),
        Value::Double(number) => double_literal(*number, nan),
        Value::Float(number) => float_literal(*number, nan),
        Value::Duration(duration) => match duration.to_string() {
            none if none.is_empty() => "0s".to_owned(),
            some => some,
        },
        Value::Inet(address) => quote(&address.to_string()),
        Value::Int(number) => number.to_string(),
        Value::SmallInt(number) => number.to_string(),
        Value::TinyInt(number) => number.to_string(),
        Value::Time(time) if time.is_in_day() => quote(&temporal::time_text(*time)),
        Value::Time(time) => format!("blob_as_time({})", hex(&time.0.to_be_bytes())),
        Value::Timestamp(time) => match temporal::timestamp_parts(*time) {
            Some((date, time, millis)) => format!("'{date}T{time}.{millis:03}Z'"),
            None => time.0.to_string(),
        },
        Value::TimeUuid(uuid) | Value::Uuid(uuid) => uuid.to_string(),
        Value::VarInt(number) => number.to_string(),
        Value::List(values) | Value::Vector(values) => {
            format!("[{}]", joined(data_type, values, nan)?)
        }
        Value::Set(values) => format!("{{{}}}", joined(data_type, values, nan)?),
        Value::Tuple(values) => format!("({})", joined(data_type, values, nan)?),
        Value::Map(entries) => {
            let DataType::Map { key, value, .. } = data_type else {
                return Err(no_literal());
            };
            let entry = |(k, v): &(Value, Value)| {
                Ok(format!("{}: {}", term(key, k, nan)?, term(value, v, nan)?))
            };
            let entries: Result<Vec<_>, LiteralError> = entries.iter().map(entry).collect();
            format!("{{{}}}", entries?.join(", "))
        }
        Value::UserDefined(values) => {
            let DataType::UserDefined(user) = data_type else {
                return Err(no_literal());
            };
            let fields = user.fields.iter().zip(values).map(|(field, value)| {
                let name = identifier::quoted(&field.name);
                Ok(format!("{name}: {}", term(&field.data_type, value, nan)?))
            });
            let fields: Result<Vec<_>, LiteralError> = fields.collect();
            format!("{{{}}}", fields?.join(", "))
        }
    })
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn double_literal(number: f64, nan: Nan) -> String {
    if nan == Nan::Exact && number.is_nan() && number.to_bits() != f64::NAN.to_bits() {
        return format!("blob_as_double({})", hex(&number.to_be_bytes()));
    }
    number_literal(number, format!("{number:?}"))
}

fn float_literal(number: f32, nan: Nan) -> String {
    if nan == Nan::Exact && number.is_nan() && number.to_bits() != f32::NAN.to_bits() {
        return format!("blob_as_float({})", hex(&number.to_be_bytes()));
    }
    number_literal(number.into(), format!("{number:?}"))
}

fn number_literal(number: f64, finite: String) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 {
            "Infinity".to_owned()
        } else {
            "-Infinity".to_owned()
        }
    } else {
        finite
    }
}

/// The elements of a list, set or vector, or the fields of a tuple.
fn joined(data_type: &DataType, values: &[Value], nan: Nan) -> Result<String, LiteralError> {
    let literals: Result<Vec<_>, _> = part_types(data_type)
        .zip(values)
        .map(|(data_type, value)| term(data_type, value, nan))
        .collect();
    Ok(literals?.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_type::{UserField, UserType};
    use crate::temporal::{Time, Timestamp};

    fn assert_literal(data_type: &DataType, value: &Value, expected: &str) {
        assert_eq!(literal(data_type, value).as_deref(), Ok(expected));
    }

    #[test]
    fn scalars() {
        assert_literal(&DataType::Text, &"it's".into(), "'it''s'");
        assert_literal(&DataType::Blob, &Value::Blob(vec![0, 0xFF]), "0x00ff");
        assert_literal(&DataType::Double, &Value::Double(1.0), "1.0");
        assert_literal(
            &DataType::Double,
            &Value::Double(f64::NEG_INFINITY),
            "-Infinity",
        );
        assert_literal(&DataType::Float, &Value::Float(0.1), "0.1");
        assert_literal(&DataType::Float, &Value::Float(f32::NAN), "NaN");
        let odd = Value::Double(f64::from_bits(0xFFF8_0000_0000_0001));
        assert_literal(&DataType::Double, &odd, "NaN");
        assert_eq!(
            exact_literal(&DataType::Double, &odd).unwrap(),
            "blob_as_double(0xfff8000000000001)"
        );
        assert_literal(&DataType::Int, &Value::Empty, "blob_as_int(0x)");
        assert_literal(&DataType::Int, &Value::Null, "null");
        assert_literal(
            &DataType::Duration,
            &Value::Duration("P".parse().unwrap()),
            "0s",
        );
        let time = Value::Timestamp(Timestamp(1_296_705_900_007));
        assert_literal(&DataType::Timestamp, &time, "'2011-02-03T04:05:00.007Z'");
        let far = Value::Timestamp(Timestamp(i64::MAX));
        assert_literal(&DataType::Timestamp, &far, "9223372036854775807");
        let no_time = Value::Time(Time(-1));
        assert_literal(
            &DataType::Time,
            &no_time,
            "blob_as_time(0xffffffffffffffff)",
        );
    }

    #[test]
    fn composites() {
        let text_list = DataType::list(DataType::Text);
        assert_literal(
            &text_list,
            &Value::List(vec!["a".into(), "b".into()]),
            "['a', 'b']",
        );
        let map = DataType::map(DataType::Int, text_list);
        let entries = vec![
            (1.into(), Value::List(vec![])),
            (2.into(), Value::List(vec!["x".into()])),
        ];
        assert_literal(&map, &Value::Map(entries), "{1: [], 2: ['x']}");
        let tuple = DataType::tuple(vec![DataType::Int, DataType::Double]);
        assert_literal(
            &tuple,
            &Value::Tuple(vec![Value::Null, Value::Empty]),
            "(null, blob_as_double(0x))",
        );
        let field = |name: &str| UserField {
            name: name.to_owned(),
            data_type: DataType::Int,
        };
        let user = DataType::UserDefined(Box::new(UserType {
            keyspace: "ks".to_owned(),
            name: "t".to_owned(),
            fields: vec![field("a"), field("B")],
            is_frozen: true,
        }));
        assert_literal(
            &user,
            &Value::UserDefined(vec![1.into(), 2.into()]),
            "{a: 1, \"B\": 2}",
        );
    }

    #[test]
    fn what_has_no_literal() {
        assert!(literal(&DataType::Int, &Value::Unset).is_err());
        assert!(literal(&DataType::list(DataType::Int), &Value::Empty).is_err());
    }
}
