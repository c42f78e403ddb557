//! That something was not done, or that nobody knows yet whether it was.

use stoa_session::Error;

use super::account_refusal::AccountRefusal;

/// Why something was refused. Each has a code that clients may rely on for ever.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Because of the account.
    #[error(transparent)]
    Account(#[from] AccountRefusal),
}

impl Refused {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Account(refusal) => refusal.code(),
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

impl From<AccountRefusal> for NotDone {
    fn from(refusal: AccountRefusal) -> Self {
        Self::Refused(refusal.into())
    }
}
