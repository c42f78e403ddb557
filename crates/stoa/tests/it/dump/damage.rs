//! Dumps that are not as they were written.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::{Desk, dump, execute, said, samples, selected, stoa, try_load};

#[test]
fn a_damaged_dump_is_refused_before_anything_is_loaded() {
    let desk = Desk::new();
    let first = desk.data("first");
    execute(&first, &samples::cells("d"));
    let dumped = dump(&first, "d");
    let lines: Vec<&str> = dumped.lines().collect();
    let middle = dumped.find("INSERT INTO d.statics").unwrap();
    let cut = dumped.get(..middle + 15).unwrap();
    let cut_line = cut.lines().count();
    let without_end = dumped
        .get(..dumped.rfind("-- end of dump").unwrap())
        .unwrap();
    let cases = [
        (cut.to_owned(), format!(":{cut_line}: ")),
        (
            without_end.to_owned(),
            format!(":{}: the file ends here", lines.len()),
        ),
        (
            dumped.replacen("'new'", "'old'", 1),
            format!(":{}: the file is damaged", lines.len()),
        ),
        (
            format!("{dumped}{dumped}"),
            format!(":{}: ", lines.len() + 4),
        ),
        ("SELECT 1;".to_owned(), "is no dump".to_owned()),
        (String::new(), "is no dump".to_owned()),
    ];
    for (text, part) in cases {
        let target = desk.data("second");
        let output = try_load(&desk, &text, &target, &[]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(said(&output).contains("nothing was loaded"), "{output:?}");
        assert!(said(&output).contains(&part), "{part}: {output:?}");
        assert!(
            !std::path::Path::new(&target[1]).exists(),
            "nothing was opened"
        );
    }
}

#[test]
fn a_dump_from_a_pipe_is_loaded_and_its_cut_is_told() {
    let desk = Desk::new();
    let first = desk.data("first");
    execute(&first, &samples::cells("d"));
    let dumped = dump(&first, "d");
    let run = |text: &str, name: &str| {
        let place = desk.data(name);
        let mut child = Command::new(env!("CARGO_BIN_EXE_stoa"))
            .args(["load", "-", &place[0], &place[1]])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
        drop(stdin);
        child.wait_with_output().unwrap()
    };
    assert!(run(&dumped, "whole").status.success());
    assert_eq!(dump(&desk.data("whole"), "d"), dumped);
    let cut = dumped
        .get(..dumped.find("INSERT INTO d.statics").unwrap())
        .unwrap();
    let output = run(cut, "cut");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("stdin:"), "{output:?}");
    assert!(said(&output).contains("writes were done"), "{output:?}");
    assert!(run(&dumped, "cut").status.success());
    assert_eq!(dump(&desk.data("cut"), "d"), dumped);
}

#[test]
fn what_cannot_be_loaded_is_told_with_its_line() {
    let desk = Desk::new();
    let first = desk.data("first");
    execute(&first, &samples::cells("d"));
    let dumped = dump(&first, "d");
    let line_of = |text: &str, part: &str| {
        let before = text.get(..text.find(part).unwrap()).unwrap();
        before.matches('\n').count() + 1
    };
    for (bad, part) in [
        (
            "INSERT INTO d.cells (k, c, a) VALUES (1, 'no', 1);",
            "VALUES (1, 'no', 1)",
        ),
        (
            "INSERT INTO d.cells (k, c VALUES (1, 1);",
            "INSERT INTO d.cells (k, c VALUES",
        ),
        ("DROP TABLE d.cells;", "DROP TABLE"),
        (
            "INSERT INTO d.nowhere (k) VALUES (1);",
            "INSERT INTO d.nowhere",
        ),
        (
            "INSERT INTO d.cells (k, c) VALUES (1, 1) IF NOT EXISTS;",
            "(1, 1) IF NOT EXISTS",
        ),
    ] {
        let text = dumped.replacen("-- rows of d.statics", &format!("{bad}\n"), 1);
        let output = try_load(&desk, &text, &desk.data("second"), &["--unchecked"]);
        assert_eq!(output.status.code(), Some(1), "{bad}");
        let place = format!("dump.cql:{}: ", line_of(&text, part));
        assert!(said(&output).contains(&place), "{place} {output:?}");
    }
    let output = try_load(&desk, &dumped, &desk.data("second"), &[]);
    assert!(
        output.status.success(),
        "the same command goes on: {output:?}"
    );
    assert_eq!(dump(&desk.data("second"), "d"), dumped);
}

#[test]
fn a_table_of_another_shape_is_left_alone() {
    let desk = Desk::new();
    let (first, second) = (desk.data("first"), desk.data("second"));
    execute(&first, &samples::cells("d"));
    execute(
        &second,
        "CREATE KEYSPACE d WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
         CREATE TABLE d.keys_only (k int, c int, PRIMARY KEY (k, c));",
    );
    let output = try_load(&desk, &dump(&first, "d"), &second, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("d.keys_only is there already with other columns"));
    assert_eq!(selected(&second, &["d.keys_only"]), "k,c\n");
}

#[test]
fn where_a_file_is_not_there_one_line_says_so() {
    let output = stoa(&["load", "nowhere.cql", "--memory"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).starts_with("stoa: cannot read nowhere.cql: "),
        "{output:?}"
    );
}
