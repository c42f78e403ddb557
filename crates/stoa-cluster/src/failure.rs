//! The driver's errors as errors of the waist.
//!
//! | error | kind | from |
//! |---|---|---|
//! | a refusal of the server | by its code, which is kept | [`of_server`] |
//! | no connection, no node to ask | `Unreachable` | [`of_pool`], [`of_connection`] |
//! | a broken connection | `Unreachable` | [`of_attempt`] |
//! | an answer that cannot be read | `Server` | [`of_attempt`] |
//!
//! What is known about the statement's effect is not told by the last error alone, so it is an
//! argument here: see [`Attempts`](crate::attempts::Attempts).

use std::io;
use std::time::Duration;

use scylla::errors::{
    BadQuery, ConnectionError, ConnectionPoolError, ConnectionSetupRequestErrorKind, DbError,
    ExecutionError, MetadataError, MetadataFetchErrorKind, NewSessionError, PrepareError,
    RequestAttemptError, UseKeyspaceError,
};
use stoa_session::{Error, ErrorKind, Outcome};

/// What went wrong, without what is known about the effect.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    kind: ErrorKind,
    code: Option<u16>,
    message: String,
}

impl Cause {
    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            code: None,
            message: message.into(),
        }
    }

    /// The error of a statement of which this much is known.
    pub(crate) fn with(self, outcome: Outcome) -> Error {
        let error = match outcome {
            Outcome::NotApplied => Error::not_applied(self.kind, self.message),
            Outcome::Unknown => Error::unknown(self.kind, self.message),
        };
        match self.code {
            Some(code) => error.with_code(code),
            None => error,
        }
    }

    /// What sort of thing went wrong.
    pub(crate) fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What went wrong, in words.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

/// No answer came in time.
pub(crate) fn past_deadline(limit: Duration) -> Cause {
    Cause::new(ErrorKind::Deadline, format!("no answer within {limit:?}"))
}

/// An answer came, but not one that can be read.
pub(crate) fn unreadable(problem: impl std::fmt::Display) -> Cause {
    Cause::new(
        ErrorKind::Server,
        format!("the answer cannot be read: {problem}"),
    )
}

/// Why a statement was not answered.
pub(crate) fn of_execution(error: &ExecutionError) -> Cause {
    match error {
        ExecutionError::BadQuery(problem) => of_bad_query(problem),
        ExecutionError::EmptyPlan => Cause::new(ErrorKind::Unreachable, "no node can be asked"),
        ExecutionError::PrepareError(error) => of_prepare(error),
        ExecutionError::ConnectionPoolError(error) => of_pool(error),
        ExecutionError::LastAttemptError(error) => of_attempt(error),
        ExecutionError::RequestTimeout(limit) => past_deadline(*limit),
        ExecutionError::UseKeyspaceError(error) => of_use(error),
        ExecutionError::SchemaAgreementError(problem) => Cause::new(
            ErrorKind::Timeout,
            format!("the nodes do not agree on the schema yet: {problem}"),
        ),
        ExecutionError::MetadataError(error) => of_metadata(error),
        other => Cause::new(ErrorKind::Server, other.to_string()),
    }
}

/// Why a statement was not prepared.
pub(crate) fn of_prepare(error: &PrepareError) -> Cause {
    match error {
        PrepareError::ConnectionPoolError(error) => of_pool(error),
        PrepareError::AllAttemptsFailed { first_attempt, .. } => of_attempt(first_attempt),
        other => Cause::new(ErrorKind::Server, other.to_string()),
    }
}

/// Why there is no session.
pub(crate) fn of_connecting(error: &NewSessionError) -> Cause {
    match error {
        NewSessionError::FailedToResolveAnyHostname(_) => {
            Cause::new(ErrorKind::Unreachable, "no such host")
        }
        NewSessionError::MetadataError(error) => of_metadata(error),
        NewSessionError::UseKeyspaceError(error) => of_use(error),
        other => Cause::new(ErrorKind::Server, other.to_string()),
    }
}

fn of_bad_query(problem: &BadQuery) -> Cause {
    match problem {
        BadQuery::SerializationError(problem) => Cause::new(ErrorKind::Value, problem.to_string()),
        // What a server says to the same.
        other => Cause {
            code: Some(0x2200),
            ..Cause::new(ErrorKind::Invalid, other.to_string())
        },
    }
}

fn of_use(error: &UseKeyspaceError) -> Cause {
    match error {
        UseKeyspaceError::BadKeyspaceName(problem) => Cause {
            code: Some(0x2200),
            ..Cause::new(ErrorKind::Invalid, problem.to_string())
        },
        UseKeyspaceError::RequestError(error) => of_attempt(error),
        UseKeyspaceError::RequestTimeout(limit) => past_deadline(*limit),
        other => Cause::new(ErrorKind::Server, other.to_string()),
    }
}

