//! One commit group being decided: what a work may read and write.
//!
//! Conditions, counters and everything else that depends on stored data is decided here, by the
//! leader, against the store and the group's own changes. A work that fails leaves nothing behind.

use std::cell::OnceCell;
use std::sync::Arc;

use stoa_types::clock::Clock;

use super::apply::{apply, replace};
use super::overlay::Overlay;
use crate::catalog::{self, Catalog, CatalogChange};
use crate::error::StoreError;
use crate::key::PartitionKey;
use crate::kv::{Change, SpaceId};
use crate::mutation::PartitionUpdate;
use crate::partition::Partition;
use crate::row::PackedRow;
use crate::table::{Table, TableId};

/// How far above the last conditional timestamp the persisted floor is set, in microseconds.
const FLOOR_STEP_MICROS: i64 = 10_000_000;

/// The state a group works on.
pub struct Group<'s> {
    pub(crate) overlay: Overlay<'s>,
    /// The catalogue before the group.
    before: &'s Catalog,
    /// The catalogue with what the group has changed in it.
    changed: Option<Arc<Catalog>>,
    /// Whether tables were made, altered, dropped or emptied.
    tables_changed: bool,
    freed: Vec<SpaceId>,
    times: WriteTimes,
    clock: &'s dyn Clock,
    /// The clock when it was first asked.
    now_micros: OnceCell<i64>,
}

/// What a group leaves to be committed.
pub(crate) struct Written {
    /// Sorted by space and key.
    pub(crate) changes: Vec<Change>,
    /// The catalogue, if it was changed.
    pub(crate) catalog: Option<Arc<Catalog>>,
    /// Whether tables were made, altered, dropped or emptied.
    pub(crate) tables_changed: bool,
    /// Spaces that nothing refers to any more.
    pub(crate) freed: Vec<SpaceId>,
    pub(crate) times: WriteTimes,
}

/// The timestamps of conditional writes: each above the last, whatever the clock does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WriteTimes {
    pub(crate) last: i64,
    /// No timestamp above this is given before the floor on disk is raised.
    pub(crate) floor: i64,
}

/// The state of a group before a work, beside its overlay.
pub(crate) struct Savepoint {
    changed: Option<Arc<Catalog>>,
    tables_changed: bool,
    freed: usize,
    times: WriteTimes,
}

impl<'s> Group<'s> {
    pub(crate) fn new(
        overlay: Overlay<'s>,
        catalog: &'s Catalog,
        times: WriteTimes,
        clock: &'s dyn Clock,
    ) -> Self {
        Self {
            overlay,
            before: catalog,
            changed: None,
            tables_changed: false,
            freed: Vec::new(),
            times,
            clock,
            now_micros: OnceCell::new(),
        }
    }

    /// Everything the group has written.
    pub(crate) fn into_written(self) -> Written {
        Written {
            changes: self.overlay.into_changes(),
            catalog: self.changed,
            tables_changed: self.tables_changed,
            freed: self.freed,
            times: self.times,
        }
    }

    fn catalog(&self) -> &Catalog {
        self.changed.as_deref().unwrap_or(self.before)
    }

    /// A table as of this commit.
    pub fn table(&self, id: TableId) -> Result<Arc<Table>, StoreError> {
        self.catalog().table(id).cloned()
    }

    /// The server's clock in microseconds, the same for the whole group.
    #[must_use]
    pub fn now_micros(&self) -> i64 {
        *self.now_micros.get_or_init(|| self.clock.now_micros())
    }

