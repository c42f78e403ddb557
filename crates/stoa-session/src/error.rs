//! What can go wrong at the waist, and what a caller may do about it.
//!
//! A failed write may still appear later: a coordinator that did not hear from its replicas in
//! time does not know. So an error answers two questions besides what happened: is the outcome
//! known ([`Error::outcome`]), and would the same call again be safe and perhaps successful
//! ([`Error::is_retryable`]).
//!
//! Invariants:
//! 1. An error that says [`Outcome::NotApplied`] is told only by who knows.
//! 2. What is unknown is retryable only if the statement was declared idempotent.

use std::fmt;
use std::net::SocketAddr;

use crate::bind::BindError;
use crate::rows::RowError;

/// Why a statement was not answered.
#[derive(Debug, Clone)]
pub struct Error {
    /// Boxed, because answers are moved much more often than errors.
    inner: Box<Inner>,
}

#[derive(Debug, Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    outcome: Outcome,
    is_idempotent: bool,
    code: Option<u16>,
    nodes: Vec<SocketAddr>,
}

/// What sort of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not CQL.
    Syntax,
    /// The statement cannot be executed, whoever asks and however often.
    Invalid,
    /// A keyspace, table or type of that name exists.
    AlreadyExists,
    /// Options of a keyspace or table are wrong.
    Configuration,
    /// This user may not do that.
    Unauthorized,
    /// User name or password is wrong.
    Credentials,
    /// A value does not fit its variable, or a column its field.
    Value,
    /// Too few replicas are alive, or the node is overloaded or still starting.
    Unavailable,
    /// The coordinator waited for replicas in vain.
    Timeout,
    /// The statement's own deadline passed.
    Deadline,
    /// Replicas failed.
    Failure,
    /// Nobody answers, or the connection broke.
    Unreachable,
    /// The back end is not as it should be: a bug, or a protocol that differs.
    Server,
    /// Stored data is damaged, or storage does not work.
    Storage,
    /// The session was closed.
    Closed,
}

impl ErrorKind {
    /// Whether the same statement may succeed a little later.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Unavailable | Self::Timeout | Self::Deadline | Self::Failure | Self::Unreachable
        )
    }
}

/// What is known about the effect of a statement that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It has no effect and never will.
    NotApplied,
    /// It may have an effect, now or later. Only a read can tell.
    Unknown,
}

impl Error {
    /// An error about a statement that has no effect.
    #[must_use]
    pub fn not_applied(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(kind, message.into(), Outcome::NotApplied)
    }

    /// An error about a statement that may have an effect.
    #[must_use]
    pub fn unknown(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(kind, message.into(), Outcome::Unknown)
    }

    fn new(kind: ErrorKind, message: String, outcome: Outcome) -> Self {
        Self {
            inner: Box::new(Inner {
                kind,
                message,
                outcome,
                is_idempotent: false,
                code: None,
                nodes: Vec::new(),
            }),
        }
    }

    /// Adds the number that the native protocol has for it.
    #[must_use]
    pub fn with_code(mut self, code: u16) -> Self {
        self.inner.code = Some(code);
        self
    }

    /// Adds that the statement was declared idempotent.
    #[must_use]
    pub fn of_idempotent(mut self, is_idempotent: bool) -> Self {
        self.inner.is_idempotent = is_idempotent;
        self
    }

    /// Adds the nodes that may have executed it, or may yet.
    #[must_use]
    pub fn asked_of(mut self, nodes: Vec<SocketAddr>) -> Self {
        self.inner.nodes = nodes;
        self
    }

    /// What sort of thing went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// What went wrong, in words.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// Whether the statement surely has no effect.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.inner.outcome
    }

    /// Whether the same statement may be executed again and may then succeed.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        let is_safe = self.outcome() == Outcome::NotApplied || self.inner.is_idempotent;
        self.kind().is_transient() && is_safe
    }

    /// The number that the native protocol has for it, if a server sent one.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        self.inner.code
    }

    /// The nodes that were asked and may have executed it, or may yet, in the order in which they
    /// were asked. None where the outcome is known, or where the back end has no nodes.
    #[must_use]
    pub fn nodes(&self) -> &[SocketAddr] {
        &self.inner.nodes
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)?;
        match self.inner.outcome {
            Outcome::NotApplied => Ok(()),
            Outcome::Unknown => f.write_str(" (whether it was saved is unknown)"),
        }
    }
}

impl std::error::Error for Error {}

impl From<BindError> for Error {
    fn from(error: BindError) -> Self {
        Self::not_applied(ErrorKind::Value, error.to_string())
    }
}

impl From<RowError> for Error {
    /// The statement was executed; its answer is not what the program expected.
    fn from(error: RowError) -> Self {
        Self::unknown(ErrorKind::Value, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_outcome_is_retryable_only_if_idempotent() {
        let lost = Error::unknown(ErrorKind::Timeout, "2 of 3 answered");
        assert!(!lost.is_retryable());
        assert!(lost.of_idempotent(true).is_retryable());
    }

    #[test]
    fn what_was_not_applied_is_retryable_if_it_may_succeed_later() {
        assert!(Error::not_applied(ErrorKind::Unavailable, "").is_retryable());
        assert!(!Error::not_applied(ErrorKind::Invalid, "").is_retryable());
    }

    #[test]
    fn the_message_says_that_the_outcome_is_unknown() {
        let lost = Error::unknown(ErrorKind::Deadline, "no answer within 2 s");
        assert_eq!(
            lost.to_string(),
            "no answer within 2 s (whether it was saved is unknown)"
        );
    }
}
