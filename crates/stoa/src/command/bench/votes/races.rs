//! Races: windows of one user on one basis, people for one name.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use stoa_store::Options;
use stoa_votes::model::{NotDone, RequestId};
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::submit::NotAccepted;
use tokio::task::JoinSet;

use super::town::{AT_ONCE, Town};
use crate::command::bench::figure::{Figure, Goal};
use crate::command::bench::printer::Printer;
use crate::command::bench::store::Stopwatch;

/// People who race for one name, and names that are raced for at once.
const RIVALS: usize = 4;
const NAMES_AT_ONCE: usize = 16;
/// Users that storms are about, one after the other.
const USERS: usize = 200;

/// Lets 64 windows of one user save on one basis, so many times.
pub(super) async fn storms(dir: &Path, storms: usize, printer: &mut Printer) -> Result<()> {
    let town = Town::found(dir, 100, USERS.min(storms)).await?;
    let (mut wrong, watch) = (0_usize, Stopwatch::start());
    for storm in 0..storms {
        wrong += usize::from(winners(&town, storm).await? != 1);
    }
    add_races(printer, &format!("storms/{storms}"), wrong, storms, &watch)?;
    let mut overspent = 0_usize;
    for at in 0..USERS.min(storms) {
        let statement = town.votes.statement(town.user(at)?).await?;
        let spent: i64 = statement.positions.values().map(|it| it.total).sum();
        let is_right = statement.balance >= 0 && spent + statement.balance == statement.salary;
        overspent += usize::from(!is_right);
    }
    printer.add(Figure {
        work: "storms-overspent".to_owned(),
        ours: overspent as f64,
        peer: None,
        unit: "wrong",
        goal: Goal::OursBelow(1.0),
    })?;
    town.database.close()?;
    Ok(())
}

/// How many of 64 windows are told that they saved.
async fn winners(town: &Town, storm: usize) -> Result<usize> {
    let account = town.user(storm)?;
    let tip = town.votes.tables().chain.tip(account.user).await?;
    let mut windows = JoinSet::new();
    for window in 0..AT_ONCE {
        let request = town.request(account, tip.head, storm + window)?;
        let votes = Arc::clone(&town.votes);
        windows.spawn(async move {
            match votes.submit(account, &request).await {
                Ok(accepted) => {
                    votes.sync(account.user, accepted).await?;
                    Ok(true)
                }
                Err(NotAccepted::Stale(_)) => Ok(false),
                Err(other) => Err(anyhow!("{}", other.code())),
            }
        });
    }
    let mut won = 0;
    while let Some(done) = windows.join_next().await {
        won += usize::from(done??);
    }
    Ok(won)
}

/// Lets people register at once under one name, so many times.
pub(super) async fn names(dir: &Path, names: usize, printer: &mut Printer) -> Result<()> {
    let town = Town::open(dir, Options::default()).await?;
    let (mut wrong, watch) = (0_usize, Stopwatch::start());
    for first in (0..names).step_by(NAMES_AT_ONCE) {
        let mut races = JoinSet::new();
        for name in first..names.min(first + NAMES_AT_ONCE) {
            let town = town.shared();
            races.spawn(async move { owners(&town, name).await });
        }
        while let Some(done) = races.join_next().await {
            wrong += usize::from(done?? != 1);
        }
    }
    add_races(printer, &format!("names/{names}"), wrong, names, &watch)?;
    town.database.close()?;
    Ok(())
}

/// How many of those who want a name are told that it is theirs.
async fn owners(town: &Town, name: usize) -> Result<usize> {
    let mut rivals = JoinSet::new();
    for rival in 0..RIVALS {
        let registration = Registration {
            request: RequestId(town.ids.uuid()),
            name: format!("person{name}"),
            email: format!("person{name}.{rival}@example.org"),
            origin: None,
            password: "correct horse battery".to_owned(),
        };
        let votes = Arc::clone(&town.votes);
        rivals.spawn(async move {
            match votes.register(&registration).await {
                Ok(_) => Ok(true),
                Err(NotDone::Refused(refused)) if refused.code() == "name_taken" => Ok(false),
                Err(other) => Err(anyhow!("{}", other.code())),
            }
        });
    }
    let mut owners = 0;
    while let Some(done) = rivals.join_next().await {
        owners += usize::from(done??);
    }
    Ok(owners)
}

fn add_races(
    printer: &mut Printer,
    work: &str,
    wrong: usize,
    races: usize,
    watch: &Stopwatch,
) -> Result<()> {
    printer.add(Figure {
        work: work.to_owned(),
        ours: wrong as f64,
        peer: None,
        unit: "wrong",
        goal: Goal::OursBelow(1.0),
    })?;
    let (kind, _) = work.split_once('/').unwrap_or((work, ""));
    printer.add(Figure {
        work: format!("{kind}-speed"),
        ours: races as f64 / watch.elapsed().as_secs_f64(),
        peer: None,
        unit: "races/s",
        goal: Goal::None,
    })
}
