//! Numbers of every type, and Java's conversions between them.
//!
//! | from | to a smaller integer | to a float |
//! |---|---|---|
//! | integers, varint, decimal | the low bits (of the whole part) | the nearest |
//! | float, double | cut to `int` or `bigint`, where it saturates and NaN is 0; then the low bits | the nearest |

use num_bigint::BigInt;
use stoa_types::{DataType, Decimal, Value, native};

use super::decimal;
use super::float_text::{double_text, float_text};
use crate::refusal::Refusal;

/// A number of one of the types below; a counter is a `BigInt`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Number {
    TinyInt(i8),
    SmallInt(i16),
    Int(i32),
    BigInt(i64),
    Float(f32),
    Double(f64),
    VarInt(BigInt),
    Decimal(Decimal),
}

/// The numeric types in the order in which Cassandra declares functions of them.
pub(super) const NUMBERS: [DataType; 9] = [
    DataType::TinyInt,
    DataType::SmallInt,
    DataType::Int,
    DataType::BigInt,
    DataType::Float,
    DataType::Double,
    DataType::Decimal,
    DataType::VarInt,
    DataType::Counter,
];

impl Number {
    /// Reads a number; `None` if there is none, which an empty value is taken for.
    pub(super) fn read(
        data_type: &DataType,
        bytes: Option<&[u8]>,
    ) -> Result<Option<Self>, Refusal> {
        let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
            return Ok(None);
        };
        let value =
            native::decode(data_type, bytes).map_err(|error| Refusal::server(error.to_string()))?;
        Ok(Some(match value {
            Value::TinyInt(number) => Self::TinyInt(number),
            Value::SmallInt(number) => Self::SmallInt(number),
            Value::Int(number) => Self::Int(number),
            Value::BigInt(number) | Value::Counter(number) => Self::BigInt(number),
            Value::Float(number) => Self::Float(number),
            Value::Double(number) => Self::Double(number),
            Value::VarInt(number) => Self::VarInt(number),
            Value::Decimal(number) => Self::Decimal(number),
            other => {
                let message = format!("a value of kind {} is no number", other.kind());
                return Err(Refusal::server(message));
            }
        }))
    }

    /// The native bytes.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::TinyInt(number) => number.to_be_bytes().to_vec(),
            Self::SmallInt(number) => number.to_be_bytes().to_vec(),
            Self::Int(number) => number.to_be_bytes().to_vec(),
            Self::BigInt(number) => number.to_be_bytes().to_vec(),
            Self::Float(number) => number.to_be_bytes().to_vec(),
            Self::Double(number) => number.to_be_bytes().to_vec(),
            Self::VarInt(number) => number.to_signed_bytes_be(),
            Self::Decimal(number) => {
                let mut bytes = Vec::new();
                number.write_bytes(&mut bytes);
                bytes
            }
        }
    }

    /// `Number.intValue`.
    pub(super) fn to_i32(&self) -> i32 {
        match self {
            Self::Float(number) => *number as i32,
            Self::Double(number) => *number as i32,
            other => other.to_i64() as i32,
        }
    }

    /// `Number.longValue`.
    pub(super) fn to_i64(&self) -> i64 {
        match self {
            Self::TinyInt(number) => i64::from(*number),
            Self::SmallInt(number) => i64::from(*number),
            Self::Int(number) => i64::from(*number),
            Self::BigInt(number) => *number,
            Self::Float(number) => *number as i64,
            Self::Double(number) => *number as i64,
            Self::VarInt(number) => low_bits(number),
            // A number that ends in 64 zeros or more has none of the low bits.
            Self::Decimal(number) if number.scale() <= -64 => 0,
            Self::Decimal(number) => decimal::truncated(number).map_or(0, |whole| low_bits(&whole)),
        }
    }

    /// `Number.floatValue`.
    pub(super) fn to_f32(&self) -> f32 {
        match self {
            Self::TinyInt(number) => f32::from(*number),
            Self::SmallInt(number) => f32::from(*number),
            Self::Int(number) => *number as f32,
            Self::BigInt(number) => *number as f32,
            Self::Float(number) => *number,
            Self::Double(number) => *number as f32,
            Self::VarInt(number) => number.to_string().parse().unwrap_or(f32::NAN),
            Self::Decimal(number) => number.to_string().parse().unwrap_or(f32::NAN),
        }
    }

    /// `Number.doubleValue`.
    pub(super) fn to_f64(&self) -> f64 {
        match self {
            Self::TinyInt(number) => f64::from(*number),
            Self::SmallInt(number) => f64::from(*number),
            Self::Int(number) => f64::from(*number),
            Self::BigInt(number) => *number as f64,
            Self::Float(number) => f64::from(*number),
            Self::Double(number) => *number,
            Self::VarInt(number) => number.to_string().parse().unwrap_or(f64::NAN),
            Self::Decimal(number) => number.to_string().parse().unwrap_or(f64::NAN),
        }
    }

    /// The integer that arithmetic in `varint` takes it for.
    pub(super) fn to_varint(&self) -> BigInt {
        match self {
            Self::VarInt(number) => number.clone(),
            other => other.to_i64().into(),
        }
    }

    /// The decimal that arithmetic in `decimal` takes it for: that of the text of its double, so
    /// that an `int` gets a digit after the point, and a large `bigint` loses some before it.
    /// `None` if it is not finite.
    pub(super) fn to_decimal(&self) -> Option<Decimal> {
        match self {
            Self::Decimal(number) => Some(number.clone()),
            Self::VarInt(number) => Some(Decimal::from(number.clone())),
            other => double_text(other.to_f64()).parse().ok(),
        }
    }

    /// The text of a cast and of JSON.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Float(number) => float_text(*number),
            Self::Double(number) => double_text(*number),
            Self::VarInt(number) => number.to_string(),
            Self::Decimal(number) => number.to_string(),
            other => other.to_i64().to_string(),
        }
    }
}

