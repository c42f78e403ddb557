//! Keeps watch that nothing becomes purgeable but at a purge.

use std::collections::BTreeSet;

use crate::facts::{Cell, Deletion};
use crate::model::rules;
use crate::operations::{Change, ModelMutation, RowUpdate};
use crate::workload::{History, Step};

/// The ends, by deletion or expiry, of everything written and not yet purged.
#[derive(Clone, Debug)]
pub(crate) struct Grace {
    gc_grace_seconds: i64,
    ends_seconds: BTreeSet<i64>,
}

impl Grace {
    pub(crate) fn new(gc_grace_seconds: i64) -> Self {
        Self {
            gc_grace_seconds,
            ends_seconds: BTreeSet::new(),
        }
    }

    /// Remembers what a mutation deletes and lets expire, whether it is applied or not.
    pub(crate) fn note(&mut self, mutation: &ModelMutation) {
        for change in &mutation.changes {
            self.ends_seconds.extend(ends_of_change(change));
        }
    }

    /// Whether something would be purgeable at a time.
    pub(crate) fn is_passed_at(&self, now_seconds: i64) -> bool {
        let horizon_seconds = now_seconds.saturating_sub(self.gc_grace_seconds);
        self.ends_seconds
            .first()
            .is_some_and(|end| *end < horizon_seconds)
    }

    /// The next deletion or expiry after a time.
    pub(crate) fn next_end_seconds(&self, now_seconds: i64) -> Option<i64> {
        self.ends_seconds
            .range(now_seconds.saturating_add(1)..)
            .next()
            .copied()
    }

    /// Forgets what a purge at a time forgets.
    pub(crate) fn purge(&mut self, now_seconds: i64) {
        let horizon_seconds = now_seconds.saturating_sub(self.gc_grace_seconds);
        self.ends_seconds = self.ends_seconds.split_off(&horizon_seconds);
    }
}

/// Whether nothing is ever purgeable but at a purge.
pub(crate) fn is_kept(history: &History) -> bool {
    let mut grace = Grace::new(history.gc_grace_seconds);
    let mut clock_seconds = history.start_seconds;
    for step in &history.steps {
        match step {
            Step::Write(batch) => batch.mutations.iter().for_each(|it| grace.note(it)),
            Step::CompareAndSet(request) => grace.note(&request.mutation),
            Step::AdvanceClock { now_seconds } | Step::JumpClock { now_seconds, .. } => {
                clock_seconds = *now_seconds;
            }
            Step::Purge { now_seconds, .. } => {
                clock_seconds = *now_seconds;
                grace.purge(clock_seconds);
            }
            Step::Read(_)
            | Step::Scan { .. }
            | Step::Flush
            | Step::Compact
            | Step::Reopen
            | Step::Truncate(_)
            | Step::OpenSnapshot { .. }
            | Step::ReadSnapshot { .. }
            | Step::CloseSnapshot { .. } => {}
        }
        if grace.is_passed_at(clock_seconds) {
            return false;
        }
    }
    true
}

fn ends_of_change(change: &Change) -> Vec<i64> {
    match change {
        Change::DeletePartition(deletion)
        | Change::DeleteRange { deletion, .. }
        | Change::DeleteCounter { deletion, .. } => vec![deletion.deleted_at_seconds],
        Change::UpdateRow(update) => ends_of_update(update),
        Change::AddToCounter { .. } => Vec::new(),
    }
}

fn ends_of_update(update: &RowUpdate) -> Vec<i64> {
    let deletions = update
        .complex_deletions
        .iter()
        .map(|(_, deletion)| deletion);
    let deletions = update.deletion.iter().chain(deletions);
    let elements = update.elements.iter().map(|element| &element.cell);
    let cells = update.cells.iter().map(|(_, cell)| cell).chain(elements);
    let liveness = update.liveness.and_then(|liveness| liveness.expiry);

    let mut ends: Vec<i64> = deletions
        .map(|it: &Deletion| it.deleted_at_seconds)
        .collect();
    ends.extend(cells.filter_map(|cell: &Cell| rules::cell_end_seconds(cell)));
    ends.extend(liveness.map(|expiry| expiry.expires_at_seconds));
    ends
}
