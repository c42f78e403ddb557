//! Value bytes as the native protocol has them (versions 4 and 5), both ways.
//!
//! ```text
//! ascii, text, blob     the bytes          tinyint, smallint, int, bigint, counter  big endian
//! boolean               1 byte, 0 is false float, double                            IEEE 754
//! uuid, timeuuid        16 bytes           date                                     u32, 2^31 = 1970
//! inet                  4 or 16 bytes      time, timestamp                          i64
//! varint                two's complement   decimal                                  i32 scale, varint
//! duration              three signed vints collections, tuples, vectors             see `frames`
//! ```
//!
//! Validation follows Cassandra's serializers: where they allow zero bytes so does this (see
//! [`DataType::allows_empty`]); `time` is checked for length only. Three deviations, all of them
//! inputs that Cassandra's validation lets through although they are broken: a decimal without
//! digits, a collection with a negative count, and bytes after a duration are refused.
//!
//! Text is what Cassandra takes for it, which is more than UTF-8 (see `lenient_text`). Such text is
//! stored, compared and sent as the bytes it is; only [`decode`] refuses it, since a `String` cannot
//! hold it and a replaced character would be written back as another text. Who only shows values
//! shows the bytes of those that cannot be decoded.
//!
//! Invariants:
//! 1. Recursion is as deep as the type ([`DataType::depth`]), whatever the bytes say.
//! 2. Nothing is allocated for a length or a count that the input does not hold.
//! 3. [`validate`] accepts exactly what [`decode`] accepts, and text beyond UTF-8.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use num_bigint::BigInt;
use uuid::Uuid;

mod encode;
mod error;
mod lenient_text;
#[cfg(test)]
mod tests;

pub use encode::{EncodeError, encode, encode_into};
pub use error::{DecodeError, DecodeErrorKind, Step};

use crate::data_type::DataType;
use crate::decimal::Decimal;
use crate::duration::Duration;
use crate::frames;
use crate::temporal::{Date, Time, Timestamp};
use crate::value::Value;
use crate::vint;

/// Reads the bytes of a value that is not null.
///
/// # Errors
/// What is wrong with the bytes, and in which element or field.
pub fn decode(data_type: &DataType, bytes: &[u8]) -> Result<Value, DecodeError> {
    if bytes.is_empty() && !data_type.is_empty_ordinary() {
        return if data_type.allows_empty() {
            Ok(Value::Empty)
        } else {
            Err(wrong_length(data_type, bytes).into())
        };
    }
    match data_type {
        DataType::List { element, .. } => elements(element, bytes).map(Value::List),
        DataType::Set { element, .. } => elements(element, bytes).map(Value::Set),
        DataType::Map { key, value, .. } => entries(key, value, bytes).map(Value::Map),
        DataType::Tuple(types) => fields(types.iter(), types.len(), bytes).map(Value::Tuple),
        DataType::UserDefined(user) => {
            let types = user.fields.iter().map(|field| &field.data_type);
            fields(types, user.fields.len(), bytes).map(Value::UserDefined)
        }
        DataType::Vector { element, dimension } => {
            let parts = frames::vector_parts(bytes, element, *dimension);
            collect_elements(element, parts).map(Value::Vector)
        }
        scalar => decode_scalar(scalar, bytes).map_err(DecodeError::from),
    }
}

/// Checks the bytes of a value that is not null, without building it.
///
/// # Errors
/// As [`decode`], but text may be more than UTF-8.
pub fn validate(data_type: &DataType, bytes: &[u8]) -> Result<(), DecodeError> {
    if bytes.is_empty() {
        return if data_type.allows_empty() {
            Ok(())
        } else {
            Err(wrong_length(data_type, bytes).into())
        };
    }
    match data_type {
        DataType::List { element, .. } | DataType::Set { element, .. } => {
            let (_, parts) = frames::collection_parts(bytes, 1)?;
            validate_elements(element, parts)
        }
        DataType::Map { key, value, .. } => {
            let (_, parts) = frames::collection_parts(bytes, 2)?;
            for (index, part) in parts.enumerate() {
                let (step, data_type) = map_step(index, key, value);
                validate(data_type, part?).map_err(|error| error.inside(step))?;
            }
            Ok(())
        }
        DataType::Tuple(types) => validate_fields(types.iter(), types.len(), bytes),
        DataType::UserDefined(user) => {
            let types = user.fields.iter().map(|field| &field.data_type);
            validate_fields(types, user.fields.len(), bytes)
        }
        DataType::Vector { element, dimension } => {
            validate_elements(element, frames::vector_parts(bytes, element, *dimension))
        }
        DataType::Ascii => Ok(ascii(bytes).map(drop)?),
        DataType::Text => match lenient_text::first_wrong(bytes) {
            Some(offset) => Err(DecodeErrorKind::NotUtf8 { offset }.into()),
            None => Ok(()),
        },
        DataType::Blob | DataType::Custom(_) | DataType::VarInt => Ok(()),
        DataType::Decimal if bytes.len() > 4 => Ok(()),
        scalar => Ok(decode_scalar(scalar, bytes).map(drop)?),
    }
}

