//! Deadlines: every call ends within its own, and says rightly what is known of its effect; what is
//! given up leaves nothing locked.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;
use std::time::Duration;

use stoa_engine::{Database, Embedded, Failure};
use stoa_session::{Error, ErrorKind, Options, Outcome, Session, Shortcuts, Statement};
use stoa_store::{Options as StoreOptions, Store};
use stoa_types::clock::{Clock, SeededIds, SystemClock};

const KEYSPACE: &str = "CREATE KEYSPACE d WITH replication = \
     {'class': 'SimpleStrategy', 'replication_factor': 1}";

fn database(clock: &Arc<dyn Clock>) -> (Database, Store) {
    let options = StoreOptions {
        background: false,
        ..StoreOptions::default()
    };
    let store = Store::memory(options, Arc::clone(clock)).unwrap();
    let ids = Arc::new(SeededIds::new(1));
    let database = Database::with_store(store.clone(), Arc::clone(clock), ids).unwrap();
    (database, store)
}

fn run(session: &Embedded, text: &str) {
    let done = session.run_now(&Statement::new(text), None);
    done.unwrap_or_else(|failure| panic!("{text}: {failure}"));
}

fn prepare_table(session: &Embedded) {
    run(session, KEYSPACE);
    run(session, "USE d");
    run(
        session,
        "CREATE TABLE t (k int, c int, v int, PRIMARY KEY (k, c))",
    );
}

fn keys(session: &Embedded) -> Vec<i32> {
    let answer = session.run_now(&Statement::new("SELECT c FROM t WHERE k = 1"), None);
    let rows = answer.unwrap().into_rows();
    let keys = rows.typed::<(i32,)>().unwrap();
    keys.into_iter().map(|row| row.unwrap().0).collect()
}

/// A commit that does not end until it is released, so that all others wait for it.
struct Stuck {
    release: Sender<()>,
    thread: JoinHandle<()>,
}

impl Stuck {
    fn new(store: &Store) -> Self {
        let store = store.clone();
        let (release, wait): (Sender<()>, Receiver<()>) = channel();
        let (began, begun) = channel();
        let thread = std::thread::spawn(move || {
            let stuck = store.decide(move |_| {
                began.send(()).unwrap();
                let _ = wait.recv();
                Ok(())
            });
            stuck.unwrap();
        });
        begun.recv().unwrap();
        Self { release, thread }
    }

    fn release(self) {
        drop(self.release);
        self.thread.join().unwrap();
    }
}

fn late(error: &Error) -> Outcome {
    assert_eq!(error.kind(), ErrorKind::Deadline, "{error}");
    error.outcome()
}

#[tokio::test]
async fn past_the_deadline_a_write_is_unknown_once_it_has_begun() {
    for condition in ["", " IF NOT EXISTS"] {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let (database, store) = database(&clock);
        let session = database.session();
        prepare_table(&session);
        let stuck = Stuck::new(&store);
        let mut never = Vec::new();
        // A slow machine may not have begun in time, which is not applied. It gets more time then.
        let (unknown, error) = 'begun: {
            for key in 0..20 {
                let text = format!("INSERT INTO t (k, c, v) VALUES (1, {key}, 1){condition}");
                let longest = Duration::from_millis(1 << key);
                let options = Options::new().deadline(longest).idempotent();
                let write = Statement::new(text).with(options);
                let error = session.run(&write, None).await.unwrap_err();
                match late(&error) {
                    Outcome::Unknown => break 'begun (key, error),
                    Outcome::NotApplied => never.push(key),
                }
            }
            panic!("no write ever began")
        };
        assert_eq!(error.is_retryable(), condition.is_empty(), "{error}");
        stuck.release();
        while !keys(&session).contains(&unknown) {
            std::thread::yield_now();
        }
        assert_eq!(keys(&session), [unknown], "given up: {never:?}");
    }
}

#[tokio::test]
async fn a_write_whose_deadline_passed_before_it_began_never_happens() {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let (database, _) = database(&clock);
    let session = database.session();
    prepare_table(&session);
    let options = || Options::new().deadline(Duration::ZERO);
    for text in [
        "INSERT INTO t (k, c) VALUES (1, 1)",
        "UPDATE t SET v = 1 WHERE k = 1 AND c = 2 IF EXISTS",
        "BEGIN BATCH INSERT INTO t (k, c) VALUES (1, 3); APPLY BATCH",
        "ALTER TABLE t ADD w int",
        "CREATE INDEX ON t (v)",
        "TRUNCATE t",
        "USE system",
        "SELECT * FROM t",
    ] {
        let statement = Statement::new(text).with(options());
        let error = session.run(&statement, None).await.unwrap_err();
        assert_eq!(late(&error), Outcome::NotApplied, "{text}");
        assert!(error.is_retryable(), "{text}");
        let now = session.run_now(&statement, None);
        // In the calling thread a read this short ends before it looks at the clock.
        let is_late = matches!(now, Err(Failure::Late { .. }));
        assert!(is_late || text.starts_with("SELECT"), "{text}");
    }
    let insert = session.prepare("INSERT INTO t (k, c) VALUES (1, ?)").await;
    let bound = insert.unwrap().bind((4,)).unwrap().with(options());
    let error = session.execute(&bound, None).await.unwrap_err();
    assert_eq!(late(&error), Outcome::NotApplied);
    // Everything is as it was, and nothing is locked.
    assert_eq!(session.keyspace().as_deref(), Some("d"));
    run(&session, "ALTER TABLE t ADD w int");
    run(&session, "CREATE INDEX ON t (v)");
    assert_eq!(keys(&session), Vec::<i32>::new());
}

