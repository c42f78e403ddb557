//! Why a statement is refused, in Cassandra's classes of errors.
//!
//! A refusal is decided before anything is written, so its outcome is always "not applied". What
//! goes wrong in the store is a [`stoa_store::StoreError`] and never a refusal.

use std::fmt;

/// The class of an error, as the native protocol numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// The server failed at something that Cassandra itself fails at (0x0000).
    Server,
    /// A native function failed on its arguments (0x1400).
    FunctionFailure,
    /// A write that Cassandra accepts and then fails at (0x1500).
    WriteFailure,
    /// The text is not CQL (0x2000).
    Syntax,
    /// Not allowed to whoever asks (0x2100).
    Unauthorized,
    /// Well-formed, but it cannot be done (0x2200).
    Invalid,
    /// Refused because of a setting (0x2300).
    Configuration,
    /// What is to be made exists (0x2400).
    AlreadyExists,
}

impl RefusalKind {
    /// The error code of the native protocol.
    #[must_use]
    pub fn code(self) -> u16 {
        match self {
            Self::Server => 0x0000,
            Self::FunctionFailure => 0x1400,
            Self::WriteFailure => 0x1500,
            Self::Syntax => 0x2000,
            Self::Unauthorized => 0x2100,
            Self::Invalid => 0x2200,
            Self::Configuration => 0x2300,
            Self::AlreadyExists => 0x2400,
        }
    }
}

/// Why a statement is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The class of the error.
    pub kind: RefusalKind,
    /// What is wrong, in words for people.
    pub message: String,
}

impl Refusal {
    /// A refusal of this class.
    #[must_use]
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// Well-formed, but it cannot be done.
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(RefusalKind::Invalid, message)
    }

    /// Refused because of a setting.
    #[must_use]
    pub fn configuration(message: impl Into<String>) -> Self {
        Self::new(RefusalKind::Configuration, message)
    }

    /// What Cassandra answers with a server error.
    #[must_use]
    pub fn server(message: impl Into<String>) -> Self {
        Self::new(RefusalKind::Server, message)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}
