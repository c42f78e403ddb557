//! The store as the testkit's model sees it: translates the model's words into the store's.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stoa_store::catalog::CatalogChange;
use stoa_store::cell::{
    CellRef, CellState, ColumnId, ColumnRef, ComplexRef, Counter, CounterState, Deletion, Elements,
    Expiry, Liveness, RowRef, ValueRef,
};
use stoa_store::check::check_view;
use stoa_store::key::PartitionKey;
use stoa_store::kv::Direction;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::partition::{Partition, Slice, StoredRow, TOP};
use stoa_store::row::PackedRow;
use stoa_store::table::{TableId, TableOptions};
use stoa_store::tombstone::RangeDeletion;
use stoa_store::{CommitMode, Options, Store, StoreError, View};
use stoa_testkit::answer::{
    PartitionAnswer, VisibleCell, VisibleColumn, VisibleElement, VisibleLiveness, VisibleRow,
};
use stoa_testkit::corruptor::{Corruption, corrupt};
use stoa_testkit::facts;
use stoa_testkit::operations::{
    Change, CompareAndSet, CompareAndSetAnswer, Condition, ModelBatch, ModelMutation, Order, Read,
    RowKey, RowUpdate,
};
use stoa_testkit::rng::Rng;
use stoa_testkit::run::Subject;
use stoa_testkit::workload::History;
use stoa_types::clock::{Clock, ManualClock};
use stoa_types::token::Token;

/// Where the store under test keeps its data.
pub(crate) enum Place {
    Memory,
    Folder(PathBuf),
}

/// A store with the tables of a history.
pub(crate) struct StoreSubject {
    place: Place,
    pub(crate) store: Store,
    clock: Arc<ManualClock>,
    /// Set to prove that a wrong answer is seen.
    pub(crate) corrupting: Option<Corrupting>,
}

/// Makes one answer of a run wrong.
pub(crate) struct Corrupting {
    pub(crate) kind: Corruption,
    pub(crate) rng: Rng,
    /// The last right answers, for the kinds that bring old data back.
    pub(crate) older: BTreeMap<(u32, Vec<u8>), PartitionAnswer>,
    pub(crate) planted: bool,
}

impl Corrupting {
    fn pass(&mut self, read: &Read, answer: PartitionAnswer) -> PartitionAnswer {
        let place = (read.table, read.partition.clone());
        let older = self
            .older
            .insert(place, answer.clone())
            .unwrap_or_else(|| answer.clone());
        if self.planted || !self.rng.chance(30) {
            return answer;
        }
        let wrong = corrupt(self.kind, &answer, &older, &mut self.rng);
        self.planted = wrong.is_some();
        wrong.unwrap_or(answer)
    }
}

pub(crate) fn options() -> Options {
    let commit_mode = CommitMode::Periodic {
        every: std::time::Duration::from_secs(10),
    };
    // A small budget, so that flushes happen in the middle of things.
    Options {
        commit_mode,
        write_buffer_bytes: 256 << 10,
        cache_bytes: 1 << 20,
        background: false,
    }
}

impl StoreSubject {
    pub(crate) fn new(place: Place, history: &History) -> Self {
        let clock = Arc::new(ManualClock::at_micros(history.start_seconds * 1_000_000));
        let store = open(&place, &clock).unwrap();
        let gc_grace_seconds = history.gc_grace_seconds;
        let options = TableOptions {
            gc_grace_seconds,
            ..TableOptions::default()
        };
        let create = history
            .tables
            .iter()
            .map(|table| (TableId(table.id.into()), options.clone()))
            .collect();
        store
            .change_catalog(CatalogChange {
                create,
                ..CatalogChange::default()
            })
            .unwrap();
        Self {
            place,
            store,
            clock,
            corrupting: None,
        }
    }
}

fn open(place: &Place, clock: &Arc<ManualClock>) -> Result<Store, StoreError> {
    let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
    match place {
        Place::Memory => Store::memory(options(), clock),
        Place::Folder(folder) => Store::open(Path::new(folder), options(), clock),
    }
}

impl Subject for StoreSubject {
    type Snapshot = View;
    type Error = StoreError;

    fn set_clock(&mut self, now_seconds: i64) -> Result<(), StoreError> {
        let target = now_seconds * 1_000_000;
        let by = target - self.clock.now_micros();
        match u64::try_from(by) {
            // Time that passes moves both clocks, so purging stays trusted.
            Ok(by) => self.clock.advance(std::time::Duration::from_micros(by)),
            Err(_) => self.clock.set_micros(target),
        }
        Ok(())
    }

    fn write(&mut self, batch: &ModelBatch) -> Result<(), StoreError> {
        self.store
            .write(batch.mutations.iter().flat_map(updates).collect())
    }

