//! How large a run is, who works, and how far it is.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use stoa_testkit::powercut::Strace;

use super::tally::Tally;
use super::{bit_flips, disk_faults, hostile, journal_cuts, kills, power_cuts, recovery};

/// One kind of damage.
#[derive(Debug)]
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    /// How many points the full run has.
    pub(crate) full: u64,
    /// Runs it; nothing if it needs the strace that is missing.
    pub(crate) run: fn(Option<Strace>, &Effort) -> Option<Tally>,
}

/// All suites, in the order in which they are run.
pub(crate) const SUITES: &[Suite] = &[
    Suite {
        name: "power-cuts",
        full: 100_000,
        run: |strace, effort| Some(power_cuts::run(strace?, effort, &power_cuts::SOURCES)),
    },
    Suite {
        name: "journal-cuts",
        full: u64::MAX,
        run: |_, effort| Some(journal_cuts::run(effort)),
    },
    Suite {
        name: "bit-flips",
        full: 40_000,
        run: |_, effort| Some(bit_flips::run(effort)),
    },
    Suite {
        name: "recovery",
        full: 10_000,
        run: |strace, effort| Some(recovery::run(strace?, effort, recovery::SOURCE)),
    },
    Suite {
        name: "disk-full",
        full: 2_000,
        run: |strace, effort| Some(disk_faults::run_full(strace?, effort)),
    },
    Suite {
        name: "sync-fails",
        full: 500,
        run: |strace, effort| Some(disk_faults::run_syncs(strace?, effort)),
    },
    Suite {
        name: "kills",
        full: 2_000,
        run: |_, effort| Some(kills::run(effort)),
    },
    Suite {
        name: "hostile",
        full: 50_000,
        run: |_, effort| Some(hostile::run(effort)),
    },
];

/// More than the two cores of the figures: an open waits more than it computes.
pub(crate) const WORKERS: usize = 5;

/// How large a run of a suite is.
#[derive(Debug)]
pub(crate) struct Effort {
    pub(crate) count: u64,
    pub(crate) seed: u64,
    done: AtomicU64,
}

impl Effort {
    pub(crate) fn new(count: u64, seed: u64) -> Self {
        Self {
            count,
            seed,
            done: AtomicU64::new(0),
        }
    }

    /// Notes that cases were done, and shows it on a terminal.
    pub(crate) fn progress(&self, cases: u64) {
        let done = self.done.fetch_add(cases, Ordering::Relaxed) + cases;
        let mut out = std::io::stderr();
        if done.is_multiple_of(50) && out.is_terminal() {
            // Progress that cannot be shown is no failure.
            let _ = write!(out, "\r{done} of {}  ", self.count);
        }
    }
}

/// Lets the workers work and adds up what they counted.
pub(crate) fn shared(effort: &Effort, work: impl Fn(usize, &mut Tally) + Sync) -> Tally {
    let mut tally = Tally::new("", effort.seed);
    let work = &work;
    std::thread::scope(|scope| {
        let start = |worker| {
            scope.spawn(move || {
                let mut tally = Tally::new("", effort.seed);
                work(worker, &mut tally);
                tally
            })
        };
        let workers: Vec<_> = (0..WORKERS).map(start).collect();
        for worker in workers {
            tally.add(worker.join().expect("a worker ends well"));
        }
    });
    tally
}
