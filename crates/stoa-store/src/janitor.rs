//! The janitor: forgets what a compaction may not, in bounded steps.
//!
//! It works off the purge queue. For a deletion past its grace it first removes, chunk by chunk,
//! the rows and parts of rows that the deletion shadows, and the deletion itself last, in the
//! commit that finds nothing left to remove. Each step is a work of the commit queue like any
//! other, so it is atomic and nobody sees half of it.
//!
//! Invariants:
//! 1. Nothing that was invisible becomes visible: a shadow goes only after all it shadows.
//! 2. A step removes at most [`STEP_ROWS`] rows' worth of keys.

use std::sync::Arc;

use crate::cell::{ColumnRef, Deletion, Elements, RowRef, is_covered};
use crate::commit::group::Group;
use crate::commit::overlay::Overlay;
use crate::commit::spill::Home;
use crate::error::StoreError;
use crate::key::{PartitionKey, clustering_of_row};
use crate::kv::{Direction, Read};
use crate::partition::{Access, Partition, TOP};
use crate::purge_queue::{Entry, PURGE_SPACE, Scope, due_key};
use crate::reconcile;
use crate::record::Record;
use crate::row::merge::apply_shadow;
use crate::row::packed;
use crate::row::purge::{
    cell_end, cell_is_past, deletion_is_past, earliest_end, has_spilled, purge,
};
use crate::seal::{Verified, seal};
use crate::table::{Table, TableId};

/// The most rows, or elements of a row, that one step looks at.
const STEP_ROWS: usize = 256;

/// Where the janitor goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The entry is worked off and gone.
    Done,
    /// Rows from this clustering on are still to be looked at.
    From(Vec<u8>),
}

/// The first entry that is due in a table, or whose table is gone.
pub(crate) fn next_entry(
    read: &dyn Read,
    gc_before: &dyn Fn(TableId) -> Option<Option<i64>>,
) -> Result<Option<Entry>, StoreError> {
    let mut cursor = Vec::new();
    loop {
        let top = [0xff; 32];
        let first = read
            .range(PURGE_SPACE, &cursor, &top, Direction::Forward)?
            .next();
        let Some((key, sealed)) = first.transpose()? else {
            return Ok(None);
        };
        let entry = Entry::decode(&key, sealed)?;
        let is_due = match gc_before(entry.table) {
            None => true,
            Some(gc_before) => entry.due < gc_before.unwrap_or(i64::MIN + 1),
        };
        if is_due {
            return Ok(Some(entry));
        }
        let Some(next) = entry.table.0.checked_add(1) else {
            return Ok(None);
        };
        cursor = due_key(TableId(next), i64::MIN);
    }
}

/// Works on an entry for one step.
pub(crate) fn step(
    group: &mut Group<'_>,
    entry: &Entry,
    gc_before: i64,
    from: &[u8],
) -> Result<Progress, StoreError> {
    let progress = match group.table(entry.table) {
        Ok(table) => {
            let sweep = Sweep {
                table,
                partition: &entry.partition,
                gc_before,
            };
            sweep.run(&mut group.overlay, &entry.scope, from)?
        }
        // The table is gone, and its data with it.
        Err(_) => Progress::Done,
    };
    if progress == Progress::Done {
        group.overlay.remove(PURGE_SPACE, &entry.key());
    }
    Ok(progress)
}

struct Sweep<'a> {
    table: Arc<Table>,
    partition: &'a PartitionKey,
    gc_before: i64,
}

