//! Writes: `INSERT`, `UPDATE`, `DELETE`, their conditions, and batches of them.
//!
//! A statement is resolved against a table once ([`prepare`]); each execution turns it into updates
//! of partitions ([`execute`]), which the store applies as one.

pub(crate) mod attributes;
pub(crate) mod batch;
pub(crate) mod condition;
pub(crate) mod conditional;
pub(crate) mod execute;
pub(crate) mod json;
pub(crate) mod operation;
pub(crate) mod prepare;
pub(crate) mod row;
pub(crate) mod size;

use std::sync::Arc;

use crate::catalog::Table;
use crate::restrict::plan::Where;
use attributes::Attributes;
use condition::Condition;
use operation::Operation;

/// What a write does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Insert,
    Update,
    Delete,
}

/// A write, resolved.
#[derive(Debug, Clone)]
pub(crate) struct Modification {
    pub(crate) table: Arc<Table>,
    pub(crate) kind: Kind,
    /// Which rows; for an `INSERT` one value for every column of the key.
    pub(crate) rows: Where,
    /// What is done to columns, by their place in the table. Empty for the deletion of rows.
    pub(crate) operations: Vec<(usize, Operation)>,
    pub(crate) attributes: Attributes,
    pub(crate) condition: Condition,
    /// Whether it concerns the static row and no others.
    pub(crate) only_static: bool,
}

impl Modification {
    /// Whether what it writes depends on what is stored.
    pub(crate) fn needs_reading(&self) -> bool {
        self.is_conditional() || self.depends_on_before()
    }

    /// Whether what it writes depends on what is there.
    pub(crate) fn depends_on_before(&self) -> bool {
        self.operations.iter().any(|(at, operation)| {
            let column = self.table.columns.get(*at);
            column.is_some_and(|it| operation.needs_reading(&it.data_type))
        })
    }

    /// Whether it is conditional.
    pub(crate) fn is_conditional(&self) -> bool {
        !matches!(self.condition, Condition::None)
    }
}
