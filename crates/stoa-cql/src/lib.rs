//! The CQL language of Apache Cassandra 5.0: text to tree and back.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod ast;
mod error;
pub mod keyword;
mod lexer;
mod parser;
mod print;
mod split;

pub use error::{SyntaxError, SyntaxErrorKind};
pub use parser::{ParsedStatement, parse, parse_statement, parse_term, parse_type};
pub use split::{Split, split};
