//! One CQL value, of any type.
//!
//! A value does not know its type exactly (a list does not say what it is a list of), so whatever
//! reads or writes one takes the [`DataType`] as well.
//!
//! Three kinds of nothing are kept apart, as in Cassandra: [`Value::Null`] (no value),
//! [`Value::Unset`] (leave the column as it is; only as a bound variable), and [`Value::Empty`]
//! (a value of zero bytes, which most types allow besides null).

use std::net::IpAddr;

use num_bigint::BigInt;
use uuid::Uuid;

use crate::data_type::DataType;
use crate::decimal::Decimal;
use crate::duration::Duration;
use crate::temporal::{Date, Time, Timestamp};

/// One CQL value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// A bound variable that leaves the column as it is.
    Unset,
    /// Zero bytes, of a type for which that is not an ordinary value.
    Empty,
    /// US-ASCII text.
    Ascii(String),
    /// A 64-bit integer.
    BigInt(i64),
    /// Arbitrary bytes.
    Blob(Vec<u8>),
    /// True or false.
    Boolean(bool),
    /// A counter's sum.
    Counter(i64),
    /// A day.
    Date(Date),
    /// A decimal number of any size.
    Decimal(Decimal),
    /// A 64-bit float.
    Double(f64),
    /// Months, days and nanoseconds.
    Duration(Duration),
    /// A 32-bit float.
    Float(f32),
    /// An IPv4 or IPv6 address.
    Inet(IpAddr),
    /// A 32-bit integer.
    Int(i32),
    /// A 16-bit integer.
    SmallInt(i16),
    /// UTF-8 text.
    Text(String),
    /// A time of day.
    Time(Time),
    /// A moment.
    Timestamp(Timestamp),
    /// A version-1 UUID.
    TimeUuid(Uuid),
    /// An 8-bit integer.
    TinyInt(i8),
    /// A UUID of any version.
    Uuid(Uuid),
    /// An integer of any size.
    VarInt(BigInt),
    /// Values in the order they were given.
    List(Vec<Value>),
    /// Distinct values; encoding neither sorts them nor looks for doubles.
    Set(Vec<Value>),
    /// Pairs with distinct keys; encoding neither sorts them nor looks for doubles.
    Map(Vec<(Value, Value)>),
    /// The fields of a tuple; missing ones at the end are null.
    Tuple(Vec<Value>),
    /// The fields of a user-defined type in order of declaration; missing ones at the end are null.
    UserDefined(Vec<Value>),
    /// The values of a vector.
    Vector(Vec<Value>),
    /// The bytes of a type known only by its Java class.
    Custom(Vec<u8>),
}

impl Value {
    /// Whether there is no value.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// What kind of value this is, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Unset => "unset",
            Self::Empty => "empty",
            Self::List(_) => "list",
            Self::Set(_) => "set",
            Self::Map(_) => "map",
            Self::Tuple(_) => "tuple",
            Self::UserDefined(_) => "user-defined type",
            Self::Vector(_) => "vector",
            Self::Custom(_) => "custom",
            scalar => scalar.native_type().native_name().unwrap_or_default(),
        }
    }

    /// The native type of a scalar; `DataType::Empty` for everything else.
    fn native_type(&self) -> DataType {
        match self {
            Self::Ascii(_) => DataType::Ascii,
            Self::BigInt(_) => DataType::BigInt,
            Self::Blob(_) => DataType::Blob,
            Self::Boolean(_) => DataType::Boolean,
            Self::Counter(_) => DataType::Counter,
            Self::Date(_) => DataType::Date,
            Self::Decimal(_) => DataType::Decimal,
            Self::Double(_) => DataType::Double,
            Self::Duration(_) => DataType::Duration,
            Self::Float(_) => DataType::Float,
            Self::Inet(_) => DataType::Inet,
            Self::Int(_) => DataType::Int,
            Self::SmallInt(_) => DataType::SmallInt,
            Self::Text(_) => DataType::Text,
            Self::Time(_) => DataType::Time,
            Self::Timestamp(_) => DataType::Timestamp,
            Self::TimeUuid(_) => DataType::TimeUuid,
            Self::TinyInt(_) => DataType::TinyInt,
            Self::Uuid(_) => DataType::Uuid,
            Self::VarInt(_) => DataType::VarInt,
            _ => DataType::Empty,
        }
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::Int(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::BigInt(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Boolean(truth)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_name_the_type() {
        assert_eq!(Value::from(1).kind(), "int");
        assert_eq!(Value::from("a").kind(), "text");
        assert_eq!(Value::from(None::<i64>).kind(), "null");
        assert_eq!(Value::Set(Vec::new()).kind(), "set");
    }
}
