//! The schema as records of the store.
//!
//! ```text
//! catalog/version               {"format": 1, "version": uuid, "next_table": number}
//! catalog/keyspace/ks           {"format": 1, "replication": {...}, "durable_writes": true}
//! catalog/type/ks/name          {"format": 1, "fields": [["a", "int"], ...]}
//! catalog/table/ks/name         {"format": 1, "id": uuid, "store": number, "columns": [...], ...}
//! ```
//!
//! Values are JSON, so that a person can read them and fields can be added. Types are CQL text.
//! Names of keyspaces and tables hold letters, digits and underscores only; a type's name may hold
//! anything, so it stands last.
//!
//! Invariants:
//! 1. Decoding what was encoded gives an equal schema.
//! 2. Damaged records and records of a newer format are errors that name the record.
//! 3. Keyspaces of the system are not recorded, but for a replication that was altered.

mod decode;
mod encode;
mod fields;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use thiserror::Error;

pub use decode::decode;

use super::keyspace::{Keyspace, Schema};

/// What the names of all records of the schema begin with.
pub const PREFIX: &[u8] = b"catalog/";
/// The format that is written, and the newest that is read.
pub const FORMAT: u64 = 1;

const VERSION: &str = "catalog/version";
const KEYSPACE: &str = "catalog/keyspace/";
const TYPE: &str = "catalog/type/";
const TABLE: &str = "catalog/table/";

/// A record to set, or to remove.
pub type RecordChange = (Vec<u8>, Option<Vec<u8>>);

/// Why records are no schema.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// A record is not what it should be.
    #[error("record {record} of the schema is damaged: {what}")]
    Damaged {
        /// Its name.
        record: String,
        /// What is wrong.
        what: String,
    },
    /// A newer program wrote it.
    #[error(
        "record {record} of the schema has format {format}, and this program knows up to {FORMAT}"
    )]
    NewerFormat {
        /// Its name.
        record: String,
        /// The format it has.
        format: u64,
    },
}

/// The records that differ between two schemas.
#[must_use]
pub fn changed(old: &Schema, new: &Schema) -> Vec<RecordChange> {
    let mut changes = Vec::new();
    let names: BTreeSet<_> = old.keyspaces.keys().chain(new.keyspaces.keys()).collect();
    for name in names {
        let (old, new) = (old.keyspaces.get(name), new.keyspaces.get(name));
        let is_same = match (old, new) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            _ => false,
        };
        if !is_same {
            keyspace_changes(old.map(|it| &**it), new.map(|it| &**it), &mut changes);
        }
    }
    changes.push((VERSION.into(), Some(encode::version(new))));
    changes
}

fn keyspace_changes<'k>(
    old: Option<&'k Keyspace>,
    new: Option<&'k Keyspace>,
    changes: &mut Vec<RecordChange>,
) {
    let Some(named) = new.or(old) else {
        return;
    };
    let name = &named.name;
    let settings = |keyspace: Option<&Keyspace>| keyspace.map(encode::keyspace);
    push_if_changed(
        format!("{KEYSPACE}{name}"),
        settings(old).as_ref(),
        settings(new),
        changes,
    );
    if named.kind().is_system() {
        return;
    }
    let types = |it: Option<&'k Keyspace>| it.map(|it| &it.types);
    let prefix = format!("{TYPE}{name}/");
    part_changes(&prefix, types(old), types(new), encode::user_type, changes);
    let tables = |it: Option<&'k Keyspace>| it.map(|it| &it.tables);
    let prefix = format!("{TABLE}{name}/");
    part_changes(&prefix, tables(old), tables(new), encode::table, changes);
}

type Parts<T> = BTreeMap<Arc<str>, Arc<T>>;

/// Changes of the types or of the tables of a keyspace. What is the very same in both is not even
/// encoded: a keyspace may have a thousand tables.
fn part_changes<T>(
    prefix: &str,
    old: Option<&Parts<T>>,
    new: Option<&Parts<T>>,
    encode: impl Fn(&T) -> Vec<u8>,
    changes: &mut Vec<RecordChange>,
) {
    let parts = old.into_iter().chain(new);
    let names: BTreeSet<_> = parts.flat_map(BTreeMap::keys).collect();
    for name in names {
        let old = old.and_then(|it| it.get(name));
        let new = new.and_then(|it| it.get(name));
        let is_same = matches!((old, new), (Some(old), Some(new)) if Arc::ptr_eq(old, new));
        if !is_same {
            let old = old.map(|it| encode(it));
            let new = new.map(|it| encode(it));
            push_if_changed(format!("{prefix}{name}"), old.as_ref(), new, changes);
        }
    }
}

fn push_if_changed(
    name: String,
    old: Option<&Vec<u8>>,
    new: Option<Vec<u8>>,
    changes: &mut Vec<RecordChange>,
) {
    if old != new.as_ref() {
        changes.push((name.into_bytes(), new));
    }
}
