//! Rankings of many policies, looked at while others vote.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};
use stoa_votes::model::{RankingFilter, RankingKind};
use stoa_votes::rules::ranking::cursor::Cursor;
use stoa_votes::tasks::catalog::catalog;
use tokio::task::{JoinHandle, JoinSet};

use super::Sizes;
use super::town::{CATEGORIES, Town, percentile};
use crate::command::bench::figure::{Figure, Goal};
use crate::command::bench::printer::Printer;
use crate::command::bench::store::Stopwatch;

/// Policies on a page.
const PAGE: usize = 50;
/// How long whoever looks waits before looking again, and how often the board is refreshed.
const PAUSE: Duration = Duration::from_millis(1);
const REFRESH: Duration = Duration::from_secs(2);
/// The task that brings the board up to date.
const TASK: &str = "votes.refresh_board";
/// Users who vote meanwhile, and users that they are taken from.
const VOTERS: usize = 16;
const USERS: usize = 256;

/// Lists that people look at.
const KINDS: [RankingKind; 11] = [
    RankingKind::Total,
    RankingKind::Window(1),
    RankingKind::Rising,
    RankingKind::Window(7),
    RankingKind::New,
    RankingKind::Window(30),
    RankingKind::Supporters,
    RankingKind::Window(365),
    RankingKind::Contested,
    RankingKind::Discussed,
    RankingKind::SquareRoots,
];

/// Pages of a ranking of so many policies, for so long, while others vote and the board is
/// refreshed: each asks for the board, any page of it, and the neighbours of a policy on the page.
pub(super) async fn measure(dir: &Path, sizes: &Sizes, printer: &mut Printer) -> Result<()> {
    let (policies, seconds) = (sizes.policies, sizes.seconds);
    let town = Town::found(dir, policies, USERS).await?;
    let watch = Stopwatch::start();
    let first = town.votes.refresh_board().await?;
    printer.add(Figure {
        work: format!("board/{policies}"),
        ours: watch.elapsed().as_secs_f64(),
        peer: None,
        unit: "s",
        goal: Goal::None,
    })?;
    let length = Duration::from_secs_f64(seconds);
    let (voters, refresher) = (Voters::start(&town), Refresher::start(&town, length / 4)?);
    let (mut times, looking) = (Vec::new(), Stopwatch::start());
    while looking.elapsed() < length || !refresher.has_run() {
        let at = times.len();
        let random = usize::try_from(town.ids.random_u64() % 1_000_000)?;
        // Any number of days as often as all lists together, and every third list is of a category.
        let kind = match at % 2 {
            0 => RankingKind::Window(u16::try_from(1 + random % 366)?),
            _ => kind(at / 2),
        };
        let filter = RankingFilter {
            category: CATEGORIES
                .get(at % (3 * CATEGORIES.len()))
                .map(|it| (*it).to_owned()),
            ..RankingFilter::default()
        };
        times.push(look_at_page(&town, kind, &filter, random).await?);
        tokio::time::sleep(PAUSE).await;
    }
    let votes = voters.stop().await?;
    refresher.stop().await?;
    let last = town.votes.refresh_board().await?;
    ensure!(
        votes > 0 && !Arc::ptr_eq(&first, &last),
        "nobody voted meanwhile"
    );
    printer.add(Figure {
        work: format!("ranking-p99/{policies}"),
        ours: percentile(&mut times, 99).as_secs_f64() * 1e3,
        peer: None,
        unit: "ms",
        goal: sizes.goal(|it| it.policies, Goal::OursBelow(20.0)),
    })?;
    town.database.close()?;
    Ok(())
}

/// How long a page takes that begins after any policy, with neighbours of one on it.
async fn look_at_page(
    town: &Town,
    kind: RankingKind,
    filter: &RankingFilter,
    random: usize,
) -> Result<Duration> {
    let after = town.policy(random)?;
    let watch = Stopwatch::start();
    let board = town.votes.board().await?;
    let place = board.line(after).map(|line| {
        let cursor = Cursor {
            value: line.value(kind, board.today()),
            created_micros: after.made_at_micros(),
            policy: after,
        };
        cursor.text(kind)
    });
    let page = board.page(kind, filter, place.as_deref(), PAGE)?;
    if let Some(line) = page.policies.get(random % PAGE) {
        board.neighbours(kind, line.line.policy(), filter, 2)?;
    }
    Ok(watch.elapsed())
}

pub(super) fn kind(at: usize) -> RankingKind {
    let kind = KINDS.get(at % KINDS.len()).copied();
    kind.unwrap_or(RankingKind::Total)
}

/// The task of the domain that refreshes the board, again and again.
struct Refresher {
    task: JoinHandle<Result<()>>,
    is_over: Arc<AtomicBool>,
    runs: Arc<AtomicUsize>,
}

impl Refresher {
    fn start(town: &Town, pause: Duration) -> Result<Self> {
        let mut tasks = catalog(&town.votes).into_iter();
        let task = tasks.find(|task| task.name() == TASK);
        let task = task.ok_or_else(|| anyhow!("there is no task {TASK}"))?;
        let (is_over, runs) = (Arc::new(AtomicBool::new(false)), Arc::default());
        let (over, done) = (Arc::clone(&is_over), Arc::<AtomicUsize>::clone(&runs));
        let task = tokio::spawn(async move {
            while !over.load(Ordering::Relaxed) {
                tokio::time::sleep(pause.min(REFRESH)).await;
                let run = task.run(0).await;
                run.map_err(|error| anyhow!("{error:?}"))?;
                done.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        });
        Ok(Self {
            task,
            is_over,
            runs,
        })
    }

    /// Whether the board was refreshed, or never will be.
    fn has_run(&self) -> bool {
        self.runs.load(Ordering::Relaxed) > 0 || self.task.is_finished()
    }

    async fn stop(self) -> Result<()> {
        self.is_over.store(true, Ordering::Relaxed);
        self.task.await?
    }
}

/// Users who vote all the while.
struct Voters {
    tasks: JoinSet<Result<()>>,
    is_over: Arc<AtomicBool>,
    votes: Arc<AtomicUsize>,
}

impl Voters {
    fn start(town: &Town) -> Self {
        let mut tasks = JoinSet::new();
        let (is_over, votes) = (Arc::new(AtomicBool::new(false)), Arc::default());
        for first in 0..VOTERS {
            let (town, is_over) = (town.shared(), Arc::clone(&is_over));
            let votes: Arc<AtomicUsize> = Arc::clone(&votes);
            tasks.spawn(async move {
                let mut at = first;
                while !is_over.load(Ordering::Relaxed) {
                    let account = town.user(at)?;
                    let tip = town.votes.tables().chain.tip(account.user).await?;
                    // Somebody whose votes are spent is no news.
                    let _ = town.vote(account, tip.head, at * 31).await;
                    votes.fetch_add(1, Ordering::Relaxed);
                    at += VOTERS;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                Ok(())
            });
        }
        Self {
            tasks,
            is_over,
            votes,
        }
    }

    /// Lets each finish; how often they voted.
    async fn stop(mut self) -> Result<usize> {
        self.is_over.store(true, Ordering::Relaxed);
        while let Some(done) = self.tasks.join_next().await {
            done??;
        }
        Ok(self.votes.load(Ordering::Relaxed))
    }
}