fn validate_elements<'a>(
    element: &DataType,
    parts: impl Iterator<Item = Result<&'a [u8], frames::FrameError>>,
) -> Result<(), DecodeError> {
    for (index, part) in parts.enumerate() {
        validate(element, part?).map_err(|error| error.inside(Step::Element(index)))?;
    }
    Ok(())
}

fn validate_fields<'t>(
    types: impl Iterator<Item = &'t DataType>,
    count: usize,
    bytes: &[u8],
) -> Result<(), DecodeError> {
    let mut types = types;
    for (index, part) in frames::tuple_parts(bytes, count).enumerate() {
        if let (Some(part), Some(data_type)) = (part?, types.next()) {
            validate(data_type, part).map_err(|error| error.inside(Step::Field(index)))?;
        }
    }
    Ok(())
}

fn elements(element: &DataType, bytes: &[u8]) -> Result<Vec<Value>, DecodeError> {
    let (_, parts) = frames::collection_parts(bytes, 1)?;
    collect_elements(element, parts)
}

fn collect_elements<'a>(
    element: &DataType,
    parts: impl Iterator<Item = Result<&'a [u8], frames::FrameError>>,
) -> Result<Vec<Value>, DecodeError> {
    let value_of = |(index, part): (usize, Result<&[u8], _>)| {
        decode(element, part?).map_err(|error: DecodeError| error.inside(Step::Element(index)))
    };
    parts.enumerate().map(value_of).collect()
}

fn entries(
    key: &DataType,
    value: &DataType,
    bytes: &[u8],
) -> Result<Vec<(Value, Value)>, DecodeError> {
    let (_, parts) = frames::collection_parts(bytes, 2)?;
    let mut entries = Vec::new();
    let mut pending = None;
    for (index, part) in parts.enumerate() {
        let (step, data_type) = map_step(index, key, value);
        let decoded = decode(data_type, part?).map_err(|error| error.inside(step))?;
        match pending.take() {
            None => pending = Some(decoded),
            Some(key) => entries.push((key, decoded)),
        }
    }
    Ok(entries)
}

/// Which side of which entry the part of a map with this index is.
fn map_step<'t>(index: usize, key: &'t DataType, value: &'t DataType) -> (Step, &'t DataType) {
    if index.is_multiple_of(2) {
        (Step::Key(index / 2), key)
    } else {
        (Step::Value(index / 2), value)
    }
}

fn fields<'t>(
    types: impl Iterator<Item = &'t DataType>,
    count: usize,
    bytes: &[u8],
) -> Result<Vec<Value>, DecodeError> {
    let mut parts = frames::tuple_parts(bytes, count);
    let mut values = Vec::with_capacity(count);
    for (index, data_type) in types.enumerate() {
        // Fields that were added to the type after the value was written are null.
        let part = parts.next().transpose()?.flatten();
        let value = part.map_or(Ok(Value::Null), |part| decode(data_type, part));
        values.push(value.map_err(|error| error.inside(Step::Field(index)))?);
    }
    match parts.next() {
        Some(Err(error)) => Err(error.into()),
        _ => Ok(values),
    }
}

