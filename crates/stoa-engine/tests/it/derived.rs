//! Random writes to a table with indexes and views: what is read through an index is what a scan
//! of a twin without indexes finds, and a view is what its table shows.
//!
//! A failure prints its seed. To run more or other seeds:
//! `STOA_SEEDS=1000 STOA_FIRST_SEED=5 cargo test -p stoa-engine --test it derived`.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use stoa_engine::{Database, Embedded};
use stoa_session::{Options as Asking, Statement};
use stoa_store::catalog::CatalogChange;
use stoa_store::cell::{Liveness, RowRef};
use stoa_store::key::PartitionKey;
use stoa_store::kv::Direction;
use stoa_store::partition::Slice;
use stoa_store::row::PackedRow;
use stoa_store::table::TableId;
use stoa_store::{Options, Store};
use stoa_testkit::rng::Rng;
use stoa_types::Token;
use stoa_types::clock::{Clock, ManualClock, SeededIds};

use crate::seeds::seeds;

const COLUMNS: &str = "(k int, j int, c int, s int STATIC, a int, b text, l list<int>, \
     m map<int, int>, e set<int>, f frozen<list<int>>, PRIMARY KEY ((k, j), c)) \
     WITH gc_grace_seconds = 5";

/// Indexes, and a condition that each answers.
const INDEXES: [(&str, &str); 11] = [
    (
        "CREATE CUSTOM INDEX ON t (a) USING 'StorageAttachedIndex'",
        "a = ?",
    ),
    ("CREATE INDEX ON t (b)", "b = 'x?'"),
    ("CREATE INDEX ON t (s)", "s = ?"),
    ("CREATE INDEX ON t (j)", "j = ?"),
    ("CREATE INDEX ON t (c)", "c = ?"),
    ("CREATE INDEX ON t (l)", "l CONTAINS ?"),
    ("CREATE INDEX ON t (keys(m))", "m CONTAINS KEY ?"),
    ("CREATE INDEX ON t (values(m))", "m CONTAINS ?"),
    ("CREATE INDEX ON t (entries(m))", "m[?] = 1"),
    ("CREATE INDEX ON t (e)", "e CONTAINS ?"),
    ("CREATE INDEX ON t (full(f))", "f = [?]"),
];

/// The place among them of the one on a part of the partition key.
const PART_OF_KEY: usize = 3;

/// More conditions that those indexes answer.
const MORE: [&str; 5] = [
    "a > ?",
    "a >= 1 AND a < ?",
    "a = ? AND b = 'x1'",
    "k = 1 AND j = ? AND a = 1",
    "k = 1 AND j = 1 AND c > 0 AND b = 'x?'",
];

const VIEWS: [&str; 2] = [
    "CREATE MATERIALIZED VIEW v AS SELECT k, j, c, a, b, m FROM t WHERE a IS NOT NULL AND \
     k IS NOT NULL AND j IS NOT NULL AND c IS NOT NULL PRIMARY KEY (a, k, j, c)",
    "CREATE MATERIALIZED VIEW w AS SELECT k, j, c, b FROM t WHERE c > 0 AND k IS NOT NULL AND \
     j IS NOT NULL PRIMARY KEY (j, c, k)",
];

struct World {
    clock: Arc<ManualClock>,
    store: Store,
    database: Database,
    session: Embedded,
    rng: Rng,
}

fn open(store: &Store, clock: &Arc<ManualClock>, seed: u64) -> (Database, Embedded) {
    let shared: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
    let ids = Arc::new(SeededIds::with_clock(seed, Arc::clone(&shared)));
    let database = Database::with_store(store.clone(), shared, ids).unwrap();
    let session = database.session();
    (database, session)
}

