//! A failing seed, explained: whether it fails the same way each time, and with how little.

use super::{Cuts, Outcome, Trace, VoteSimulation};

/// A failing seed.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What came of it.
    pub outcome: Outcome,
    /// The hashes of everything that happened, each time it was run; all the same, or the simulation
    /// itself is broken.
    pub hashes: [u64; 3],
    /// What it does not need to break the same.
    pub cuts: Cuts,
    /// What came of it without that.
    pub smallest: Outcome,
}

impl Failure {
    /// Whether one seed was one run.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        let [first, ..] = self.hashes;
        self.hashes.iter().all(|hash| *hash == first)
    }
}

impl VoteSimulation {
    /// Runs a seed that failed twice again, and then with less and less. `first_hash` is the hash of
    /// the run in which it failed, beside others.
    #[must_use]
    pub fn explain(&self, seed: u64, first_hash: u64) -> Failure {
        let again = self.run(seed, Trace::Dropped);
        let outcome = self.run(seed, Trace::Kept);
        let hashes = [first_hash, again.event_hash, outcome.event_hash];
        let (cuts, smallest) = self.shrink(seed);
        Failure {
            outcome,
            hashes,
            cuts,
            smallest,
        }
    }
}
