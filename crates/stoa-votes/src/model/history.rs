//! How policies stood in the past.

use std::collections::BTreeMap;

use super::day::Day;
use super::ids::{PolicyId, SnapshotId};

/// Policies and their votes by rank, the first being 1.
pub type RankedPolicies = BTreeMap<i32, (PolicyId, i64)>;

/// A part of the final ranking of a closed day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayRanking {
    /// The day.
    pub day: Day,
    /// Which ranking it is: a digest of all of it.
    pub snapshot: SnapshotId,
    /// How many policies were ranked.
    pub count: i64,
    /// The part that was asked for.
    pub policies: RankedPolicies,
}

/// The ranking of the first thousand at the end of an hour. It is provisional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HourRanking {
    /// The hour, counted since 1970.
    pub hour: i64,
    /// The first thousand.
    pub policies: RankedPolicies,
}

/// A closed day of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayPoint {
    /// The day.
    pub day: Day,
    /// Votes at its end, all that had been merged into it included.
    pub total: i64,
    /// Votes put on it less those withdrawn on the day.
    pub change: i64,
    /// How many people did that.
    pub voters: i64,
    /// Its rank, once the day is ranked, if it was listed.
    pub rank: Option<i32>,
}

/// How a policy stood at the end of an hour. It is provisional.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HourPoint {
    /// The hour, counted since 1970.
    pub hour: i64,
    /// Its rank.
    pub rank: i32,
    /// Its votes.
    pub total: i64,
}

/// Where a policy stood last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastRank {
    /// The last day that it was ranked on.
    pub day: Day,
    /// Its rank.
    pub rank: i32,
    /// Its votes.
    pub total: i64,
}
