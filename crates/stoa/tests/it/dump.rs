//! `stoa dump` and `stoa load`: what comes out goes in, and comes out the same.

mod damage;
mod random;
mod samples;

use std::path::Path;
use std::process::Output;

use super::{live, patient, stoa, text};

/// A moment long before anything here ends, from which TTLs count.
const AS_OF: &str = "2026-01-01T00:00:00Z";

/// A folder that vanishes, with databases and dumps in it.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> String {
        text(&self.folder.path().join(name)).to_owned()
    }

    /// The arguments that name a database here.
    fn data(&self, name: &str) -> [String; 2] {
        ["--data".to_owned(), self.path(name)]
    }
}

fn store(uri: &str) -> [String; 2] {
    ["--store".to_owned(), patient(uri, "")]
}

/// A name that no earlier run on the same node has used.
fn unique(name: &str) -> String {
    format!("{name}_{}", std::process::id())
}

fn said(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Executes CQL that must succeed; what it prints, as CSV.
fn execute(place: &[String; 2], script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.cql");
    std::fs::write(&file, script).unwrap();
    let [option, value] = place;
    let arguments = ["shell", option, value, "-f", text(&file), "--format", "csv"];
    let output = stoa(&arguments);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Dumps a keyspace.
fn dump(place: &[String; 2], keyspace: &str) -> String {
    let [option, value] = place;
    let arguments = [
        "dump",
        option,
        value,
        "--keyspace",
        keyspace,
        "--as-of",
        AS_OF,
    ];
    let output = stoa(&arguments);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(said(&output), "");
    String::from_utf8(output.stdout).unwrap()
}

fn try_load(desk: &Desk, dumped: &str, place: &[String; 2], options: &[&str]) -> Output {
    let file = desk.path("dump.cql");
    std::fs::write(Path::new(&file), dumped).unwrap();
    let [option, value] = place;
    let arguments = ["load", &file, option, value];
    stoa(&[&arguments[..], options].concat())
}

fn load(desk: &Desk, dumped: &str, place: &[String; 2]) {
    let output = try_load(desk, dumped, place, &[]);
    assert!(output.status.success(), "{}", said(&output));
}

/// The first line in which two texts differ, for a failure that can be read.
fn assert_same(left: &str, right: &str) {
    for (number, (left, right)) in left.lines().zip(right.lines()).enumerate() {
        assert_eq!(left, right, "in line {}", number + 1);
    }
    assert_eq!(left, right);
}

/// What `SELECT *` of each table answers.
fn selected(place: &[String; 2], tables: &[&str]) -> String {
    let selects = tables.iter().map(|it| format!("SELECT * FROM {it};\n"));
    execute(place, &selects.collect::<String>())
}

/// Takes a database through a folder, and a cluster if there is one, and compares all dumps.
fn round_trip(keyspace: &str, script: &str, tables: &[&str]) {
    let desk = Desk::new();
    let first = desk.data("first");
    execute(&first, script);
    let dumped = dump(&first, keyspace);
    let rows = selected(&first, tables);
    let second = desk.data("second");
    load(&desk, &dumped, &second);
    assert_same(&dump(&second, keyspace), &dumped);
    assert_same(&selected(&second, tables), &rows);
    let Some(uri) = live() else { return };
    let cluster = store(&uri);
    load(&desk, &dumped, &cluster);
    let from_cluster = dump(&cluster, keyspace);
    assert_same(&from_cluster, &dumped);
    assert_same(&selected(&cluster, tables), &rows);
    let third = desk.data("third");
    load(&desk, &from_cluster, &third);
    assert_same(&dump(&third, keyspace), &dumped);
}

#[test]
fn every_type_goes_both_ways() {
    let keyspace = unique("dump_types");
    let tables = [
        &*format!("{keyspace}.natives"),
        &format!("{keyspace}.composites"),
    ];
    round_trip(&keyspace, &samples::types(&keyspace), &tables);
}

#[test]
fn cells_keep_their_timestamps_and_ttls() {
    let keyspace = unique("dump_cells");
    let names = ["cells", "statics", "keys_only", "default_ttl"];
    let tables = names.map(|name| format!("{keyspace}.{name}"));
    let tables = tables.each_ref().map(String::as_str);
    round_trip(&keyspace, &samples::cells(&keyspace), &tables);
}

#[test]
fn counters_names_indexes_and_views_go_both_ways() {
    let keyspace = unique("Dump_Odd");
    let quoted = format!("\"{keyspace}\"");
    let names = [
        "counts",
        "static_counts",
        "\"Select\"",
        "indexed",
        "by_city",
    ];
    let tables = names.map(|name| format!("{quoted}.{name}"));
    let tables = tables.each_ref().map(String::as_str);
    // A view on a cluster is built a while after it was made, so it is compared elsewhere.
    round_trip(&quoted, &samples::odd(&quoted), &tables[..4]);
    let desk = Desk::new();
    let (first, second) = (desk.data("first"), desk.data("second"));
    execute(&first, &samples::odd(&quoted));
    load(&desk, &dump(&first, &quoted), &second);
    let view = selected(&second, &tables[4..]);
    assert_same(&view, &selected(&first, &tables[4..]));
    assert_eq!(view.lines().count(), 3, "{view}");
}

#[test]
fn a_dump_may_be_loaded_again_and_newer_values_stay() {
    let keyspace = unique("dump_again");
    let desk = Desk::new();
    let first = desk.data("first");
    execute(&first, &samples::cells(&keyspace));
    let dumped = dump(&first, &keyspace);
    let mut places = vec![desk.data("second")];
    places.extend(live().map(|uri| store(&uri)));
    for place in places {
        load(&desk, &dumped, &place);
        load(&desk, &dumped, &place);
        assert_same(&dump(&place, &keyspace), &dumped);
        let update = format!("UPDATE {keyspace}.cells SET a = 77 WHERE k = 1 AND c = 1;");
        execute(&place, &update);
        load(&desk, &dumped, &place);
        let select = format!("SELECT a FROM {keyspace}.cells WHERE k = 1 AND c = 1;");
        assert_eq!(execute(&place, &select), "a\n77\n");
    }
}

#[test]
fn counters_are_not_loaded_onto_others_unless_that_is_asked_for() {
    let desk = Desk::new();
    let (first, second) = (desk.data("first"), desk.data("second"));
    execute(&first, &samples::odd("odd"));
    let dumped = dump(&first, "odd");
    load(&desk, &dumped, &second);
    let refused = try_load(&desk, &dumped, &second, &[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        said(&refused).contains("odd.counts has counters already")
            && said(&refused).contains("TRUNCATE odd.counts"),
        "{refused:?}"
    );
    assert_same(&dump(&second, "odd"), &dumped);
    let added = try_load(&desk, &dumped, &second, &["--add-counters"]);
    assert!(added.status.success(), "{added:?}");
    let doubled = execute(&second, "SELECT n FROM odd.counts WHERE k = 1;");
    assert_eq!(doubled, "n\n14\n");
}

#[test]
fn a_dump_holds_what_was_asked_for() {
    let desk = Desk::new();
    let first = desk.data("first");
    execute(&first, &samples::odd("one"));
    execute(&first, &samples::odd("\"Two\""));
    let run = |options: &[&str]| {
        let [option, value] = &first;
        stoa(&[&["dump", option, value][..], options].concat())
    };
    let printed = |output: Output| String::from_utf8(output.stdout).unwrap();
    let all = printed(run(&[]));
    assert!(all.contains("KEYSPACE IF NOT EXISTS one ") && all.contains("EXISTS \"Two\" "));
    let table = printed(run(&["--table", "one.indexed", "--schema-only"]));
    assert!(
        table.contains("CREATE TABLE IF NOT EXISTS one.indexed"),
        "{table}"
    );
    assert!(table.contains("CREATE MATERIALIZED VIEW"), "{table}");
    assert!(
        !table.contains("one.counts") && !table.contains("INSERT"),
        "{table}"
    );
    let spread = printed(run(&["--keyspace", "one", "--replication", "east:3"]));
    assert!(
        spread.contains("{'class': 'NetworkTopologyStrategy', 'east': '3'}"),
        "{spread}"
    );
    for (options, part) in [
        (&["--keyspace", "three"][..], "no keyspace three"),
        (&["--table", "one.nothing"], "no table one.nothing"),
        (&["--table", "indexed"], "no table with its keyspace"),
        (&["--as-of", "soon"], "--as-of is a time"),
    ] {
        let output = run(options);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains(part), "{output:?}");
    }
    let file = desk.path("all.cql");
    let output = run(&["-o", &file]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), all);
    let nowhere = desk.data("nowhere");
    let output = stoa(&["dump", &nowhere[0], &nowhere[1]]);
    assert!(
        said(&output).contains("there is no database in"),
        "{output:?}"
    );
    assert!(!Path::new(&nowhere[1]).exists());
}

#[test]
fn what_has_ended_by_now_is_left_out() {
    let desk = Desk::new();
    let first = desk.data("first");
    execute(
        &first,
        "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
         CREATE TABLE k.t (k int PRIMARY KEY, v int);
         INSERT INTO k.t (k, v) VALUES (1, 1) USING TTL 100000;
         INSERT INTO k.t (k, v) VALUES (2, 2);
         INSERT INTO k.t (k) VALUES (3);",
    );
    let [option, value] = &first;
    let later = stoa(&["dump", option, value, "--as-of", "2100-01-01T00:00:00Z"]);
    let later = String::from_utf8(later.stdout).unwrap();
    assert!(
        !later.contains("VALUES (1") && later.contains("VALUES (3)"),
        "{later}"
    );
    assert!(later.contains(" 2 rows,"), "{later}");
    // A dump of long ago: only its TTLs tell.
    let old = dump(&first, "k").replace("count from 1767225600", "count from 1000000000");
    let output = try_load(&desk, &old, &desk.data("second"), &["--unchecked"]);
    assert!(output.status.success(), "{output:?}");
    assert!(said(&output).contains("1 had ended by now"), "{output:?}");
    let rows = selected(&desk.data("second"), &["k.t"]);
    assert_eq!(rows.lines().count(), 3, "{rows}");
}

#[test]
fn writers_do_not_disturb_a_dump() {
    let Some(uri) = live() else { return };
    let keyspace = unique("dump_busy");
    let cluster = store(&uri);
    let mut script = format!(
        "CREATE KEYSPACE {keyspace} WITH replication = \
         {{'class': 'SimpleStrategy', 'replication_factor': 1}};
         CREATE TABLE {keyspace}.t (k int, c int, v text, l list<int>, PRIMARY KEY (k, c));"
    );
    for number in 0..2_000 {
        script.push_str(&format!(
            "INSERT INTO {keyspace}.t (k, c, v, l) VALUES ({}, {number}, 'stays', [1]);",
            number % 100
        ));
    }
    execute(&cluster, &script);
    let mut noise = String::new();
    for number in 0..1_500 {
        let row = format!("k = {} AND c = {}", number % 110, 10_000 + number % 7);
        noise.push_str(&format!(
            "UPDATE {keyspace}.t SET v = '{number}', l = l + [{number}] WHERE {row};\
             DELETE FROM {keyspace}.t WHERE {row};"
        ));
    }
    let writer = {
        let cluster = cluster.clone();
        std::thread::spawn(move || execute(&cluster, &noise))
    };
    let mut dumps = 0;
    let mut last = String::new();
    while !writer.is_finished() || dumps == 0 {
        last = dump(&cluster, &keyspace);
        let stays = last.matches("'stays'").count();
        assert_eq!(stays, 2_000);
        dumps += 1;
    }
    writer.join().unwrap();
    let desk = Desk::new();
    load(&desk, &last, &desk.data("copy"));
    assert_same(&dump(&desk.data("copy"), &keyspace), &last);
}
