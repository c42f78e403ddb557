//! Every sort of refusal, with its kind, its code and what it says about the effect.

use stoa_session::statement::{Batch, BatchKind};
use stoa_session::{Consistency, ErrorKind, Options, Outcome, Session};

use crate::live::Scratch;

#[tokio::test]
async fn refusals_have_their_kind_and_code() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    for (text, kind, code) in [
        ("SELEC 1", ErrorKind::Syntax, 0x2000),
        ("SELECT * FROM nowhere", ErrorKind::Invalid, 0x2200),
        (
            "SELECT * FROM no_such_keyspace.t",
            ErrorKind::Invalid,
            0x2200,
        ),
        (
            "INSERT INTO t (k, v) VALUES (1, 'x')",
            ErrorKind::Invalid,
            0x2200,
        ),
        (
            "CREATE TABLE t (k int PRIMARY KEY)",
            ErrorKind::AlreadyExists,
            0x2400,
        ),
        (
            "ALTER TABLE t WITH gc_grace_seconds = -1",
            ErrorKind::Configuration,
            0x2300,
        ),
    ] {
        let error = scratch.error(text).await;
        assert_eq!(
            (error.kind(), error.code()),
            (kind, Some(code)),
            "{text}: {error}"
        );
        assert_eq!(error.outcome(), Outcome::NotApplied, "{text}");
        assert!(!error.is_retryable(), "{text}");
    }
    for (text, kind) in [
        ("SELEC ?", ErrorKind::Syntax),
        ("SELECT * FROM nowhere WHERE k = ?", ErrorKind::Invalid),
    ] {
        let error = scratch.session.prepare(text).await.expect_err(text);
        assert_eq!(
            (error.kind(), error.outcome()),
            (kind, Outcome::NotApplied),
            "{error}"
        );
    }
    scratch.drop_keyspace().await;
}

#[tokio::test]
async fn a_null_key_is_refused_by_the_server() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    let bound = scratch
        .bind("INSERT INTO t (k, v) VALUES (?, ?)", (None::<i32>, 1))
        .await;
    let error = scratch
        .session
        .execute(&bound, None)
        .await
        .expect_err("null");
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::Invalid, Some(0x2200)),
        "{error}"
    );
    scratch.drop_keyspace().await;
}

#[tokio::test]
async fn too_few_replicas_are_known_before_anything_is_written() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    let two = || Options::new().consistency(Consistency::Three);
    let bound = scratch
        .bind("INSERT INTO t (k, v) VALUES (?, ?)", (1, 1))
        .await;
    let error = scratch
        .session
        .execute(&bound.clone().with(two()), None)
        .await
        .expect_err("one replica");
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::Unavailable, Some(0x1000)),
        "{error}"
    );
    assert_eq!(error.outcome(), Outcome::NotApplied);
    assert!(error.is_retryable());
    // A part of an unlogged batch may have been sent when the next part is refused.
    let mut batch = Batch::new(BatchKind::Unlogged).with(two());
    batch.push(bound.clone());
    batch.push(
        scratch
            .bind("INSERT INTO t (k, v) VALUES (?, ?)", (2, 1))
            .await,
    );
    let error = scratch
        .session
        .batch(&batch)
        .await
        .expect_err("one replica");
    assert_eq!(
        (error.kind(), error.outcome()),
        (ErrorKind::Unavailable, Outcome::Unknown)
    );
    assert!(!error.is_retryable());
    scratch.drop_keyspace().await;
}
