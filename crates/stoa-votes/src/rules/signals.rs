//! Signs that an account is the second one of somebody, and when they are enough for people to look
//! at it. Nothing more ever follows from a score.

use std::collections::BTreeMap;

use crate::model::PolicyId;

/// From this score on people look at it.
pub const CASE_SCORE: i64 = 100;

/// How long signs are kept that come of where somebody registered: 90 days.
pub const SIGNS_SECONDS: i32 = 90 * 86_400;

/// On how many policies two accounts must both have votes, to be compared at all.
pub const LEAST_SHARED: usize = 5;

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

    /// How long a sign of it is kept, in seconds; one without end lasts as long as the account. What
    /// comes of an address in the network is forgotten, and so is what may have changed since.
    #[must_use]
    pub fn kept_seconds(self) -> Option<i32> {
        match self {
            Self::SameNetwork | Self::SameAgent | Self::SimilarVotes => Some(SIGNS_SECONDS),
            Self::DisposableEmail | Self::Reported => None,
        }
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

/// What an account has on each policy that votes count for.
pub type Allocations = BTreeMap<PolicyId, i64>;

/// Votes on one policy beyond which more make no difference here; it keeps sums within 128 bits.
const MOST_WEIGHED: i64 = 1 << 20;

/// Whether two accounts vote much alike: both have votes on at least five policies, and the cosine of
/// what they have is at least 0.95. Which of the two comes first makes no difference.
#[must_use]
pub fn are_similar(one: &Allocations, other: &Allocations) -> bool {
    let weight = |votes: i64| u128::from(votes.clamp(0, MOST_WEIGHED).unsigned_abs());
    let square = |all: &Allocations| {
        all.values().fold(0_u128, |sum, votes| {
            sum.saturating_add(weight(*votes).saturating_mul(weight(*votes)))
        })
    };
    let mut shared = 0_usize;
    let mut product = 0_u128;
    for (policy, votes) in one {
        let theirs = other.get(policy).copied().unwrap_or(0);
        if *votes > 0 && theirs > 0 {
            shared += 1;
            product = product.saturating_add(weight(*votes).saturating_mul(weight(theirs)));
        }
    }
    // The square of 0.95 is 361/400.
    let both = square(one).saturating_mul(square(other));
    shared >= LEAST_SHARED
        && product.saturating_mul(product).saturating_mul(400) >= both.saturating_mul(361)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

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

    #[test]
    fn what_comes_of_a_network_or_a_browser_is_forgotten_after_90_days() {
        for kind in [SignalKind::SameNetwork, SignalKind::SameAgent] {
            assert_eq!(kind.kept_seconds(), Some(90 * 86_400), "{kind:?}");
        }
        assert_eq!(SignalKind::Reported.kept_seconds(), None);
    }

    fn allocations(votes: &[i64]) -> Allocations {
        let policies = (1..).map(|number| PolicyId(Uuid::from_u128(number)));
        policies.zip(votes.iter().copied()).collect()
    }

    #[test]
    fn few_policies_tell_nothing_and_other_weights_do() {
        let few = allocations(&[10, 20, 30, 40]);
        assert!(!are_similar(&few, &few));
        let five = allocations(&[10, 20, 30, 40, 50]);
        assert!(are_similar(&five, &five));
        assert!(are_similar(&five, &allocations(&[12, 19, 33, 38, 55])));
        assert!(!are_similar(&five, &allocations(&[50, 40, 30, 20, 10])));
        // Who has votes on much else as well is somebody else.
        let more = allocations(&[10, 20, 30, 40, 50, 60]);
        assert!(!are_similar(&five, &more));
        assert!(!are_similar(&five, &Allocations::new()));
    }

    fn any_votes() -> impl Strategy<Value = Vec<i64>> {
        proptest::collection::vec(0..=1_000_i64, 0..12)
    }

    proptest! {
        #[test]
        fn who_is_compared_with_whom_makes_no_difference(one in any_votes(), other in any_votes()) {
            let (one, other) = (allocations(&one), allocations(&other));
            prop_assert_eq!(are_similar(&one, &other), are_similar(&other, &one));
        }

        #[test]
        fn an_account_is_similar_to_a_multiple_of_itself_on_five_policies(
            votes in proptest::collection::vec(1..=1_000_i64, 5..12), times in 1..=100_i64,
        ) {
            let multiple: Vec<i64> = votes.iter().map(|votes| votes * times).collect();
            prop_assert!(are_similar(&allocations(&votes), &allocations(&multiple)));
        }

        #[test]
        fn similar_accounts_have_a_cosine_of_at_least_95_hundredths(
            one in any_votes(), other in any_votes(),
        ) {
            let float = |votes: &[i64]| -> Vec<f64> {
                votes.iter().map(|it| f64::from(i32::try_from(*it).unwrap())).collect()
            };
            let (left, right) = (float(&one), float(&other));
            let dot: f64 = left.iter().zip(&right).map(|(one, other)| one * other).sum();
            let norm = |all: &[f64]| all.iter().map(|it| it * it).sum::<f64>().sqrt();
            let shared = one.iter().zip(&other).filter(|(one, other)| **one > 0 && **other > 0);
            let shared = shared.count();
            let cosine = dot / (norm(&left) * norm(&right)).max(1.0);
            let is_similar = are_similar(&allocations(&one), &allocations(&other));
            if is_similar {
                prop_assert!(cosine > 0.949_999 && shared >= LEAST_SHARED);
            } else {
                prop_assert!(cosine < 0.950_001 || shared < LEAST_SHARED);
            }
        }

        #[test]
        fn no_amount_of_votes_is_too_much(votes in proptest::collection::vec(any::<i64>(), 0..40)) {
            let all = allocations(&votes);
            let shared = votes.iter().filter(|votes| **votes > 0).count();
            prop_assert_eq!(are_similar(&all, &all), shared >= LEAST_SHARED);
        }
    }
}
