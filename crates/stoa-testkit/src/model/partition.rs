//! All facts ever written to one partition, kept as they came.
//!
//! Nothing is merged here and nothing is forgotten: each write is appended, and what it
//! means is worked out at read time (`fold`). That is slow, and as unlike a store that
//! reads, merges and writes packed rows as can be, which is the point.

use std::collections::BTreeMap;

use crate::facts::{Cell, ColumnId, Deletion, Interval, Liveness};
use crate::model::counter::{CounterEvent, Sequence};
use crate::operations::{Change, RowKey, RowUpdate};

/// Every fact of one partition.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PartitionFacts {
    /// The place of the next fact in the order of writing.
    next: Sequence,
    pub(crate) deletions: Vec<(Sequence, Deletion)>,
    pub(crate) ranges: Vec<(Sequence, Interval, Deletion)>,
    pub(crate) static_row: RowFacts,
    pub(crate) rows: BTreeMap<Vec<u8>, RowFacts>,
}

/// Every fact of one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RowFacts {
    pub(crate) liveness: Vec<Liveness>,
    pub(crate) deletions: Vec<(Sequence, Deletion)>,
    pub(crate) cells: BTreeMap<ColumnId, Vec<Cell>>,
    pub(crate) complex: BTreeMap<ColumnId, ComplexFacts>,
    pub(crate) counters: BTreeMap<ColumnId, Vec<(Sequence, CounterEvent)>>,
}

/// Every fact of one collection.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ComplexFacts {
    pub(crate) deletions: Vec<Deletion>,
    pub(crate) elements: BTreeMap<Vec<u8>, Vec<Cell>>,
}

impl PartitionFacts {
    /// An empty partition whose next fact comes after all facts of `other`.
    pub(crate) fn continuing(other: &Self) -> Self {
        Self {
            next: other.next,
            ..Self::default()
        }
    }

    /// Appends one change.
    pub(crate) fn record(&mut self, change: &Change) {
        let at = self.next;
        self.next += 1;
        match change {
            Change::DeletePartition(deletion) => self.deletions.push((at, *deletion)),
            Change::DeleteRange { range, deletion } => {
                self.ranges.push((at, range.clone(), *deletion));
            }
            Change::UpdateRow(update) => self.row_mut(&update.row).record(at, update),
            Change::AddToCounter {
                row,
                column,
                delta,
                timestamp_micros,
            } => {
                let event = CounterEvent::Add {
                    timestamp_micros: *timestamp_micros,
                    delta: *delta,
                };
                self.row_mut(row)
                    .counters
                    .entry(*column)
                    .or_default()
                    .push((at, event));
            }
            Change::DeleteCounter {
                row,
                column,
                deletion,
            } => {
                let event = CounterEvent::Delete(*deletion);
                self.row_mut(row)
                    .counters
                    .entry(*column)
                    .or_default()
                    .push((at, event));
            }
        }
    }

    /// The facts of one row, if anything was ever written to it.
    pub(crate) fn row(&self, key: &RowKey) -> Option<&RowFacts> {
        match key {
            RowKey::Static => Some(&self.static_row),
            RowKey::Clustering(clustering) => self.rows.get(clustering),
        }
    }

    fn row_mut(&mut self, key: &RowKey) -> &mut RowFacts {
        match key {
            RowKey::Static => &mut self.static_row,
            RowKey::Clustering(clustering) => self.rows.entry(clustering.clone()).or_default(),
        }
    }

    /// The deletions that cover a row from outside: of the partition, and of the ranges the
    /// row lies in. No range covers the static row.
    pub(crate) fn deletions_covering(&self, key: &RowKey) -> Vec<(Sequence, Deletion)> {
        let mut covering = self.deletions.clone();
        if let RowKey::Clustering(clustering) = key {
            covering.extend(
                self.ranges
                    .iter()
                    .filter(|(_, range, _)| range.contains(clustering))
                    .map(|(at, _, deletion)| (*at, *deletion)),
            );
        }
        covering
    }

    /// Whether no fact is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.fact_count() == 0
    }

    /// How many facts are kept.
    pub(crate) fn fact_count(&self) -> usize {
        let rows: usize = self.rows.values().map(RowFacts::fact_count).sum();
        self.deletions.len() + self.ranges.len() + self.static_row.fact_count() + rows
    }
}

impl RowFacts {
    fn record(&mut self, at: Sequence, update: &RowUpdate) {
        self.liveness.extend(update.liveness);
        self.deletions
            .extend(update.deletion.map(|deletion| (at, deletion)));
        for (column, cell) in &update.cells {
            self.cells.entry(*column).or_default().push(cell.clone());
        }
        for (column, deletion) in &update.complex_deletions {
            self.complex
                .entry(*column)
                .or_default()
                .deletions
                .push(*deletion);
        }
        for element in &update.elements {
            let elements = &mut self.complex.entry(element.column).or_default().elements;
            elements
                .entry(element.path.clone())
                .or_default()
                .push(element.cell.clone());
        }
    }

    /// How many facts are kept.
    pub(crate) fn fact_count(&self) -> usize {
        let cells: usize = self.cells.values().map(Vec::len).sum();
        let complex: usize = self.complex.values().map(ComplexFacts::fact_count).sum();
        let counters: usize = self.counters.values().map(Vec::len).sum();
        self.liveness.len() + self.deletions.len() + cells + complex + counters
    }
}

impl ComplexFacts {
    fn fact_count(&self) -> usize {
        let elements: usize = self.elements.values().map(Vec::len).sum();
        self.deletions.len() + elements
    }
}
