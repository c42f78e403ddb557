//! The fast path: the pure rules of voting on random schedules, without any store.
//!
//! A seed draws a small community and lets it act: windows with old states, merges, merges of
//! merges, releases, a changed configuration, undone records, ended accounts, days that end. The
//! rules decide, and a second model that shares no code with them, and knows nothing but sums, says
//! whether they were right. A seed takes about as long as one write to a disk, so a million of them
//! take minutes.
//!
//! Invariants:
//! 1. The seed is the whole input.
//! 2. What is judged is judged by sums in `naive.rs` and by the audit, each by itself.

mod books;
mod community;
mod naive;
mod planted;
mod schedule;
mod windows;

use std::ops::AddAssign;

use stoa_votes::rules::audit::Finding;

pub use planted::Planted;

use crate::seeds::{self, Go};
use community::Community;

/// From how many seeds on something that never happened is a failure of the simulation itself.
pub const LONG_RUN: u64 = 1_000;

/// What one seed came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The seed.
    pub seed: u64,
    /// What is wrong; nothing, if the rules are right.
    pub findings: Vec<Finding>,
    /// What happened.
    pub happened: Happened,
}

/// What happened, how often.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Happened {
    /// Requests that became records.
    pub accepted: u64,
    /// Requests for a state that had passed.
    pub stale: u64,
    /// Requests that were refused.
    pub refused: u64,
    /// Requests that were judged by what was remembered of policies.
    pub remembered: u64,
    /// Withdrawals.
    pub withdrawn: u64,
    /// Undone records.
    pub undone: u64,
    /// Ended accounts.
    pub ended: u64,
    /// Merges.
    pub merged: u64,
    /// Merges of what was merged before.
    pub merged_again: u64,
    /// Released policies.
    pub released: u64,
    /// Changes of the configuration.
    pub configured: u64,
    /// Chains that were read from a checkpoint.
    pub checkpoints: u64,
    /// Days that ended.
    pub days: u64,
    /// Payments that were less than the rate, because enough was unspent.
    pub capped: u64,
    /// Periods that a member missed.
    pub absences: u64,
}

impl Happened {
    /// Every count with its name.
    #[must_use]
    pub fn named(&self) -> [(&'static str, u64); 15] {
        [
            ("accepted", self.accepted),
            ("stale", self.stale),
            ("refused", self.refused),
            ("remembered", self.remembered),
            ("withdrawn", self.withdrawn),
            ("undone", self.undone),
            ("ended", self.ended),
            ("merged", self.merged),
            ("merged again", self.merged_again),
            ("released", self.released),
            ("configured", self.configured),
            ("checkpoints", self.checkpoints),
            ("days", self.days),
            ("capped", self.capped),
            ("absences", self.absences),
        ]
    }
}

impl AddAssign for Happened {
    fn add_assign(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.stale += other.stale;
        self.refused += other.refused;
        self.remembered += other.remembered;
        self.withdrawn += other.withdrawn;
        self.undone += other.undone;
        self.ended += other.ended;
        self.merged += other.merged;
        self.merged_again += other.merged_again;
        self.released += other.released;
        self.configured += other.configured;
        self.checkpoints += other.checkpoints;
        self.days += other.days;
        self.capped += other.capped;
        self.absences += other.absences;
    }
}

/// Runs one seed, by the rules or with a mistake planted into them.
#[must_use]
pub fn run(seed: u64, planted: Option<Planted>) -> Outcome {
    let mut community = Community::of_seed(seed, planted);
    community.act();
    let happened = community.happened;
    Outcome {
        seed,
        findings: community.end(),
        happened,
    }
}

/// What many seeds came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many seeds were run.
    pub seeds: u64,
    /// How many broke something.
    pub failed: u64,
    /// The least of them that was seen.
    pub first_failed: Option<u64>,
    /// What happened.
    pub happened: Happened,
}

impl Summary {
    /// What never happened, though it should have in so many seeds.
    #[must_use]
    pub fn never(&self) -> Vec<&'static str> {
        let named = self.happened.named().into_iter();
        named
            .filter(|(_, count)| *count == 0 && self.seeds >= LONG_RUN)
            .map(|(name, _)| name)
            .collect()
    }
}

/// Runs the seeds from one on, until one breaks something. `watch` is told how many are done.
pub fn run_many(
    first: u64,
    count: u64,
    threads: usize,
    planted: Option<Planted>,
    watch: &(dyn Fn(u64) + Sync),
) -> Summary {
    let one = |seed| run(seed, planted);
    let empty = Summary::default();
    seeds::run_many(first, count, threads, empty, one, |summary, outcome| {
        summary.seeds += 1;
        summary.happened += outcome.happened;
        watch(summary.seeds);
        if outcome.findings.is_empty() {
            return Go::On;
        }
        summary.failed += 1;
        let least = summary.first_failed.unwrap_or(u64::MAX);
        summary.first_failed = Some(least.min(outcome.seed));
        Go::NoFurther
    })
}
