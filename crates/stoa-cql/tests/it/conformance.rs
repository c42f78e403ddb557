//! What Cassandra accepted parses; what it refused as a text does not.

use stoa_cql::{SyntaxErrorKind, parse_statement};

use crate::scripts;

/// Refusals with the code of a syntax error that are not about syntax: Cassandra looks at names
/// and values of properties when it carries a statement out (`PropertyDefinitions.java`).
const DECIDED_LATER: [&str; 5] = [
    "Unknown property ",
    "Invalid value for property ",
    "Invalid boolean value ",
    "Invalid double value ",
    "Invalid integer value ",
];

/// Cassandra's parser failed in another way than by refusing, so it tells no place.
const FAILED: &str = "Failed parsing statement: ";

#[test]
fn what_cassandra_accepts_is_parsed() {
    let mut wrong = Vec::new();
    for recorded in scripts::accepted() {
        if let Err(error) = parse_statement(&recorded.text) {
            wrong.push(format!(
                "{}: {}\n    {error}",
                recorded.place, recorded.text
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} refused:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_cassandra_refuses_is_refused() {
    let mut wrong = Vec::new();
    for recorded in scripts::all() {
        let Some((code, words)) = &recorded.error else {
            continue;
        };
        let is_later = DECIDED_LATER.iter().any(|start| words.starts_with(start));
        if code == "0x2000" && !is_later && parse_statement(&recorded.text).is_ok() {
            wrong.push(format!(
                "{}: {}\n    {words}",
                recorded.place, recorded.text
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} accepted:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn refusals_are_at_the_same_place() {
    let (mut same, mut all, mut different) = (0, 0, Vec::new());
    for recorded in scripts::all() {
        let Some((code, words)) = &recorded.error else {
            continue;
        };
        if code != "0x2000" || recorded.has_keyspace || words.starts_with(FAILED) {
            continue;
        }
        let Err(error) = parse_statement(&recorded.text) else {
            continue;
        };
        let theirs = words
            .strip_prefix("line ")
            .and_then(|words| words.split(' ').next());
        let ours = match error.kind {
            SyntaxErrorKind::Unexpected => Some(format!("{}:{}", error.line, error.column)),
            SyntaxErrorKind::EndOfText => Some("0:-1".to_owned()),
            SyntaxErrorKind::Refused => None,
        };
        all += 1;
        if ours.as_deref() == theirs {
            same += 1;
        } else {
            different.push(format!(
                "{}: {}\n    {words}\n    {error}",
                recorded.place, recorded.text
            ));
        }
    }
    assert!(
        different.is_empty(),
        "{same} of {all} places are the same:\n{}",
        different.join("\n")
    );
}
