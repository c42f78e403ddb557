//! `sum`: integers wrap around in their type, floats are summed with a correction.

use num_bigint::BigInt;
use stoa_types::{DataType, Decimal};

use super::first;
use crate::functions::decimal;
use crate::functions::function::Accumulator;
use crate::functions::number::Number;
use crate::refusal::Refusal;

/// What sums values of this type.
pub(super) fn of(data_type: &DataType) -> Box<dyn Accumulator> {
    match data_type {
        DataType::Float | DataType::Double => Box::new(FloatSum {
            data_type: data_type.clone(),
            sum: CorrectedSum::default(),
        }),
        other => Box::new(ExactSum {
            data_type: other.clone(),
            sum: zero(other),
        }),
    }
}

fn zero(data_type: &DataType) -> Number {
    match data_type {
        DataType::TinyInt => Number::TinyInt(0),
        DataType::SmallInt => Number::SmallInt(0),
        DataType::Int => Number::Int(0),
        DataType::VarInt => Number::VarInt(BigInt::ZERO),
        DataType::Decimal => Number::Decimal(Decimal::from(BigInt::ZERO)),
        _ => Number::BigInt(0),
    }
}

/// The sum of integers and decimals.
#[derive(Debug)]
struct ExactSum {
    data_type: DataType,
    sum: Number,
}

impl Accumulator for ExactSum {
    fn add(&mut self, arguments: &[Option<&[u8]>]) -> Result<(), Refusal> {
        let Some(number) = Number::read(&self.data_type, first(arguments))? else {
            return Ok(());
        };
        match (&mut self.sum, number) {
            (Number::TinyInt(sum), Number::TinyInt(number)) => *sum = sum.wrapping_add(number),
            (Number::SmallInt(sum), Number::SmallInt(number)) => *sum = sum.wrapping_add(number),
            (Number::Int(sum), Number::Int(number)) => *sum = sum.wrapping_add(number),
            (Number::BigInt(sum), Number::BigInt(number)) => *sum = sum.wrapping_add(number),
            (Number::VarInt(sum), Number::VarInt(number)) => *sum += number,
            (Number::Decimal(sum), Number::Decimal(number)) => {
                *sum =
                    decimal::exact_sum(sum, &number).map_err(|error| Refusal::server(error.0))?;
            }
            _ => return Err(Refusal::server("a number of another type in a sum")),
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(Some(self.sum.to_bytes()))
    }

    fn reset(&mut self) {
        self.sum = zero(&self.data_type);
    }
}

/// The sum of floats, reckoned in doubles.
#[derive(Debug)]
struct FloatSum {
    data_type: DataType,
    sum: CorrectedSum,
}

impl Accumulator for FloatSum {
    fn add(&mut self, arguments: &[Option<&[u8]>]) -> Result<(), Refusal> {
        if let Some(number) = Number::read(&self.data_type, first(arguments))? {
            self.sum.add(number.to_f64());
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(Some(in_type(&self.data_type, self.sum.total())))
    }

    fn reset(&mut self) {
        self.sum = CorrectedSum::default();
    }
}

/// The bytes of a float or a double.
pub(super) fn in_type(data_type: &DataType, number: f64) -> Vec<u8> {
    match data_type {
        DataType::Float => Number::Float(number as f32).to_bytes(),
        _ => Number::Double(number).to_bytes(),
    }
}

/// Kahan's sum, as Cassandra has it: what rounding took away is given back at the next step.
///
/// At the end the correction is added, not taken away as in Kahan's own rule; the last digit of
/// answers depends on it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CorrectedSum {
    pub(super) sum: f64,
    correction: f64,
    /// Without correction, which makes NaN of infinities of one sign.
    plain: f64,
}

impl CorrectedSum {
    pub(super) fn add(&mut self, number: f64) {
        self.plain += number;
        let corrected = number - self.correction;
        let rounded = self.sum + corrected;
        self.correction = (rounded - self.sum) - corrected;
        self.sum = rounded;
    }

    pub(super) fn total(&self) -> f64 {
        let total = self.sum + self.correction;
        if total.is_nan() && self.plain.is_infinite() {
            self.plain
        } else {
            total
        }
    }
}
