//! Columns of many cells: sets and maps that are not frozen, taken apart and put together.

use std::sync::Arc;

use stoa_session::Error;
use stoa_types::{DataType, compare};

use super::invalid;
use super::term::{collection, parts_of};
use crate::store::cell::{Bytes, Cell};
use crate::store::row::Row;

/// What a written cell has besides its value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp {
    /// Microseconds.
    pub(crate) timestamp: i64,
    /// Seconds.
    pub(crate) expires_at: Option<i64>,
}

impl Stamp {
    /// A cell with this value.
    pub(crate) fn cell(self, value: Bytes) -> Cell {
        Cell {
            timestamp: self.timestamp,
            value: Some(value),
            expires_at: self.expires_at,
        }
    }
}

/// Adds the elements of a set or map to a row.
pub(crate) fn add(
    row: &mut Row,
    column: u16,
    data_type: &DataType,
    value: &[u8],
    stamp: Stamp,
) -> Result<(), Error> {
    let nothing: Bytes = Arc::from([]);
    match data_type {
        DataType::Set { .. } => {
            for path in parts_of(value, 1)? {
                let cell = stamp.cell(Arc::clone(&nothing));
                row.put_element(column, Arc::from(path), cell);
            }
        }
        DataType::Map { .. } => {
            for entry in parts_of(value, 2)?.chunks(2) {
                if let [path, value] = entry {
                    let cell = stamp.cell(Arc::from(*value));
                    row.put_element(column, Arc::from(*path), cell);
                }
            }
        }
        other => return Err(invalid(format!("{other} has no elements to add"))),
    }
    Ok(())
}

/// Deletes elements of a set, or those of a map with these keys.
pub(crate) fn remove(
    row: &mut Row,
    column: u16,
    paths: &[u8],
    timestamp: i64,
) -> Result<(), Error> {
    for path in parts_of(paths, 1)? {
        row.put_element(column, Arc::from(path), Cell::tombstone(timestamp));
    }
    Ok(())
}

/// The value of a column of many cells; `None` if no element shows.
pub(crate) fn read(
    row: &Row,
    column: u16,
    data_type: &DataType,
    shadow: i64,
    now_seconds: i64,
) -> Option<Vec<u8>> {
    let (path_type, is_map) = match data_type {
        DataType::Set { element, .. } => (element, false),
        DataType::Map { key, .. } => (key, true),
        _ => return None,
    };
    let mut found: Vec<(&Bytes, &Cell)> = row.elements(column, shadow, now_seconds).collect();
    found.sort_by(|left, right| compare::compare(path_type, left.0, right.0));
    let mut parts: Vec<&[u8]> = Vec::new();
    for (path, cell) in &found {
        parts.push(path);
        if is_map {
            parts.push(cell.value.as_deref().unwrap_or_default());
        }
    }
    (!found.is_empty()).then(|| collection(found.len(), &parts))
}
