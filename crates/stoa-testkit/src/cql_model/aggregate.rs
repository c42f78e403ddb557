//! count, min, max, sum and avg.

use std::cmp::Ordering;

use stoa_types::{DataType, compare};

use super::failure::{Known, invalid, unknown};

/// An aggregate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aggregate {
    /// `count(*)` and `count(1)`
    CountRows,
    /// `count(a)`
    Count,
    /// `min(a)`
    Min,
    /// `max(a)`
    Max,
    /// `sum(a)`
    Sum,
    /// `avg(a)`
    Average,
}

impl Aggregate {
    /// The aggregate of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "count" => Self::Count,
            "min" => Self::Min,
            "max" => Self::Max,
            "sum" => Self::Sum,
            "avg" => Self::Average,
            _ => return None,
        })
    }

    /// Its type, for an argument of this type.
    pub(super) fn data_type(self, argument: &DataType) -> Known<DataType> {
        match self {
            Self::CountRows | Self::Count => Ok(DataType::BigInt),
            Self::Min | Self::Max => Ok(argument.clone()),
            Self::Sum | Self::Average => match argument {
                DataType::TinyInt
                | DataType::SmallInt
                | DataType::Int
                | DataType::BigInt
                | DataType::Counter
                | DataType::VarInt
                | DataType::Decimal
                | DataType::Float
                | DataType::Double => Ok(argument.clone()),
                _ => invalid("none of its type signatures match"),
            },
        }
    }

    /// The result over all values of a group.
    pub(super) fn of(
        self,
        data_type: &DataType,
        values: &[Option<Vec<u8>>],
    ) -> Known<Option<Vec<u8>>> {
        let present = || values.iter().flatten();
        match self {
            Self::CountRows => Ok(Some(count(values.len()))),
            Self::Count => Ok(Some(count(present().count()))),
            Self::Min => Ok(best(data_type, present(), Ordering::Less)),
            Self::Max => Ok(best(data_type, present(), Ordering::Greater)),
            Self::Sum | Self::Average => {
                let present: Vec<&Vec<u8>> = present().collect();
                self.number(data_type, &present).map(Some)
            }
        }
    }

    fn number(self, data_type: &DataType, values: &[&Vec<u8>]) -> Known<Vec<u8>> {
        let (bytes, is_whole) = match data_type {
            DataType::TinyInt => (1, true),
            DataType::SmallInt => (2, true),
            DataType::Int => (4, true),
            DataType::BigInt | DataType::Counter => (8, true),
            DataType::Float => (4, false),
            DataType::Double => (8, false),
            _ => return unknown("sums of such numbers"),
        };
        if !is_whole {
            return match values {
                [] => Ok(vec![0; bytes]),
                _ => unknown("sums of floats"),
            };
        }
        let mut sum: i128 = 0;
        for value in values {
            if value.len() != bytes {
                return unknown("sums of empty values");
            }
            let negative = value.first().is_some_and(|first| *first >= 0x80);
            let start: i128 = if negative { -1 } else { 0 };
            sum += value
                .iter()
                .fold(start, |number, byte| (number << 8) | i128::from(*byte));
        }
        let number = match (self, i128::try_from(values.len())) {
            (Self::Average, Ok(count)) if count > 0 => sum / count,
            _ => sum,
        };
        let all = number.to_be_bytes();
        Ok(all.get(16 - bytes..).unwrap_or_default().to_vec())
    }
}

fn count(number: usize) -> Vec<u8> {
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    number.to_be_bytes().to_vec()
}

fn best<'a>(
    data_type: &DataType,
    values: impl Iterator<Item = &'a Vec<u8>>,
    wanted: Ordering,
) -> Option<Vec<u8>> {
    let mut best: Option<&Vec<u8>> = None;
    for value in values {
        let is_better = best.is_none_or(|best| compare::compare(data_type, value, best) == wanted);
        best = if is_better { Some(value) } else { best };
    }
    best.cloned()
}
