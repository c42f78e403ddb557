//! Hostile statements: always an answer or an error, never a panic, and bounded memory.
//!
//! The statements of the conformance scripts are mutated, so that most get past the parser, and
//! executed in an order that still makes sense, so that many get past the schema. Values of variables
//! are random bytes. A child process does it, so that its memory can be measured and its death is
//! seen. A panic names its seed and statement; the same seed repeats the run.
//!
//! More: `STOA_FUZZ_STATEMENTS=1000000 cargo test --release -p stoa-engine --test it fuzz`; other
//! seeds by `STOA_FIRST_SEED`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use stoa_engine::{Database, Embedded, Failure};
use stoa_session::bind::{BoundValues, Cell};
use stoa_session::{Answer, Statement};
use stoa_store::{Options, Store};
use stoa_testkit::conformance::suite::{self, Case};
use stoa_testkit::rng::Rng;
use stoa_types::clock::{Clock, ManualClock, SeededIds};

use crate::seeds::number;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance");

/// What a child is asked to do: `mutants` or `giants`.
const TASK: &str = "STOA_FUZZ_TASK";

/// How many statements a run executes unless it is told otherwise.
const STATEMENTS: u64 = 50_000;

/// The most memory that may be used for statements of ordinary sizes.
const MOST_KIB: u64 = 400 * 1024;

/// The most memory that may be used for the largest: five million numbers in ten megabytes of text
/// are trees and values before it is known that they are too many.
const MOST_KIB_OF_GIANTS: u64 = 5 * 1024 * 1024 / 2;

/// This binary again, doing a task, whose words to us it returns.
fn child(task: &str, most_kib: u64) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "fuzz::program", "--nocapture"]);
    command.env(TASK, task).stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{task}: {said}\n{complained}");
    let peak = said.lines().find_map(|it| it.strip_prefix("peak KiB: "));
    let peak: u64 = peak.expect("a peak").parse().unwrap();
    assert!(peak <= most_kib, "{task} used {peak} KiB");
    said
}

#[test]
fn mutated_statements_are_answered_or_refused() {
    let said = child("mutants", MOST_KIB);
    println!("{said}");
}

#[test]
fn giant_statements_are_answered_or_refused() {
    let said = child("giants", MOST_KIB_OF_GIANTS);
    println!("{said}");
}

/// What a child does. Without a task it has nothing to do.
#[test]
fn program() {
    match std::env::var(TASK).as_deref() {
        Ok("mutants") => mutants(),
        Ok("giants") => giants(),
        _ => return,
    }
    println!("\npeak KiB: {}", peak_kib());
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|it| it.parse().ok()).unwrap()
}

fn database() -> Database {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::at_micros(1_794_800_000_000_000));
    let options = Options {
        background: false,
        ..Options::default()
    };
    let store = Store::memory(options, Arc::clone(&clock)).unwrap();
    Database::with_store(store, clock, Arc::new(SeededIds::new(1))).unwrap()
}

#[expect(clippy::print_stdout, reason = "a child tells its parent how it went")]
fn mutants() {
    let cases = suite::load(Path::new(FOLDER)).unwrap();
    let seed = number("STOA_FIRST_SEED", 0);
    let wanted = number("STOA_FUZZ_STATEMENTS", STATEMENTS);
    let mut run = Run {
        rng: Rng::new(seed),
        cases: &cases,
        database: database(),
        executed: 0,
        answered: 0,
    };
    while run.executed < wanted {
        let last = catch_unwind(AssertUnwindSafe(|| run.script()));
        assert!(last.is_ok(), "seed {seed}, statement {}", run.executed);
    }
    let share = run.answered * 100 / run.executed;
    println!(
        "seed {seed}: {} statements, {share} % answered",
        run.executed
    );
    assert!(share > 5, "too few get far");
}

struct Run<'c> {
    rng: Rng,
    cases: &'c [Case],
    database: Database,
    executed: u64,
    answered: u64,
}

