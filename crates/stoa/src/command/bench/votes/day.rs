//! A recount of a policy that everybody votes for, and the close of a day with many votes.

use std::path::Path;

use anyhow::{Result, anyhow};
use stoa_votes::model::{PolicyId, UserId};

use super::town::Town;
use crate::command::bench::figure::{Figure, Goal, median};
use crate::command::bench::printer::Printer;
use crate::command::bench::store::Stopwatch;

/// How often a recount is measured.
const TIMES: usize = 5;

pub(super) async fn measure(dir: &Path, votes: usize, printer: &mut Printer) -> Result<()> {
    let town = Town::filling(dir, votes.min(1_000)).await?;
    let busy = town.policies.last().copied();
    let busy = busy.ok_or_else(|| anyhow!("no policies"))?;
    // Half of the votes of the day are those of one policy.
    for at in 0..votes / 2 {
        copy_votes(&town, busy, at).await?;
    }
    for at in votes / 2..votes {
        let user = UserId(town.ids.uuid());
        let counts = &town.votes.tables().counts;
        let record = town.record(user, None, 1, at)?;
        for change in record.changes.values() {
            counts.write_change(user, &record, busy, change).await?;
        }
    }
    let town = town.opened_again(dir).await?;
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let watch = Stopwatch::start();
        let total = town.votes.recount(busy).await?;
        times.push(watch.elapsed().as_secs_f64() * 1e3);
        anyhow::ensure!(total >= i64::try_from(votes)?, "{total} votes are too few");
    }
    printer.add(Figure {
        work: format!("recount/{votes}"),
        ours: median(&times),
        peer: None,
        unit: "ms",
        goal: Goal::OursBelow(50.0),
    })?;
    let watch = Stopwatch::start();
    town.votes.close_day(town.today).await?;
    printer.add(Figure {
        work: format!("close/{}", votes + votes / 2),
        ours: watch.elapsed().as_secs_f64(),
        peer: None,
        unit: "s",
        goal: Goal::OursBelow(6.0),
    })?;
    town.database.close()?;
    Ok(())
}

/// Copies of two votes of a user, one for the policy that everybody votes for.
async fn copy_votes(town: &Town, busy: PolicyId, at: usize) -> Result<()> {
    let tables = town.votes.tables();
    let user = UserId(town.ids.uuid());
    let mut record = town.record(user, None, 1, at)?;
    if let Some(change) = record.changes.values().next().copied() {
        record.changes.insert(busy, change);
    }
    tables.write_copies(user, &record, 100, true).await?;
    Ok(())
}
