//! What the shell prints, compared with what cqlsh 6.2 printed for the same statements on Cassandra
//! 5.0.8. The files are as cqlsh wrote them, without the line that warns of the server's version.
//!
//! Not compared, because cqlsh itself is wrong there: empty collections, whose width it takes for
//! nothing; milliseconds of far years, which it rounds; years before 1000, without their zeros.

use std::path::{Path, PathBuf};

use super::super::{live, patient};
use super::{printed, said, stoa, text};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/shell/fixtures")
        .join(name)
}

/// Runs the scripts on a back end and compares what they print.
fn compare(option: &str, value: &str) {
    let run = |file: &Path| stoa(&["shell", option, value, "-f", text(file)]);
    let made = run(&golden("schema.cql"));
    assert!(made.status.success(), "{}", said(&made));
    for name in ["natives", "composites", "other", "describe"] {
        let output = run(&golden(&format!("{name}.cql")));
        assert!(output.status.success(), "{}", said(&output));
        let expected = std::fs::read_to_string(golden(&format!("{name}.out"))).unwrap();
        let pairs = expected.lines().zip(printed(&output).lines());
        for (number, (expected, found)) in pairs.enumerate() {
            assert_eq!(found, expected, "{name}.out, line {}", number + 1);
        }
        assert_eq!(printed(&output), expected, "{name}");
    }
}

#[test]
fn the_engine_is_shown_as_cqlsh_shows_cassandra() {
    let folder = tempfile::tempdir().unwrap();
    compare("--data", text(&folder.path().join("data")));
}

#[test]
fn a_cluster_is_shown_as_cqlsh_shows_it() {
    let Some(uri) = live() else { return };
    let uri = patient(&uri, "");
    // An earlier run may have left it.
    stoa(&[
        "shell",
        "--store",
        &uri,
        "-e",
        "DROP KEYSPACE IF EXISTS golden",
    ]);
    compare("--store", &uri);
}

#[test]
fn on_a_cluster_errors_have_a_caret_and_commands_work() {
    let Some(uri) = live() else { return };
    let keyspace = format!("shell_{}", std::process::id());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    let script = format!(
        "CREATE KEYSPACE {keyspace} WITH replication = \
         {{'class': 'SimpleStrategy', 'replication_factor': 1}};
         USE {keyspace};
         CREATE TABLE t (k int PRIMARY KEY, v text);
         INSERT INTO t (k, v) VALUES (1, 'a,b');
         SHOW VERSION
         CONSISTENCY ONE
         COPY t TO '{file}' WITH HEADER = true;
         TRUNCATE t;
         COPY t FROM '{file}' WITH HEADER = true;
         SELECT v FROM t;
         SELECT v FORM t;
         SELECT * FROM nowhere;
         DESCRIBE TABLES",
        file = text(&file)
    );
    let store = patient(&uri, "");
    let output = stoa(&["shell", "--store", &store, "--format", "csv", "-e", &script]);
    assert_eq!(output.status.code(), Some(1));
    let printed = printed(&output);
    assert!(printed.contains("| Cassandra 5.0."), "{output:?}");
    assert!(
        printed.contains("Consistency level set to ONE.\nv\n\"a,b\"\n"),
        "{output:?}"
    );
    assert!(
        printed.contains(&format!("{keyspace},table,t\n")),
        "{printed}"
    );
    let said = said(&output);
    assert!(
        said.contains("1 rows written to") && said.contains("1 rows read from"),
        "{said}"
    );
    assert!(said.contains("SyntaxException [2000]: "), "{said}");
    assert!(
        said.contains("  SELECT v FORM t\n           ^^^^\n"),
        "{said}"
    );
    assert!(said.contains("InvalidRequest [2200]: "), "{said}");
    let used = patient(&uri, &keyspace);
    let output = stoa(&["shell", "--store", &used, "-e", "SELECT v FROM t"]);
    assert!(output.status.success(), "{output:?}");
}
