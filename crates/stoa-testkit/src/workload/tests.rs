//! Properties over many seeds: of the histories, and of the model under them.

use std::ops::Range;

use super::*;
use crate::facts::CellState;
use crate::model::Model;
use crate::operations::{Change, ModelMutation};
use crate::planted::{Behaviour, Planted};
use crate::rng::Rng;
use crate::run::{Coverage, RunFailure, run};

const SEEDS: Range<u64> = 0..50;

fn run_with(history: &History, behaviour: Behaviour) -> Result<Coverage, RunFailure> {
    run(
        history,
        &mut Planted::new(behaviour, history.gc_grace_seconds),
    )
}

#[test]
fn a_seed_gives_the_same_history_for_ever() {
    let shape = Shape::default();
    let history = History::generate(7, &shape);
    assert_eq!(history, History::generate(7, &shape));
    assert_ne!(history.steps, History::generate(8, &shape).steps);
    assert!(history.steps.len() >= shape.steps);
}

#[test]
fn histories_keep_the_grace_and_the_check_sees_when_not() {
    let mut broken = 0;
    for seed in SEEDS {
        let history = History::generate(seed, &Shape::default());
        assert!(history.keeps_grace(), "seed {seed}");
        let kept = history
            .steps
            .iter()
            .filter(|step| !matches!(step, Step::Purge { .. }));
        let mut steps: Vec<Step> = kept.cloned().collect();
        steps.push(Step::AdvanceClock {
            now_seconds: 9_000_000_000,
        });
        broken += u32::from(!history.with_steps(&steps).keeps_grace());
    }
    assert!(broken > 40, "{broken}");
}

#[test]
fn histories_hold_all_that_they_promise() {
    let mut text = String::new();
    let mut longest = 0;
    for seed in SEEDS {
        let history = History::generate(seed, &Shape::default());
        for change in changes(&history) {
            longest = longest.max(longest_value(change));
        }
        text.push_str(&history.print());
    }
    assert_eq!(longest, 100 * 1024);
    let promised = [
        "flush",
        "compact",
        "purge",
        "reopen",
        "truncate",
        "scan",
        "jump clock Back",
        "jump clock Forward",
        "jump clock Freeze",
        "read snapshot",
        " reversed",
        " limit ",
        "pages of",
        " if ",
        "delete all",
        "=[]@",
        "+=",
        "=dead@",
        "static",
        "''@",
        "5121 bytes #",
        "@-",
        "@-9223372036854775807",
        "@9223372036854775807",
        "ttl 1)",
        "ttl 630720000",
        " + ",
        ", end)",
    ];
    for part in promised {
        assert!(text.contains(part), "{part}");
    }
}

fn changes(history: &History) -> Vec<&Change> {
    mutations(history)
        .into_iter()
        .flat_map(|mutation| &mutation.changes)
        .collect()
}

fn mutations(history: &History) -> Vec<&ModelMutation> {
    let mutations = history.steps.iter().flat_map(|step| match step {
        Step::Write(batch) => batch.mutations.as_slice(),
        Step::CompareAndSet(request) => std::slice::from_ref(&request.mutation),
        _ => &[],
    });
    mutations.collect()
}

fn longest_value(change: &Change) -> usize {
    let Change::UpdateRow(update) = change else {
        return 0;
    };
    let lengths = update.cells.iter().map(|(_, cell)| match &cell.state {
        CellState::Live(value) | CellState::Expiring { value, .. } => value.len(),
        CellState::Tombstone { .. } => 0,
    });
    lengths.max().unwrap_or(0)
}

#[test]
fn purging_at_every_step_changes_no_answer_ever() {
    let mut met = Coverage::default();
    for seed in SEEDS {
        let history = History::generate(seed, &Shape::default());
        let coverage = run_with(&history, Behaviour::Eager);
        let coverage = coverage.unwrap_or_else(|failure| panic!("seed {seed}, {failure}"));
        met.add(&coverage);
    }
    assert_eq!(met.gaps(), Vec::<&str>::new());
}

#[test]
fn a_purge_changes_no_read_at_its_time_or_later() {
    let mut shown = 0;
    for seed in SEEDS {
        let history = History::generate(seed, &Shape::default());
        let mut model = Model::new();
        for step in &history.steps {
            match step {
                Step::Write(batch) => model.write(batch),
                Step::Purge {
                    now_seconds,
                    gc_grace_seconds,
                } => {
                    let before = model.clone();
                    model.purge(*now_seconds, *gc_grace_seconds);
                    for now in [0, 1, 30, 100_000].map(|later| now_seconds + later) {
                        for table in before.table_ids() {
                            let answers = model.scan(table, now);
                            shown += answers.len();
                            assert_eq!(before.scan(table, now), answers, "seed {seed} at {now}");
                        }
                    }
                }
                _ => {}
            }
        }
    }
    assert!(shown > 500, "{shown}");
}

#[test]
fn the_order_of_writing_matters_to_counters_only() {
    let mut shown = 0;
    for seed in SEEDS {
        let history = History::generate(seed, &Shape::default());
        let is_regular = |table| {
            history
                .tables
                .iter()
                .any(|it| it.id == table && it.kind == TableKind::Regular)
        };
        let mut single: Vec<ModelMutation> = Vec::new();
        for mutation in mutations(&history)
            .into_iter()
            .filter(|it| is_regular(it.table))
        {
            for change in &mutation.changes {
                single.push(ModelMutation {
                    changes: vec![change.clone()],
                    ..mutation.clone()
                });
            }
        }
        let mut in_order = Model::new();
        single.iter().for_each(|mutation| in_order.apply(mutation));
        Rng::new(seed).shuffle(&mut single);
        let mut shuffled = Model::new();
        single.iter().for_each(|mutation| shuffled.apply(mutation));
        for now in [0, 40, 700].map(|later| history.start_seconds + later) {
            for table in in_order.table_ids() {
                let answers = in_order.scan(table, now);
                shown += answers.len();
                assert_eq!(answers, shuffled.scan(table, now), "seed {seed} at {now}");
            }
        }
    }
    assert!(shown > 200, "{shown}");
}

#[test]
fn every_planted_fault_is_found() {
    for fault in Behaviour::FAULTS {
        let mut histories = SEEDS.map(|seed| History::generate(seed, &Shape::default()));
        assert!(
            histories.any(|history| run_with(&history, *fault).is_err()),
            "{fault:?}"
        );
    }
}

#[test]
fn the_exact_subject_passes() {
    for seed in SEEDS {
        let history = History::generate(seed, &Shape::default());
        assert!(run_with(&history, Behaviour::Exact).is_ok(), "seed {seed}");
    }
}
