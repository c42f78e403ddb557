//! Changes of the schema among writers.

use std::thread;

use stoa_session::Statement as Text;

use super::*;
use crate::Embedded;

fn run(session: &Embedded, text: &str) -> Answer {
    session.run_now(&Text::new(text), None).unwrap()
}

#[test]
fn a_column_is_dropped_later_than_the_writes_it_waited_for() {
    let database = Database::memory().unwrap();
    let session = database.session();
    for text in [
        "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "CREATE TABLE ks.t (k int PRIMARY KEY, v int)",
    ] {
        run(&session, text);
    }
    let inner = &database.inner;
    let insert = "INSERT INTO ks.t (k, v) VALUES (1, 2)";
    let insert = inner.prepare(insert, None).unwrap();
    thread::scope(|scope| {
        let gate = inner.begin_writing();
        scope.spawn(|| run(&session, "ALTER TABLE ks.t DROP v"));
        // Whoever wants to be alone lets nobody else in.
        while inner.try_begin_writing().is_some() {
            thread::yield_now();
        }
        let call = Call::new(&inner.clock, None);
        let terms = Terms {
            call: &call,
            timestamp: None,
            consistency: None,
            page_size: None,
            at: None,
        };
        let nothing = BoundValues::default();
        inner
            .execute(&insert, &nothing, &terms, Some(&gate))
            .unwrap();
    });
    run(&session, "ALTER TABLE ks.t ADD v int");
    let rows = run(&session, "SELECT k, v FROM ks.t").into_rows();
    let row = rows.first().unwrap();
    assert_eq!(row.get::<Option<i32>>("v"), Ok(None), "it came back");
}
