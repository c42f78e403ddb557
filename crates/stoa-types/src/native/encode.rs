//! Values to native bytes.

use std::net::IpAddr;

use crate::data_type::DataType;
use crate::frames;
use crate::value::Value;

/// Why a value cannot be written as a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The value is of another kind.
    #[error("cannot write a value of kind {kind} as {data_type}")]
    WrongKind {
        /// The kind of the value.
        kind: &'static str,
        /// The type in CQL.
        data_type: String,
    },
    /// A tuple or a user-defined type has more fields than its type.
    #[error("{data_type} has {expected} fields, got {actual}")]
    TooManyFields {
        /// The type in CQL.
        data_type: String,
        /// The number of fields of the type.
        expected: usize,
        /// The number of values given.
        actual: usize,
    },
    /// A vector has not as many elements as its type says.
    #[error("required {expected} elements, but saw {actual}")]
    WrongDimension {
        /// The vector's dimension.
        expected: u32,
        /// The number of elements given.
        actual: usize,
    },
    /// Text of type `ascii` has other characters.
    #[error("text is not US-ASCII")]
    NotAscii,
    /// A `timeuuid` has another version than 1.
    #[error("invalid version for timeuuid: {0}")]
    NotATimeUuid(usize),
    /// A part has 2 GiB or more.
    #[error("value is too large for the protocol")]
    TooLarge,
}

/// The native bytes of a value; `None` for null.
///
/// # Errors
/// When the value is not of this type. [`Value::Unset`] has no bytes and is refused.
pub fn encode(data_type: &DataType, value: &Value) -> Result<Option<Vec<u8>>, EncodeError> {
    if value.is_null() {
        return Ok(None);
    }
    let mut out = Vec::new();
    encode_into(data_type, value, &mut out)?;
    Ok(Some(out))
}

/// Appends the native bytes of a value that is not null.
///
/// # Errors
/// As [`encode`]; null is refused too. What was appended before an error stays.
pub fn encode_into(
    data_type: &DataType,
    value: &Value,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    match (data_type, value) {
        (data_type, Value::Empty) if data_type.allows_empty() => Ok(()),
        (DataType::List { element, .. }, Value::List(values))
        | (DataType::Set { element, .. }, Value::Set(values)) => write_collection(
            values.iter().map(|value| (&**element, value)),
            values.len(),
            out,
        ),
        (DataType::Map { key, value, .. }, Value::Map(entries)) => {
            let parts = entries
                .iter()
                .flat_map(|(k, v)| [(&**key, k), (&**value, v)]);
            write_collection(parts, entries.len(), out)
        }
        (DataType::Tuple(types), Value::Tuple(values)) => {
            check_fields(data_type, types.len(), values)?;
            write_fields(types.iter().zip(values), out)
        }
        (DataType::UserDefined(user), Value::UserDefined(values)) => {
            check_fields(data_type, user.fields.len(), values)?;
            let types = user.fields.iter().map(|field| &field.data_type);
            write_fields(types.zip(values), out)
        }
        (DataType::Vector { element, dimension }, Value::Vector(values)) => {
            if u32::try_from(values.len()).ok() != Some(*dimension) {
                let (expected, actual) = (*dimension, values.len());
                return Err(EncodeError::WrongDimension { expected, actual });
            }
            for value in values {
                frames::write_vector_part(element, &part_bytes(element, value)?, out);
            }
            Ok(())
        }
        _ => write_scalar(data_type, value, out),
    }
}

fn check_fields(
    data_type: &DataType,
    expected: usize,
    values: &[Value],
) -> Result<(), EncodeError> {
    if values.len() > expected {
        let (data_type, actual) = (data_type.to_string(), values.len());
        return Err(EncodeError::TooManyFields {
            data_type,
            expected,
            actual,
        });
    }
    Ok(())
}

fn write_collection<'a>(
    parts: impl Iterator<Item = (&'a DataType, &'a Value)>,
    count: usize,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    frames::write_count(count, out).ok_or(EncodeError::TooLarge)?;
    for (data_type, value) in parts {
        let bytes = part_bytes(data_type, value)?;
        frames::write_part(Some(&bytes), out).ok_or(EncodeError::TooLarge)?;
    }
    Ok(())
}

fn write_fields<'a>(
    parts: impl Iterator<Item = (&'a DataType, &'a Value)>,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    for (data_type, value) in parts {
        let bytes = encode(data_type, value)?;
        frames::write_part(bytes.as_deref(), out).ok_or(EncodeError::TooLarge)?;
    }
    Ok(())
}

fn part_bytes(data_type: &DataType, value: &Value) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    encode_into(data_type, value, &mut bytes)?;
    Ok(bytes)
}

fn write_scalar(data_type: &DataType, value: &Value, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    match (data_type, value) {
        (DataType::Ascii, Value::Ascii(text) | Value::Text(text)) => {
            if !text.is_ascii() {
                return Err(EncodeError::NotAscii);
            }
            out.extend_from_slice(text.as_bytes());
        }
        (DataType::Text, Value::Text(text) | Value::Ascii(text)) => {
            out.extend_from_slice(text.as_bytes());
        }
        (DataType::Blob, Value::Blob(bytes)) | (DataType::Custom(_), Value::Custom(bytes)) => {
            out.extend_from_slice(bytes);
        }
        (DataType::Boolean, Value::Boolean(truth)) => out.push(u8::from(*truth)),
        (DataType::TinyInt, Value::TinyInt(number)) => out.extend(number.to_be_bytes()),
        (DataType::SmallInt, Value::SmallInt(number)) => out.extend(number.to_be_bytes()),
        (DataType::Int, Value::Int(number)) => out.extend(number.to_be_bytes()),
        (DataType::BigInt, Value::BigInt(number)) | (DataType::Counter, Value::Counter(number)) => {
            out.extend(number.to_be_bytes());
        }
        (DataType::Float, Value::Float(number)) => out.extend(number.to_be_bytes()),
        (DataType::Double, Value::Double(number)) => out.extend(number.to_be_bytes()),
        (DataType::Date, Value::Date(date)) => out.extend(date.0.to_be_bytes()),
        (DataType::Time, Value::Time(time)) => out.extend(time.0.to_be_bytes()),
        (DataType::Timestamp, Value::Timestamp(time)) => out.extend(time.0.to_be_bytes()),
        (DataType::Uuid, Value::Uuid(uuid) | Value::TimeUuid(uuid)) => out.extend(uuid.as_bytes()),
        (DataType::TimeUuid, Value::TimeUuid(uuid)) => {
            if uuid.get_version_num() != 1 {
                return Err(EncodeError::NotATimeUuid(uuid.get_version_num()));
            }
            out.extend(uuid.as_bytes());
        }
        (DataType::Inet, Value::Inet(IpAddr::V4(address))) => out.extend(address.octets()),
        (DataType::Inet, Value::Inet(IpAddr::V6(address))) => out.extend(address.octets()),
        (DataType::VarInt, Value::VarInt(number)) => out.extend(number.to_signed_bytes_be()),
        (DataType::Decimal, Value::Decimal(decimal)) => decimal.write_bytes(out),
        (DataType::Duration, Value::Duration(duration)) => duration.write_bytes(out),
        _ => {
            let (kind, data_type) = (value.kind(), data_type.to_string());
            return Err(EncodeError::WrongKind { kind, data_type });
        }
    }
    Ok(())
}
