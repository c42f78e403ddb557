//! What really happened, noted beside the algorithm for the judge alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::model::{Policy, Record, Version};

/// A record that someone made.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub(super) record: Record,
    /// When, in virtual time, whatever its maker's clock said.
    pub(super) at: u64,
}

/// What happened.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// Every record that was begun.
    pub(super) made: BTreeMap<Version, Made>,
    /// When a record was first sent to a policy's row.
    pub(super) sent: BTreeMap<(Policy, Version), u64>,
    /// Records that were added to a policy's finished count.
    pub(super) finished: BTreeSet<(Policy, Version)>,
    /// Records that were deleted from a policy's row as orphans.
    pub(super) orphaned: BTreeSet<(Policy, Version)>,
    /// The boundaries of each policy, and when they were set.
    pub(super) boundaries: BTreeMap<Policy, Vec<(u64, Version)>>,
}

/// The notes, as all clients share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes(Arc<Mutex<Facts>>);

impl Notes {
    pub(super) fn facts(&self) -> MutexGuard<'_, Facts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
