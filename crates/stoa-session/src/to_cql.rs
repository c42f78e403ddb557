//! Rust values that can be bound: what CQL type each may become, and its bytes.
//!
//! | Rust | CQL |
//! |---|---|
//! | `bool` | boolean |
//! | `i8`, `i16`, `i32` | tinyint, smallint, int |
//! | `i64` | bigint, counter |
//! | `f32`, `f64` | float, double |
//! | `str`, `String` | ascii, text |
//! | `[u8]`, `Vec<u8>` | blob |
//! | `Uuid` | uuid, timeuuid |
//! | `IpAddr`, `Ipv4Addr`, `Ipv6Addr` | inet |
//! | `BigInt`, [`Decimal`], [`Duration`] | varint, decimal, duration |
//! | [`Date`], [`Time`], [`Timestamp`] | date, time, timestamp |
//! | `Option<T>` | as `T`, or null |
//! | `Unset` | leaves the column as it is |
//! | `Vec<T>`, `[T]` | list, set, vector |
//! | `BTreeSet`, `HashSet` | set |
//! | `BTreeMap`, `HashMap` | map |
//! | tuples of up to eight | tuple |
//! | a struct with `derive(ToCql)` | user-defined type |
//! | [`Value`] | whatever it is |
//!
//! Nothing is widened or narrowed: an `i32` is not a bigint.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use num_bigint::BigInt;
use stoa_types::native;
use stoa_types::{DataType, Date, Decimal, Duration, Time, Timestamp, Value, frames};
use uuid::Uuid;

use crate::bind::{ValueError, write_cell};

/// A value that can be bound to a variable.
pub trait ToCql {
    /// Appends the native bytes, unless there is no value.
    ///
    /// # Errors
    /// When it is not a value of this type. What was appended before stays.
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError>;
}

/// Whether there is a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Yes: its bytes were appended.
    Value,
    /// No value.
    Null,
    /// The column stays as it is.
    Unset,
}

/// Leaves a column as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unset;

impl ToCql for Unset {
    fn write_cql(&self, _: &DataType, _: &mut Vec<u8>) -> Result<Presence, ValueError> {
        Ok(Presence::Unset)
    }
}

impl ToCql for Value {
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError> {
        match self {
            Self::Null => Ok(Presence::Null),
            Self::Unset => Ok(Presence::Unset),
            value => {
                native::encode_into(data_type, value, out)?;
                Ok(Presence::Value)
            }
        }
    }
}

impl<T: ToCql> ToCql for Option<T> {
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError> {
        match self {
            Some(value) => value.write_cql(data_type, out),
            None => Ok(Presence::Null),
        }
    }
}

macro_rules! pointers {
    ($($pointer:ty)+) => {$(
        impl<T: ToCql + ?Sized> ToCql for $pointer {
            fn write_cql(
                &self,
                data_type: &DataType,
                out: &mut Vec<u8>,
            ) -> Result<Presence, ValueError> {
                (**self).write_cql(data_type, out)
            }
        }
    )+};
}

pointers!(&T Box<T> Arc<T>);

/// Types whose bytes are at hand.
macro_rules! plain {
    ($($rust:ty: $($cql:ident)|+ => |$value:ident| $bytes:expr;)+) => {$(
        impl ToCql for $rust {
            fn write_cql(
                &self,
                data_type: &DataType,
                out: &mut Vec<u8>,
            ) -> Result<Presence, ValueError> {
                if !matches!(data_type, $(DataType::$cql)|+) {
                    return Err(ValueError::types(stringify!($rust), data_type));
                }
                let $value = self;
                out.extend_from_slice($bytes.as_ref());
                Ok(Presence::Value)
            }
        }
    )+};
}