impl World {
    /// A table and its twin; `t` has no indexes and views yet.
    fn new(seed: u64) -> Self {
        let clock = Arc::new(ManualClock::at_micros(1_794_800_000_000_000));
        let shared: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let options = Options {
            background: false,
            ..Options::default()
        };
        let store = Store::memory(options, shared).unwrap();
        let (database, session) = open(&store, &clock, seed);
        let world = Self {
            clock,
            store,
            database,
            session,
            rng: Rng::new(seed),
        };
        let replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
        world.run(&format!(
            "CREATE KEYSPACE d WITH replication = {replication}"
        ));
        world.run("USE d");
        world.run(&format!("CREATE TABLE u {COLUMNS}"));
        world.run(&format!("CREATE TABLE t {COLUMNS}"));
        world
    }

    fn run(&self, text: &str) {
        let done = self.session.run_now(&Statement::new(text), None);
        done.unwrap_or_else(|failure| panic!("{text}: {failure}"));
    }

    fn derive(&self) {
        for (index, _) in INDEXES {
            self.run(index);
        }
        for view in VIEWS {
            self.run(view);
        }
    }

    /// The rows of an answer, read in pages of a size.
    fn read(&self, text: &str, page: Option<u32>) -> Vec<String> {
        let mut asking = Asking::new();
        asking.page_size = page.and_then(NonZeroU32::new);
        let statement = Statement::new(text).with(asking);
        let (mut rows, mut at) = (Vec::new(), None);
        loop {
            let answer = self.session.run_now(&statement, at.as_ref());
            let answer = answer.unwrap_or_else(|failure| panic!("{text}: {failure}"));
            at.clone_from(&answer.next);
            let told = answer.into_rows();
            rows.extend(told.iter().map(|it| format!("{:?}", it.values().unwrap())));
            if at.is_none() {
                return rows;
            }
        }
    }

    fn number(&mut self) -> u64 {
        self.rng.below(4)
    }

    /// One random write, as text with `#` for the name of the table.
    fn statement(&mut self) -> String {
        let [k, j, c, x, y] = std::array::from_fn(|_| self.number());
        let (k, j) = (k % 3, j % 2);
        let time = 1_000 + self.rng.below(30);
        let ttl = match self.rng.below(4) {
            0 => format!(" AND TTL {}", 1 + self.rng.below(6)),
            _ => String::new(),
        };
        let using = format!("USING TIMESTAMP {time}{ttl}");
        let row = format!("WHERE k = {k} AND j = {j} AND c = {c}");
        let partition = format!("WHERE k = {k} AND j = {j}");
        let deleting = format!("USING TIMESTAMP {time}");
        match self.rng.below(22) {
            0..=3 => {
                format!("INSERT INTO # (k, j, c, a, b) VALUES ({k}, {j}, {c}, {x}, 'x{y}') {using}")
            }
            4 => format!("INSERT INTO # (k, j, c) VALUES ({k}, {j}, {c}) {using}"),
            5 => format!("INSERT INTO # (k, j, s) VALUES ({k}, {j}, {x}) {using}"),
            6 | 7 => format!("UPDATE # {using} SET a = {x} {row}"),
            8 => format!("UPDATE # {using} SET b = 'x{y}', s = {x} {row}"),
            9 => format!("UPDATE # {using} SET l = [{x}, {y}] {row}"),
            10 => format!("UPDATE # {using} SET m = m + {{{x}: {y}}}, e = e + {{{y}}} {row}"),
            11 => format!("UPDATE # {using} SET m = {{{x}: 1, {y}: 2}}, f = [{x}] {row}"),
            12 => format!("UPDATE # {using} SET m[{x}] = {y}, e = {{{x}, {y}}} {row}"),
            13 => format!("DELETE a FROM # {deleting} {row}"),
            14 => format!("DELETE b, l, m[{x}] FROM # {deleting} {row}"),
            15 => format!("DELETE s FROM # {deleting} {partition}"),
            16 => format!("DELETE FROM # {deleting} {row}"),
            17 => format!("DELETE FROM # {deleting} {partition} AND c > {x}"),
            18 => format!("DELETE FROM # {deleting} {partition} AND c >= {x} AND c <= {y}"),
            19 => format!("DELETE FROM # {deleting} {partition}"),
            20 => format!("DELETE m, e, f FROM # {deleting} {row}"),
            _ => format!("UPDATE # {deleting} SET a = null, b = null {row}"),
        }
    }

