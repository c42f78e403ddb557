//! Statements that were sent and whose answers do not come: late, or never.
//!
//! A relay stands between the session and the server. Told to, it hands statements on and keeps
//! what the server answers, or closes the connection then.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use stoa_cluster::Cluster;
use stoa_session::uri::Host;
use stoa_session::{ErrorKind, Options, Outcome, Session, Shortcuts};

use crate::live::{Scratch, address, connect};

/// What the relay does with answers.
const HAND_ON: u8 = 0;
const KEEP: u8 = 1;
const CLOSE: u8 = 2;

/// The relay; its threads end with the test.
struct Relay {
    port: u16,
    answers: Arc<AtomicU8>,
}

impl Relay {
    fn to(host: &Host) -> Self {
        let server = (host.name.as_str(), host.port).to_socket_addrs();
        let server = server.expect("a host").next().expect("an address");
        let listener = TcpListener::bind((server.ip(), 0)).expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let answers = Arc::new(AtomicU8::new(HAND_ON));
        let shared = Arc::clone(&answers);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                relay(client, server, &shared);
            }
        });
        Self { port, answers }
    }

    /// From now on this is done with answers.
    fn set(&self, answers: u8) {
        self.answers.store(answers, Ordering::SeqCst);
    }
}

fn relay(client: TcpStream, server: SocketAddr, answers: &Arc<AtomicU8>) {
    let Ok(upstream) = TcpStream::connect(server) else {
        return;
    };
    let clones = (client.try_clone(), upstream.try_clone());
    let (Ok(client_too), Ok(upstream_too)) = clones else {
        return;
    };
    std::thread::spawn(move || pump(client_too, upstream_too, &AtomicU8::new(HAND_ON)));
    let answers = Arc::clone(answers);
    std::thread::spawn(move || pump(upstream, client, &answers));
}

fn pump(mut from: TcpStream, mut to: TcpStream, what: &AtomicU8) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let bytes = bytes.get(..count).unwrap_or_default();
        let is_over = match what.load(Ordering::SeqCst) {
            KEEP => false,
            CLOSE => true,
            _ => to.write_all(bytes).is_err(),
        };
        if is_over {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

/// A session in the scratch's keyspace through a relay.
async fn through_relay(scratch: &Scratch) -> (Relay, Cluster) {
    let mut address = address().expect("there is a cluster");
    address.keyspace = Some(scratch.keyspace.clone());
    let mut host = address.hosts.remove(0);
    let relay = Relay::to(&host);
    host.port = relay.port;
    address.hosts = vec![host];
    let session = connect(&address).await.expect("connects");
    (relay, session)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_answer_is_unknown_and_nothing_is_done_twice() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, n counter)")
        .await;
    let (relay, session) = through_relay(&scratch).await;
    let add = session.prepare("UPDATE t SET n = n + ? WHERE k = ?").await;
    let add = add.expect("prepared").bind((1_i64, 1)).expect("bound");
    // Twice is not once with counters, whatever the options say.
    let add = add.with(Options::new().idempotent());
    session.execute(&add, None).await.expect("applied");

    relay.set(CLOSE);
    let error = session.execute(&add, None).await.expect_err("lost");
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert_eq!(error.outcome(), Outcome::Unknown, "{error}");
    assert!(!error.is_retryable(), "{error}");

    let rows = scratch.query("SELECT n FROM t WHERE k = ?", (1,)).await;
    let sum = rows.first().expect("one").get::<i64>("n").expect("a sum");
    assert!((1..=2).contains(&sum), "added {sum} times");
    scratch.drop_keyspace().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_answer_to_a_read_changes_nothing() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    let (relay, session) = through_relay(&scratch).await;
    let read = session.prepare("SELECT v FROM t WHERE k = ?").await;
    let read = read.expect("prepared").bind((1,)).expect("bound");
    session.execute(&read, None).await.expect("answered");
    relay.set(CLOSE);
    let error = session.execute(&read, None).await.expect_err("lost");
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert_eq!(error.outcome(), Outcome::NotApplied, "{error}");
    assert!(error.is_retryable(), "{error}");
    // Nothing was sent at all now, and that is known of writes too.
    let text = "INSERT INTO t (k, v) VALUES (1, 1)";
    let error = session.run_text(text).await.expect_err("no connection");
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    scratch.drop_keyspace().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn past_the_deadline_a_write_is_unknown_and_a_read_is_not() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TABLE t (k int PRIMARY KEY, v int)")
        .await;
    let (relay, session) = through_relay(&scratch).await;
    let insert = session.prepare("INSERT INTO t (k, v) VALUES (?, ?)").await;
    let insert = insert.expect("prepared").bind((1, 1)).expect("bound");
    let condition = "INSERT INTO t (k, v) VALUES (?, ?) IF NOT EXISTS";
    let condition = session.prepare(condition).await;
    let condition = condition.expect("prepared").bind((1, 1)).expect("bound");
    let read = session.prepare("SELECT v FROM t WHERE k = ?").await;
    let read = read.expect("prepared").bind((1,)).expect("bound");

    relay.set(KEEP);
    let short = || Options::new().deadline(Duration::from_millis(50));
    for (bound, outcome, is_retryable) in [
        (insert.clone().with(short()), Outcome::Unknown, false),
        (insert.with(short().idempotent()), Outcome::Unknown, true),
        (
            condition.with(short().idempotent()),
            Outcome::Unknown,
            false,
        ),
        (read.with(short()), Outcome::NotApplied, true),
    ] {
        let error = session.execute(&bound, None).await.expect_err("late");
        assert_eq!(error.kind(), ErrorKind::Deadline, "{error}");
        assert_eq!(error.outcome(), outcome, "{bound:?}");
        assert_eq!(error.is_retryable(), is_retryable, "{bound:?}");
        assert!(error.message().contains("within 50ms"), "{error}");
    }
    scratch.drop_keyspace().await;
}
