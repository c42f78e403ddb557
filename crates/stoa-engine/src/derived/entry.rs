//! The keys of index entries.
//!
//! All entries of an index are rows of one partition, whose key is empty:
//!
//! ```text
//! clustering := value place length:u16
//! value      := the indexed value in bytes that sort like it (stoa_types::ordered), the first 512
//! place      := token:8 key_length:u16 key 00               the whole partition
//!             | token:8 key_length:u16 key 01 clustering    one row of it
//! length     := that of value
//! ```
//!
//! So the entries of one value are neighbours and in the order of the base table, which is the
//! order of answers, and the entries of a range of values are neighbours too. The row itself holds
//! a mark with the expiry of what is indexed and nothing else.
//!
//! Invariants:
//! 1. Places compare as the keys of the base table do.
//! 2. No value is the beginning of another, unless both are cut; cut ones are equally long.
//! 3. The key of an entry is at most 536 bytes longer than the key of its row.

use std::ops::Range;

use stoa_store::StoreError;
use stoa_store::cell::{Expiry, Liveness, RowRef};
use stoa_store::key::{PartitionKey, after_prefix, split_prefix};
use stoa_store::row::PackedRow;

/// How much of a value is kept. Entries are checked against their rows, so longer values that
/// begin alike cost reads and nothing else.
const MOST_VALUE_BYTES: usize = 512;

const WHOLE: u8 = 0;
const ROW: u8 = 1;

/// The partition of all entries of an index.
pub(crate) fn partition() -> Result<PartitionKey, StoreError> {
    PartitionKey::new(&[])
}

/// The value as entries keep it.
pub(crate) fn cut(mut value: Vec<u8>) -> Vec<u8> {
    value.truncate(MOST_VALUE_BYTES);
    value
}

/// The interval of entries whose values lie in an interval of positions.
pub(crate) fn cut_range(range: Range<Vec<u8>>) -> Range<Vec<u8>> {
    let end = match range.end.len() > MOST_VALUE_BYTES {
        true => after_prefix(&cut(range.end)),
        false => range.end,
    };
    cut(range.start)..end
}

/// The place of a row, or of a whole partition.
pub(crate) fn place(partition: &PartitionKey, clustering: Option<&[u8]>) -> Vec<u8> {
    let mut place = partition.prefix().to_vec();
    match clustering {
        Some(clustering) => {
            place.push(ROW);
            place.extend_from_slice(clustering);
        }
        None => place.push(WHOLE),
    }
    place
}

/// The place after everything of a partition.
pub(crate) fn after_partition(partition: &PartitionKey) -> Vec<u8> {
    let mut place = partition.prefix().to_vec();
    place.push(ROW + 1);
    place
}

/// Takes a place apart.
pub(crate) fn split_place(place: &[u8]) -> Option<(PartitionKey, Option<&[u8]>)> {
    let (prefix, rest) = split_prefix(place)?;
    let partition = PartitionKey::new(prefix.get(10..)?).ok()?;
    match rest.split_first()? {
        (&WHOLE, []) => Some((partition, None)),
        (&ROW, clustering) => Some((partition, Some(clustering))),
        _ => None,
    }
}

/// The clustering of an entry; `value` is cut already.
pub(crate) fn clustering(value: &[u8], place: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len() + place.len() + 2);
    out.extend_from_slice(value);
    out.extend_from_slice(place);
    let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    out
}

/// The value and the place in the clustering of an entry.
pub(crate) fn split(clustering: &[u8]) -> Option<(&[u8], &[u8])> {
    let (body, length) = clustering.split_last_chunk::<2>()?;
    body.split_at_checked(usize::from(u16::from_be_bytes(*length)))
}

/// The row of an entry: it ends when what it indexes does.
pub(crate) fn row(expiry: Option<Expiry>) -> Result<PackedRow, StoreError> {
    PackedRow::encode(&RowRef {
        liveness: Some(Liveness {
            timestamp: 0,
            expiry,
        }),
        ..RowRef::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_apart_as_it_was_put_together() {
        let key = PartitionKey::new(b"k").unwrap();
        for clustering_of_row in [None, Some(&b""[..]), Some(b"\x40abc\x38")] {
            let place = place(&key, clustering_of_row);
            let entry = clustering(b"\x40value\x38", &place);
            let (value, found) = split(&entry).unwrap();
            assert_eq!(value, b"\x40value\x38");
            assert_eq!(found, place);
            assert_eq!(split_place(found), Some((key.clone(), clustering_of_row)));
        }
        assert_eq!(split(b"x"), None);
        assert_eq!(split(b"ab\xff\xff"), None);
        assert_eq!(split_place(b"short"), None);
    }

    #[test]
    fn places_sort_as_the_rows_of_the_table() {
        let keys: Vec<_> = (0..50_u8)
            .map(|it| PartitionKey::new(&[it]).unwrap())
            .collect();
        let mut places = Vec::new();
        let mut rows = Vec::new();
        for key in &keys {
            for clustering in [&b"\x40a"[..], b"\x40b"] {
                places.push((place(key, Some(clustering)), key.row(clustering)));
                rows.push(key.row(clustering));
            }
            assert!(place(key, None) < place(key, Some(b"")));
            assert!(place(key, Some(&[0xfe])) < after_partition(key));
        }
        places.sort();
        rows.sort();
        assert!(places.iter().map(|it| &it.1).eq(&rows));
    }

    #[test]
    fn long_values_are_cut_and_still_found() {
        let long = vec![7; 600];
        let kept = cut(long.clone());
        assert_eq!(kept.len(), MOST_VALUE_BYTES);
        let range = cut_range(long.clone()..long);
        assert!(range.start <= kept && kept < range.end);
    }
}
