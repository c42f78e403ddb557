//! After everything: the faults end, the tasks run, and what is left is judged.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stoa_session::Error;
use stoa_votes::Votes;
use stoa_votes::model::{Day, PolicyState};
use stoa_votes::rules::audit::{Books, Finding, Invariant};
use stoa_votes::rules::public_ledger::Recount;
use uuid::Uuid;

use super::KEYSPACE;
use super::actors::instance;
use super::journal::Journal;
use super::linear;
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
    cluster.heal();
    executor.run_until_idle();
    // A write that one replica has and nobody was told of may be seen or not until then.
    cluster.repair();
    let mut findings: Vec<Finding> = journal
        .contradictions()
        .into_iter()
        .map(|what| Finding {
            invariant: Invariant::OneAnswer,
            what,
        })
        .collect();
    let totals = match is_skewed {
        true => Totals::Recounted,
        false => Totals::AsTheyAre,
    };
    let closed_as = journal.pages().closed_as.clone();
    match rest(executor, cluster, plan, totals) {
        Ok(seen) => findings.extend(judge(&seen, journal)),
        Err(error) => findings.push(Finding {
            invariant: Invariant::Convergence,
            what: format!("the tasks do not come to an end: {error}"),
        }),
    }
    findings.extend(closed_otherwise(&closed_as, |day| {
        snapshot_of(cluster, day)
    }));
    cluster.repair();
    if !cluster.replicas_equal() {
        findings.push(Finding {
            invariant: Invariant::Convergence,
            what: "the replicas differ after a repair".to_owned(),
        });
    }
    findings
}

/// Whether every total is counted anew before it is judged: where clocks are off, a total may be
/// that of an older recount until the next audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Totals {
    Recounted,
    AsTheyAre,
}

/// The books at rest, after all days closed, and after everything ran once more.
struct Seen {
    at_rest: Books,
    closed: Books,
    again: Books,
    /// What is wrong with the public ledger.
    ledger: Vec<String>,
}

fn rest(
    executor: &mut Executor,
    cluster: &SimCluster,
    plan: &Plan,
    totals: Totals,
) -> Result<Seen, Error> {
    let session = cluster.punctual("caretaker");
    let mut rng = plan.rng.clone();
    let settings = plan.settings(&mut rng);
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
    let ledger = match ledger(votes).await {
        Ok(findings) => findings,
        Err(error) => vec![format!("there is no ledger: {error}")],
    };
    Ok(Seen {
        at_rest,
        closed,
        again,
        ledger,
    })
}

/// Exports the public ledger, and counts it again from its lines alone.
async fn ledger(votes: &Votes) -> Result<Vec<String>, Error> {
    let mut export = votes.export_ledger().await?;
    let mut recount = Recount::new();
    while let Some(lines) = export.next().await? {
        for line in lines {
            recount.line(format!("{line}\n").as_bytes());
        }
    }
    let findings = recount.finish().findings;
    Ok(findings.iter().map(ToString::to_string).collect())
}

async fn tasks(votes: &Votes) -> Result<(), Error> {
    votes.drain().await?;
    votes.finish_merges().await?;
    votes.sweep_creations().await?;
    votes.drain().await
}

fn judge(seen: &Seen, journal: &Journal) -> Vec<Finding> {
    let mut findings = seen.at_rest.audit();
    findings.extend(seen.closed.audit());
    findings.extend(seen.again.audit());
    if let Some(what) = difference(&seen.closed, &seen.again) {
        findings.push(Finding {
            invariant: Invariant::Convergence,
            what: format!("running the tasks again changed {what}"),
        });
    }
    findings.extend(seen.ledger.iter().map(|what| Finding {
        invariant: Invariant::LedgerVerifies,
        what: what.clone(),
    }));
    for (user, seq, version) in journal.accepted() {
        let records = seen.again.chains.get(&user);
        let mut records = records.into_iter().flat_map(|(_, records)| records);
        if !records.any(|it| it.seq == seq && it.version == version) {
            findings.push(Finding {
                invariant: Invariant::AcceptedStays,
                what: format!("user {user} was told of record {seq}, {version}; it is gone"),
            });
        }
    }
    findings.extend(out_of_order(seen, journal));
    let misjudged = journal.pages().misjudged_clocks.clone();
    findings.extend(misjudged.into_iter().map(|what| Finding {
        invariant: Invariant::ClockBound,
        what,
    }));
    findings.extend(closed_again(seen, journal));
    findings
}

