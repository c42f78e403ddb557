//! Where the communities of tests live: in memory, unless `STOA_VOTES_STORE` says `disk`, or is the
//! `cql://` URI of a cluster, as `cargo xtask votes-tests` sets it.
//!
//! Making the tables of a cluster takes a minute, so there they are made once by a process, and what
//! a test wrote is gone before the next: such tests run one after another (`--test-threads=1`). Where
//! the environment also names who rules the nodes, one of them is killed and started again now and
//! then, whatever test runs meanwhile.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use stoa_cluster::Cluster;
use stoa_engine::Database;
use stoa_session::{BackEnd, Options, Session, Shortcuts as _, Statement};
use stoa_store::{Options as StoreOptions, Store};
use stoa_testkit::nodes::{Control, Deed};
use stoa_types::{Clock, SystemIds};
use stoa_votes::tables::schema;

use crate::stage::{Stage, Written};

pub(crate) const KEYSPACE: &str = "votes";

/// A node dies while the community of this number lives, and one in as many after it.
const FIRST_DEATH: usize = 5;
const DEATH_EVERY: usize = 40;
const MORTAL: u8 = 3;

/// What holds a place while it is used.
pub(crate) type Folder = Option<tempfile::TempDir>;

/// Empty tables.
pub(crate) async fn empty() -> (Arc<Stage>, Folder) {
    let store = std::env::var("STOA_VOTES_STORE").unwrap_or_default();
    match store.as_str() {
        "" => (in_database(&Database::memory().unwrap()).await, None),
        "disk" => on_disk().await,
        uri => (Arc::new(on_cluster(uri).await), None),
    }
}

/// Empty tables in a folder, whatever the environment says.
pub(crate) async fn on_disk() -> (Arc<Stage>, Folder) {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path(), StoreOptions::default()).unwrap();
    (in_database(&database).await, Some(folder))
}

/// Empty tables in memory, where what expires does so by a clock of the test's own.
pub(crate) async fn of_clock(clock: Arc<dyn Clock>) -> Arc<Stage> {
    let store = Store::memory(StoreOptions::default(), Arc::clone(&clock)).unwrap();
    let ids = SystemIds::with_clock(Arc::clone(&clock));
    let database = Database::with_store(store, clock, Arc::new(ids));
    in_database(&database.unwrap()).await
}

/// Whether every call crosses a network and waits for a quorum.
fn is_cluster() -> bool {
    std::env::var("STOA_VOTES_STORE").is_ok_and(|store| store.starts_with("cql://"))
}

/// How many of something are tried: many, or few on a cluster, where each takes seconds.
pub(crate) fn count(many: usize, few: usize) -> usize {
    if is_cluster() { few } else { many }
}

/// The calls of an action at which there is trouble: all of so many. On a cluster it is one of them,
/// another one each time, so that every kind of trouble comes early, late and in between.
pub(crate) fn tried(calls: u64) -> Vec<u64> {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    /// Shares no factor with the numbers of calls that actions make.
    const STEP: u64 = 1_009;
    if !is_cluster() {
        return (0..calls).collect();
    }
    let number = ASKED.fetch_add(1, Ordering::SeqCst);
    (number * STEP).checked_rem(calls).into_iter().collect()
}

async fn in_database(database: &Database) -> Arc<Stage> {
    let session: Arc<dyn Session> = Arc::new(database.session());
    create(&*session, 1).await;
    Arc::new(Stage::new(session, Arc::default()))
}

/// Makes the tables.
async fn create(session: &dyn Session, replicas: usize) {
    let keyspace = format!(
        "CREATE KEYSPACE {KEYSPACE} WITH replication = \
         {{'class': 'SimpleStrategy', 'replication_factor': {replicas}}}"
    );
    make(session, keyspace).await;
    for statement in schema(KEYSPACE) {
        make(session, statement).await;
    }
}

/// Changes the schema, which the nodes of a busy cluster take their time for.
async fn make(session: &dyn Session, statement: String) {
    let patient = Options::new().deadline(Duration::from_secs(60));
    let statement = Statement::new(statement).with(patient);
    session.run(&statement, None).await.unwrap();
}

/// How many communities there were on the cluster, and which tables the last one wrote.
static FOUNDED: AtomicUsize = AtomicUsize::new(0);
static WRITTEN: Mutex<Option<Written>> = Mutex::new(None);

async fn on_cluster(uri: &str) -> Stage {
    let address = match uri.parse::<BackEnd>().unwrap() {
        BackEnd::Cluster(address) => Ok(address),
        other => Err(format!("STOA_VOTES_STORE names no cluster: {other:?}")),
    };
    let address = address.unwrap();
    let session = Cluster::connect(&address, None).await.unwrap();
    let session: Arc<dyn Session> = Arc::new(session);
    let written = Arc::clone(WRITTEN.lock().unwrap().get_or_insert_default());
    let number = FOUNDED.fetch_add(1, Ordering::SeqCst);
    if number == 0 {
        make(&*session, format!("DROP KEYSPACE IF EXISTS {KEYSPACE}")).await;
        let peers = session.query("SELECT peer FROM system.peers", ()).await;
        let replicas = peers.unwrap().into_rows().len() + 1;
        create(&*session, replicas.min(3)).await;
    }
    let stage = Stage::new(session, written);
    stage.clear().await;
    if number % DEATH_EVERY == FIRST_DEATH {
        let_a_node_die().await;
    }
    stage
}

/// Kills a node, and starts it again while the test goes on. Without `STOA_XTASK` nobody dies.
async fn let_a_node_die() {
    let Ok(control) = Control::from_environment() else {
        return;
    };
    let killer = control.clone();
    let killed = tokio::task::spawn_blocking(move || killer.act(Deed::Kill(MORTAL)));
    killed.await.unwrap().unwrap();
    // It has time to be missed, and a runtime that ends with its test does not stop it.
    std::thread::spawn(move || control.act(Deed::Start(MORTAL)).unwrap());
}