/// `BigInteger.longValue`: the lowest 64 bits.
fn low_bits(number: &BigInt) -> i64 {
    let bytes = number.to_signed_bytes_le();
    let fill = if bytes.last().is_some_and(|last| *last >= 0x80) {
        0xFF
    } else {
        0
    };
    let mut low = [fill; 8];
    for (to, from) in low.iter_mut().zip(bytes) {
        *to = from;
    }
    i64::from_le_bytes(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrowing_is_that_of_java() {
        let decimal = |text: &str| Number::Decimal(text.parse().unwrap());
        let varint = |text: &str| Number::VarInt(text.parse().unwrap());
        for (number, int, bigint) in [
            (Number::BigInt(4_294_967_297), 1, 4_294_967_297),
            (Number::Double(1e10), i32::MAX, 10_000_000_000),
            (Number::Float(f32::NAN), 0, 0),
            (Number::Double(f64::NEG_INFINITY), i32::MIN, i64::MIN),
            (varint("9223372036854775808"), 0, i64::MIN),
            (varint("-18446744073709551617"), -1, -1),
            (decimal("300.99"), 300, 300),
            (decimal("-1.50"), -1, -1),
            (decimal("1e25"), 1_241_513_984, 1_590_897_978_359_414_784),
            (decimal("1E-10"), 0, 0),
            (decimal("1E+2147483647"), 0, 0),
        ] {
            assert_eq!(
                (number.to_i32(), number.to_i64()),
                (int, bigint),
                "{number:?}"
            );
        }
    }

    #[test]
    fn floats_are_the_nearest() {
        let varint = |text: &str| Number::VarInt(text.parse().unwrap());
        assert_eq!(varint("-18446744073709551617").to_f32(), -1.844_674_4e19);
        assert_eq!(
            varint("9223372036854775808").to_f64(),
            9.223_372_036_854_776e18
        );
        assert_eq!(Number::Int(i32::MIN).to_f32(), -2_147_483_600.0);
    }

    #[test]
    fn an_integer_becomes_a_decimal_by_its_double() {
        let text = |number: Number| number.to_decimal().map(|decimal| decimal.to_string());
        assert_eq!(text(Number::TinyInt(7)).as_deref(), Some("7.0"));
        assert_eq!(text(Number::VarInt(7.into())).as_deref(), Some("7"));
        assert_eq!(
            text(Number::BigInt(i64::MAX)).as_deref(),
            Some("9.223372036854776E+18")
        );
        assert_eq!(
            text(Number::Float(0.1)).as_deref(),
            Some("0.10000000149011612")
        );
        assert_eq!(text(Number::Double(f64::NAN)), None);
    }
}
