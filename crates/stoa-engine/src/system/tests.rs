//! What is in the tables of the system.

use stoa_types::{Value, native};
use uuid::Uuid;

use super::*;
use crate::catalog::Column;

fn schema() -> Schema {
    initial_schema(Uuid::from_u128(7)).unwrap()
}

fn value(table: &Table, row: &Row, column: &str) -> Option<Value> {
    let at = table.index_of(column).unwrap();
    let Column { data_type, .. } = &table.columns[at];
    let bytes = row[at].as_ref()?;
    Some(native::decode(data_type, bytes).unwrap())
}

fn text(table: &Table, row: &Row, column: &str) -> String {
    match value(table, row, column) {
        Some(Value::Text(text)) => text,
        other => format!("{other:?}"),
    }
}

#[test]
fn all_tables_of_the_system_are_defined() {
    let schema = schema();
    let counts: Vec<_> = schema
        .keyspaces
        .values()
        .map(|it| (&*it.name, it.tables.len()))
        .collect();
    assert_eq!(
        counts,
        [
            ("system", 23),
            ("system_auth", 8),
            ("system_distributed", 4),
            ("system_schema", 11),
            ("system_traces", 2),
            ("system_views", 43),
            ("system_virtual_schema", 3),
        ]
    );
}

#[test]
fn the_node_tells_its_versions_and_the_schema() {
    let schema = schema();
    let table = schema.table("system", "local").unwrap();
    let rows = rows(&schema, &Environment::default(), "system", "local");
    assert_eq!(rows.len(), 1);
    let local = &rows[0];
    for (column, expected) in [
        ("key", "local"),
        ("release_version", "5.0.8"),
        ("cql_version", "3.4.7"),
        ("native_protocol_version", "5"),
        ("data_center", "datacenter1"),
        ("partitioner", "org.apache.cassandra.dht.Murmur3Partitioner"),
    ] {
        assert_eq!(text(table, local, column), expected);
    }
    assert_eq!(
        value(table, local, "schema_version"),
        Some(Value::Uuid(schema.version))
    );
    assert_eq!(
        value(table, local, "tokens"),
        Some(Value::Set(vec![Value::Text(i64::MIN.to_string())]))
    );
}

#[test]
fn the_system_describes_itself() {
    let schema = schema();
    let environment = Environment::default();
    let table = schema.table("system_schema", "columns").unwrap();
    let columns = rows(&schema, &environment, "system_schema", "columns");
    let of_local: Vec<_> = columns
        .iter()
        .filter(|row| text(table, row, "table_name") == "local")
        .map(|row| text(table, row, "column_name"))
        .collect();
    assert_eq!(of_local.len(), 20);
    assert!(of_local.is_sorted());
    let virtual_tables = rows(&schema, &environment, "system_virtual_schema", "tables");
    assert_eq!(virtual_tables.len(), 46);
}

#[test]
fn partitions_come_in_the_order_of_their_tokens() {
    let schema = schema();
    let table = schema.table("system_schema", "keyspaces").unwrap();
    let rows = rows(
        &schema,
        &Environment::default(),
        "system_schema",
        "keyspaces",
    );
    let names: Vec<_> = rows
        .iter()
        .map(|row| text(table, row, "keyspace_name"))
        .collect();
    assert_eq!(
        names,
        [
            "system_auth",
            "system_schema",
            "system_distributed",
            "system",
            "system_traces"
        ]
    );
}

#[test]
fn every_row_is_as_wide_as_its_table_and_its_values_are_of_their_types() {
    let schema = schema();
    let environment = Environment::default();
    for table in schema.keyspaces.values().flat_map(|it| it.tables.values()) {
        for row in rows(&schema, &environment, &table.keyspace, &table.name) {
            assert_eq!(row.len(), table.columns.len());
            for (column, cell) in table.columns.iter().zip(&row) {
                assert!(cell.is_some() || !column.is_key());
                if let Some(bytes) = cell {
                    native::validate(&column.data_type, bytes).unwrap();
                }
            }
        }
    }
}

#[test]
fn tables_that_are_not_there_have_no_rows() {
    let schema = schema();
    assert!(rows(&schema, &Environment::default(), "system", "nothing").is_empty());
    assert!(rows(&schema, &Environment::default(), "nowhere", "local").is_empty());
    assert!(rows(&schema, &Environment::default(), "system", "peers").is_empty());
}
