//! Makes a failing history small: first by leaving steps out, then by making steps simpler.
//!
//! Steps are left out in chunks, half of the history first, then smaller ones down to single
//! steps (delta debugging); then each remaining step is replaced by simpler ones. Both repeat
//! until nothing helps or the tries are used up. Only histories that keep the discipline of
//! the grace (`workload`) are tried, for others may fail without a fault.

use crate::facts::{Cell, CellState, Interval};
use crate::operations::{Change, CompareAndSet, ModelBatch, ModelMutation, Order, Read, RowUpdate};
use crate::workload::{History, Step};

/// A history made small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The smallest failing history found; the given one if that does not fail.
    pub history: History,
    /// How often `fails` was asked.
    pub tries: usize,
}

/// Looks for a small history that still fails, asking `fails` at most `max_tries` times.
pub fn shrink(history: &History, max_tries: usize, fails: impl FnMut(&[Step]) -> bool) -> Shrunk {
    let mut search = Search {
        best: history.clone(),
        tries: 0,
        max_tries,
        fails,
    };
    if search.is_accepted(history.steps.clone()) {
        loop {
            let before = search.best.steps.clone();
            search.leave_out_chunks();
            search.simplify_steps();
            if search.best.steps == before || search.is_over() {
                break;
            }
        }
    }
    Shrunk {
        history: search.best,
        tries: search.tries,
    }
}

struct Search<F> {
    best: History,
    tries: usize,
    max_tries: usize,
    fails: F,
}

impl<F: FnMut(&[Step]) -> bool> Search<F> {
    fn is_over(&self) -> bool {
        self.tries >= self.max_tries
    }

    /// Keeps the steps if they fail as well.
    fn is_accepted(&mut self, steps: Vec<Step>) -> bool {
        let candidate = History {
            steps,
            ..self.best.clone()
        };
        if self.is_over() || !candidate.keeps_grace() {
            return false;
        }
        self.tries += 1;
        let fails = (self.fails)(&candidate.steps);
        if fails {
            self.best = candidate;
        }
        fails
    }

    fn leave_out_chunks(&mut self) {
        let mut chunk = self.best.steps.len().div_ceil(2);
        while chunk > 0 && !self.is_over() {
            let mut start = 0;
            while start < self.best.steps.len() && !self.is_over() {
                let left = without(&self.best.steps, start, chunk);
                if !self.is_accepted(left) {
                    start += chunk;
                }
            }
            chunk /= 2;
        }
    }

    fn simplify_steps(&mut self) {
        let mut index = 0;
        while let Some(step) = self.best.steps.get(index).cloned() {
            let is_simplified = simpler_steps(&step).into_iter().any(|simpler| {
                let mut steps = self.best.steps.clone();
                steps.splice(index..=index, [simpler]);
                self.is_accepted(steps)
            });
            if !is_simplified || self.is_over() {
                index += 1;
            }
        }
    }
}

fn without<T: Clone>(items: &[T], start: usize, count: usize) -> Vec<T> {
    let end = start.saturating_add(count);
    let kept = items
        .iter()
        .enumerate()
        .filter(|(index, _)| *index < start || *index >= end);
    kept.map(|(_, item)| item.clone()).collect()
}

/// Every list with one item left out.
fn without_each<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    (0..items.len())
        .map(|index| without(items, index, 1))
        .collect()
}

/// Every list with one item replaced by a simpler one.
fn with_each<T: Clone>(items: &[T], simpler: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut lists = Vec::new();
    for (index, item) in items.iter().enumerate() {
        for replacement in simpler(item) {
            let mut list = items.to_vec();
            list.splice(index..=index, [replacement]);
            lists.push(list);
        }
    }
    lists
}

/// Steps that say less. Each says strictly less, so simplifying ends.
fn simpler_steps(step: &Step) -> Vec<Step> {
    match step {
        Step::Write(batch) => {
            let mut lists = without_each(&batch.mutations);
            lists.extend(with_each(&batch.mutations, simpler_mutations));
            lists
                .into_iter()
                .map(|mutations| Step::Write(ModelBatch { mutations }))
                .collect()
        }
        Step::CompareAndSet(request) => simpler_mutations(&request.mutation)
            .into_iter()
            .map(|mutation| {
                Step::CompareAndSet(CompareAndSet {
                    mutation,
                    ..request.clone()
                })
            })
            .collect(),
        Step::Read(read) => simpler_reads(read).into_iter().map(Step::Read).collect(),
        Step::ReadSnapshot { slot, read } => simpler_reads(read)
            .into_iter()
            .map(|read| Step::ReadSnapshot { slot: *slot, read })
            .collect(),
        Step::Scan { .. }
        | Step::AdvanceClock { .. }
        | Step::JumpClock { .. }
        | Step::Flush
        | Step::Compact
        | Step::Purge { .. }
        | Step::Reopen
        | Step::Truncate(_)
        | Step::OpenSnapshot { .. }
        | Step::CloseSnapshot { .. } => Vec::new(),
    }
}

