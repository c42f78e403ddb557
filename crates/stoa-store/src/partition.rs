//! Reading a partition: its deletion, its static row, one row, or a slice of rows either way.
//!
//! Everything is read from one snapshot (or a commit group's overlay), so a partition is seen as of
//! one commit. A row comes with the deletion that covers it; [`StoredRow::visible`] applies that and
//! the clock.
//!
//! Invariants:
//! 1. Every stored value is verified before it is looked at; damage is an error, never an answer.
//! 2. The common point read asks for one key. Only a table that ever had static rows or deletions
//!    of partitions or ranges is asked for the partition's record first, and only a record that
//!    says so leads to a search for ranges.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::cell::{
    CellRef, CellState, ColumnId, ColumnRef, ComplexRef, CounterState, Deletion, Elements, RowRef,
    ValueRef, is_covered,
};
use crate::error::StoreError;
use crate::key::{PartitionKey, after_prefix, clustering_of_row};
use crate::kv::{Bytes, Direction, Pairs, Read, SpaceId};
use crate::reconcile;
use crate::record::Record;
use crate::row::merge::apply_shadow;
use crate::row::packed;
use crate::row::short::{Columns, decode_short, emptied};
use crate::seal::{Seal, Verified, unseal};
use crate::table::Table;
use crate::tombstone::RangeDeletion;

/// The end of every slice that has none: above all clusterings.
pub const TOP: &[u8] = &[0xff];

/// The clusterings to read: `start <= clustering < end`, both positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The first position.
    pub start: Vec<u8>,
    /// The first position no longer in the slice.
    pub end: Vec<u8>,
}

impl Slice {
    /// The whole partition.
    #[must_use]
    pub fn all() -> Self {
        Self {
            start: Vec::new(),
            end: TOP.to_vec(),
        }
    }

    /// What is left of the slice after `clustering`, walking in `direction`: the next page.
    #[must_use]
    pub fn after(&self, clustering: &[u8], direction: Direction) -> Self {
        match direction {
            Direction::Forward => {
                let mut start = clustering.to_vec();
                start.push(0);
                Self {
                    start: start.max(self.start.clone()),
                    end: self.end.clone(),
                }
            }
            Direction::Backward => {
                let end = clustering.to_vec().min(self.end.clone());
                Self {
                    start: self.start.clone(),
                    end,
                }
            }
        }
    }
}

/// Typed reads of one space.
#[derive(Clone, Copy)]
pub(crate) struct Access<'r> {
    pub(crate) read: &'r dyn Read,
    pub(crate) space: SpaceId,
}

impl<'r> Access<'r> {
    #[inline]
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Verified>, StoreError> {
        self.get_sealed(key, Seal::of(self.space, key))
    }

    /// The same for who has the key's seal already.
    #[inline]
    pub(crate) fn get_sealed(
        &self,
        key: &[u8],
        seal: Seal,
    ) -> Result<Option<Verified>, StoreError> {
        match self.read.get(self.space, key)? {
            Some(sealed) => Verified::with(seal, self.space, key, sealed).map(Some),
            None => Ok(None),
        }
    }

    /// The range deletion that covers a clustering, if there is one.
    pub(crate) fn covering_range(
        &self,
        partition: &PartitionKey,
        clustering: &[u8],
    ) -> Result<Option<RangeDeletion>, StoreError> {
        let (first, _) = partition.all_ranges();
        let end = partition.after_range(clustering);
        let mut walk = self
            .read
            .range(self.space, &first, &end, Direction::Backward)?;
        let Some(pair) = walk.next() else {
            return Ok(None);
        };
        let range = self.range_of_pair(partition, pair?)?;
        Ok(Some(range).filter(|range| range.contains(clustering)))
    }

    /// The range deletions that overlap or touch `start..end`, in order.
    pub(crate) fn ranges_touching(
        &self,
        partition: &PartitionKey,
        start: &[u8],
        end: &[u8],
    ) -> Result<Vec<RangeDeletion>, StoreError> {
        let (first, _) = partition.all_ranges();
        let mut found = Vec::new();
        let from = partition.range(start);
        if let Some(pair) = self
            .read
            .range(self.space, &first, &from, Direction::Backward)?
            .next()
        {
            let before = self.range_of_pair(partition, pair?)?;
            found.extend(Some(before).filter(|it| it.end.as_slice() >= start));
        }
        let until = partition.after_range(end);
        for pair in self
            .read
            .range(self.space, &from, &until, Direction::Forward)?
        {
            found.push(self.range_of_pair(partition, pair?)?);
        }
        Ok(found)
    }

