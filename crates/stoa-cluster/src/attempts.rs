//! What became of the attempts at one statement: whether any of them may have had an effect.
//!
//! The driver may try a statement on several nodes, one after another or at once, and reports only
//! the last error. That error may prove that its own attempt did nothing, while an earlier one is
//! still on its way. So each execution has a listener that counts the attempts whose effect is not
//! ruled out.
//!
//! Invariants:
//! 1. The outcome is [`Outcome::NotApplied`] only if every attempt that was begun has ended with an
//!    error that proves it had no effect.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use scylla::errors::{DbError, OperationType, RequestAttemptError, RequestError};
use scylla::observability::history::{AttemptId, HistoryListener, RequestId, SpeculativeId};
use scylla::policies::retry::RetryDecision;
use stoa_session::Outcome;

use crate::nature::Nature;

/// The attempts at one statement.
#[derive(Debug)]
pub(crate) struct Attempts {
    nature: Nature,
    /// Attempts that were begun and not proved to be without effect.
    open: AtomicUsize,
}

impl Attempts {
    /// No attempt yet at a statement of this nature.
    pub(crate) fn at(nature: Nature) -> Self {
        Self {
            nature,
            open: AtomicUsize::new(0),
        }
    }

    /// What is known about the statement's effect, unless it was answered.
    pub(crate) fn outcome(&self) -> Outcome {
        if self.nature.is_read || self.open.load(Ordering::SeqCst) == 0 {
            Outcome::NotApplied
        } else {
            Outcome::Unknown
        }
    }
}

impl HistoryListener for Attempts {
    fn log_request_start(&self) -> RequestId {
        RequestId(0)
    }

    fn log_request_success(&self, _: RequestId) {}

    fn log_request_error(&self, _: RequestId, _: &RequestError) {}

    fn log_new_speculative_fiber(&self, _: RequestId) -> SpeculativeId {
        SpeculativeId(0)
    }

    fn log_attempt_start(
        &self,
        _: RequestId,
        _: Option<SpeculativeId>,
        _: SocketAddr,
    ) -> AttemptId {
        self.open.fetch_add(1, Ordering::SeqCst);
        AttemptId(0)
    }

    fn log_attempt_success(&self, _: AttemptId) {}

