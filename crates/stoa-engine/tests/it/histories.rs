//! Many threads at once on one database: batches over tables are seen whole, conditional writes have
//! one order, counters are exact, and what an index or a view answers is what the table answers at
//! that moment. In memory, and on disk with reopening in between.
//!
//! A failure prints its seed. To run others: `STOA_SEEDS=100 STOA_FIRST_SEED=5 cargo test -p
//! stoa-engine --test it histories`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use stoa_engine::{Database, Embedded};
use stoa_session::{Bound, Prepared, Rows, Statement};
use stoa_store::{CommitMode, Options, Store};
use stoa_testkit::history::batches::{BatchAction, check_batches};
use stoa_testkit::history::order::Operation;
use stoa_testkit::history::register::{RegisterAction, SetOutcome, check_registers};
use stoa_testkit::rng::Rng;
use stoa_types::clock::{Clock, SystemClock, SystemIds};

use crate::seeds::seeds;

const MAX_STATES: usize = 2_000_000;

/// How many rows each group of the indexed table has; exactly one of them is its holder.
const MEMBERS: i32 = 5;
/// Partitions that a batch writes, in each of two tables.
const CELLS: i32 = 3;
const COUNTERS: i32 = 2;

const SCHEMA: [&str; 10] = [
    "CREATE KEYSPACE h WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "USE h",
    "CREATE TABLE a (k int PRIMARY KEY, tag bigint)",
    "CREATE TABLE b (k int, c int, tag bigint, PRIMARY KEY (k, c))",
    "CREATE TABLE l (k int PRIMARY KEY, v bigint)",
    "CREATE TABLE n (k int PRIMARY KEY, n counter)",
    "CREATE TABLE t (g int, m int, holder int, tag bigint, PRIMARY KEY (g, m))",
    "CREATE INDEX ON t (holder)",
    "CREATE CUSTOM INDEX ON t (tag) USING 'StorageAttachedIndex'",
    "CREATE MATERIALIZED VIEW v AS SELECT g, m, holder, tag FROM t WHERE holder IS NOT NULL AND \
     g IS NOT NULL AND m IS NOT NULL PRIMARY KEY (holder, g, m)",
];

/// What happened to each register: a key of a conditional table, or the tag of a group.
type Registers = BTreeMap<(char, i32), Vec<Operation<RegisterAction>>>;

/// Everything that happened, in all rounds.
#[derive(Default)]
struct History {
    ticks: AtomicU64,
    values: AtomicU64,
    batches: Mutex<Vec<Operation<BatchAction>>>,
    /// Conditional writes, and the tags of groups.
    registers: Mutex<Registers>,
    /// What was added to each counter: before an addition began, and after it ended.
    begun: [AtomicU64; COUNTERS as usize],
    ended: [AtomicU64; COUNTERS as usize],
    applied: AtomicU64,
}

impl History {
    fn tick(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::SeqCst)
    }

    /// A value that is used once.
    fn value(&self) -> u64 {
        self.values.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn batch(&self, invoked: u64, action: BatchAction) {
        let operation = Operation::new(invoked, self.tick(), action);
        self.batches.lock().unwrap().push(operation);
    }

    fn register(&self, name: (char, i32), invoked: u64, action: RegisterAction) {
        let operation = Operation::new(invoked, self.tick(), action);
        let mut registers = self.registers.lock().unwrap();
        registers.entry(name).or_default().push(operation);
    }

    fn check(self) {
        let batches = self.batches.into_inner().unwrap();
        if let Err(failure) = check_batches(&batches, MAX_STATES) {
            print(&batches);
            panic!("{failure}");
        }
        let registers = self.registers.into_inner().unwrap();
        if let Err((name, failure)) = check_registers(&registers, MAX_STATES) {
            print(&registers[&name]);
            panic!("{name:?}: {failure}");
        }
        assert!(self.applied.into_inner() > 5, "some conditions held");
    }
}

