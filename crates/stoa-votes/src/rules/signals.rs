//! Signs that an account is the second one of somebody, and when they are enough for people to look
//! at it. Nothing more ever follows from a score.

use std::collections::BTreeMap;

/// From this score on people look at it.
pub const CASE_SCORE: i64 = 100;

/// What sort of sign it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignalKind {
    /// Registered from the same network as another.
    SameNetwork,
    /// Registered with the same browser as another.
    SameAgent,
    /// An address of a domain that anybody has for ten minutes.
    DisposableEmail,
    /// Votes much like another.
    SimilarVotes,
    /// Somebody reported it.
    Reported,
}

impl SignalKind {
    /// Every kind, its name in tables, what the first sign of it weighs, and all of them at most.
    const ALL: [(Self, &'static str, i64, i64); 5] = [
        (Self::SameNetwork, "same_network", 20, 40),
        (Self::SameAgent, "same_agent", 10, 20),
        (Self::DisposableEmail, "disposable_email", 30, 30),
        (Self::SimilarVotes, "similar_votes", 40, 80),
        (Self::Reported, "reported", 25, 50),
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(kind, ..)| *kind == self);
        found.map_or("", |(_, name, ..)| name)
    }

    /// The kind of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, it, ..)| *it == name);
        found.map(|(kind, ..)| *kind)
    }
}

/// One sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// What sort of sign.
    pub kind: SignalKind,
    /// What it is about: another user, a network. The same sign counts once.
    pub about: String,
}

/// What signs amount to: those of one kind count up to a limit, so that no kind is enough alone.
#[must_use]
pub fn score(signals: &[Signal]) -> i64 {
    let mut counts: BTreeMap<SignalKind, Vec<&str>> = BTreeMap::new();
    for signal in signals {
        let of_kind = counts.entry(signal.kind).or_default();
        if !of_kind.contains(&signal.about.as_str()) {
            of_kind.push(&signal.about);
        }
    }
    let weigh = |kind: &SignalKind, count: usize| {
        let found = SignalKind::ALL.iter().find(|(it, ..)| it == kind);
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        found.map_or(0, |(_, _, weight, most)| {
            weight.saturating_mul(count).min(*most)
        })
    };
    counts
        .iter()
        .map(|(kind, all)| weigh(kind, all.len()))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(kind: SignalKind, about: &str) -> Signal {
        Signal {
            kind,
            about: about.to_owned(),
        }
    }

    #[test]
    fn no_kind_of_sign_is_enough_alone() {
        for (kind, ..) in SignalKind::ALL {
            let many: Vec<Signal> = (0..100).map(|it| signal(kind, &it.to_string())).collect();
            assert!(score(&many) < CASE_SCORE, "{kind:?}");
        }
    }

    #[test]
    fn the_same_sign_counts_once() {
        let one = signal(SignalKind::SameNetwork, "192.0.2");
        let other = signal(SignalKind::SimilarVotes, "ben");
        assert_eq!(score(&[one.clone(), one.clone()]), 20);
        assert_eq!(score(&[one, other]), 60);
        assert_eq!(score(&[]), 0);
    }
}
