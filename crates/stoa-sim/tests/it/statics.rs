//! Static columns, conditional batches, collections, pages and refusals.

use std::num::NonZeroU32;

use stoa_session::{Applied, Batch, BatchKind, ErrorKind, Options, Session, Shortcuts, shortcuts};
use stoa_sim::Faults;

use crate::support::{cluster, run};

#[test]
fn a_static_condition_decides_for_the_rows_of_its_partition() {
    let (mut executor, cluster) = cluster(Faults::none(), 1);
    let session = cluster.client("anna");
    let done = run(&mut executor, async move {
        let advance = "UPDATE ks.log SET head = ? WHERE id = 1 IF head = ?";
        let advance = session.prepare(advance).await.unwrap();
        let append = "INSERT INTO ks.log (id, seq, tag) VALUES (1, ?, ?)";
        let append = session.prepare(append).await.unwrap();
        let mut said = Vec::new();
        for (basis, next, tag) in [(None, 1_i64, 10_i64), (None, 2, 20), (Some(1_i64), 2, 30)] {
            let mut batch = Batch::new(BatchKind::Logged);
            batch.push(advance.bind((next, basis)).unwrap());
            batch.push(append.bind((next, tag)).unwrap());
            let answer = session.batch(&batch).await.unwrap();
            said.push(match shortcuts::applied(answer).unwrap() {
                Applied::Yes => None,
                Applied::No(rows) => rows.first().unwrap().get::<Option<i64>>("head").unwrap(),
            });
        }
        said
    });
    assert_eq!(done.unwrap(), [None, Some(1), None]);
    let rows = "SELECT seq, tag, head FROM ks.log WHERE id = 1";
    let rows = cluster.inspect(rows, ()).unwrap();
    let rows = rows.typed::<(i64, i64, i64)>().unwrap();
    let rows: Vec<_> = rows.map(Result::unwrap).collect();
    assert_eq!(rows, [(1, 10, 2), (2, 30, 2)]);
}

#[test]
fn a_partition_of_statics_only_answers_one_row() {
    let (mut executor, cluster) = cluster(Faults::none(), 1);
    let session = cluster.client("anna");
    run(&mut executor, async move {
        let text = "UPDATE ks.log SET head = 7 WHERE id = 1";
        session.query(text, ()).await.unwrap();
    });
    let all = cluster.inspect("SELECT id, seq, head FROM ks.log WHERE id = 1", ());
    let all = all.unwrap();
    let row = all.first().unwrap();
    assert_eq!(row.get::<Option<i64>>("seq").unwrap(), None);
    assert_eq!(row.get::<i64>("head").unwrap(), 7);
    let some = "SELECT head, tag FROM ks.log WHERE id = 1 AND seq > 0";
    assert!(cluster.inspect(some, ()).unwrap().is_empty());
}

#[test]
fn elements_are_added_and_removed_one_by_one() {
    let (mut executor, cluster) = cluster(Faults::none(), 1);
    let session = cluster.client("anna");
    run(&mut executor, async move {
        let tags = |tags: &[&str]| tags.iter().map(ToString::to_string).collect::<Vec<_>>();
        let set = "UPDATE ks.labels SET tags = ? WHERE id = 1";
        let add = "UPDATE ks.labels SET tags = tags + ?, notes['x'] = 5 WHERE id = 1";
        let remove = "UPDATE ks.labels SET tags = tags - ? WHERE id = 1";
        session.query(set, (tags(&["z"]),)).await.unwrap();
        session.query(set, (tags(&["c", "a"]),)).await.unwrap();
        session.query(add, (tags(&["b", "d"]),)).await.unwrap();
        session.query(remove, (tags(&["a"]),)).await.unwrap();
    });
    let rows = cluster.inspect("SELECT tags, notes FROM ks.labels WHERE id = 1", ());
    let rows = rows.unwrap();
    let row = rows.first().unwrap();
    assert_eq!(row.get::<Vec<String>>("tags").unwrap(), ["b", "c", "d"]);
    let notes: std::collections::BTreeMap<String, i32> = row.get("notes").unwrap();
    assert_eq!(notes.into_iter().collect::<Vec<_>>(), [("x".to_owned(), 5)]);
}

#[test]
fn pages_go_on_where_they_ended() {
    let (mut executor, cluster) = cluster(Faults::none(), 1);
    let session = cluster.client("anna");
    let read = run(&mut executor, async move {
        for id in 0..3 {
            for seq in 0..5_i64 {
                let text = "INSERT INTO ks.log (id, seq, tag) VALUES (?, ?, 0)";
                session.query(text, (id, seq)).await.unwrap();
            }
        }
        let mut read = Vec::new();
        for size in [1, 2, 4, 7, 100] {
            let options = Options::new().page_size(NonZeroU32::new(size).unwrap());
            let text = "SELECT id, seq FROM ks.log PER PARTITION LIMIT 4 LIMIT 11";
            let bound = session.prepare(text).await.unwrap();
            let bound = bound.bind(()).unwrap().with(options);
            read.push(session.all::<(i32, i64)>(&bound).await.unwrap());
        }
        read
    });
    let read = read.unwrap();
    assert_eq!(read[0].len(), 11);
    assert!(read.iter().all(|rows| *rows == read[0]), "{read:?}");
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    let (mut executor, cluster) = cluster(Faults::none(), 1);
    let session = cluster.client("anna");
    run(&mut executor, async move {
        for text in [
            "SELECT id FROM ks.log WHERE tag = 1 ALLOW FILTERING",
            "INSERT INTO ks.register (id, n) VALUES (1, token(1))",
            "UPDATE ks.labels SET notes['a'] = 1 WHERE id = 1 IF notes['a'] = 1",
            "SELECT max(n) FROM ks.register",
        ] {
            let error = session.prepare(text).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{text}");
            assert!(error.message().contains("does not support"), "{error}");
        }
        let error = session.prepare("SELEC").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Syntax);
    });
}
