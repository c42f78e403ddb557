//! Functions of many rows: `count`, `min`, `max`, `sum` and `avg`.

use stoa_types::DataType;

use super::function::{Accumulator, AggregateFunction, ColumnName, Signature};
use crate::refusal::Refusal;

/// The function of `count(*)` and `count(1)`: the number of rows. Its column is named `count`.
#[must_use]
pub fn count_rows() -> AggregateFunction {
    rows("count_rows")
}

/// The aggregates of this name with fixed signatures.
pub(super) fn overloads(name: &str) -> Vec<AggregateFunction> {
    match name {
        "count_rows" | "countRows" => vec![rows(name)],
        "count" => {
            let signature = Signature::new(name, vec![DataType::Blob], DataType::BigInt);
            vec![AggregateFunction::new(signature, || {
                Box::new(Count::default())
            })]
        }
        _ => Vec::new(),
    }
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
