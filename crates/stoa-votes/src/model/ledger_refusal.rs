//! What may not be done with the public ledger. Each has a code that clients may rely on for ever.

/// Why something about the public ledger was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LedgerRefusal {
    /// What the ledger shows was fixed.
    #[error("what the public ledger shows cannot be changed after the first day was closed")]
    PrivacyLocked,
    /// Who votes for what is nobody's business here.
    #[error("who votes for what is not shown here")]
    VotesNotPublic,
}

impl LedgerRefusal {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::PrivacyLocked => "privacy_locked",
            Self::VotesNotPublic => "votes_not_public",
        }
    }
}
