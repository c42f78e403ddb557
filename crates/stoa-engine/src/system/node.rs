//! The keyspace `system`: what the node knows of itself.

use stoa_types::Value;

use super::Row;
use super::environment::{
    CQL_VERSION, Environment, NATIVE_PROTOCOL_VERSION, PARTITIONER, RACK, RELEASE_VERSION,
};
use super::row::{row, text};
use crate::catalog::{Keyspace, Schema, Table, replication};

pub(super) fn rows(schema: &Schema, environment: &Environment, table: &Table) -> Vec<Row> {
    match &*table.name {
        "local" => vec![local(schema, environment, table)],
        "IndexInfo" => built_indexes(schema, table),
        "built_views" => built_views(schema, table),
        _ => Vec::new(),
    }
}

fn local(schema: &Schema, environment: &Environment, table: &Table) -> Row {
    let address = Value::Inet(environment.address);
    let port = |port: u16| Value::Int(i32::from(port));
    let mut tokens: Vec<String> = environment.tokens.iter().map(ToString::to_string).collect();
    tokens.sort();
    let tokens = tokens.into_iter().map(Value::Text).collect();
    row(
        table,
        &[
            ("key", text("local")),
            ("bootstrapped", text("COMPLETED")),
            ("broadcast_address", address.clone()),
            ("broadcast_port", port(environment.storage_port)),
            ("cluster_name", text(&environment.cluster_name)),
            ("cql_version", text(CQL_VERSION)),
            ("data_center", text(replication::DATA_CENTRE)),
            (
                "gossip_generation",
                Value::Int(environment.started_at_seconds),
            ),
            ("host_id", Value::Uuid(environment.host_id)),
            ("listen_address", address.clone()),
            ("listen_port", port(environment.storage_port)),
            ("native_protocol_version", text(NATIVE_PROTOCOL_VERSION)),
            ("partitioner", text(PARTITIONER)),
            ("rack", text(RACK)),
            ("release_version", text(RELEASE_VERSION)),
            ("rpc_address", address),
            ("rpc_port", port(environment.native_port)),
            ("schema_version", Value::Uuid(schema.version)),
            ("tokens", Value::Set(tokens)),
        ],
    )
}

fn users(schema: &Schema) -> impl Iterator<Item = (&Keyspace, &Table)> {
    let keyspaces = schema
        .keyspaces
        .values()
        .filter(|it| !it.kind().is_system());
    keyspaces.flat_map(|keyspace| {
        let tables = keyspace.tables.values();
        tables.map(|table| (&**keyspace, &**table))
    })
}

/// Indexes that can be asked; the column for the table holds the keyspace, as in Cassandra.
fn built_indexes(schema: &Schema, table: &Table) -> Vec<Row> {
    let indexes = users(schema).flat_map(|(keyspace, indexed)| {
        let indexes = indexed.indexes.iter();
        indexes.map(move |index| (&keyspace.name, &index.name))
    });
    let values = indexes.map(|(keyspace, index)| {
        row(
            table,
            &[
                ("table_name", text(&**keyspace)),
                ("index_name", text(&**index)),
            ],
        )
    });
    values.collect()
}

fn built_views(schema: &Schema, table: &Table) -> Vec<Row> {
    let views = users(schema).filter(|(_, view)| view.is_view());
    let values = views.map(|(keyspace, view)| {
        row(
            table,
            &[
                ("keyspace_name", text(&*keyspace.name)),
                ("view_name", text(&*view.name)),
                ("status_replicated", Value::Boolean(true)),
            ],
        )
    });
    values.collect()
}