    /// A partition with everything the group has written so far.
    pub fn partition(
        &self,
        table: TableId,
        key: &PartitionKey,
    ) -> Result<Partition<'_>, StoreError> {
        Partition::open(&self.overlay, self.table(table)?, key.clone())
    }

    /// Applies updates: all or none.
    pub fn apply(&mut self, updates: &[PartitionUpdate]) -> Result<(), StoreError> {
        for update in updates {
            update.validate()?;
            if update.writes_record() {
                self.note_records(update.table)?;
            }
            let catalog = self.changed.as_deref().unwrap_or(self.before);
            apply(&mut self.overlay, catalog.table(update.table)?, update)?;
        }
        Ok(())
    }

    /// Puts a row in the place of whatever is stored there, or removes that, without regard to
    /// timestamps: for rows that are derived from others, such as those of an index or a view. The
    /// table must hold derived rows only.
    pub fn replace_row(
        &mut self,
        table: TableId,
        partition: &PartitionKey,
        clustering: &[u8],
        row: Option<&PackedRow>,
    ) -> Result<(), StoreError> {
        let table = self.table(table)?;
        if table.has_records {
            return Err(StoreError::Invalid("a derived row among ordinary ones"));
        }
        replace(&mut self.overlay, &table, partition, clustering, row)
    }

    /// Notes in the catalogue that partitions of a table have records.
    fn note_records(&mut self, id: TableId) -> Result<(), StoreError> {
        let table = self.table(id)?;
        if !table.has_records {
            let mut catalog = self.catalog().clone();
            catalog::note_records(&mut catalog, &mut self.overlay, &table)?;
            self.changed = Some(Arc::new(catalog));
        }
        Ok(())
    }

    /// A timestamp for a conditional write: the clock, or above the last one given.
    pub fn next_write_time(&mut self) -> Result<i64, StoreError> {
        self.next_write_time_from(i64::MIN)
    }

    /// A timestamp for a conditional write that is not below `least`.
    pub fn next_write_time_from(&mut self, least: i64) -> Result<i64, StoreError> {
        let time = self.now_micros().max(self.times.last.saturating_add(1));
        let time = time.max(least);
        if time > self.times.floor {
            let floor = time.saturating_add(FLOOR_STEP_MICROS);
            catalog::put_write_floor(&mut self.overlay, floor)?;
            self.times.floor = floor;
        }
        self.times.last = time;
        Ok(time)
    }

    /// No conditional write has ever been given a later timestamp than this one. After a crash it
    /// may lie some seconds ahead of the clock.
    #[must_use]
    pub fn last_write_time(&self) -> i64 {
        self.times.last
    }

    /// Notes the latest timestamp that was given to any write, so that whoever opens the store next
    /// goes on from there.
    pub fn settle_write_times(&mut self, latest: i64) -> Result<(), StoreError> {
        let last = self.times.last.max(latest);
        if self.times.floor != last {
            catalog::put_write_floor(&mut self.overlay, last)?;
        }
        self.times = WriteTimes { last, floor: last };
        Ok(())
    }

    /// What is needed to take a failed work back, beside the overlay.
    pub(crate) fn savepoint(&self) -> Savepoint {
        Savepoint {
            changed: self.changed.clone(),
            tables_changed: self.tables_changed,
            freed: self.freed.len(),
            times: self.times,
        }
    }

    /// Takes a failed work back.
    pub(crate) fn restore(&mut self, before: Savepoint) {
        self.changed = before.changed;
        self.tables_changed = before.tables_changed;
        self.freed.truncate(before.freed);
        self.times = before.times;
    }

    /// Takes new numbers for spaces.
    pub(crate) fn allocate_spaces(&mut self, count: usize) -> Result<Vec<SpaceId>, StoreError> {
        let mut catalog = self.catalog().clone();
        let spaces = catalog::allocate_spaces(&mut catalog, &mut self.overlay, count)?;
        self.changed = Some(Arc::new(catalog));
        self.tables_changed = true;
        Ok(spaces)
    }

    /// Changes the catalogue; `spaces` are new and empty.
    pub(crate) fn change_catalog(
        &mut self,
        change: &CatalogChange,
        spaces: &[SpaceId],
    ) -> Result<(), StoreError> {
        let before = self.changed.as_deref().unwrap_or(self.before);
        let (after, freed) = change.apply(before, &mut self.overlay, spaces)?;
        self.changed = Some(Arc::new(after));
        self.tables_changed = true;
        self.freed.extend(freed);
        Ok(())
    }
}
