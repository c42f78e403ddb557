//! Random mutations: what is written, where, when and for how long.

use std::collections::VecDeque;

use crate::facts::{Cell, ColumnId, Deletion, Expiry, Interval, Liveness};
use crate::operations::{Change, Element, ModelBatch, ModelMutation, RowKey, RowUpdate};
use crate::rng::Rng;
use crate::workload::shape::{ColumnKind, ColumnPlace, Shape, TableKind, TableShape};
use crate::workload::swarm::{ChangeKind, CounterKind, Swarm, TimestampKind};

/// From one second to the longest Cassandra takes, twenty years.
const TTLS_SECONDS: &[i32] = &[1, 2, 5, 30, 600, 86_400, 630_720_000];

/// How many write times are remembered to be used again.
const RECENT: usize = 6;

/// Draws mutations at a current time.
#[derive(Clone, Debug)]
pub(crate) struct Writer<'shape> {
    pub(crate) rng: Rng,
    pub(crate) shape: &'shape Shape,
    pub(crate) swarm: Swarm,
    pub(crate) now_seconds: i64,
    /// The last write time given by the server: they only grow, whatever the clock does.
    server_micros: i64,
    recent_micros: VecDeque<i64>,
}

impl<'shape> Writer<'shape> {
    pub(crate) fn new(mut rng: Rng, shape: &'shape Shape) -> Self {
        let swarm = Swarm::draw(&mut rng);
        Self {
            rng,
            shape,
            swarm,
            now_seconds: shape.start_seconds,
            server_micros: 0,
            recent_micros: VecDeque::new(),
        }
    }

    /// A batch over any tables and partitions, each partition of counters at most once: in
    /// Cassandra the parts of a batch to one partition have no order among them.
    pub(crate) fn batch(&mut self) -> ModelBatch {
        let most = if self.rng.chance(60) {
            1
        } else {
            self.shape.batch_mutations
        };
        let mut batch = ModelBatch::default();
        for _ in 0..=self.rng.index(most) {
            let Some((kind, mutation)) = self.mutation() else {
                break;
            };
            let is_same = |other: &ModelMutation| {
                other.table == mutation.table && other.partition == mutation.partition
            };
            if kind == TableKind::Regular || !batch.mutations.iter().any(is_same) {
                batch.mutations.push(mutation);
            }
        }
        batch
    }

    fn mutation(&mut self) -> Option<(TableKind, ModelMutation)> {
        let table = self.rng.pick(&self.shape.tables)?;
        let partition = self.rng.pick(&self.shape.partitions)?.clone();
        let changes = match table.kind {
            TableKind::Regular => {
                let count = 1 + self.rng.index(3);
                (0..count).filter_map(|_| self.change(table)).collect()
            }
            TableKind::Counter => self.counter_changes(table),
        };
        let mutation = ModelMutation {
            table: table.id,
            partition,
            changes,
        };
        Some((table.kind, mutation))
    }