    fn compare_and_set(&mut self, set: &CompareAndSet) -> Result<CompareAndSetAnswer, StoreError> {
        let set = set.clone();
        self.store.decide(move |group| {
            let table = TableId(set.mutation.table.into());
            let partition = group.partition(table, &PartitionKey::new(&set.mutation.partition)?)?;
            let stored = match &set.row {
                RowKey::Static => partition.static_row()?,
                RowKey::Clustering(clustering) => partition.row(&position(clustering))?,
            };
            let seen = match &stored {
                Some(row) => visible_row(row, set.now_seconds)?,
                None => None,
            };
            drop(partition);
            let value = |column: &u32| match seen.as_ref()?.columns.get(column)? {
                VisibleColumn::Simple(cell) => Some(cell.value.clone()),
                _ => None,
            };
            let applied = match &set.condition {
                Condition::RowExists => seen.is_some(),
                Condition::RowAbsent => seen.is_none(),
                Condition::ColumnIs {
                    column,
                    value: wanted,
                } => value(column) == *wanted,
            };
            if applied {
                group.apply(&updates(&set.mutation))?;
            }
            Ok(CompareAndSetAnswer { applied, seen })
        })
    }

    fn read(&mut self, read: &Read) -> Result<PartitionAnswer, StoreError> {
        let answer = read_view(&self.store.view()?, read)?;
        Ok(match &mut self.corrupting {
            Some(corrupting) => corrupting.pass(read, answer),
            None => answer,
        })
    }

    fn scan(
        &mut self,
        table: u32,
        now_seconds: i64,
    ) -> Result<Vec<(Vec<u8>, PartitionAnswer)>, StoreError> {
        let view = self.store.view()?;
        let checked = check_view(&view, &mut |_| {});
        assert!(checked.findings.is_empty(), "{:?}", checked.findings);
        let mut found = Vec::new();
        let mut tokens = Vec::new();
        for key in view.partitions(TableId(table.into()), Token::MINIMUM)? {
            let key = key?;
            tokens.push(key.token());
            let read = Read::whole(table, key.bytes().to_vec(), now_seconds);
            let answer = read_view(&view, &read)?;
            if !answer.is_empty() {
                found.push((key.bytes().to_vec(), answer));
            }
        }
        assert!(
            tokens.is_sorted_by(|a, b| a < b),
            "partitions come once, in token order"
        );
        Ok(found)
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        self.store.flush()?;
        self.store.housekeep()
    }

    fn compact(&mut self) -> Result<(), StoreError> {
        for table in self.store.view()?.catalog().tables() {
            self.store.compact(table.id)?;
        }
        Ok(())
    }

    fn purge(&mut self, _now: i64, _gc_grace_seconds: i64) -> Result<(), StoreError> {
        // The history's clock may have jumped before; its purges take it for right.
        self.store.trust_clock();
        self.store.purge()
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        if let Place::Folder(_) = self.place {
            self.store.close()?;
            // The old handle must be gone before the folder can be locked again.
            self.store = Store::memory(options(), Arc::<ManualClock>::clone(&self.clock))?;
            self.store = open(&self.place, &self.clock)?;
        }
        Ok(())
    }

    fn truncate(&mut self, table: u32) -> Result<(), StoreError> {
        let truncate = vec![TableId(table.into())];
        self.store.change_catalog(CatalogChange {
            truncate,
            ..CatalogChange::default()
        })
    }

    fn open_snapshot(&mut self) -> Result<View, StoreError> {
        self.store.view()
    }

    fn read_snapshot(&mut self, view: &View, read: &Read) -> Result<PartitionAnswer, StoreError> {
        read_view(view, read)
    }
}

/// A model's clustering or position as one that the key encoding could have made.
fn position(bytes: &[u8]) -> Vec<u8> {
    let mut position = vec![0x40];
    position.extend_from_slice(bytes);
    position
}

fn end_position(end: Option<&Vec<u8>>) -> Vec<u8> {
    end.map_or(TOP.to_vec(), |end| position(end))
}

fn deletion(it: &facts::Deletion) -> Deletion {
    Deletion {
        timestamp: it.timestamp_micros,
        deleted_at: it.deleted_at_seconds,
    }
}

fn expiry(it: &facts::Expiry) -> Expiry {
    Expiry {
        ttl_seconds: it.ttl_seconds,
        expires_at: it.expires_at_seconds,
    }
}

