//! Keys: where each part of a partition is stored.
//!
//! ```text
//! key       := partition kind:u8 rest
//! partition := token:8 (big endian, sign flipped) length:u16 (big endian) key bytes
//! kind 0x10 partition record   rest is empty
//! kind 0x20 range deletion     rest is the start position
//! kind 0x30 row                rest is the clustering
//! kind 0x40 spilled value      rest is home, column id:4 (big endian)
//! kind 0x41 spilled element    rest is home, column id:4 (big endian), path
//! home      := 0 (the static row) | 1 clustering
//! ```
//!
//! A *clustering* is the byte-comparable encoding of all clustering values (`stoa_types::ordered`),
//! prefix-free, so rows sort as Cassandra sorts them. A *position* is such an encoding cut short
//! and ended below or above everything that continues it: no row equals a position, so every slice
//! is a half-open interval of positions.
//!
//! Invariants:
//! 1. All keys of one partition are adjacent; partitions are in token order.
//! 2. Inside a partition: its record, range deletions by start, rows in clustering order, spills.
//! 3. No key is longer than [`MAX_KEY_BYTES`]; longer ones are refused before anything is stored.

use stoa_types::token::Token;

use crate::cell::ColumnId;
use crate::error::StoreError;
use crate::kv::Bytes;

/// The longest key the storage can hold.
pub const MAX_KEY_BYTES: usize = 65_535;

const RECORD: u8 = 0x10;
const RANGE: u8 = 0x20;
const ROW: u8 = 0x30;
const SPILLED_VALUE: u8 = 0x40;
const SPILLED_ELEMENT: u8 = 0x41;

/// A partition's key with its token, in stored form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionKey {
    /// Bytes, because those that are few take no memory of their own.
    prefix: Bytes,
}

impl PartitionKey {
    /// The partition with this serialized key (one component, or Cassandra's composite form).
    pub fn new(key: &[u8]) -> Result<Self, StoreError> {
        let length = u16::try_from(key.len()).map_err(|_| StoreError::KeyTooLong {
            length: key.len(),
            limit: MAX_KEY_BYTES,
        })?;
        let mut prefix = Vec::with_capacity(key.len() + 10);
        prefix.extend_from_slice(&Token::of_partition_key(key).to_ordered_bytes());
        prefix.extend_from_slice(&length.to_be_bytes());
        prefix.extend_from_slice(key);
        Ok(Self {
            prefix: prefix.into(),
        })
    }

    /// The partition of a key that [`split_prefix`] took apart.
    pub(crate) fn from_prefix(prefix: &[u8]) -> Self {
        Self {
            prefix: prefix.into(),
        }
    }

    /// The serialized key.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.prefix.get(10..).unwrap_or_default()
    }

    /// The token.
    #[must_use]
    pub fn token(&self) -> Token {
        let first = self.prefix.first_chunk().copied().unwrap_or_default();
        Token::from_ordered_bytes(first)
    }

    /// What all keys of the partition begin with.
    #[must_use]
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// The key of the partition record.
    #[must_use]
    pub fn record(&self) -> Vec<u8> {
        self.with(RECORD, &[])
    }

    /// The key of the range deletion that starts at `start`.
    #[must_use]
    pub fn range(&self, start: &[u8]) -> Vec<u8> {
        self.with(RANGE, start)
    }

    /// The first key after all range deletions that start at or below `position`.
    #[must_use]
    pub fn after_range(&self, position: &[u8]) -> Vec<u8> {
        let mut key = self.with(RANGE, position);
        key.push(0);
        key
    }

    /// Below all range deletions, and above them.
    #[must_use]
    pub fn all_ranges(&self) -> (Vec<u8>, Vec<u8>) {
        (self.with(RANGE, &[]), self.with(RANGE + 1, &[]))
    }

    /// The key of the row with this clustering.
    #[must_use]
    pub fn row(&self, clustering: &[u8]) -> Vec<u8> {
        self.with(ROW, clustering)
    }

    /// Appends the key of the row with this clustering.
    pub(crate) fn put_row(&self, key: &mut Vec<u8>, clustering: &[u8]) {
        key.reserve(self.prefix.len() + 1 + clustering.len());
        key.extend_from_slice(&self.prefix);
        key.push(ROW);
        key.extend_from_slice(clustering);
    }

    /// Above all rows of the partition.
    #[must_use]
    pub fn after_rows(&self) -> Vec<u8> {
        self.with(ROW + 1, &[])
    }

    /// The first key after everything of the partition.
    #[must_use]
    pub fn after(&self) -> Vec<u8> {
        self.with(0xff, &[])
    }

    /// Where the value of a cell is when it is spilled.
    #[must_use]
    pub fn spilled_value(&self, clustering: Option<&[u8]>, column: ColumnId) -> Vec<u8> {
        let mut key = self.spilled_home(SPILLED_VALUE, clustering);
        key.extend_from_slice(&column.0.to_be_bytes());
        key
    }

    /// Where an element of a spilled collection is.
    #[must_use]
    pub fn spilled_element(
        &self,
        clustering: Option<&[u8]>,
        column: ColumnId,
        path: &[u8],
    ) -> Vec<u8> {
        let mut key = self.spilled_column(clustering, column);
        key.extend_from_slice(path);
        key
    }

    /// What the keys of all elements of a spilled collection begin with.
    #[must_use]
    pub fn spilled_column(&self, clustering: Option<&[u8]>, column: ColumnId) -> Vec<u8> {
        let mut key = self.spilled_home(SPILLED_ELEMENT, clustering);
        key.extend_from_slice(&column.0.to_be_bytes());
        key
    }

    fn spilled_home(&self, kind: u8, clustering: Option<&[u8]>) -> Vec<u8> {
        let mut key = self.with(kind, &[u8::from(clustering.is_some())]);
        key.extend_from_slice(clustering.unwrap_or_default());
        key
    }

    fn with(&self, kind: u8, rest: &[u8]) -> Vec<u8> {
        let mut key = Vec::with_capacity(self.prefix.len() + 1 + rest.len() + 6);
        key.extend_from_slice(&self.prefix);
        key.push(kind);
        key.extend_from_slice(rest);
        key
    }
}

