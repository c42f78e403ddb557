//! Keyspaces, and all of them together: the schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_types::UserType;
use uuid::Uuid;

use super::table::{Index, Table};

/// All keyspaces as of one schema change.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Tells two schemas apart; new with every change.
    pub version: Uuid,
    /// The number for the next table of the store; never reused.
    pub next_table: u64,
    /// The keyspaces by name, those of the system among them.
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

/// Whose keyspace it is, which decides who may change what in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyspaceKind {
    /// Made by `CREATE KEYSPACE`.
    User,
    /// Of the node itself: `system` and `system_schema`.
    Local,
    /// Of the cluster: its replication may be altered.
    Replicated,
    /// Computed when it is read: `system_views` and `system_virtual_schema`.
    Virtual,
}

impl KeyspaceKind {
    /// The kind of the keyspace with this name.
    #[must_use]
    pub fn of(keyspace: &str) -> Self {
        match keyspace {
            "system" | "system_schema" => Self::Local,
            "system_auth" | "system_distributed" | "system_traces" => Self::Replicated,
            "system_views" | "system_virtual_schema" => Self::Virtual,
            _ => Self::User,
        }
    }

    /// Whether it belongs to the system.
    #[must_use]
    pub fn is_system(self) -> bool {
        self != Self::User
    }
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
    /// Whose keyspace it is.
    #[must_use]
    pub fn kind(&self) -> KeyspaceKind {
        KeyspaceKind::of(&self.name)
    }

    /// The table that has an index of this name, and the index.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<(&Arc<Table>, &Arc<Index>)> {
        self.tables.values().find_map(|table| {
            let index = table.indexes.iter().find(|it| &*it.name == name)?;
            Some((table, index))
        })
    }

    /// The materialized views of a table.
    pub fn views_of<'k>(&'k self, table: &'k str) -> impl Iterator<Item = &'k Arc<Table>> {
        self.tables.values().filter(move |it| {
            let view = it.view.as_ref();
            view.is_some_and(|view| &*view.base == table)
        })
    }
}
