//! What may not be watched, and why. Each has a code that clients may rely on for ever.

/// Why something is not watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WatchRefusal {
    /// There is no such policy.
    #[error("there is no such policy")]
    NoSuchPolicy,
    /// The user watches as many as anybody may.
    #[error("you watch 1000 policies, which is the most")]
    TooMany,
}

impl WatchRefusal {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NoSuchPolicy => "no_such_policy",
            Self::TooMany => "too_many_watched",
        }
    }
}
