//! Three replicas of rows, where the last write of each cell wins.
//!
//! What is on its way to a replica waits in one list and is taken from it when time has come so far
//! that someone could see it. A deletion is forgotten after its grace, as compaction does; nothing
//! is on its way for longer than that.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use stoa_testkit::rng::Rng;

use super::model::{Column, Row, Value};
use crate::timeline::Timeline;

/// A write that is not acknowledged by then has failed, as far as its client knows.
const TIMEOUT_MICROS: u64 = 2_000_000;

/// What goes wrong with writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Faults {
    /// The chance in 1,000 that a write reaches a replica late.
    pub(super) late: u32,
    /// How late that is at most.
    pub(super) latest_micros: u64,
    /// How long a deletion is remembered.
    pub(super) grace_micros: u64,
}

/// A cell: a value of some time, or that there is none any more.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cell {
    timestamp: i64,
    /// `None` once it is deleted.
    value: Option<Value>,
    written_at: u64,
}

impl Cell {
    /// The greater timestamp wins; of equal ones the deletion, then the greater value.
    fn beats(&self, other: &Self) -> bool {
        let rank = |cell: &Self| (cell.timestamp, cell.value.is_none());
        rank(self)
            .cmp(&rank(other))
            .then_with(|| self.value.cmp(&other.value))
            .is_gt()
    }
}

type Rows = BTreeMap<(Row, Column), Cell>;
/// A cell for one replica.
type Sent = (usize, (Row, Column), Cell);

#[derive(Debug)]
struct Inner {
    replicas: [Rows; 3],
    /// By the time of arrival.
    on_the_way: BTreeMap<(u64, u64), Sent>,
    sent: u64,
    faults: Faults,
    rng: Rng,
}

/// The replicas, as all clients share them.
#[derive(Debug, Clone)]
pub(super) struct Replicas {
    timeline: Timeline,
    inner: Arc<Mutex<Inner>>,
}

/// A write that was not acknowledged. It may still be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failed;

/// A column that was read, and its timestamp.
pub(super) type Read = (Column, Value, i64);

impl Replicas {
    pub(super) fn new(timeline: Timeline, faults: Faults, rng: Rng) -> Self {
        let inner = Inner {
            replicas: [Rows::new(), Rows::new(), Rows::new()],
            on_the_way: BTreeMap::new(),
            sent: 0,
            faults,
            rng,
        };
        Self {
            timeline,
            inner: Arc::new(Mutex::new(inner)),
        }
    }

    pub(super) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Ends all faults; what is on its way arrives.
    pub(super) fn heal(&self) {
        let mut inner = self.inner();
        inner.faults.late = 0;
        inner.arrive(u64::MAX);
    }

    /// Writes a value, or deletes it, at QUORUM.
    pub(super) async fn write(
        &self,
        at: (Row, Column),
        value: Option<Value>,
        timestamp: i64,
    ) -> Result<(), Failed> {
        let now = self.timeline.now_micros();
        let cell = Cell {
            timestamp,
            value,
            written_at: now,
        };
        let acknowledged = self.inner().send(now, at, &cell);
        let takes = acknowledged.min(TIMEOUT_MICROS);
        self.timeline.sleep(Duration::from_micros(takes)).await;
        match acknowledged > TIMEOUT_MICROS {
            true => Err(Failed),
            false => Ok(()),
        }
    }

    /// Reads a row at QUORUM: two replicas at different moments, which are then made equal.
    pub(super) async fn read(&self, row: Row) -> Vec<Read> {
        let skipped = self.inner().rng.index(3);
        let mut merged = Rows::new();
        let asked = (0..3).filter(|replica| *replica != skipped);
        for replica in asked.clone() {
            let takes = self.inner().message();
            self.timeline.sleep(Duration::from_micros(takes)).await;
            let now = self.timeline.now_micros();
            let sample = self.inner().sample(replica, row, now);
            for (at, cell) in sample {
                merge(&mut merged, at, cell);
            }
        }
        let mut inner = self.inner();
        for replica in asked {
            for (at, cell) in &merged {
                inner.apply(replica, *at, cell.clone(), self.timeline.now_micros());
            }
        }
        let cells = merged.into_iter();
        cells
            .filter_map(|((_, column), cell)| Some((column, cell.value?, cell.timestamp)))
            .collect()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn message(&mut self) -> u64 {
        500 + self.rng.below(20_000)
    }

    /// Sends a cell to every replica; after how long two have it.
    fn send(&mut self, now: u64, at: (Row, Column), cell: &Cell) -> u64 {
        let mut delays = Vec::new();
        for replica in 0..3 {
            let mut delay = self.message();
            if self.rng.below(1_000) < u64::from(self.faults.late) {
                delay += self.rng.below(self.faults.latest_micros);
            }
            self.sent += 1;
            let key = (now + delay, self.sent);
            self.on_the_way.insert(key, (replica, at, cell.clone()));
            delays.push(delay);
        }
        delays.sort_unstable();
        delays.get(1).copied().unwrap_or(0)
    }

    /// Lets everything arrive that should have by a time.
    fn arrive(&mut self, now: u64) {
        while let Some(entry) = self.on_the_way.first_entry() {
            let when = entry.key().0;
            if when > now {
                return;
            }
            let (replica, at, cell) = entry.remove();
            self.apply(replica, at, cell, when);
        }
    }

    fn apply(&mut self, replica: usize, at: (Row, Column), cell: Cell, now: u64) {
        let grace = self.faults.grace_micros;
        let Some(rows) = self.replicas.get_mut(replica) else {
            return;
        };
        if rows
            .get(&at)
            .is_some_and(|old| is_forgotten(old, now, grace))
        {
            rows.remove(&at);
        }
        merge(rows, at, cell);
    }

    fn sample(&mut self, replica: usize, row: Row, now: u64) -> Vec<((Row, Column), Cell)> {
        self.arrive(now);
        let grace = self.faults.grace_micros;
        let rows = self.replicas.get(replica).into_iter().flatten();
        rows.filter(|((of, _), cell)| *of == row && !is_forgotten(cell, now, grace))
            .map(|(at, cell)| (*at, cell.clone()))
            .collect()
    }
}

fn is_forgotten(cell: &Cell, now: u64, grace_micros: u64) -> bool {
    cell.value.is_none() && cell.written_at.saturating_add(grace_micros) < now
}

fn merge(rows: &mut Rows, at: (Row, Column), cell: Cell) {
    match rows.get(&at) {
        Some(old) if !cell.beats(old) => {}
        _ => {
            rows.insert(at, cell);
        }
    }
}
