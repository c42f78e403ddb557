//! `ALTER TABLE t RENAME`.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_cql::ast::Rename;

use super::super::view_where;
use super::{indexes_on, undefined_column};
use crate::catalog::table::TableParts;
use crate::catalog::{Keyspace, Table};
use crate::refusal::Refusal;

/// The table with renamed key columns, and its views. `IF EXISTS` changes nothing: Cassandra
/// refuses unknown columns all the same.
pub(super) fn rename(
    keyspace: &Keyspace,
    table: &Table,
    renames: &[Rename],
) -> Result<Vec<Table>, Refusal> {
    let mut names = BTreeMap::new();
    for rename in renames {
        names.insert(rename.from.as_str(), rename.to.as_str());
    }
    let mut parts = table.parts();
    let mut views: Vec<TableParts> = keyspace
        .views_of(&table.name)
        .map(|it| it.parts())
        .collect();
    for (from, to) in names {
        refuse_rename(table, from, to)?;
        if parts.columns.iter().any(|it| *it.name == *to) {
            // Two columns get one name: Cassandra fails at it by itself.
            return Err(Refusal::server("java.lang.IllegalArgumentException"));
        }
        rename_in(&mut parts, from, to);
        for view in &mut views {
            rename_in(view, from, to);
            if let Some(definition) = &mut view.view {
                definition.where_clause = view_where::renamed(&definition.where_clause, from, to)?;
            }
        }
    }
    let all = std::iter::once(parts).chain(views);
    Ok(all.map(Table::new).collect())
}

fn rename_in(parts: &mut TableParts, from: &str, to: &str) {
    if let Some(column) = parts.columns.iter_mut().find(|it| *it.name == *from) {
        column.name = Arc::from(to);
    }
}

fn refuse_rename(table: &Table, from: &str, to: &str) -> Result<(), Refusal> {
    let Some(column) = table.column(from) else {
        return Err(undefined_column(table, from));
    };
    if !column.is_key() {
        return Err(Refusal::invalid(format!(
            "Cannot rename non PRIMARY KEY column {from}"
        )));
    }
    if table.column(to).is_some() {
        return Err(Refusal::invalid(format!(
            "Cannot rename column {from} to {to} in table '{}.{}'; another column with that name \
             already exists",
            table.keyspace, table.name
        )));
    }
    let indexes = indexes_on(table, from);
    match indexes.is_empty() {
        true => Ok(()),
        false => Err(Refusal::invalid(format!(
            "Can't rename column {from} because it has dependent secondary indexes ({})",
            indexes.join(", ")
        ))),
    }
}
