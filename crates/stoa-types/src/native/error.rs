//! What is wrong with the bytes of a value, and where.

use std::fmt;

use crate::duration::DurationError;
use crate::frames::FrameError;

/// Why bytes are not a value of their type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// The way from the whole value to the part that is wrong; empty if it is the whole.
    pub path: Vec<Step>,
    /// What is wrong with that part.
    pub kind: DecodeErrorKind,
}

/// One step from a composite value to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// To an element of a list, a set or a vector.
    Element(usize),
    /// To the key of an entry of a map.
    Key(usize),
    /// To the value of an entry of a map.
    Value(usize),
    /// To a field of a tuple or a user-defined type.
    Field(usize),
}

/// What is wrong with bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeErrorKind {
    /// The type has values of other lengths only.
    #[error("expected {expected} for {data_type}, got {actual}")]
    WrongLength {
        /// The type in CQL.
        data_type: String,
        /// The lengths it allows.
        expected: &'static str,
        /// The length found.
        actual: usize,
    },
    /// Text is not UTF-8.
    #[error("invalid UTF-8 at byte {offset}")]
    NotUtf8 {
        /// Where the first wrong byte is.
        offset: usize,
    },
    /// Text is not US-ASCII.
    #[error("invalid US-ASCII at byte {offset}")]
    NotAscii {
        /// Where the first wrong byte is.
        offset: usize,
    },
    /// A `timeuuid` has another version than 1.
    #[error("invalid version for timeuuid: {0}")]
    NotATimeUuid(usize),
    /// A variable-length integer is cut short.
    #[error("variable-length integer is cut short")]
    BadVint,
    /// The months or days of a duration do not fit 32 bits.
    #[error("the duration {0} must be a 32-bit integer")]
    DurationPart(&'static str),
    /// The parts of a duration do not fit together.
    #[error(transparent)]
    Duration(#[from] DurationError),
    /// A composite value is framed wrongly.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

impl DecodeError {
    /// The same error, seen from the value around.
    pub(crate) fn inside(mut self, step: Step) -> Self {
        self.path.insert(0, step);
        self
    }
}

impl<T: Into<DecodeErrorKind>> From<T> for DecodeError {
    fn from(kind: T) -> Self {
        Self {
            path: Vec::new(),
            kind: kind.into(),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Element(index) => write!(f, "element {index}"),
            Self::Key(index) => write!(f, "key {index}"),
            Self::Value(index) => write!(f, "value {index}"),
            Self::Field(index) => write!(f, "field {index}"),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.path {
            write!(f, "{step}: ")?;
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.kind.source()
    }
}
