//! A schema that is being changed, and what the store has to do for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::answer::{Change as Verb, SchemaChange, Target};
use stoa_store::catalog::CatalogChange;
use stoa_store::table::{TableId, TableOptions};

use super::{Build, Change, Context};
use crate::catalog::{Keyspace, Schema, Table, records};
use crate::refusal::Refusal;

/// A schema that is being changed.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    old: &'a Schema,
    /// The schema as it will be.
    pub(super) new: Schema,
    /// What the author of the statement should know.
    pub(super) warnings: Vec<String>,
    build: Vec<Build>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(old: &'a Schema) -> Self {
        Self {
            old,
            new: old.clone(),
            warnings: Vec::new(),
            build: Vec::new(),
        }
    }

    /// The keyspace, which must be there.
    pub(super) fn keyspace(&self, name: &str) -> Result<&Arc<Keyspace>, Refusal> {
        let found = self.new.keyspace(name);
        found.ok_or_else(|| Refusal::invalid(format!("Keyspace '{name}' doesn't exist")))
    }

    /// A number for a new table of the store.
    pub(super) fn next_store(&mut self) -> TableId {
        let id = TableId(self.new.next_table);
        self.new.next_table += 1;
        id
    }

    /// Puts a keyspace in place of the one with its name.
    pub(super) fn put_keyspace(&mut self, keyspace: Keyspace) {
        let name = Arc::clone(&keyspace.name);
        self.new.keyspaces.insert(name, Arc::new(keyspace));
    }

    /// Changes a keyspace that is there.
    pub(super) fn edit_keyspace(&mut self, name: &str, edit: impl FnOnce(&mut Keyspace)) {
        if let Some(keyspace) = self.new.keyspaces.get_mut(name) {
            edit(Arc::make_mut(keyspace));
        }
    }

    /// Puts a table into its keyspace, in place of the one with its name.
    pub(super) fn put_table(&mut self, table: Table) {
        let (keyspace, name) = (Arc::clone(&table.keyspace), Arc::clone(&table.name));
        self.edit_keyspace(&keyspace, |it| {
            it.tables.insert(name, Arc::new(table));
        });
    }

    /// Notes what has to be filled after the commit.
    pub(super) fn build(&mut self, build: Build) {
        self.build.push(build);
    }

    /// What the changes come to. Without any, the answer is dropped.
    pub(super) fn finish(mut self, answer: Option<SchemaChange>, context: &Context<'_>) -> Change {
        let is_changed = self.old.keyspaces.len() != self.new.keyspaces.len()
            || self.changed_keyspaces().next().is_some();
        if !is_changed {
            return Change {
                schema: self.old.clone(),
                store: CatalogChange::default(),
                answer: None,
                warnings: self.warnings,
                build: Vec::new(),
            };
        }
        self.new.version = context.ids.uuid();
        let store = self.store_change();
        Change {
            schema: self.new,
            store,
            answer,
            warnings: self.warnings,
            build: self.build,
        }
    }

    /// The keyspaces that are new or differ from before.
    fn changed_keyspaces(&self) -> impl Iterator<Item = &Arc<Keyspace>> {
        self.new.keyspaces.values().filter(|new| {
            let old = self.old.keyspaces.get(&new.name);
            !old.is_some_and(|old| Arc::ptr_eq(old, new) || old == *new)
        })
    }

    fn store_change(&self) -> CatalogChange {
        let (old, new) = (store_tables(self.old), store_tables(&self.new));
        let mut change = CatalogChange {
            records: records::changed(self.old, &self.new),
            ..CatalogChange::default()
        };
        for (id, options) in &new {
            match old.get(id) {
                None => change.create.push((*id, options.clone())),
                Some(before) if before != options => change.alter.push((*id, options.clone())),
                Some(_) => {}
            }
        }
        change.drop = old
            .keys()
            .filter(|id| !new.contains_key(id))
            .copied()
            .collect();
        change
    }
}

/// Every table of the store that a schema needs. Tables of the system are not stored.
fn store_tables(schema: &Schema) -> BTreeMap<TableId, TableOptions> {
    let mut tables = BTreeMap::new();
    let users = schema
        .keyspaces
        .values()
        .filter(|it| !it.kind().is_system());
    for table in users.flat_map(|it| it.tables.values()) {
        tables.insert(table.store, store_options(table));
        for index in &table.indexes {
            let options = TableOptions {
                gc_grace_seconds: i64::from(table.options.gc_grace_seconds),
                hidden_through: BTreeMap::new(),
            };
            tables.insert(index.store, options);
        }
    }
    tables
}

/// What the store must know of a table. A dropped column is hidden whole; when it was added again,
/// only what is not newer than its drop.
fn store_options(table: &Table) -> TableOptions {
    let hidden = table.dropped.iter().map(|dropped| {
        let is_back = table.columns.iter().any(|it| it.id == dropped.column.id);
        let through = match is_back {
            true => dropped.dropped_at_micros,
            false => i64::MAX,
        };
        (dropped.column.id, through)
    });
    TableOptions {
        gc_grace_seconds: i64::from(table.options.gc_grace_seconds),
        hidden_through: hidden.collect(),
    }
}

/// What clients are told of a change.
pub(super) fn told(verb: Verb, target: Target, keyspace: &str, name: &str) -> Option<SchemaChange> {
    Some(SchemaChange {
        change: verb,
        target,
        keyspace: keyspace.to_owned(),
        name: name.to_owned(),
    })
}
