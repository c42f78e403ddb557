//! After everything: the faults end, the tasks run, and what is left is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stoa_session::Error;
use stoa_votes::model::{Day, PolicyState};
use stoa_votes::rules::audit::{Books, Finding};
use stoa_votes::{Settings, Votes};
use uuid::Uuid;

use super::KEYSPACE;
use super::actors::{check_export, erase_deleted, instance};
use super::journal::Journal;
use super::judge::{Evidence, Seen, judge};
use super::plan::{Plan, first_day};
use crate::cluster::SimCluster;
use crate::executor::Executor;

/// Whatever was begun is older than that when the tasks run.
const REST: Duration = Duration::from_secs(2 * 3_600);
/// What was deleted is erased later than that.
const GRACE: Duration = Duration::from_secs(11 * 86_400);

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
    let after = After {
        totals,
        erases: plan.erases,
    };
    let evidence = gather(executor, cluster, settings, journal, after);
    if let Ok(seen) = &evidence.books {
        count(&seen.again, plan, journal);
    }
    judge(&evidence, journal)
}

/// Counts what the books tell of what happened.
fn count(books: &Books, plan: &Plan, journal: &Journal) {
    let mut pages = journal.pages();
    let happened = &mut pages.happenings;
    for payment in books.salary.values().flatten() {
        let rate = books.config.on(payment.period);
        let is_capped = rate.most_unspent.is_some() && payment.amount < rate.salary;
        happened.capped += u64::from(is_capped);
    }
    let states = books.policies.values().map(|it| it.standing.state);
    happened.erased += states.filter(|it| *it == PolicyState::Deleted).count() as u64;
    let changed = plan.configs.get(1).map(|config| config.from);
    for (user, (_, records)) in &books.chains {
        let by_change = records.iter().map(|record| record.day);
        let by_change = by_change.filter(|day| changed.is_some_and(|from| *day >= from));
        happened.configured += by_change.count() as u64;
        let begun = records
            .iter()
            .position(|record| record.checkpoint.is_some());
        let after = begun.map_or(0, |at| records.len() - at - 1);
        happened.after_checkpoints += after as u64;
        let account = plan.accounts.iter().find(|it| it.user == *user);
        let (Some(account), Some(last)) = (account, records.last()) else {
            continue;
        };
        let paid: BTreeSet<Day> = books
            .salary
            .get(user)
            .into_iter()
            .flatten()
            .filter(|it| it.amount > 0)
            .map(|it| it.period)
            .collect();
        let days = account.joined.through(last.day);
        let missed = days.filter(|day| {
            let rate = books.config.on(*day);
            rate.only_present && rate.most_unspent.is_none() && !paid.contains(day)
        });
        happened.absences += missed.count() as u64;
    }
}

/// What is done before the end is judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct After {
    pub(super) totals: Totals,
    /// Whether what was deleted is erased, eleven days later.
    pub(super) erases: bool,
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
    after: After,
) -> Evidence {
    cluster.heal();
    executor.run_until_idle();
    // A write that one replica has and nobody was told of may be seen or not until then.
    cluster.repair();
    let books = rest(executor, cluster, settings, journal, after);
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
    journal: &Journal,
    after: After,
) -> Result<Seen, Error> {
    let session = cluster.punctual("caretaker");
    let journal = journal.clone();
    let seen = Arc::new(Mutex::new(None));
    let told = Arc::clone(&seen);
    let task = executor.spawn(
        "caretaker",
        Box::pin(async move {
            session.sleep(REST).await;
            let result = match instance(&session, settings).await {
                Ok(votes) => look(&votes, &session, &journal, after).await,
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
    journal: &Journal,
    after: After,
) -> Result<Seen, Error> {
    tasks(votes).await?;
    if after.totals == Totals::Recounted {
        votes.recount_all().await?;
    }
    let at_rest = votes.books().await?;
    session.sleep(Duration::from_secs(86_400)).await;
    votes.close_days().await?;
    if after.erases {
        session.sleep(GRACE).await;
        votes.close_days().await?;
        erase_deleted(votes).await?;
    }
    let closed = votes.books().await?;
    session.sleep(REST).await;
    tasks(votes).await?;
    votes.recount_all().await?;
    if after.erases {
        erase_deleted(votes).await?;
    }
    votes.measure().await?;
    let ranked_through = votes.rank_days().await?;
    check_export(votes, journal).await?;
    let again = votes.books().await?;
    let tables = votes.tables();
    let ranked = tables.rank_history.ranked_days(first_day(), ranked_through);
    let ranked = ranked.await?;
    let mut lengths = Vec::new();
    for day in &ranked {
        let last = i32::try_from(day.count).unwrap_or(i32::MAX);
        let ranks = tables
            .rank_history
            .ranks(day, 1, last.saturating_add(1))
            .await?;
        lengths.push(ranks.len());
    }
    let ledger = ledger(votes).await.map_err(|error| error.to_string());
    Ok(Seen {
        at_rest,
        closed,
        again,
        ledger,
        breadths: tables.breadth.all().await?,
        ranked: ranked.into_iter().zip(lengths).collect(),
        ranked_through,
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
