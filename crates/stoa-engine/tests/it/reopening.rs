//! What was written before a database was opened anew is never later than what is written after it.

use std::path::Path;
use std::sync::Arc;

use stoa_engine::{Database, Embedded};
use stoa_session::Statement;
use stoa_store::{Options, Store};
use stoa_types::clock::{Clock, ManualClock, SeededIds};

const NOW_MICROS: i64 = 1_794_800_000_000_000;

fn open(folder: &Path, clock: &Arc<ManualClock>) -> (Database, Embedded) {
    let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
    let options = Options {
        background: false,
        ..Options::default()
    };
    let store = Store::open(folder, options, Arc::clone(&clock)).unwrap();
    let database = Database::with_store(store, clock, Arc::new(SeededIds::new(1))).unwrap();
    let session = database.session();
    (database, session)
}

fn run(session: &Embedded, text: &str) -> Option<i32> {
    let answer = session.run_now(&Statement::new(text), None);
    let answer = answer.unwrap_or_else(|failure| panic!("{text}: {failure}"));
    let rows = answer.into_rows();
    rows.first().and_then(|it| it.get::<i32>("v").ok())
}

/// Rounds of conditional and plain writes on one row, each after opening anew.
fn rounds(clock: &Arc<ManualClock>, is_closed: bool, between: impl Fn()) {
    let folder = tempfile::tempdir().unwrap();
    let (database, session) = open(folder.path(), clock);
    let replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
    let keyspace = format!("CREATE KEYSPACE r WITH replication = {replication}");
    run(&session, &keyspace);
    run(&session, "CREATE TABLE r.t (k int PRIMARY KEY, v int)");
    run(
        &session,
        "INSERT INTO r.t (k, v) VALUES (1, 0) IF NOT EXISTS",
    );
    database.close().unwrap();
    drop((database, session));
    for round in 1..6 {
        let (database, session) = open(folder.path(), clock);
        run(&session, &format!("UPDATE r.t SET v = {round} WHERE k = 1"));
        assert_eq!(run(&session, "SELECT v FROM r.t"), Some(round));
        if round % 2 == 0 {
            let text = format!("UPDATE r.t SET v = 100 WHERE k = 1 IF v = {round}");
            run(&session, &text);
            assert_eq!(run(&session, "SELECT v FROM r.t"), Some(100));
            run(&session, &format!("UPDATE r.t SET v = {round} WHERE k = 1"));
        }
        if is_closed {
            database.close().unwrap();
        }
        drop((database, session));
        between();
    }
}

#[test]
fn a_plain_write_after_a_crash_is_later_than_all_before_it() {
    let clock = Arc::new(ManualClock::at_micros(NOW_MICROS));
    rounds(&clock, false, || ());
}

#[test]
fn a_write_is_later_than_all_before_it_though_the_clock_was_set_back() {
    let clock = Arc::new(ManualClock::at_micros(NOW_MICROS));
    rounds(&clock, true, || clock.jump_micros(-3_600_000_000));
}

#[test]
fn closing_leaves_timestamps_at_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at_micros(NOW_MICROS));
    for round in 0..20 {
        let (database, session) = open(folder.path(), &clock);
        if round == 0 {
            let replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
            let keyspace = format!("CREATE KEYSPACE r WITH replication = {replication}");
            run(&session, &keyspace);
            run(&session, "CREATE TABLE r.t (k int PRIMARY KEY, v int)");
        }
        let text = format!("INSERT INTO r.t (k, v) VALUES ({round}, 1) IF NOT EXISTS");
        run(&session, &text);
        let read = Statement::new(format!("SELECT writetime(v) FROM r.t WHERE k = {round}"));
        let rows = session.run_now(&read, None).unwrap().into_rows();
        let time = rows.first().unwrap().at::<i64>(0).unwrap();
        assert!((NOW_MICROS..NOW_MICROS + 1_000).contains(&time), "{time}");
        database.close().unwrap();
    }
}