/// Reads a native type; `bytes` are empty only where that is an ordinary value.
fn decode_scalar(data_type: &DataType, bytes: &[u8]) -> Result<Value, DecodeErrorKind> {
    Ok(match data_type {
        DataType::Ascii => Value::Ascii(ascii(bytes)?.to_owned()),
        DataType::Text => Value::Text(utf8(bytes)?.to_owned()),
        DataType::Blob => Value::Blob(bytes.to_vec()),
        DataType::Custom(_) => Value::Custom(bytes.to_vec()),
        DataType::VarInt => Value::VarInt(BigInt::from_signed_bytes_be(bytes)),
        DataType::Decimal => {
            let decimal = Decimal::from_bytes(bytes);
            Value::Decimal(decimal.ok_or_else(|| wrong_length(data_type, bytes))?)
        }
        DataType::Boolean => Value::Boolean(array::<1>(data_type, bytes)? != [0]),
        DataType::TinyInt => Value::TinyInt(i8::from_be_bytes(array(data_type, bytes)?)),
        DataType::SmallInt => Value::SmallInt(i16::from_be_bytes(array(data_type, bytes)?)),
        DataType::Int => Value::Int(i32::from_be_bytes(array(data_type, bytes)?)),
        DataType::BigInt => Value::BigInt(i64::from_be_bytes(array(data_type, bytes)?)),
        DataType::Counter => Value::Counter(i64::from_be_bytes(array(data_type, bytes)?)),
        DataType::Float => Value::Float(f32::from_be_bytes(array(data_type, bytes)?)),
        DataType::Double => Value::Double(f64::from_be_bytes(array(data_type, bytes)?)),
        DataType::Date => Value::Date(Date(u32::from_be_bytes(array(data_type, bytes)?))),
        DataType::Time => Value::Time(Time(i64::from_be_bytes(array(data_type, bytes)?))),
        DataType::Timestamp => {
            Value::Timestamp(Timestamp(i64::from_be_bytes(array(data_type, bytes)?)))
        }
        DataType::Uuid => Value::Uuid(Uuid::from_bytes(array(data_type, bytes)?)),
        DataType::TimeUuid => {
            let uuid = Uuid::from_bytes(array(data_type, bytes)?);
            if uuid.get_version_num() != 1 {
                return Err(DecodeErrorKind::NotATimeUuid(uuid.get_version_num()));
            }
            Value::TimeUuid(uuid)
        }
        DataType::Inet => Value::Inet(address(bytes)?),
        DataType::Duration => Value::Duration(duration(bytes)?),
        _ => return Err(wrong_length(data_type, bytes)),
    })
}

fn array<const N: usize>(data_type: &DataType, bytes: &[u8]) -> Result<[u8; N], DecodeErrorKind> {
    bytes.try_into().map_err(|_| wrong_length(data_type, bytes))
}

fn wrong_length(data_type: &DataType, bytes: &[u8]) -> DecodeErrorKind {
    let expected = match data_type {
        DataType::Boolean => "0 or 1 bytes",
        DataType::TinyInt => "1 byte",
        DataType::SmallInt => "2 bytes",
        DataType::Int | DataType::Float => "0 or 4 bytes",
        DataType::Date => "4 bytes",
        DataType::BigInt | DataType::Counter | DataType::Double | DataType::Timestamp => {
            "0 or 8 bytes"
        }
        DataType::Time => "8 bytes",
        DataType::Uuid | DataType::TimeUuid => "0 or 16 bytes",
        DataType::Inet => "0, 4 or 16 bytes",
        DataType::Decimal => "0 or at least 5 bytes",
        DataType::Duration => "at least 3 bytes",
        DataType::Empty => "0 bytes",
        _ => "at least 1 byte",
    };
    DecodeErrorKind::WrongLength {
        data_type: data_type.to_string(),
        expected,
        actual: bytes.len(),
    }
}

fn ascii(bytes: &[u8]) -> Result<&str, DecodeErrorKind> {
    match bytes.iter().position(|byte| !byte.is_ascii()) {
        Some(offset) => Err(DecodeErrorKind::NotAscii { offset }),
        None => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, DecodeErrorKind> {
    str::from_utf8(bytes).map_err(|error| DecodeErrorKind::NotUtf8 {
        offset: error.valid_up_to(),
    })
}

fn address(bytes: &[u8]) -> Result<IpAddr, DecodeErrorKind> {
    if let Ok(octets) = <[u8; 4]>::try_from(bytes) {
        return Ok(Ipv4Addr::from(octets).into());
    }
    array::<16>(&DataType::Inet, bytes).map(|octets| Ipv6Addr::from(octets).into())
}

fn duration(bytes: &[u8]) -> Result<Duration, DecodeErrorKind> {
    if bytes.len() < 3 {
        return Err(wrong_length(&DataType::Duration, bytes));
    }
    let mut input = bytes;
    let mut next = || vint::read_signed(&mut input).ok_or(DecodeErrorKind::BadVint);
    let (months, days, nanoseconds) = (next()?, next()?, next()?);
    if !input.is_empty() {
        return Err(frames::FrameError::TrailingBytes(input.len()).into());
    }
    let months = i32::try_from(months).map_err(|_| DecodeErrorKind::DurationPart("months"))?;
    let days = i32::try_from(days).map_err(|_| DecodeErrorKind::DurationPart("days"))?;
    Ok(Duration::new(months, days, nanoseconds)?)
}
