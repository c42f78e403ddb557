//! What a user may not do, and why. Each has a code that clients may rely on for ever.

use super::ids::PolicyId;

/// Why something a user asked for was not done. Nothing was written then but the answer itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// What a request is called is no identifier.
    #[error("a request identifier is a UUID, such as 67e55044-10b1-426f-9247-bb680e5fe0c8")]
    MalformedRequest,
    /// The same request identifier came with another content.
    #[error("this request identifier was used for something else")]
    RequestReused,
    /// Nothing would change.
    #[error("nothing would change")]
    Nothing,
    /// Too many policies at once.
    #[error("at most {most} policies can be changed at once")]
    TooMany {
        /// How many are allowed.
        most: usize,
    },
    /// A number beyond all reason.
    #[error("{votes} votes at once are too many")]
    TooLarge {
        /// The number.
        votes: i64,
    },
    /// No policy of that identifier takes votes.
    #[error("there is no policy {0}")]
    NoSuchPolicy(PolicyId),
    /// The policy counts for another one now.
    #[error("the policy {policy} was merged into {into}")]
    MergedPolicy {
        /// The one that was asked for.
        policy: PolicyId,
        /// Where its votes count.
        into: PolicyId,
    },
    /// The policy takes no votes any more, and those on it were given back.
    #[error("the policy {0} is closed; the votes on it are free again")]
    ReleasedPolicy(PolicyId),
    /// The policy takes no more votes; those on it can be withdrawn.
    #[error("the policy {0} was closed by its owner and takes no more votes")]
    WithdrawnPolicy(PolicyId),
    /// More would be withdrawn than there is.
    #[error("you have {has} votes on the policy {policy}, so you cannot withdraw {asked}")]
    TooFewOnPolicy {
        /// The policy.
        policy: PolicyId,
        /// What there is.
        has: i64,
        /// What was asked for.
        asked: i64,
    },
    /// More would be spent than there is.
    #[error("that takes {needed} votes more than you have")]
    Overdraft {
        /// How many are missing.
        needed: i64,
    },
    /// There is no record to take back.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// The record cannot be taken back any more, or never could.
    #[error("this cannot be undone: {0}")]
    NotUndoable(&'static str),
    /// The account has ended.
    #[error("this account has ended")]
    AccountEnded,
    /// The instance that was asked has a wrong clock. Another one may take the request.
    #[error("this server's clock is off by {seconds} seconds, so it takes no votes")]
    ClockOff {
        /// How far it is off at least.
        seconds: i64,
    },
}

impl Refusal {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::MalformedRequest => "malformed_request_id",
            Self::RequestReused => "request_reused",
            Self::Nothing => "nothing_to_do",
            Self::TooMany { .. } => "too_many_changes",
            Self::TooLarge { .. } => "too_many_votes",
            Self::NoSuchPolicy(_) => "no_such_policy",
            Self::MergedPolicy { .. } => "policy_merged",
            Self::ReleasedPolicy(_) => "policy_closed",
            Self::WithdrawnPolicy(_) => "policy_withdrawn",
            Self::TooFewOnPolicy { .. } => "too_few_on_policy",
            Self::Overdraft { .. } => "overdraft",
            Self::NothingToUndo => "nothing_to_undo",
            Self::NotUndoable(_) => "not_undoable",
            Self::AccountEnded => "account_ended",
            Self::ClockOff { .. } => "clock_off",
        }
    }
}
