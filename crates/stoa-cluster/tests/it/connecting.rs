//! Connecting, keyspaces, and what is said when it does not work.

use std::time::Duration;

use stoa_cluster::{Cluster, Password};
use stoa_session::uri::ClusterAddress;
use stoa_session::{BackEnd, Body, ErrorKind, Outcome, Shortcuts};

use crate::live::{Scratch, address, connect};

fn parse(uri: &str) -> ClusterAddress {
    match uri.parse() {
        Ok(BackEnd::Cluster(address)) => *address,
        other => panic!("{uri}: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_nothing_listens_one_line_says_so() {
    let error = Cluster::connect(&parse("cql://127.0.0.1:1/?deadline=5s"), None)
        .await
        .expect_err("nothing listens");
    assert_eq!(
        error.to_string(),
        "nothing answers at 127.0.0.1:1: connection refused"
    );
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert_eq!(error.outcome(), Outcome::NotApplied);
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_listener_that_never_speaks_is_left_at_the_deadline() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = silent.local_addr().expect("bound").port();
    let connecting = async {
        let address = parse(&format!("cql://127.0.0.1:{port}/?deadline=200ms"));
        Cluster::connect(&address, None).await
    };
    let answer = tokio::time::timeout(Duration::from_secs(5), connecting).await;
    let error = answer.expect("in time").expect_err("nobody speaks");
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert!(error.message().contains("nothing answers at"), "{error}");
}

#[tokio::test]
async fn a_user_without_a_password_is_told_how_to_give_one() {
    let error = Cluster::connect(&parse("cql://anna@127.0.0.1:1"), None)
        .await
        .expect_err("no password");
    assert_eq!(error.kind(), ErrorKind::Credentials);
    assert!(error.message().contains("password-env"), "{error}");
    let password = Password::new("x");
    let error = Cluster::connect(&parse("cql://127.0.0.1:1"), Some(&password))
        .await
        .expect_err("no user");
    assert_eq!(error.kind(), ErrorKind::Credentials);
}

#[tokio::test]
async fn a_missing_keyspace_is_made_only_with_a_replication_factor() {
    let Some(mut address) = address() else { return };
    address.keyspace = Some("cluster_it_nowhere".into());
    let error = connect(&address).await.expect_err("absent");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.message().contains("rf=N"), "{error}");
}

#[tokio::test]
async fn an_unknown_datacenter_is_refused_with_those_there_are() {
    let Some(mut address) = address() else { return };
    address.datacenter = Some("atlantis".into());
    let error = connect(&address).await.expect_err("unknown");
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.message().contains("datacenter1"), "{error}");
}

#[tokio::test]
async fn statements_use_the_keyspace_that_was_used_last() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    let quoted = format!("{}_Q", scratch.keyspace);
    scratch
        .run(&format!(
            "CREATE KEYSPACE \"{quoted}\" WITH replication = \
             {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
        ))
        .await;
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    scratch
        .query("INSERT INTO t (k, v) VALUES (?, ?)", (1, 10))
        .await;
    let answer = scratch.run(&format!("USE \"{quoted}\"")).await;
    assert!(matches!(answer.body, Body::UsedKeyspace(name) if name == quoted));

    let error = scratch.session.prepare_error("SELECT v FROM t").await;
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    scratch
        .query("INSERT INTO t (k, v) VALUES (?, ?)", (1, 20))
        .await;
    let rows = scratch.query("SELECT v FROM t WHERE k = ?", (1,)).await;
    assert_eq!(rows.first().expect("one").at::<i32>(0), Ok(20));

    let error = scratch.error("USE nowhere_at_all").await;
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::Invalid, Some(0x2200))
    );
    let rows = scratch.query("SELECT v FROM t WHERE k = ?", (1,)).await;
    assert_eq!(rows.first().expect("one").at::<i32>(0), Ok(20));

    scratch.run(&format!("USE {}", scratch.keyspace)).await;
    let rows = scratch.query("SELECT v FROM t WHERE k = ?", (1,)).await;
    assert_eq!(rows.first().expect("one").at::<i32>(0), Ok(10));
    scratch.run(&format!("DROP KEYSPACE \"{quoted}\"")).await;
    scratch.drop_keyspace().await;
}

/// What a text is answered when it cannot be prepared.
trait PrepareError {
    async fn prepare_error(&self, text: &str) -> stoa_session::Error;
}

impl PrepareError for Cluster {
    async fn prepare_error(&self, text: &str) -> stoa_session::Error {
        self.query(text, ()).await.expect_err(text)
    }
}