    /// One random step on both tables.
    fn step(&mut self) -> String {
        match self.rng.below(12) {
            0 => {
                let seconds = 1 + self.rng.below(4);
                self.clock.advance(Duration::from_secs(seconds));
                return format!("{seconds} seconds pass");
            }
            1 => {
                self.store.purge().unwrap();
                return "what may be forgotten is".to_owned();
            }
            _ => {}
        }
        let text = match self.rng.below(6) {
            0 => {
                let parts: Vec<String> = (0..4).map(|_| self.statement() + ";").collect();
                format!("BEGIN BATCH {} APPLY BATCH", parts.join(" "))
            }
            _ => self.statement(),
        };
        for table in ["t", "u"] {
            self.run(&text.replace('#', table));
        }
        text
    }

    /// Whether what is derived is what the tables say.
    fn agree(&mut self) -> Result<(), String> {
        let value = self.number().to_string();
        let conditions = INDEXES.iter().map(|it| it.1).chain(MORE);
        for condition in conditions {
            let condition = condition.replace('?', &value);
            let all = format!("SELECT * FROM u WHERE {condition} ALLOW FILTERING");
            let expected = self.read(&all, None);
            let found = format!("SELECT * FROM t WHERE {condition} ALLOW FILTERING");
            for page in [None, Some(1), Some(3)] {
                same(&condition, &self.read(&found, page), &expected)?;
            }
        }
        let columns = "a, k, j, c, b, m, writetime(b), ttl(b)";
        let mut expected = self.read(&format!("SELECT {columns} FROM u"), None);
        expected.retain(|it| !it.starts_with("[Null"));
        self.view_agrees("v", columns, expected)?;
        let columns = "c, k, j, b, writetime(b), ttl(b)";
        let mut expected = self.read(&format!("SELECT {columns} FROM u"), None);
        expected.retain(|it| !it.starts_with("[Null") && !it.starts_with("[Int(0)"));
        self.view_agrees("w", columns, expected)
    }

    fn view_agrees(
        &self,
        view: &str,
        columns: &str,
        mut expected: Vec<String>,
    ) -> Result<(), String> {
        let mut rows = self.read(&format!("SELECT {columns} FROM {view}"), None);
        rows.sort();
        expected.sort();
        same(view, &rows, &expected)
    }

    /// The tables of the store that were made for indexes and views, in the order they were made.
    fn derived_tables(&self) -> Vec<TableId> {
        let tables = self.store.view().unwrap().catalog().tables();
        tables.iter().map(|it| it.id).skip(2).collect()
    }

    /// The first row of a table of the store.
    fn first_row(&self, table: TableId) -> Option<(PartitionKey, Vec<u8>)> {
        let view = self.store.view().unwrap();
        let mut keys = view.partitions(table, Token(i64::MIN)).unwrap();
        let key = keys.next()?.unwrap();
        let partition = view.partition(table, key.clone()).unwrap();
        let mut rows = partition.rows(&Slice::all(), Direction::Forward).unwrap();
        let clustering = rows.next()?.unwrap().clustering().to_vec();
        Some((key, clustering))
    }

    /// Removes the first row of a table of the store; false if it has none.
    fn remove_one(&self, table: TableId) -> bool {
        let Some((key, clustering)) = self.first_row(table) else {
            return false;
        };
        self.store
            .decide(move |group| group.replace_row(table, &key, &clustering, None))
            .unwrap();
        true
    }
}

