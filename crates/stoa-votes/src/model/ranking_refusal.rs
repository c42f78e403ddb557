//! Why a question about rankings is not answered.

use super::ranking::MOST_WINDOW_DAYS;

/// What is wrong with a question about rankings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RankingRefusal {
    /// The place to go on at is not one that was given.
    #[error("this is no place in a list")]
    BadCursor,
    /// A window is at least a day.
    #[error("a ranking is over one day at least")]
    WindowEmpty,
    /// A window is ten years at most.
    #[error(
        "a ranking is over at most {MOST_WINDOW_DAYS} days; the ranking of all votes has no limit"
    )]
    WindowTooLong,
    /// The policy is not in the list.
    #[error("this policy is not in the list")]
    NotListed,
}

impl RankingRefusal {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::BadCursor => "bad_cursor",
            Self::WindowEmpty => "window_empty",
            Self::WindowTooLong => "window_too_long",
            Self::NotListed => "policy_not_listed",
        }
    }
}
