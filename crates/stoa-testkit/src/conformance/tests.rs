//! Scripts are read, written and judged as their format says.

use stoa_session::{Column, DataType};

use super::*;
use crate::conformance::expectation::Outcome;

const SCRIPT: &str = "\
# A refused insert answers the row that is there.
# It says more.

> CREATE TABLE t (
    k int PRIMARY KEY)
= done

# Between.
> SELECT k, now() FROM $KS.t
@ any system.now()
@ pages 1 2
= rows k int | system.now() timeuuid
- 1 | *
~ careful

> SELECT x FROM t
! 0x2200 Undefined column name x
";

fn script() -> Script {
    Script::parse(SCRIPT).unwrap()
}

#[test]
fn a_script_is_read_and_written_back() {
    let script = script();
    assert_eq!(
        script.behaviour(),
        "A refused insert answers the row that is there."
    );
    assert_eq!(
        script.steps[0].statement,
        "CREATE TABLE t (\n  k int PRIMARY KEY)"
    );
    assert!(script.shows_an_error());
    let answers: Vec<_> = script
        .steps
        .iter()
        .map(|step| step.expected.clone().unwrap())
        .collect();
    assert_eq!(script.with_answers(&answers), SCRIPT);
}

#[test]
fn the_same_answers_are_no_difference_and_others_are() {
    let script = script();
    let same: Vec<_> = script
        .steps
        .iter()
        .map(|step| step.expected.clone().unwrap())
        .collect();
    assert_eq!(differences(&script, &same), []);

    let mut other = same.clone();
    other[0].outcome = Outcome::Error {
        code: 0x2200,
        message: String::new(),
    };
    other[1].warnings.clear();
    other[2].outcome = Outcome::Error {
        code: 0x2000,
        message: String::new(),
    };
    let lines: Vec<_> = differences(&script, &other)
        .iter()
        .map(|found| found.line)
        .collect();
    assert_eq!(lines, [4, 9, 16]);
    assert_eq!(
        differences(&script, &[]).len(),
        3,
        "a missing answer is a difference"
    );
}

#[test]
fn the_words_of_an_error_are_not_compared() {
    let script = script();
    let mut other: Vec<_> = script
        .steps
        .iter()
        .map(|step| step.expected.clone().unwrap())
        .collect();
    other[2].outcome = Outcome::Error {
        code: 0x2200,
        message: "other words".to_owned(),
    };
    assert_eq!(differences(&script, &other), []);
}

#[test]
fn rows_differ_by_order_unless_told_otherwise_and_numbers_by_more_than_allowed() {
    let text = |directive: &str, rows: &str| {
        format!("# t\n\n> SELECT n FROM t\n{directive}= rows n int\n{rows}")
    };
    let judge = |directive: &str, recorded: &str, answered: &str| {
        let script = Script::parse(&text(directive, recorded)).unwrap();
        let answer = Script::parse(&text("", answered)).unwrap();
        let answer = answer.steps[0].expected.clone().unwrap();
        differences(&script, &[answer]).is_empty()
    };
    assert!(!judge("", "- 1\n- 2\n", "- 2\n- 1\n"));
    assert!(judge("@ unordered\n", "- 1\n- 2\n", "- 2\n- 1\n"));
    assert!(judge("@ within 2 n\n", "- 100\n", "- 98\n"));
    assert!(!judge("@ within 2 n\n", "- 100\n", "- 97\n"));
    assert!(!judge("", "- 100\n", "- 99\n"));
}

#[test]
fn a_wrong_script_is_told_where() {
    let problem = |text: &str| Script::parse(text).unwrap_err().to_string();
    assert!(problem("> SELECT 1").contains("must say what"));
    assert!(problem("# t\n\nSELECT 1").starts_with("line 3"));
    assert!(problem("# t\n> SELECT 1\n@ often").contains("unknown directive"));
    assert!(problem("# t\n> SELECT 1\n@ pages 0").contains("does not take"));
    assert!(problem("# t\n> SELECT 1\n- 1").contains("not a recorded answer"));
    assert!(problem("# t\n> SELECT 1\n= rows a int\n- 1 | 2").contains("not a recorded answer"));
}

#[test]
fn terms_become_values() {
    let variables = [
        Column::new("a", DataType::Int),
        Column::new("b", DataType::Text),
        Column::new(
            "c",
            DataType::map(DataType::Text, DataType::list(DataType::Int)),
        ),
        Column::new("d", DataType::tuple(vec![DataType::Int, DataType::Text])),
        Column::new("e", DataType::Int),
        Column::new("f", DataType::Int),
        Column::new("g", DataType::Blob),
    ];
    let text = "-7, 'it''s, so', {'x': [1, 2], 'y': []}, (1, null), unset, null, 0xCAFE";
    let bound = terms::bind(text, &variables).unwrap();
    assert_eq!(bound.len(), 7);
    assert!(terms::bind("1", &variables).is_err());
    assert!(terms::bind("1, 2", &variables[..1]).is_err());
    assert!(terms::bind("many", &variables[..1]).is_err());
}
