//! `stoa shell`: scripts in, exact output out.

mod copy;
mod cqlsh;
mod terminal;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::{stoa, text};

const SCHEMA: &str = "
    CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
    CREATE TABLE ks.people (
        name text PRIMARY KEY, age int, height double, tags set<text>, seen timestamp);
    INSERT INTO ks.people (name, age, height, tags, seen)
        VALUES ('Anna', 41, 1.7, {'a', 'b'}, '2011-02-03T04:05:06Z');
    INSERT INTO ks.people (name) VALUES ('Bo, \"the\" bear');
";

/// Runs a script in memory and gives what it printed, after the schema above.
fn run(format: &str, script: &str) -> Output {
    let script = format!("{SCHEMA}{script}");
    stoa(&["shell", "--memory", "--format", format, "-e", &script])
}

fn printed(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn said(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// What a script prints that executes without an error.
fn prints(format: &str, script: &str) -> String {
    let output = run(format, script);
    assert_eq!(said(&output), "");
    assert_eq!(output.status.code(), Some(0));
    printed(&output).to_owned()
}

/// Runs the shell with a text on standard input.
fn piped(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stoa"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn write(folder: &Path, name: &str, content: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, content).unwrap();
    text(&file).to_owned()
}

#[test]
fn tables_are_printed_as_cqlsh_prints_them() {
    let select = "SELECT name, age, height, tags, seen FROM ks.people";
    assert_eq!(
        prints("table", select),
        concat!(
            "\n",
            " name           | age  | height | tags       | seen\n",
            "----------------+------+--------+------------+---------------------------------\n",
            "           Anna |   41 |    1.7 | {'a', 'b'} | 2011-02-03 04:05:06.000000+0000\n",
            " Bo, \"the\" bear | null |   null |       null |                            null\n",
            "\n",
            "(2 rows)\n"
        )
    );
    assert_eq!(
        prints(
            "table",
            "SELECT name, age FROM ks.people WHERE name = 'nobody'"
        ),
        "\n name | age\n------+-----\n\n\n(0 rows)\n"
    );
}

#[test]
fn json_has_one_object_a_line() {
    assert_eq!(
        prints(
            "json",
            "SELECT * FROM ks.people; SELECT cluster_name FROM system.local"
        ),
        concat!(
            "{\"name\": \"Anna\", \"age\": 41, \"height\": 1.7, ",
            "\"seen\": \"2011-02-03 04:05:06.000Z\", \"tags\": [\"a\", \"b\"]}\n",
            "{\"name\": \"Bo, \\\"the\\\" bear\", \"age\": null, \"height\": null, ",
            "\"seen\": null, \"tags\": null}\n",
            "{\"cluster_name\": \"Test Cluster\"}\n"
        )
    );
}

#[test]
fn csv_has_a_line_of_names() {
    assert_eq!(
        prints("csv", "SELECT name, age, tags, seen FROM ks.people"),
        concat!(
            "name,age,tags,seen\n",
            "Anna,41,\"{'a', 'b'}\",2011-02-03T04:05:06.000Z\n",
            "\"Bo, \"\"the\"\" bear\",,,\n"
        )
    );
}

#[test]
fn conditional_writes_say_whether_they_were_applied() {
    let insert = "INSERT INTO ks.people (name) VALUES ('Anna') IF NOT EXISTS";
    let failed = prints("table", insert);
    assert!(
        failed.starts_with("\n [applied] | name | age | height"),
        "{failed}"
    );
    assert!(failed.contains("\n     False | Anna |  41 |"), "{failed}");
    let applied = prints(
        "table",
        "UPDATE ks.people SET age = 1 WHERE name = 'Anna' IF age = 41",
    );
    assert_eq!(applied, "\n [applied]\n-----------\n      True\n");
}

#[test]
fn changes_are_silent_and_use_is_remembered() {
    let script = "USE ks; CREATE TABLE t (k int PRIMARY KEY); SELECT * FROM t; DESCRIBE TABLES";
    let expected = "\n k\n---\n\n\n(0 rows)\n\npeople  t\n\n";
    assert_eq!(prints("table", script), expected);
}

#[test]
fn a_description_is_a_script() {
    let described = prints("table", "DESCRIBE KEYSPACE ks");
    assert!(
        described.starts_with("\nCREATE KEYSPACE ks WITH replication = "),
        "{described}"
    );
    assert!(described.contains("\nCREATE TABLE ks.people (\n    name text PRIMARY KEY,"));
    let again = stoa(&["shell", "--memory", "-e", &described]);
    assert_eq!((said(&again), printed(&again)), ("", ""));
}

#[test]
fn what_is_not_cql_has_a_caret_under_the_place() {
    let output = run(
        "table",
        "SELECT *\n  FORM ks.people; SELECT name FROM ks.people",
    );
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<&str> = said(&output).lines().collect();
    assert!(
        lines[0].starts_with("SyntaxException [2000]: line 2:2 "),
        "{output:?}"
    );
    assert_eq!(lines[1..], ["    FORM ks.people", "    ^^^^"]);
    assert!(
        printed(&output).ends_with("(2 rows)\n"),
        "the next one is executed"
    );
}

#[test]
fn errors_have_a_class_a_code_and_a_message() {
    let output = run("json", "SELECT * FROM ks.nothing");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        said(&output),
        "InvalidRequest [2200]: table nothing does not exist\n"
    );
    let output = run("json", "CREATE TABLE ks.people (k int PRIMARY KEY)");
    assert!(
        said(&output).starts_with("AlreadyExists [2400]: "),
        "{output:?}"
    );
}

#[test]
fn a_script_may_have_comments_and_errors_say_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let script = write(
        folder.path(),
        "script.cql",
        "-- first; this\nUSE system; // and that\n\n/* then;\n this */\n\
         SELECT\n  key\nFROM local;\nSELECT 1 FROM\nnowhere;\nSELECT key FORM local;\n",
    );
    let output = stoa(&["shell", "--memory", "-f", &script, "--format", "csv"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(printed(&output), "key\nlocal\n");
    let errors: Vec<&str> = said(&output).lines().collect();
    assert!(
        errors[0].starts_with(&format!("{script}:9: InvalidRequest [2200]: ")),
        "{errors:?}"
    );
    assert!(
        errors[1].starts_with(&format!("{script}:11: SyntaxException")),
        "{errors:?}"
    );
    assert_eq!(
        errors[2..],
        ["  SELECT key FORM local", "             ^^^^"]
    );
}

#[test]
fn a_pipe_is_a_script_and_its_last_semicolon_is_needed() {
    let arguments = ["shell", "--memory", "--format", "csv"];
    let output = piped(
        &arguments,
        "SELECT key FROM system.local;\nSELECT key FROM system.local",
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(printed(&output), "key\nlocal\n");
    assert!(said(&output).starts_with("stdin:2: the last statement has no semicolon"));
}

#[test]
fn a_database_in_a_folder_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let made = stoa(&["shell", "--data", text(&data), "-e", SCHEMA]);
    assert_eq!((said(&made), made.status.code()), ("", Some(0)));
    let uri = format!("file:{}", text(&data));
    let select = "SELECT age FROM ks.people WHERE name = 'Anna'";
    let read = stoa(&["shell", "--store", &uri, "-e", select, "--format", "json"]);
    assert_eq!((said(&read), printed(&read)), ("", "{\"age\": 41}\n"));
}

#[test]
fn it_says_that_nothing_is_kept_unless_that_is_asked_for() {
    let output = stoa(&["shell", "-e", "USE system"]);
    assert!(said(&output).contains("--data DIR"), "{output:?}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn long_results_are_printed_to_the_end() {
    let mut script = String::new();
    for number in 0..250 {
        script.push_str(&format!(
            "INSERT INTO ks.people (name) VALUES ('{number}');"
        ));
    }
    script.push_str("SELECT name FROM ks.people;");
    let table = prints("table", &script);
    assert!(table.ends_with("\n\n(252 rows)\n"), "{table}");
    assert_eq!(table.matches(" name").count(), 1, "one header");
    assert_eq!(prints("json", &script).lines().count(), 252);
    assert_eq!(prints("csv", &script).lines().count(), 253);
}

#[test]
fn commands_of_the_shell_need_no_semicolon() {
    let script = "EXPAND ON\nSELECT name, age FROM ks.people WHERE name = 'Anna';\nEXPAND\n\
                  PAGING 20\nCONSISTENCY QUORUM\nSHOW VERSION\nEXIT\nSELECT * FROM ks.people;";
    let printed = prints("table", script);
    let expected = concat!(
        "EXPAND set to ON\n\n",
        "@ Row 1\n",
        "------+------\n",
        " name | Anna\n",
        " age  | 41\n",
        "\n\n",
        "(1 rows)\n",
        "EXPAND is ON\n",
        "Page size: 20\n",
        "Consistency level set to QUORUM.\n",
    );
    let rest = printed
        .strip_prefix(expected)
        .unwrap_or_else(|| panic!("{printed}"));
    assert!(
        rest.starts_with("[stoa 0.") && rest.ends_with("]\n"),
        "{rest}"
    );
    assert_eq!(rest.lines().count(), 1, "nothing follows EXIT");
}

#[test]
fn every_statement_has_help() {
    for topic in ["SELECT", "create table", "COPY", "BATCH", "DESC"] {
        let printed = prints("table", &format!("HELP {topic}"));
        assert!(
            printed.to_lowercase().contains(&topic.to_lowercase()),
            "{printed}"
        );
    }
    let output = run("table", "HELP nonsense");
    assert_eq!(
        said(&output),
        "there is no help on NONSENSE; HELP lists what there is\n"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_script_may_source_another_but_not_itself_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let inner = write(
        folder.path(),
        "inner.cql",
        "USE ks;\nSELECT age FROM people;\nnonsense;",
    );
    let output = run("csv", &format!("SOURCE '{inner}'\nSELECT name FROM people"));
    assert_eq!(
        printed(&output),
        "age\n41\n\nname\nAnna\n\"Bo, \"\"the\"\" bear\"\n"
    );
    assert!(
        said(&output).starts_with(&format!("{inner}:3: SyntaxException")),
        "{output:?}"
    );
    let file = folder.path().join("circle.cql");
    let circle = write(
        folder.path(),
        "circle.cql",
        &format!("SOURCE '{}'", text(&file)),
    );
    let output = stoa(&["shell", "--memory", "-f", &circle]);
    assert!(
        said(&output).contains("scripts source each other"),
        "{output:?}"
    );
}

#[test]
fn captured_results_are_in_the_file_and_not_on_the_screen() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("captured");
    let script = format!(
        "CAPTURE '{}'\nSELECT name FROM ks.people WHERE name = 'Anna';\nCAPTURE OFF\n",
        text(&file)
    );
    let expected = format!("Now capturing query output to '{}'.\n", text(&file));
    assert_eq!(prints("table", &script), expected);
    let captured = std::fs::read_to_string(&file).unwrap();
    assert_eq!(captured, "\n name\n------\n Anna\n\n(1 rows)\n");
}

#[test]
fn a_table_goes_to_csv_and_comes_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("people.csv");
    let script = format!(
        "USE ks;
         CREATE TYPE address (street text, city text);
         CREATE TABLE odd (k int, c text, l list<frozen<map<text, int>>>, u frozen<address>,
             t tuple<int, text>, d duration, b blob, f float, n varint, s text,
             PRIMARY KEY (k, c));
         INSERT INTO odd (k, c, l, u, t, d, b, f, n, s) VALUES (1, 'it''s, \"it\"',
             [{{'a': 1}}, {{}}], {{street: 'x;y', city: null}}, (1, 'z'), 1y2mo, 0xcafe, 0.1,
             123456789012345678901234567890, '');
         INSERT INTO odd (k, c, s) VALUES (2, '', 'two\nlines');
         INSERT INTO odd (k, c) VALUES (3, 'null');
         CREATE TABLE copied (k int, c text, l list<frozen<map<text, int>>>, u frozen<address>,
             t tuple<int, text>, d duration, b blob, f float, n varint, s text,
             PRIMARY KEY (k, c));
         COPY odd TO '{file}' WITH HEADER = true AND DELIMITER = '|' AND NULL = 'null';
         COPY ks.copied FROM '{file}' WITH HEADER = true AND DELIMITER = '|' AND NULL = 'null';
         SELECT * FROM odd; SELECT * FROM copied;",
        file = text(&file)
    );
    let output = run("json", &script);
    let told = format!("3 rows written to {0}\n3 rows read from {0}\n", text(&file));
    assert_eq!(said(&output), told);
    let lines: Vec<&str> = printed(&output).lines().collect();
    assert_eq!(lines.len(), 6, "{output:?}");
    assert_eq!(lines[..3], lines[3..]);
    let csv = std::fs::read_to_string(&file).unwrap();
    assert!(csv.starts_with("k|c|b|d|f|l|n|s|t|u\n"), "{csv}");
    assert!(csv.contains("\n3|\"null\"|null|"), "{csv}");
}

#[test]
fn bad_records_are_told_with_their_lines_and_good_ones_are_copied() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(
        folder.path(),
        "some.csv",
        "Eve,30\nMallory,old\nTrent\nZoe,31\n",
    );
    let copy = format!("COPY ks.people (name, age) FROM '{file}'; SELECT age FROM ks.people");
    let output = run("csv", &copy);
    assert_eq!(output.status.code(), Some(1));
    let expected = format!(
        "{file}:2: age: unable to make int from 'old'\n\
         {file}:3: 1 fields for 2 columns\n\
         2 records of {file} were not copied; 2 were\n"
    );
    assert_eq!(said(&output), expected);
    let ages: std::collections::BTreeSet<&str> = printed(&output).lines().collect();
    assert!(ages.contains("30") && ages.contains("31"), "{ages:?}");
    let shown = prints(
        "table",
        "COPY ks.people (name, age) TO STDOUT WITH MAXROWS = 1;",
    );
    assert_eq!(shown, "Anna,41\n");
}

#[test]
fn warnings_are_told_apart_from_results() {
    let output = run("csv", "SELECT count(*) FROM ks.people");
    assert_eq!(printed(&output), "count\n2\n");
    let expected = "Warning: Aggregation query used without partition key\n";
    assert_eq!(said(&output), expected);
}
