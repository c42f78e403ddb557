//! `avg`: the mean in the type of its values, of sums that do not overflow.

use num_bigint::BigInt;
use stoa_types::{DataType, Decimal};

use super::first;
use super::sum::{CorrectedSum, in_type};
use crate::functions::decimal::{self, NoAnswer, Rounding};
use crate::functions::float_text::double_text;
use crate::functions::function::Accumulator;
use crate::functions::number::Number;
use crate::refusal::Refusal;

/// What averages values of this type.
pub(super) fn of(data_type: &DataType) -> Box<dyn Accumulator> {
    match data_type {
        DataType::Float | DataType::Double => Box::new(FloatMean::new(data_type.clone())),
        DataType::Decimal => Box::new(DecimalMean::default()),
        integer => Box::new(IntegerMean {
            data_type: integer.clone(),
            sum: BigInt::ZERO,
            count: 0,
        }),
    }
}

/// The mean of integers, cut towards zero.
#[derive(Debug)]
struct IntegerMean {
    data_type: DataType,
    sum: BigInt,
    count: u64,
}

impl Accumulator for IntegerMean {
    fn add(&mut self, arguments: &[Option<&[u8]>]) -> Result<(), Refusal> {
        if let Some(number) = Number::read(&self.data_type, first(arguments))? {
            self.sum += number.to_varint();
            self.count += 1;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Option<Vec<u8>>, Refusal> {
        let mean = Number::VarInt(&self.sum / self.count.max(1));
        let mean = match self.data_type {
            DataType::TinyInt => Number::TinyInt(mean.to_i64() as i8),
            DataType::SmallInt => Number::SmallInt(mean.to_i64() as i16),
            DataType::Int => Number::Int(mean.to_i32()),
            DataType::VarInt => mean,
            _ => Number::BigInt(mean.to_i64()),
        };
        Ok(Some(mean.to_bytes()))
    }

    fn reset(&mut self) {
        self.sum = BigInt::ZERO;
        self.count = 0;
    }
}

/// The mean of decimals, moved by each value and rounded each time to that value's digits.
///
/// It is therefore not the sum over the count: of 1, 1.5 and 2.25 it is 1.55.
#[derive(Debug, Default)]
struct DecimalMean {
    mean: Option<Decimal>,
    count: u64,
}

impl DecimalMean {
    fn moved_by(&self, number: &Decimal) -> Result<Decimal, NoAnswer> {
        let mean = self.mean();
        let distance = decimal::exact_sum(number, &decimal::negate(&mean))?;
        let count = Decimal::from(BigInt::from(self.count));
        let scale = distance.scale();
        let step = decimal::divide_to_scale(&distance, &count, scale, Rounding::HalfEven)?;
        decimal::exact_sum(&mean, &step)
    }

    fn mean(&self) -> Decimal {
        self.mean
            .clone()
            .unwrap_or_else(|| Decimal::from(BigInt::ZERO))
    }
}

impl Accumulator for DecimalMean {
    fn add(&mut self, arguments: &[Option<&[u8]>]) -> Result<(), Refusal> {
        let number = Number::read(&DataType::Decimal, first(arguments))?;
        if let Some(Number::Decimal(number)) = number {
            self.count += 1;
            let mean = self
                .moved_by(&number)
                .map_err(|error| Refusal::server(error.0))?;
            self.mean = Some(mean);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(Some(Number::Decimal(self.mean()).to_bytes()))
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

/// The mean of floats; beyond the largest double their sum goes on as a decimal.
#[derive(Debug)]
struct FloatMean {
    data_type: DataType,
    sum: CorrectedSum,
    count: u64,
    beyond: Option<Decimal>,
}

impl FloatMean {
    fn new(data_type: DataType) -> Self {
        Self {
            data_type,
            sum: CorrectedSum::default(),
            count: 0,
            beyond: None,
        }
    }

    fn take(&mut self, number: f64) -> Result<(), NoAnswer> {
        self.count += 1;
        if let Some(beyond) = &self.beyond {
            self.beyond = Some(decimal::exact_sum(beyond, &decimal_of(number)?)?);
            return Ok(());
        }
        let before = self.sum.sum;
        self.sum.add(number);
        if self.sum.sum.is_infinite() && !number.is_infinite() {
            self.beyond = Some(decimal::exact_sum(
                &decimal_of(before)?,
                &decimal_of(number)?,
            )?);
        }
        Ok(())
    }

    fn mean(&self) -> Result<f64, NoAnswer> {
        if self.count == 0 {
            return Ok(0.0);
        }
        let Some(beyond) = &self.beyond else {
            return Ok(self.sum.total() / self.count as f64);
        };
        let count = Decimal::from(BigInt::from(self.count));
        let scale = beyond.scale();
        let mean = decimal::divide_to_scale(beyond, &count, scale, Rounding::HalfEven)?;
        Ok(Number::Decimal(mean).to_f64())
    }
}

fn decimal_of(number: f64) -> Result<Decimal, NoAnswer> {
    double_text(number)
        .parse()
        .map_err(|_| NoAnswer("Infinite or NaN"))
}

impl Accumulator for FloatMean {
    fn add(&mut self, arguments: &[Option<&[u8]>]) -> Result<(), Refusal> {
        if let Some(number) = Number::read(&self.data_type, first(arguments))? {
            self.take(number.to_f64())
                .map_err(|error| Refusal::server(error.0))?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Option<Vec<u8>>, Refusal> {
        let mean = self.mean().map_err(|error| Refusal::server(error.0))?;
        Ok(Some(in_type(&self.data_type, mean)))
    }

    fn reset(&mut self) {
        *self = Self::new(self.data_type.clone());
    }
}