#[expect(clippy::print_stdout, reason = "a failure shows what happened")]
fn print(operations: &[Operation<impl std::fmt::Debug>]) {
    for (place, operation) in operations.iter().enumerate() {
        println!("{place}: {operation:?}");
    }
}

/// One thread's session.
struct Client<'h> {
    session: Embedded,
    history: &'h History,
    rng: Rng,
    prepared: BTreeMap<&'static str, Prepared>,
}

impl Client<'_> {
    fn bind(&mut self, text: &'static str, values: impl stoa_session::ToValues) -> Bound {
        let prepared = self.prepared.entry(text).or_insert_with(|| {
            let prepared = self.session.prepare_now(text);
            prepared.unwrap_or_else(|failure| panic!("{text}: {failure}"))
        });
        prepared.bind(values).unwrap()
    }

    fn ask(&mut self, text: &'static str, values: impl stoa_session::ToValues) -> Rows {
        let bound = self.bind(text, values);
        let answer = self.session.execute_now(&bound, None);
        let answer = answer.unwrap_or_else(|failure| panic!("{text}: {failure}"));
        answer.into_rows()
    }

    fn run(&self, text: &str) {
        let done = self.session.run_now(&Statement::new(text), None);
        done.unwrap_or_else(|failure| panic!("{text}: {failure}"));
    }

    fn step(&mut self) {
        match self.rng.below(14) {
            0 | 1 => self.write_batch(),
            2 => self.read_table("SELECT k, tag FROM a WHERE k IN (0, 1, 2)", 0),
            3 => self.read_table("SELECT k, tag FROM b WHERE k IN (0, 1, 2)", CELLS),
            4 => self.read_table("SELECT k, tag FROM a", 0),
            5 | 6 => self.compare_and_set(),
            7 => self.read_conditional(),
            8 => self.count(),
            9 => self.read_counter(),
            10 | 11 => self.move_holder(),
            12 => self.read_group(),
            _ => self.read_derived(),
        }
    }

    /// One batch over two tables. All batches write the same cells, because of two that only
    /// overlap each cell shows the one with the later timestamp, whichever was committed first.
    fn write_batch(&mut self) {
        let tag = self.history.value();
        let mut text = String::from("BEGIN BATCH ");
        for k in 0..CELLS {
            text += &format!("INSERT INTO a (k, tag) VALUES ({k}, {tag}); ");
            text += &format!("INSERT INTO b (k, c, tag) VALUES ({k}, 0, {tag}); ");
        }
        let invoked = self.history.tick();
        self.run(&(text + "APPLY BATCH"));
        let cells = (0..2 * CELLS).map(i32::cast_unsigned).collect();
        self.history
            .batch(invoked, BatchAction::Write { tag, cells });
    }

    fn read_table(&mut self, text: &'static str, first: i32) {
        let invoked = self.history.tick();
        let rows = self.ask(text, ());
        let mut seen: BTreeMap<u32, Option<u64>> = BTreeMap::new();
        for cell in first..first + CELLS {
            seen.insert(cell.cast_unsigned(), None);
        }
        for row in rows.typed::<(i32, i64)>().unwrap() {
            let (k, tag) = row.unwrap();
            seen.insert((first + k).cast_unsigned(), Some(tag.cast_unsigned()));
        }
        let seen = seen.into_iter().collect();
        self.history.batch(invoked, BatchAction::Read(seen));
    }

    fn conditional_value(&mut self, key: i32) -> Option<u64> {
        let rows = self.ask("SELECT v FROM l WHERE k = ?", (key,));
        let first = rows.first()?;
        Some(first.at::<i64>(0).unwrap().cast_unsigned())
    }

    fn read_conditional(&mut self) {
        let key = i32::try_from(self.rng.below(2)).unwrap();
        let invoked = self.history.tick();
        let seen = self.conditional_value(key);
        let action = RegisterAction::Read(seen);
        self.history.register(('l', key), invoked, action);
    }

    fn compare_and_set(&mut self) {
        let key = i32::try_from(self.rng.below(2)).unwrap();
        let expected = match self.rng.below(3) {
            0 => None,
            _ => self.conditional_value(key),
        };
        let new = self.history.value();
        let invoked = self.history.tick();
        let rows = match expected {
            None => self.ask(
                "INSERT INTO l (k, v) VALUES (?, ?) IF NOT EXISTS",
                (key, new.cast_signed()),
            ),
            Some(expected) => self.ask(
                "UPDATE l SET v = ? WHERE k = ? IF v = ?",
                (new.cast_signed(), key, expected.cast_signed()),
            ),
        };
        let row = rows.first().unwrap();
        let outcome = match row.get::<bool>("[applied]").unwrap() {
            true => {
                self.history.applied.fetch_add(1, Ordering::SeqCst);
                SetOutcome::Applied
            }
            false => SetOutcome::Refused {
                seen: row.get::<Option<i64>>("v").unwrap().map(i64::cast_unsigned),
            },
        };
        let action = RegisterAction::CompareAndSet {
            expected,
            new,
            outcome,
        };
        self.history.register(('l', key), invoked, action);
    }

    fn count(&mut self) {
        let key = self.rng.index(COUNTERS as usize);
        let by = 1 + self.rng.below(3);
        self.history.begun[key].fetch_add(by, Ordering::SeqCst);
        let values = (by.cast_signed(), i32::try_from(key).unwrap());
        self.ask("UPDATE n SET n = n + ? WHERE k = ?", values);
        self.history.ended[key].fetch_add(by, Ordering::SeqCst);
    }

    /// A counter shows all additions that ended before, and none that begins later.
    fn read_counter(&mut self) {
        let key = self.rng.index(COUNTERS as usize);
        let least = self.history.ended[key].load(Ordering::SeqCst);
        let values = (i32::try_from(key).unwrap(),);
        let rows = self.ask("SELECT n FROM n WHERE k = ?", values);
        let seen = rows.first().map_or(0, |it| it.at::<i64>(0).unwrap());
        let most = self.history.begun[key].load(Ordering::SeqCst);
        let seen = seen.cast_unsigned();
        assert!((least..=most).contains(&seen), "{least} {seen} {most}");
    }

    /// Makes one member of a group its holder, and gives all of them a new tag.
    fn move_holder(&mut self) {
        let group = i32::try_from(self.rng.below(2)).unwrap();
        let chosen = i32::try_from(self.rng.below(5)).unwrap();
        let tag = self.history.value();
        let mut text = String::from("BEGIN BATCH ");
        for member in 0..MEMBERS {
            let holder = i32::from(member == chosen);
            text += &format!(
                "UPDATE t SET holder = {holder}, tag = {tag} WHERE g = {group} AND m = {member}; "
            );
        }
        let invoked = self.history.tick();
        self.run(&(text + "APPLY BATCH"));
        let action = RegisterAction::Write(tag);
        self.history.register(('t', group), invoked, action);
    }

    /// The one tag of a group's rows, of which there must be so many.
    fn tag_of(rows: &Rows, many: usize, what: &str) -> Option<u64> {
        let tags = rows.typed::<(i64,)>().unwrap();
        let mut tags: Vec<i64> = tags.into_iter().map(|it| it.unwrap().0).collect();
        assert!([0, many].contains(&tags.len()), "{what}: {tags:?}");
        tags.dedup();
        assert!(tags.len() <= 1, "{what}: {tags:?}");
        tags.first().copied().map(i64::cast_unsigned)
    }

    fn read_group(&mut self) {
        let group = i32::try_from(self.rng.below(2)).unwrap();
        let text = "SELECT tag FROM t WHERE g = ?";
        let invoked = self.history.tick();
        let rows = self.ask(text, (group,));
        let seen = Self::tag_of(&rows, MEMBERS as usize, text);
        let action = RegisterAction::Read(seen);
        self.history.register(('t', group), invoked, action);
        // What an index on the tag finds is all of the group, or nothing if it has moved on.
        if let Some(tag) = seen {
            let text = "SELECT tag FROM t WHERE tag = ?";
            let rows = self.ask(text, (tag.cast_signed(),));
            Self::tag_of(&rows, MEMBERS as usize, text);
        }
    }

    fn read_derived(&mut self) {
        let group = i32::try_from(self.rng.below(2)).unwrap();
        let (text, many) = [
            ("SELECT tag FROM t WHERE holder = 1 AND g = ?", 1),
            ("SELECT tag FROM t WHERE holder = 0 AND g = ?", MEMBERS - 1),
            ("SELECT tag FROM v WHERE holder = 1 AND g = ?", 1),
            ("SELECT tag FROM v WHERE holder = 0 AND g = ?", MEMBERS - 1),
            ("SELECT tag FROM v WHERE g = ? ALLOW FILTERING", MEMBERS),
        ][self.rng.index(5)];
        let invoked = self.history.tick();
        let rows = self.ask(text, (group,));
        let seen = Self::tag_of(&rows, usize::try_from(many).unwrap(), text);
        let action = RegisterAction::Read(seen);
        self.history.register(('t', group), invoked, action);
    }
}

