//! Rankings looked at while everything goes on: whole lists, page by page, whatever the order and the
//! filter, and whether what they show fits together.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use stoa_votes::model::{ListedStates, RankingFilter, RankingKind, UserId};
use stoa_votes::ops::account::Account;
use stoa_votes::rules::ranking::{RankedLine, RankingBoard};

use super::Sizes;
use super::board::kind;
use super::meanwhile::{CATEGORIES, Meanwhile, Tally};
use super::town::Town;
use crate::command::bench::figure::{Figure, Goal};
use crate::command::bench::printer::Printer;
use crate::command::bench::store::Stopwatch;

/// Policies without pages, users, and days for which these have been paid.
const POLICIES: usize = 300;
const USERS: usize = 64;
const DAYS: i32 = 364;
/// Policies on a page: the list has many.
const PAGE: usize = 25;
/// Pages that are looked at before the board is brought up to date.
const REFRESH_EVERY: usize = 100;
/// How long everything may take to happen once.
const LONGEST: Duration = Duration::from_secs(120);

/// Looks at rankings: how often a policy stood twice in a list, a rank was left out, neighbours did
/// not fit, or a total was shown that never was.
pub(super) async fn look(dir: &Path, sizes: &Sizes, printer: &mut Printer) -> Result<()> {
    let town = town_of_rich_people(dir).await?;
    town.votes.refresh_board().await?;
    let mut meanwhile = Meanwhile::start(&town).await?;
    let (began, watch) = (meanwhile.tally(), Stopwatch::start());
    let (mut wrong, mut boards, mut reads, mut lists) = (0_usize, 1_usize, 0_usize, 0_usize);
    let (mut board, mut before) = (town.votes.board().await?, began.clone());
    let mut due = 0;
    while reads < sizes.reads || !before.has_everything_since(&began) {
        if reads >= due {
            due = reads + REFRESH_EVERY;
            meanwhile.check()?;
            ensure!(
                reads < sizes.reads || watch.elapsed() < LONGEST,
                "not everything happened meanwhile: {before:?}"
            );
            before = meanwhile.tally();
            let next = town.votes.refresh_board().await?;
            boards += usize::from(!Arc::ptr_eq(&board, &next));
            board = next;
            wrong += impossible_totals(&before, &meanwhile.tally(), &board);
        }
        let random = usize::try_from(town.ids.random_u64() % 1_000_000)?;
        let (pages, misfits) = look_through(&board, kind(lists), &filter(&board, random), random)?;
        reads += pages;
        wrong += misfits;
        lists += 1;
        // Others have their turn.
        tokio::task::yield_now().await;
    }
    meanwhile.stop().await?;
    ensure!(boards > 1, "the board was never made anew");
    let work = sizes.reads;
    printer.add(Figure {
        work: format!("reads/{work}"),
        ours: wrong as f64,
        peer: None,
        unit: "wrong",
        goal: sizes.goal(|it| it.reads, Goal::OursBelow(1.0)),
    })?;
    printer.add(Figure {
        work: format!("reads-boards/{work}"),
        ours: boards as f64,
        peer: None,
        unit: "boards",
        goal: Goal::None,
    })?;
    town.database.close()?;
    Ok(())
}

/// A town whose people have been paid for a year, so that they do not run out of votes.
async fn town_of_rich_people(dir: &Path) -> Result<Town> {
    let town = Town::filling(dir, POLICIES).await?;
    let rich = |_| Account {
        user: UserId(town.ids.uuid()),
        joined: town.today.plus(-DAYS),
    };
    let users: Vec<Account> = (0..USERS).map(rich).collect();
    let town = Town {
        users: Arc::new(users),
        ..town
    };
    town.opened_again(dir).await
}

/// Any filter.
fn filter(board: &RankingBoard, random: usize) -> RankingFilter {
    let states = match random % 3 {
        0 => ListedStates::Active,
        1 => ListedStates::Retired,
        _ => ListedStates::All,
    };
    let category = CATEGORIES.get(random / 3 % 4);
    let among = (random / 12).is_multiple_of(4).then(|| {
        let policies = board.facts().keys().map(|(_, policy)| *policy);
        policies.step_by(3).collect()
    });
    RankingFilter {
        category: category.map(|it| (*it).to_owned()),
        party: None,
        states,
        among,
    }
}

/// A whole list, page by page: how many pages it has, and how often something on them does not fit.
fn look_through(
    board: &RankingBoard,
    kind: RankingKind,
    filter: &RankingFilter,
    random: usize,
) -> Result<(usize, usize)> {
    let mut list: Vec<RankedLine> = Vec::new();
    let (mut pages, mut wrong, mut after) = (0, 0, None);
    loop {
        let page = board.page(kind, filter, after.as_deref(), PAGE)?;
        pages += 1;
        list.extend(page.policies);
        wrong += usize::from(page.next.is_none() && list.len() != page.count);
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    let different: BTreeSet<_> = list.iter().map(|it| it.line.policy()).collect();
    wrong += list.len() - different.len();
    let ranks = list.iter().map(|it| it.rank);
    wrong += ranks.zip(1..).filter(|(rank, place)| rank != place).count();
    let is_wrong = |pair: &&[RankedLine]| match pair {
        [one, next] => one.value < next.value,
        _ => true,
    };
    wrong += list.windows(2).filter(is_wrong).count();
    let is_hidden = |it: &&RankedLine| it.line.facts.page.as_ref().is_some_and(|it| it.is_hidden);
    wrong += list.iter().filter(is_hidden).count();
    // Somebody on each page.
    for at in (random % PAGE..list.len()).step_by(PAGE) {
        wrong += usize::from(!has_its_neighbours(board, kind, filter, &list, at)?);
    }
    Ok((pages, wrong))
}

/// Whether the neighbours of a policy are those that stand beside it in the list.
fn has_its_neighbours(
    board: &RankingBoard,
    kind: RankingKind,
    filter: &RankingFilter,
    list: &[RankedLine],
    at: usize,
) -> Result<bool> {
    let Some(own) = list.get(at) else {
        return Ok(false);
    };
    let near = board.neighbours(kind, own.line.policy(), filter, 1)?;
    let above = at.checked_sub(1).and_then(|at| list.get(at));
    Ok(near.own == *own
        && near.above.first().map(|it| &it.policy) == above
        && near.below.first().map(|it| &it.policy) == list.get(at + 1))
}

/// How many policies show a total that they cannot have had.
fn impossible_totals(before: &Tally, after: &Tally, board: &RankingBoard) -> usize {
    let lines = board
        .facts()
        .values()
        .filter_map(|it| board.line(it.policy));
    lines
        .filter(|line| !before.may_show(after, board, line))
        .count()
}
