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

    /// Whether nothing broke, and everything happened that should have; the exit code says so.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.first_failed.is_none() && self.never().is_empty()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A long run of some seeds, in which everything happened.
    fn long_run() -> Summary {
        let simulation = VoteSimulation::new(None).unwrap();
        let mut summary = simulation.run_many(0, 400, 2, Stop::AtFailure, &|_| ());
        summary.seeds = LONG_RUN;
        // What is rare may not be among so few.
        let once = |count: &mut u64| *count = (*count).max(1);
        let (faults, happened) = (&mut summary.faults, &mut summary.happenings);
        once(&mut faults.unknown_never);
        for count in [
            &mut happened.fences,
            &mut happened.second_closers,
            &mut happened.lost_sources,
            &mut happened.late_intents,
            &mut happened.old_memory,
            &mut happened.overtaken_closers,
            &mut happened.overtaken_recounts,
            &mut happened.met_drains,
            &mut happened.second_payers,
            &mut happened.after_checkpoints,
        ] {
            once(count);
        }
        summary
    }

    #[test]
    fn a_long_run_in_which_something_never_happened_is_not_fine() {
        let fine = long_run();
        assert_eq!(fine.never(), Vec::<&str>::new());
        assert!(fine.is_fine());
        let mut domain = fine.clone();
        domain.happenings.old_tabs = 0;
        assert_eq!(domain.never(), ["old tabs refused"]);
        assert!(!domain.is_fine());
        let mut fault = fine.clone();
        fault.faults.suspended = 0;
        assert_eq!(fault.never(), ["suspended"]);
        assert!(!fault.is_fine());
        // A short run shows nothing, and a broken seed is not fine however long the run was.
        fault.seeds = LONG_RUN - 1;
        assert!(fault.is_fine());
        let mut broken = fine;
        broken.first_failed = Some(7);
        assert!(!broken.is_fine());
    }

    #[test]
    fn every_count_is_one_that_can_be_missed() {
        let happened = Happenings::default();
        assert_eq!(happened.never(Clocks::Far).len(), happened.named().len());
        let faults = Counters::default();
        assert_eq!(faults.never().len(), faults.named().len());
    }
}
