//! The full purge: what a complete compaction together with the janitor must amount to.
//!
//! With `horizon = now_seconds - gc_grace_seconds`, for each partition:
//!
//! 1. *Remove what is shadowed.* At each clustering position only the greatest range deletion
//!    counts. A deletion stays only if it supersedes every deletion that covers it: partition
//!    over range over row over collection. Liveness, cells, elements and counters stay only
//!    if they win among their own kind and no deletion shadows them.
//! 2. *Drop what is old.* Of what is left, deletions and tombstones with
//!    `deleted_at_seconds < horizon`, and liveness and cells with
//!    `expires_at_seconds < horizon`, are dropped, each by itself.
//!
//! Step 1 comes first for the whole partition, so nothing comes back that a dropped deletion
//! had hidden, even where the hidden thing is a younger deletion. Live values and totals are
//! never dropped; a row or partition of which nothing is left is forgotten. Therefore no read
//! at `now_seconds` or later changes. A write that comes afterwards with an old write time may
//! show again, as in Cassandra; an engine that purges by the same two steps at the same
//! moment gives exactly the same answers for ever after.
//!
//! Cassandra may drop an expired cell earlier, `gc_grace_seconds` after it was *written*
//! (`AbstractCell.purge`), which no rule obliges it to; this purge waits for `gc_grace_seconds`
//! after expiry, as for row liveness.

use std::collections::BTreeSet;

use crate::facts::{Cell, Deletion, Interval, Liveness};
use crate::model::counter::{CounterState, Sequence};
use crate::model::fold::{ComplexState, RowState, fold_row};
use crate::model::partition::{ComplexFacts, PartitionFacts, RowFacts};
use crate::model::rules;
use crate::operations::RowKey;

/// Kept facts lose their place in the order of writing: none of them shadows another.
const KEPT: Sequence = 0;

/// The partition after a full purge.
pub(crate) fn purged_partition(facts: &PartitionFacts, horizon_seconds: i64) -> PartitionFacts {
    let deletion = rules::winning_deletion(facts.deletions.iter().map(|(_, deletion)| *deletion));
    let ranges = disjoint_ranges(facts, deletion);

    let mut kept = PartitionFacts::continuing(facts);
    kept.static_row = purged_row(facts, &RowKey::Static, horizon_seconds);
    for clustering in facts.rows.keys() {
        let row = purged_row(
            facts,
            &RowKey::Clustering(clustering.clone()),
            horizon_seconds,
        );
        if row.fact_count() > 0 {
            kept.rows.insert(clustering.clone(), row);
        }
    }
    let is_young = |deletion: &Deletion| deletion.deleted_at_seconds >= horizon_seconds;
    kept.deletions
        .extend(deletion.filter(is_young).map(|deletion| (KEPT, deletion)));
    kept.ranges.extend(
        ranges
            .into_iter()
            .filter(|(_, deletion)| is_young(deletion))
            .map(|(range, deletion)| (KEPT, range, deletion)),
    );
    kept
}

/// The ranges cut at each other's ends, so that one deletion is left at each position, and
/// none where the partition's deletion says as much.
fn disjoint_ranges(
    facts: &PartitionFacts,
    partition: Option<Deletion>,
) -> Vec<(Interval, Deletion)> {
    let mut bounds: BTreeSet<&[u8]> = BTreeSet::new();
    for (_, range, _) in &facts.ranges {
        bounds.insert(&range.start);
        bounds.extend(range.end.as_deref());
    }
    let bounds: Vec<&[u8]> = bounds.into_iter().collect();
    let ends = bounds
        .iter()
        .skip(1)
        .map(|end| Some(end.to_vec()))
        .chain([None]);

    let mut pieces = Vec::new();
    for (start, end) in bounds.iter().zip(ends) {
        let covering = facts
            .ranges
            .iter()
            .filter(|(_, range, _)| range.contains(start));
        let winner = rules::winning_deletion(covering.map(|(_, _, deletion)| *deletion));
        if let Some(deletion) = winner.filter(|winner| rules::supersedes(*winner, partition)) {
            pieces.push((
                Interval {
                    start: start.to_vec(),
                    end,
                },
                deletion,
            ));
        }
    }
    pieces
}

fn purged_row(facts: &PartitionFacts, key: &RowKey, horizon_seconds: i64) -> RowFacts {
    let Some(row) = facts.row(key) else {
        return RowFacts::default();
    };
    let state = fold_row(row, &facts.deletions_covering(key));
    young_facts(state, horizon_seconds)
}

/// Step 2 on one row: writes down again what is young enough of a folded row.
fn young_facts(state: RowState, horizon_seconds: i64) -> RowFacts {
    let is_young = |deletion: &Deletion| deletion.deleted_at_seconds >= horizon_seconds;
    let mut kept = RowFacts::default();
    kept.liveness.extend(
        state
            .liveness
            .filter(|it| liveness_is_young(it, horizon_seconds)),
    );
    kept.deletions.extend(
        state
            .deletion
            .filter(is_young)
            .map(|deletion| (KEPT, deletion)),
    );
    for (column, cell) in state.cells {
        if cell_is_young(&cell, horizon_seconds) {
            kept.cells.insert(column, vec![cell]);
        }
    }
    for (column, complex) in state.complex {
        kept.complex
            .insert(column, young_complex(complex, horizon_seconds));
    }
    for (column, counter) in state.counters {
        let is_kept = match &counter {
            CounterState::Total { .. } => true,
            CounterState::Tombstone(deletion) => is_young(deletion),
        };
        if is_kept {
            kept.counters
                .insert(column, vec![(KEPT, counter.as_event())]);
        }
    }
    kept
}

fn young_complex(state: ComplexState, horizon_seconds: i64) -> ComplexFacts {
    let deletion = state
        .deletion
        .filter(|deletion| deletion.deleted_at_seconds >= horizon_seconds);
    let elements = state
        .elements
        .into_iter()
        .filter(|(_, cell)| cell_is_young(cell, horizon_seconds));
    ComplexFacts {
        deletions: deletion.into_iter().collect(),
        elements: elements.map(|(path, cell)| (path, vec![cell])).collect(),
    }
}

fn cell_is_young(cell: &Cell, horizon_seconds: i64) -> bool {
    rules::cell_end_seconds(cell).is_none_or(|end| end >= horizon_seconds)
}

fn liveness_is_young(liveness: &Liveness, horizon_seconds: i64) -> bool {
    liveness
        .expiry
        .is_none_or(|expiry| expiry.expires_at_seconds >= horizon_seconds)
}
