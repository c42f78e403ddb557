//! What happened in the domain, counted: a simulation in which something never happens shows
//! nothing about it.

/// What happened, how often.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Happenings {
    /// Requests that were accepted.
    pub accepted: u64,
    /// Requests for a state that had passed.
    pub stale: u64,
    /// Requests that were refused for another reason.
    pub refused: u64,
    /// Requests whose outcome nobody told.
    pub unknown: u64,
    /// Requests that came again.
    pub repeated: u64,
    /// Undone records.
    pub undone: u64,
    /// Withdrawals.
    pub withdrawn: u64,
    /// Created policies.
    pub created: u64,
    /// Ended accounts.
    pub ended: u64,
    /// Merges.
    pub merged: u64,
    /// Released policies.
    pub released: u64,
    /// Closed days, as closers saw them.
    pub closed: u64,
    /// Runs of background tasks that ended well.
    pub tasks: u64,
    /// Runs of background tasks that failed.
    pub failed_tasks: u64,
}

impl Happenings {
    /// Every count with its name.
    #[must_use]
    pub fn named(&self) -> [(&'static str, u64); 14] {
        [
            ("accepted", self.accepted),
            ("stale", self.stale),
            ("refused", self.refused),
            ("unknown", self.unknown),
            ("repeated", self.repeated),
            ("undone", self.undone),
            ("withdrawn", self.withdrawn),
            ("created", self.created),
            ("ended", self.ended),
            ("merged", self.merged),
            ("released", self.released),
            ("closed days", self.closed),
            ("tasks", self.tasks),
            ("failed tasks", self.failed_tasks),
        ]
    }

    /// The names of what never happened.
    #[must_use]
    pub fn never(&self) -> Vec<&'static str> {
        let named = self.named().into_iter();
        named
            .filter(|(_, count)| *count == 0)
            .map(|(name, _)| name)
            .collect()
    }
}

impl std::ops::AddAssign for Happenings {
    fn add_assign(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.stale += other.stale;
        self.refused += other.refused;
        self.unknown += other.unknown;
        self.repeated += other.repeated;
        self.undone += other.undone;
        self.withdrawn += other.withdrawn;
        self.created += other.created;
        self.ended += other.ended;
        self.merged += other.merged;
        self.released += other.released;
        self.closed += other.closed;
        self.tasks += other.tasks;
        self.failed_tasks += other.failed_tasks;
    }
}
