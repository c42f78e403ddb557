//! Why an execution fails: the statement is refused, the store could not do it, or it took too long.

use std::time::Duration;

use stoa_session::{Error, ErrorKind};
use stoa_store::{Outcome, StoreError};

use crate::refusal::{Refusal, RefusalKind};

/// Why an execution fails.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Failure {
    /// The statement is refused; nothing was written.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The store could not do it.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// It reads more rows than it may where it was begun; no caller sees this.
    #[error("too much to be read at once")]
    TooMuch,
    /// Its deadline passed.
    #[error("no answer within {longest:?}")]
    Late {
        /// How long it might have taken.
        longest: Duration,
        /// What is known of its effect.
        outcome: Outcome,
    },
}

/// The error code of the native protocol for what is nobody's fault but the server's.
const SERVER_ERROR: u16 = 0x0000;

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(refusal) => {
                let kind = match refusal.kind {
                    RefusalKind::Server | RefusalKind::FunctionFailure => ErrorKind::Server,
                    RefusalKind::Syntax => ErrorKind::Syntax,
                    RefusalKind::Unauthorized => ErrorKind::Unauthorized,
                    RefusalKind::Invalid | RefusalKind::WriteFailure => ErrorKind::Invalid,
                    RefusalKind::Configuration => ErrorKind::Configuration,
                    RefusalKind::AlreadyExists => ErrorKind::AlreadyExists,
                };
                Self::not_applied(kind, refusal.message).with_code(refusal.kind.code())
            }
            Failure::Store(error @ StoreError::KeyTooLong { .. }) => {
                Failure::Refused(Refusal::invalid(error.to_string())).into()
            }
            Failure::Store(error) => {
                let kind = match error {
                    StoreError::Closed => ErrorKind::Closed,
                    _ => ErrorKind::Storage,
                };
                with_outcome(kind, error.to_string(), error.outcome()).with_code(SERVER_ERROR)
            }
            Failure::TooMuch => {
                Self::not_applied(ErrorKind::Server, failure.to_string()).with_code(SERVER_ERROR)
            }
            Failure::Late { outcome, .. } => {
                with_outcome(ErrorKind::Deadline, failure.to_string(), outcome)
            }
        }
    }
}

fn with_outcome(kind: ErrorKind, message: String, outcome: Outcome) -> Error {
    match outcome {
        Outcome::NotApplied => Error::not_applied(kind, message),
        Outcome::Unknown => Error::unknown(kind, message),
    }
}