fn same(what: &str, found: &[String], expected: &[String]) -> Result<(), String> {
    match found == expected {
        true => Ok(()),
        false => Err(format!(
            "{what}\n  found    {}\n  expected {}",
            found.join("\n           "),
            expected.join("\n           ")
        )),
    }
}

#[test]
fn indexes_and_views_agree_with_their_table() {
    for seed in seeds(40) {
        let mut world = World::new(seed);
        let made_at = world.rng.below(40);
        let mut steps = Vec::new();
        for step in 0..60 {
            if step == made_at {
                world.derive();
            }
            steps.push(world.step());
            if step >= made_at
                && let Err(what) = world.agree()
            {
                let made_at = usize::try_from(made_at).unwrap_or_default();
                steps.insert(made_at, "indexes and views are made".to_owned());
                panic!("seed {seed}: {what}\nafter\n{}", steps.join("\n"));
            }
        }
    }
}

/// A world with rows that have everything.
fn filled(seed: u64) -> World {
    let world = World::new(seed);
    world.derive();
    for table in ["t", "u"] {
        for c in 0..3 {
            world.run(&format!(
                "INSERT INTO {table} (k, j, c, s, a, b, l, m, e, f) VALUES \
                 (1, 1, {c}, 1, 1, 'x1', [1], {{1: 1}}, {{1}}, [1]) USING TIMESTAMP 5"
            ));
        }
    }
    world
}

/// What is wrong, asking for every value.
fn differences(world: &mut World) -> Vec<String> {
    let asked = (0..40).map(|_| world.agree());
    asked.filter_map(Result::err).collect()
}

#[test]
fn a_missing_entry_or_row_is_noticed() {
    let tables = filled(1).derived_tables();
    assert_eq!(tables.len(), INDEXES.len() + VIEWS.len());
    for (table, number) in tables.into_iter().zip(0..) {
        let mut world = filled(1);
        assert_eq!(differences(&mut world), Vec::<String>::new());
        assert!(world.remove_one(table), "{table:?} is empty");
        // Entries on a part of the key find rows twice: as rows, and through their partition.
        while number == PART_OF_KEY && world.remove_one(table) {}
        assert!(!differences(&mut world).is_empty(), "{table:?} went unseen");
    }
}

#[test]
fn a_stale_entry_changes_no_answer_and_a_stale_row_of_a_view_is_noticed() {
    let tables = filled(1).derived_tables();
    for (table, is_view) in [(tables[0], false), (tables[INDEXES.len()], true)] {
        let mut world = filled(1);
        let (key, mut clustering) = world.first_row(table).unwrap();
        // The first component is an int, 1: separator, four bytes, and so on.
        assert_eq!(clustering[4], 1);
        clustering[4] = 2;
        let row = RowRef {
            liveness: Some(Liveness {
                timestamp: 0,
                expiry: None,
            }),
            ..RowRef::default()
        };
        let row = PackedRow::encode(&row).unwrap();
        world
            .store
            .decide(move |group| group.replace_row(table, &key, &clustering, Some(&row)))
            .unwrap();
        assert_eq!(!differences(&mut world).is_empty(), is_view);
    }
}

