//! The value of a collection or user type that is stored cell by cell.
//!
//! ```text
//! list       path: a time UUID, which orders the elements    cell: the element
//! set        path: the element                               cell: nothing
//! map        path: the key                                   cell: the value
//! user type  path: the number of the field (2 bytes)         cell: the field
//! ```
//! Sets and maps are stored in the order of their paths' bytes and told in the order of their type.
//! Elements and keys of types that have several forms of one value are stored otherwise; see
//! [`element`].

use stoa_store::cell::{CellRef, Elements, ValueRef};
use stoa_types::{DataType, compare, frames};

use super::element;

/// The native bytes of a value that is stored cell by cell.
pub(super) fn value(data_type: &DataType, elements: &Elements<'_>) -> Option<Vec<u8>> {
    let Elements::Inline(elements) = elements else {
        return None;
    };
    match data_type {
        DataType::Set {
            element: data_type, ..
        } => {
            let all = elements.iter();
            let mut all: Vec<&[u8]> = all
                .map(|(path, cell)| element::element(path, inline(cell)))
                .collect();
            all.sort_by(|left, right| compare::compare(data_type, left, right));
            framed(all.len(), all.into_iter())
        }
        DataType::Map { key, .. } => {
            let mut pairs = elements
                .iter()
                .map(|(path, cell)| element::entry(key, path, inline(cell)))
                .collect::<Option<Vec<_>>>()?;
            pairs.sort_by(|(left, _), (right, _)| compare::compare(key, left, right));
            let parts = pairs.iter().flat_map(|(key, value)| [*key, &**value]);
            framed(pairs.len(), parts)
        }
        DataType::UserDefined(user_type) => {
            let mut out = Vec::new();
            for number in 0..user_type.fields.len() {
                let path = field_path(number);
                let cell = elements.iter().find(|(it, _)| **it == path);
                frames::write_part(cell.map(|(_, cell)| inline(cell)), &mut out)?;
            }
            Some(out)
        }
        _ => framed(
            elements.len(),
            elements.iter().map(|(_, cell)| inline(cell)),
        ),
    }
}

/// The path of a field of a user type.
pub(crate) fn field_path(number: usize) -> [u8; 2] {
    u16::try_from(number).unwrap_or(u16::MAX).to_be_bytes()
}

fn inline<'a>(cell: &CellRef<'a>) -> &'a [u8] {
    match cell.value() {
        Some(ValueRef::Inline(bytes)) => bytes,
        Some(ValueRef::Spilled { .. }) | None => &[],
    }
}

fn framed<'a>(count: usize, parts: impl Iterator<Item = &'a [u8]>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    frames::write_count(count, &mut out)?;
    for part in parts {
        frames::write_part(Some(part), &mut out)?;
    }
    Some(out)
}