impl Sweep<'_> {
    fn run(
        &self,
        overlay: &mut Overlay<'_>,
        scope: &Scope,
        from: &[u8],
    ) -> Result<Progress, StoreError> {
        let deletion =
            Partition::open(overlay, Arc::clone(&self.table), self.partition.clone())?.deletion();
        match scope {
            Scope::Row(clustering) => self.one_row(overlay, clustering, deletion),
            Scope::StaticRow => self.finish_record(overlay, deletion, deletion),
            Scope::Range { start, end } => self.range(overlay, start, end, deletion, from),
            Scope::Partition => match deletion {
                Some(own) if deletion_is_past(&own, self.gc_before) => {
                    self.partition(overlay, own, from)
                }
                _ => Ok(Progress::Done),
            },
        }
    }

    fn one_row(
        &self,
        overlay: &mut Overlay<'_>,
        clustering: &[u8],
        deletion: Option<Deletion>,
    ) -> Result<Progress, StoreError> {
        let access = Access {
            read: overlay,
            space: self.table.space,
        };
        let range = access
            .covering_range(self.partition, clustering)?
            .map(|it| it.deletion);
        let shadow = reconcile::deletions(deletion, range);
        let is_done = self.sweep_row(overlay, clustering, shadow)?;
        Ok(if is_done {
            Progress::Done
        } else {
            Progress::From(clustering.to_vec())
        })
    }

    /// Rows under the range deletions of `start..end` that are past, then those deletions.
    fn range(
        &self,
        overlay: &mut Overlay<'_>,
        start: &[u8],
        end: &[u8],
        deletion: Option<Deletion>,
        from: &[u8],
    ) -> Result<Progress, StoreError> {
        let access = Access {
            read: overlay,
            space: self.table.space,
        };
        let ranges = access.ranges_touching(self.partition, start, end)?;
        for range in ranges
            .iter()
            .filter(|it| deletion_is_past(&it.deletion, self.gc_before))
        {
            let shadow = reconcile::deletions(deletion, Some(range.deletion));
            let first = from.max(&range.start);
            if let Some(next) = self.rows(overlay, first, &range.end, shadow)? {
                return Ok(Progress::From(next));
            }
            overlay.remove(self.table.space, &self.partition.range(&range.start));
        }
        self.finish_record(overlay, deletion, deletion)
    }

    /// All rows under the deletion of the partition, then range deletions it outdoes, then itself.
    fn partition(
        &self,
        overlay: &mut Overlay<'_>,
        deletion: Deletion,
        from: &[u8],
    ) -> Result<Progress, StoreError> {
        if let Some(next) = self.rows(overlay, from, TOP, Some(deletion))? {
            return Ok(Progress::From(next));
        }
        let access = Access {
            read: overlay,
            space: self.table.space,
        };
        let ranges = access.ranges_touching(self.partition, &[], TOP)?;
        for range in ranges.iter().filter(|it| it.deletion <= deletion) {
            overlay.remove(self.table.space, &self.partition.range(&range.start));
        }
        self.finish_record(overlay, Some(deletion), None)
    }

    /// Rewrites the partition record: the static row without what is past, and the deletion that
    /// is `kept`. Removes it if nothing is left.
    fn finish_record(
        &self,
        overlay: &mut Overlay<'_>,
        deletion: Option<Deletion>,
        kept: Option<Deletion>,
    ) -> Result<Progress, StoreError> {
        let space = self.table.space;
        let key = self.partition.record();
        let access = Access {
            read: overlay,
            space,
        };
        let Some(stored) = access.get(&key)? else {
            return Ok(Progress::Done);
        };
        let has_ranges = !access.ranges_touching(self.partition, &[], TOP)?.is_empty();
        let undecodable = StoreError::undecodable(space, &key);
        let record = Record::decode(&stored).map_err(&undecodable)?;
        let mut static_bytes = Vec::new();
        if !record.static_row.is_empty() {
            let row = packed::decode(record.static_row).map_err(&undecodable)?;
            let Some(row) = self.sweep_parts(overlay, None, row, deletion)? else {
                return Ok(Progress::From(Vec::new()));
            };
            if !row.is_empty() {
                packed::encode_into(&row, &mut static_bytes);
            }
        }
        let record = Record {
            deletion: kept,
            has_ranges,
            static_row: &static_bytes,
        };
        self.replace(overlay, &key, &stored, record.is_empty(), record.encode())?;
        Ok(Progress::Done)
    }

    /// Sweeps the rows of `start..end`; returns where to go on if the step is full.
    fn rows(
        &self,
        overlay: &mut Overlay<'_>,
        start: &[u8],
        end: &[u8],
        shadow: Option<Deletion>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let first = self.partition.row(start);
        let last = self.partition.row(end).min(self.partition.after_rows());
        let walk = overlay.range(self.table.space, &first, &last, Direction::Forward)?;
        let keys: Result<Vec<_>, _> = walk
            .take(STEP_ROWS + 1)
            .map(|pair| pair.map(|(key, _)| key))
            .collect();
        for (index, key) in keys?.iter().enumerate() {
            let clustering = clustering_of_row(self.partition, key);
            if index == STEP_ROWS || !self.sweep_row(overlay, clustering, shadow)? {
                return Ok(Some(clustering.to_vec()));
            }
        }
        Ok(None)
    }

    /// Rewrites one row; false if it has more garbage than one step takes.
    fn sweep_row(
        &self,
        overlay: &mut Overlay<'_>,
        clustering: &[u8],
        shadow: Option<Deletion>,
    ) -> Result<bool, StoreError> {
        let space = self.table.space;
        let key = self.partition.row(clustering);
        let Some(stored) = (Access {
            read: overlay,
            space,
        })
        .get(&key)?
        else {
            return Ok(true);
        };
        let row = packed::decode(&stored).map_err(StoreError::undecodable(space, &key))?;
        let Some(kept) = self.sweep_parts(overlay, Some(clustering), row, shadow)? else {
            return Ok(false);
        };
        let mut value = Vec::new();
        packed::encode_into(&kept, &mut value);
        self.replace(overlay, &key, &stored, kept.is_empty(), value)?;
        Ok(true)
    }

    /// The row without what is shadowed or past; spilled parts go with it. `None` if there is more
    /// garbage among its elements than one step takes.
    fn sweep_parts<'r>(
        &self,
        overlay: &mut Overlay<'_>,
        clustering: Option<&[u8]>,
        mut row: RowRef<'r>,
        shadow: Option<Deletion>,
    ) -> Result<Option<RowRef<'r>>, StoreError> {
        let home = Home {
            space: self.table.space,
            partition: self.partition,
            clustering,
        };
        let spilled_before = Home::spilled_columns(&row);
        let row_shadow = reconcile::deletions(row.deletion, shadow);
        let mut next_end: Option<i64> = None;
        for (id, column) in &mut row.columns {
            let ColumnRef::Complex(complex) = column else {
                continue;
            };
            if complex.elements != Elements::Spilled {
                continue;
            }
            let shadow = reconcile::deletions(complex.deletion, row_shadow);
            let access = Access {
                read: overlay,
                space: self.table.space,
            };
            let elements = access.spilled_elements(self.partition, clustering, *id)?;
            let is_garbage = |cell: crate::cell::CellRef<'_>| {
                is_covered(shadow, cell.timestamp) || cell_is_past(&cell, self.gc_before)
            };
            let (garbage, kept): (Vec<_>, Vec<_>) = elements
                .iter()
                .partition(|it| it.cell().is_some_and(is_garbage));
            for element in garbage.iter().take(STEP_ROWS) {
                overlay.remove(self.table.space, &element.key);
            }
            if garbage.len() > STEP_ROWS {
                return Ok(None);
            }
            if kept.is_empty() {
                complex.elements = Elements::Inline(Vec::new());
            }
            let ends = kept.iter().filter_map(|it| cell_end(&it.cell()?));
            next_end = ends.chain(next_end).min();
        }
        let row = apply_shadow(row, shadow);
        let mut row = purge(&row, self.gc_before).unwrap_or(row);
        home.spill(overlay, &mut row, &spilled_before)?;
        if has_spilled(&row)
            && let Some(due) = earliest_end(&row).into_iter().chain(next_end).min()
        {
            let scope = Scope::row(clustering);
            let partition = self.partition.clone();
            Entry {
                table: self.table.id,
                due,
                partition,
                scope,
            }
            .put(overlay)?;
        }
        Ok(Some(row))
    }

    /// Writes a changed value, or removes the key.
    fn replace(
        &self,
        overlay: &mut Overlay<'_>,
        key: &[u8],
        stored: &Verified,
        is_empty: bool,
        mut value: Vec<u8>,
    ) -> Result<(), StoreError> {
        if is_empty {
            overlay.remove(self.table.space, key);
        } else if value != **stored {
            seal(self.table.space, key, &mut value);
            overlay.put(self.table.space, key, &value)?;
        }
        Ok(())
    }
}