fn simpler_reads(read: &Read) -> Vec<Read> {
    let simpler = [
        Read {
            limit: None,
            ..read.clone()
        },
        Read {
            page_rows: None,
            ..read.clone()
        },
        Read {
            order: Order::Forward,
            ..read.clone()
        },
        Read {
            slices: vec![Interval::all()],
            ..read.clone()
        },
    ];
    simpler
        .into_iter()
        .filter(|simpler| simpler != read)
        .collect()
}

fn simpler_mutations(mutation: &ModelMutation) -> Vec<ModelMutation> {
    let mut lists = without_each(&mutation.changes);
    lists.extend(with_each(&mutation.changes, simpler_changes));
    let rebuilt = lists.into_iter().map(|changes| ModelMutation {
        changes,
        ..mutation.clone()
    });
    rebuilt.collect()
}

fn simpler_changes(change: &Change) -> Vec<Change> {
    match change {
        Change::UpdateRow(update) => simpler_updates(update)
            .into_iter()
            .map(Change::UpdateRow)
            .collect(),
        Change::DeletePartition(_)
        | Change::DeleteRange { .. }
        | Change::AddToCounter { .. }
        | Change::DeleteCounter { .. } => Vec::new(),
    }
}

fn simpler_updates(update: &RowUpdate) -> Vec<RowUpdate> {
    let mut simpler = Vec::new();
    if update.liveness.is_some() {
        simpler.push(RowUpdate {
            liveness: None,
            ..update.clone()
        });
    }
    if update.deletion.is_some() {
        simpler.push(RowUpdate {
            deletion: None,
            ..update.clone()
        });
    }
    for complex_deletions in without_each(&update.complex_deletions) {
        simpler.push(RowUpdate {
            complex_deletions,
            ..update.clone()
        });
    }
    let short_pairs = |(column, cell): &(_, Cell)| {
        shorter_cell(cell)
            .map(|cell| (*column, cell))
            .into_iter()
            .collect()
    };
    for cells in without_each(&update.cells)
        .into_iter()
        .chain(with_each(&update.cells, short_pairs))
    {
        simpler.push(RowUpdate {
            cells,
            ..update.clone()
        });
    }
    let short_elements = |element: &crate::operations::Element| {
        let cell = shorter_cell(&element.cell);
        let short = cell.map(|cell| crate::operations::Element {
            cell,
            ..element.clone()
        });
        short.into_iter().collect()
    };
    let elements = without_each(&update.elements).into_iter();
    for elements in elements.chain(with_each(&update.elements, short_elements)) {
        simpler.push(RowUpdate {
            elements,
            ..update.clone()
        });
    }
    simpler
}

/// The cell with only the first byte of a long value.
fn shorter_cell(cell: &Cell) -> Option<Cell> {
    let mut short = cell.clone();
    match &mut short.state {
        CellState::Live(value) | CellState::Expiring { value, .. } if value.len() > 8 => {
            value.truncate(1);
            Some(short)
        }
        CellState::Live(_) | CellState::Expiring { .. } | CellState::Tombstone { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{Behaviour, Planted};
    use crate::run::run;
    use crate::workload::Shape;

    fn fails(history: &History, behaviour: Behaviour) -> bool {
        run(
            history,
            &mut Planted::new(behaviour, history.gc_grace_seconds),
        )
        .is_err()
    }

    fn shrink_fault(behaviour: Behaviour) -> Shrunk {
        let shape = Shape::default();
        let mut histories = (0..).map(|seed| History::generate(seed, &shape));
        let history = histories.find(|history| fails(history, behaviour)).unwrap();
        shrink(&history, 2_000, |steps| {
            fails(&history.with_steps(steps), behaviour)
        })
    }

    #[test]
    fn a_fault_shrinks_to_a_few_lines_that_still_fail() {
        let faults = [
            Behaviour::EndsRangesLate,
            Behaviour::MovesSnapshots,
            Behaviour::PurgesEarly,
        ];
        for behaviour in faults {
            let small = shrink_fault(behaviour).history;
            let text = small.print();
            assert!(small.steps.len() <= 6, "{text}");
            assert!(fails(&small, behaviour), "{text}");
            assert!(!fails(&small, Behaviour::Exact), "{text}");
            assert!(small.keeps_grace(), "{text}");
            assert_eq!(text.lines().count(), small.steps.len() + 1);
            assert!(text.starts_with(&format!("seed {}", small.seed)));
        }
    }

    #[test]
    fn a_history_that_does_not_fail_is_returned_whole() {
        let history = History::generate(1, &Shape::default());
        let shrunk = shrink(&history, 100, |_| false);
        assert_eq!(shrunk, Shrunk { history, tries: 1 });
    }

    #[test]
    fn tries_are_bounded() {
        let history = History::generate(1, &Shape::default());
        let mut asked = 0;
        let shrunk = shrink(&history, 25, |_| {
            asked += 1;
            asked % 2 == 1
        });
        assert_eq!((shrunk.tries, asked), (25, 25));
    }
}
