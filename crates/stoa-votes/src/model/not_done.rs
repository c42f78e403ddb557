//! That something was not done, or that nobody knows yet whether it was.

use stoa_session::Error;

use super::account_refusal::AccountRefusal;
use super::config_refusal::ConfigRefusal;
use super::ledger_refusal::LedgerRefusal;
use super::page_refusal::PageRefusal;
use super::ranking_refusal::RankingRefusal;
use super::refusal::Refusal;
use super::tag_refusal::TagRefusal;
use super::talk_refusal::TalkRefusal;
use super::watch_refusal::WatchRefusal;

/// Why something was refused. Each has a code that clients may rely on for ever.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Because of the account.
    #[error(transparent)]
    Account(#[from] AccountRefusal),
    /// Because of votes.
    #[error(transparent)]
    Votes(#[from] Refusal),
    /// Because of what would be decided.
    #[error(transparent)]
    Config(#[from] ConfigRefusal),
    /// Because of the page.
    #[error(transparent)]
    Page(#[from] PageRefusal),
    /// Because of what was asked about rankings.
    #[error(transparent)]
    Ranking(#[from] RankingRefusal),
    /// Because of a comment, a report or a case.
    #[error(transparent)]
    Talk(#[from] TalkRefusal),
    /// Because of a tag.
    #[error(transparent)]
    Tag(#[from] TagRefusal),
    /// Because of watching.
    #[error(transparent)]
    Watch(#[from] WatchRefusal),
    /// Because of the public ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerRefusal),
}

impl Refused {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Account(refusal) => refusal.code(),
            Self::Votes(refusal) => refusal.code(),
            Self::Config(refusal) => refusal.code(),
            Self::Page(refusal) => refusal.code(),
            Self::Ranking(refusal) => refusal.code(),
            Self::Talk(refusal) => refusal.code(),
            Self::Tag(refusal) => refusal.code(),
            Self::Watch(refusal) => refusal.code(),
            Self::Ledger(refusal) => refusal.code(),
        }
    }
}

/// Why something is not known to have been done.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotDone {
    /// It was refused.
    #[error("{0}")]
    Refused(Refused),
    /// It may have been done, or may yet be. Asking again with the same request tells.
    #[error("it is not known yet whether this was done: {0}")]
    Unknown(#[from] Error),
}

impl NotDone {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(refused) => refused.code(),
            Self::Unknown(_) => "outcome_unknown",
        }
    }
}

impl<R: Into<Refused>> From<R> for NotDone {
    fn from(refusal: R) -> Self {
        Self::Refused(refusal.into())
    }
}
