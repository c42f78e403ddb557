//! Where a page ended: the paging state of an answer.
//!
//! ```text
//! state := version:u8 (1) table:16 flags:u8
//!          [key: length u32, bytes]          the partition of the last row
//!          [clustering: length u32, frames]  its clustering values
//!          [remaining: u32]                  rows left of the limit
//!          in_partition: u32                 rows told of this partition already
//!          offset: u64                       rows passed of a table that is computed
//! ```
//! It holds values and no keys of the store, so that it survives a restart and a new version. A
//! state of another table, or one that a change of the schema has made meaningless, is refused.

use stoa_types::frames;

use crate::catalog::Table;
use crate::refusal::Refusal;

/// Where a page ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The partition of the last row.
    pub(crate) key: Option<Vec<u8>>,
    /// Its clustering; `None` after the last row of the partition.
    pub(crate) clustering: Option<Vec<Option<Vec<u8>>>>,
    /// How many rows the limit still allows.
    pub(crate) remaining: Option<u32>,
    /// How many rows of this partition were told.
    pub(crate) in_partition: u32,
    /// How many rows of a computed table were passed.
    pub(crate) offset: u64,
}

const VERSION: u8 = 1;
const HAS_KEY: u8 = 1;
const HAS_CLUSTERING: u8 = 2;
const HAS_REMAINING: u8 = 4;

impl Cursor {
    /// Its bytes.
    pub(crate) fn encode(&self, table: &Table) -> Vec<u8> {
        let mut flags = 0;
        flags |= if self.key.is_some() { HAS_KEY } else { 0 };
        flags |= if self.clustering.is_some() {
            HAS_CLUSTERING
        } else {
            0
        };
        flags |= if self.remaining.is_some() {
            HAS_REMAINING
        } else {
            0
        };
        let mut out = vec![VERSION];
        out.extend_from_slice(table.id.as_bytes());
        out.push(flags);
        if let Some(key) = &self.key {
            put_bytes(&mut out, key);
        }
        if let Some(clustering) = &self.clustering {
            let mut framed = Vec::new();
            for value in clustering {
                // A value that is too large to frame was never stored.
                let _ = frames::write_part(value.as_deref(), &mut framed);
            }
            put_bytes(&mut out, &framed);
        }
        if let Some(remaining) = self.remaining {
            out.extend_from_slice(&remaining.to_be_bytes());
        }
        out.extend_from_slice(&self.in_partition.to_be_bytes());
        out.extend_from_slice(&self.offset.to_be_bytes());
        out
    }

    /// The cursor of these bytes.
    pub(crate) fn decode(bytes: &[u8], table: &Table) -> Result<Self, Refusal> {
        let mut reader = bytes;
        Self::read(&mut reader, table)
            .filter(|_| reader.is_empty())
            .ok_or_else(|| Refusal::invalid("Invalid value for the paging state"))
    }

    fn read(reader: &mut &[u8], table: &Table) -> Option<Self> {
        let [version] = take::<1>(reader)?;
        let id = take::<16>(reader)?;
        let [flags] = take::<1>(reader)?;
        if version != VERSION || id != *table.id.as_bytes() {
            return None;
        }
        let key = match flags & HAS_KEY {
            0 => None,
            _ => Some(take_bytes(reader)?.to_vec()),
        };
        let clustering = match flags & HAS_CLUSTERING {
            0 => None,
            _ => {
                let columns = table.clustering().len();
                let parts = frames::tuple_parts(take_bytes(reader)?, columns);
                let parts: Result<Vec<_>, _> = parts
                    .map(|part| part.map(|it| it.map(<[u8]>::to_vec)))
                    .collect();
                Some(parts.ok().filter(|it| it.len() == columns)?)
            }
        };
        let remaining = match flags & HAS_REMAINING {
            0 => None,
            _ => Some(u32::from_be_bytes(take(reader)?)),
        };
        Some(Self {
            key,
            clustering,
            remaining,
            in_partition: u32::from_be_bytes(take(reader)?),
            offset: u64::from_be_bytes(take(reader)?),
        })
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(bytes);
}

fn take<const N: usize>(reader: &mut &[u8]) -> Option<[u8; N]> {
    let (chunk, rest) = reader.split_first_chunk::<N>()?;
    *reader = rest;
    Some(*chunk)
}

fn take_bytes<'b>(reader: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = u32::from_be_bytes(take(reader)?);
    let (bytes, rest) = reader.split_at_checked(usize::try_from(length).ok()?)?;
    *reader = rest;
    Some(bytes)
}
