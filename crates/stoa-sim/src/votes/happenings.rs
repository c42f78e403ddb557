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
    /// Sources of a merge that others had been merged into.
    pub merged_again: u64,
    /// Policies that were retired.
    pub retired: u64,
    /// Policies that were taken away.
    pub deleted: u64,
    /// Policies that their owners withdrew.
    pub withdrawn_policies: u64,
    /// Closed days, as closers saw them.
    pub closed: u64,
    /// Days whose final ranking was decided.
    pub ranked_days: u64,
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
    /// Votes put on a policy that took none any more, by who remembered that it did.
    pub old_memory: u64,
    /// Requests for a state that had passed before a day was closed that is closed by now; all of
    /// them were refused.
    pub old_tabs: u64,
    /// Closers who wrote of a day that another had closed meanwhile.
    pub overtaken_closers: u64,
    /// Recounts that were written when a later one had been.
    pub overtaken_recounts: u64,
    /// Intents that two background workers made go.
    pub met_drains: u64,
    /// Payments of a period that another had paid meanwhile.
    pub second_payers: u64,
    /// Payments that were less than the rate, because enough was unspent.
    pub capped: u64,
    /// Periods that were not paid, because nobody was there.
    pub absences: u64,
    /// Records by a configuration that had changed.
    pub configured: u64,
    /// Records of chains that are read from a checkpoint.
    pub after_checkpoints: u64,
    /// Policies whose texts were erased.
    pub erased: u64,
}

impl Happenings {
    /// Every count with its name.
    #[must_use]
    pub fn named(&self) -> [(&'static str, u64); 37] {
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
            ("merged again", self.merged_again),
            ("retired", self.retired),
            ("deleted", self.deleted),
            ("withdrawn policies", self.withdrawn_policies),
            ("closed days", self.closed),
            ("ranked days", self.ranked_days),
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
            ("old memory", self.old_memory),
            ("old tabs refused", self.old_tabs),
            ("overtaken closers", self.overtaken_closers),
            ("overtaken recounts", self.overtaken_recounts),
            ("drains that met", self.met_drains),
            ("second payers", self.second_payers),
            ("capped payments", self.capped),
            ("absences", self.absences),
            ("configured", self.configured),
            ("after a checkpoint", self.after_checkpoints),
            ("erased", self.erased),
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
        self.merged_again += other.merged_again;
        self.retired += other.retired;
        self.deleted += other.deleted;
        self.ranked_days += other.ranked_days;
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
        self.old_memory += other.old_memory;
        self.old_tabs += other.old_tabs;
        self.overtaken_closers += other.overtaken_closers;
        self.overtaken_recounts += other.overtaken_recounts;
        self.met_drains += other.met_drains;
        self.second_payers += other.second_payers;
        self.capped += other.capped;
        self.absences += other.absences;
        self.configured += other.configured;
        self.after_checkpoints += other.after_checkpoints;
        self.erased += other.erased;
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