    fn range_of_pair(
        &self,
        partition: &PartitionKey,
        (key, sealed): (Bytes, Bytes),
    ) -> Result<RangeDeletion, StoreError> {
        let value = Verified::new(self.space, &key, sealed)?;
        let start = clustering_of_row(partition, &key);
        RangeDeletion::decode(start, &value).map_err(StoreError::undecodable(self.space, &key))
    }

    /// The elements of a spilled collection: path and cell.
    pub(crate) fn spilled_elements(
        &self,
        partition: &PartitionKey,
        clustering: Option<&[u8]>,
        column: ColumnId,
    ) -> Result<Vec<SpilledElement>, StoreError> {
        let prefix = partition.spilled_column(clustering, column);
        let end = after_prefix(&prefix);
        let mut elements = Vec::new();
        for pair in self
            .read
            .range(self.space, &prefix, &end, Direction::Forward)?
        {
            let (key, sealed) = pair?;
            let cell = Verified::new(self.space, &key, sealed)?;
            packed::read_single_cell(&cell).map_err(StoreError::undecodable(self.space, &key))?;
            elements.push(SpilledElement {
                key,
                path_at: prefix.len(),
                cell,
            });
        }
        Ok(elements)
    }
}

/// One element of a spilled collection, verified and decodable.
#[derive(Debug, Clone)]
pub(crate) struct SpilledElement {
    pub(crate) key: Bytes,
    path_at: usize,
    cell: Verified,
}

impl SpilledElement {
    pub(crate) fn path(&self) -> &[u8] {
        self.key.get(self.path_at..).unwrap_or_default()
    }

    pub(crate) fn cell(&self) -> Option<CellRef<'_>> {
        packed::read_single_cell(&self.cell).ok()
    }
}

/// One partition as of one commit.
pub struct Partition<'r> {
    access: Access<'r>,
    table: Arc<Table>,
    key: PartitionKey,
    record: Option<Verified>,
    deletion: Option<Deletion>,
    has_ranges: bool,
}

impl<'r> Partition<'r> {
    /// Opens a partition for reading; it need not exist.
    pub(crate) fn open(
        read: &'r dyn Read,
        table: Arc<Table>,
        key: PartitionKey,
    ) -> Result<Self, StoreError> {
        let access = Access {
            read,
            space: table.space,
        };
        if !table.has_records {
            return Ok(Self {
                access,
                table,
                key,
                record: None,
                deletion: None,
                has_ranges: false,
            });
        }
        let record_key = key.record();
        let record = access.get(&record_key)?;

        let (deletion, has_ranges) = match &record {
            Some(bytes) => {
                let record = Record::decode(bytes)
                    .map_err(StoreError::undecodable(table.space, &record_key))?;
                (record.deletion, record.has_ranges)
            }
            None => (None, false),
        };
        Ok(Self {
            access,
            table,
            key,
            record,
            deletion,
            has_ranges,
        })
    }

    /// The partition's key.
    #[must_use]
    pub fn key(&self) -> &PartitionKey {
        &self.key
    }

    /// The deletion of the whole partition.
    #[must_use]
    pub fn deletion(&self) -> Option<Deletion> {
        self.deletion
    }

