//! Subjects with a known behaviour: the model itself, exact or with one fault planted.
//!
//! A run that finds no difference proves little until it is known to find differences. Each
//! fault here is one that real engines had. [`Behaviour::Eager`] is no fault: it forgets all
//! it may at every step, as an engine does that merges on write and purges when it likes, and
//! must answer as the model does for ever.

use std::convert::Infallible;

use crate::answer::{PartitionAnswer, VisibleColumn};
use crate::facts::TableId;
use crate::model::Model;
use crate::operations::{
    Change, CompareAndSet, CompareAndSetAnswer, ModelBatch, Order, Read, RowKey,
};
use crate::run::Subject;

/// How a planted subject behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// As the model.
    Exact,
    /// As the model, but merges and purges at every step whatever the grace allows.
    Eager,
    /// Fault: every tenth batch is lost.
    LosesBatches,
    /// Fault: range deletions cover their end as well.
    EndsRangesLate,
    /// Fault: what expires is shown a second too long.
    ExpiresLate,
    /// Fault: compaction purges without waiting for the grace.
    PurgesEarly,
    /// Fault: the purge does nothing.
    NeverPurges,
    /// Fault: snapshots show later writes.
    MovesSnapshots,
    /// Fault: conditions are not looked at.
    IgnoresConditions,
    /// Fault: truncating does nothing.
    IgnoresTruncate,
    /// Fault: the limit is applied before the order is reversed.
    LimitsBeforeReversing,
    /// Fault: of two cells with the same write time the one that comes first stays.
    FirstWriteWins,
    /// Fault: deleting a row leaves its counters as they are.
    KeepsCounters,
}

impl Behaviour {
    /// All faults.
    pub const FAULTS: &[Self] = &[
        Self::LosesBatches,
        Self::EndsRangesLate,
        Self::ExpiresLate,
        Self::PurgesEarly,
        Self::NeverPurges,
        Self::MovesSnapshots,
        Self::IgnoresConditions,
        Self::IgnoresTruncate,
        Self::LimitsBeforeReversing,
        Self::FirstWriteWins,
        Self::KeepsCounters,
    ];
}

/// The model as a subject, with a behaviour.
#[derive(Clone, Debug)]
pub struct Planted {
    behaviour: Behaviour,
    gc_grace_seconds: i64,
    model: Model,
    now_seconds: i64,
    batches: u64,
}

impl Planted {
    /// An empty subject for histories with a grace.
    pub fn new(behaviour: Behaviour, gc_grace_seconds: i64) -> Self {
        Self {
            behaviour,
            gc_grace_seconds,
            model: Model::new(),
            now_seconds: 0,
            batches: 0,
        }
    }

    fn has(&self, behaviour: Behaviour) -> bool {
        self.behaviour == behaviour
    }

    fn settle(&mut self) {
        if self.has(Behaviour::Eager) {
            self.model.purge(self.now_seconds, self.gc_grace_seconds);
        }
    }

    /// The change as the faulty subject makes it.
    fn bent(&self, table: TableId, partition: &[u8], change: &Change) -> Option<Change> {
        let mut change = change.clone();
        match &mut change {
            Change::DeleteRange { range, .. } if self.has(Behaviour::EndsRangesLate) => {
                range.end.iter_mut().for_each(|end| end.push(0));
            }
            Change::UpdateRow(update) if self.has(Behaviour::FirstWriteWins) => {
                let read = Read::whole(table, partition, self.now_seconds);
                let answer = self.model.read(&read);
                let row = answer.rows.iter().find(|row| match &update.row {
                    RowKey::Static => false,
                    RowKey::Clustering(clustering) => *clustering == row.clustering,
                });
                update.cells.retain(|(column, cell)| {
                    let there = row.and_then(|row| row.columns.get(column));
                    there.is_none_or(|there| there.timestamp_micros() != cell.timestamp_micros)
                });
            }
            Change::UpdateRow(update) if self.has(Behaviour::KeepsCounters) => {
                let is_counter = self
                    .model
                    .read(&Read::whole(table, partition, self.now_seconds));
                let is_counter = is_counter
                    .rows
                    .iter()
                    .any(|row| row.columns.values().any(VisibleColumn::is_counter));
                if is_counter && update.deletion.is_some() {
                    return None;
                }
            }
            Change::DeletePartition(_)
            | Change::DeleteRange { .. }
            | Change::UpdateRow(_)
            | Change::AddToCounter { .. }
            | Change::DeleteCounter { .. } => {}
        }
        Some(change)
    }
}

impl Subject for Planted {
    type Snapshot = Model;
    type Error = Infallible;

    fn set_clock(&mut self, now_seconds: i64) -> Result<(), Infallible> {
        self.now_seconds = now_seconds;
        Ok(())
    }

    fn write(&mut self, batch: &ModelBatch) -> Result<(), Infallible> {
        self.batches += 1;
        if self.has(Behaviour::LosesBatches) && self.batches.is_multiple_of(10) {
            return Ok(());
        }
        for mutation in &batch.mutations {
            for change in &mutation.changes {
                let change = self.bent(mutation.table, &mutation.partition, change);
                let mut mutation = mutation.clone();
                mutation.changes = change.into_iter().collect();
                self.model.apply(&mutation);
            }
        }
        self.settle();
        Ok(())
    }

    fn compare_and_set(
        &mut self,
        request: &CompareAndSet,
    ) -> Result<CompareAndSetAnswer, Infallible> {
        let mut answer = self.model.compare_and_set(request);
        if self.has(Behaviour::IgnoresConditions) && !answer.applied {
            self.model.apply(&request.mutation);
            answer.applied = true;
        }
        self.settle();
        Ok(answer)
    }

    fn read(&mut self, read: &Read) -> Result<PartitionAnswer, Infallible> {
        let mut read = read.clone();
        if self.has(Behaviour::ExpiresLate) {
            read.now_seconds -= 1;
        }
        if self.has(Behaviour::LimitsBeforeReversing) && read.order == Order::Reversed {
            read.order = Order::Forward;
            let mut answer = self.model.read(&read);
            answer.rows.reverse();
            return Ok(answer);
        }
        Ok(self.model.read(&read))
    }

    fn scan(
        &mut self,
        table: TableId,
        now_seconds: i64,
    ) -> Result<Vec<(Vec<u8>, PartitionAnswer)>, Infallible> {
        Ok(self.model.scan(table, now_seconds))
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        self.settle();
        Ok(())
    }

    fn compact(&mut self) -> Result<(), Infallible> {
        if self.has(Behaviour::PurgesEarly) {
            self.model.purge(self.now_seconds, 0);
        }
        self.settle();
        Ok(())
    }

    fn purge(&mut self, now_seconds: i64, gc_grace_seconds: i64) -> Result<(), Infallible> {
        if !self.has(Behaviour::NeverPurges) {
            self.model.purge(now_seconds, gc_grace_seconds);
        }
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), Infallible> {
        self.settle();
        Ok(())
    }

    fn truncate(&mut self, table: TableId) -> Result<(), Infallible> {
        if !self.has(Behaviour::IgnoresTruncate) {
            self.model.truncate(table);
        }
        Ok(())
    }

    fn open_snapshot(&mut self) -> Result<Model, Infallible> {
        Ok(self.model.clone())
    }

    fn read_snapshot(
        &mut self,
        snapshot: &Model,
        read: &Read,
    ) -> Result<PartitionAnswer, Infallible> {
        if self.has(Behaviour::MovesSnapshots) {
            return Ok(self.model.read(read));
        }
        Ok(snapshot.read(read))
    }
}
