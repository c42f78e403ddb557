//! Why the model does not answer with rows: Cassandra would refuse, or the model does not know.

use stoa_session::{Error, ErrorKind};

/// The code of an answer that the model does not know. No server sends it.
pub const NOT_MODELLED: u16 = 0xFFFF;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// Cassandra refuses the statement with this code.
    Refused(u16, String),
    /// The model does not know what Cassandra does.
    Unknown(String),
}

/// What a part of the model answers.
pub(super) type Known<T> = Result<T, Failure>;

const SYNTAX: u16 = 0x2000;
const INVALID: u16 = 0x2200;
const CONFIGURATION: u16 = 0x2300;
const ALREADY_EXISTS: u16 = 0x2400;

/// Cassandra refuses this as an invalid request.
pub(super) fn invalid<T>(words: impl Into<String>) -> Known<T> {
    Err(Failure::Refused(INVALID, words.into()))
}

/// Cassandra refuses this as no CQL.
pub(super) fn syntax<T>(words: impl Into<String>) -> Known<T> {
    Err(Failure::Refused(SYNTAX, words.into()))
}

/// Cassandra refuses options of a keyspace or table.
pub(super) fn configuration<T>(words: impl Into<String>) -> Known<T> {
    Err(Failure::Refused(CONFIGURATION, words.into()))
}

/// There is a keyspace, table or type of that name.
pub(super) fn exists<T>(words: impl Into<String>) -> Known<T> {
    Err(Failure::Refused(ALREADY_EXISTS, words.into()))
}

/// The model does not know.
pub(super) fn unknown<T>(words: impl Into<String>) -> Known<T> {
    Err(Failure::Unknown(words.into()))
}

impl Failure {
    /// Whether the model does not know.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let (code, words) = match failure {
            Failure::Refused(code, words) => (code, words),
            Failure::Unknown(words) => (NOT_MODELLED, format!("not modelled: {words}")),
        };
        let kind = match code {
            SYNTAX => ErrorKind::Syntax,
            CONFIGURATION => ErrorKind::Configuration,
            ALREADY_EXISTS => ErrorKind::AlreadyExists,
            NOT_MODELLED => ErrorKind::Server,
            _ => ErrorKind::Invalid,
        };
        Self::not_applied(kind, words).with_code(code)
    }
}
