//! Many seeds of the voting domain, and what they come to.

use super::{Clocks, Happenings, Outcome, Trace, VoteSimulation};
use crate::seeds::{self, Go};
use crate::swarm::Counters;

/// From how many seeds on something that never happened is a failure of the simulation itself.
pub const LONG_RUN: u64 = 10_000;

/// What many seeds came to.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// How many seeds were run.
    pub seeds: u64,
    /// How many broke something.
    pub failed: u64,
    /// The least of them that was seen.
    pub first_failed: Option<u64>,
    /// The hash of everything that happened in it.
    pub first_failed_hash: u64,
    /// How far clocks were off.
    pub clocks: Clocks,
    /// Which faults happened.
    pub faults: Counters,
    /// What happened in the domain.
    pub happenings: Happenings,
}

impl Summary {
    /// What never happened, though it should have in so many seeds.
    #[must_use]
    pub fn never(&self) -> Vec<&'static str> {
        if self.seeds < LONG_RUN {
            return Vec::new();
        }
        let mut never = self.faults.never();
        never.extend(self.happenings.never(self.clocks));
        never
    }

    fn add(&mut self, outcome: &Outcome) {
        self.seeds += 1;
        self.faults += outcome.faults;
        self.happenings += outcome.happenings;
        if !outcome.findings.is_empty() {
            self.failed += 1;
            if self.first_failed.is_none_or(|seed| outcome.seed < seed) {
                self.first_failed = Some(outcome.seed);
                self.first_failed_hash = outcome.event_hash;
            }
        }
    }
}

/// When to stop before all seeds were run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// At the first seed that breaks something.
    AtFailure,
    /// Never.
    AtTheEnd,
}

impl VoteSimulation {
    /// Runs the seeds from one on. `watch` is told how many are done.
    pub fn run_many(
        &self,
        first: u64,
        count: u64,
        threads: usize,
        stop: Stop,
        watch: &(dyn Fn(u64) + Sync),
    ) -> Summary {
        let run = |seed| self.run(seed, Trace::Dropped);
        let empty = Summary {
            clocks: self.clocks,
            ..Summary::default()
        };
        seeds::run_many(first, count, threads, empty, run, |summary, outcome| {
            summary.add(outcome);
            watch(summary.seeds);
            match stop == Stop::AtFailure && summary.failed > 0 {
                true => Go::NoFurther,
                false => Go::On,
            }
        })
    }
}
