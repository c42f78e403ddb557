//! `ALTER TABLE t ADD`.

use stoa_cql::ast::ColumnDefinition;
use stoa_store::cell::ColumnId;
use stoa_types::DataType;

use super::super::create_table::{refuse_thawed_fields, static_without_clustering, value_column};
use super::super::mask;
use crate::catalog::table::TableParts;
use crate::catalog::types::compatible;
use crate::catalog::{Column, Keyspace, Table, resolve_type};
use crate::refusal::Refusal;

/// New columns of a table.
pub(super) struct Add<'a> {
    pub(super) keyspace: &'a Keyspace,
    pub(super) table: &'a Table,
    pub(super) if_not_exists: bool,
}

impl Add<'_> {
    /// The table with its new columns, and the views of all columns with them.
    pub(super) fn apply(&self, columns: &[ColumnDefinition]) -> Result<Vec<Table>, Refusal> {
        let mut parts = self.table.parts();
        let views = self.keyspace.views_of(&self.table.name);
        let of_all = views.filter(|it| it.view.as_ref().is_some_and(|view| view.includes_all));
        let mut views: Vec<TableParts> = of_all.map(|it| it.parts()).collect();
        for column in columns {
            let Some(new) = self.column(column, &mut parts)? else {
                continue;
            };
            if !new.is_static() {
                for view in &mut views {
                    let id = next_column(view);
                    view.columns.push(Column { id, ..new.clone() });
                }
            }
            parts.columns.push(new);
        }
        self.refuse_mixed_counters(&parts)?;
        let all = std::iter::once(parts).chain(views);
        Ok(all.map(Table::new).collect())
    }

    /// A new column; `None` if it is there already and that is fine.
    fn column(
        &self,
        column: &ColumnDefinition,
        parts: &mut TableParts,
    ) -> Result<Option<Column>, Refusal> {
        let name = column.name.as_str();
        let keyspace = &self.keyspace.name;
        let data_type = resolve_type(&column.cql_type, keyspace, &self.keyspace.types)?;
        let mask = column.mask.as_ref();
        let mask = mask.map(|it| mask::resolve(it, &data_type)).transpose()?;
        if parts.columns.iter().any(|it| *it.name == *name) {
            return match self.if_not_exists {
                true => Ok(None),
                false => Err(Refusal::invalid(format!(
                    "Column with name '{name}' already exists"
                ))),
            };
        }
        if column.is_static && self.table.clustering().is_empty() {
            return Err(static_without_clustering());
        }
        refuse_thawed_fields(&data_type)?;
        let dropped = self
            .table
            .dropped
            .iter()
            .find(|it| *it.column.name == *name);
        if let Some(dropped) = dropped {
            self.refuse_as_another(column, &data_type, &dropped.column)?;
        }
        let id = match dropped {
            Some(dropped) => dropped.column.id,
            None => next_column(parts),
        };
        let new = value_column(column, data_type);
        Ok(Some(Column { id, mask, ..new }))
    }

    /// Refuses a column that cannot stand where one of its name was dropped.
    fn refuse_as_another(
        &self,
        column: &ColumnDefinition,
        data_type: &DataType,
        dropped: &Column,
    ) -> Result<(), Refusal> {
        let name = column.name.as_str();
        if !compatible::is_serialization_compatible(data_type, &dropped.data_type) {
            return Err(Refusal::invalid(format!(
                "Cannot add a column '{name}' of type {data_type}, incompatible with previously \
                 dropped column '{name}' of type {}",
                dropped.data_type
            )));
        }
        let kind = |is_static| if is_static { "STATIC" } else { "REGULAR" };
        if dropped.is_static() != column.is_static {
            return Err(Refusal::invalid(format!(
                "Cannot re-add previously dropped column '{name}' of kind {}, incompatible with \
                 previous kind {}",
                kind(column.is_static),
                kind(dropped.is_static())
            )));
        }
        match self.table.is_counter() {
            true => Err(Refusal::invalid(format!(
                "Cannot re-add previously dropped counter column {name}"
            ))),
            false => Ok(()),
        }
    }

    fn refuse_mixed_counters(&self, parts: &TableParts) -> Result<(), Refusal> {
        let is_counter = self.table.is_counter();
        let mut values = parts.columns.iter().filter(|it| !it.is_key());
        let wrong = values.find(|it| (it.data_type == DataType::Counter) != is_counter);
        let Some(wrong) = wrong else {
            return Ok(());
        };
        let (column, table) = match is_counter {
            true => ("non counter", "counter"),
            false => ("counter", "non counter"),
        };
        Err(Refusal::configuration(format!(
            "{}.{}: Cannot have a {column} column (\"{}\") in a {table} table",
            parts.keyspace, parts.name, wrong.name
        )))
    }
}

/// A number for a new column of a table.
fn next_column(parts: &mut TableParts) -> ColumnId {
    let id = ColumnId(parts.next_column);
    parts.next_column += 1;
    id
}
