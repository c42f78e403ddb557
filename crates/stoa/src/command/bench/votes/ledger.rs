//! Counting everything again from a public ledger.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use stoa_store::{CommitMode, Options};
use stoa_types::{Clock, ManualClock, SystemClock};
use stoa_votes::model::{By, Day, PrivacyMode, RequestId, UserId};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Ask, Request};
use stoa_votes::rules::public_ledger::Recount;

use super::Sizes;
use super::town::Town;
use crate::command::bench::figure::{Figure, Goal};
use crate::command::bench::printer::Printer;
use crate::command::bench::store::Stopwatch;

/// Days of the ledger; each person has a record on each of them.
const DAYS: usize = 10;
const POLICIES: usize = 100;
const DAY: Duration = Duration::from_secs(86_400);

/// Copies so many records into days, closes them, and counts what is exported.
pub(super) async fn measure(dir: &Path, sizes: &Sizes, printer: &mut Printer) -> Result<()> {
    let clock = Arc::new(ManualClock::at_micros(monday().start_micros()));
    let town = found(dir, &clock).await?;
    let people: Vec<UserId> = std::iter::repeat_with(|| UserId(town.ids.uuid()))
        .take(sizes.records / DAYS)
        .collect();
    for day in 0..DAYS {
        let town = Town {
            today: Day::of_micros(clock.now_micros()),
            ..town.shared()
        };
        for (at, user) in people.iter().enumerate() {
            let record = town.record(*user, None, i64::try_from(day)? + 1, at + day)?;
            // Everybody is paid 100 votes each Monday.
            let paid = if day < 7 { 100 } else { 200 };
            let tables = town.votes.tables();
            tables.write_copies(*user, &record, paid, day == 0).await?;
        }
        clock.advance(DAY);
    }
    clock.advance(DAY);
    let watch = Stopwatch::start();
    town.votes.close_days().await?;
    let closing = watch.elapsed();
    let watch = Stopwatch::start();
    let mut export = town.votes.export_ledger().await?;
    let mut lines = Vec::new();
    while let Some(day) = export.next().await? {
        lines.extend(day.into_iter().map(|line| format!("{line}\n")));
    }
    let exporting = watch.elapsed();
    let watch = Stopwatch::start();
    let mut recount = Recount::new();
    for line in &lines {
        recount.line(line.as_bytes());
    }
    let report = recount.finish();
    let counting = watch.elapsed();
    ensure!(report.wrong == 0, "{:?}", report.findings.first());
    let goal = sizes.goal(|it| it.records, Goal::OursBelow(30.0));
    for (work, took, goal) in [
        ("close-days", closing, Goal::None),
        ("export", exporting, Goal::None),
        ("public-recount", counting, goal),
    ] {
        printer.add(Figure {
            work: format!("{work}/{}", report.records),
            ours: took.as_secs_f64(),
            peer: None,
            unit: "s",
            goal,
        })?;
    }
    town.database.close()?;
    Ok(())
}

/// A town whose policies were created by people, as the ledger tells.
async fn found(dir: &Path, clock: &Arc<ManualClock>) -> Result<Town> {
    let filling = Options {
        commit_mode: CommitMode::Periodic {
            every: Duration::from_secs(1),
        },
        ..Options::default()
    };
    let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
    let town = Town::open_at(dir, filling, by).await?;
    let votes = &town.votes;
    votes
        .choose_privacy(By::Operator, PrivacyMode::Public)
        .await?;
    votes.recount_all().await?;
    let mut policies = Vec::new();
    for _ in 0..POLICIES {
        clock.advance(Duration::from_millis(1));
        let account = Account {
            user: UserId(town.ids.uuid()),
            joined: town.today,
        };
        let request = Request {
            id: RequestId(town.ids.uuid()),
            basis: None,
            ask: Ask::Create(None),
            actor: account.user,
        };
        let accepted = votes.submit(account, &request).await?;
        votes.sync(account.user, accepted).await?;
        let record = votes.tables().chain.record(account.user, accepted.seq);
        policies.extend(record.await?.and_then(|record| record.policy_created));
    }
    Ok(Town {
        policies: Arc::new(policies),
        ..town
    })
}

/// A Monday some weeks ago.
fn monday() -> Day {
    let today = Day::of_micros(SystemClock::new().now_micros());
    let past = today.plus(-28);
    // 1970-01-01 was a Thursday.
    past.plus(-(past.0 + 3).rem_euclid(7))
}
