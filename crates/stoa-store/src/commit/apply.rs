//! Applies one update to a commit group's overlay: read, merge, write, key by key.
//!
//! Order inside one update: the deletion of the partition, range deletions, the static row, rows.
//! What a deletion covers, stored or new, is dropped when it is merged; rows stored before a
//! deletion of their partition or range are left where they are and shadowed when read.
//!
//! Invariants:
//! 1. Every deletion that shadows other keys leaves an entry for the janitor in the same commit.
//! 2. A row is written under the deletions stored when it is written: what they cover never gets
//!    in, so that nothing can come back when they are forgotten.

use std::sync::Arc;

use super::overlay::{Overlay, RowBuffers};
use super::spill::{Home, Lookup};
use crate::cell::{ColumnId, ColumnRef, ComplexRef, Deletion, Elements, RowRef, is_covered};
use crate::error::StoreError;
use crate::key::PartitionKey;
use crate::mutation::PartitionUpdate;
use crate::partition::Access;
use crate::purge_queue::{AT_ONCE, Entry, Scope};
use crate::reconcile;
use crate::record::Record;
use crate::row::merge::{merge, winner};
use crate::row::merge_short::merge_short;
use crate::row::purge::{cell_end, earliest_end, has_spilled};
use crate::row::{PackedRow, packed};
use crate::seal::{CHECK_BYTES, Seal, Verified, seal};
use crate::table::Table;
use crate::tombstone::{self, RangeDeletion};

/// Applies `update`, which must be valid, to the overlay.
pub(crate) fn apply(
    overlay: &mut Overlay<'_>,
    table: &Arc<Table>,
    update: &PartitionUpdate,
) -> Result<(), StoreError> {
    let writer = Writer {
        table,
        partition: &update.partition,
    };
    if !table.has_records && !update.writes_record() {
        let none = Record::default();
        let mut rows = update.rows.iter();
        return rows.try_for_each(|(key, row)| writer.write_row(overlay, &none, key, row));
    }
    let record_key = update.partition.record();
    let stored = Access {
        read: overlay,
        space: table.space,
    }
    .get(&record_key)?;

    let undecodable = StoreError::undecodable(table.space, &record_key);
    let mut record = match &stored {
        Some(bytes) => Record::decode(bytes).map_err(&undecodable)?,
        None => Record::default(),
    };
    let changes_record = update.deletion.is_some()
        || update.static_row.is_some()
        || (!update.ranges.is_empty() && !record.has_ranges);
    if let Some(deletion) = update.deletion {
        record.deletion = reconcile::deletions(record.deletion, Some(deletion));
        writer.enqueue(overlay, deletion.deleted_at, Scope::Partition)?;
    }
    for range in &update.ranges {
        if range.start < range.end {
            writer.lay_range(overlay, range)?;
            record.has_ranges = true;
        }
    }
    let mut static_bytes = Vec::new();
    if changes_record {
        let row = match record.static_row {
            [] => RowRef::default(),
            bytes => packed::decode(bytes).map_err(&undecodable)?,
        };
        let change = match &update.static_row {
            Some(change) => change.decode().map_err(&undecodable)?,
            None => RowRef::default(),
        };
        let merged = writer.merge_row(overlay, None, row, change, record.deletion)?;
        if !merged.is_empty() {
            packed::encode_into(&merged, &mut static_bytes);
        }
        record.static_row = &static_bytes;
        writer.put_or_remove(overlay, &record_key, record.is_empty(), record.encode())?;
    }
    for (clustering, row) in &update.rows {
        writer.write_row(overlay, &record, clustering, row)?;
    }
    Ok(())
}

/// Puts a row in the place of whatever is stored there, or removes that.
pub(crate) fn replace(
    overlay: &mut Overlay<'_>,
    table: &Arc<Table>,
    partition: &PartitionKey,
    clustering: &[u8],
    row: Option<&PackedRow>,
) -> Result<(), StoreError> {
    let writer = Writer { table, partition };
    let key = partition.row(clustering);
    writer.remove_row(overlay, &key, clustering)?;
    match row {
        Some(row) => writer.write_row(overlay, &Record::default(), clustering, row),
        None => Ok(()),
    }
}

struct Writer<'a> {
    table: &'a Arc<Table>,
    partition: &'a PartitionKey,
}

