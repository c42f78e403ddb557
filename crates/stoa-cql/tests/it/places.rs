//! Statements that the scripts do not have, and what Cassandra's parser says of them.
//!
//! Each line of `places.txt` begins with what the parser of Cassandra 5.0.8 did with the statement
//! behind it: `parsed` it, `refused` it by a rule, or stopped at a line and column.

use stoa_cql::{SyntaxErrorKind, parse_statement};

const PLACES: &str = include_str!("places.txt");

/// What was said, and of what.
fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    PLACES.lines().filter_map(|line| line.split_once(' '))
}

/// The statements that Cassandra parses.
pub(crate) fn accepted() -> impl Iterator<Item = &'static str> {
    all()
        .filter(|(said, _)| *said == "parsed")
        .map(|(_, statement)| statement)
}

#[test]
fn cassandra_and_we_stop_at_the_same_place() {
    let mut different = Vec::new();
    for (theirs, statement) in all() {
        let result = parse_statement(statement);
        let ours = match &result {
            Ok(_) => "parsed".to_owned(),
            Err(error) => match error.kind {
                SyntaxErrorKind::Refused => "refused".to_owned(),
                SyntaxErrorKind::EndOfText => "0:-1".to_owned(),
                SyntaxErrorKind::Unexpected => format!("{}:{}", error.line, error.column),
            },
        };
        if ours != theirs {
            different.push(format!("{statement}\n    {theirs}, but here {ours}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
