//! `COPY` with the options of cqlsh.

use super::{printed, prints, run, said, text, write};

#[test]
fn a_file_of_cqlsh_is_read() {
    let folder = tempfile::tempdir().unwrap();
    // Written by cqlsh 6.2 from a table of these columns.
    let file = write(
        folder.path(),
        "cqlsh.csv",
        "k,b,bo,d,t,ts,l\n\
         2,,,,\"comma, and \\\"quote\\\"\",,\n\
         1,0xcafe,True,0.1,plain,2026-11-16 07:20:00.123+0000,\"['it''s', 'a,b', 'q\\\"q']\"\n",
    );
    let script = format!(
        "CREATE TABLE ks.c (k int PRIMARY KEY, b blob, bo boolean, d double, t text, ts timestamp,
             l list<text>);
         COPY ks.c (k, b, bo, d, t, ts, l) FROM '{file}' WITH HEADER = true;
         SELECT k, b, bo, d, t, ts, l FROM ks.c;"
    );
    let output = run("json", &script);
    assert_eq!(said(&output), format!("2 rows read from {file}\n"));
    let expected = concat!(
        "{\"k\": 1, \"b\": \"0xcafe\", \"bo\": true, \"d\": 0.1, \"t\": \"plain\", ",
        "\"ts\": \"2026-11-16 07:20:00.123Z\", \"l\": [\"it's\", \"a,b\", \"q\\\"q\"]}\n",
        "{\"k\": 2, \"b\": null, \"bo\": null, \"d\": null, \"t\": \"comma, and \\\"quote\\\"\", ",
        "\"ts\": null, \"l\": null}\n"
    );
    assert_eq!(printed(&output), expected);
}

#[test]
fn numbers_booleans_and_times_have_a_style() {
    let table = "CREATE TABLE ks.s (k int PRIMARY KEY, d double, n bigint, b boolean, t timestamp);
         INSERT INTO ks.s (k, d, n, b, t) VALUES (1, 1234567.125, -9876543210, true,
             '2026-11-16T07:20:00.123Z');";
    let options = "DELIMITER = '|' AND QUOTE = '''' AND ESCAPE = '''' AND NULL = 'NULL' \
         AND DECIMALSEP = ',' AND THOUSANDSSEP = '.' AND BOOLSTYLE = 'yes,no' \
         AND DATETIMEFORMAT = '%d.%m.%Y %H:%M:%S.%f%z'";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.csv");
    let script = format!(
        "{table} COPY ks.s (k, d, n, b, t) TO '{file}' WITH {options};
         TRUNCATE ks.s;
         COPY ks.s (k, d, n, b, t) FROM '{file}' WITH {options};
         COPY ks.s (k, d, n, b, t) TO STDOUT;",
        file = text(&file)
    );
    let output = run("csv", &script);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "1|1.234.567,125|-9.876.543.210|yes|16.11.2026 07:20:00.123000+0000\n"
    );
    assert_eq!(
        printed(&output),
        "1,1234567.125,-9876543210,True,2026-11-16T07:20:00.123Z\n"
    );
}

#[test]
fn rows_and_columns_may_be_passed_over_and_ttls_given() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(
        folder.path(),
        "some.csv",
        "name,nothing,age\nA,x,1\nB,x,2\nC,x,3\nD,x,4\n",
    );
    let script = format!(
        "TRUNCATE ks.people;
         COPY ks.people (name, height, age) FROM '{file}' WITH HEADER = true AND SKIPROWS = 1
             AND MAXROWS = 2 AND SKIPCOLS = 'height' AND TTL = 5000 AND INGESTRATE = 1000
             AND MAXREQUESTS = 1;
         SELECT name, age, height FROM ks.people;
         SELECT name FROM ks.people WHERE name = 'B' AND age = 2 ALLOW FILTERING;
         SELECT ttl(age) FROM ks.people WHERE name = 'B';"
    );
    let output = run("csv", &script);
    assert_eq!(said(&output), format!("2 rows read from {file}\n"));
    let lines: Vec<&str> = printed(&output).lines().collect();
    let mut rows = lines[1..3].to_vec();
    rows.sort_unstable();
    assert_eq!(rows, ["B,2,", "C,3,"]);
    let ttl: u32 = lines.last().unwrap().parse().unwrap();
    assert!((4_000..=5_000).contains(&ttl), "{ttl}");
}

#[test]
fn a_copy_ends_after_too_many_errors_and_keeps_what_it_could_not_copy() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "bad.csv", "A,1\nB,x\nC,3\nD,y\nE,z\nF,6\n");
    let errors = folder.path().join("errors.csv");
    let copy = format!(
        "COPY ks.people (name, age) FROM '{file}' WITH ERRFILE = '{}'",
        text(&errors)
    );
    let output = run("csv", &format!("{copy};"));
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("3 records"), "{output:?}");
    assert_eq!(std::fs::read_to_string(&errors).unwrap(), "B,x\nD,y\nE,z\n");
    let output = run("csv", &format!("{copy} AND MAXPARSEERRORS = 1;"));
    assert!(
        said(&output).contains("more than 1 records could not be copied"),
        "{output:?}"
    );
}

#[test]
fn help_says_which_options_there_are() {
    let help = prints("table", "HELP COPY");
    for part in ["ERRFILE", "MAXROWS = -1", "are refused", "NUMPROCESSES"] {
        assert!(help.contains(part), "{help}");
    }
    let output = run("csv", "COPY ks.people TO STDOUT WITH NUMPROCESSES = 4;");
    assert_eq!(
        said(&output),
        "COPY does not obey NUMPROCESSES: there is one process; MAXREQUESTS says how many rows are \
         under way; leave it out\n"
    );
}