    /// The static row.
    pub fn static_row(&self) -> Result<Option<StoredRow<'_>>, StoreError> {
        let Some(bytes) = &self.record else {
            return Ok(None);
        };
        let key = self.key.record();
        let record =
            Record::decode(bytes).map_err(StoreError::undecodable(self.table.space, &key))?;
        if record.static_row.is_empty() {
            return Ok(None);
        }
        let row = packed::decode(record.static_row)
            .map_err(StoreError::undecodable(self.table.space, &key))?;
        let spilled = self.load_spilled(None, &row)?;
        Ok(Some(StoredRow {
            key: Bytes::from(&[][..]),
            clustering_at: 0,
            value: bytes.clone(),
            value_at: bytes.len() - record.static_row.len(),
            shadow: self.deletion,
            table: &self.table,
            spilled,
        }))
    }

    /// The row with this clustering.
    pub fn row(&self, clustering: &[u8]) -> Result<Option<StoredRow<'_>>, StoreError> {
        let key = self.key.row(clustering);
        let Some(value) = self.access.get(&key)? else {
            return Ok(None);
        };
        let range = if self.has_ranges {
            self.access
                .covering_range(&self.key, clustering)?
                .map(|range| range.deletion)
        } else {
            None
        };
        self.stored_row(clustering.into(), 0, value, range)
            .map(Some)
    }

    /// The rows of a slice, in the given direction. Rows of which nothing is visible are among
    /// them: the clock decides that, see [`StoredRow::visible`].
    pub fn rows(&self, slice: &Slice, direction: Direction) -> Result<Rows<'_>, StoreError> {
        let start = self.key.row(&slice.start);
        let end = self.key.row(&slice.end).min(self.key.after_rows());
        let pairs = self
            .access
            .read
            .range(self.access.space, &start, &end, direction)?;
        let mut ranges = if self.has_ranges {
            self.access
                .ranges_touching(&self.key, &slice.start, &slice.end)?
        } else {
            Vec::new()
        };
        // The walk pops the ranges off the end as it passes them.
        if direction == Direction::Forward {
            ranges.reverse();
        }
        Ok(Rows {
            partition: self,
            pairs,
            ranges,
            direction,
        })
    }

    /// The row of a pair that a walk over rows has met, covered by `range`.
    #[inline]
    fn row_of_pair(
        &self,
        key: Bytes,
        sealed: Bytes,
        range: Option<Deletion>,
    ) -> Result<StoredRow<'_>, StoreError> {
        let value = Verified::new(self.access.space, &key, sealed)?;
        self.stored_row(key, self.key.prefix().len() + 1, value, range)
    }

    #[inline]
    fn stored_row(
        &self,
        key: Bytes,
        clustering_at: usize,
        value: Verified,
        range: Option<Deletion>,
    ) -> Result<StoredRow<'_>, StoreError> {
        let shadow = reconcile::deletions(self.deletion, range);
        let table = &*self.table;
        let spilled = Vec::new();
        let mut row = StoredRow {
            key,
            clustering_at,
            value,
            value_at: 0,
            shadow,
            table,
            spilled,
        };
        if packed::says_spilled(&row.value) {
            let decoded = packed::decode(&row.value)
                .map_err(StoreError::undecodable(self.table.space, &row.key))?;
            row.spilled = self.load_spilled(Some(row.clustering()), &decoded)?;
        }
        Ok(row)
    }

    fn load_spilled(
        &self,
        clustering: Option<&[u8]>,
        row: &RowRef<'_>,
    ) -> Result<Vec<(ColumnId, Spilled)>, StoreError> {
        let mut loaded = Vec::new();
        for (id, column) in &row.columns {
            match column {
                ColumnRef::Cell(cell) => {
                    if let Some(ValueRef::Spilled { length, hash }) = cell.value() {
                        let value = self.load_value(clustering, *id, length, hash)?;
                        loaded.push((*id, Spilled::Value(value)));
                    }
                }
                ColumnRef::Complex(ComplexRef {
                    elements: Elements::Spilled,
                    ..
                }) => {
                    let elements = self.access.spilled_elements(&self.key, clustering, *id)?;
                    loaded.push((*id, Spilled::Elements(elements)));
                }
                ColumnRef::Complex(_) | ColumnRef::Counter(_) => {}
            }
        }
        Ok(loaded)
    }

    fn load_value(
        &self,
        clustering: Option<&[u8]>,
        column: ColumnId,
        length: u32,
        hash: u64,
    ) -> Result<Verified, StoreError> {
        let key = self.key.spilled_value(clustering, column);
        let space = self.table.space;
        let value = self
            .access
            .get(&key)?
            .ok_or_else(|| StoreError::damaged_key(space, &key, "spilled value is missing"))?;
        if value.len() != length as usize || crate::commit::spill::value_hash(&value) != hash {
            return Err(StoreError::damaged_key(
                space,
                &key,
                "spilled value is another one",
            ));
        }
        Ok(value)
    }
}

