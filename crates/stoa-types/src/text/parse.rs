//! Texts of native types to values.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use num_bigint::BigInt;
use uuid::Uuid;

use super::temporal;
use crate::clock::Clock;
use crate::data_type::DataType;
use crate::duration::DurationError;
use crate::temporal::Timestamp;
use crate::value::Value;

/// Why a text is not a value of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The text has not the form that the type needs, or the value is out of range.
    #[error("unable to make {data_type} from '{text}'")]
    Malformed {
        /// The type in CQL.
        data_type: String,
        /// The text.
        text: String,
    },
    /// A `timeuuid` has another version than 1.
    #[error("timeuuid supports only version 1 UUIDs")]
    NotATimeUuid,
    /// The text is not a duration.
    #[error(transparent)]
    Duration(#[from] DurationError),
    /// A tuple has fewer fields than its text.
    #[error("too many elements for {data_type}: {actual}")]
    TooManyFields {
        /// The type in CQL.
        data_type: String,
        /// The number of elements in the text.
        actual: usize,
    },
    /// Only native types and tuples of them have texts.
    #[error("{0} has no text form")]
    NotNative(String),
}

/// Reads the text of a native type or a tuple, as Cassandra reads a quoted literal or a number.
///
/// An empty text is the empty value, except for text types (an empty text), boolean (false) and
/// duration (an error). `now` is a timestamp, hence the clock. Addresses must be numeric: names
/// are not resolved. The elements of a tuple are separated by colons.
///
/// # Errors
/// What the text fails to be.
pub fn parse(data_type: &DataType, text: &str, clock: &dyn Clock) -> Result<Value, ParseError> {
    let malformed = || ParseError::Malformed {
        data_type: data_type.to_string(),
        text: text.to_owned(),
    };
    let is_empty_value = text.is_empty()
        && data_type.native_name().is_some()
        && !data_type.is_empty_ordinary()
        && !matches!(data_type, DataType::Boolean | DataType::Duration);
    if is_empty_value {
        return if data_type.allows_empty() {
            Ok(Value::Empty)
        } else {
            Err(malformed())
        };
    }
    let value = match data_type {
        DataType::Ascii => text.is_ascii().then(|| Value::Ascii(text.to_owned())),
        DataType::Text => Some(Value::Text(text.to_owned())),
        DataType::Blob => blob(text).map(Value::Blob),
        DataType::Boolean => boolean(text).map(Value::Boolean),
        DataType::TinyInt => text.parse().ok().map(Value::TinyInt),
        DataType::SmallInt => text.parse().ok().map(Value::SmallInt),
        DataType::Int => text.parse().ok().map(Value::Int),
        DataType::BigInt => text.parse().ok().map(Value::BigInt),
        DataType::Counter => text.parse().ok().map(Value::Counter),
        DataType::VarInt => varint(text).map(Value::VarInt),
        DataType::Decimal => text.parse().ok().map(Value::Decimal),
        DataType::Float => float(text).map(Value::Float),
        DataType::Double => float(text).map(Value::Double),
        DataType::Date => temporal::read_date(text).map(Value::Date),
        DataType::Time => temporal::read_time(text).map(Value::Time),
        DataType::Timestamp if text.eq_ignore_ascii_case("now") => Some(Value::Timestamp(
            Timestamp(clock.now_micros().div_euclid(1_000)),
        )),
        DataType::Timestamp => temporal::read_timestamp(text).map(Value::Timestamp),
        DataType::Duration => Some(Value::Duration(text.parse()?)),
        DataType::Inet => address(text).map(Value::Inet),
        DataType::Uuid => uuid(text).map(Value::Uuid),
        DataType::TimeUuid => match uuid(text) {
            Some(uuid) if uuid.get_version_num() != 1 => return Err(ParseError::NotATimeUuid),
            uuid => uuid.map(Value::TimeUuid),
        },
        DataType::Empty => None,
        DataType::Tuple(types) => return tuple(data_type, types, text, clock),
        composite => return Err(ParseError::NotNative(composite.to_string())),
    };
    value.ok_or_else(malformed)
}

/// Hexadecimal digits, with or without `0x`.
fn blob(text: &str) -> Option<Vec<u8>> {
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .unwrap_or(text);
    let nibble = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let (pairs, odd) = digits.as_bytes().as_chunks::<2>();
    if !odd.is_empty() {
        return None;
    }
    pairs
        .iter()
        .map(|&[high, low]| Some(nibble(high)? << 4 | nibble(low)?))
        .collect()
}

fn boolean(text: &str) -> Option<bool> {
    if text.is_empty() || text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        text.eq_ignore_ascii_case("true").then_some(true)
    }
}

