//! `abs`, `exp`, `log`, `log10` and `round`, of each type of number in that type.
//!
//! Exponentials and logarithms of integers are those of doubles, cut as a cast does.

use num_bigint::BigInt;
use stoa_types::Decimal;

use super::decimal::{self, NoAnswer, Rounding, transcendental};
use super::function::{ScalarFunction, Signature};
use super::number::{NUMBERS, Number};
use crate::refusal::Refusal;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Abs,
    Exp,
    Log,
    Log10,
    Round,
}

/// The functions of this name.
pub(super) fn overloads(name: &str) -> Vec<ScalarFunction> {
    let function = match name {
        "abs" => Function::Abs,
        "exp" => Function::Exp,
        "log" => Function::Log,
        "log10" => Function::Log10,
        "round" => Function::Round,
        _ => return Vec::new(),
    };
    let overload = |data_type: &stoa_types::DataType| {
        let signature = Signature::new(name, vec![data_type.clone()], data_type.clone());
        let data_type = data_type.clone();
        ScalarFunction::new(signature, move |call| {
            let Some(number) = Number::read(&data_type, call.argument(0))? else {
                return Ok(None);
            };
            let answer = apply(function, &number).map_err(|NoAnswer(reason)| {
                Refusal::server(format!("java.lang.ArithmeticException: {reason}"))
            })?;
            Ok(Some(answer.to_bytes()))
        })
    };
    NUMBERS.iter().map(overload).collect()
}

fn apply(function: Function, number: &Number) -> Result<Number, NoAnswer> {
    Ok(match number {
        Number::TinyInt(number) => match function {
            Function::Abs => Number::TinyInt(number.wrapping_abs()),
            Function::Round => Number::TinyInt(*number),
            other => Number::TinyInt(of_double(other, f64::from(*number)) as i32 as i8),
        },
        Number::SmallInt(number) => match function {
            Function::Abs => Number::SmallInt(number.wrapping_abs()),
            Function::Round => Number::SmallInt(*number),
            other => Number::SmallInt(of_double(other, f64::from(*number)) as i32 as i16),
        },
        Number::Int(number) => match function {
            Function::Abs => Number::Int(number.wrapping_abs()),
            Function::Round => Number::Int(*number),
            other => Number::Int(of_double(other, f64::from(*number)) as i32),
        },
        Number::BigInt(number) => match function {
            Function::Abs => Number::BigInt(number.wrapping_abs()),
            Function::Round => Number::BigInt(*number),
            other => Number::BigInt(of_double(other, *number as f64) as i64),
        },
        Number::Float(number) => Number::Float(match function {
            Function::Abs => number.abs(),
            // Half up, by way of an int, where NaN is zero.
            Function::Round => (f64::from(*number) + 0.5).floor() as i32 as f32,
            other => of_double(other, f64::from(*number)) as f32,
        }),
        Number::Double(number) => Number::Double(match function {
            Function::Abs => number.abs(),
            Function::Round => round_half_up(*number) as f64,
            other => of_double(other, *number),
        }),
        Number::VarInt(number) => Number::VarInt(match function {
            Function::Abs => BigInt::from(number.magnitude().clone()),
            Function::Round => number.clone(),
            other => decimal::truncated(&of_decimal(other, &Decimal::from(number.clone()))?)?,
        }),
        Number::Decimal(number) => Number::Decimal(of_decimal(function, number)?),
    })
}

/// The NaN that Java gives for the logarithm of what is less than zero.
const NOT_A_LOGARITHM: f64 = f64::from_bits(0xFFF8_0000_0000_0000);

fn of_double(function: Function, number: f64) -> f64 {
    match function {
        Function::Abs => number.abs(),
        Function::Exp => number.exp(),
        Function::Log | Function::Log10 if number < 0.0 => NOT_A_LOGARITHM,
        Function::Log => number.ln(),
        Function::Log10 => number.log10(),
        Function::Round => number.round(),
    }
}

fn of_decimal(function: Function, number: &Decimal) -> Result<Decimal, NoAnswer> {
    match function {
        Function::Abs => Ok(decimal::abs(number)),
        Function::Exp => transcendental::exp(number),
        Function::Log => transcendental::log(number),
        Function::Log10 => transcendental::log10(number),
        Function::Round => decimal::set_scale(number, 0, Rounding::HalfUp),
    }
}

/// `Math.round` of a double: the nearest whole number, the greater of two, in 64 bits.
fn round_half_up(number: f64) -> i64 {
    let floor = number.floor();
    if number - floor >= 0.5 {
        (floor + 1.0) as i64
    } else {
        floor as i64
    }
}
