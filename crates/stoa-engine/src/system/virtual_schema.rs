//! The keyspace `system_virtual_schema`: the virtual keyspaces as rows.

use super::Row;
use super::row::{row, text};
use super::schema_tables::column;
use crate::catalog::{KeyspaceKind, Schema, Table};

pub(super) fn rows(schema: &Schema, table: &Table) -> Vec<Row> {
    let keyspaces = schema.keyspaces.values();
    let keyspaces = keyspaces.filter(|it| it.kind() == KeyspaceKind::Virtual);
    match &*table.name {
        "keyspaces" => keyspaces
            .map(|it| row(table, &[("keyspace_name", text(&*it.name))]))
            .collect(),
        "tables" => {
            let tables = keyspaces.flat_map(|it| it.tables.values());
            tables.map(|it| virtual_table(table, it)).collect()
        }
        "columns" => {
            let tables = keyspaces.flat_map(|it| it.tables.values());
            let columns = tables.flat_map(|it| it.columns.iter().map(move |at| (it, at)));
            columns
                .map(|(owner, it)| column(table, owner, it))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn virtual_table(table: &Table, described: &Table) -> Row {
    row(
        table,
        &[
            ("keyspace_name", text(&*described.keyspace)),
            ("table_name", text(&*described.name)),
            ("comment", text(&described.options.comment)),
        ],
    )
}