fn open(folder: Option<&Path>) -> Database {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let options = Options {
        commit_mode: CommitMode::Periodic {
            every: Duration::from_secs(10),
        },
        ..Options::default()
    };
    let store = match folder {
        Some(folder) => Store::open(folder, options, Arc::clone(&clock)).unwrap(),
        None => Store::memory(options, Arc::clone(&clock)).unwrap(),
    };
    let ids = Arc::new(SystemIds::with_clock(Arc::clone(&clock)));
    Database::with_store(store, clock, ids).unwrap()
}

fn client<'h>(database: &Database, history: &'h History, rng: Rng) -> Client<'h> {
    Client {
        session: database.session(),
        history,
        rng,
        prepared: BTreeMap::new(),
    }
}

/// Rounds of threads that write and read; between rounds the database is opened anew.
fn run_seed(seed: u64, folder: Option<&Path>) {
    let history = History::default();
    let mut rng = Rng::new(seed);
    let mut database = open(folder);
    let first = client(&database, &history, rng.fork());
    SCHEMA.iter().for_each(|text| first.run(text));
    drop(first);
    for _ in 0..3 {
        std::thread::scope(|scope| {
            for _ in 0..5 {
                let mut client = client(&database, &history, rng.fork());
                client.run("USE h");
                scope.spawn(move || (0..40).for_each(|_| client.step()));
            }
        });
        if folder.is_some() {
            database.close().unwrap();
            drop(database);
            database = open(folder);
        }
        let mut last = client(&database, &history, rng.fork());
        last.run("USE h");
        // Nothing is under way, so that every counter is exact, and whatever is read must fit.
        for _ in 0..12 {
            last.read_counter();
            last.read_conditional();
            last.read_group();
            last.read_derived();
        }
        last.read_table("SELECT k, tag FROM a", 0);
        last.read_table("SELECT k, tag FROM b", CELLS);
    }
    database.close().unwrap();
    history.check();
}

/// Runs seeds, and says which one failed.
fn run_seeds(folder: Option<&Path>, many: u64) {
    for seed in seeds(many) {
        let folder = folder.map(|it| it.join(seed.to_string()));
        let run = || run_seed(seed, folder.as_deref());
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        assert!(ended.is_ok(), "seed {seed} failed; see above");
    }
}

#[test]
fn concurrent_histories_in_memory_have_an_order() {
    run_seeds(None, 12);
}

#[test]
fn concurrent_histories_on_disk_have_an_order_through_reopening() {
    let folder = tempfile::tempdir().unwrap();
    run_seeds(Some(folder.path()), 4);
}
