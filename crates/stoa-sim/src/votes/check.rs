//! After everything: the faults end, the tasks run, and what is left is looked at.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stoa_session::Error;
use stoa_votes::model::Day;
use stoa_votes::rules::audit::Finding;
use stoa_votes::{Settings, Votes};
use uuid::Uuid;

use super::KEYSPACE;
use super::actors::instance;
use super::journal::Journal;
use super::judge::{Evidence, Seen, judge};
use super::plan::Plan;
use crate::cluster::SimCluster;
use crate::executor::Executor;

/// Whatever was begun is older than that when the tasks run.
const REST: Duration = Duration::from_secs(2 * 3_600);

/// Ends the faults, lets the tasks run, and finds what is wrong.
pub(super) fn check(
    executor: &mut Executor,
    cluster: &SimCluster,
    plan: &Plan,
    journal: &Journal,
    is_skewed: bool,
) -> Vec<Finding> {
    let totals = match is_skewed {
        true => Totals::Recounted,
        false => Totals::AsTheyAre,
    };
    let mut rng = plan.rng.clone();
    let settings = plan.settings(&mut rng);
    let evidence = gather(executor, cluster, settings, journal, totals);
    judge(&evidence, journal)
}

/// Whether every total is counted anew before it is judged: where clocks are off, a total may be
/// that of an older recount until the next audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Totals {
    Recounted,
    AsTheyAre,
}

/// Ends the faults, lets the tasks run, and gives all that is judged.
pub(super) fn gather(
    executor: &mut Executor,
    cluster: &SimCluster,
    settings: Settings,
    journal: &Journal,
    totals: Totals,
) -> Evidence {
    cluster.heal();
    executor.run_until_idle();
    // A write that one replica has and nobody was told of may be seen or not until then.
    cluster.repair();
    let books = rest(executor, cluster, settings, totals);
    let books = books.map_err(|error| error.to_string());
    let days = journal.pages().closed_as.clone();
    let days = days.into_iter().map(|(day, _)| day);
    let closed_as: BTreeMap<Day, Uuid> = days
        .filter_map(|day| Some((day, snapshot_of(cluster, day)?)))
        .collect();
    cluster.repair();
    Evidence {
        books,
        closed_as,
        are_replicas_equal: cluster.replicas_equal(),
    }
}

fn rest(
    executor: &mut Executor,
    cluster: &SimCluster,
    settings: Settings,
    totals: Totals,
) -> Result<Seen, Error> {
    let session = cluster.punctual("caretaker");
    let seen = Arc::new(Mutex::new(None));
    let told = Arc::clone(&seen);
    let task = executor.spawn(
        "caretaker",
        Box::pin(async move {
            session.sleep(REST).await;
            let result = match instance(&session, settings).await {
                Ok(votes) => look(&votes, &session, totals).await,
                Err(error) => Err(error),
            };
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }),
    );
    executor.run_until_ended(task);
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    seen.unwrap_or_else(|| {
        let kind = stoa_session::ErrorKind::Server;
        Err(Error::not_applied(kind, "the caretaker did not end"))
    })
}

async fn look(
    votes: &Votes,
    session: &crate::session::SimSession,
    totals: Totals,
) -> Result<Seen, Error> {
    tasks(votes).await?;
    if totals == Totals::Recounted {
        votes.recount_all().await?;
    }
    let at_rest = votes.books().await?;
    session.sleep(Duration::from_secs(86_400)).await;
    votes.close_days().await?;
    let closed = votes.books().await?;
    session.sleep(REST).await;
    tasks(votes).await?;
    votes.recount_all().await?;
    let again = votes.books().await?;
    let ledger = ledger(votes).await.map_err(|error| error.to_string());
    Ok(Seen {
        at_rest,
        closed,
        again,
        ledger,
    })
}

/// The lines of the public ledger.
async fn ledger(votes: &Votes) -> Result<Vec<String>, Error> {
    let mut export = votes.export_ledger().await?;
    let mut lines = Vec::new();
    while let Some(more) = export.next().await? {
        lines.extend(more.iter().map(ToString::to_string));
    }
    Ok(lines)
}

async fn tasks(votes: &Votes) -> Result<(), Error> {
    votes.drain().await?;
    votes.finish_merges().await?;
    votes.sweep_creations().await?;
    votes.drain().await
}

/// What a day was closed as, as all replicas together know.
fn snapshot_of(cluster: &SimCluster, day: Day) -> Option<Uuid> {
    let text = format!("SELECT snapshot FROM {KEYSPACE}.days WHERE year = ? AND day = ?");
    let year = i32::try_from(day.civil().year).unwrap_or(i32::MAX);
    let rows = cluster.inspect(&text, (year, day)).ok()?;
    rows.first()?.get::<Option<Uuid>>("snapshot").ok()?
}
