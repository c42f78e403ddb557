//! What the public ledger shows: one choice for the whole installation, published with its rules,
//! and fixed once the first day is closed.

/// What the public ledger shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrivacyMode {
    /// Who votes for what.
    Public,
    /// What each person votes for, under a name that changes every year.
    Pseudonymous,
    /// What policies got and lost, and nothing of single persons.
    Tallies,
}

impl PrivacyMode {
    /// What holds where nobody chose.
    pub const DEFAULT: Self = Self::Pseudonymous;

    /// Every mode with its name in tables and in the ledger.
    pub const NAMES: [(Self, &'static str); 3] = [
        (Self::Public, "public"),
        (Self::Pseudonymous, "pseudonymous"),
        (Self::Tallies, "tallies"),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(mode, _)| *mode == self);
        found.map_or("", |(_, name)| name)
    }

    /// The mode of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(mode, _)| *mode)
    }

    /// What nobody can see or check in a ledger of this mode.
    #[must_use]
    pub fn hides(self) -> &'static [&'static str] {
        match self {
            Self::Public => &[
                "at what time of its day a record was made, and so whether an undo came within \
                 ten minutes; but the identifier of a policy holds the moment of its creation",
                "when somebody joined: that the first record was paid for whole periods is checked",
            ],
            Self::Pseudonymous => &[
                "who is behind a name; names change every year, but who created a policy can be \
                 guessed from its first votes, and what somebody has may tell which name of the \
                 year before was the same person's",
                "which name of the year before a new one continues; that each continues exactly \
                 one is checked",
                "the price of an undo that is the first record of a year",
                "at what time of its day a record was made, and so whether an undo came within \
                 ten minutes; but the identifier of a policy holds the moment of its creation",
                "when somebody joined: that the first record was paid for whole periods is checked",
            ],
            Self::Tallies => &[
                "who voted, and with how many votes",
                "that nobody spent more than there was, that withdrawals were paid for, and that \
                 changes are sums of votes: only the operator's audit sees that",
            ],
        }
    }
}
