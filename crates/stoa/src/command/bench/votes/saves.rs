//! Users who vote at once, beside the bare statements of their votes.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use stoa_votes::model::{UserId, VoteRecord};
use stoa_votes::tables::chain::Tip;
use stoa_votes::tables::intents::{Intent, Spread};
use tokio::task::JoinSet;

use super::Sizes;
use super::town::{AT_ONCE, Town, percentile};
use crate::command::bench::figure::{Figure, Goal, median};
use crate::command::bench::printer::Printer;
use crate::command::bench::store::Stopwatch;

/// How large a community is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Community {
    pub(super) policies: usize,
    pub(super) users: usize,
}

impl Community {
    /// Its policies and users, as works are named by.
    fn name(self) -> String {
        format!("{}/{}", self.policies, self.users)
    }
}

/// Who votes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Domain,
    Statements,
}

/// Measures communities of every size, and how much slower the largest one is.
pub(super) async fn measure(dir: &Path, sizes: &Sizes, printer: &mut Printer) -> Result<()> {
    let mut speeds = Vec::new();
    for (at, community) in sizes.communities.iter().enumerate() {
        let dir = dir.join(at.to_string());
        let town = Town::found(&dir, community.policies, community.users).await?;
        speeds.push(measure_town(&town, *community, sizes, printer).await?);
        town.database.close()?;
        drop(town);
        std::fs::remove_dir_all(dir)?;
    }
    let (mut of, mut speeds) = (sizes.communities.iter(), speeds.iter());
    let (Some(small), Some(large)) = (of.next(), of.next_back()) else {
        return Ok(());
    };
    let (Some(first), Some(last)) = (speeds.next(), speeds.next_back()) else {
        return Ok(());
    };
    printer.add(Figure {
        work: format!("flat/{}-{}", small.name(), large.name()),
        ours: 1e6 / last.votes_a_second,
        peer: Some(1e6 / first.votes_a_second),
        unit: "us/vote",
        goal: sizes.goal(|it| it.communities.clone(), Goal::RatioAtMost(1.3)),
    })?;
    printer.add(Figure {
        work: format!("flat-p99/{}-{}", small.name(), large.name()),
        ours: last.accepted_millis,
        peer: Some(first.accepted_millis),
        unit: "ms",
        goal: sizes.goal(|it| it.communities.clone(), Goal::RatioAtMost(1.3)),
    })
}

/// What is compared between communities.
struct Speed {
    votes_a_second: f64,
    accepted_millis: f64,
}

/// How fast votes are in one community.
async fn measure_town(
    town: &Town,
    community: Community,
    sizes: &Sizes,
    printer: &mut Printer,
) -> Result<Speed> {
    let name = community.name();
    let goal = |goal| match Sizes::full().communities.contains(&community) {
        true => goal,
        false => Goal::None,
    };
    let (mut ours, mut peer, mut latencies) = (Vec::new(), Vec::new(), Vec::new());
    for turn in 0..=sizes.rounds {
        // Bare statements leave chains that do not add up, so they have users of their own.
        let start = 2 * turn * AT_ONCE;
        let (took, times) = round(town, start, sizes.each, Side::Domain).await?;
        let start = start + AT_ONCE;
        let (bare, _) = round(town, start, sizes.each, Side::Statements).await?;
        if turn > 0 {
            let votes = (AT_ONCE * sizes.each) as f64;
            ours.push(votes / took.as_secs_f64());
            peer.push(votes / bare.as_secs_f64());
            latencies.extend(times);
        }
    }
    printer.add(Figure {
        work: format!("votes/{name}"),
        ours: median(&ours),
        peer: Some(median(&peer)),
        unit: "votes/s",
        goal: goal(Goal::OursAtLeast(2_000.0)),
    })?;
    printer.add(Figure {
        work: format!("cost/{name}"),
        ours: 1e6 / median(&ours),
        peer: Some(1e6 / median(&peer)),
        unit: "us/vote",
        goal: goal(Goal::RatioAtMost(1.3)),
    })?;
    let accepted_millis = percentile(&mut latencies, 99).as_secs_f64() * 1e3;
    printer.add(Figure {
        work: format!("accepted-p99/{name}"),
        ours: accepted_millis,
        peer: None,
        unit: "ms",
        goal: goal(Goal::OursBelow(10.0)),
    })?;
    Ok(Speed {
        votes_a_second: median(&ours),
        accepted_millis,
    })
}

/// Lets 64 users vote at once; how long it took, and each vote until it was accepted.
async fn round(
    town: &Town,
    start: usize,
    each: usize,
    side: Side,
) -> Result<(Duration, Vec<Duration>)> {
    let mut voting = JoinSet::new();
    let mut ready = Vec::new();
    for at in 0..AT_ONCE {
        let account = town.user(start + at)?;
        let tip = town.votes.tables().chain.tip(account.user).await?;
        ready.push((account, tip, at));
    }
    let watch = Stopwatch::start();
    for (account, tip, at) in ready {
        let town = town.shared();
        voting.spawn(async move {
            let (mut tip, mut times) = (tip, Vec::new());
            for turn in 0..each {
                let at = at * 7 + turn;
                match side {
                    Side::Domain => {
                        let (time, version) = town.vote(account, tip.head, at).await?;
                        tip.head = Some(version);
                        times.push(time);
                    }
                    Side::Statements => {
                        let record = town.record(account.user, tip.head, tip.seq + 1, at)?;
                        send(&town, account.user, tip, &record).await?;
                        tip.head = Some(record.version);
                    }
                }
                tip.seq += 1;
            }
            anyhow::Ok(times)
        });
    }
    let mut times = Vec::new();
    while let Some(done) = voting.join_next().await {
        times.extend(done??);
    }
    Ok((watch.elapsed(), times))
}

/// The statements of one vote and its copies, with ready values.
async fn send(town: &Town, user: UserId, tip: Tip, record: &VoteRecord) -> Result<()> {
    let (tables, today, spread) = (town.votes.tables(), town.today, Spread::default());
    tables.chain.read(user).await?;
    tables.chain.answer(user, record.request).await?;
    tables.money.paid(user).await?;
    let intent = Intent {
        version: record.version,
        user,
        seq: record.seq,
        epoch: tip.epoch,
    };
    tables.intents.write(spread, today, &intent).await?;
    tables.days.state(today).await?;
    let digest = [0_u8; 32];
    tables.chain.append(user, tip, record, &digest).await?;
    tables.chain.record(user, record.seq).await?;
    tables.money.paid_by(user, today).await?;
    tables.write_copies(user, record, 100, false).await?;
    for policy in record.changes.keys() {
        tables.policies.read(*policy).await?;
        tables.days.closed_through(today.previous()).await?;
        tables.policies.read(*policy).await?;
        tables.counts.closed_day(*policy, today).await?;
        for day in today.through(today.next()) {
            tables.counts.change_of_day(*policy, day).await?;
        }
        let as_of = record.version.made_at_micros();
        tables.counts.write_total(*policy, 1, as_of).await?;
    }
    let roots = record.changes.keys().copied().collect();
    let now = record.version.made_at_micros();
    tables.finish_copies(spread, record, &roots, now).await?;
    Ok(())
}
