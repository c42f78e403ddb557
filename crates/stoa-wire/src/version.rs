//! The versions of the protocol that are spoken.

use std::fmt;

/// A version of the native protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// Envelopes as they are; compressed one by one.
    V4,
    /// Envelopes within checked segments, once a connection is ready.
    V5,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: [Self; 2] = [Self::V4, Self::V5];

    /// The version of this number.
    #[must_use]
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|version| version.number() == number)
    }

    /// Its number, as it stands in every envelope.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::V4 => 4,
            Self::V5 => 5,
        }
    }
}

impl fmt::Display for Version {
    /// As a server lists it: `4/v4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}/v{0}", self.number())
    }
}