fn of_metadata(error: &MetadataError) -> Cause {
    match error {
        MetadataError::ConnectionPoolError(error) => of_pool(error),
        MetadataError::FetchError(problem) => match &problem.error {
            MetadataFetchErrorKind::PrepareError(error) => of_attempt(error),
            other => Cause::new(ErrorKind::Unreachable, other.to_string()),
        },
        other => Cause::new(ErrorKind::Server, other.to_string()),
    }
}

fn of_pool(error: &ConnectionPoolError) -> Cause {
    match error {
        ConnectionPoolError::Broken {
            last_connection_error,
            ..
        } => of_connection(last_connection_error),
        other => Cause::new(ErrorKind::Unreachable, other.to_string()),
    }
}

fn of_connection(error: &ConnectionError) -> Cause {
    match error {
        ConnectionError::ConnectTimeout => Cause::new(ErrorKind::Unreachable, "no answer in time"),
        // So the encryption library reports whatever it does not like about the other side.
        ConnectionError::IoError(problem) if problem.kind() == io::ErrorKind::InvalidData => {
            Cause::new(
                ErrorKind::Configuration,
                format!("a node was reached, but not trusted: {problem}"),
            )
        }
        ConnectionError::IoError(problem) => Cause::new(ErrorKind::Unreachable, of_io(problem)),
        ConnectionError::ConnectionSetupRequestError(problem) => match problem.get_error() {
            ConnectionSetupRequestErrorKind::DbError(error, message) => of_server(error, message),
            ConnectionSetupRequestErrorKind::MissingAuthentication => Cause::new(
                ErrorKind::Credentials,
                "the cluster asks for a user and a password: write cql://USER@HOST and add \
                 password-env=NAME or password-file=FILE",
            ),
            ConnectionSetupRequestErrorKind::BrokenConnection(_) => {
                Cause::new(ErrorKind::Unreachable, CLOSED_AT_ONCE)
            }
            other => Cause::new(ErrorKind::Unreachable, other.to_string()),
        },
        ConnectionError::UseKeyspaceError(error) => of_use(error),
        other => Cause::new(ErrorKind::Unreachable, other.to_string()),
    }
}

const CLOSED_AT_ONCE: &str =
    "the connection was closed at once; is it the right port, and does it want TLS?";

/// The reason alone: the operating system's number helps nobody.
fn of_io(problem: &io::Error) -> String {
    match problem.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        io::ErrorKind::HostUnreachable => "no route to host".to_owned(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => CLOSED_AT_ONCE.to_owned(),
        _ => problem.to_string(),
    }
}

fn of_attempt(error: &RequestAttemptError) -> Cause {
    match error {
        RequestAttemptError::SerializationError(problem) => {
            Cause::new(ErrorKind::Value, problem.to_string())
        }
        RequestAttemptError::CqlRequestSerialization(problem) => {
            Cause::new(ErrorKind::Value, problem.to_string())
        }
        RequestAttemptError::UnableToAllocStreamId => Cause::new(
            ErrorKind::Unavailable,
            "too many statements are under way on this connection",
        ),
        RequestAttemptError::BrokenConnectionError(_) => {
            Cause::new(ErrorKind::Unreachable, "the connection broke")
        }
        RequestAttemptError::DbError(error, message) => of_server(error, message),
        RequestAttemptError::RepreparedIdChanged { .. } => Cause::new(
            ErrorKind::Invalid,
            "the statement means something else by now: prepare it again",
        ),
        other => unreadable(other),
    }
}

/// A server's refusal: its own words, and the kind that belongs to its code.
fn of_server(error: &DbError, message: &str) -> Cause {
    let (kind, code) = match error {
        DbError::ServerError => (ErrorKind::Server, 0x0000),
        DbError::ProtocolError => (ErrorKind::Server, 0x000A),
        DbError::AuthenticationError => (ErrorKind::Credentials, 0x0100),
        DbError::Unavailable { .. } => (ErrorKind::Unavailable, 0x1000),
        DbError::Overloaded => (ErrorKind::Unavailable, 0x1001),
        DbError::IsBootstrapping => (ErrorKind::Unavailable, 0x1002),
        DbError::TruncateError => (ErrorKind::Failure, 0x1003),
        DbError::WriteTimeout { .. } => (ErrorKind::Timeout, 0x1100),
        DbError::ReadTimeout { .. } => (ErrorKind::Timeout, 0x1200),
        DbError::ReadFailure { .. } => (ErrorKind::Failure, 0x1300),
        // The function fails however often it is called.
        DbError::FunctionFailure { .. } => (ErrorKind::Invalid, 0x1400),
        DbError::WriteFailure { .. } => (ErrorKind::Failure, 0x1500),
        DbError::SyntaxError => (ErrorKind::Syntax, 0x2000),
        DbError::Unauthorized => (ErrorKind::Unauthorized, 0x2100),
        DbError::Invalid => (ErrorKind::Invalid, 0x2200),
        DbError::ConfigError => (ErrorKind::Configuration, 0x2300),
        DbError::AlreadyExists { .. } => (ErrorKind::AlreadyExists, 0x2400),
        DbError::Unprepared { .. } => (ErrorKind::Server, 0x2500),
        DbError::Other(code) => return of_other_code(*code, message),
        // Of another server than Cassandra; its number is agreed on for each connection.
        DbError::RateLimitReached { .. } => return Cause::new(ErrorKind::Unavailable, message),
        other => return Cause::new(ErrorKind::Server, other.to_string()),
    };
    Cause {
        kind,
        code: Some(code),
        message: match message {
            "" => error.to_string(),
            message => message.to_owned(),
        },
    }
}

