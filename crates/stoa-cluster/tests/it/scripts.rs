//! Conformance scripts on a live cluster, side by side, each in a keyspace of its own.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stoa_cluster::Cluster;
use stoa_session::Reply;
use stoa_session::uri::ClusterAddress;
use stoa_testkit::conformance::suite::Case;
use stoa_testkit::conformance::{Runner, Waiter, differences};
use tokio::task::JoinSet;

/// What to do with a script's answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Write them down.
    Record,
    /// Compare them with what is written down.
    Check,
}

/// What became of the scripts of one folder.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) scripts: usize,
    pub(crate) statements: usize,
    /// Scripts that answered otherwise, or not at all, and how.
    pub(crate) problems: Vec<String>,
}

/// By the name of the folder.
pub(crate) type Tallies = BTreeMap<String, Tally>;

/// Runs scripts, so many at once.
pub(crate) async fn run_all(
    task: Task,
    address: &ClusterAddress,
    cases: Vec<Case>,
    jobs: usize,
) -> Result<Tallies, String> {
    let queue = Arc::new(Mutex::new(VecDeque::from(cases)));
    let mut workers = JoinSet::new();
    for number in 0..jobs {
        let (address, queue) = (address.clone(), Arc::clone(&queue));
        workers.spawn(async move { work(task, &address, number, &queue).await });
    }
    let mut all = Tallies::new();
    while let Some(finished) = workers.join_next().await {
        for (name, tally) in finished.map_err(|error| error.to_string())?? {
            let sum = all.entry(name).or_default();
            sum.scripts += tally.scripts;
            sum.statements += tally.statements;
            sum.problems.extend(tally.problems);
        }
    }
    Ok(all)
}

async fn work(
    task: Task,
    address: &ClusterAddress,
    number: usize,
    queue: &Mutex<VecDeque<Case>>,
) -> Result<Tallies, String> {
    let session = Cluster::connect(address, None)
        .await
        .map_err(|error| error.to_string())?;
    let keyspace = format!("conformance_{}_{number}", std::process::id());
    let runner = Runner::new(&session, &Sleep, &keyspace);
    let mut tallies = Tallies::new();
    loop {
        let next = queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        let Some(case) = next else {
            return Ok(tallies);
        };
        let area = case.name.split('/').next().unwrap_or_default().to_owned();
        let tally = tallies.entry(area).or_default();
        tally.scripts += 1;
        tally.statements += case.script.steps.len();
        if let Err(problem) = run_one(task, &runner, &case).await {
            tally.problems.push(format!("{}: {problem}", case.name));
        }
    }
}

async fn run_one(task: Task, runner: &Runner<'_>, case: &Case) -> Result<(), String> {
    let answers = runner
        .run(&case.script)
        .await
        .map_err(|error| error.to_string())?;
    if task == Task::Record {
        let text = case.script.with_answers(&answers);
        return std::fs::write(&case.path, text).map_err(|error| error.to_string());
    }
    let found = differences(&case.script, &answers);
    match found.is_empty() {
        true => Ok(()),
        false => Err(found.iter().map(|found| format!("\n  {found}")).collect()),
    }
}

/// Time passes by itself.
struct Sleep;

impl Waiter for Sleep {
    fn wait(&self, time: Duration) -> Reply<'_, ()> {
        Box::pin(async move {
            tokio::time::sleep(time).await;
            Ok(())
        })
    }
}
