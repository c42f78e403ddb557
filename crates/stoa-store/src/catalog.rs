//! The catalogue: which tables there are, where their data is, and records of the layer above.
//!
//! It is a space of its own (number 0). A change of the catalogue is one commit, made in the order
//! of all commits: writers before it see the old tables, writers after it the new ones.
//!
//! ```text
//! key := 't' table:8 (big endian)   a table, see crate::table
//!      | 'n'                        the next number for a space
//!      | 'w'                        the floor of timestamps of conditional writes
//!      | 'r' name                   a record of the layer above
//! ```
//! Every value is sealed like a row.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::codec::{Reader, put_signed};
use crate::commit::overlay::Overlay;
use crate::error::StoreError;
use crate::kv::{Direction, Read, SpaceId};
use crate::seal::{Verified, seal};
use crate::table::{Table, TableId, TableOptions};

/// The space of the catalogue.
pub(crate) const CATALOG_SPACE: SpaceId = SpaceId(0);
/// The first number for a table's space.
const FIRST_TABLE_SPACE: u64 = 16;

const TABLE: u8 = b't';
const NEXT_SPACE: &[u8] = b"n";
const WRITE_FLOOR: &[u8] = b"w";
const RECORD: u8 = b'r';

/// All tables as of one commit.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    tables: BTreeMap<TableId, Arc<Table>>,
    next_space: u64,
}

impl Catalog {
    /// Reads the catalogue.
    pub(crate) fn load(read: &dyn Read) -> Result<Self, StoreError> {
        let mut tables = BTreeMap::new();
        for pair in read.range(CATALOG_SPACE, &[TABLE], &[TABLE + 1], Direction::Forward)? {
            let (key, sealed) = pair?;
            let value = Verified::new(CATALOG_SPACE, &key, sealed)?;
            let id = key.get(1..).and_then(<[u8]>::first_chunk::<8>).copied();
            let id = TableId(u64::from_be_bytes(id.unwrap_or_default()));
            let table =
                Table::decode(id, &value).map_err(StoreError::undecodable(CATALOG_SPACE, &key))?;
            tables.insert(id, Arc::new(table));
        }
        let next_space = load_number(read, NEXT_SPACE)?.map_or(FIRST_TABLE_SPACE, |number| {
            u64::try_from(number).unwrap_or(u64::MAX)
        });
        Ok(Self { tables, next_space })
    }

    /// A table.
    pub fn table(&self, id: TableId) -> Result<&Arc<Table>, StoreError> {
        self.tables.get(&id).ok_or(StoreError::NoSuchTable(id.0))
    }

    /// All tables, sorted by id.
    #[must_use]
    pub fn tables(&self) -> Vec<Arc<Table>> {
        self.tables.values().cloned().collect()
    }
}