/// The policies that were released or withdrawn, as their closers were told, and are something else.
fn closed_again(seen: &Seen, journal: &Journal) -> Vec<Finding> {
    let state = |policy| {
        let policy = seen.again.policies.get(policy);
        policy.map(|it| it.standing.state)
    };
    let mut findings = Vec::new();
    let withdrawn = journal.pages().withdrawn.clone();
    for policy in &withdrawn {
        let state = state(policy);
        // A moderator may release what its owner withdrew.
        let is_over = |it: PolicyState| it == PolicyState::Withdrawn || it.is_released();
        if !state.is_some_and(is_over) {
            findings.push(Finding {
                invariant: Invariant::ReleasedOnce,
                what: format!("policy {policy} was withdrawn, and is {state:?}"),
            });
        }
    }
    let released: BTreeSet<_> = journal.pages().released.iter().copied().collect();
    for policy in &released {
        let state = state(policy);
        if !state.is_some_and(PolicyState::is_released) {
            findings.push(Finding {
                invariant: Invariant::ReleasedOnce,
                what: format!("policy {policy} was released, and is {state:?}"),
            });
        }
    }
    findings
}

/// The days that somebody was told to have closed, and that are closed as something else.
fn closed_otherwise(
    closed_as: &[(Day, Uuid)],
    snapshot_of: impl Fn(Day) -> Option<Uuid>,
) -> Vec<Finding> {
    let changed = closed_as.iter().filter_map(|(day, told)| {
        let found = snapshot_of(*day);
        (found != Some(*told)).then(|| Finding {
            invariant: Invariant::ClosedStays,
            what: format!("{day} was closed as {told}, and is {found:?}"),
        })
    });
    changed.collect()
}

/// What a day was closed as, as all replicas together know.
fn snapshot_of(cluster: &SimCluster, day: Day) -> Option<Uuid> {
    let text = format!("SELECT snapshot FROM {KEYSPACE}.days WHERE year = ? AND day = ?");
    let year = i32::try_from(day.civil().year).unwrap_or(i32::MAX);
    let rows = cluster.inspect(&text, (year, day)).ok()?;
    rows.first()?.get::<Option<Uuid>>("snapshot").ok()?
}

/// The users whose calls no order explains.
fn out_of_order(seen: &Seen, journal: &Journal) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (user, calls) in journal.calls() {
        let records = seen.again.chains.get(&user);
        let records = records.map_or(&[][..], |(_, records)| records);
        if let Err(what) = linear::check(&calls, records) {
            findings.push(Finding {
                invariant: Invariant::FirstWriterWins,
                what: format!("user {user}: {what}"),
            });
        }
    }
    findings
}

/// The first thing that differs between two books.
fn difference(before: &Books, after: &Books) -> Option<String> {
    if before.chains != after.chains {
        return Some("chains".to_owned());
    }
    if before.increments != after.increments || before.supporters != after.supporters {
        return Some("copies of records".to_owned());
    }
    let policies = before.policies.keys().chain(after.policies.keys());
    for policy in policies {
        let (old, new) = (before.policies.get(policy), after.policies.get(policy));
        if old != new {
            return Some(format!("policy {policy}: {old:?}, then {new:?}"));
        }
    }
    (before != after).then(|| "salaries or days".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_that_is_closed_as_something_else_is_found() {
        let (told, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let closed_as = [(Day(1), told), (Day(2), told)];
        let found = closed_otherwise(&closed_as, |_| Some(told));
        assert_eq!(found, []);
        for now in [None, Some(other)] {
            let found = closed_otherwise(&closed_as, |day| match day {
                Day(1) => Some(told),
                _ => now,
            });
            let invariants: Vec<_> = found.iter().map(|it| it.invariant).collect();
            assert_eq!(invariants, [Invariant::ClosedStays]);
        }
    }
}
