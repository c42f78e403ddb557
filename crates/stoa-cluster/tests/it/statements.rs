//! What programs do with statements: pages, batches, conditions, timestamps, altered tables.

use std::num::NonZeroU32;

use stoa_session::statement::{Batch, BatchKind};
use stoa_session::{Applied, Consistency, Options, Session, Shortcuts, Statement};
use stoa_types::WriteTime;

use crate::live::Scratch;

fn page_size(rows: u32) -> Options {
    Options::new().page_size(NonZeroU32::new(rows).expect("not zero"))
}

#[tokio::test]
async fn pages_of_every_size_give_all_rows_in_order() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int, c int, PRIMARY KEY (k, c))")
        .await;
    for number in 0..10 {
        scratch
            .query("INSERT INTO t (k, c) VALUES (1, ?)", (number,))
            .await;
    }
    let select = "SELECT c FROM t WHERE k = ?";
    for size in [1, 2, 7, 10, 100] {
        let bound = scratch.bind(select, (1,)).await.with(page_size(size));
        let mut stream = scratch.session.stream::<(i32,)>(bound.clone());
        let mut seen = Vec::new();
        while let Some((number,)) = stream.next().await.expect("a row") {
            seen.push(number);
        }
        assert_eq!(seen, (0..10).collect::<Vec<_>>(), "pages of {size}");

        let first = scratch.session.execute(&bound, None).await.expect("a page");
        assert_eq!(first.rows().expect("rows").len(), 10.min(size as usize));
        let statement = Statement::new("SELECT c FROM t WHERE k = 1").with(page_size(size));
        let unprepared = scratch.session.run(&statement, None).await.expect("a page");
        assert_eq!(unprepared.rows(), first.rows());
        let Some(next) = &first.next else { continue };
        let second = scratch
            .session
            .execute(&bound, Some(next))
            .await
            .expect("a page");
        let again = scratch
            .session
            .run(&statement, unprepared.next.as_ref())
            .await
            .expect("a page");
        assert_eq!(second.rows(), again.rows());
    }
    scratch.drop_keyspace().await;
}

#[tokio::test]
async fn a_batch_of_prepared_and_of_plain_writes_happens_as_one() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    for kind in [BatchKind::Logged, BatchKind::Unlogged] {
        let mut batch = Batch::new(kind);
        for number in [1, 2] {
            batch.push(
                scratch
                    .bind("INSERT INTO t (k, v) VALUES (?, ?)", (number, number))
                    .await,
            );
        }
        batch.push_text("INSERT INTO t (k, v) VALUES (3, 3)");
        scratch.session.batch(&batch).await.expect("applied");
        let rows = scratch.run("SELECT v FROM t").await.into_rows();
        assert_eq!(rows.len(), 3);
        scratch.run("TRUNCATE t").await;
    }
    let mut batch = Batch::new(BatchKind::Logged);
    batch.push_text("INSERT INTO t (k, v) VALUES (1, 1) IF NOT EXISTS");
    for is_applied in [true, false] {
        let answer = scratch.session.batch(&batch).await.expect("answered");
        let applied = stoa_session::shortcuts::applied(answer).expect("conditional");
        assert_eq!(applied.is_yes(), is_applied);
    }
    scratch.drop_keyspace().await;
}

#[tokio::test]
async fn counters_add_up() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, n counter)")
        .await;
    let add = "UPDATE t SET n = n + ? WHERE k = ?";
    scratch.query(add, (2_i64, 1)).await;
    let mut batch = Batch::new(BatchKind::Counter);
    batch.push(scratch.bind(add, (3_i64, 1)).await);
    batch.push(scratch.bind(add, (5_i64, 2)).await);
    scratch.session.batch(&batch).await.expect("applied");
    let rows = scratch.query("SELECT n FROM t WHERE k = ?", (1,)).await;
    assert_eq!(rows.first().expect("one").get::<i64>("n"), Ok(5));
    scratch.drop_keyspace().await;
}

