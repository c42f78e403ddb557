//! Large values and collections get keys of their own, so that a small change beside them does not
//! rewrite them.
//!
//! A cell whose value is longer than [`SPILL_BYTES`] is stored under the row's key for that column;
//! the row keeps length and hash. A collection that packs to more than that is stored element by
//! element; it stays so until the row is gone.
//!
//! Invariants:
//! 1. The keys of a spilled value change in the same commit as the row that refers to it.
//! 2. A value's key is removed when the row no longer refers to it.

use std::cmp::Ordering;

use xxhash_rust::xxh3::xxh3_64;

use super::overlay::Overlay;
use crate::cell::{CellRef, ColumnId, ColumnRef, ComplexRef, Elements, RowRef, ValueRef};
use crate::error::StoreError;
use crate::key::PartitionKey;
use crate::kv::SpaceId;
use crate::partition::Access;
use crate::row::merge::SpilledValues;
use crate::row::packed::{self, SPILL_BYTES};
use crate::seal::seal;

/// The hash a row keeps of a spilled value.
#[must_use]
pub fn value_hash(value: &[u8]) -> u64 {
    xxh3_64(value)
}

/// One row's home for spilled parts.
#[derive(Clone, Copy)]
pub(crate) struct Home<'a> {
    pub(crate) space: SpaceId,
    pub(crate) partition: &'a PartitionKey,
    pub(crate) clustering: Option<&'a [u8]>,
}

impl Home<'_> {
    /// Writes a checked value.
    pub(crate) fn put(
        &self,
        overlay: &mut Overlay<'_>,
        key: &[u8],
        mut value: Vec<u8>,
    ) -> Result<(), StoreError> {
        seal(self.space, key, &mut value);
        overlay.put(self.space, key, &value)
    }

    /// The columns of `row` whose single value is spilled.
    pub(crate) fn spilled_columns(row: &RowRef<'_>) -> Vec<ColumnId> {
        let is_spilled = |column: &ColumnRef<'_>| match column {
            ColumnRef::Cell(cell) => matches!(cell.value(), Some(ValueRef::Spilled { .. })),
            ColumnRef::Counter(_) | ColumnRef::Complex(_) => false,
        };
        row.columns
            .iter()
            .filter(|(_, column)| is_spilled(column))
            .map(|(id, _)| *id)
            .collect()
    }

    /// Moves what is too large out of `row`, and removes what `before` had spilled in vain.
    pub(crate) fn spill<'a>(
        &self,
        overlay: &mut Overlay<'_>,
        row: &mut RowRef<'a>,
        before: &[ColumnId],
    ) -> Result<(), StoreError> {
        for (id, column) in &mut row.columns {
            match column {
                ColumnRef::Cell(cell) => self.spill_cell(overlay, *id, cell)?,
                ColumnRef::Complex(complex) => self.spill_elements(overlay, *id, complex)?,
                ColumnRef::Counter(_) => {}
            }
        }
        let after = Self::spilled_columns(row);
        for column in before.iter().filter(|column| !after.contains(column)) {
            let key = self.partition.spilled_value(self.clustering, *column);
            overlay.remove(self.space, &key);
        }
        Ok(())
    }

    fn spill_cell(
        &self,
        overlay: &mut Overlay<'_>,
        column: ColumnId,
        cell: &mut CellRef<'_>,
    ) -> Result<(), StoreError> {
        let Some(ValueRef::Inline(value)) = cell.value() else {
            return Ok(());
        };
        if value.len() <= SPILL_BYTES {
            return Ok(());
        }
        let length = u32::try_from(value.len())
            .map_err(|_| StoreError::Invalid("a value is longer than 4 GiB"))?;
        let key = self.partition.spilled_value(self.clustering, column);
        self.put(overlay, &key, value.to_vec())?;
        *cell = cell.with_value(ValueRef::Spilled {
            length,
            hash: value_hash(value),
        });
        Ok(())
    }

    fn spill_elements(
        &self,
        overlay: &mut Overlay<'_>,
        column: ColumnId,
        complex: &mut ComplexRef<'_>,
    ) -> Result<(), StoreError> {
        let Elements::Inline(elements) = &complex.elements else {
            return Ok(());
        };
        let size = |cell: &CellRef<'_>| match cell.value() {
            Some(ValueRef::Inline(value)) => value.len() + 12,
            _ => 20,
        };
        let packed: usize = elements
            .iter()
            .map(|(path, cell)| path.len() + size(cell))
            .sum();
        if packed <= SPILL_BYTES {
            return Ok(());
        }
        for (path, cell) in elements {
            self.put_element(overlay, column, path, cell)?;
        }
        complex.elements = Elements::Spilled;
        Ok(())
    }

    /// Writes one element of a spilled collection.
    pub(crate) fn put_element(
        &self,
        overlay: &mut Overlay<'_>,
        column: ColumnId,
        path: &[u8],
        cell: &CellRef<'_>,
    ) -> Result<(), StoreError> {
        let key = self
            .partition
            .spilled_element(self.clustering, column, path);
        let mut value = Vec::with_capacity(32);
        packed::put_single_cell(&mut value, cell);
        self.put(overlay, &key, value)
    }
}

/// Compares with spilled values as they are in the overlay.
pub(crate) struct Lookup<'a, 's> {
    pub(crate) home: Home<'a>,
    pub(crate) overlay: &'a Overlay<'s>,
}

impl SpilledValues for Lookup<'_, '_> {
    fn compare(&self, column: ColumnId, other: &[u8]) -> Result<Ordering, StoreError> {
        let space = self.home.space;
        let key = self
            .home
            .partition
            .spilled_value(self.home.clustering, column);
        let access = Access {
            read: self.overlay,
            space,
        };
        let value = access
            .get(&key)?
            .ok_or_else(|| StoreError::damaged_key(space, &key, "spilled value is missing"))?;
        Ok((*value).cmp(other))
    }
}