impl Run<'_> {
    /// Runs one script, of which most statements are mutated.
    fn script(&mut self) {
        let case = self.rng.pick(self.cases).unwrap();
        if self.executed / 20_000 != (self.executed + 40) / 20_000 {
            self.database = database();
        }
        let session = self.database.session();
        let keyspace = format!("f{}", self.executed);
        let replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
        for text in [
            format!("CREATE KEYSPACE {keyspace} WITH replication = {replication}"),
            format!("USE {keyspace}"),
        ] {
            session.run_now(&Statement::new(text), None).unwrap();
        }
        for step in &case.script.steps {
            let text = step.statement.replace("$KS", &keyspace);
            // The tables are made as they should be, mostly.
            let is_made = text.starts_with("CREATE") && self.rng.chance(80);
            if is_made || self.rng.chance(15) {
                self.execute(&session, &text);
            }
            if !is_made {
                let text = self.mutate(&text);
                self.execute(&session, &text);
            }
        }
        let drop = Statement::new(format!("DROP KEYSPACE IF EXISTS {keyspace}"));
        session.run_now(&drop, None).unwrap();
    }

    fn execute(&mut self, session: &Embedded, text: &str) {
        self.executed += 1;
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(session, text)));
        match answer {
            Ok(Ok(_)) => self.answered += 1,
            Ok(Err(Failure::Refused(_))) => {}
            // A key that is too long is refused by the store.
            Ok(Err(Failure::Store(stoa_store::StoreError::KeyTooLong { .. }))) => {}
            Ok(Err(failure)) => panic!("{text:?} fails with {failure}"),
            Err(_) => panic!("{text:?} panics"),
        }
    }

    fn answer(&mut self, session: &Embedded, text: &str) -> Result<Answer, Failure> {
        let prepared = session.prepare_now(text)?;
        if prepared.variables().is_empty() {
            return session.run_now(&Statement::new(text), None);
        }
        let mut values = BoundValues::default();
        for _ in prepared.variables() {
            let bytes = self.bytes();
            let cell = match self.rng.below(8) {
                0 => Cell::Null,
                1 => Cell::Unset,
                _ => Cell::Bytes(&bytes),
            };
            values.push_cell(cell).unwrap();
        }
        session.execute_now(&prepared.bind(values).unwrap(), None)
    }

    /// Bytes as numbers, lengths and texts have them, or any.
    fn bytes(&mut self) -> Vec<u8> {
        let length = match self.rng.below(6) {
            0 => 0,
            1 => 1,
            2 => 8,
            3 => 16,
            4 => self.rng.index(64),
            _ => 4,
        };
        let fill = self.rng.below(4);
        let byte = |rng: &mut Rng| match fill {
            0 => 0,
            1 => 0xff,
            2 => u8::try_from(b'a' as u64 + rng.below(26)).unwrap(),
            _ => rng.next_u64().to_le_bytes()[0],
        };
        (0..length).map(|_| byte(&mut self.rng)).collect()
    }

    fn mutate(&mut self, text: &str) -> String {
        let mut parts = tokens(text);
        for _ in 0..1 + self.rng.below(3) {
            if parts.is_empty() {
                break;
            }
            let at = self.rng.index(parts.len());
            let other = self.rng.index(parts.len());
            match self.rng.below(9) {
                0 => {
                    parts.remove(at);
                }
                1 => {
                    let copy = parts[at].clone();
                    parts.insert(at, copy);
                }
                2 => parts.swap(at, other),
                3 => parts[at] = self.foreign_token(),
                4 => parts.insert(at, self.character().to_string()),
                5 => parts[at] = self.value(),
                6 => parts.truncate(at),
                7 => {
                    let copy = parts[at..].to_vec();
                    parts.extend(copy);
                }
                _ => parts[at] = parts[at].replace(|it: char| it.is_ascii_digit(), "9"),
            }
        }
        parts.concat()
    }

    /// A token of any other statement.
    fn foreign_token(&mut self) -> String {
        let case = self.rng.pick(self.cases).unwrap();
        let Some(step) = self.rng.pick(&case.script.steps) else {
            return String::new();
        };
        let tokens = tokens(&step.statement);
        self.rng.pick(&tokens).cloned().unwrap_or_default()
    }

    /// A character of any plane of Unicode.
    fn character(&mut self) -> char {
        let planes = 17;
        let plane = u32::try_from(self.rng.below(planes)).unwrap();
        let within = match self.rng.below(3) {
            0 => u32::try_from(self.rng.below(128)).unwrap(),
            _ => u32::try_from(self.rng.below(65_536)).unwrap(),
        };
        char::from_u32(plane << 16 | within).unwrap_or('\0')
    }

    /// A value at the edge of something.
    fn value(&mut self) -> String {
        let values = [
            "null",
            "0",
            "-1",
            "2147483648",
            "-9223372036854775808",
            "9223372036854775807",
            "170141183460469231731687303715884105728",
            "1e308",
            "-1e-400",
            "1e999999999",
            "NaN",
            "-Infinity",
            "''",
            "'\0'",
            "'9999999-99-99'",
            "'-5877641-06-23'",
            "0x",
            "0xff",
            "[]",
            "{}",
            "{1: 1}",
            "()",
            "P1Y",
            "1y2mo3w4d5h6m7s8ms9us10ns",
            "9223372036854775807y",
            "?",
            ":a",
            "now()",
            "token(k)",
            "(int) 1",
            "-(-(-(1)))",
            "1 / 0",
            "1 % 0",
            "-9223372036854775808 / -1",
            "99999999999999999999999999",
            "00000000-0000-1000-8000-000000000000",
            "\u{10ffff}",
            "\u{1F600}",
        ];
        (*self.rng.pick(&values).unwrap()).to_owned()
    }
}