plain! {
    bool: Boolean => |value| [u8::from(*value)];
    i8: TinyInt => |value| value.to_be_bytes();
    i16: SmallInt => |value| value.to_be_bytes();
    i32: Int => |value| value.to_be_bytes();
    i64: BigInt | Counter => |value| value.to_be_bytes();
    f32: Float => |value| value.to_be_bytes();
    f64: Double => |value| value.to_be_bytes();
    [u8]: Blob => |value| value;
    Vec<u8>: Blob => |value| value;
    Ipv4Addr: Inet => |value| value.octets();
    Ipv6Addr: Inet => |value| value.octets();
    BigInt: VarInt => |value| value.to_signed_bytes_be();
    Date: Date => |value| value.0.to_be_bytes();
    Time: Time => |value| value.0.to_be_bytes();
    Timestamp: Timestamp => |value| value.0.to_be_bytes();
}

impl ToCql for IpAddr {
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError> {
        match self {
            Self::V4(address) => address.write_cql(data_type, out),
            Self::V6(address) => address.write_cql(data_type, out),
        }
    }
}

impl ToCql for str {
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError> {
        match data_type {
            DataType::Ascii if !self.is_ascii() => return Err(native::EncodeError::NotAscii.into()),
            DataType::Ascii | DataType::Text => out.extend_from_slice(self.as_bytes()),
            other => return Err(ValueError::types("str", other)),
        }
        Ok(Presence::Value)
    }
}

impl ToCql for String {
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError> {
        self.as_str().write_cql(data_type, out)
    }
}

impl ToCql for Uuid {
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError> {
        match data_type {
            DataType::TimeUuid if self.get_version_num() != 1 => {
                return Err(native::EncodeError::NotATimeUuid(self.get_version_num()).into());
            }
            DataType::TimeUuid | DataType::Uuid => out.extend_from_slice(self.as_bytes()),
            other => return Err(ValueError::types("Uuid", other)),
        }
        Ok(Presence::Value)
    }
}

impl ToCql for Decimal {
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError> {
        match data_type {
            DataType::Decimal => self.write_bytes(out),
            other => return Err(ValueError::types("Decimal", other)),
        }
        Ok(Presence::Value)
    }
}

impl ToCql for Duration {
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError> {
        match data_type {
            DataType::Duration => self.write_bytes(out),
            other => return Err(ValueError::types("Duration", other)),
        }
        Ok(Presence::Value)
    }
}

impl<T: ToCql> ToCql for [T] {
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError> {
        match data_type {
            DataType::List { element, .. } | DataType::Set { element, .. } => {
                write_elements(element, self.iter(), self.len(), out)
            }
            DataType::Vector { element, dimension } => write_vector(element, *dimension, self, out),
            other => Err(ValueError::types("a sequence", other)),
        }
    }
}

impl<T: ToCql> ToCql for Vec<T> {
    fn write_cql(&self, data_type: &DataType, out: &mut Vec<u8>) -> Result<Presence, ValueError> {
        self.as_slice().write_cql(data_type, out)
    }
}

macro_rules! sets {
    ($($set:ty)+) => {$(
        impl<T: ToCql> ToCql for $set {
            fn write_cql(
                &self,
                data_type: &DataType,
                out: &mut Vec<u8>,
            ) -> Result<Presence, ValueError> {
                match data_type {
                    DataType::Set { element, .. } => {
                        write_elements(element, self.iter(), self.len(), out)
                    }
                    other => Err(ValueError::types("a set", other)),
                }
            }
        }
    )+};
}

sets!(BTreeSet<T> HashSet<T>);

macro_rules! maps {
    ($($map:ty)+) => {$(
        impl<K: ToCql, V: ToCql> ToCql for $map {
            fn write_cql(
                &self,
                data_type: &DataType,
                out: &mut Vec<u8>,
            ) -> Result<Presence, ValueError> {
                let DataType::Map { key, value, .. } = data_type else {
                    return Err(ValueError::types("a map", data_type));
                };
                frames::write_count(self.len(), out).ok_or(ValueError::TooLarge)?;
                for (index, (k, v)) in self.iter().enumerate() {
                    write_part(key, k, out).map_err(|error| error.inside(format!("key {index}")))?;
                    write_part(value, v, out)
                        .map_err(|error| error.inside(format!("value {index}")))?;
                }
                Ok(Presence::Value)
            }
        }
    )+};
}