/// A walk over the rows of a slice.
pub struct Rows<'p> {
    partition: &'p Partition<'p>,
    pairs: Pairs<'p>,
    ranges: Vec<RangeDeletion>,
    direction: Direction,
}

impl Rows<'_> {
    /// Hands every row that shows anything at `now` (seconds) to `visit`, with its clustering,
    /// until that breaks.
    pub fn visit_visible(
        self,
        now: i64,
        mut visit: impl FnMut(&[u8], &RowRef<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.visit(now, |clustering, row| match row {
            Some(row) => visit(clustering, row),
            None => ControlFlow::Continue(()),
        })
    }

    /// Hands every row to `visit`, with its clustering and what it shows at `now` (seconds), which
    /// may be nothing, until that breaks. It costs less than going through
    /// [`StoredRow::visible`], because all rows are taken apart in the same memory.
    pub fn visit(
        mut self,
        now: i64,
        mut visit: impl FnMut(&[u8], Option<&RowRef<'_>>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let partition = self.partition;
        let is_bare =
            partition.deletion.is_none() && partition.table.options.hidden_through.is_empty();
        let mut columns: Columns<'static> = Vec::new();
        while let Some(pair) = self.pairs.next() {
            let (key, sealed) = pair?;
            let clustering = clustering_of_row(&partition.key, &key);
            let range = self.covering(clustering);
            if is_bare && range.is_none() {
                let value = unseal(partition.access.space, &key, &sealed)?;
                if let Some(row) = decode_short(value, columns) {
                    let shown = shows_anything(&row).then_some(&row);
                    if visit(clustering, shown).is_break() {
                        break;
                    }
                    columns = emptied(row.columns);
                    continue;
                }
                columns = Vec::new();
            }
            let row = partition.row_of_pair(key, sealed, range)?;
            if visit(row.clustering(), row.visible(now)?.as_ref()).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The deletion of the range that covers the clustering the walk has reached.
    #[inline]
    fn covering(&mut self, clustering: &[u8]) -> Option<Deletion> {
        while let Some(range) = self.ranges.last() {
            let passed = match self.direction {
                Direction::Forward => range.end.as_slice() <= clustering,
                Direction::Backward => range.start.as_slice() > clustering,
            };
            if !passed {
                return range.contains(clustering).then_some(range.deletion);
            }
            self.ranges.pop();
        }
        None
    }
}

impl<'p> Iterator for Rows<'p> {
    type Item = Result<StoredRow<'p>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (key, sealed) = match self.pairs.next()? {
            Ok(pair) => pair,
            Err(error) => return Some(Err(error)),
        };
        let range = self.covering(clustering_of_row(&self.partition.key, &key));
        Some(self.partition.row_of_pair(key, sealed, range))
    }
}

/// What was fetched from keys of its own.
#[derive(Debug, Clone)]
enum Spilled {
    Value(Verified),
    Elements(Vec<SpilledElement>),
}

/// One stored row with the deletion that covers it.
#[derive(Debug, Clone)]
pub struct StoredRow<'p> {
    key: Bytes,
    clustering_at: usize,
    value: Verified,
    value_at: usize,
    shadow: Option<Deletion>,
    table: &'p Table,
    spilled: Vec<(ColumnId, Spilled)>,
}

