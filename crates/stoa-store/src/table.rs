//! Tables as the store knows them: an id, a space, and what decides when data may be forgotten.
//!
//! The store knows no CQL: names, types and keys of columns belong to the engine. A table's *space*
//! holds one generation of its data; TRUNCATE gives the table a new space.

use std::collections::BTreeMap;

use crate::cell::ColumnId;
use crate::codec::{DecodeError, Reader, put_signed, put_unsigned};
use crate::kv::SpaceId;

/// A table. Ids are chosen by the engine and never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u64);

/// What the store must know of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableOptions {
    /// How long a deletion is kept, in seconds.
    pub gc_grace_seconds: i64,
    /// Columns of which cells written at this timestamp or before are not shown: a column dropped
    /// and added again shows nothing old. `i64::MAX` hides a dropped column whole.
    pub hidden_through: BTreeMap<ColumnId, i64>,
}

impl Default for TableOptions {
    /// Ten days of grace, as Cassandra has it, and no hidden columns.
    fn default() -> Self {
        Self {
            gc_grace_seconds: 864_000,
            hidden_through: BTreeMap::new(),
        }
    }
}

/// A table with the space that holds its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The table.
    pub id: TableId,
    /// Where its data is.
    pub space: SpaceId,
    /// Its options.
    pub options: TableOptions,
    /// Whether any partition of it ever had a record: without, a read need not ask for one.
    pub has_records: bool,
}

impl Table {
    /// Bytes for the catalogue.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![1, u8::from(self.has_records)];
        put_unsigned(&mut out, self.space.0);
        put_signed(&mut out, self.options.gc_grace_seconds);
        put_unsigned(&mut out, self.options.hidden_through.len() as u64);
        for (column, through) in &self.options.hidden_through {
            put_unsigned(&mut out, u64::from(column.0));
            put_signed(&mut out, *through);
        }
        out
    }

    /// The table with this id from the bytes of the catalogue.
    pub fn decode(id: TableId, bytes: &[u8]) -> Result<Self, DecodeError> {
        let reader = &mut Reader::new(bytes);
        match reader.byte("version of table entry")? {
            1 => {}
            other => return Err(DecodeError::UnknownVersion(other)),
        }
        let has_records = reader.byte("flags of table")? != 0;
        let space = SpaceId(reader.unsigned("space of table")?);
        let gc_grace_seconds = reader.signed("grace of table")?;
        let mut hidden_through = BTreeMap::new();
        for _ in 0..reader.unsigned("number of hidden columns")? {
            let column = ColumnId(reader.unsigned_32("hidden column")?);
            hidden_through.insert(column, reader.signed("time of hidden column")?);
        }
        reader.finish("end of table entry")?;
        let options = TableOptions {
            gc_grace_seconds,
            hidden_through,
        };
        Ok(Self {
            id,
            space,
            options,
            has_records,
        })
    }
}
