//! One record of a user's chain: what was decided about that user's votes at one moment.
//!
//! A record is written once and never changed. It lists only the policies that changed; every
//! fiftieth carries everything, so that no reader has to go further back.

use std::collections::BTreeMap;

use super::day::Day;
use super::ids::{PolicyId, RequestId, UserId, VoteVersion};

/// Every record with a number that this divides carries everything.
pub const CHECKPOINT_EVERY: i64 = 50;

/// What one user has on one policy, merges left aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entry {
    /// Votes on it. May be negative on the target of a merge, where votes of a source were
    /// withdrawn.
    pub total: i64,
    /// Votes ever withdrawn from it.
    pub withdrawn: i64,
    /// What the withdrawals cost, in hundredths of a vote.
    pub burned_hundredths: i64,
}

/// What a record changes about one policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Votes more, or less.
    pub increment: i64,
    /// What the user has on it from then on.
    pub entry: Entry,
}

/// What sort of record it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// The user moved votes, or created a policy.
    Vote,
    /// The user took the record before it back.
    Undo,
    /// The account ended; all votes were taken back.
    Final,
}

impl RecordKind {
    /// Every kind with its number in tables.
    const CODES: [(Self, i8); 3] = [(Self::Vote, 0), (Self::Undo, 1), (Self::Final, 2)];

    /// Its number in tables.
    #[must_use]
    pub fn code(self) -> i8 {
        let found = Self::CODES.iter().find(|(kind, _)| *kind == self);
        found.map_or(0, |(_, code)| *code)
    }

    /// The kind of a number.
    #[must_use]
    pub fn of_code(code: i8) -> Option<Self> {
        let found = Self::CODES.iter().find(|(_, it)| *it == code);
        found.map(|(kind, _)| *kind)
    }
}

/// A record of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoteRecord {
    /// Its name.
    pub version: VoteVersion,
    /// The record before it; `None` for the first.
    pub previous: Option<VoteVersion>,
    /// How many records the chain has up to it.
    pub seq: i64,
    /// The day it counts for.
    pub day: Day,
    /// What sort of record it is.
    pub kind: RecordKind,
    /// What it changes.
    pub changes: BTreeMap<PolicyId, Change>,
    /// Policies that were counted into another one when it was decided, and into which.
    pub roots: BTreeMap<PolicyId, PolicyId>,
    /// The policy that it creates.
    pub policy_created: Option<PolicyId>,
    /// The request that asked for it.
    pub request: RequestId,
    /// Who asked: the user, or who ended the account.
    pub actor: UserId,
    /// Everything the user has after it, in every fiftieth record.
    pub checkpoint: Option<BTreeMap<PolicyId, Entry>>,
}