/// A sign and digits; the parser of big integers would also take underscores.
fn varint(text: &str) -> Option<BigInt> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// A number as Java reads it: `NaN` and `Infinity` are spelled like this, and the number may end
/// in the letter of a float type. (Java's hexadecimal floats are left out.)
fn float<T: FromStr>(text: &str) -> Option<T> {
    let trimmed = text.trim();
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    if matches!(unsigned, "NaN" | "Infinity") {
        return trimmed.parse().ok();
    }
    let is_number =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    let number = trimmed
        .strip_suffix(['f', 'F', 'd', 'D'])
        .unwrap_or(trimmed);
    number
        .bytes()
        .all(is_number)
        .then(|| number.parse().ok())
        .flatten()
}

/// A numeric address, as `InetAddress.getByName` reads it. An IPv4 address mapped into IPv6 is that
/// IPv4 address. An IPv6 address may stand in brackets and end in the number of a zone, which is
/// dropped.
fn address(text: &str) -> Option<IpAddr> {
    if let Some(inner) = text.strip_prefix('[') {
        return inner.strip_suffix(']').and_then(address_v6);
    }
    let address = address_v4(text).map(IpAddr::V4);
    address.or_else(|| address_v6(text))
}

fn address_v6(text: &str) -> Option<IpAddr> {
    let (address, zone) = text.split_once('%').unwrap_or((text, "0"));
    let is_numbered = !zone.is_empty() && zone.bytes().all(|byte| byte.is_ascii_digit());
    let address: Ipv6Addr = is_numbered.then(|| address.parse().ok()).flatten()?;
    Some(IpAddr::V6(address).to_canonical())
}

/// One to four decimal numbers with points between. The last one fills what the others leave.
fn address_v4(text: &str) -> Option<Ipv4Addr> {
    let is_short = text.len() <= 15 && text.bytes().all(|it| it == b'.' || it.is_ascii_digit());
    if !is_short {
        return None;
    }
    let mut address = 0_u32;
    let mut free_bits = 32_u32;
    let (first, last) = match text.rsplit_once('.') {
        Some((first, last)) => (Some(first), last),
        None => (None, text),
    };
    for part in first.iter().flat_map(|it| it.split('.')) {
        free_bits = free_bits.checked_sub(8).filter(|&bits| bits > 0)?;
        address |= u32::from(part.parse::<u8>().ok()?) << free_bits;
    }
    let last: u64 = last.parse().ok()?;
    let last = u32::try_from(last).ok().filter(|_| last < 1 << free_bits)?;
    Some(Ipv4Addr::from_bits(address | last))
}

/// The elements of a tuple, as `TupleType.fromString` reads them: a colon parts them, `@` is null,
/// and a backslash takes either for a character. Missing ones at the end are left out.
fn tuple(
    data_type: &DataType,
    types: &[DataType],
    text: &str,
    clock: &dyn Clock,
) -> Result<Value, ParseError> {
    let elements = tuple_elements(text);
    if elements.len() > types.len() {
        return Err(ParseError::TooManyFields {
            data_type: data_type.to_string(),
            actual: elements.len(),
        });
    }
    let value = |(element, data_type): (&str, &DataType)| match element {
        "@" => Ok(Value::Null),
        text => {
            let plain = text.replace("\\:", ":").replace("\\@", "@");
            parse(data_type, &plain, clock)
        }
    };
    let values = elements.into_iter().zip(types).map(value);
    values.collect::<Result<_, _>>().map(Value::Tuple)
}

/// The parts of a text between colons that no backslash precedes.
fn tuple_elements(text: &str) -> Vec<&str> {
    let mut elements = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(colon) = rest.get(from..).and_then(|it| it.find(':')) {
        let at = from + colon;
        let (element, after) = rest.split_at(at);
        if element.ends_with('\\') {
            from = at + 1;
        } else {
            elements.push(element);
            rest = after.strip_prefix(':').unwrap_or(after);
            from = 0;
        }
    }
    if !text.is_empty() {
        elements.push(rest);
    }
    elements
}

