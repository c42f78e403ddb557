//! A schema for the tests, and a task that leaves a result behind.

use std::sync::{Arc, LazyLock, Mutex};

use stoa_sim::{Catalog, Executor, Faults, SimCluster, TaskState};

const SCHEMA: [&str; 4] = [
    "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}",
    "CREATE TABLE ks.register (id int PRIMARY KEY, n bigint)",
    "CREATE TABLE ks.log (id int, head bigint STATIC, seq bigint, tag bigint, \
     PRIMARY KEY (id, seq))",
    "CREATE TABLE ks.labels (id int PRIMARY KEY, tags set<text>, notes map<text, int>)",
];

static CATALOG: LazyLock<Arc<Catalog>> = LazyLock::new(|| Catalog::of(&SCHEMA).unwrap());

/// An executor and a fresh cluster on it.
pub(crate) fn cluster(faults: Faults, seed: u64) -> (Executor, SimCluster) {
    let mut executor = Executor::new();
    let cluster = SimCluster::new(&mut executor, Arc::clone(&CATALOG), faults, seed);
    (executor, cluster)
}

/// Runs a task to its end and answers what it left; `None` if it died.
pub(crate) fn run<T: Send + 'static>(
    executor: &mut Executor,
    work: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    let left = Arc::new(Mutex::new(None));
    let place = Arc::clone(&left);
    let id = executor.spawn(
        "test",
        Box::pin(async move {
            let result = work.await;
            *place.lock().unwrap() = Some(result);
        }),
    );
    let state = executor.run_until_ended(id);
    assert_ne!(state, Some(TaskState::Running));
    left.lock().unwrap().take()
}