    fn change(&mut self, table: &TableShape) -> Option<Change> {
        let kind = *self.rng.weighted(&self.swarm.changes)?;
        let mut update = RowUpdate::new(self.clustering()?);
        let timestamp_micros = self.timestamp();
        let deletion = self.deletion(timestamp_micros);
        match kind {
            ChangeKind::DeleteRange => {
                return Some(Change::DeleteRange {
                    range: self.interval(),
                    deletion,
                });
            }
            ChangeKind::DeletePartition => return Some(Change::DeletePartition(deletion)),
            ChangeKind::DeleteRow => update.deletion = Some(deletion),
            ChangeKind::Insert => {
                let expiry = self.expiry();
                update.liveness = Some(Liveness {
                    timestamp_micros,
                    expiry,
                });
                update.cells = self.cells(table, ColumnPlace::Row, timestamp_micros, expiry);
            }
            ChangeKind::Update => {
                let expiry = self.expiry();
                update.cells = self.cells(table, ColumnPlace::Row, timestamp_micros, expiry);
            }
            ChangeKind::DeleteCells => {
                let columns = self.columns(table, ColumnKind::Simple, ColumnPlace::Row);
                let dead = Cell::tombstone(timestamp_micros, self.now_seconds);
                update.cells = columns
                    .into_iter()
                    .map(|column| (column, dead.clone()))
                    .collect();
            }
            ChangeKind::UpdateStatic => {
                let expiry = self.expiry();
                update.row = RowKey::Static;
                update.cells = self.cells(table, ColumnPlace::Static, timestamp_micros, expiry);
            }
            ChangeKind::AddStaticElements => {
                update.row = RowKey::Static;
                self.add_elements(&mut update, table, ColumnPlace::Static, timestamp_micros);
            }
            ChangeKind::SetCollection => {
                // Cassandra overwrites a collection by deleting it one microsecond before.
                let before = self.deletion(timestamp_micros.saturating_sub(1).max(i64::MIN + 1));
                self.add_elements(&mut update, table, ColumnPlace::Row, timestamp_micros);
                let written = update.elements.first().map(|element| element.column);
                update
                    .complex_deletions
                    .extend(written.map(|column| (column, before)));
            }
            ChangeKind::AddElements => {
                self.add_elements(&mut update, table, ColumnPlace::Row, timestamp_micros);
            }
            ChangeKind::RemoveElements => {
                self.add_elements(&mut update, table, ColumnPlace::Row, timestamp_micros);
                for element in &mut update.elements {
                    element.cell = Cell::tombstone(timestamp_micros, self.now_seconds);
                }
            }
            ChangeKind::DeleteCollection => {
                let columns = self.columns(table, ColumnKind::Complex, ColumnPlace::Row);
                update.complex_deletions = columns.into_iter().map(|it| (it, deletion)).collect();
            }
        }
        Some(Change::UpdateRow(update))
    }

    /// Either increments or one deletion: Cassandra resolves the increments of a mutation
    /// against what was there before it, so mixing the two would have no clear meaning.
    fn counter_changes(&mut self, table: &TableShape) -> Vec<Change> {
        let kind = self
            .rng
            .weighted(&self.swarm.counters)
            .copied()
            .unwrap_or(CounterKind::Add);
        let timestamp_micros = self.timestamp();
        let deletion = self.deletion(timestamp_micros);
        let change = match kind {
            CounterKind::Add => {
                let count = 1 + self.rng.index(3);
                return (0..count).filter_map(|_| self.increment(table)).collect();
            }
            CounterKind::DeletePartition => Some(Change::DeletePartition(deletion)),
            CounterKind::DeleteRange => Some(Change::DeleteRange {
                range: self.interval(),
                deletion,
            }),
            CounterKind::DeleteRow => self.clustering().map(|row| {
                Change::UpdateRow(RowUpdate {
                    deletion: Some(deletion),
                    ..RowUpdate::new(row)
                })
            }),
            CounterKind::DeleteCell => {
                self.counter(table)
                    .map(|(row, column)| Change::DeleteCounter {
                        row,
                        column,
                        deletion,
                    })
            }
        };
        change.into_iter().collect()
    }

    fn increment(&mut self, table: &TableShape) -> Option<Change> {
        let (row, column) = self.counter(table)?;
        let delta = self
            .rng
            .pick(&[1, 1, 2, -1, 10, 0, i64::MAX, i64::MIN])
            .copied()?;
        let timestamp_micros = self.server_timestamp();
        Some(Change::AddToCounter {
            row,
            column,
            delta,
            timestamp_micros,
        })
    }

    fn counter(&mut self, table: &TableShape) -> Option<(RowKey, ColumnId)> {
        let place = if self.rng.chance(20) {
            ColumnPlace::Static
        } else {
            ColumnPlace::Row
        };
        let column = *self.rng.pick(&table.columns(ColumnKind::Counter, place))?;
        let row = match place {
            ColumnPlace::Static => RowKey::Static,
            ColumnPlace::Row => self.clustering()?,
        };
        Some((row, column))
    }

    pub(super) fn cells(
        &mut self,
        table: &TableShape,
        place: ColumnPlace,
        timestamp_micros: i64,
        expiry: Option<Expiry>,
    ) -> Vec<(ColumnId, Cell)> {
        let columns = self.columns(table, ColumnKind::Simple, place);
        let mut cells = Vec::new();
        for column in columns {
            cells.push((column, self.cell(timestamp_micros, expiry)));
        }
        cells
    }