fn cell(it: &facts::Cell) -> CellRef<'_> {
    let state = match &it.state {
        facts::CellState::Live(value) => CellState::Live(ValueRef::Inline(value)),
        facts::CellState::Expiring {
            value,
            expiry: ends,
        } => CellState::Expiring(ValueRef::Inline(value), expiry(ends)),
        facts::CellState::Tombstone { deleted_at_seconds } => CellState::Tombstone {
            deleted_at: *deleted_at_seconds,
        },
    };
    CellRef {
        timestamp: it.timestamp_micros,
        state,
    }
}

/// One update per change, in order: a mutation may touch a row twice.
fn updates(mutation: &ModelMutation) -> Vec<PartitionUpdate> {
    let one = |change: &Change| {
        let table = TableId(mutation.table.into());
        let key = PartitionKey::new(&mutation.partition).unwrap();
        let mut update = PartitionUpdate::new(table, key);
        match change {
            Change::DeletePartition(it) => update.deletion = Some(deletion(it)),
            Change::DeleteRange {
                range,
                deletion: it,
            } => update.ranges.push(RangeDeletion {
                start: position(&range.start),
                end: end_position(range.end.as_ref()),
                deletion: deletion(it),
            }),
            Change::UpdateRow(row) => put_row(&mut update, &row.row, &row_update(row)),
            Change::AddToCounter {
                row,
                column,
                delta,
                timestamp_micros,
            } => {
                let state = CounterState::Add(*delta);
                put_row(
                    &mut update,
                    row,
                    &counter(*column, *timestamp_micros, state),
                );
            }
            Change::DeleteCounter {
                row,
                column,
                deletion: it,
            } => {
                let state = CounterState::Tombstone {
                    deleted_at: it.deleted_at_seconds,
                };
                put_row(
                    &mut update,
                    row,
                    &counter(*column, it.timestamp_micros, state),
                );
            }
        }
        update
    };
    mutation.changes.iter().map(one).collect()
}

fn counter(column: u32, timestamp: i64, state: CounterState) -> RowRef<'static> {
    let columns = vec![(
        ColumnId(column),
        ColumnRef::Counter(Counter { timestamp, state }),
    )];
    RowRef {
        columns,
        ..RowRef::default()
    }
}

fn put_row(update: &mut PartitionUpdate, key: &RowKey, row: &RowRef<'_>) {
    let packed = PackedRow::encode(row).unwrap();
    match key {
        RowKey::Static => update.static_row = Some(packed),
        RowKey::Clustering(clustering) => update.rows.push((position(clustering).into(), packed)),
    }
}

fn row_update(update: &RowUpdate) -> RowRef<'_> {
    let mut columns: BTreeMap<u32, ColumnRef<'_>> = update
        .cells
        .iter()
        .map(|(id, it)| (*id, ColumnRef::Cell(cell(it))))
        .collect();
    let empty = || {
        ColumnRef::Complex(ComplexRef {
            deletion: None,
            elements: Elements::Inline(Vec::new()),
        })
    };
    for (id, it) in &update.complex_deletions {
        if let ColumnRef::Complex(complex) = columns.entry(*id).or_insert_with(empty) {
            complex.deletion = Some(deletion(it)).max(complex.deletion);
        }
    }
    let elements: BTreeMap<(u32, &[u8]), CellRef<'_>> = update
        .elements
        .iter()
        .map(|it| ((it.column, it.path.as_slice()), cell(&it.cell)))
        .collect();
    assert_eq!(
        elements.len(),
        update.elements.len(),
        "an element comes once in an update"
    );
    for ((id, path), it) in elements {
        if let ColumnRef::Complex(ComplexRef {
            elements: Elements::Inline(elements),
            ..
        }) = columns.entry(id).or_insert_with(empty)
        {
            elements.push((path, it));
        }
    }
    RowRef {
        original_clustering: None,
        liveness: update.liveness.as_ref().map(|it| Liveness {
            timestamp: it.timestamp_micros,
            expiry: it.expiry.as_ref().map(expiry),
        }),
        deletion: update.deletion.as_ref().map(deletion),
        columns: columns
            .into_iter()
            .map(|(id, column)| (ColumnId(id), column))
            .collect(),
    }
}

pub(crate) fn read_view(view: &View, read: &Read) -> Result<PartitionAnswer, StoreError> {
    let key = PartitionKey::new(&read.partition)?;
    let partition = view.partition(TableId(read.table.into()), key)?;
    let static_row = match partition.static_row()? {
        Some(row) => visible_row(&row, read.now_seconds)?,
        None => None,
    };
    let direction = match read.order {
        Order::Forward => Direction::Forward,
        Order::Reversed => Direction::Backward,
    };
    let mut slices: Vec<_> = read.slices.iter().collect();
    if direction == Direction::Backward {
        slices.reverse();
    }
    let mut rows = Vec::new();
    for slice in slices {
        let end = end_position(slice.end.as_ref());
        let slice = Slice {
            start: position(&slice.start),
            end,
        };
        read_slice(&partition, slice, direction, read, &mut rows)?;
    }
    // Point reads must agree with the slice they are part of.
    for row in rows.iter().take(2) {
        let alone = partition
            .row(&position(&row.clustering))?
            .expect("a row of a slice is there");
        assert_eq!(visible_row(&alone, read.now_seconds)?.as_ref(), Some(row));
    }
    Ok(PartitionAnswer { static_row, rows })
}

