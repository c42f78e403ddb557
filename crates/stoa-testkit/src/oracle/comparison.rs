//! Whether two answers to a statement are the same, and why not.

use stoa_session::{Error, ErrorKind};

use crate::conformance::expectation::Outcome;
use crate::conformance::judge::agree;
use crate::conformance::{Expectation, Step};

use super::exceptions;
use super::tables::Tables;

/// What became of a statement on one back end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// An answer, perhaps a refusal.
    Answer(Expectation),
    /// No answer that a server gave: a value that cannot be bound, pages that differ.
    Problem(String),
    /// Nothing in time: it is not known what became of it.
    Nothing(String),
}

/// What a runner told of a statement.
#[must_use]
pub fn given(told: Result<Expectation, Error>) -> Given {
    let answer = match told {
        Ok(answer) => answer,
        Err(error) => {
            let is_lost = matches!(
                error.kind(),
                ErrorKind::Deadline | ErrorKind::Unreachable | ErrorKind::Closed
            );
            return match is_lost {
                true => Given::Nothing(error.to_string()),
                false => Given::Problem(error.to_string()),
            };
        }
    };
    match &answer.outcome {
        Outcome::Error { code, message } if LATE.contains(code) => Given::Nothing(message.clone()),
        _ => Given::Answer(answer),
    }
}

/// Numbers of errors that tell of a busy server: unavailable, overloaded, timeouts.
const LATE: [u16; 4] = [0x1000, 0x1001, 0x1100, 0x1200];

/// How the answers to a statement compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// They are the same.
    Same,
    /// They differ, and the exception of this name says why they may.
    Excepted(&'static str),
    /// They differ.
    Different,
}

impl Comparison {
    /// Compares what the judge gave with what the other one did, for a statement about these
    /// tables.
    #[must_use]
    pub fn of(tables: &Tables, step: &Step, theirs: &Given, ours: &Given) -> Self {
        if !differ(step, theirs, ours) {
            return Self::Same;
        }
        match exceptions::find(tables, step, theirs, ours) {
            Some(exception) => Self::Excepted(exception.name),
            None => Self::Different,
        }
    }
}

/// Whether two answers differ, with or without a reason.
#[must_use]
pub fn differ(step: &Step, theirs: &Given, ours: &Given) -> bool {
    match (theirs, ours) {
        (Given::Answer(theirs), Given::Answer(ours)) => !agree(theirs, ours, &step.directives),
        (Given::Problem(_), Given::Problem(_)) => false,
        _ => true,
    }
}

impl Given {
    /// The lines that tell it.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        match self {
            Self::Answer(answer) => answer.lines(),
            Self::Problem(words) => vec![format!("? {words}")],
            Self::Nothing(words) => vec![format!("?? {words}")],
        }
    }

    /// Whether the statement was accepted.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        let Self::Answer(answer) = self else {
            return false;
        };
        !matches!(answer.outcome, Outcome::Error { .. })
    }

    /// How many rows it has, if it has any.
    #[must_use]
    pub fn rows(&self) -> Option<usize> {
        match self {
            Self::Answer(Expectation {
                outcome: Outcome::Rows { rows, .. },
                ..
            }) => Some(rows.len()),
            _ => None,
        }
    }

    /// The number of the error, if it is one.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        match self {
            Self::Answer(Expectation {
                outcome: Outcome::Error { code, .. },
                ..
            }) => Some(*code),
            _ => None,
        }
    }
}