    fn add_elements(
        &mut self,
        update: &mut RowUpdate,
        table: &TableShape,
        place: ColumnPlace,
        timestamp_micros: i64,
    ) {
        let Some(column) = self
            .rng
            .pick(&table.columns(ColumnKind::Complex, place))
            .copied()
        else {
            return;
        };
        let count = 1 + self.rng.index(3);
        let expiry = self.expiry();
        for path in self.rng.sample(&self.shape.paths, count) {
            let cell = self.cell(timestamp_micros, expiry);
            update.elements.push(Element { column, path, cell });
        }
    }

    fn columns(
        &mut self,
        table: &TableShape,
        kind: ColumnKind,
        place: ColumnPlace,
    ) -> Vec<ColumnId> {
        let columns = table.columns(kind, place);
        let count = 1 + self.rng.index(columns.len());
        self.rng.sample(&columns, count)
    }

    fn cell(&mut self, timestamp_micros: i64, expiry: Option<Expiry>) -> Cell {
        let value = self.value();
        match expiry {
            Some(expiry) => Cell::expiring(
                timestamp_micros,
                value,
                self.now_seconds,
                expiry.ttl_seconds,
            ),
            None => Cell::live(timestamp_micros, value),
        }
    }

    pub(super) fn value(&mut self) -> Vec<u8> {
        let large = self.rng.chance(self.swarm.large_percent);
        let pool = if large {
            &self.shape.large_values
        } else {
            &self.shape.small_values
        };
        self.rng.pick(pool).cloned().unwrap_or_default()
    }

    pub(super) fn expiry(&mut self) -> Option<Expiry> {
        let ttl_seconds = *self.rng.pick(TTLS_SECONDS)?;
        let expires = self.rng.chance(self.swarm.ttl_percent);
        expires.then(|| Expiry::after(self.now_seconds, ttl_seconds))
    }

    pub(super) fn deletion(&self, timestamp_micros: i64) -> Deletion {
        Deletion {
            timestamp_micros,
            deleted_at_seconds: self.now_seconds,
        }
    }

    pub(super) fn clustering(&mut self) -> Option<RowKey> {
        self.rng
            .pick(&self.shape.clusterings)
            .cloned()
            .map(RowKey::Clustering)
    }

    /// An interval that is not empty.
    pub(crate) fn interval(&mut self) -> Interval {
        let mut bounds = self.bounds(2).into_iter();
        let start = bounds.next().unwrap_or_default();
        let end = if self.rng.chance(80) {
            bounds.next()
        } else {
            None
        };
        Interval { start, end }
    }

    /// Up to `count` different positions, in order.
    pub(crate) fn bounds(&mut self, count: usize) -> Vec<Vec<u8>> {
        let mut all = [self.shape.clusterings.as_slice(), &self.shape.bounds].concat();
        all.sort_unstable();
        all.dedup();
        self.rng.sample(&all, count)
    }

    fn timestamp(&mut self) -> i64 {
        const BOUNDARY: &[i64] = &[i64::MIN + 1, i64::MIN + 2, i64::MAX - 1, i64::MAX];
        let kind = self.rng.weighted(&self.swarm.timestamps).copied();
        let recent = self.rng.index(self.recent_micros.len());
        let recent = self.recent_micros.get(recent).copied().unwrap_or(1);
        let timestamp = match kind.unwrap_or(TimestampKind::Server) {
            TimestampKind::Server => self.server_timestamp(),
            TimestampKind::Recent => recent,
            // Cassandra reserves the smallest number for "never written".
            TimestampKind::BesideRecent => recent
                .saturating_add(self.rng.between(-1, 1))
                .max(i64::MIN + 1),
            TimestampKind::Small => self.rng.between(0, 3),
            TimestampKind::Negative => self.rng.between(-1_000, -1),
            TimestampKind::FarFuture => self
                .server_micros
                .saturating_add(self.rng.between(1, 3) * 1_000_000_000_000_000),
            TimestampKind::Boundary => self.rng.pick(BOUNDARY).copied().unwrap_or(0),
        };
        self.recent_micros.push_back(timestamp);
        if self.recent_micros.len() > RECENT {
            self.recent_micros.pop_front();
        }
        timestamp
    }

    pub(super) fn server_timestamp(&mut self) -> i64 {
        let clock_micros = self.now_seconds.saturating_mul(1_000_000);
        self.server_micros = clock_micros.max(self.server_micros + 1);
        self.server_micros
    }
}