/// Reads a slice page by page, each page a new walk after the last row of the one before.
fn read_slice(
    partition: &Partition<'_>,
    mut slice: Slice,
    direction: Direction,
    read: &Read,
    rows: &mut Vec<VisibleRow>,
) -> Result<(), StoreError> {
    let limit = read.limit.unwrap_or(usize::MAX);
    let page = read.page_rows.unwrap_or(usize::MAX).max(1);
    let mut walked = Vec::new();
    for row in partition.rows(&slice, direction)? {
        walked.extend(visible_row(&row?, read.now_seconds)?);
    }
    let visited = visited_rows(partition, &slice, direction, read)?;
    assert_eq!(
        visited, walked,
        "both ways to walk over a slice show the same"
    );
    loop {
        let before = rows.len();
        for row in partition.rows(&slice, direction)? {
            if rows.len() >= limit {
                return Ok(());
            }
            rows.extend(visible_row(&row?, read.now_seconds)?);
            if rows.len() - before >= page {
                break;
            }
        }
        if rows.len() - before < page {
            return Ok(());
        }
        let last = rows
            .last()
            .map(|row| position(&row.clustering))
            .unwrap_or_default();
        slice = slice.after(&last, direction);
    }
}

/// Reads a slice in one walk, and checks that a walk can be stopped at the limit.
fn visited_rows(
    partition: &Partition<'_>,
    slice: &Slice,
    direction: Direction,
    read: &Read,
) -> Result<Vec<VisibleRow>, StoreError> {
    let mut rows = Vec::new();
    let walk = partition.rows(slice, direction)?;
    walk.visit_visible(read.now_seconds, |clustering, row| {
        rows.push(shown(clustering, row));
        ControlFlow::Continue(())
    })?;
    if let Some(limit) = read.limit.filter(|limit| *limit > 0) {
        let mut first = Vec::new();
        let walk = partition.rows(slice, direction)?;
        walk.visit_visible(read.now_seconds, |clustering, row| {
            first.push(shown(clustering, row));
            match first.len() < limit {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })?;
        assert!(rows.iter().take(limit).eq(&first), "a walk can be stopped");
    }
    Ok(rows)
}

fn visible_row(row: &StoredRow<'_>, now: i64) -> Result<Option<VisibleRow>, StoreError> {
    let visible = row.visible(now)?;
    Ok(visible.map(|visible| shown(row.clustering(), &visible)))
}

fn shown(clustering: &[u8], row: &RowRef<'_>) -> VisibleRow {
    let columns = row
        .columns
        .iter()
        .map(|(id, column)| (id.0, visible_column(column)));
    VisibleRow {
        clustering: clustering.get(1..).unwrap_or_default().to_vec(),
        liveness: row.liveness.map(|it| VisibleLiveness {
            timestamp_micros: it.timestamp,
            expires_at_seconds: it.expiry.map(|expiry| expiry.expires_at),
        }),
        columns: columns.collect(),
    }
}

fn visible_column(column: &ColumnRef<'_>) -> VisibleColumn {
    match column {
        ColumnRef::Cell(cell) => VisibleColumn::Simple(visible_cell(cell)),
        ColumnRef::Counter(Counter {
            timestamp,
            state: CounterState::Total(total),
        }) => VisibleColumn::Counter {
            timestamp_micros: *timestamp,
            total: *total,
        },
        ColumnRef::Counter(other) => panic!("{other:?} is not visible"),
        ColumnRef::Complex(complex) => {
            let Elements::Inline(elements) = &complex.elements else {
                panic!("elements are fetched before they are shown")
            };
            let element = |(path, cell): &(&[u8], CellRef<'_>)| VisibleElement {
                path: path.to_vec(),
                cell: visible_cell(cell),
            };
            VisibleColumn::Complex(elements.iter().map(element).collect())
        }
    }
}

fn visible_cell(cell: &CellRef<'_>) -> VisibleCell {
    let Some(ValueRef::Inline(value)) = cell.value() else {
        panic!("values are fetched before they are shown")
    };
    VisibleCell {
        timestamp_micros: cell.timestamp,
        value: value.to_vec(),
        expires_at_seconds: cell.expiry().map(|expiry| expiry.expires_at),
    }
}
