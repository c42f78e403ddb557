//! Filling an index or a view from rows that are there already, in bounded steps.
//!
//! A record of the store says what is unfinished and how far it is:
//!
//! ```text
//! build/<number of the store table>   {"format": 1, "base": number, "partition": hex, "row": hex}
//! ```
//! It is made in the commit that makes the index or view, renewed after every step and removed at
//! the end. A step that a crash repeats writes the same rows again. Builds that are unfinished when
//! the database is opened are finished before it can be used.
//!
//! Invariants:
//! 1. A step reads and writes at its place in the order of all commits, so a row that is written
//!    meanwhile is derived from by its writer, by the step, or by both with the same outcome.
//! 2. No read uses an index that is not filled.

use std::sync::Arc;

use serde_json::{Value, json};
use stoa_store::catalog::CatalogChange;
use stoa_store::key::PartitionKey;
use stoa_store::kv::Direction;
use stoa_store::partition::Slice;
use stoa_store::table::TableId;
use stoa_store::{StoreError, View};
use stoa_types::Token;

use super::upkeep::Affected;
use super::{Derived, damaged};
use crate::catalog::Schema;
use crate::database::Inner;
use crate::failure::Failure;
use crate::schema::Build;
use crate::terms::Values;

/// What the names of all records of unfinished builds begin with.
pub(crate) const PREFIX: &[u8] = b"build/";

const FORMAT: u64 = 1;

/// How many rows a step looks at.
const ROWS_A_STEP: usize = 1000;

/// A build that is not finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unfinished {
    /// The table of the store that is filled.
    pub(crate) target: TableId,
    /// The one that it is filled from.
    base: TableId,
    /// The last row that was looked at: its partition, and its clustering unless that was the
    /// static row.
    at: Option<(Vec<u8>, Option<Vec<u8>>)>,
}

impl Unfinished {
    /// What a schema statement leaves to be built; `None` if it is not in the schema.
    pub(crate) fn new(build: &Build, schema: &Schema) -> Option<Self> {
        let (base, target) = match build {
            Build::Index {
                keyspace,
                table,
                index,
            } => {
                let base = schema.table(keyspace, table)?;
                let mut indexes = base.indexes.iter();
                let index = indexes.find(|it| *it.name == **index)?;
                (base.store, index.store)
            }
            Build::View {
                keyspace,
                table,
                view,
            } => {
                let view = schema.table(keyspace, view)?;
                (schema.table(keyspace, table)?.store, view.store)
            }
        };
        Some(Self {
            target,
            base,
            at: None,
        })
    }

    /// The name of its record.
    pub(crate) fn name(target: TableId) -> Vec<u8> {
        let mut name = PREFIX.to_vec();
        name.extend_from_slice(target.0.to_string().as_bytes());
        name
    }

    /// Its record.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let partition = self.at.as_ref().map(|(key, _)| hex(key));
        let row = self
            .at
            .as_ref()
            .and_then(|(_, row)| row.as_deref().map(hex));
        let record = json!({
            "format": FORMAT,
            "base": self.base.0,
            "partition": partition,
            "row": row,
        });
        record.to_string().into_bytes()
    }

    /// The build of a record.
    pub(crate) fn decode(name: &[u8], value: &[u8]) -> Result<Self, StoreError> {
        let read = || {
            let target = std::str::from_utf8(name.strip_prefix(PREFIX)?).ok()?;
            let value: Value = serde_json::from_slice(value).ok()?;
            let bytes = |field: &str| match value.get(field)? {
                Value::Null => Some(None),
                Value::String(text) => unhex(text).map(Some),
                _ => None,
            };
            let at = match (bytes("partition")?, bytes("row")?) {
                (Some(partition), row) => Some((partition, row)),
                (None, None) => None,
                (None, Some(_)) => return None,
            };
            (value.get("format")?.as_u64()? == FORMAT).then_some(())?;
            Some(Self {
                target: TableId(target.parse().ok()?),
                base: TableId(value.get("base")?.as_u64()?),
                at,
            })
        };
        read().ok_or_else(|| damaged("the record of an unfinished build"))
    }

    /// The next rows to look at: at most a step.
    fn next_rows(&self, view: &View) -> Result<Vec<RowPlace>, StoreError> {
        let mut found = Vec::new();
        let walk = match &self.at {
            Some((key, row)) => {
                let key = PartitionKey::new(key)?;
                add_rows(view, self.base, &key, row.as_deref(), &mut found)?;
                view.partitions_after(self.base, &key)?
            }
            None => view.partitions(self.base, Token(i64::MIN))?,
        };
        for key in walk {
            if found.len() >= ROWS_A_STEP {
                break;
            }
            let key = key?;
            found.push((key.clone(), None));
            add_rows(view, self.base, &key, None, &mut found)?;
        }
        Ok(found)
    }
}

