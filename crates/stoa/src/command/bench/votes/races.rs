//! Races: windows of one user on one basis, people for one name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow, ensure};
use stoa_store::Options;
use stoa_votes::Votes;
use stoa_votes::model::{NotDone, RequestId, UserId};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::submit::{Ask, NotAccepted, Request};
use stoa_votes::rules::claims::{ClaimKind, ClaimState};
use stoa_votes::rules::names::name_key;
use tokio::task::JoinSet;

use super::Sizes;
use super::town::{AT_ONCE, Town};
use crate::command::bench::figure::{Figure, Goal};
use crate::command::bench::printer::Printer;
use crate::command::bench::store::Stopwatch;

/// Names that are raced for at once.
const NAMES_AT_ONCE: usize = 16;
/// Policies that windows choose from; more than there are windows, so that each has its own.
const POLICIES: usize = 100;

/// Lets 64 windows of one user save on one basis, so many times. Each window spends everything, on
/// a policy of its own, so whatever is accepted twice is an overdraft.
pub(super) async fn storms(dir: &Path, sizes: &Sizes, printer: &mut Printer) -> Result<()> {
    let storms = sizes.storms;
    let goal = sizes.goal(|it| it.storms, Goal::OursBelow(1.0));
    let town = Town::found(dir, POLICIES, 0).await?;
    let (mut wrong, mut overspent) = (0_usize, 0_usize);
    let watch = Stopwatch::start();
    for at in 0..storms {
        let storm = storm(&town, at).await?;
        wrong += usize::from(storm.winners != 1);
        overspent += usize::from(!storm.is_all_spent);
    }
    add_races(printer, ("storms", goal), wrong, storms, &watch)?;
    printer.add(Figure {
        work: format!("storms-overspent/{storms}"),
        ours: overspent as f64,
        peer: None,
        unit: "wrong",
        goal,
    })?;
    town.database.close()?;
    Ok(())
}

/// What came of a storm.
struct Storm {
    /// Windows that were told that they saved.
    winners: usize,
    /// Whether exactly what was there is spent: the balance is 0.
    is_all_spent: bool,
}

/// A storm of a new user; every other one has voted before.
async fn storm(town: &Town, at: usize) -> Result<Storm> {
    let account = Account {
        user: UserId(town.ids.uuid()),
        joined: town.today,
    };
    if at % 2 == 1 {
        town.vote(account, None, at).await?;
    }
    let before = town.votes.statement(account).await?;
    ensure!(before.balance > 0, "nobody paid");
    let mut windows = JoinSet::new();
    for window in 0..AT_ONCE {
        let policy = town.policy(at + window)?;
        let request = Request {
            id: RequestId(town.ids.uuid()),
            basis: before.basis,
            ask: Ask::Move(BTreeMap::from([(policy, before.balance)])),
            actor: account.user,
        };
        let votes = Arc::clone(&town.votes);
        windows.spawn(async move { saved(&votes, account, &request).await });
    }
    let mut winners = 0;
    while let Some(done) = windows.join_next().await {
        winners += usize::from(done??);
    }
    let after = town.votes.statement(account).await?;
    let spent: i64 = after.positions.values().map(|it| it.total).sum();
    // A week may begin meanwhile, and everybody is paid again.
    let left = after.salary - before.salary;
    Ok(Storm {
        winners,
        is_all_spent: spent == before.salary && after.balance == left,
    })
}

/// Whether a window is told that it saved.
async fn saved(votes: &Votes, account: Account, request: &Request) -> Result<bool> {
    match votes.submit(account, request).await {
        Ok(accepted) => {
            votes.sync(account.user, accepted).await?;
            Ok(true)
        }
        Err(NotAccepted::Stale(_)) => Ok(false),
        Err(other) => Err(anyhow!("{}", other.code())),
    }
}

/// Lets people register at once under one name, so many times.
pub(super) async fn names(dir: &Path, sizes: &Sizes, printer: &mut Printer) -> Result<()> {
    let names = sizes.names;
    let goal = sizes.goal(|it| it.names, Goal::OursBelow(1.0));
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
    add_races(printer, ("names", goal), wrong, names, &watch)?;
    town.database.close()?;
    Ok(())
}

/// How many of those who want a name, or one that looks like it, have it: each that is told so, and
/// besides whoever the claim names without having told it.
async fn owners(town: &Town, name: usize) -> Result<usize> {
    let mut rivals = JoinSet::new();
    // One name to Unicode's table of characters that look alike, however it is written.
    for (rival, spelled) in ["person", "PERSON", "pers0n", "Persοn"].iter().enumerate() {
        let registration = Registration {
            request: RequestId(town.ids.uuid()),
            name: format!("{spelled}{name}"),
            email: format!("person{name}.{rival}@example.org"),
            origin: None,
            password: "correct horse battery".to_owned(),
        };
        let votes = Arc::clone(&town.votes);
        rivals.spawn(async move {
            let refusals = ["name_taken", "name_looks_alike"];
            match votes.register(&registration).await {
                Ok(user) => Ok(Some(user)),
                Err(NotDone::Refused(no)) if refusals.contains(&no.code()) => Ok(None),
                Err(other) => Err(anyhow!("{}", other.code())),
            }
        });
    }
    let mut owners = BTreeSet::new();
    while let Some(done) = rivals.join_next().await {
        owners.extend(done??);
    }
    let claims = town.votes.tables().claims.of(ClaimKind::Name);
    let claim = claims.read(&name_key(&format!("person{name}"))).await?;
    let claim = claim.filter(|claim| claim.state == ClaimState::Owned);
    owners.extend(claim.and_then(|claim| claim.user));
    Ok(owners.len())
}

fn add_races(
    printer: &mut Printer,
    (kind, goal): (&str, Goal),
    wrong: usize,
    races: usize,
    watch: &Stopwatch,
) -> Result<()> {
    printer.add(Figure {
        work: format!("{kind}/{races}"),
        ours: wrong as f64,
        peer: None,
        unit: "wrong",
        goal,
    })?;
    printer.add(Figure {
        work: format!("{kind}-speed/{races}"),
        ours: races as f64 / watch.elapsed().as_secs_f64(),
        peer: None,
        unit: "races/s",
        goal: Goal::None,
    })
}