impl Writer<'_> {
    fn put_or_remove(
        &self,
        overlay: &mut Overlay<'_>,
        key: &[u8],
        is_empty: bool,
        mut value: Vec<u8>,
    ) -> Result<(), StoreError> {
        if is_empty {
            overlay.remove(self.table.space, key);
            return Ok(());
        }
        seal(self.table.space, key, &mut value);
        overlay.put(self.table.space, key, &value)
    }

    fn enqueue(&self, overlay: &mut Overlay<'_>, due: i64, scope: Scope) -> Result<(), StoreError> {
        let partition = self.partition.clone();
        Entry {
            table: self.table.id,
            due,
            partition,
            scope,
        }
        .put(overlay)
    }

    fn lay_range(&self, overlay: &mut Overlay<'_>, new: &RangeDeletion) -> Result<(), StoreError> {
        let space = self.table.space;
        let access = Access {
            read: overlay,
            space,
        };
        let touched = access.ranges_touching(self.partition, &new.start, &new.end)?;
        let laid = tombstone::overlay(&touched, new);
        for old in touched
            .iter()
            .filter(|old| !laid.iter().any(|it| it.start == old.start))
        {
            overlay.remove(space, &self.partition.range(&old.start));
        }
        for piece in laid.iter().filter(|piece| !touched.contains(piece)) {
            let key = self.partition.range(&piece.start);
            let mut value = piece.encode();
            seal(space, &key, &mut value);
            overlay.put(space, &key, &value)?;
        }
        let scope = Scope::Range {
            start: new.start.clone(),
            end: new.end.clone(),
        };
        self.enqueue(overlay, new.deletion.deleted_at, scope)
    }

    /// Removes a row with everything that was moved out of it to keys of its own.
    fn remove_row(
        &self,
        overlay: &mut Overlay<'_>,
        key: &[u8],
        clustering: &[u8],
    ) -> Result<(), StoreError> {
        let space = self.table.space;
        let access = Access {
            read: overlay,
            space,
        };
        let Some(stored) = access.get(key)? else {
            return Ok(());
        };
        let mut keys = Vec::new();
        if packed::says_spilled(&stored) {
            let row = packed::decode(&stored).map_err(StoreError::undecodable(space, key))?;
            for column in Home::spilled_columns(&row) {
                keys.push(
                    self.partition
                        .spilled_value(Some(clustering), column)
                        .into(),
                );
            }
            for (column, _) in &row.columns {
                if spilled_collection(&row, *column).is_some() {
                    let elements =
                        access.spilled_elements(self.partition, Some(clustering), *column)?;
                    keys.extend(elements.into_iter().map(|it| it.key));
                }
            }
        }
        for spilled in keys {
            overlay.remove(space, &spilled);
        }
        overlay.remove(space, key);
        Ok(())
    }

    fn write_row(
        &self,
        overlay: &mut Overlay<'_>,
        record: &Record<'_>,
        clustering: &[u8],
        update: &PackedRow,
    ) -> Result<(), StoreError> {
        let mut buffers = overlay.spare.take_row();
        let RowBuffers { key, value } = &mut buffers;
        self.partition.put_row(key, clustering);
        let place = Place {
            key,
            clustering,
            seal: Seal::of(self.table.space, key),
        };
        let seal = place.seal;
        let outcome = self.row_after(overlay, record, place, update, value)?;
        match outcome {
            RowAfter::Nothing => {}
            RowAfter::Removed => overlay.remove(self.table.space, key),
            RowAfter::Stored => {
                seal.put(value);
                overlay.put(self.table.space, key, value)?;
            }
        }
        overlay.spare.give_back_row(buffers);
        Ok(())
    }

    /// Appends what a row is after an update to `value`, which is empty.
    fn row_after(
        &self,
        overlay: &mut Overlay<'_>,
        record: &Record<'_>,
        place: Place<'_>,
        update: &PackedRow,
        value: &mut Vec<u8>,
    ) -> Result<RowAfter, StoreError> {
        let space = self.table.space;
        let access = Access {
            read: overlay,
            space,
        };
        let range = if record.has_ranges {
            access
                .covering_range(self.partition, place.clustering)?
                .map(|range| range.deletion)
        } else {
            None
        };
        let shadow = reconcile::deletions(record.deletion, range);
        let stored = access.get_sealed(place.key, place.seal)?;
        if shadow.is_none() && update.is_plain() {
            let Some(stored) = &stored else {
                value.reserve(update.as_bytes().len() + CHECK_BYTES);
                value.extend_from_slice(update.as_bytes());
                return Ok(RowAfter::Stored);
            };
            if merge_short(stored, update.as_bytes(), value).is_some() {
                return Ok(RowAfter::Stored);
            }
            value.clear();
        }
        let undecodable = StoreError::undecodable(space, place.key);
        let change = update.decode().map_err(&undecodable)?;
        let before = match &stored {
            Some(bytes) => packed::decode(bytes).map_err(&undecodable)?,
            None => RowRef::default(),
        };
        let clustering = Some(place.clustering);
        let merged = self.merge_row(overlay, clustering, before, change, shadow)?;
        packed::encode_into(&merged, value);
        Ok(match (merged.is_empty(), stored.is_some()) {
            (false, _) => RowAfter::Stored,
            (true, true) => RowAfter::Removed,
            (true, false) => RowAfter::Nothing,
        })
    }

    /// Merges a change into a row and moves what is too large to keys of its own.
    fn merge_row<'a>(
        &self,
        overlay: &mut Overlay<'_>,
        clustering: Option<&[u8]>,
        before: RowRef<'a>,
        mut change: RowRef<'a>,
        shadow: Option<Deletion>,
    ) -> Result<RowRef<'a>, StoreError> {
        let home = Home {
            space: self.table.space,
            partition: self.partition,
            clustering,
        };
        let had_spilled = has_spilled(&before);
        let spilled_before = if had_spilled {
            Home::spilled_columns(&before)
        } else {
            Vec::new()
        };
        if had_spilled {
            let row_shadow = reconcile::deletions(before.deletion, change.deletion);
            let shadow = reconcile::deletions(row_shadow, shadow);
            self.apply_to_spilled(overlay, home, &before, &mut change, shadow)?;
        }
        let mut merged = merge(before, change, shadow, &Lookup { home, overlay })?;
        // Elements that are spilled now take their ends out of sight, so look first.
        let end = earliest_end(&merged);
        home.spill(overlay, &mut merged, &spilled_before)?;
        if has_spilled(&merged)
            && let Some(end) = end
        {
            self.enqueue(overlay, end, Scope::row(clustering))?;
        }
        Ok(merged)
    }

    /// Applies a change's elements of spilled collections to their keys, and takes them out of it.
    fn apply_to_spilled(
        &self,
        overlay: &mut Overlay<'_>,
        home: Home<'_>,
        before: &RowRef<'_>,
        change: &mut RowRef<'_>,
        shadow: Option<Deletion>,
    ) -> Result<(), StoreError> {
        for (id, column) in &mut change.columns {
            let Some(stored) = spilled_collection(before, *id) else {
                continue;
            };
            let ColumnRef::Complex(update) = column else {
                return Err(StoreError::ColumnKind { column: *id });
            };
            let deletion = reconcile::deletions(stored.deletion, update.deletion);
            let shadow = reconcile::deletions(deletion, shadow);
            if update.deletion > stored.deletion {
                // What it covers is garbage from now on.
                self.enqueue(overlay, AT_ONCE, Scope::row(home.clustering))?;
            }
            let Elements::Inline(elements) = &mut update.elements else {
                continue;
            };
            for (path, cell) in elements.drain(..) {
                if is_covered(shadow, cell.timestamp) {
                    continue;
                }
                let key = self.partition.spilled_element(home.clustering, *id, path);
                let old = Access {
                    read: overlay,
                    space: home.space,
                }
                .get(&key)?;
                let old_cell = read_element(home, &key, old.as_ref())?;
                let old_cell = old_cell.filter(|old| !is_covered(shadow, old.timestamp));
                let kept = match old_cell {
                    Some(old) => winner(*id, old, cell, &Lookup { home, overlay })?,
                    None => cell,
                };
                home.put_element(overlay, *id, path, &kept)?;
                if let Some(end) = cell_end(&kept) {
                    self.enqueue(overlay, end, Scope::row(home.clustering))?;
                }
            }
        }
        Ok(())
    }
}

/// The key and the clustering of a row.
#[derive(Clone, Copy)]
struct Place<'a> {
    key: &'a [u8],
    clustering: &'a [u8],
    seal: Seal,
}

/// What becomes of a row's key.
enum RowAfter {
    /// There was none and there is none.
    Nothing,
    Removed,
    Stored,
}

fn read_element<'a>(
    home: Home<'_>,
    key: &[u8],
    stored: Option<&'a Verified>,
) -> Result<Option<crate::cell::CellRef<'a>>, StoreError> {
    let decode = |bytes: &'a Verified| packed::read_single_cell(bytes);
    stored
        .map(decode)
        .transpose()
        .map_err(StoreError::undecodable(home.space, key))
}

fn spilled_collection<'a, 'b>(row: &'b RowRef<'a>, id: ColumnId) -> Option<&'b ComplexRef<'a>> {
    row.columns.iter().find_map(|(it, column)| match column {
        ColumnRef::Complex(complex) if *it == id && complex.elements == Elements::Spilled => {
            Some(complex)
        }
        _ => None,
    })
}
