//! Conformance scripts answer over the wire as Cassandra answered them: the Rust driver sends them to
//! the served engine. `ONLY` is a part of the names of those to run.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use stoa_cluster::Cluster;
use stoa_engine::Database;
use stoa_server::Limits;
use stoa_session::Reply;
use stoa_store::{Options, Store};
use stoa_testkit::conformance::suite::{self, Case};
use stoa_testkit::conformance::{Runner, Waiter, differences};
use stoa_types::clock::{Clock, ManualClock, SeededIds};

use crate::differences::DIFFERENCES;
use crate::driver::address;
use crate::served::Served;

/// The scripts of the workspace.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance");

/// When the scripts were recorded, about: some hold dates that must lie in the future.
const BEGIN_MICROS: i64 = 1_794_800_000_000_000;

/// Lets time pass by moving the server's clock.
struct Moving(Arc<ManualClock>);

impl Waiter for Moving {
    fn wait(&self, time: Duration) -> Reply<'_, ()> {
        self.0.advance(time);
        Box::pin(async { Ok(()) })
    }
}

#[test]
fn scripts_answer_over_the_wire_as_cassandra_did() {
    let clock = Arc::new(ManualClock::at_micros(BEGIN_MICROS));
    let shared: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
    let store = Store::memory(Options::default(), Arc::clone(&shared)).unwrap();
    let ids = Arc::new(SeededIds::with_clock(1, Arc::clone(&shared)));
    let database = Database::with_store(store, shared, ids).unwrap();
    let served = Served::with(Limits::default(), database);
    let only = std::env::var("ONLY").unwrap_or_default();
    let cases = suite::load(Path::new(FOLDER)).unwrap();
    let problems = served.block_on(async {
        let session = Cluster::connect(&address(served.address), None).await;
        let session = session.unwrap();
        let mut problems = Vec::new();
        for case in cases.iter().filter(|it| it.name.contains(&only)) {
            if let Some(problem) = problem(case, &session, &clock).await {
                problems.push(problem);
            }
        }
        problems
    });
    served.stop();
    let count = problems.len();
    assert!(
        problems.is_empty(),
        "{}\n{count} differ",
        problems.join("\n")
    );
}

/// How a script answers otherwise than it should.
async fn problem(case: &Case, session: &Cluster, clock: &Arc<ManualClock>) -> Option<String> {
    let waiter = Moving(Arc::clone(clock));
    let runner = Runner::new(session, &waiter, "conformance_1_0");
    let found: String = match runner.run(&case.script).await {
        Ok(answers) => differences(&case.script, &answers)
            .iter()
            .map(|it| format!("\n  {it}"))
            .collect(),
        Err(error) => format!("\n  {error}"),
    };
    let known = DIFFERENCES.iter().find(|(name, _)| *name == case.name);
    match (found.is_empty(), known) {
        (true, None) | (false, Some(_)) => None,
        (false, None) => Some(format!("{}: {found}", case.name)),
        (true, Some((_, reason))) => Some(format!("{} agrees, though {reason}", case.name)),
    }
}