/// A row, or the static row of a partition.
type RowPlace = (PartitionKey, Option<Vec<u8>>);

/// Adds the rows of a partition that come after one, as far as a step goes.
fn add_rows(
    view: &View,
    table: TableId,
    key: &PartitionKey,
    after: Option<&[u8]>,
    found: &mut Vec<RowPlace>,
) -> Result<(), StoreError> {
    let partition = view.partition(table, key.clone())?;
    let slice = match after {
        Some(after) => Slice::all().after(after, Direction::Forward),
        None => Slice::all(),
    };
    let left = ROWS_A_STEP.saturating_sub(found.len());
    for row in partition.rows(&slice, Direction::Forward)?.take(left) {
        found.push((key.clone(), Some(row?.clustering().to_vec())));
    }
    Ok(())
}

impl Inner {
    /// Finishes builds.
    pub(crate) fn finish_builds(self: &Arc<Self>, builds: Vec<Unfinished>) -> Result<(), Failure> {
        for mut build in builds {
            self.note_building(build.target, true);
            while self.build_step(&mut build)? {
                let record = (Unfinished::name(build.target), Some(build.encode()));
                self.put_record(record)?;
            }
            self.put_record((Unfinished::name(build.target), None))?;
            self.note_building(build.target, false);
        }
        Ok(())
    }

    fn put_record(&self, record: (Vec<u8>, Option<Vec<u8>>)) -> Result<(), StoreError> {
        self.store.change_catalog(CatalogChange {
            records: vec![record],
            ..CatalogChange::default()
        })
    }

    /// Does a step; false when there was nothing left.
    fn build_step(self: &Arc<Self>, build: &mut Unfinished) -> Result<bool, Failure> {
        let rows = build.next_rows(&self.store.view()?)?;
        let Some((key, row)) = rows.last() else {
            return Ok(false);
        };
        build.at = Some((key.bytes().to_vec(), row.clone()));
        let Some(derived) = self.plans().of(build.base).cloned() else {
            return Ok(false);
        };
        let (inner, target) = (Arc::clone(self), build.target);
        self.store.decide(move |group| {
            let now = inner.now_seconds();
            let values = Values::none(inner.environment());
            for (key, affected) in by_partition(rows) {
                let all = Derived::derive(&derived, group, &key, &affected, &values, now)?;
                for ((table, partition, clustering), row) in &all {
                    if *table == target {
                        group.replace_row(*table, partition, clustering, Some(row))?;
                    }
                }
            }
            Ok(())
        })?;
        Ok(true)
    }
}

fn by_partition(rows: Vec<RowPlace>) -> Vec<(PartitionKey, Affected)> {
    let mut all: Vec<(PartitionKey, Affected)> = Vec::new();
    for (key, row) in rows {
        if all.last().is_none_or(|(last, _)| *last != key) {
            all.push((key, Affected::default()));
        }
        let Some((_, affected)) = all.last_mut() else {
            continue;
        };
        match row {
            Some(row) => {
                affected.clusterings.insert(row);
            }
            None => affected.has_static = true,
        }
    }
    all
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok().filter(|it| it.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    };
    pairs.map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_builds_come_back() {
        for at in [
            None,
            Some((vec![], None)),
            Some((vec![1, 255], Some(vec![]))),
            Some((vec![7], Some(vec![0, 64]))),
        ] {
            let build = Unfinished {
                target: TableId(12),
                base: TableId(3),
                at,
            };
            let name = Unfinished::name(build.target);
            assert_eq!(Unfinished::decode(&name, &build.encode()).unwrap(), build);
        }
        assert!(Unfinished::decode(b"build/1", b"{}").is_err());
        assert!(Unfinished::decode(b"build/x", b"{\"format\": 1}").is_err());
    }
}
