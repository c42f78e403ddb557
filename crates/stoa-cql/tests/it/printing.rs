//! What is printed parses to the tree that was printed.

use proptest::collection::vec;
use proptest::prelude::*;
use stoa_cql::ast::Statement;
use stoa_cql::parse_statement;

use crate::choices::Choices;
use crate::{places, scripts, trees};

/// Parses, prints and parses again.
fn check_round_trip(text: &str) {
    let statement = parse_statement(text).unwrap();
    let printed = statement.to_string();
    match parse_statement(&printed) {
        Ok(again) => assert_eq!(again, statement, "{text}\n{printed}"),
        Err(error) => panic!("{text}\n{printed}\n{error}"),
    }
}

#[test]
fn statements_of_the_scripts_print_and_parse_again() {
    for recorded in scripts::accepted() {
        check_round_trip(&recorded.text);
    }
}

#[test]
fn statements_that_no_script_has_print_and_parse_again() {
    for statement in places::accepted() {
        check_round_trip(statement);
    }
}

/// What a tree looks like, without the numbers of markers, which only the parser knows.
fn without_marker_numbers(statement: &Statement) -> String {
    let shown = format!("{statement:?}");
    let mut parts = shown.split("index: ");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept += part.trim_start_matches(|character: char| character.is_ascii_digit());
    }
    kept
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn random_trees_print_and_parse_again(bytes in vec(any::<u8>(), 0..300)) {
        let statement = trees::statement(&mut Choices::new(bytes));
        let printed = statement.to_string();
        let parsed = parse_statement(&printed);
        prop_assert!(parsed.is_ok(), "{printed}\n{statement:?}\n{parsed:?}");
        let parsed = parsed.unwrap();
        prop_assert_eq!(
            without_marker_numbers(&parsed),
            without_marker_numbers(&statement),
            "{}",
            printed
        );
        prop_assert_eq!(parsed.to_string(), printed);
    }
}
