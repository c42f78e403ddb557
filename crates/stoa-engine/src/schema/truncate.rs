//! `TRUNCATE`: no change of the schema, but one of the store.

use stoa_cql::ast::QualifiedName;
use stoa_store::catalog::CatalogChange;

use super::{Change, Context};
use crate::catalog::{KeyspaceKind, Schema};
use crate::refusal::Refusal;

/// Empties a table, its indexes and its views. Tables of the system hold nothing that could be
/// emptied: to truncate one does nothing, and virtual ones refuse it, as in Cassandra.
pub(super) fn apply(
    table: &QualifiedName,
    schema: &Schema,
    context: &Context<'_>,
) -> Result<Change, Refusal> {
    let keyspace = context.keyspace_of(table)?;
    let name = table.name.as_str();
    let Some(owner) = schema.keyspace(keyspace) else {
        return Err(Refusal::invalid(format!(
            "keyspace {keyspace} does not exist"
        )));
    };
    let Some(table) = owner.tables.get(name) else {
        return Err(Refusal::invalid(format!("table {name} does not exist")));
    };
    if table.is_view() {
        return Err(Refusal::invalid(
            "Cannot TRUNCATE materialized view directly; must truncate base table instead",
        ));
    }
    let mut store = CatalogChange::default();
    match owner.kind() {
        KeyspaceKind::Virtual => {
            return Err(Refusal::invalid(format!(
                "Truncation is not supported by table {keyspace}.{name}"
            )));
        }
        KeyspaceKind::Local | KeyspaceKind::Replicated => {}
        KeyspaceKind::User => {
            store.truncate.push(table.store);
            store
                .truncate
                .extend(table.indexes.iter().map(|it| it.store));
            store
                .truncate
                .extend(owner.views_of(name).map(|it| it.store));
        }
    }
    Ok(Change {
        schema: schema.clone(),
        store,
        answer: None,
        warnings: Vec::new(),
        build: Vec::new(),
    })
}