/// What a stored key is the key of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind<'a> {
    /// The partition record.
    Record,
    /// A range deletion and its start.
    Range(&'a [u8]),
    /// A row and its clustering.
    Row(&'a [u8]),
    /// A spilled value.
    SpilledValue,
    /// A spilled element.
    SpilledElement,
}

/// Takes a stored key apart; `None` if no writer made it.
#[must_use]
pub fn split(key: &[u8]) -> Option<(PartitionKey, KeyKind<'_>)> {
    let (prefix, rest) = split_prefix(key)?;
    let (kind, rest) = rest.split_first()?;
    let kind = match *kind {
        RECORD if rest.is_empty() => KeyKind::Record,
        RANGE => KeyKind::Range(rest),
        ROW => KeyKind::Row(rest),
        SPILLED_VALUE => KeyKind::SpilledValue,
        SPILLED_ELEMENT => KeyKind::SpilledElement,
        _ => return None,
    };
    Some((PartitionKey::from_prefix(prefix), kind))
}

/// The partition part of a stored key, and what follows it.
#[must_use]
pub fn split_prefix(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = key.get(8..)?.first_chunk::<2>()?;
    key.split_at_checked(10 + usize::from(u16::from_be_bytes(*length)))
}

/// The clustering inside the key of a row, without taking the rest apart.
#[must_use]
pub fn clustering_of_row<'a>(partition: &PartitionKey, key: &'a [u8]) -> &'a [u8] {
    key.get(partition.prefix.len() + 1..).unwrap_or_default()
}

/// The first key after all that begin with `prefix`.
#[must_use]
pub fn after_prefix(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < 0xff {
            end.push(last + 1);
            break;
        }
    }
    end
}

/// Refuses a key that is too long to store.
pub fn check_length(key: &[u8]) -> Result<(), StoreError> {
    if key.len() > MAX_KEY_BYTES {
        return Err(StoreError::KeyTooLong {
            length: key.len(),
            limit: MAX_KEY_BYTES,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_partition_sort_as_said() {
        let partition = PartitionKey::new(b"k").unwrap();
        let in_order = [
            partition.record(),
            partition.range(b""),
            partition.range(b"\x40a"),
            partition.after_range(b"\x40a"),
            partition.row(b"\x40a"),
            partition.row(b"\x40b"),
            partition.after_rows(),
            partition.spilled_value(Some(b"\x40a"), ColumnId(1)),
            partition.spilled_element(Some(b"\x40a"), ColumnId(1), b"p"),
            partition.after(),
        ];
        assert!(in_order.is_sorted());
        assert_eq!(
            split(&in_order[4]),
            Some((partition.clone(), KeyKind::Row(b"\x40a")))
        );
        assert_eq!(clustering_of_row(&partition, &in_order[4]), b"\x40a");
        assert_eq!(partition.bytes(), b"k");
    }

    #[test]
    fn partitions_sort_by_token() {
        let mut keys: Vec<_> = (0..500_u32)
            .map(|n| PartitionKey::new(&n.to_be_bytes()).unwrap())
            .collect();
        keys.sort();
        assert!(keys.is_sorted_by_key(PartitionKey::token));
        assert!(keys[0].token() < Token(0));
    }

    #[test]
    fn long_keys_are_refused() {
        assert!(PartitionKey::new(&vec![1; 65_535]).is_ok());
        assert!(PartitionKey::new(&vec![1; 65_536]).is_err());
        assert!(check_length(&vec![1; MAX_KEY_BYTES + 1]).is_err());
    }

    #[test]
    fn foreign_keys_are_not_taken_apart() {
        for key in [
            &b""[..],
            b"short",
            &[0; 9],
            &[0; 10],
            &[0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7, 0x77],
        ] {
            assert_eq!(split(key), None);
        }
    }
}
