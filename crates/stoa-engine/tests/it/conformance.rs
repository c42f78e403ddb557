//! Conformance scripts answer on the embedded engine as Cassandra answered them: in memory and on
//! disk, reopened now and then. `ONLY` is a part of the names of those to run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use stoa_engine::Database;
use stoa_session::Reply;
use stoa_store::{CommitMode, Options, Store};
use stoa_testkit::conformance::suite::{self, Case};
use stoa_testkit::conformance::{Runner, Waiter, differences};
use stoa_types::clock::{Clock, ManualClock, SeededIds};

use crate::differences::DIFFERENCES;

/// The scripts of the workspace.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance");

/// When the scripts were recorded, about: some hold dates that must lie in the future.
const BEGIN_MICROS: i64 = 1_794_800_000_000_000;

/// So many scripts run on one database before it is opened anew.
const SCRIPTS_PER_DATABASE: usize = 100;

/// Lets time pass by moving the clock.
struct Moving(Arc<ManualClock>);

impl Waiter for Moving {
    fn wait(&self, time: Duration) -> Reply<'_, ()> {
        self.0.advance(time);
        Box::pin(async { Ok(()) })
    }
}

fn database(folder: Option<&Path>, clock: &Arc<ManualClock>) -> Database {
    let shared: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
    let store = match folder {
        Some(folder) => {
            let options = Options {
                commit_mode: CommitMode::Periodic {
                    every: Duration::from_secs(10),
                },
                ..Options::default()
            };
            Store::open(folder, options, Arc::clone(&shared)).expect("the folder opens")
        }
        None => Store::memory(Options::default(), Arc::clone(&shared)).expect("memory opens"),
    };
    let ids = Arc::new(SeededIds::with_clock(1, Arc::clone(&shared)));
    Database::with_store(store, shared, ids).expect("the schema can be read")
}

/// The scripts to run.
fn cases() -> Vec<Case> {
    let only = std::env::var("ONLY").unwrap_or_default();
    let cases = suite::load(Path::new(FOLDER)).expect("every script can be read");
    let chosen = cases.into_iter().filter(|it| it.name.contains(&only));
    chosen.collect()
}

/// What a script answers otherwise than recorded; empty if nothing.
async fn run(case: &Case, database: &Database, clock: &Arc<ManualClock>) -> String {
    let session = database.session();
    let waiter = Moving(Arc::clone(clock));
    let runner = Runner::new(&session, &waiter, "conformance_1_0");
    match runner.run(&case.script).await {
        Ok(answers) => {
            let found = differences(&case.script, &answers);
            found.iter().map(|it| format!("\n  {it}")).collect()
        }
        Err(error) => format!("\n  {error}"),
    }
}

/// Runs all scripts and fails unless exactly the known ones differ.
async fn run_all(folder: Option<&Path>) {
    let clock = Arc::new(ManualClock::at_micros(BEGIN_MICROS));
    let mut tally: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut problems = Vec::new();
    for cases in cases().chunks(SCRIPTS_PER_DATABASE) {
        let database = database(folder, &clock);
        for case in cases {
            let area = case.name.split('/').next().unwrap_or_default().to_owned();
            let counts = tally.entry(area).or_default();
            counts.1 += 1;
            let problem = run(case, &database, &clock).await;
            let known = DIFFERENCES.iter().find(|(name, _)| *name == case.name);
            match (problem.is_empty(), known) {
                (true, None) | (false, Some(_)) => counts.0 += 1,
                (false, None) => problems.push(format!("{}: {problem}", case.name)),
                (true, Some((_, reason))) => {
                    problems.push(format!("{} agrees, though {reason}", case.name));
                }
            }
        }
        database.close().expect("the database closes");
    }
    let areas: Vec<String> = tally
        .iter()
        .map(|(area, (good, all))| format!("{area} {good}/{all}"))
        .collect();
    let good: usize = tally.values().map(|it| it.0).sum();
    assert!(
        problems.is_empty(),
        "{}\n{good} agree: {}",
        problems.join("\n"),
        areas.join(", ")
    );
}

#[tokio::test]
async fn memory_answers_as_cassandra_did() {
    run_all(None).await;
}

#[tokio::test]
async fn disk_answers_as_cassandra_did() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    run_all(Some(folder.path())).await;
}