#[test]
fn a_build_that_a_crash_interrupted_is_finished_when_opening() {
    for table in filled(2).derived_tables() {
        let mut world = filled(2);
        while world.remove_one(table) {}
        let base = world.store.view().unwrap().catalog().tables()[1].id.0;
        let record = format!(r#"{{"format": 1, "base": {base}, "partition": null, "row": null}}"#);
        let name = format!("build/{}", table.0).into_bytes();
        world
            .store
            .change_catalog(CatalogChange {
                records: vec![(name, Some(record.into_bytes()))],
                ..CatalogChange::default()
            })
            .unwrap();
        let (database, session) = open(&world.store, &world.clock, 3);
        (world.database, world.session) = (database, session);
        world.run("USE d");
        assert_eq!(differences(&mut world), Vec::<String>::new());
        let left = world.store.view().unwrap().records(b"build/").unwrap();
        assert_eq!(left, Vec::new());
    }
}

#[test]
fn an_index_over_many_rows_is_built_whole_and_read_in_pages() {
    let mut world = World::new(4);
    for c in 0..1_600 {
        for table in ["t", "u"] {
            let k = c % 3;
            world.run(&format!(
                "INSERT INTO {table} (k, j, c, a) VALUES ({k}, 1, {c}, {}) USING TIMESTAMP 5",
                c % 2
            ));
        }
    }
    world.derive();
    for condition in ["a = 1", "a >= 0", "a = 0 AND k = 1 AND j = 1"] {
        let from =
            |table: &str| format!("SELECT k, c FROM {table} WHERE {condition} ALLOW FILTERING");
        let expected = world.read(&from("u"), None);
        assert!(expected.len() > 200);
        for page in [None, Some(150)] {
            same(condition, &world.read(&from("t"), page), &expected).unwrap();
        }
    }
    assert_eq!(world.agree(), Ok(()));
}

#[test]
fn truncating_a_table_empties_what_is_derived_from_it() {
    let mut world = filled(5);
    world.run("TRUNCATE t");
    world.run("TRUNCATE u");
    for table in world.derived_tables() {
        assert!(!world.remove_one(table), "{table:?} is not empty");
    }
    assert_eq!(differences(&mut world), Vec::<String>::new());
}

/// How many rows a large partition has.
const MANY: usize = 100_000;

#[test]
fn a_deletion_of_many_rows_takes_what_is_derived_from_them_and_leaves_what_is_later() {
    for (many, deletion, left) in [
        (MANY, "WHERE k = 1 AND j = 1", 3),
        (MANY / 20, "WHERE k = 1 AND j = 1 AND c >= 10", 3 + 10),
    ] {
        let world = World::new(6);
        let run = |text: &str| world.run(text);
        let sai = "CREATE CUSTOM INDEX ON t (a) USING 'StorageAttachedIndex'";
        [sai, VIEWS[0], VIEWS[1]].into_iter().for_each(run);
        for c in (0..many).collect::<Vec<_>>().chunks(1_000) {
            let rows = c.iter().map(|c| {
                // Three rows are written later than the deletion, or in part.
                let time = if [50, many - 10].contains(c) { 20 } else { 5 };
                format!(
                    "INSERT INTO t (k, j, c, a) VALUES (1, 1, {c}, {}) USING TIMESTAMP {time}; ",
                    c % 7
                )
            });
            run(&format!(
                "BEGIN BATCH {} APPLY BATCH",
                rows.collect::<String>()
            ));
        }
        run("UPDATE t USING TIMESTAMP 20 SET a = 3 WHERE k = 1 AND j = 1 AND c = 2500");
        run(&format!("DELETE FROM t USING TIMESTAMP 10 {deletion}"));
        let count = |text: &str| world.read(text, None).len();
        assert_eq!(count("SELECT c FROM t"), left, "{deletion}");
        assert_eq!(count("SELECT c FROM v"), left, "{deletion}");
        // The row with c = 0 is not in this view.
        let zero = usize::from(left > 3);
        assert_eq!(count("SELECT c FROM w"), left - zero, "{deletion}");
        assert_eq!(count("SELECT c FROM t WHERE a >= 0"), left, "{deletion}");
        // Nothing but what is left is stored for the index and the views.
        for table in world.derived_tables() {
            let view = world.store.view().unwrap();
            let keys = view.partitions(table, Token(i64::MIN)).unwrap();
            let rows = keys.map(|key| {
                let partition = view.partition(table, key.unwrap()).unwrap();
                partition
                    .rows(&Slice::all(), Direction::Forward)
                    .unwrap()
                    .count()
            });
            assert!(rows.sum::<usize>() <= left, "{table:?}");
        }
    }
}