#[tokio::test]
async fn a_condition_is_answered_with_what_stood_against_it() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    let insert = scratch
        .bind("INSERT INTO t (k, v) VALUES (?, ?) IF NOT EXISTS", (1, 5))
        .await;
    assert!(
        scratch
            .session
            .apply(&insert)
            .await
            .expect("answered")
            .is_yes()
    );
    let Applied::No(rows) = scratch.session.apply(&insert).await.expect("answered") else {
        panic!("applied twice");
    };
    let row = rows.first().expect("what stood against it");
    assert_eq!((row.get::<i32>("k"), row.get::<i32>("v")), (Ok(1), Ok(5)));
    // The same statement answers other columns when it is applied: both are right each time.
    let other = scratch
        .bind("INSERT INTO t (k, v) VALUES (?, ?) IF NOT EXISTS", (2, 5))
        .await;
    assert!(
        scratch
            .session
            .apply(&other)
            .await
            .expect("answered")
            .is_yes()
    );
    let serial = Options::new().consistency(Consistency::Serial);
    let read = scratch
        .session
        .query_with("SELECT v FROM t WHERE k = ?", (1,), serial)
        .await;
    assert_eq!(read.expect("answered").into_rows().len(), 1);
    scratch.drop_keyspace().await;
}

#[tokio::test]
async fn a_timestamp_of_the_options_is_the_cells_timestamp() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    let at = |micros| Options::new().timestamp(WriteTime::from_micros(micros).expect("in range"));
    let insert = "INSERT INTO t (k, v) VALUES (?, ?)";
    for (micros, value) in [(2_000, 2), (1_000, 1)] {
        scratch
            .session
            .query_with(insert, (1, value), at(micros))
            .await
            .expect("applied");
    }
    let rows = scratch
        .query("SELECT v, WRITETIME(v) FROM t WHERE k = ?", (1,))
        .await;
    let read = rows.typed::<(i32, i64)>().expect("fits").next();
    assert_eq!(read, Some(Ok((2, 2_000))));

    let statement = Statement::new("INSERT INTO t (k, v) VALUES (1, 3)").with(at(3_000));
    scratch
        .session
        .run(&statement, None)
        .await
        .expect("applied");
    let mut batch = Batch::new(BatchKind::Unlogged).with(at(2_500));
    batch.push(scratch.bind(insert, (1, 4)).await);
    batch.push(scratch.bind(insert, (2, 4)).await);
    scratch.session.batch(&batch).await.expect("applied");
    let rows = scratch
        .run("SELECT k, v, WRITETIME(v) FROM t")
        .await
        .into_rows();
    let read: Vec<_> = rows.typed::<(i32, i32, i64)>().expect("fits").collect();
    assert_eq!(read, [Ok((1, 3, 3_000)), Ok((2, 4, 2_500))]);
    scratch.drop_keyspace().await;
}

#[tokio::test]
async fn a_prepared_statement_outlives_a_change_of_its_table() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    scratch
        .query("INSERT INTO t (k, v) VALUES (?, ?)", (1, 5))
        .await;
    let all = scratch.bind("SELECT * FROM t WHERE k = ?", (1,)).await;
    let before = scratch
        .session
        .execute(&all, None)
        .await
        .expect("answered")
        .into_rows();
    assert_eq!(before.columns().len(), 2);
    scratch.run("ALTER TABLE t ADD w text").await;
    scratch
        .query("UPDATE t SET w = ? WHERE k = ?", ("new", 1))
        .await;
    for _ in 0..2 {
        let after = scratch
            .session
            .execute(&all, None)
            .await
            .expect("answered")
            .into_rows();
        let row = after.first().expect("one");
        assert_eq!(
            (row.get::<i32>("v"), row.get::<&str>("w")),
            (Ok(5), Ok("new"))
        );
    }
    scratch.run("DROP TABLE t").await;
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v text)")
        .await;
    scratch
        .run("INSERT INTO t (k, v) VALUES (1, 'another')")
        .await;
    let after = scratch
        .session
        .execute(&all, None)
        .await
        .expect("answered")
        .into_rows();
    assert_eq!(after.first().expect("one").get::<&str>("v"), Ok("another"));
    scratch.drop_keyspace().await;
}

#[tokio::test]
async fn a_text_is_prepared_once() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch.run("CREATE TABLE t (k int PRIMARY KEY)").await;
    let first = scratch.bind("SELECT k FROM t WHERE k = ?", (1,)).await;
    let second = scratch.bind("SELECT k FROM t WHERE k = ?", (2,)).await;
    let (first, second) = (first.prepared(), second.prepared());
    assert!(std::ptr::eq(first.text(), second.text()));
    scratch.drop_keyspace().await;
}

#[tokio::test]
async fn warnings_are_handed_on() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    let answer = scratch.run("SELECT count(*) FROM t").await;
    assert!(
        answer
            .warnings
            .iter()
            .any(|it| it.contains("partition key")),
        "{answer:?}"
    );
    scratch.drop_keyspace().await;
}
