//! Many seeds, on as many threads as there are processors.
//!
//! Each thread takes the next seed that nobody has taken, so the outcome of a seed does not depend
//! on how many threads there are; only which of two failing seeds is found first may.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Happenings, Outcome, Trace, VoteSimulation};
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
        never.extend(self.happenings.never());
        never
    }

    fn add(&mut self, outcome: &Outcome) {
        self.seeds += 1;
        self.faults += outcome.faults;
        self.happenings += outcome.happenings;
        if !outcome.findings.is_empty() {
            self.failed += 1;
            let first = self.first_failed.unwrap_or(u64::MAX);
            self.first_failed = Some(first.min(outcome.seed));
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
        let next = AtomicU64::new(0);
        let summary = Mutex::new(Summary::default());
        let work = || loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return;
            }
            let outcome = self.run(first.saturating_add(at), Trace::Dropped);
            let mut summary = summary.lock().unwrap_or_else(PoisonError::into_inner);
            summary.add(&outcome);
            watch(summary.seeds);
            if stop == Stop::AtFailure && summary.failed > 0 {
                next.store(count, Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.max(1) {
                scope.spawn(work);
            }
            work();
        });
        summary.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
