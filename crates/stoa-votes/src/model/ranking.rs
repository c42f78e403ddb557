//! What is known of a policy where policies are ranked, and by what they are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use uuid::Uuid;

use super::count::ClosedDay;
use super::day::Day;
use super::ids::{PolicyId, UserId};
use super::policy::Standing;

/// Days of the longest window.
pub const MOST_WINDOW_DAYS: u16 = 3_660;

/// By what policies are ranked. Among equals the older comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RankingKind {
    /// Votes.
    Total,
    /// Votes gained in the last so many days, today included.
    Window(u16),
    /// Votes gained lately, half as much for each day since.
    Rising,
    /// Votes put on and withdrawn in 30 days, the more alike the more.
    Contested,
    /// People who commented, then comments.
    Discussed,
    /// The newest first.
    New,
    /// At random; the same for the same number.
    Random(u64),
    /// People who have votes on it.
    Supporters,
    /// The square roots of what each of them has, added up.
    SquareRoots,
}

impl RankingKind {
    /// Whether votes are what counts, so that it can be said how many are missing.
    #[must_use]
    pub fn is_of_votes(self) -> bool {
        matches!(self, Self::Total | Self::Window(_))
    }
}

/// Which states of policies are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListedStates {
    /// Those that votes may be put on.
    #[default]
    Active,
    /// Those that are closed.
    Retired,
    /// Both.
    All,
}

/// Which policies are listed. Hidden ones never are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RankingFilter {
    /// Of this category alone.
    pub category: Option<String>,
    /// Of this party alone.
    pub party: Option<Uuid>,
    /// Of these states alone.
    pub states: ListedStates,
    /// Out of these alone: those that have a tag, or that somebody watches.
    pub among: Option<BTreeSet<PolicyId>>,
}

/// How broadly a policy is supported, and what happened to it since the last day that was closed.
/// All that was merged into it is included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Breadth {
    /// People who have votes on it.
    pub supporters: i64,
    /// The square roots of what each of them has, added up, in hundredths.
    pub square_roots: i64,
    /// Days that were not closed when it was measured.
    pub open_days: BTreeMap<Day, OpenDay>,
}

/// What happened to a policy on a day that is not closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenDay {
    /// Votes more, or less.
    pub change: i64,
    /// Votes put on it and withdrawn, added up.
    pub gross: i64,
    /// Votes more, or less, each worth the less the earlier on the day; in parts of 2^20.
    pub heat: i64,
}

/// The page of a policy, as lists need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFacts {
    /// Its title.
    pub title: String,
    /// The key of its category.
    pub category: String,
    /// The party that stands behind it.
    pub party: Option<Uuid>,
    /// Who created it.
    pub owner: UserId,
    /// Whether it is hidden until somebody has looked at it.
    pub is_hidden: bool,
    /// When it ended, in microseconds since 1970.
    pub ended_micros: Option<i64>,
}

/// What was read of one policy, merges left aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFacts {
    /// The policy.
    pub policy: PolicyId,
    /// Where it stands.
    pub standing: Standing,
    /// Its page, if it has one.
    pub page: Option<PageFacts>,
    /// Its votes, as they were last counted.
    pub total: i64,
    /// Its breadth, as it was last measured.
    pub breadth: Breadth,
    /// Comments on it.
    pub comments: i64,
    /// People who wrote them.
    pub people: i64,
    /// Its closed days, the earliest first.
    pub days: Arc<[ClosedDay]>,
}
