//! A negative control: the vote chain that this design began with, exactly as it was written down.
//!
//! That algorithm has two authorities. A vote takes the slot of its predecessor in the user's row,
//! and, independently, in the row of every policy; the earliest timestamp wins each slot. A policy
//! counts what is in its own row: a count up to a boundary, and every record after it whose chain
//! reaches back to the boundary. Old records are added to the count and deleted, orphans are deleted
//! on sight. Nothing forces the two to agree, and they do not.
//!
//! It is here so that the simulation is known to see such things: a judge that found nothing wrong
//! with this would be no judge. Nothing else uses it.
//!
//! Invariants:
//! 1. The seed is the whole input: the same seed gives the same events.
//! 2. The algorithm sees replicas and its clock; what really happened is noted beside it, for the
//!    judge alone.

mod actors;
mod algorithm;
mod client;
mod flaw;
mod model;
mod notes;
mod plan;
mod replicas;
mod resolve;

use stoa_testkit::rng::Rng;

pub use flaw::{Flaw, WrongTotal};

use crate::executor::Executor;
use crate::seeds::{self, Go};
use plan::Plan;
use replicas::Replicas;

/// What one seed came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The seed.
    pub seed: u64,
    /// Records that are in the chains of users at the end.
    pub records: usize,
    /// Totals that are not what users have, and why.
    pub wrong: Vec<WrongTotal>,
    /// A hash of everything that happened, in its order.
    pub event_hash: u64,
}

impl Outcome {
    /// Whether some total is wrong for a reason.
    #[must_use]
    pub fn shows(&self, flaw: Flaw) -> bool {
        self.wrong.iter().any(|wrong| wrong.flaws.contains(&flaw))
    }
}

/// Runs one seed.
#[must_use]
pub fn run(seed: u64) -> Outcome {
    run_plan(seed, &Plan::of_seed(seed))
}

fn run_plan(seed: u64, plan: &Plan) -> Outcome {
    let mut executor = Executor::new();
    let rng = Rng::new(seed ^ 0x736C_6F74);
    let replicas = Replicas::new(executor.timeline().clone(), plan.faults, rng);
    let notes = actors::act(&mut executor, &replicas, plan);
    replicas.heal();
    let (records, wrong) = actors::settle(&mut executor, &replicas, plan, &notes);
    Outcome {
        seed,
        records,
        wrong,
        event_hash: executor.event_hash(),
    }
}

/// What many seeds came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many seeds were run.
    pub seeds: u64,
    /// How many of them ended with a wrong total.
    pub wrong: u64,
    /// How many showed each flaw, and the least such seed.
    pub flaws: Vec<(Flaw, u64, Option<u64>)>,
    /// Records that were in chains at the end.
    pub records: u64,
}

/// Runs the seeds from one on. `watch` is told how many are done.
pub fn run_many(first: u64, count: u64, threads: usize, watch: &(dyn Fn(u64) + Sync)) -> Summary {
    let flaws = Flaw::ALL.map(|flaw| (flaw, 0, None)).to_vec();
    let empty = Summary {
        flaws,
        ..Summary::default()
    };
    seeds::run_many(first, count, threads, empty, run, |summary, outcome| {
        summary.seeds += 1;
        summary.wrong += u64::from(!outcome.wrong.is_empty());
        summary.records += u64::try_from(outcome.records).unwrap_or(0);
        for (flaw, times, least) in &mut summary.flaws {
            if outcome.shows(*flaw) {
                *times += 1;
                *least = Some(least.map_or(outcome.seed, |least: u64| least.min(outcome.seed)));
            }
        }
        watch(summary.seeds);
        Go::On
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_wrong_where_nothing_goes_wrong() {
        for seed in 0..200 {
            let outcome = run_plan(seed, &Plan::of_seed(seed).quiet());
            assert!(outcome.wrong.is_empty(), "{outcome:?}");
            assert!(outcome.records > 2, "{outcome:?}");
        }
    }
}