impl StoredRow<'_> {
    /// The clustering; empty for the static row.
    #[must_use]
    pub fn clustering(&self) -> &[u8] {
        self.key.get(self.clustering_at..).unwrap_or_default()
    }

    /// The deletion of the partition or of a range that covers the row.
    #[must_use]
    pub fn shadow(&self) -> Option<Deletion> {
        self.shadow
    }

    /// Everything that is not deleted, expired cells and deletions included, values fetched.
    pub fn merged(&self) -> Result<RowRef<'_>, StoreError> {
        let decoded = packed::decode(self.packed())
            .map_err(StoreError::undecodable(self.table.space, &self.key))?;
        let needs_shadow = self.shadow.is_some() || decoded.deletion.is_some();
        let mut row = if needs_shadow {
            apply_shadow(decoded, self.shadow)
        } else {
            decoded
        };
        if !self.spilled.is_empty() {
            let shadow = reconcile::deletions(row.deletion, self.shadow);
            self.fill_spilled(&mut row, shadow);
        }
        if !self.table.options.hidden_through.is_empty() {
            self.hide(&mut row);
        }
        Ok(row)
    }

    /// What a reader sees at `now` (seconds): live cells only, and none if nothing is live.
    pub fn visible(&self, now: i64) -> Result<Option<RowRef<'_>>, StoreError> {
        let is_bare = self.shadow.is_none()
            && self.spilled.is_empty()
            && self.table.options.hidden_through.is_empty();
        if is_bare && let Some(row) = decode_short(self.packed(), Vec::new()) {
            return Ok(Some(row).filter(shows_anything));
        }
        let mut row = self.merged()?;
        row.deletion = None;
        row.liveness = row
            .liveness
            .filter(|it| !it.expiry.is_some_and(|e| e.is_over(now)));
        if !row.columns.iter().all(|(_, column)| is_lasting(column)) {
            row.columns.retain_mut(|(_, column)| is_live(column, now));
        }
        Ok(Some(row).filter(shows_anything))
    }

    fn packed(&self) -> &[u8] {
        self.value.get(self.value_at..).unwrap_or_default()
    }

    fn fill_spilled<'a>(&'a self, row: &mut RowRef<'a>, shadow: Option<Deletion>) {
        for (id, column) in &mut row.columns {
            let Some((_, spilled)) = self.spilled.iter().find(|(it, _)| it == id) else {
                continue;
            };
            match (column, spilled) {
                (ColumnRef::Cell(cell), Spilled::Value(value)) => {
                    *cell = cell.with_value(ValueRef::Inline(value));
                }
                (ColumnRef::Complex(complex), Spilled::Elements(elements)) => {
                    let shadow = reconcile::deletions(complex.deletion, shadow);
                    let cells = elements
                        .iter()
                        .filter_map(|it| Some((it.path(), it.cell()?)));
                    complex.elements = Elements::Inline(
                        cells
                            .filter(|(_, cell)| !is_covered(shadow, cell.timestamp))
                            .collect(),
                    );
                }
                _ => {}
            }
        }
    }

    fn hide(&self, row: &mut RowRef<'_>) {
        let hidden = &self.table.options.hidden_through;
        row.columns.retain_mut(|(id, column)| {
            let Some(through) = hidden.get(id) else {
                return true;
            };
            match column {
                ColumnRef::Cell(cell) => cell.timestamp > *through,
                ColumnRef::Counter(counter) => counter.timestamp > *through,
                ColumnRef::Complex(complex) => {
                    if let Elements::Inline(elements) = &mut complex.elements {
                        elements.retain(|(_, cell)| cell.timestamp > *through);
                    }
                    true
                }
            }
        });
    }
}

/// Whether a reader sees a row of which this is left.
#[inline]
fn shows_anything(row: &RowRef<'_>) -> bool {
    row.liveness.is_some() || !row.columns.is_empty()
}

/// Whether a column is a single value for good, which needs no look at the clock.
#[inline]
fn is_lasting(column: &ColumnRef<'_>) -> bool {
    matches!(
        column,
        ColumnRef::Cell(CellRef {
            state: CellState::Live(_),
            ..
        })
    )
}

/// Leaves only what is live of a column; false when nothing is.
fn is_live(column: &mut ColumnRef<'_>, now: i64) -> bool {
    match column {
        ColumnRef::Cell(cell) => cell.live_value(now).is_some(),
        ColumnRef::Counter(counter) => matches!(counter.state, CounterState::Total(_)),
        ColumnRef::Complex(complex) => {
            complex.deletion = None;
            match &mut complex.elements {
                Elements::Inline(elements) => {
                    elements.retain(|(_, cell)| cell.live_value(now).is_some());
                    !elements.is_empty()
                }
                Elements::Spilled => false,
            }
        }
    }
}
