//! From an error of the session to an ERROR of the protocol, with what belongs to its code. Pure.

use std::borrow::Cow;

use stoa_session::{Error, ErrorKind, Outcome};
use stoa_wire::response::error::{Answers, Failures};
use stoa_wire::response::{ErrorDetail, ErrorResponse};
use stoa_wire::types::{Consistency, WriteType};

/// The longest message that is sent.
const LONGEST_MESSAGE: usize = 8 << 10;

/// Nobody answered, of the one who could.
const NO_ANSWER: Answers = Answers {
    consistency: Consistency::One,
    received: 0,
    required: 1,
};

/// An error as the protocol tells it.
pub(crate) fn response(error: &Error) -> ErrorResponse<'static> {
    let detail = match error.code() {
        Some(code) => of_code(code, error.message()),
        None => of_kind(error),
    };
    told(error.message().to_owned(), detail)
}

/// An error with a message that is not too long to be told.
pub(crate) fn told(mut message: String, detail: ErrorDetail<'static>) -> ErrorResponse<'static> {
    if message.len() > LONGEST_MESSAGE {
        let end = (0..=LONGEST_MESSAGE).rev();
        let end = end.into_iter().find(|end| message.is_char_boundary(*end));
        message.truncate(end.unwrap_or(0));
    }
    ErrorResponse {
        message: Cow::Owned(message),
        detail,
    }
}

fn of_code(code: u16, message: &str) -> ErrorDetail<'static> {
    match code {
        0x1001 => ErrorDetail::Overloaded,
        0x1400 => ErrorDetail::FunctionFailure {
            keyspace: "system".into(),
            function: "".into(),
            argument_types: Vec::new(),
        },
        0x1500 => ErrorDetail::WriteFailure {
            answers: NO_ANSWER,
            failures: Failures::Count(1),
            write_type: WriteType::Simple,
        },
        0x2000 => ErrorDetail::Syntax,
        0x2100 => ErrorDetail::Unauthorized,
        0x2200 => ErrorDetail::Invalid,
        0x2300 => ErrorDetail::Configuration,
        0x2400 => already_exists(message),
        _ => ErrorDetail::Server,
    }
}

/// Of which kind an error is that the engine has no code for.
fn of_kind(error: &Error) -> ErrorDetail<'static> {
    match (error.kind(), error.outcome()) {
        (ErrorKind::Value | ErrorKind::Invalid, _) => ErrorDetail::Invalid,
        (ErrorKind::Unavailable, _) => ErrorDetail::Overloaded,
        (ErrorKind::Deadline | ErrorKind::Timeout, Outcome::NotApplied) => {
            ErrorDetail::ReadTimeout {
                answers: NO_ANSWER,
                has_data: false,
            }
        }
        (ErrorKind::Deadline | ErrorKind::Timeout, Outcome::Unknown) => ErrorDetail::WriteTimeout {
            answers: NO_ANSWER,
            write_type: WriteType::Simple,
            contentions: None,
        },
        _ => ErrorDetail::Server,
    }
}

/// What exists, which the message has between quotes: a table and its keyspace, or a keyspace.
fn already_exists(message: &str) -> ErrorDetail<'static> {
    let mut quoted = message.split('"').skip(1).step_by(2).map(str::to_owned);
    let (keyspace, table) = match (quoted.next(), quoted.next()) {
        (Some(table), Some(keyspace)) => (keyspace, table),
        (Some(keyspace), None) => (keyspace, String::new()),
        _ => (String::new(), String::new()),
    };
    ErrorDetail::AlreadyExists {
        keyspace: keyspace.into(),
        table: table.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_exists_is_told_by_name() {
        let table = "Cannot add already existing table \"t\" to keyspace \"k\"";
        let error = Error::not_applied(ErrorKind::AlreadyExists, table).with_code(0x2400);
        let ErrorDetail::AlreadyExists { keyspace, table } = response(&error).detail else {
            panic!("another kind");
        };
        assert_eq!((&*keyspace, &*table), ("k", "t"));
        let keyspace = "Cannot add existing keyspace \"k\"";
        let error = Error::not_applied(ErrorKind::AlreadyExists, keyspace).with_code(0x2400);
        let ErrorDetail::AlreadyExists { keyspace, table } = response(&error).detail else {
            panic!("another kind");
        };
        assert_eq!((&*keyspace, &*table), ("k", ""));
    }

    #[test]
    fn a_long_message_is_cut_between_letters() {
        let long = told("ä".repeat(LONGEST_MESSAGE), ErrorDetail::Server);
        assert!(long.message.len() <= LONGEST_MESSAGE);
        assert!(long.message.ends_with('ä'));
    }
}
