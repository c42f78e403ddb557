//! The schema changes under writers and readers: columns are dropped and added again, tables emptied,
//! dropped and made again, indexes made and dropped. Whatever was answered has an order: no write
//! that was acknowledged after a change is lost, and nothing from before it comes back.
//!
//! A failure prints its seed. To run others: `STOA_SEEDS=100 STOA_FIRST_SEED=5 cargo test -p
//! stoa-engine --test it schema_races`.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use stoa_engine::{Database, Embedded, Failure, RefusalKind};
use stoa_session::{Batch, BatchKind, Prepared, Statement};
use stoa_testkit::history::order::{Operation, Specification, find_order};
use stoa_testkit::rng::Rng;

use crate::seeds::seeds;

const MAX_STATES: usize = 2_000_000;
const KEYS: i32 = 3;
const TABLE: &str = "CREATE TABLE s (k int PRIMARY KEY, v bigint, w bigint)";

/// What happened to the value of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    Write(i64),
    /// A change of the schema that leaves nothing of it.
    Clear(&'static str),
    Read(Option<i64>),
}

struct Value;

impl Specification for Value {
    type State = Option<i64>;
    type Action = Action;

    fn initial(&self) -> Option<i64> {
        None
    }

    fn apply(&self, state: &Option<i64>, action: &Action) -> Option<Option<i64>> {
        match action {
            Action::Write(value) => Some(Some(*value)),
            Action::Clear(_) => Some(None),
            Action::Read(seen) => (seen == state).then_some(*state),
        }
    }
}

#[derive(Default)]
struct History {
    ticks: AtomicU64,
    is_over: AtomicBool,
    refused: AtomicU64,
    operations: Mutex<BTreeMap<i32, Vec<Operation<Action>>>>,
}

impl History {
    fn tick(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::SeqCst)
    }

    fn note(&self, key: i32, invoked: u64, action: Action) {
        let operation = Operation::new(invoked, self.tick(), action);
        let mut operations = self.operations.lock().unwrap();
        operations.entry(key).or_default().push(operation);
    }

    /// Whether something was done. Only what the schema of that moment forbids may be refused.
    fn is_done<T>(&self, result: Result<T, Failure>) -> Option<T> {
        match result {
            Ok(answer) => Some(answer),
            Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::Invalid => {
                self.refused.fetch_add(1, Ordering::SeqCst);
                None
            }
            Err(failure) => panic!("{failure:?}"),
        }
    }
}

fn run(session: &Embedded, text: &str) {
    let done = session.run_now(&Statement::new(text), None);
    done.unwrap_or_else(|failure| panic!("{text}: {failure}"));
}

/// A thread that writes and reads until the schema stops changing.
struct Client<'h> {
    session: Embedded,
    history: &'h History,
    rng: Rng,
    next: i64,
    insert: Prepared,
    update: Prepared,
    read: Prepared,
}

impl<'h> Client<'h> {
    fn new(database: &Database, history: &'h History, number: i64, rng: Rng) -> Self {
        let session = database.session();
        run(&session, "USE r");
        let prepare = |text: &str| session.prepare_now(text).unwrap();
        Self {
            insert: prepare("INSERT INTO s (k, v) VALUES (?, ?)"),
            update: prepare("UPDATE s SET v = ? WHERE k = ?"),
            read: prepare("SELECT v FROM s WHERE k = ?"),
            session,
            history,
            rng,
            next: number * 1_000_000,
        }
    }

    fn step(&mut self) {
        let key = i32::try_from(self.rng.below(3)).unwrap();
        match self.rng.below(3) {
            0 => self.read(key),
            _ => self.write(key),
        }
    }

    fn write(&mut self, key: i32) {
        self.next += 1;
        let value = self.next;
        let invoked = self.history.tick();
        let done = match self.rng.below(4) {
            0 => {
                let bound = self.insert.bind((key, value)).unwrap();
                self.session.execute_now(&bound, None)
            }
            1 => {
                let bound = self.update.bind((value, key)).unwrap();
                self.session.execute_now(&bound, None)
            }
            2 => {
                let mut batch = Batch::new(BatchKind::Unlogged);
                batch.push(self.insert.bind((key, value)).unwrap());
                batch.push_text(format!("UPDATE s SET v = {value} WHERE k = {key}"));
                self.session.batch_now(&batch)
            }
            _ => {
                let text = format!("INSERT INTO s (k, v) VALUES ({key}, {value})");
                self.session.run_now(&Statement::new(text), None)
            }
        };
        if self.history.is_done(done).is_some() {
            self.history.note(key, invoked, Action::Write(value));
        }
    }

    fn read(&mut self, key: i32) {
        let invoked = self.history.tick();
        let bound = self.read.bind((key,)).unwrap();
        let answer = self.session.execute_now(&bound, None);
        if let Some(answer) = self.history.is_done(answer) {
            let rows = answer.into_rows();
            let seen = rows.first().and_then(|it| it.at::<Option<i64>>(0).unwrap());
            self.history.note(key, invoked, Action::Read(seen));
        }
    }
}

/// Changes the schema. What clears the values is noted for every key.
fn change(session: &Embedded, history: &History, rng: &mut Rng) {
    let (clearing, restoring) = match rng.below(5) {
        0 => ("TRUNCATE s", ""),
        1 => ("DROP TABLE s", TABLE),
        2 => {
            run(session, "CREATE INDEX IF NOT EXISTS i ON s (w)");
            return run(session, "DROP INDEX IF EXISTS i");
        }
        3 => {
            run(session, "ALTER TABLE s ADD x int");
            return run(session, "ALTER TABLE s DROP x");
        }
        _ => ("ALTER TABLE s DROP v", "ALTER TABLE s ADD v bigint"),
    };
    let invoked = history.tick();
    run(session, clearing);
    for key in 0..KEYS {
        history.note(key, invoked, Action::Clear(clearing));
    }
    if !restoring.is_empty() {
        run(session, restoring);
    }
}

fn run_seed(seed: u64) -> u64 {
    let mut rng = Rng::new(seed);
    let history = History::default();
    let database = Database::memory().unwrap();
    let session = database.session();
    let replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
    run(
        &session,
        &format!("CREATE KEYSPACE r WITH replication = {replication}"),
    );
    run(&session, "USE r");
    run(&session, TABLE);
    std::thread::scope(|scope| {
        for number in 1..=3 {
            let mut client = Client::new(&database, &history, number, rng.fork());
            let history = &history;
            scope.spawn(move || {
                for _ in 0..400 {
                    client.step();
                    if history.is_over.load(Ordering::SeqCst) {
                        break;
                    }
                }
            });
        }
        for _ in 0..15 {
            change(&session, &history, &mut rng);
        }
        history.is_over.store(true, Ordering::SeqCst);
    });
    let mut last = Client::new(&database, &history, 4, rng.fork());
    for key in 0..KEYS {
        last.read(key);
        last.write(key);
        last.read(key);
    }
    for (key, operations) in history.operations.into_inner().unwrap() {
        if let Err(failure) = find_order(&Value, &operations, MAX_STATES) {
            let lines = operations.iter().map(|it| format!("{it:?}\n"));
            panic!(
                "seed {seed}, key {key}: {failure}\n{}",
                lines.collect::<String>()
            );
        }
    }
    history.refused.into_inner()
}

#[test]
fn changes_of_the_schema_have_a_place_among_writes_and_reads() {
    let refused: u64 = seeds(20).map(run_seed).sum();
    assert!(refused > 0, "the schema changed under someone");
}