/// A text in words, spaces and other characters, each with its neighbours of the same kind.
fn tokens(text: &str) -> Vec<String> {
    let kind = |it: char| match it {
        it if it.is_alphanumeric() || it == '_' => 1,
        it if it.is_whitespace() => 2,
        _ => 0,
    };
    let mut out: Vec<String> = Vec::new();
    let mut last = 0;
    for character in text.chars() {
        let this = kind(character);
        match out.last_mut() {
            Some(token) if this != 0 && this == last => token.push(character),
            _ => out.push(character.to_string()),
        }
        last = this;
    }
    out
}

/// How many brackets, and how many bytes.
const DEPTH: usize = 100_000;
const BYTES: usize = 10_000_000;

#[expect(clippy::print_stdout, reason = "a child tells its parent how it went")]
fn giants() {
    let database = database();
    let session = database.session();
    for text in [
        "CREATE KEYSPACE g WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "USE g",
        "CREATE TABLE t (k int, c int, v text, l list<int>, s set<text>, m map<int, int>, \
         d decimal, i varint, PRIMARY KEY (k, c))",
    ] {
        session.run_now(&Statement::new(text), None).unwrap();
    }
    let mut answered = 0;
    let all = nested().chain(long());
    for (what, text) in all {
        let answer = catch_unwind(AssertUnwindSafe(|| {
            session.run_now(&Statement::new(text), None)
        }));
        match answer {
            Ok(Ok(_)) => answered += 1,
            Ok(Err(Failure::Refused(_))) => {}
            Ok(Err(failure)) => panic!("{what} fails with {failure}"),
            Err(_) => panic!("{what} panics"),
        }
        println!("{what}: peak {} KiB", peak_kib());
    }
    assert!(answered > 0, "some of these are CQL");
}

