//! What the system's tables look like: CQL text, one file a keyspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_cql::ast::Statement;
use uuid::Uuid;

use crate::catalog::{Keyspace, KeyspaceKind, Schema, replication};
use crate::refusal::Refusal;
use crate::schema::define;

/// Each keyspace of the system, with the definitions of its tables.
const DEFINITIONS: [(&str, &str); 7] = [
    ("system", include_str!("definitions/system.cql")),
    ("system_auth", include_str!("definitions/system_auth.cql")),
    (
        "system_distributed",
        include_str!("definitions/system_distributed.cql"),
    ),
    (
        "system_schema",
        include_str!("definitions/system_schema.cql"),
    ),
    (
        "system_traces",
        include_str!("definitions/system_traces.cql"),
    ),
    ("system_views", include_str!("definitions/system_views.cql")),
    (
        "system_virtual_schema",
        include_str!("definitions/system_virtual_schema.cql"),
    ),
];

/// A schema with the system's keyspaces alone, as a new database has it.
///
/// # Errors
/// None; a definition of ours that cannot be read would be one, and a test reads them all.
pub fn initial_schema(version: Uuid) -> Result<Schema, Refusal> {
    let mut keyspaces = BTreeMap::new();
    for (name, text) in DEFINITIONS {
        let keyspace = keyspace(name, text)?;
        keyspaces.insert(Arc::clone(&keyspace.name), Arc::new(keyspace));
    }
    Ok(Schema {
        version,
        next_table: 1,
        keyspaces,
    })
}

fn keyspace(name: &str, text: &str) -> Result<Keyspace, Refusal> {
    let mut tables = BTreeMap::new();
    // Statements end at the end of a line, and no text within them does.
    for statement in text.split(";\n").filter(|it| it.contains("CREATE")) {
        let parsed = stoa_cql::parse_statement(statement)
            .map_err(|error| Refusal::server(format!("{name}: {error}")))?;
        let Statement::CreateTable(parsed) = parsed else {
            return Err(Refusal::server(format!("{name}: {statement}")));
        };
        let table = define(&parsed, name)?;
        tables.insert(Arc::clone(&table.name), Arc::new(table));
    }
    let replication = match (KeyspaceKind::of(name), name) {
        (_, "system_traces") => replication::simple(2),
        (_, "system_distributed") => replication::simple(3),
        (KeyspaceKind::Replicated, _) => replication::simple(1),
        _ => replication::local(),
    };
    Ok(Keyspace {
        name: Arc::from(name),
        replication,
        durable_writes: true,
        tables,
        types: BTreeMap::new(),
    })
}