/// Only the form with four dashes; the parser of UUIDs would also take others.
fn uuid(text: &str) -> Option<Uuid> {
    (text.len() == 36)
        .then(|| Uuid::try_parse(text).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    fn read(data_type: &DataType, text: &str) -> Result<Value, ParseError> {
        parse(data_type, text, &ManualClock::at_micros(1_500_999))
    }

    #[test]
    fn texts_of_every_native_type() {
        let uuid = Uuid::parse_str("2a92d750-d8dc-11e6-a2de-cf8ecd4cf053").unwrap();
        for (data_type, text, value) in [
            (DataType::Ascii, "abc", Value::Ascii("abc".to_owned())),
            (DataType::BigInt, "-5", Value::BigInt(-5)),
            (DataType::Blob, "0xCAfe", Value::Blob(vec![0xCA, 0xFE])),
            (DataType::Blob, "00", Value::Blob(vec![0])),
            (DataType::Boolean, "TRUE", Value::Boolean(true)),
            (DataType::Boolean, "", Value::Boolean(false)),
            (DataType::Double, "-1.5e3", Value::Double(-1500.0)),
            (
                DataType::Float,
                "-Infinity",
                Value::Float(f32::NEG_INFINITY),
            ),
            (DataType::Float, "1.5f", Value::Float(1.5)),
            (
                DataType::Inet,
                "::ffff:1.2.3.4",
                Value::Inet("1.2.3.4".parse().unwrap()),
            ),
            (DataType::Inet, "::1", Value::Inet("::1".parse().unwrap())),
            (DataType::Inet, "[::1]", Value::Inet("::1".parse().unwrap())),
            (DataType::Inet, "::1%3", Value::Inet("::1".parse().unwrap())),
            (DataType::Int, "+7", Value::Int(7)),
            (DataType::Int, "", Value::Empty),
            (DataType::Text, "", Value::Text(String::new())),
            (
                DataType::Timestamp,
                "NOW",
                Value::Timestamp(Timestamp(1_500)),
            ),
            (
                DataType::TimeUuid,
                "2a92d750-d8dc-11e6-a2de-cf8ecd4cf053",
                Value::TimeUuid(uuid),
            ),
            (DataType::VarInt, "-12", Value::VarInt((-12).into())),
        ] {
            assert_eq!(read(&data_type, text), Ok(value), "{data_type} {text}");
        }
    }

    #[test]
    fn short_addresses_fill_what_is_left() {
        for (text, address) in [
            ("127.1", Some([127, 0, 0, 1])),
            ("1.2.3", Some([1, 2, 0, 3])),
            ("1.2.65535", Some([1, 2, 255, 255])),
            ("16909060", Some([1, 2, 3, 4])),
            ("4294967295", Some([255; 4])),
            ("010.0.0.1", Some([10, 0, 0, 1])),
            ("0", Some([0; 4])),
            ("4294967296", None),
            ("1.16777216", None),
            ("1.2.65536", None),
            ("1.2.3.256", None),
            ("256.1", None),
            ("1.2.3.4.5", None),
            (".1", None),
            ("1.", None),
            ("1..2", None),
            ("+1", None),
            ("[1.2.3.4]", None),
            ("[::1", None),
            ("::1%", None),
            ("::1%eth0", None),
        ] {
            let expected = address.map(|it| Value::Inet(Ipv4Addr::from(it).into()));
            assert_eq!(read(&DataType::Inet, text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn tuples_are_parted_by_colons() {
        let tuple = DataType::tuple(vec![DataType::Int, DataType::Text, DataType::Text]);
        for (text, values) in [
            ("5", vec![Value::Int(5)]),
            ("5:a", vec![Value::Int(5), "a".into()]),
            ("@:@:b", vec![Value::Null, Value::Null, "b".into()]),
            ("1:a\\:b:\\@", vec![1.into(), "a:b".into(), "@".into()]),
            (":", vec![Value::Empty, "".into()]),
        ] {
            assert_eq!(read(&tuple, text), Ok(Value::Tuple(values)), "{text}");
        }
        assert!(matches!(
            read(&tuple, "1:a:b:c"),
            Err(ParseError::TooManyFields { actual: 4, .. })
        ));
        assert!(matches!(
            read(&tuple, "a"),
            Err(ParseError::Malformed { data_type, .. }) if data_type == "int"
        ));
    }

    #[test]
    fn wrong_texts_are_refused() {
        for (data_type, text) in [
            (DataType::Ascii, "é"),
            (DataType::Blob, "0x1"),
            (DataType::Blob, "zz"),
            (DataType::Boolean, "yes"),
            (DataType::Date, ""),
            (DataType::Float, "inf"),
            (DataType::Float, "nan"),
            (DataType::Float, "1x"),
            (DataType::Inet, "localhost"),
            (DataType::Int, "2147483648"),
            (DataType::SmallInt, ""),
            (DataType::TinyInt, "128"),
            (DataType::Uuid, "2a92d750d8dc11e6a2decf8ecd4cf053"),
            (DataType::VarInt, "1_0"),
        ] {
            let malformed = ParseError::Malformed {
                data_type: data_type.to_string(),
                text: text.to_owned(),
            };
            assert_eq!(read(&data_type, text), Err(malformed));
        }
        let random = "cc520882-9507-44fb-8fc9-b349ecdee658";
        assert_eq!(
            read(&DataType::TimeUuid, random),
            Err(ParseError::NotATimeUuid)
        );
        let list = DataType::list(DataType::Int);
        assert_eq!(
            read(&list, "[]"),
            Err(ParseError::NotNative("list<int>".to_owned()))
        );
        assert!(matches!(
            read(&DataType::Duration, ""),
            Err(ParseError::Duration(_))
        ));
    }
}
