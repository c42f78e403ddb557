//! The statements of a script, executed on each side.

use std::time::Duration;

use stoa_cluster::Cluster;
use stoa_session::Reply;
use stoa_testkit::conformance::{Runner, Step, Waiter};
use stoa_testkit::oracle::{Given, differ, given};
use stoa_testkit::rng::Rng;

use super::engine::{Engine, Place};

/// The keyspace of scripts on the engine, which has only one at a time.
const KEYSPACE: &str = "oracle_case";

/// How often of a thousand statements the engine is disturbed on the way.
const DISTURBED_PER_MILLE: u64 = 4;

/// How many reads are asked again after a disturbance.
const ASKED_AGAIN: usize = 12;

/// How many statements after the making of an index its reads are tried again.
const PATIENT: usize = 40;

/// What the engine answered to each statement, and what changed by a disturbance.
pub(crate) struct Ours {
    pub(crate) given: Vec<Given>,
    pub(crate) changed: Vec<String>,
}

/// Executes statements on a new engine.
pub(crate) async fn ours(
    steps: &[Step],
    place: Place,
    seed: u64,
    now_micros: i64,
) -> Result<Ours, String> {
    let mut engine = Engine::new(place, now_micros)?;
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut told = Ours {
        given: Vec::with_capacity(steps.len()),
        changed: Vec::new(),
    };
    let mut session = engine.database.session();
    Runner::new(&session, &engine, KEYSPACE)
        .begin()
        .await
        .map_err(|error| error.to_string())?;
    for (position, step) in steps.iter().enumerate() {
        let runner = Runner::new(&session, &engine, KEYSPACE);
        told.given.push(given(runner.step(step).await));
        if rng.below(1_000) >= DISTURBED_PER_MILLE {
            continue;
        }
        let reads = latest_reads(steps, position);
        let before = ask(&runner, &reads).await;
        let how = engine.disturb(&mut rng)?;
        session = engine.database.session();
        let runner = Runner::new(&session, &engine, KEYSPACE);
        runner.resume().await.map_err(|error| error.to_string())?;
        let after = ask(&runner, &reads).await;
        for ((step, before), after) in reads.iter().zip(&before).zip(&after) {
            if differ(step, before, after) {
                let lines = |it: &Given| it.lines().join("\n    ");
                told.changed.push(format!(
                    "{how} after statement {position} changed the answer to {}\n  before\n    \
                     {}\n  after\n    {}",
                    step.statement,
                    lines(before),
                    lines(after)
                ));
            }
        }
    }
    Ok(told)
}

/// Reads that were asked lately, without their waiting.
fn latest_reads(steps: &[Step], position: usize) -> Vec<Step> {
    let before = steps.iter().take(position + 1).rev();
    let reads = before.filter(|step| step.statement.starts_with("SELECT"));
    let calm = reads.take(ASKED_AGAIN).cloned().map(|mut step| {
        step.directives.wait = Duration::ZERO;
        step
    });
    calm.collect()
}

async fn ask(runner: &Runner<'_>, steps: &[Step]) -> Vec<Given> {
    let mut all = Vec::with_capacity(steps.len());
    for step in steps {
        all.push(given(runner.step(step).await));
    }
    all
}

/// Executes statements on Cassandra, in a keyspace of this name; stops where nothing is answered.
pub(crate) async fn theirs(steps: &[Step], cluster: &Cluster, keyspace: &str) -> Vec<Given> {
    let runner = Runner::new(cluster, &Sleep, keyspace);
    if let Err(error) = runner.begin().await {
        return vec![Given::Nothing(error.to_string())];
    }
    let mut all = Vec::with_capacity(steps.len());
    // Only a new index is worth waiting for: other reads that fail would fail again.
    let hasty = Runner::new(cluster, &Sleep, keyspace).with_attempts(1);
    let mut since_index = usize::MAX;
    for step in steps {
        since_index = match step.statement.starts_with("CREATE INDEX") {
            true => 0,
            false => since_index.saturating_add(1),
        };
        let runner = if since_index < PATIENT {
            &runner
        } else {
            &hasty
        };
        all.push(given(runner.step(step).await));
        if matches!(all.last(), Some(Given::Nothing(_))) {
            break;
        }
    }
    // What cannot be dropped now is dropped when the next script begins.
    let _ = runner.end().await;
    all
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
