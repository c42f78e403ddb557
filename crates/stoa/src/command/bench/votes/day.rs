//! A recount of a policy that everybody votes for, and the close of a day with many votes.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow, ensure};
use stoa_store::Options;
use stoa_types::ManualClock;
use stoa_votes::model::{Day, PolicyId, UserId};
use stoa_votes::tables::chain::Tip;
use stoa_votes::tables::intents::{Intent, Spread};
use stoa_votes::tasks::check_export::Exported;

use super::Sizes;
use super::town::Town;
use crate::command::bench::figure::{Figure, Goal, median};
use crate::command::bench::printer::Printer;
use crate::command::bench::store::Stopwatch;

/// How often a recount is measured.
const TIMES: usize = 5;
/// What each voter was paid.
const PAID: i64 = 100;

pub(super) async fn measure(dir: &Path, sizes: &Sizes, printer: &mut Printer) -> Result<()> {
    let votes = sizes.votes;
    let town = Town::filling(dir, votes.min(1_000)).await?;
    let busy = town.policies.last().copied();
    let busy = busy.ok_or_else(|| anyhow!("no policies"))?;
    for at in 0..votes {
        save(&town, busy, at).await?;
    }
    let town = town.opened_again(dir).await?;
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let watch = Stopwatch::start();
        let total = town.votes.recount(busy).await?;
        times.push(watch.elapsed().as_secs_f64() * 1e3);
        ensure!(total >= i64::try_from(votes)?, "{total} votes are too few");
    }
    printer.add(Figure {
        work: format!("recount/{votes}"),
        ours: median(&times),
        peer: None,
        unit: "ms",
        goal: sizes.goal(|it| it.votes, Goal::OursBelow(50.0)),
    })?;
    // A day is closed once it is over: from here on it is the day after the next midnight.
    let today = town.today;
    town.database.close()?;
    let tomorrow = ManualClock::at_micros(today.plus(2).start_micros());
    let town = Town::open_at(dir, Options::default(), Arc::new(tomorrow)).await?;
    let watch = Stopwatch::start();
    town.votes.close_day(today).await?;
    let took = watch.elapsed();
    check_ledger(&town, today, votes).await?;
    printer.add(Figure {
        work: format!("close/{votes}"),
        ours: took.as_secs_f64(),
        peer: None,
        unit: "s",
        goal: sizes.goal(|it| it.votes, Goal::OursBelow(6.0)),
    })?;
    town.database.close()?;
    Ok(())
}

/// Everything that a save of a new user leaves behind, but the totals: to recount the busy policy
/// for each of them would take as long as all of them squared. Everybody votes for the busy policy,
/// half of them for another one too.
async fn save(town: &Town, busy: PolicyId, at: usize) -> Result<()> {
    let (tables, spread) = (town.votes.tables(), Spread::default());
    let user = UserId(town.ids.uuid());
    let mut record = town.record(user, None, 1, at)?;
    let change = record.changes.values().next().copied();
    let change = change.ok_or_else(|| anyhow!("a record without a vote"))?;
    if at.is_multiple_of(2) {
        record.changes.clear();
    }
    record.changes.insert(busy, change);
    let tip = Tip {
        head: None,
        seq: 0,
        epoch: None,
    };
    let intent = Intent {
        version: record.version,
        user,
        seq: record.seq,
        epoch: tip.epoch,
    };
    tables.intents.write(spread, record.day, &intent).await?;
    let is_there = tables.chain.append(user, tip, &record, &[0; 32]).await?;
    ensure!(is_there, "a new user had a chain");
    tables.write_copies(user, &record, PAID, true).await?;
    let roots = record.changes.keys().copied().collect();
    let now = record.version.made_at_micros();
    tables.finish_copies(spread, &record, &roots, now).await?;
    Ok(())
}

/// The closed day tells of every record, and anyone can check that.
async fn check_ledger(town: &Town, day: Day, records: usize) -> Result<()> {
    let told = town.votes.tables().ledger.records(day).await?.len();
    ensure!(told == records, "the day tells of {told} records only");
    let exported = town.votes.check_export().await?;
    ensure!(
        exported == Exported::Through(Some(day)),
        "the day cannot be exported: {exported:?}"
    );
    Ok(())
}
