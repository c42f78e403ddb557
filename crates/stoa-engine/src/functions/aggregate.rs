//! Functions of many rows: `count`, `min`, `max`, `sum` and `avg`.
//!
//! Nulls are left out. Of no values, counts, sums and means are zero, and the least and the
//! greatest are null.

mod mean;
mod sum;

use std::cmp::Ordering;

use stoa_types::{DataType, compare};

use super::function::{
    Accumulator, AggregateFunction, ColumnName, Resolved, ScalarFunction, Signature,
};
use super::generated::{Factory, Parameter};
use super::number::NUMBERS;
use crate::refusal::Refusal;

/// The function of `count(*)` and `count(1)`: the number of rows. Its column is named `count`.
#[must_use]
pub fn count_rows() -> AggregateFunction {
    rows("count_rows")
}

/// The aggregates of this name with fixed signatures.
pub(super) fn overloads(name: &str) -> Vec<AggregateFunction> {
    let of_numbers = |accumulator: fn(&DataType) -> Box<dyn Accumulator>| {
        let overload = |data_type: &DataType| {
            let signature = Signature::new(name, vec![data_type.clone()], data_type.clone());
            let data_type = data_type.clone();
            AggregateFunction::new(signature, move || accumulator(&data_type))
        };
        NUMBERS.iter().map(overload).collect()
    };
    match name {
        "count_rows" | "countRows" => vec![rows(name)],
        "count" => {
            let signature = Signature::new(name, vec![DataType::Blob], DataType::BigInt);
            vec![AggregateFunction::new(signature, || {
                Box::new(Count::default())
            })]
        }
        "sum" => of_numbers(sum::of),
        "avg" => of_numbers(mean::of),
        _ => Vec::new(),
    }
}

/// What makes `min` and `max` for any type.
pub(super) fn factory(name: &str) -> Option<Factory> {
    let wanted = Extreme::by_name(name)?;
    let own_name = name.to_owned();
    Some(Factory::inferred(
        name,
        vec![Parameter::AnyOrReceiver],
        move |types, _| {
            let data_type = types.first().cloned().unwrap_or(DataType::Empty);
            let signature =
                Signature::new(&own_name, vec![data_type.clone()], data_type.clone()).generated();
            Ok(Resolved::Aggregate(AggregateFunction::new(
                signature,
                move || Box::new(Extremum::new(data_type.clone(), wanted)),
            )))
        },
    ))
}

/// What makes `collection_min`, `collection_max`, `collection_sum` and `collection_avg`, which do
/// with the elements of one collection what aggregates do with rows.
pub(super) fn collection_factory(name: &str) -> Option<Factory> {
    let kind = name.strip_prefix("collection_")?.to_owned();
    let parameter = match kind.as_str() {
        "min" | "max" => Parameter::ListOrSet,
        "sum" | "avg" => Parameter::NumericListOrSet,
        _ => return None,
    };
    let own_name = name.to_owned();
    Some(Factory::inferred(name, vec![parameter], move |types, _| {
        let collection = types.first().cloned().unwrap_or(DataType::Empty);
        let element = collection
            .inner()
            .first()
            .map_or(DataType::Empty, |one| (*one).clone());
        let signature = Signature::new(&own_name, vec![collection], element.clone()).generated();
        let kind = kind.clone();
        Ok(Resolved::Scalar(ScalarFunction::new(
            signature,
            move |call| {
                let Some(bytes) = call.argument(0) else {
                    return Ok(None);
                };
                let mut accumulator = match Extreme::by_name(&kind) {
                    Some(wanted) => Box::new(Extremum::new(element.clone(), wanted)),
                    None if kind == "sum" => sum::of(&element),
                    None => mean::of(&element),
                };
                for part in super::collections::elements(bytes)? {
                    accumulator.add(&[Some(part)])?;
                }
                accumulator.finish()
            },
        )))
    }))
}

fn rows(name: &str) -> AggregateFunction {
    let signature =
        Signature::new(name, Vec::new(), DataType::BigInt).with_column(ColumnName::CountOfRows);
    AggregateFunction::new(signature, || Box::new(Count::default()))
}

/// Counts rows, or, of one argument, values that are not null.
#[derive(Debug, Default)]
struct Count(i64);

impl Accumulator for Count {
    fn add(&mut self, arguments: &[Option<&[u8]>]) -> Result<(), Refusal> {
        if arguments.iter().all(Option::is_some) {
            self.0 = self.0.wrapping_add(1);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(Some(self.0.to_be_bytes().to_vec()))
    }

    fn reset(&mut self) {
        self.0 = 0;
    }
}

/// Which end is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extreme {
    Least,
    Greatest,
}

impl Extreme {
    fn by_name(name: &str) -> Option<Self> {
        match name {
            "min" => Some(Self::Least),
            "max" => Some(Self::Greatest),
            _ => None,
        }
    }
}

/// The least or greatest value in the order of its type; the first of equal ones.
#[derive(Debug)]
struct Extremum {
    data_type: DataType,
    wanted: Extreme,
    found: Option<Vec<u8>>,
}

impl Extremum {
    fn new(data_type: DataType, wanted: Extreme) -> Self {
        Self {
            data_type,
            wanted,
            found: None,
        }
    }
}

impl Accumulator for Extremum {
    fn add(&mut self, arguments: &[Option<&[u8]>]) -> Result<(), Refusal> {
        let Some(value) = first(arguments) else {
            return Ok(());
        };
        let better = match self.wanted {
            Extreme::Least => Ordering::Less,
            Extreme::Greatest => Ordering::Greater,
        };
        let is_better = self
            .found
            .as_deref()
            .is_none_or(|found| compare::compare(&self.data_type, value, found) == better);
        if is_better {
            self.found = Some(value.to_vec());
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(self.found.clone())
    }

    fn reset(&mut self) {
        self.found = None;
    }
}

/// The only argument of an aggregate.
fn first<'a>(arguments: &[Option<&'a [u8]>]) -> Option<&'a [u8]> {
    arguments.first().copied().flatten()
}
