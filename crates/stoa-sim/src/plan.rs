//! From CQL text to what a replica can do: tables, and statements compiled once.
//!
//! Reading order: `table` has columns, `term` values, `place` reads a WHERE, `select` answers,
//! `write` makes mutations, `condition` reads an IF and `refusal` answers one that does not hold.

pub(crate) mod compile;
pub(crate) mod condition;
pub(crate) mod elements;
pub(crate) mod place;
pub(crate) mod refusal;
pub(crate) mod select;
pub(crate) mod table;
pub(crate) mod term;
pub(crate) mod view;
pub(crate) mod write;

use stoa_session::{Error, ErrorKind};

/// A refusal of what cannot be executed, whoever asks.
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::not_applied(ErrorKind::Invalid, message)
}

/// A refusal of what the simulation does not know.
pub(crate) fn unsupported(what: impl std::fmt::Display) -> Error {
    invalid(format!("the simulation does not support {what}"))
}