/// A change of the catalogue; all of it happens, or none.
#[derive(Debug, Clone, Default)]
pub struct CatalogChange {
    /// Tables to make.
    pub create: Vec<(TableId, TableOptions)>,
    /// Tables whose options change.
    pub alter: Vec<(TableId, TableOptions)>,
    /// Tables to drop, with all their data.
    pub drop: Vec<TableId>,
    /// Tables to empty.
    pub truncate: Vec<TableId>,
    /// Records of the layer above to set, or to remove.
    pub records: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl CatalogChange {
    /// How many new spaces it needs.
    pub(crate) fn spaces_needed(&self) -> usize {
        self.create.len() + self.truncate.len()
    }

    /// Applies the change; `spaces` are new and empty. Returns the catalogue after it and the
    /// spaces that nothing refers to any more.
    pub(crate) fn apply(
        &self,
        before: &Catalog,
        overlay: &mut Overlay<'_>,
        spaces: &[SpaceId],
    ) -> Result<(Catalog, Vec<SpaceId>), StoreError> {
        let (changed, freed) = self.changed_tables(before, spaces)?;
        let mut after = before.clone();
        for (id, table) in changed {
            let key = table_key(id);
            match table {
                Some(table) => {
                    put_sealed(overlay, &key, table.encode())?;
                    after.tables.insert(id, Arc::new(table));
                }
                None => {
                    overlay.remove(CATALOG_SPACE, &key);
                    after.tables.remove(&id);
                }
            }
        }
        for (name, value) in &self.records {
            match value {
                Some(value) => put_sealed(overlay, &record_key(name), value.clone())?,
                None => overlay.remove(CATALOG_SPACE, &record_key(name)),
            }
        }
        Ok((after, freed))
    }

    /// The changed tables, `None` for dropped ones, and the spaces they leave: made, altered,
    /// emptied, dropped, in this order.
    fn changed_tables(
        &self,
        before: &Catalog,
        spaces: &[SpaceId],
    ) -> Result<(ChangedTables, Vec<SpaceId>), StoreError> {
        let mut fresh = spaces.iter().copied();
        let mut new_space = || {
            fresh
                .next()
                .ok_or(StoreError::Invalid("a change of tables ran out of spaces"))
        };
        let mut freed = Vec::new();
        let mut changed = ChangedTables::new();
        for (id, options) in &self.create {
            if before.tables.contains_key(id) || changed.contains_key(id) {
                return Err(StoreError::Invalid("a table with this id exists"));
            }
            let (id, space, options) = (*id, new_space()?, options.clone());
            changed.insert(
                id,
                Some(Table {
                    id,
                    space,
                    options,
                    has_records: false,
                }),
            );
        }
        let current = |changed: &ChangedTables, id: &TableId| match changed.get(id) {
            Some(table) => table.clone().ok_or(StoreError::NoSuchTable(id.0)),
            None => before.table(*id).map(|table| Table::clone(table)),
        };
        for (id, options) in &self.alter {
            let table = Table {
                options: options.clone(),
                ..current(&changed, id)?
            };
            changed.insert(*id, Some(table));
        }
        for id in &self.truncate {
            let old = current(&changed, id)?;
            freed.push(old.space);
            let table = Table {
                space: new_space()?,
                has_records: false,
                ..old
            };
            changed.insert(*id, Some(table));
        }
        for id in &self.drop {
            freed.push(current(&changed, id)?.space);
            changed.insert(*id, None);
        }
        Ok((changed, freed))
    }
}

type ChangedTables = BTreeMap<TableId, Option<Table>>;

/// Remembers that a table has partition records from now on.
pub(crate) fn note_records(
    catalog: &mut Catalog,
    overlay: &mut Overlay<'_>,
    table: &Table,
) -> Result<(), StoreError> {
    let table = Table {
        has_records: true,
        ..table.clone()
    };
    put_sealed(overlay, &table_key(table.id), table.encode())?;
    catalog.tables.insert(table.id, Arc::new(table));
    Ok(())
}

/// Takes `count` new numbers for spaces; the numbers are used up when the commit is made.
pub(crate) fn allocate_spaces(
    catalog: &mut Catalog,
    overlay: &mut Overlay<'_>,
    count: usize,
) -> Result<Vec<SpaceId>, StoreError> {
    let first = catalog.next_space.max(FIRST_TABLE_SPACE);
    let next = first + count as u64;
    catalog.next_space = next;
    put_number(overlay, NEXT_SPACE, i64::try_from(next).unwrap_or(i64::MAX))?;
    Ok((first..next).map(SpaceId).collect())
}

/// A record of the layer above.
pub(crate) fn load_record(read: &dyn Read, name: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    let key = record_key(name);
    let sealed = read.get(CATALOG_SPACE, &key)?;
    let value = sealed
        .map(|sealed| Verified::new(CATALOG_SPACE, &key, sealed))
        .transpose()?;
    Ok(value.map(|value| value.to_vec()))
}

/// A record of the layer above: its name and its value.
pub type NamedRecord = (Vec<u8>, Vec<u8>);

/// All records of the layer above whose names begin with `prefix`.
pub(crate) fn load_records(read: &dyn Read, prefix: &[u8]) -> Result<Vec<NamedRecord>, StoreError> {
    let start = record_key(prefix);
    let end = crate::key::after_prefix(&start);
    let mut records = Vec::new();
    for pair in read.range(CATALOG_SPACE, &start, &end, Direction::Forward)? {
        let (key, sealed) = pair?;
        let value = Verified::new(CATALOG_SPACE, &key, sealed)?;
        records.push((key.get(1..).unwrap_or_default().to_vec(), value.to_vec()));
    }
    Ok(records)
}

/// The timestamp below which no conditional write may be made.
pub(crate) fn load_write_floor(read: &dyn Read) -> Result<i64, StoreError> {
    Ok(load_number(read, WRITE_FLOOR)?.unwrap_or(i64::MIN))
}

/// Raises the floor.
pub(crate) fn put_write_floor(overlay: &mut Overlay<'_>, floor: i64) -> Result<(), StoreError> {
    put_number(overlay, WRITE_FLOOR, floor)
}

fn load_number(read: &dyn Read, key: &[u8]) -> Result<Option<i64>, StoreError> {
    let Some(sealed) = read.get(CATALOG_SPACE, key)? else {
        return Ok(None);
    };
    let value = Verified::new(CATALOG_SPACE, key, sealed)?;
    let number = Reader::new(&value).signed("number in the catalogue");
    number
        .map(Some)
        .map_err(StoreError::undecodable(CATALOG_SPACE, key))
}

fn put_number(overlay: &mut Overlay<'_>, key: &[u8], number: i64) -> Result<(), StoreError> {
    let mut value = Vec::new();
    put_signed(&mut value, number);
    put_sealed(overlay, key, value)
}

fn put_sealed(overlay: &mut Overlay<'_>, key: &[u8], mut value: Vec<u8>) -> Result<(), StoreError> {
    seal(CATALOG_SPACE, key, &mut value);
    overlay.put(CATALOG_SPACE, key, &value)
}

fn table_key(id: TableId) -> Vec<u8> {
    let mut key = vec![TABLE];
    key.extend_from_slice(&id.0.to_be_bytes());
    key
}

fn record_key(name: &[u8]) -> Vec<u8> {
    let mut key = vec![RECORD];
    key.extend_from_slice(name);
    key
}
