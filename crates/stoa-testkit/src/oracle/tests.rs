//! Searching, comparing, and wrong answers planted on purpose.

use super::*;
use crate::conformance::expectation::Outcome;
use crate::conformance::{Expectation, Script, Step};

fn steps(count: usize) -> Vec<Step> {
    let text: String = (0..count).map(|number| format!("\n> {number}\n")).collect();
    Script::parse(&format!("# t\n{text}"))
        .expect("a script")
        .steps
}

#[test]
fn only_the_needed_statements_stay() {
    let mut before = steps(60);
    let last = before.pop().expect("a last step");
    let mut search = Search::new(before, last, 500);
    let needed = ["3", "17", "18", "59"];
    while let Some(tried) = search.next_try() {
        let has = |text: &&str| tried.iter().any(|step| step.statement == **text);
        search.tell(needed.iter().all(has));
    }
    let left: Vec<String> = search
        .into_best()
        .into_iter()
        .map(|it| it.statement)
        .collect();
    assert_eq!(left, needed);
}

/// Every kind of wrong answer, made from a right one.
fn corrupted(right: &Expectation) -> Vec<Expectation> {
    let mut wrong = Vec::new();
    match &right.outcome {
        Outcome::Done => wrong.push(Outcome::Error {
            code: 0x2200,
            message: String::new(),
        }),
        Outcome::Error { code, message } => {
            wrong.push(Outcome::Done);
            wrong.push(Outcome::Error {
                code: code ^ 0x0100,
                message: message.clone(),
            });
        }
        Outcome::Rows { columns, rows } => {
            let with = |rows: Vec<Vec<String>>| Outcome::Rows {
                columns: columns.clone(),
                rows,
            };
            for hidden in 0..rows.len() {
                let mut fewer = rows.clone();
                let row = fewer.remove(hidden);
                wrong.push(with(fewer.clone()));
                fewer.push(row.clone());
                fewer.push(row);
                wrong.push(with(fewer));
                for cell in 0..columns.len() {
                    let mut other = rows.clone();
                    other[hidden][cell] = "'other'".to_owned();
                    wrong.push(with(other));
                }
            }
            let mut renamed = columns.clone();
            renamed[0].push('x');
            wrong.push(Outcome::Rows {
                columns: renamed,
                rows: rows.clone(),
            });
        }
    }
    let mut wrong: Vec<Expectation> = wrong
        .into_iter()
        .map(|outcome| Expectation {
            outcome,
            warnings: right.warnings.clone(),
        })
        .collect();
    wrong.push(Expectation {
        warnings: vec!["planted".to_owned()],
        ..right.clone()
    });
    wrong
}

#[test]
fn every_planted_wrong_answer_is_seen() {
    let texts = [
        "= done",
        "! 0x2200 no",
        "! 0x2000 no",
        "= rows a int | b text\n- 1 | 'x'\n- 2 | null\n- 3 | 'y'",
        "= rows [applied] boolean\n- true",
        "= rows t0 bigint\n- 1000000000000\n- null",
        "= rows t0 list<bigint>\n- [1000000000000, null]",
    ];
    let mut planted = 0;
    for directive in ["", "\n@ within 400000000000 t0", "\n@ pages 1 2"] {
        for text in texts {
            let script = format!("# t\n\n> S{directive}\n{text}\n");
            let script = Script::parse(&script).expect("a script");
            let step = &script.steps[0];
            let right = step.expected.clone().expect("an answer");
            let ours = Given::Answer(right.clone());
            assert_eq!(
                Comparison::of(&Tables::default(), step, &ours, &ours),
                Comparison::Same
            );
            for wrong in corrupted(&right) {
                planted += 1;
                let seen = Comparison::of(
                    &Tables::default(),
                    step,
                    &ours,
                    &Given::Answer(wrong.clone()),
                );
                assert_eq!(seen, Comparison::Different, "{wrong:?}");
            }
        }
    }
    assert!(planted > 60, "{planted}");
}

#[test]
fn times_are_compared_with_a_tolerance_that_hides_no_step() {
    let text = "# t\n\n> S\n@ within 400000000000 t0\n= rows t0 list<bigint>\n- [1790000000000000, null]\n";
    let script = Script::parse(text).expect("a script");
    let step = &script.steps[0];
    let answer = |cell: &str| {
        let lines = ["= rows t0 list<bigint>".to_owned(), format!("- {cell}")];
        Given::Answer(
            Expectation::parse(&lines)
                .expect("lines")
                .expect("an answer"),
        )
    };
    let theirs = answer("[1790000000000000, null]");
    for (ours, differs) in [
        ("[1790000000500000, null]", false),
        ("[1791000000000000, null]", true),
        ("[1790000000500000, 1790000000500000]", true),
        ("[1790000000500000]", true),
        ("null", true),
    ] {
        assert_eq!(differ(step, &theirs, &answer(ours)), differs, "{ours}");
    }
}

/// The tables that statements make.
fn tables(statements: &[&str]) -> Tables {
    let mut tables = Tables::default();
    statements.iter().for_each(|it| tables.follow(it));
    tables
}

#[test]
fn exceptions_look_at_what_columns_are() {
    let made = "CREATE TABLE t (k int, j int, c int, s int static, v vector<int, 1>, \
                PRIMARY KEY ((k, j), c))";
    let (old, attached) = (
        "CREATE INDEX i ON t (j)",
        "CREATE INDEX i ON t (c) USING 'sai'",
    );
    let second = "CREATE INDEX l ON t (v) USING 'sai'";
    let written = "INSERT INTO t (k, j, c) VALUES (1, 1, 1)";
    let by_partition = "SELECT k FROM t WHERE j = 1 ALLOW FILTERING";
    let by_vector = "SELECT k FROM t WHERE c = 1 AND v > [1] LIMIT 1 ALLOW FILTERING";
    let unlimited = "SELECT k FROM t WHERE v = [1]";
    let cases: [(&[&str], &str, Option<&str>); 9] = [
        (&[made], by_partition, None),
        (&[made, attached], by_partition, None),
        (
            &[made, old],
            by_partition,
            Some("static row behind an index of the partition key"),
        ),
        (&[made, old, "ALTER TABLE t DROP s"], by_partition, None),
        (&[made], by_vector, None),
        (&[made, attached], by_vector, Some("limit of vectors")),
        (&[made, attached, second, written], unlimited, None),
        (
            &[made, attached, written, second],
            unlimited,
            Some("rows left out of an attached index"),
        ),
        (
            &[made, attached, written, second, "TRUNCATE t"],
            unlimited,
            None,
        ),
    ];
    let text = "= rows k int\n- 1\n- 2";
    for (statements, asked, name) in cases {
        let script = Script::parse(&format!("# t\n\n> {asked}\n{text}\n")).expect("a script");
        let step = &script.steps[0];
        let ours = Given::Answer(step.expected.clone().expect("an answer"));
        let mut fewer = step.expected.clone().expect("an answer");
        if let Outcome::Rows { rows, .. } = &mut fewer.outcome {
            rows.pop();
        }
        let found = Comparison::of(&tables(statements), step, &Given::Answer(fewer), &ours);
        let wanted = name.map_or(Comparison::Different, Comparison::Excepted);
        assert_eq!(found, wanted, "{statements:?} {asked}");
    }
}

#[test]
fn only_selects_change_nothing() {
    assert!(!is_write("SELECT * FROM t"));
    assert!(is_write("DELETE FROM t WHERE k = 1"));
    assert!(is_write("TRUNCATE t"));
}