/// Statements with brackets in brackets.
fn nested() -> impl Iterator<Item = (String, String)> {
    let places = [
        ("SELECT ", " FROM t"),
        ("SELECT * FROM t WHERE k = ", ""),
        ("INSERT INTO t (k, c, l) VALUES (1, 1, ", ")"),
        ("UPDATE t SET l = ", " WHERE k = 1 AND c = 1"),
        ("CREATE TABLE u (k int PRIMARY KEY, v ", ")"),
        ("CREATE TABLE u (k int PRIMARY KEY) WITH compaction = ", ""),
        ("INSERT INTO t JSON '", "'"),
        ("", ""),
    ];
    let brackets = [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("{1: ", "}"),
        ("frozen<", ">"),
        ("abs(", ")"),
        ("(int)", ""),
        ("-", ""),
        ("NOT ", ""),
        ("/*", "*/"),
        ("BEGIN BATCH ", " APPLY BATCH"),
        ("\"a\".", ""),
    ];
    places.into_iter().flat_map(move |(before, after)| {
        brackets.into_iter().flat_map(move |(open, close)| {
            [close, ""].map(|close| {
                let text = [
                    before,
                    &open.repeat(DEPTH),
                    "1",
                    &close.repeat(DEPTH),
                    after,
                ];
                (format!("{before}{open}...{close}{after}"), text.concat())
            })
        })
    })
}

/// Statements of ten megabytes.
fn long() -> impl Iterator<Item = (String, String)> {
    let places = [
        ("INSERT INTO t (k, c, v) VALUES (1, 1, '", "a", "')"),
        ("INSERT INTO t (k, c, v) VALUES (1, 2, $$", "é", "$$)"),
        ("INSERT INTO t (k, c, l) VALUES (1, 1, [", "1,", "1])"),
        ("INSERT INTO t (k, c, m) VALUES (1, 1, {", "1: 1,", "1: 1})"),
        ("INSERT INTO t (k, c, s) VALUES (1, 1, {", "'a',", "'a'})"),
        ("INSERT INTO t (k, c, i) VALUES (1, 1, ", "9", ")"),
        ("INSERT INTO t (k, c, d) VALUES (1, 1, 0.", "9", ")"),
        ("INSERT INTO t (k, c, v) VALUES (1, 1, 0x", "ff", ")"),
        ("INSERT INTO t JSON '{", "\"a\": 1,", "\"k\": 1}'"),
        ("INSERT INTO t JSON '", " ", "'"),
        ("SELECT * FROM t WHERE k IN (", "1,", "1)"),
        ("SELECT * FROM t WHERE k = 1 AND c IN (", "1,", "1)"),
        ("SELECT * FROM t WHERE k = 1", " AND c > 1", ""),
        ("SELECT ", "k,", "k FROM t"),
        ("SELECT ", "1+", "1 FROM t"),
        ("SELECT k AS ", "a", " FROM t"),
        ("SELECT * FROM ", "a", ""),
        ("BEGIN BATCH ", "DELETE FROM t WHERE k = 1; ", "APPLY BATCH"),
        ("CREATE TABLE u (k int PRIMARY KEY", ", a int", ")"),
        ("CREATE TABLE ", "a", " (k int PRIMARY KEY)"),
        (
            "CREATE TABLE u (k int PRIMARY KEY) WITH comment = '",
            "a",
            "'",
        ),
        ("", " ", "SELECT * FROM t"),
        ("-- ", "a", "\nSELECT * FROM t"),
        ("/* ", "a", " */ SELECT * FROM t"),
        ("", ";", ""),
        ("", "a", ""),
        ("", "'", ""),
        ("", "\0", ""),
        ("", "\u{10ffff}", ""),
        ("", "?", ""),
        ("SELECT * FROM t WHERE k IN (", "?,", "?)"),
    ];
    places.into_iter().map(|(before, middle, after)| {
        let many = BYTES / middle.len();
        let text = [before, &middle.repeat(many), after].concat();
        (format!("{before}{middle}...{after}"), text)
    })
}