/// Codes that the driver has no name for.
fn of_other_code(code: i32, message: &str) -> Cause {
    let kind = match code {
        // CDC_WRITE_FAILURE
        0x1600 => ErrorKind::Failure,
        // CAS_WRITE_UNKNOWN
        0x1700 => ErrorKind::Timeout,
        _ => ErrorKind::Server,
    };
    Cause {
        code: u16::try_from(code).ok(),
        ..Cause::new(kind, message)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use scylla::errors::WriteType;
    use scylla::statement::Consistency;

    use super::*;

    fn by_server(error: DbError, message: &str) -> Error {
        let error = RequestAttemptError::DbError(error, message.to_owned());
        of_execution(&ExecutionError::LastAttemptError(error)).with(Outcome::NotApplied)
    }

    fn check(table: impl IntoIterator<Item = (DbError, ErrorKind, u16)>) {
        for (error, kind, code) in table {
            let error = by_server(error, "its own words");
            assert_eq!((error.kind(), error.code()), (kind, Some(code)));
            assert_eq!(error.message(), "its own words");
        }
    }

    #[test]
    fn refusals_have_the_kind_of_their_code() {
        let (keyspace, table) = (String::new(), String::new());
        check([
            (DbError::ServerError, ErrorKind::Server, 0x0000),
            (DbError::ProtocolError, ErrorKind::Server, 0x000A),
            (DbError::AuthenticationError, ErrorKind::Credentials, 0x0100),
            (DbError::Overloaded, ErrorKind::Unavailable, 0x1001),
            (DbError::IsBootstrapping, ErrorKind::Unavailable, 0x1002),
            (DbError::TruncateError, ErrorKind::Failure, 0x1003),
            (DbError::Other(0x1600), ErrorKind::Failure, 0x1600),
            (DbError::Other(0x1700), ErrorKind::Timeout, 0x1700),
            (DbError::SyntaxError, ErrorKind::Syntax, 0x2000),
            (DbError::Unauthorized, ErrorKind::Unauthorized, 0x2100),
            (DbError::Invalid, ErrorKind::Invalid, 0x2200),
            (DbError::ConfigError, ErrorKind::Configuration, 0x2300),
            (
                DbError::AlreadyExists { keyspace, table },
                ErrorKind::AlreadyExists,
                0x2400,
            ),
        ]);
    }

    #[test]
    fn failures_of_replicas_have_the_kind_of_their_code() {
        let (consistency, received, required) = (Consistency::Quorum, 1, 2);
        let (write_type, numfailures, data_present) = (WriteType::Simple, 1, false);
        let alive = 1;
        let unavailable = DbError::Unavailable {
            consistency,
            required,
            alive,
        };
        let write_timeout = DbError::WriteTimeout {
            consistency,
            received,
            required,
            write_type: write_type.clone(),
        };
        let read_timeout = DbError::ReadTimeout {
            consistency,
            received,
            required,
            data_present,
        };
        let read_failure = DbError::ReadFailure {
            consistency,
            received,
            required,
            numfailures,
            data_present,
        };
        let write_failure = DbError::WriteFailure {
            consistency,
            received,
            required,
            numfailures,
            write_type,
        };
        check([
            (unavailable, ErrorKind::Unavailable, 0x1000),
            (write_timeout, ErrorKind::Timeout, 0x1100),
            (read_timeout, ErrorKind::Timeout, 0x1200),
            (read_failure, ErrorKind::Failure, 0x1300),
            (write_failure, ErrorKind::Failure, 0x1500),
        ]);
    }

    #[test]
    fn nobody_there_is_unreachable() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        let last_connection_error = ConnectionError::IoError(Arc::new(refused));
        let pool = ConnectionPoolError::Broken {
            last_connection_error,
        };
        let error = of_execution(&ExecutionError::ConnectionPoolError(pool));
        let expected = Cause::new(ErrorKind::Unreachable, "connection refused");
        assert_eq!(error, expected);
        let empty = of_execution(&ExecutionError::EmptyPlan).with(Outcome::NotApplied);
        assert_eq!(empty.kind(), ErrorKind::Unreachable);
        assert!(empty.is_retryable());
    }

    #[test]
    fn the_outcome_is_told_by_who_knows_it() {
        let late = past_deadline(Duration::from_secs(2));
        assert_eq!(late.message(), "no answer within 2s");
        assert_eq!(late.with(Outcome::Unknown).outcome(), Outcome::Unknown);
    }
}
