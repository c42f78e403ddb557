//! `ALTER TABLE t DROP`.

use stoa_cql::ast::Name;
use stoa_types::DataType;

use super::indexes_on;
use crate::catalog::types::references;
use crate::catalog::{Column, DroppedColumn, Keyspace, Table};
use crate::refusal::Refusal;

/// Columns that leave a table.
pub(super) struct DropColumns<'a> {
    pub(super) keyspace: &'a Keyspace,
    pub(super) table: &'a Table,
    pub(super) if_exists: bool,
    /// What was written at this time or before is gone.
    pub(super) at_micros: i64,
}

impl DropColumns<'_> {
    pub(super) fn apply(&self, columns: &[Name]) -> Result<Table, Refusal> {
        let mut parts = self.table.parts();
        for name in columns {
            let Some(column) = self.dropped(name.as_str())? else {
                continue;
            };
            parts.columns.retain(|it| it.name != column.name);
            parts.dropped.retain(|it| it.column.name != column.name);
            parts.dropped.push(DroppedColumn {
                column: Column {
                    data_type: references::expand(&column.data_type),
                    mask: None,
                    ..column.clone()
                },
                dropped_at_micros: self.at_micros,
            });
        }
        Ok(Table::new(parts))
    }

    /// The column to drop; `None` if it is not there and that is fine.
    fn dropped(&self, name: &str) -> Result<Option<&Column>, Refusal> {
        let table = self.table;
        let Some(column) = table.column(name) else {
            return match self.if_exists {
                true => Ok(None),
                false => Err(Refusal::invalid(format!(
                    "Column {name} was not found in table '{}.{}'",
                    table.keyspace, table.name
                ))),
            };
        };
        if column.is_key() {
            return Err(Refusal::invalid(format!(
                "Cannot drop PRIMARY KEY column {name}"
            )));
        }
        if let DataType::UserDefined(user) = &column.data_type
            && !user.is_frozen
        {
            return Err(Refusal::invalid(format!(
                "Cannot drop non-frozen column {name} of user type {}",
                user.name
            )));
        }
        let indexes = indexes_on(table, name);
        if !indexes.is_empty() {
            return Err(Refusal::invalid(format!(
                "Cannot drop column {name} because it has dependent secondary indexes ({})",
                indexes.join(", ")
            )));
        }
        match self.keyspace.views_of(&table.name).next() {
            Some(_) => Err(Refusal::invalid(format!(
                "Cannot drop column {name} on base table {} with materialized views",
                table.name
            ))),
            None => Ok(Some(column)),
        }
    }
}
