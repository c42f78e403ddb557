//! What became of the attempts at one statement: whether any of them may have had an effect.
//!
//! The driver may try a statement on several nodes, one after another or at once, and reports only
//! the last error. That error may prove that its own attempt did nothing, while an earlier one is
//! still on its way. So each execution has a listener that notes which node each attempt asked, and
//! whether its effect is ruled out.
//!
//! Invariants:
//! 1. The outcome is [`Outcome::NotApplied`] only if every attempt that was begun has ended with an
//!    error that proves it had no effect.

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use scylla::errors::{DbError, OperationType, RequestAttemptError, RequestError};
use scylla::observability::history::{AttemptId, HistoryListener, RequestId, SpeculativeId};
use scylla::policies::retry::RetryDecision;
use stoa_session::Outcome;

use crate::nature::Nature;

/// The attempts at one statement.
#[derive(Debug)]
pub(crate) struct Attempts {
    nature: Nature,
    /// Those that were begun, in their order.
    begun: Mutex<Vec<Attempt>>,
}

/// One attempt.
#[derive(Debug)]
struct Attempt {
    node: SocketAddr,
    /// Whether it is proved to be without effect.
    is_ruled_out: bool,
}

impl Attempts {
    /// No attempt yet at a statement of this nature.
    pub(crate) fn at(nature: Nature) -> Self {
        Self {
            nature,
            begun: Mutex::new(Vec::new()),
        }
    }

    /// What is known about the statement's effect, unless it was answered.
    pub(crate) fn outcome(&self) -> Outcome {
        match self.nodes().is_empty() {
            true => Outcome::NotApplied,
            false => Outcome::Unknown,
        }
    }

    /// The nodes that may have executed the statement, or may yet, unless it was answered.
    pub(crate) fn nodes(&self) -> Vec<SocketAddr> {
        if self.nature.is_read {
            return Vec::new();
        }
        let begun = self.begun();
        let open = begun.iter().filter(|attempt| !attempt.is_ruled_out);
        open.map(|attempt| attempt.node).collect()
    }

    fn begun(&self) -> MutexGuard<'_, Vec<Attempt>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
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
        node: SocketAddr,
    ) -> AttemptId {
        let mut begun = self.begun();
        begun.push(Attempt {
            node,
            is_ruled_out: false,
        });
        AttemptId(begun.len() - 1)
    }

    fn log_attempt_success(&self, _: AttemptId) {}

    fn log_attempt_error(&self, id: AttemptId, error: &RequestAttemptError, _: &RetryDecision) {
        if effect(error, self.nature) == Outcome::NotApplied
            && let Some(attempt) = self.begun().get_mut(id.0)
        {
            attempt.is_ruled_out = true;
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

    fn node(number: u8) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, number], 9042))
    }

    fn begin(attempts: &Attempts, number: u8) -> AttemptId {
        attempts.log_attempt_start(RequestId(0), None, node(number))
    }

    fn fail(attempts: &Attempts, id: AttemptId, error: &RequestAttemptError) {
        attempts.log_attempt_error(id, error, &RetryDecision::DontRetry);
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
        let first = begin(&attempts, 1);
        assert_eq!(attempts.outcome(), Outcome::Unknown);
        fail(&attempts, first, &write_timeout(WriteType::Simple));
        let second = begin(&attempts, 2);
        assert_eq!(attempts.nodes(), [node(1), node(2)]);
        fail(&attempts, second, &unavailable());
        assert_eq!(attempts.outcome(), Outcome::Unknown);
        assert_eq!(attempts.nodes(), [node(1)]);
    }

    #[test]
    fn refusals_of_every_attempt_are_a_proof() {
        let attempts = Attempts::at(WRITE);
        for number in 1..=2 {
            let id = begin(&attempts, number);
            fail(&attempts, id, &unavailable());
        }
        assert_eq!(attempts.outcome(), Outcome::NotApplied);
        assert!(attempts.nodes().is_empty());
    }

    #[test]
    fn a_read_has_no_effect() {
        let attempts = Attempts::at(Nature {
            is_read: true,
            ..WRITE
        });
        begin(&attempts, 1);
        assert_eq!(attempts.outcome(), Outcome::NotApplied);
    }
}
