//! What happened in the domain, counted: a simulation in which something never happens shows
//! nothing about it.

use super::Clocks;

/// What happens only where clocks are far off.
const FAR_ONLY: &str = "refused by clock";

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
    /// Policies that their owners withdrew.
    pub withdrawn_policies: u64,
    /// Closed days, as closers saw them.
    pub closed: u64,
    /// Runs of background tasks that ended well.
    pub tasks: u64,
    /// Runs of background tasks that failed.
    pub failed_tasks: u64,
    /// Requests that an instance with a wrong clock refused.
    pub clock_off: u64,
    /// Intents that were made impossible by raising an epoch.
    pub fences: u64,
    /// Closers who came second: another closed the same day at the same time.
    pub second_closers: u64,
    /// Votes that were begun anew because their day was over when they looked again.
    pub start_overs: u64,
    /// Requests whose batch was not answered, or refused, and that found their own record.
    pub found_own: u64,
    /// Requests that were answered by what had been decided before.
    pub answered_again: u64,
    /// Sources of a merge that another merge had taken.
    pub lost_sources: u64,
    /// Intents that were written when their day was no longer open.
    pub late_intents: u64,
}

impl Happenings {
    /// Every count with its name.
    #[must_use]
    pub fn named(&self) -> [(&'static str, u64); 23] {
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
            ("withdrawn policies", self.withdrawn_policies),
            ("closed days", self.closed),
            ("tasks", self.tasks),
            ("failed tasks", self.failed_tasks),
            (FAR_ONLY, self.clock_off),
            ("fences", self.fences),
            ("second closers", self.second_closers),
            ("start-overs", self.start_overs),
            ("found its own record", self.found_own),
            ("answered again", self.answered_again),
            ("lost sources", self.lost_sources),
            ("late intents", self.late_intents),
        ]
    }

    /// The names of what never happened, though it can where clocks are so far off.
    #[must_use]
    pub fn never(&self, clocks: Clocks) -> Vec<&'static str> {
        let named = self.named().into_iter();
        named
            .filter(|(name, _)| clocks == Clocks::Far || *name != FAR_ONLY)
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
        self.clock_off += other.clock_off;
        self.withdrawn_policies += other.withdrawn_policies;
        self.fences += other.fences;
        self.second_closers += other.second_closers;
        self.start_overs += other.start_overs;
        self.found_own += other.found_own;
        self.answered_again += other.answered_again;
        self.lost_sources += other.lost_sources;
        self.late_intents += other.late_intents;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_by_clock_are_missed_only_where_clocks_are_far_off() {
        let nothing = Happenings::default();
        assert!(nothing.never(Clocks::Far).contains(&FAR_ONLY));
        assert!(!nothing.never(Clocks::Near).contains(&FAR_ONLY));
        let mut all = Happenings {
            clock_off: 1,
            ..nothing
        };
        all += all;
        assert_eq!(all.clock_off, 2);
        assert!(!all.never(Clocks::Far).contains(&FAR_ONLY));
    }
}
