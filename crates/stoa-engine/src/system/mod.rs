//! The system's keyspaces: what their tables look like, and what is in them.
//!
//! Drivers and cqlsh read them when they connect. No table of the system is stored: rows are
//! computed from the schema and from what a node knows of itself when they are read. Tables that
//! are about things we do not have, such as peers, repairs and hints, are there and empty.

mod definitions;
mod environment;
mod node;
mod order;
mod row;
mod schema_tables;
#[cfg(test)]
mod tests;
mod virtual_schema;

pub use definitions::initial_schema;
pub use environment::Environment;

use crate::catalog::{Schema, Table};

/// A row as native bytes, in the order of the table's columns.
pub type Row = Vec<Option<Vec<u8>>>;

/// The rows of a table of the system: partitions in the order of their tokens (of their keys, for
/// virtual tables), rows of a partition in clustering order. A table that is always empty has
/// none, and neither has one that is not there.
#[must_use]
pub fn rows(schema: &Schema, environment: &Environment, keyspace: &str, table: &str) -> Vec<Row> {
    let Some(definition) = schema.table(keyspace, table) else {
        return Vec::new();
    };
    let mut rows = unordered(schema, environment, definition);
    order::sort(definition, &mut rows);
    rows
}

fn unordered(schema: &Schema, environment: &Environment, table: &Table) -> Vec<Row> {
    match &*table.keyspace {
        "system" => node::rows(schema, environment, table),
        "system_schema" => schema_tables::rows(schema, table),
        "system_virtual_schema" => virtual_schema::rows(schema, table),
        _ => Vec::new(),
    }
}
