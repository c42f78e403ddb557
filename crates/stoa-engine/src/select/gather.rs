//! A group of rows being gathered into one row of the answer.

use super::Select;
use super::expression::{Expression, Gathered};
use crate::functions::Accumulator;
use crate::refusal::Refusal;
use crate::rows::{GivenRow, Row};
use crate::terms::Values;

/// A group of rows.
pub(super) struct Group {
    /// The values that the rows of the group share.
    key: Vec<Option<Vec<u8>>>,
    accumulators: Vec<Box<dyn Accumulator>>,
    /// What was computed of the first row.
    leaves: Vec<Option<Vec<u8>>>,
    has_rows: bool,
}

impl Group {
    /// A group without rows yet.
    pub(super) fn new(select: &Select, key: Vec<Option<Vec<u8>>>) -> Self {
        Self {
            key,
            accumulators: select
                .aggregates
                .iter()
                .map(|it| it.function.start())
                .collect(),
            leaves: vec![None; select.leaves.len()],
            has_rows: false,
        }
    }

    /// Whether a row with these values belongs to it.
    pub(super) fn has_key(&self, key: &[Option<Vec<u8>>]) -> bool {
        self.key == key
    }

    /// Adds a row.
    pub(super) fn add(
        &mut self,
        select: &Select,
        row: &dyn Row,
        values: &Values<'_>,
    ) -> Result<(), Refusal> {
        if !self.has_rows {
            self.has_rows = true;
            self.leaves = computed(&select.leaves, row, values)?;
        }
        let nothing = Gathered::default();
        for (aggregate, accumulator) in select.aggregates.iter().zip(&mut self.accumulators) {
            let arguments = aggregate
                .arguments
                .iter()
                .map(|it| it.compute(row, values, &nothing))
                .collect::<Result<Vec<_>, _>>()?;
            let arguments: Vec<Option<&[u8]>> = arguments.iter().map(Option::as_deref).collect();
            accumulator.add(&arguments)?;
        }
        Ok(())
    }

    /// The values of the answer's row.
    pub(super) fn finish(
        mut self,
        select: &Select,
        values: &Values<'_>,
    ) -> Result<Vec<Option<Vec<u8>>>, Refusal> {
        let aggregates = self
            .accumulators
            .iter_mut()
            .map(|it| it.finish())
            .collect::<Result<Vec<_>, _>>()?;
        let gathered = Gathered {
            aggregates,
            leaves: self.leaves,
        };
        let nothing = GivenRow(&[]);
        let outputs = select.outputs.iter();
        outputs
            .map(|it| {
                let value = it.compute(&nothing, values, &gathered)?;
                Ok(value.map(std::borrow::Cow::into_owned))
            })
            .collect()
    }
}

/// The values of expressions for a row.
pub(super) fn computed(
    expressions: &[Expression],
    row: &dyn Row,
    values: &Values<'_>,
) -> Result<Vec<Option<Vec<u8>>>, Refusal> {
    let nothing = Gathered::default();
    expressions
        .iter()
        .map(|it| {
            let value = it.compute(row, values, &nothing)?;
            Ok(value.map(std::borrow::Cow::into_owned))
        })
        .collect()
}
