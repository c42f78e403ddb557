//! Works out what the facts of one row mean: one winner for each thing, nothing shadowed.
//!
//! The fold knows no current time. Reading judges expiry afterwards, purging judges age.

use std::collections::BTreeMap;

use crate::answer::{VisibleCell, VisibleColumn, VisibleElement, VisibleLiveness, VisibleRow};
use crate::facts::{Cell, CellState, ColumnId, Deletion, Liveness};
use crate::model::counter::{self, CounterState, Sequence};
use crate::model::partition::{ComplexFacts, RowFacts};
use crate::model::rules;

/// What is left of a row when everything shadowed is removed. Invariants:
///
/// 1. `deletion`, if any, supersedes every deletion that covers the row from outside.
/// 2. No liveness, cell, element or counter is shadowed by any deletion.
/// 3. The deletion of a collection supersedes every deletion that covers it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowState {
    pub(crate) liveness: Option<Liveness>,
    pub(crate) deletion: Option<Deletion>,
    pub(crate) cells: BTreeMap<ColumnId, Cell>,
    pub(crate) complex: BTreeMap<ColumnId, ComplexState>,
    pub(crate) counters: BTreeMap<ColumnId, CounterState>,
}

/// What is left of a collection.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ComplexState {
    pub(crate) deletion: Option<Deletion>,
    pub(crate) elements: BTreeMap<Vec<u8>, Cell>,
}

/// Folds the facts of a row, given the deletions that cover it from outside.
pub(crate) fn fold_row(facts: &RowFacts, covering: &[(Sequence, Deletion)]) -> RowState {
    let outer = rules::winning_deletion(covering.iter().map(|(_, deletion)| *deletion));
    let own = rules::winning_deletion(facts.deletions.iter().map(|(_, deletion)| *deletion))
        .filter(|deletion| rules::supersedes(*deletion, outer));
    let active = own.or(outer);

    let cells = facts.cells.iter().filter_map(|(column, cells)| {
        winner_not_shadowed(cells, active).map(|cell| (*column, cell))
    });
    let complex = facts
        .complex
        .iter()
        .map(|(column, facts)| (*column, fold_complex(facts, active)));

    let mut all_deletions = covering.to_vec();
    all_deletions.extend(&facts.deletions);
    let counters = facts.counters.iter().filter_map(|(column, log)| {
        counter::replay(log, &all_deletions).map(|state| (*column, state))
    });

    RowState {
        liveness: rules::winning_liveness(facts.liveness.iter().copied())
            .filter(|liveness| !rules::shadows(active, liveness.timestamp_micros)),
        deletion: own,
        cells: cells.collect(),
        complex: complex.collect(),
        counters: counters.collect(),
    }
}

fn fold_complex(facts: &ComplexFacts, outer: Option<Deletion>) -> ComplexState {
    let own = rules::winning_deletion(facts.deletions.iter().copied())
        .filter(|deletion| rules::supersedes(*deletion, outer));
    let active = own.or(outer);
    let elements = facts.elements.iter().filter_map(|(path, cells)| {
        winner_not_shadowed(cells, active).map(|cell| (path.clone(), cell))
    });
    ComplexState {
        deletion: own,
        elements: elements.collect(),
    }
}

fn winner_not_shadowed(cells: &[Cell], active: Option<Deletion>) -> Option<Cell> {
    let open = cells
        .iter()
        .filter(|cell| !rules::shadows(active, cell.timestamp_micros));
    rules::winning_cell(open).cloned()
}

impl RowState {
    /// What a client sees of the row at a time, if it sees it at all: a row is shown if its
    /// liveness is live or if it has a live cell.
    pub(crate) fn visible(&self, clustering: &[u8], now_seconds: i64) -> Option<VisibleRow> {
        let liveness = self
            .liveness
            .filter(|liveness| rules::is_live(liveness, now_seconds));
        let row = VisibleRow {
            clustering: clustering.to_vec(),
            liveness: liveness.map(|liveness| VisibleLiveness {
                timestamp_micros: liveness.timestamp_micros,
                expires_at_seconds: liveness.expiry.map(|expiry| expiry.expires_at_seconds),
            }),
            columns: self.visible_columns(now_seconds),
        };
        (row.liveness.is_some() || !row.columns.is_empty()).then_some(row)
    }

    fn visible_columns(&self, now_seconds: i64) -> BTreeMap<ColumnId, VisibleColumn> {
        let mut columns = BTreeMap::new();
        for (column, cell) in &self.cells {
            if let Some(cell) = visible_cell(cell, now_seconds) {
                columns.insert(*column, VisibleColumn::Simple(cell));
            }
        }
        for (column, state) in &self.complex {
            let elements = state.elements.iter().filter_map(|(path, cell)| {
                let cell = visible_cell(cell, now_seconds)?;
                Some(VisibleElement {
                    path: path.clone(),
                    cell,
                })
            });
            let elements: Vec<VisibleElement> = elements.collect();
            if !elements.is_empty() {
                columns.insert(*column, VisibleColumn::Complex(elements));
            }
        }
        for (column, state) in &self.counters {
            if let CounterState::Total {
                timestamp_micros,
                total,
            } = *state
            {
                columns.insert(
                    *column,
                    VisibleColumn::Counter {
                        timestamp_micros,
                        total,
                    },
                );
            }
        }
        columns
    }
}

fn visible_cell(cell: &Cell, now_seconds: i64) -> Option<VisibleCell> {
    let value = rules::live_value(cell, now_seconds)?;
    let expires_at_seconds = match &cell.state {
        CellState::Expiring { expiry, .. } => Some(expiry.expires_at_seconds),
        CellState::Live(_) | CellState::Tombstone { .. } => None,
    };
    Some(VisibleCell {
        timestamp_micros: cell.timestamp_micros,
        value: value.to_vec(),
        expires_at_seconds,
    })
}
