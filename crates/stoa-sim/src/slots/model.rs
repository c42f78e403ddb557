//! What is kept: rows of columns, each column one cell.

use std::collections::BTreeMap;

/// A user, by number.
pub(super) type User = u8;
/// A policy, by number.
pub(super) type Policy = u8;

/// A time UUID: ordered by when its maker's clock says it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Version {
    pub(super) time: i64,
    pub(super) number: u32,
}

impl Version {
    /// What the first record of every user follows.
    pub(super) const ZERO: Self = Self { time: 0, number: 0 };
}

/// The key of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Row {
    /// `user_policy_votes`.
    UserVotes(User),
    /// `policy_new_votes`.
    NewVotes(Policy),
    /// `policies`.
    Policy(Policy),
    /// `policy_vote_history`.
    History(Policy),
    /// `misc["active-policies"]`.
    ActivePolicies,
}

/// The name of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    /// `votes_<prev_version>`.
    Votes(Version),
    /// `pending_votes_<version>`.
    Pending(Version),
    /// `<prev_version>` of a policy's new votes.
    Slot(Version),
    /// `finalized_votes`.
    Finalized,
    /// `total_votes`.
    Total,
    /// A record of the history.
    Finished(Version),
    /// An active policy.
    Active(Policy),
}

/// A record of a user: what it adds to which policies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Record {
    pub(super) user: User,
    pub(super) version: Version,
    pub(super) previous: Version,
    pub(super) increments: BTreeMap<Policy, i64>,
}

/// A record as a policy sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NewVote {
    pub(super) version: Version,
    pub(super) previous: Version,
    pub(super) user: User,
    pub(super) increment: i64,
}

/// The value of a column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    Record(Record),
    NewVote(NewVote),
    Finalized { count: i64, boundary: Version },
    Number(i64),
    Nothing,
}