    fn log_attempt_error(&self, _: AttemptId, error: &RequestAttemptError, _: &RetryDecision) {
        if effect(error, self.nature) == Outcome::NotApplied {
            self.open.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// What an error proves about the effect of the attempt that ended with it.
pub(crate) fn effect(error: &RequestAttemptError, nature: Nature) -> Outcome {
    match error {
        // Nothing was sent, or the node did not know the statement that it was to execute.
        RequestAttemptError::SerializationError(_)
        | RequestAttemptError::CqlRequestSerialization(_)
        | RequestAttemptError::UnableToAllocStreamId
        | RequestAttemptError::RepreparedIdChanged { .. }
        | RequestAttemptError::RepreparedIdMissingInBatch => Outcome::NotApplied,
        RequestAttemptError::DbError(error, _) => effect_of_refusal(error, nature),
        // The connection broke, or the answer cannot be read: it may have been executed.
        _ => Outcome::Unknown,
    }
}

fn effect_of_refusal(error: &DbError, nature: Nature) -> Outcome {
    match error {
        // Thrown before anything is written.
        DbError::SyntaxError
        | DbError::Invalid
        | DbError::AlreadyExists { .. }
        | DbError::AuthenticationError
        | DbError::Unauthorized
        | DbError::ConfigError
        | DbError::Unprepared { .. }
        | DbError::ProtocolError => Outcome::NotApplied,
        // Also thrown before anything is written, but once for each partition and, with an IF,
        // once for each round: StorageProxy.mutate has sent the first mutations when it finds too
        // few replicas for the next; commitPaxos looks for replicas after the proposal was taken.
        DbError::Unavailable { .. }
        | DbError::Overloaded
        | DbError::IsBootstrapping
        | DbError::FunctionFailure { .. }
        | DbError::RateLimitReached {
            op_type: OperationType::Write,
            rejected_by_coordinator: true,
            ..
        } if !nature.is_conditional && !nature.is_partial => Outcome::NotApplied,
        // Replicas were asked. A timeout of the batch log counts too: a copy of the log that was
        // written is replayed. A read that times out may be a round of a conditional write.
        _ => Outcome::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use scylla::errors::WriteType;
    use scylla::statement::Consistency;

    use super::*;

    const WRITE: Nature = Nature {
        is_read: false,
        is_conditional: false,
        is_partial: false,
        is_counter: false,
    };

    fn refusal(error: DbError) -> RequestAttemptError {
        RequestAttemptError::DbError(error, String::new())
    }

    fn unavailable() -> RequestAttemptError {
        refusal(DbError::Unavailable {
            consistency: Consistency::Quorum,
            required: 2,
            alive: 1,
        })
    }

    fn write_timeout(write_type: WriteType) -> RequestAttemptError {
        refusal(DbError::WriteTimeout {
            consistency: Consistency::Quorum,
            received: 1,
            required: 2,
            write_type,
        })
    }

    fn begin(attempts: &Attempts) {
        let address = SocketAddr::from(([127, 0, 0, 1], 9042));
        attempts.log_attempt_start(RequestId(0), None, address);
    }

    fn fail(attempts: &Attempts, error: &RequestAttemptError) {
        attempts.log_attempt_error(AttemptId(0), error, &RetryDecision::DontRetry);
    }

    #[test]
    fn refusals_prove_that_nothing_was_applied() {
        for error in [
            DbError::SyntaxError,
            DbError::Invalid,
            DbError::Unauthorized,
            DbError::ConfigError,
            DbError::Overloaded,
            DbError::IsBootstrapping,
        ] {
            assert_eq!(effect(&refusal(error), WRITE), Outcome::NotApplied);
        }
        assert_eq!(effect(&unavailable(), WRITE), Outcome::NotApplied);
        let full = RequestAttemptError::UnableToAllocStreamId;
        assert_eq!(effect(&full, WRITE), Outcome::NotApplied);
    }

    #[test]
    fn what_replicas_were_asked_for_is_unknown() {
        for write_type in [
            WriteType::Simple,
            WriteType::Batch,
            WriteType::UnloggedBatch,
            WriteType::Counter,
            WriteType::BatchLog,
            WriteType::Cas,
            WriteType::View,
        ] {
            let error = write_timeout(write_type);
            assert_eq!(effect(&error, WRITE), Outcome::Unknown, "{error}");
        }
        for error in [
            DbError::ServerError,
            DbError::TruncateError,
            DbError::Other(0x1700),
            DbError::ReadTimeout {
                consistency: Consistency::Serial,
                received: 1,
                required: 2,
                data_present: false,
            },
            DbError::WriteFailure {
                consistency: Consistency::Quorum,
                received: 1,
                required: 2,
                numfailures: 1,
                write_type: WriteType::Simple,
            },
        ] {
            assert_eq!(effect(&refusal(error), WRITE), Outcome::Unknown);
        }
    }

    #[test]
    fn too_few_replicas_prove_nothing_where_there_are_several_rounds_or_partitions() {
        for nature in [
            Nature {
                is_conditional: true,
                ..WRITE
            },
            Nature {
                is_partial: true,
                ..WRITE
            },
        ] {
            assert_eq!(effect(&unavailable(), nature), Outcome::Unknown);
            let invalid = refusal(DbError::Invalid);
            assert_eq!(effect(&invalid, nature), Outcome::NotApplied);
        }
    }

    #[test]
    fn a_statement_that_was_never_sent_is_not_applied() {
        assert_eq!(Attempts::at(WRITE).outcome(), Outcome::NotApplied);
    }

    #[test]
    fn the_last_refusal_does_not_excuse_an_earlier_attempt() {
        let attempts = Attempts::at(WRITE);
        begin(&attempts);
        assert_eq!(attempts.outcome(), Outcome::Unknown);
        fail(&attempts, &write_timeout(WriteType::Simple));
        begin(&attempts);
        fail(&attempts, &unavailable());
        assert_eq!(attempts.outcome(), Outcome::Unknown);
    }

    #[test]
    fn refusals_of_every_attempt_are_a_proof() {
        let attempts = Attempts::at(WRITE);
        for _ in 0..2 {
            begin(&attempts);
            fail(&attempts, &unavailable());
        }
        assert_eq!(attempts.outcome(), Outcome::NotApplied);
    }

    #[test]
    fn a_read_has_no_effect() {
        let attempts = Attempts::at(Nature {
            is_read: true,
            ..WRITE
        });
        begin(&attempts);
        assert_eq!(attempts.outcome(), Outcome::NotApplied);
    }
}
