//! The kinds of faults, by their names, so that one can be switched off.

use super::Faults;

/// A kind of fault that a run may do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// Messages that are slow.
    SlowMessages,
    /// Writes that reach a replica very late.
    LateWrites,
    /// Writes that not every replica is sent.
    HalfSent,
    /// Replies that are lost.
    LostReplies,
    /// Replicas that go down.
    DownTimes,
    /// Hints that are lost.
    LostHints,
    /// Conditional writes that are decided and not answered.
    UnknownApplied,
    /// Conditional writes that are decided later.
    UnknownLater,
    /// Conditional writes that are never decided.
    UnknownNever,
    /// Clocks that are off.
    Clocks,
    /// Clients that die.
    Deaths,
    /// Clients that nap.
    Naps,
    /// Clients that are suspended for long.
    Suspensions,
}

impl FaultKind {
    /// All of them, with their names.
    pub const NAMES: [(Self, &'static str); 13] = [
        (Self::SlowMessages, "slow-messages"),
        (Self::LateWrites, "late-writes"),
        (Self::HalfSent, "half-sent"),
        (Self::LostReplies, "lost-replies"),
        (Self::DownTimes, "down-times"),
        (Self::LostHints, "lost-hints"),
        (Self::UnknownApplied, "unknown-applied"),
        (Self::UnknownLater, "unknown-later"),
        (Self::UnknownNever, "unknown-never"),
        (Self::Clocks, "clocks"),
        (Self::Deaths, "deaths"),
        (Self::Naps, "naps"),
        (Self::Suspensions, "suspensions"),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(kind, _)| *kind == self);
        found.map_or("", |(_, name)| name)
    }

    /// The kind of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(kind, _)| *kind)
    }
}

impl Faults {
    /// Switches a kind off.
    pub fn switch_off(&mut self, kind: FaultKind) {
        match kind {
            FaultKind::SlowMessages => self.slow_message = 0,
            FaultKind::LateWrites => self.late_write = 0,
            FaultKind::HalfSent => self.half_sent = 0,
            FaultKind::LostReplies => self.lost_reply = 0,
            FaultKind::DownTimes => self.up_micros = 0,
            FaultKind::LostHints => self.lost_hint = 0,
            FaultKind::UnknownApplied => self.unknown_applied = 0,
            FaultKind::UnknownLater => self.unknown_later = 0,
            FaultKind::UnknownNever => self.unknown_never = 0,
            FaultKind::Clocks => self.clock_offset_micros = 0,
            FaultKind::Deaths => self.death = 0,
            FaultKind::Naps => self.nap = 0,
            FaultKind::Suspensions => self.suspended = 0,
        }
    }

    /// Whether a kind may happen.
    #[must_use]
    pub fn has(&self, kind: FaultKind) -> bool {
        let mut without = self.clone();
        without.switch_off(kind);
        without != *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switching_every_kind_off_leaves_no_fault() {
        let mut faults = Faults::all();
        for (kind, name) in FaultKind::NAMES {
            assert_eq!(FaultKind::of_name(name), Some(kind));
            assert_eq!(kind.name(), name);
            assert!(faults.has(kind), "{name}");
            faults.switch_off(kind);
            assert!(!faults.has(kind), "{name}");
        }
        let none = Faults {
            slow_micros: faults.slow_micros,
            latest_micros: faults.latest_micros,
            down_micros: faults.down_micros,
            long_down_micros: faults.long_down_micros,
            longest_nap_micros: faults.longest_nap_micros,
            longest_suspended_micros: faults.longest_suspended_micros,
            ..Faults::none()
        };
        assert_eq!(faults, none);
    }
}
