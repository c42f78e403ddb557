//! Keyspaces, and all of them together: the schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_types::UserType;
use uuid::Uuid;

use super::table::Table;

/// All keyspaces as of one schema change.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Tells two schemas apart; new with every change.
    pub version: Uuid,
    /// The keyspaces by name.
    pub keyspaces: BTreeMap<Arc<str>, Arc<Keyspace>>,
}

/// A keyspace.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyspace {
    /// Its name, without quotes.
    pub name: Arc<str>,
    /// The replication map, with `class` in its full name.
    pub replication: BTreeMap<String, String>,
    /// Whether writes go to the journal; kept and shown, ours always do.
    pub durable_writes: bool,
    /// Tables and materialized views by name.
    pub tables: BTreeMap<Arc<str>, Arc<Table>>,
    /// User-defined types by name. They are not frozen here; where they are used says whether
    /// they are.
    pub types: BTreeMap<Arc<str>, Arc<UserType>>,
}

impl Schema {
    /// The keyspace with this name.
    #[must_use]
    pub fn keyspace(&self, name: &str) -> Option<&Arc<Keyspace>> {
        self.keyspaces.get(name)
    }

    /// The table or view with this name.
    #[must_use]
    pub fn table(&self, keyspace: &str, name: &str) -> Option<&Arc<Table>> {
        self.keyspace(keyspace)?.tables.get(name)
    }
}

impl Keyspace {
    /// The materialized views of a table.
    pub fn views_of<'k>(&'k self, table: &'k str) -> impl Iterator<Item = &'k Arc<Table>> {
        self.tables.values().filter(move |it| {
            let view = it.view.as_ref();
            view.is_some_and(|view| &*view.base == table)
        })
    }
}
