//! A plain model of Cassandra's row rules: keeps everything ever written, folds it at read.
//!
//! Reading order: [`rules`] says which of two facts wins, `counter` plays counters back,
//! `partition` keeps the facts, `fold` works out one row, `purge` forgets.

mod counter;
mod fold;
mod partition;
mod purge;
pub mod rules;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::answer::{PartitionAnswer, VisibleColumn, VisibleRow};
use crate::facts::{Interval, TableId};
use crate::model::fold::fold_row;
use crate::model::partition::PartitionFacts;
use crate::operations::{
    CompareAndSet, CompareAndSetAnswer, Condition, ModelBatch, ModelMutation, Order, Read, RowKey,
};

/// Some tables. A table is there from its first write on.
///
/// A clone is a snapshot: later writes do not show in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    tables: BTreeMap<TableId, ModelTable>,
}

/// One table: every fact ever written to it and not yet purged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelTable {
    partitions: BTreeMap<Vec<u8>, PartitionFacts>,
}

impl Model {
    /// A model without tables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes all mutations of a batch, in order.
    pub fn write(&mut self, batch: &ModelBatch) {
        for mutation in &batch.mutations {
            self.apply(mutation);
        }
    }

    /// Makes one mutation.
    pub fn apply(&mut self, mutation: &ModelMutation) {
        let table = self.tables.entry(mutation.table).or_default();
        let partition = table
            .partitions
            .entry(mutation.partition.clone())
            .or_default();
        for change in &mutation.changes {
            partition.record(change);
        }
    }

    /// Looks at a row and makes the mutation if the row meets the condition.
    pub fn compare_and_set(&mut self, request: &CompareAndSet) -> CompareAndSetAnswer {
        let ModelMutation {
            table, partition, ..
        } = &request.mutation;
        let seen = self
            .table(*table)
            .and_then(|table| table.visible_row(partition, &request.row, request.now_seconds));
        let applied = holds(&request.condition, seen.as_ref());
        if applied {
            self.apply(&request.mutation);
        }
        CompareAndSetAnswer { applied, seen }
    }

    /// Reads one partition; one that was never written is empty.
    pub fn read(&self, read: &Read) -> PartitionAnswer {
        self.table(read.table)
            .map(|table| table.read_partition(read))
            .unwrap_or_default()
    }

    /// Every partition in which something is shown at a time, ordered by partition key.
    pub fn scan(&self, table: TableId, now_seconds: i64) -> Vec<(Vec<u8>, PartitionAnswer)> {
        let Some(facts) = self.table(table) else {
            return Vec::new();
        };
        let read = |key: &Vec<u8>| {
            let answer = facts.read_partition(&Read::whole(table, key.clone(), now_seconds));
            (!answer.is_empty()).then(|| (key.clone(), answer))
        };
        facts.partitions.keys().filter_map(read).collect()
    }

    /// Forgets everything shadowed and everything deleted or expired for longer than the
    /// grace, in all tables. The exact rule stands at the head of `model/purge.rs` and in the
    /// README.
    pub fn purge(&mut self, now_seconds: i64, gc_grace_seconds: i64) {
        let horizon_seconds = now_seconds.saturating_sub(gc_grace_seconds);
        for table in self.tables.values_mut() {
            for facts in table.partitions.values_mut() {
                *facts = purge::purged_partition(facts, horizon_seconds);
            }
            table.partitions.retain(|_, facts| !facts.is_empty());
        }
    }

    /// Empties a table.
    pub fn truncate(&mut self, table: TableId) {
        if let Some(table) = self.tables.get_mut(&table) {
            table.partitions.clear();
        }
    }

    /// Removes a table. A later write to the same number starts an empty one.
    pub fn drop_table(&mut self, table: TableId) {
        self.tables.remove(&table);
    }

    /// The numbers of the tables that are there.
    pub fn table_ids(&self) -> Vec<TableId> {
        self.tables.keys().copied().collect()
    }

    /// How many facts are kept: a measure of what a purge forgot.
    pub fn fact_count(&self) -> usize {
        let partitions = self
            .tables
            .values()
            .flat_map(|table| table.partitions.values());
        partitions.map(PartitionFacts::fact_count).sum()
    }

    /// One table, if it is there.
    pub fn table(&self, table: TableId) -> Option<&ModelTable> {
        self.tables.get(&table)
    }
}

impl ModelTable {
    /// Reads one partition. The table number of the read is not looked at.
    pub fn read_partition(&self, read: &Read) -> PartitionAnswer {
        let Some(facts) = self.partitions.get(&read.partition) else {
            return PartitionAnswer::default();
        };
        let is_asked = |clustering: &[u8]| {
            read.slices
                .iter()
                .any(|it| Interval::contains(it, clustering))
        };
        let mut rows: Vec<VisibleRow> = facts
            .rows
            .keys()
            .filter(|clustering| is_asked(clustering))
            .filter_map(|clustering| {
                let key = RowKey::Clustering(clustering.clone());
                visible_row(facts, &key, read.now_seconds)
            })
            .collect();
        if read.order == Order::Reversed {
            rows.reverse();
        }
        rows.truncate(read.limit.unwrap_or(usize::MAX));
        PartitionAnswer {
            static_row: visible_row(facts, &RowKey::Static, read.now_seconds),
            rows,
        }
    }

    fn visible_row(&self, partition: &[u8], key: &RowKey, now_seconds: i64) -> Option<VisibleRow> {
        visible_row(self.partitions.get(partition)?, key, now_seconds)
    }
}

fn visible_row(facts: &PartitionFacts, key: &RowKey, now_seconds: i64) -> Option<VisibleRow> {
    let state = fold_row(facts.row(key)?, &facts.deletions_covering(key));
    match key {
        RowKey::Static => state.visible(&[], now_seconds),
        RowKey::Clustering(clustering) => state.visible(clustering, now_seconds),
    }
}

fn holds(condition: &Condition, seen: Option<&VisibleRow>) -> bool {
    match condition {
        Condition::RowExists => seen.is_some(),
        Condition::RowAbsent => seen.is_none(),
        Condition::ColumnIs { column, value } => {
            match (seen.and_then(|row| row.columns.get(column)), value) {
                (None, None) => true,
                (Some(VisibleColumn::Simple(cell)), Some(value)) => cell.value == *value,
                (Some(_), _) | (None, Some(_)) => false,
            }
        }
    }
}
