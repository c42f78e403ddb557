//! How the elements of sets and the entries of maps are stored.
//!
//! Elements that compare equal are one element, though their bytes may differ: 1.0 and 1.00, or two
//! NaNs. So the path of a cell is what stands for all of them, and the cell keeps the bytes that
//! were written, where they are others. Of two writes the later one is told whole, as in Cassandra.
//!
//! ```text
//! type of elements or keys   path                    cell of a set           cell of a map
//! one form per value         the bytes               nothing                 the value
//! more than one              their representative    nothing, or the bytes   the value, escaped;
//!                                                                            then nothing, or 40
//!                                                                            and the key's bytes
//! ```
//! A map's value comes first and escaped, so that of two cells of one time still that of the greater
//! value wins.

use std::borrow::Cow;

use stoa_types::{DataType, frames, ordered};

/// Between a value and the bytes of its key; any byte that the escaped form allows after it.
const KEY_FOLLOWS: u8 = 0x40;

/// The type of the elements of a set or the keys of a map.
pub(crate) fn key_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Map { key, .. } => key,
        DataType::Set { element, .. } => element,
        other => other,
    }
}

/// The path of an element of a set or a key of a map.
pub(crate) fn path<'a>(keys: &DataType, native: &'a [u8]) -> Cow<'a, [u8]> {
    ordered::representative(keys, native).unwrap_or(Cow::Borrowed(native))
}

/// The cell of an element of a set.
pub(crate) fn element_cell(path: &[u8], native: &[u8]) -> Vec<u8> {
    match path == native {
        true => Vec::new(),
        false => native.to_vec(),
    }
}

/// The cell of an entry of a map.
pub(crate) fn entry_cell<'a>(
    keys: &DataType,
    path: &[u8],
    native: &[u8],
    value: Cow<'a, [u8]>,
) -> Cow<'a, [u8]> {
    if ordered::has_one_form(keys) {
        return value;
    }
    let mut cell = Vec::new();
    ordered::escape(&value, &mut cell);
    if path != native {
        cell.push(KEY_FOLLOWS);
        cell.extend_from_slice(native);
    }
    Cow::Owned(cell)
}

/// An element of a set, as it was written.
pub(super) fn element<'a>(path: &'a [u8], cell: &'a [u8]) -> &'a [u8] {
    if cell.is_empty() { path } else { cell }
}

/// Key and value of an entry of a map, as they were written; `None` if the cell is damaged.
pub(crate) fn entry<'a>(
    keys: &DataType,
    path: &'a [u8],
    cell: &'a [u8],
) -> Option<(&'a [u8], Cow<'a, [u8]>)> {
    if ordered::has_one_form(keys) {
        return Some((path, Cow::Borrowed(cell)));
    }
    let (value, rest) = ordered::unescape(cell).ok()?;
    let key = match rest.split_first() {
        Some((&KEY_FOLLOWS, key)) => key,
        Some(_) => return None,
        None => path,
    };
    Some((key, Cow::Owned(value)))
}

/// Keys and values.
pub(crate) type Pairs<'v> = Vec<(&'v [u8], &'v [u8])>;

/// Keys and values of a map; each element twice for others.
pub(crate) fn pairs<'v>(data_type: &DataType, value: &'v [u8]) -> Option<Pairs<'v>> {
    let is_map = matches!(data_type, DataType::Map { .. });
    let (_, parts) = frames::nullable_parts(value, if is_map { 2 } else { 1 }).ok()?;
    let parts: Vec<Option<&[u8]>> = parts.collect::<Result<_, _>>().ok()?;
    // A frozen list may hold nulls, which equal nothing; a map holds none.
    let parts: Vec<&[u8]> = parts.into_iter().flatten().collect();
    Some(match is_map {
        true => parts
            .chunks_exact(2)
            .filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)))
            .collect(),
        false => parts.into_iter().map(|it| (it, it)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &[u8] = &[0, 0, 0, 1, 10];
    const ALSO_ONE: &[u8] = &[0, 0, 0, 3, 3, 0xE8];

    fn cell<'a>(native: &[u8], value: &'a [u8]) -> Cow<'a, [u8]> {
        let path = path(&DataType::Decimal, native);
        entry_cell(&DataType::Decimal, &path, native, Cow::Borrowed(value))
    }

    #[test]
    fn equal_elements_share_a_path_and_keep_their_bytes() {
        let shared = path(&DataType::Decimal, ONE);
        assert_eq!(shared, path(&DataType::Decimal, ALSO_ONE));
        for native in [ONE, ALSO_ONE, &shared] {
            assert_eq!(element(&shared, &element_cell(&shared, native)), native);
            for value in [&b""[..], b"\0", b"a\0", b"ab"] {
                let cell = cell(native, value);
                let read = entry(&DataType::Decimal, &shared, &cell);
                assert_eq!(read, Some((native, Cow::Borrowed(value))));
            }
        }
    }

    #[test]
    fn cells_of_a_map_sort_by_their_values_first() {
        let values = [&b""[..], b"\0", b"\0\0", b"\0a", b"a", b"a\0", b"ab"];
        for (at, lesser) in values.iter().enumerate() {
            for greater in values.iter().skip(at + 1) {
                assert!(cell(ONE, lesser) < cell(ALSO_ONE, greater));
                assert!(cell(ALSO_ONE, lesser) < cell(ONE, greater));
            }
        }
    }

    #[test]
    fn values_of_one_form_are_stored_as_they_are() {
        assert_eq!(path(&DataType::Text, b"k"), &b"k"[..]);
        let value = Cow::Borrowed(&b"v"[..]);
        let cell = entry_cell(&DataType::Text, b"k", b"k", value.clone());
        assert_eq!(cell, value);
        assert_eq!(entry(&DataType::Text, b"k", b"v"), Some((&b"k"[..], value)));
    }
}