#[tokio::test]
async fn a_read_that_waits_ends_at_its_deadline_and_is_not_applied() {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let (database, store) = database(&clock);
    let session = database.session();
    prepare_table(&session);
    // The second write is not shown before somebody asks, and who asks waits for the next commit.
    assert_eq!(keys(&session), Vec::<i32>::new());
    run(&session, "INSERT INTO t (k, c) VALUES (1, 1)");
    run(&session, "INSERT INTO t (k, c) VALUES (1, 2)");
    let stuck = Stuck::new(&store);
    let options = Options::new().deadline(Duration::from_millis(5));
    let read = Statement::new("SELECT * FROM t").with(options);
    let error = session.run(&read, None).await.unwrap_err();
    assert_eq!(late(&error), Outcome::NotApplied);
    assert!(error.is_retryable());
    stuck.release();
    assert_eq!(keys(&session), [1, 2]);
}

/// A clock whose monotonic time moves by a second whenever it is asked.
#[derive(Debug, Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now_micros(&self) -> i64 {
        1_794_800_000_000_000
    }

    fn monotonic(&self) -> Duration {
        Duration::from_secs(self.0.fetch_add(1, Ordering::SeqCst))
    }
}

#[test]
fn a_long_read_stops_at_its_deadline() {
    let clock: Arc<dyn Clock> = Arc::new(Ticking::default());
    let (database, _) = database(&clock);
    let session = database.session();
    prepare_table(&session);
    run(&session, "CREATE INDEX ON t (v)");
    run(&session, "ALTER TABLE t ADD w int");
    for c in 0..2_000 {
        let k = c % 2;
        run(
            &session,
            &format!("INSERT INTO t (k, c, v) VALUES ({k}, {c}, 1)"),
        );
    }
    for text in [
        "SELECT count(*) FROM t",
        "SELECT * FROM t WHERE k = 1 AND w = 2 ALLOW FILTERING",
        "SELECT * FROM t WHERE v = 1",
    ] {
        let read = |seconds| {
            let options = Options::new().deadline(Duration::from_secs(seconds));
            session.run_now(&Statement::new(text).with(options), None)
        };
        let failure = read(4).unwrap_err();
        assert!(matches!(failure, Failure::Late { .. }), "{text}: {failure}");
        assert!(read(1_000).is_ok(), "{text}");
    }
}

#[tokio::test]
async fn who_stops_between_pages_or_in_a_call_leaves_nothing_locked() {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let (database, _) = database(&clock);
    let session = database.session();
    prepare_table(&session);
    for c in 0..50 {
        run(
            &session,
            &format!("INSERT INTO t (k, c, v) VALUES (1, {c}, 1)"),
        );
    }
    let small = Options::new().page_size(NonZeroU32::new(7).unwrap());
    let read = Statement::new("SELECT * FROM t WHERE k = 1").with(small);
    let first = session.run(&read, None).await.unwrap();
    assert!(first.next.is_some());
    let mut context = Context::from_waker(Waker::noop());
    for at in [None, first.next.as_ref()] {
        let mut dropped = session.run(&read, at);
        let _: Poll<_> = dropped.as_mut().poll(&mut context);
    }
    for c in 50..60 {
        let text = format!("INSERT INTO t (k, c, v) VALUES (1, {c}, 1)");
        let write = Statement::new(text);
        let mut dropped = session.run(&write, None);
        let _: Poll<_> = dropped.as_mut().poll(&mut context);
    }
    // Whatever those left behind, the schema can be changed, tables emptied and dropped.
    for text in [
        "ALTER TABLE t ADD w int",
        "CREATE INDEX ON t (v)",
        "TRUNCATE t",
        "INSERT INTO t (k, c, w) VALUES (1, 1, 1)",
        "DROP TABLE t",
    ] {
        session.run_text(text).await.unwrap();
    }
    // A page of a table that is gone is refused.
    let gone = session.run(&read, first.next.as_ref()).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::Invalid, "{gone}");
    database.close().unwrap();
}
