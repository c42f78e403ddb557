//! Why a message cannot be read, or written.
//!
//! Both are told to the peer in an ERROR of the code PROTOCOL_ERROR, whose text is what they print.

use std::fmt;

/// Why the body of a message cannot be read: what is wrong, of what, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// The part of the message, as the protocol's description names it.
    pub part: &'static str,
    /// Where the part begins, counted in bytes from the beginning of the body.
    pub offset: usize,
    /// What is wrong with it.
    pub kind: DecodeErrorKind,
}

/// What is wrong with a part of a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeErrorKind {
    /// The body ends before it.
    #[error("{needed} bytes are needed, but {left} are left")]
    Short {
        /// How many bytes it takes, at least.
        needed: u64,
        /// How many there are.
        left: usize,
    },
    /// A length below zero that means nothing.
    #[error("{0} is no length")]
    NegativeLength(i32),
    /// Text that is not UTF-8.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// A number that stands for nothing.
    #[error("{0} stands for nothing")]
    Unknown(i64),
    /// A word that means nothing there.
    #[error("the word {0:?} means nothing there")]
    UnknownWord(String),
    /// A number that has no meaning there.
    #[error("{0} is out of range")]
    OutOfRange(i64),
    /// A null, where there must be a value.
    #[error("it must not be null")]
    Null,
    /// Types nested in each other too often.
    #[error("types are nested more than {0} times")]
    TooDeep(usize),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, offset, kind } = self;
        write!(
            f,
            "malformed message: {part} at byte {offset} of the body: {kind}"
        )
    }
}

impl std::error::Error for DecodeError {}

/// Why a message cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// Something is longer than its length can tell.
    #[error("{part} of {length} is longer than the protocol can tell")]
    TooLong {
        /// The part of the message.
        part: &'static str,
        /// How long it is.
        length: usize,
    },
    /// The version of the protocol has no place for it.
    #[error("{0} cannot be told in version 4 of the protocol")]
    NotInVersion4(&'static str),
}