maps!(BTreeMap<K, V> HashMap<K, V>);

fn write_elements<'a, T: ToCql + 'a>(
    element: &DataType,
    values: impl Iterator<Item = &'a T>,
    count: usize,
    out: &mut Vec<u8>,
) -> Result<Presence, ValueError> {
    frames::write_count(count, out).ok_or(ValueError::TooLarge)?;
    for (index, value) in values.enumerate() {
        write_part(element, value, out)
            .map_err(|error| error.inside(format!("element {index}")))?;
    }
    Ok(Presence::Value)
}

/// A part of a collection, which cannot be null.
fn write_part(
    data_type: &DataType,
    value: &impl ToCql,
    out: &mut Vec<u8>,
) -> Result<(), ValueError> {
    let start = out.len();
    write_cell(data_type, value, out)?;
    let length = out.get(start..).and_then(|cell| cell.first_chunk::<4>());
    match length.map(|length| i32::from_be_bytes(*length)) {
        Some(0..) => Ok(()),
        _ => Err(ValueError::Null),
    }
}

fn write_vector<T: ToCql>(
    element: &DataType,
    dimension: u32,
    values: &[T],
    out: &mut Vec<u8>,
) -> Result<Presence, ValueError> {
    if u32::try_from(values.len()).ok() != Some(dimension) {
        let (expected, actual) = (dimension, values.len());
        return Err(native::EncodeError::WrongDimension { expected, actual }.into());
    }
    let mut part = Vec::new();
    for (index, value) in values.iter().enumerate() {
        part.clear();
        match value.write_cql(element, &mut part) {
            Ok(Presence::Value) => frames::write_vector_part(element, &part, out),
            Ok(Presence::Null | Presence::Unset) => {
                return Err(ValueError::Null.inside(format!("element {index}")));
            }
            Err(error) => return Err(error.inside(format!("element {index}"))),
        }
    }
    Ok(Presence::Value)
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: ToCql),+> ToCql for ($($name,)+) {
            fn write_cql(
                &self,
                data_type: &DataType,
                out: &mut Vec<u8>,
            ) -> Result<Presence, ValueError> {
                #[expect(non_snake_case, reason = "one name for a type and its value")]
                let ($($name,)+) = self;
                write_tuple(&[$($name as &dyn ToCql),+], data_type, out)
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);

fn write_tuple(
    fields: &[&dyn ToCql],
    data_type: &DataType,
    out: &mut Vec<u8>,
) -> Result<Presence, ValueError> {
    match data_type {
        DataType::Tuple(types) if types.len() == fields.len() => {
            for (index, (field_type, field)) in types.iter().zip(fields).enumerate() {
                write_cell(field_type, *field, out)
                    .map_err(|error| error.inside(format!("field {index}")))?;
            }
            Ok(Presence::Value)
        }
        other => Err(ValueError::types("a tuple", other)),
    }
}

/// Writes the fields of a user-defined type by name; what `derive(ToCql)` calls.
///
/// # Errors
/// When the type has other fields than the struct, or a value does not fit.
pub fn write_user_type(
    fields: &[(&str, &dyn ToCql)],
    data_type: &DataType,
    out: &mut Vec<u8>,
) -> Result<Presence, ValueError> {
    let DataType::UserDefined(user) = data_type else {
        return Err(ValueError::types("a struct", data_type));
    };
    let declared = |name: &str| user.fields.iter().any(|field| field.name == name);
    if let Some((name, _)) = fields.iter().find(|(name, _)| !declared(name)) {
        return Err(ValueError::OutOfRange(format!(
            "the type {} has no field {name:?}",
            user.name
        )));
    }
    for declared in &user.fields {
        let given = fields.iter().find(|(name, _)| *name == declared.name);
        let value = given.map(|(_, value)| *value);
        write_cell(&declared.data_type, &value, out)
            .map_err(|error| error.inside(format!("field {:?}", declared.name)))?;
    }
    Ok(Presence::Value)
}
