//! The list of what the janitor must look at later: deletions that shadow other keys.
//!
//! A compaction sees one key at a time, so it may not drop a deletion of a partition or a range, nor
//! anything of a row with spilled parts: keys elsewhere would come back. Each such deletion leaves
//! an entry here, in the same commit, sorted by table and by the second it was made.
//!
//! ```text
//! key   := table:8 (big endian) due:8 (big endian, sign flipped) partition scope
//! scope := 0 (whole partition) | 1 start position | 2 clustering | 3 (static row)
//! value := end position of a range, or empty; sealed
//! ```

use crate::error::StoreError;
use crate::key::{PartitionKey, split_prefix};
use crate::kv::{Bytes, SpaceId};
use crate::seal::{Verified, seal};
use crate::table::TableId;
use stoa_types::token::Token;

use crate::commit::overlay::Overlay;

/// The space of the queue.
pub(crate) const PURGE_SPACE: SpaceId = SpaceId(1);

/// An entry that is due whatever the grace: garbage that nothing refers to any more.
pub(crate) const AT_ONCE: i64 = i64::MIN;

/// What part of a partition an entry is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of it: the partition was deleted.
    Partition,
    /// A slice of it.
    Range { start: Vec<u8>, end: Vec<u8> },
    /// One row with spilled parts.
    Row(Vec<u8>),
    /// The static row with spilled parts.
    StaticRow,
}

impl Scope {
    /// One row by its clustering; without one, the static row.
    pub(crate) fn row(clustering: Option<&[u8]>) -> Self {
        clustering.map_or(Self::StaticRow, |it| Self::Row(it.to_vec()))
    }
}

/// One entry of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) table: TableId,
    /// The second that must lie before the grace, or [`AT_ONCE`].
    pub(crate) due: i64,
    pub(crate) partition: PartitionKey,
    pub(crate) scope: Scope,
}

impl Entry {
    /// The key of the entry.
    pub(crate) fn key(&self) -> Vec<u8> {
        let mut key = due_key(self.table, self.due);
        key.extend_from_slice(self.partition.prefix());
        match &self.scope {
            Scope::Partition => key.push(0),
            Scope::Range { start, .. } => {
                key.push(1);
                key.extend_from_slice(start);
            }
            Scope::Row(clustering) => {
                key.push(2);
                key.extend_from_slice(clustering);
            }
            Scope::StaticRow => key.push(3),
        }
        key
    }

    /// Adds the entry to a commit.
    pub(crate) fn put(&self, overlay: &mut Overlay<'_>) -> Result<(), StoreError> {
        let key = self.key();
        let mut value = match &self.scope {
            Scope::Range { end, .. } => end.clone(),
            Scope::Partition | Scope::Row(_) | Scope::StaticRow => Vec::new(),
        };
        seal(PURGE_SPACE, &key, &mut value);
        overlay.put(PURGE_SPACE, &key, &value)
    }

    /// Reads an entry back.
    pub(crate) fn decode(key: &[u8], sealed: Bytes) -> Result<Self, StoreError> {
        let value = Verified::new(PURGE_SPACE, key, sealed)?;
        Self::split(key, &value)
            .ok_or_else(|| StoreError::damaged_key(PURGE_SPACE, key, "not an entry"))
    }

    fn split(key: &[u8], value: &[u8]) -> Option<Self> {
        let (table, rest) = key.split_first_chunk::<8>()?;
        let (due, rest) = rest.split_first_chunk::<8>()?;
        let (prefix, rest) = split_prefix(rest)?;
        let (scope, rest) = rest.split_first()?;
        let scope = match scope {
            0 => Scope::Partition,
            1 => Scope::Range {
                start: rest.to_vec(),
                end: value.to_vec(),
            },
            2 => Scope::Row(rest.to_vec()),
            3 => Scope::StaticRow,
            _ => return None,
        };
        Some(Self {
            table: TableId(u64::from_be_bytes(*table)),
            due: Token::from_ordered_bytes(*due).0,
            partition: PartitionKey::from_prefix(prefix),
            scope,
        })
    }
}

/// Whether these bytes are an entry's key and value, without the value's check.
#[must_use]
pub fn is_entry(key: &[u8], value: &[u8]) -> bool {
    Entry::split(key, value).is_some()
}

/// The first key of a table's entries that are due at `due` or later.
pub(crate) fn due_key(table: TableId, due: i64) -> Vec<u8> {
    let mut key = table.0.to_be_bytes().to_vec();
    key.extend_from_slice(&Token(due).to_ordered_bytes());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_and_sort_by_time() {
        let partition = PartitionKey::new(b"pk").unwrap();
        let scopes = [
            Scope::Partition,
            Scope::Range {
                start: b"a".to_vec(),
                end: b"z".to_vec(),
            },
            Scope::Row(b"row".to_vec()),
            Scope::StaticRow,
        ];
        for (scope, value) in scopes.into_iter().zip([&b""[..], b"z", b"", b""]) {
            let entry = Entry {
                table: TableId(5),
                due: -7,
                partition: partition.clone(),
                scope,
            };
            let key = entry.key();
            let mut sealed = value.to_vec();
            seal(PURGE_SPACE, &key, &mut sealed);
            assert_eq!(Entry::decode(&key, sealed.into()).unwrap(), entry);
            assert!(due_key(TableId(5), AT_ONCE) < key && key < due_key(TableId(5), -6));
            assert!(due_key(TableId(5), -8) < key && key < due_key(TableId(6), AT_ONCE));
        }
        assert!(!is_entry(b"nonsense", b""));
    }
}
