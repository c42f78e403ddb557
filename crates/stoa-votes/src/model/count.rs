//! What is derived from chains about one policy.

use stoa_session::FromRow;

use super::day::Day;
use super::ids::{UserId, VoteVersion};

/// One increment of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct Increment {
    /// The record it comes from.
    pub version: VoteVersion,
    /// Whose.
    pub user: UserId,
    /// Votes more, or less.
    pub increment: i64,
}

/// A closed day of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct ClosedDay {
    /// The day.
    pub day: Day,
    /// Votes more, or less, than the day before.
    pub change: i64,
    /// Votes put on it and withdrawn, added up.
    pub gross: i64,
    /// The votes of the day, each half as much for each day before its end, in parts of a vote.
    pub heat: i64,
    /// How many people did that.
    pub voters: i64,
    /// Votes at the end of the day.
    pub closing_total: i64,
}
