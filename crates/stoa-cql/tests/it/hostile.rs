//! No text makes the parser panic, overflow the stack, or take long.

use proptest::collection::vec;
use proptest::prelude::*;
use stoa_cql::{parse, parse_statement, parse_term, parse_type, split};

use crate::scripts;

/// Everything that takes a text.
fn try_all(text: &str) {
    let parsed = parse(text);
    if let Err(error) = &parsed {
        assert!(
            text.get(error.range.clone()).is_some(),
            "{error:?} of {text:?}"
        );
        assert!(!error.to_string().is_empty());
    }
    let _ = parse_type(text);
    let _ = parse_term(text);
    let split = split(text);
    for range in split.statements.into_iter().chain(split.unfinished) {
        assert!(text.get(range).is_some_and(|part| !part.is_empty()));
    }
}

/// Pieces of texts that mean something to the lexer or the parser.
const PIECES: [&str; 48] = [
    "SELECT ",
    "FROM ",
    "WHERE ",
    "INSERT INTO t ",
    "VALUES ",
    "UPDATE t SET ",
    "BEGIN BATCH ",
    "APPLY BATCH",
    "CREATE TABLE t ",
    "PRIMARY KEY ",
    "WITH ",
    "AND ",
    "IF ",
    "json ",
    "distinct ",
    "token",
    "expr(",
    "frozen<",
    "map<",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ",",
    ".",
    "..",
    ";",
    ":",
    "?",
    "=",
    "+",
    "-",
    "--",
    "/*",
    "*/",
    "'",
    "\"",
    "$$",
    "1",
    "1e",
    "-1.5",
    "a",
    "é",
    "\0",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn any_text_is_parsed_or_refused(text in any::<String>()) {
        try_all(&text);
    }

    #[test]
    fn any_pieces_are_parsed_or_refused(pieces in vec(0..PIECES.len(), 0..40)) {
        let text: String = pieces.into_iter().map(|index| PIECES[index]).collect();
        try_all(&text);
    }

    #[test]
    fn any_bytes_are_parsed_or_refused(bytes in vec(0_u8..128, 0..60)) {
        try_all(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn scripts_with_a_change_are_parsed_or_refused() {
    // Every statement of every script, with a piece at a place that its length decides.
    for (index, recorded) in scripts::all().into_iter().enumerate() {
        let text = &recorded.text;
        let places = text.char_indices().map(|(place, _)| place);
        for place in places.skip(index % 40).step_by(40) {
            let piece = PIECES[(index + place) % PIECES.len()];
            let (before, after) = text.split_at(place);
            try_all(&format!("{before}{piece}{after}"));
            try_all(before);
            let mut rest = after.chars();
            rest.next();
            try_all(&format!("{before}{}", rest.as_str()));
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    let depth = 100_000;
    let nested = |open: &str, inside: &str, close: &str| {
        format!("{}{inside}{}", open.repeat(depth), close.repeat(depth))
    };
    let brackets = [
        ("[", "]"),
        ("{", "}"),
        ("(", ")"),
        ("f(", ")"),
        ("{1: ", "}"),
        ("{a: ", "}"),
    ];
    for (open, close) in brackets {
        let value = nested(open, "1", close);
        assert!(parse_statement(&format!("INSERT INTO t (a) VALUES ({value})")).is_err());
        assert!(parse_statement(&format!("SELECT {value} FROM t")).is_err());
        assert!(parse_statement(&format!("SELECT json {value} FROM t")).is_err());
        assert!(parse_statement(&format!("SELECT a FROM t WHERE {value} = 1")).is_err());
        assert!(parse_statement(&format!("UPDATE t SET a = {value} WHERE k = 1")).is_err());
        // Without an end, too.
        assert!(parse_statement(&format!("SELECT {} FROM t", open.repeat(depth))).is_err());
    }
    for prefix in ["- ", "(int) ", "(int)(", "(a)"] {
        let value = nested(prefix, "1", "");
        assert!(parse_statement(&format!("SELECT {value} FROM t")).is_err());
        assert!(parse_term(&value).is_err());
    }
    assert!(parse_type(&nested("list<", "int", ">")).is_err());
    assert!(parse_type(&nested("frozen<tuple<", "int", ">>")).is_err());
    assert!(parse_term(&format!("{}1", "1 + ".repeat(depth))).is_err());
    assert!(parse_statement(&format!("SELECT a{} FROM t", ".a".repeat(depth))).is_err());
    assert!(parse_statement(&format!("SELECT a{} FROM t", "[1]".repeat(depth))).is_err());
}

#[test]
fn reasonable_nesting_is_parsed() {
    let depth = 150;
    let list = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse_statement(&format!("INSERT INTO t (a) VALUES ({list})")).is_ok());
    assert!(parse_statement(&format!("SELECT {list} FROM t")).is_ok());
    let sum = format!("{}1", "1 + ".repeat(1_000));
    assert!(parse_statement(&format!("SELECT {sum} FROM t WHERE a = {sum}")).is_ok());
}

/// Ten million bytes each: with a time that grew with the square, this would never end.
#[test]
fn large_texts_are_parsed() {
    let size = 10_000_000;
    let many = |piece: &str| piece.repeat(size / piece.len());
    let string = format!("INSERT INTO t (a) VALUES ('{}')", many("it''s "));
    assert!(parse_statement(&string).is_ok());
    let list = format!("INSERT INTO t (a) VALUES ([{} 1])", many("1, "));
    assert!(parse_statement(&list).is_ok());
    let selection = format!("SELECT JSON {} a FROM t", many("a, (int) 5, b.c, "));
    assert!(parse_statement(&selection).is_ok());
    let wrong = format!("SELECT JSON DISTINCT {} FROM t", many("a, (b) (c), "));
    assert!(parse_statement(&wrong).is_err());
    let batch = format!(
        "BEGIN BATCH {} APPLY BATCH",
        many("INSERT INTO t (a) VALUES (1);")
    );
    assert!(parse_statement(&batch).is_ok());
    assert_eq!(split(&batch).unfinished, Some(0..batch.len()));
    let comments = format!("{} SELECT a FROM t", many("/* a */ -- b\n"));
    assert!(parse_statement(&comments).is_ok());
    let numbered: String = (0..400_000)
        .map(|number| format!("c{number} = 1, "))
        .collect();
    let update = format!("UPDATE t SET {numbered} d = 1 WHERE k = 1");
    assert!(parse_statement(&update).is_ok());
    let properties: String = (0..400_000)
        .map(|number| format!("p{number} = 1 AND "))
        .collect();
    assert!(parse_statement(&format!("ALTER TABLE t WITH {properties} q = 1")).is_ok());
    assert_eq!(split(&many("a;")).statements.len(), size / 2);
    assert_eq!(split(&many("#;")).statements.len(), size / 2);
}
