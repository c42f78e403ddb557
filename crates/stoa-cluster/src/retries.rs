//! When the driver may try a statement again by itself, and when it may ask two nodes at once.
//!
//! | error | not idempotent | idempotent |
//! |---|---|---|
//! | the attempt was not sent | next node | next node |
//! | too few replicas, overloaded, starting | next node, if that proves it was not applied | next node |
//! | timeout, failure, broken connection | never | next node |
//! | anything else | never | never |
//!
//! Conditional writes and counters are never idempotent here, whatever their author says, and a
//! read is, unless it is serial: see [`Nature`].
//!
//! Invariants:
//! 1. A statement that is not idempotent is tried again only after an error that proves that the
//!    attempt had no effect.
//! 2. There are at most [`MOST`] further attempts, on [`COPIES`] further nodes at once.

use std::sync::Arc;
use std::time::Duration;

use scylla::errors::{DbError, RequestAttemptError};
use scylla::policies::retry::{RequestInfo, RetryDecision, RetryPolicy, RetrySession};
use scylla::policies::speculative_execution::{
    SimpleSpeculativeExecutionPolicy, SpeculativeExecutionPolicy,
};
use stoa_session::Outcome;

use crate::attempts::effect;
use crate::nature::Nature;

/// How often a statement is tried again, in one place.
const MOST: usize = 2;

/// On how many further nodes an idempotent statement is tried at once when the first are slow.
const COPIES: usize = 2;

/// How slow that is.
const SLOW: Duration = Duration::from_millis(100);

/// Asks further nodes when an answer to an idempotent statement is slow to come. The driver looks
/// at idempotence itself.
pub(crate) fn copies() -> Arc<dyn SpeculativeExecutionPolicy> {
    Arc::new(SimpleSpeculativeExecutionPolicy {
        max_retry_count: COPIES,
        retry_interval: SLOW,
    })
}

/// The driver's question whether to try again, answered by [`decide`].
#[derive(Debug)]
pub(crate) struct Retries {
    /// The nature of the statements, as far as it matters.
    pub(crate) nature: Nature,
}

impl RetryPolicy for Retries {
    fn new_session(&self) -> Box<dyn RetrySession> {
        Box::new(Count {
            nature: self.nature,
            made: 0,
        })
    }
}

struct Count {
    nature: Nature,
    made: usize,
}

impl RetrySession for Count {
    fn decide_should_retry(&mut self, request: RequestInfo) -> RetryDecision {
        let may = self.made < MOST && decide(request.error, request.is_idempotent, self.nature);
        self.made += 1;
        if may {
            RetryDecision::RetryNextTarget(None)
        } else {
            RetryDecision::DontRetry
        }
    }

    fn reset(&mut self) {
        self.made = 0;
    }
}

/// Whether another node may be asked after this.
fn decide(error: &RequestAttemptError, is_idempotent: bool, nature: Nature) -> bool {
    may_help(error) && (is_idempotent || effect(error, nature) == Outcome::NotApplied)
}

/// Whether another node may answer what this one did not.
fn may_help(error: &RequestAttemptError) -> bool {
    match error {
        RequestAttemptError::UnableToAllocStreamId
        | RequestAttemptError::BrokenConnectionError(_) => true,
        RequestAttemptError::DbError(error, _) => matches!(
            error,
            DbError::Unavailable { .. }
                | DbError::Overloaded
                | DbError::IsBootstrapping
                | DbError::ReadTimeout { .. }
                | DbError::WriteTimeout { .. }
                | DbError::ReadFailure { .. }
                | DbError::WriteFailure { .. }
                | DbError::ServerError
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use scylla::errors::WriteType;
    use scylla::statement::Consistency;

    use super::*;

    fn by_server(error: DbError) -> RequestAttemptError {
        RequestAttemptError::DbError(error, String::new())
    }

    fn unavailable() -> RequestAttemptError {
        by_server(DbError::Unavailable {
            consistency: Consistency::Quorum,
            required: 2,
            alive: 1,
        })
    }

    fn timeout() -> RequestAttemptError {
        by_server(DbError::WriteTimeout {
            consistency: Consistency::Quorum,
            received: 1,
            required: 2,
            write_type: WriteType::Simple,
        })
    }

    #[test]
    fn what_may_have_happened_is_repeated_only_if_idempotent() {
        for error in [timeout(), by_server(DbError::ServerError)] {
            assert!(!decide(&error, false, Nature::default()), "{error}");
            assert!(decide(&error, true, Nature::default()), "{error}");
        }
    }

    #[test]
    fn what_surely_did_not_happen_is_repeated() {
        let unsent = RequestAttemptError::UnableToAllocStreamId;
        for error in [unsent, unavailable(), by_server(DbError::Overloaded)] {
            assert!(decide(&error, false, Nature::default()), "{error}");
        }
    }

    #[test]
    fn conditional_and_partial_writes_are_not_repeated_by_their_refusals() {
        for nature in [
            Nature::of_text("UPDATE t SET a = 1 WHERE k = 1 IF a = 2"),
            Nature::of_text("DELETE FROM t WHERE k IN (1, 2)"),
        ] {
            assert!(!decide(&unavailable(), false, nature));
            assert!(!decide(&timeout(), false, nature));
        }
    }

    #[test]
    fn what_every_node_would_say_is_not_asked_twice() {
        for error in [DbError::SyntaxError, DbError::Invalid, DbError::ConfigError] {
            assert!(!decide(&by_server(error), true, Nature::default()));
        }
    }
}
