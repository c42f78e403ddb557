//! Boards follow votes, merges and releases; whatever goes on meanwhile, what is read of one fits
//! together.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use stoa_session::{Session, Shortcuts};
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::Ids;
use stoa_votes::Votes;
use stoa_votes::model::{
    By, ClosedDay, ListedStates, MOST_WINDOW_DAYS, PolicyId, RankingFilter, RankingKind,
};
use stoa_votes::ops::hide_policy::Visibility;
use stoa_votes::ops::release::Release;
use stoa_votes::rules::ranking::{RankedLine, RankingBoard};
use stoa_votes::tables::changes::Changed;

use crate::world::{MONDAY, World, instance, moves};

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);

/// A whole list, page by page: policies and values.
fn whole(board: &RankingBoard, kind: RankingKind, filter: &RankingFilter) -> Vec<RankedLine> {
    let mut list = Vec::new();
    let mut next = None;
    loop {
        let page = board.page(kind, filter, next.as_deref(), 3).unwrap();
        list.extend(page.policies);
        match page.next {
            Some(_) => next = page.next,
            None => return list,
        }
    }
}

fn values(board: &RankingBoard, kind: RankingKind) -> Vec<(PolicyId, i64)> {
    let list = whole(board, kind, &RankingFilter::default());
    list.iter().map(|it| (it.line.policy(), it.value)).collect()
}

async fn measured(votes: &Votes) -> Arc<RankingBoard> {
    votes.measure().await.unwrap();
    votes.refresh_board().await.unwrap()
}

#[tokio::test]
async fn lists_follow_votes_in_every_order() {
    let world = World::new().await;
    let (ada, ben, cleo) = (world.user(), world.user(), world.user());
    let trees = world.policy(ada, "trees").await;
    let parks = world.policy(ben, "parks").await;
    world.wait(7 * DAY);
    world.votes.close_days().await.unwrap();
    world.ask(ada, moves(&[(parks, 36)])).await.unwrap();
    world.ask(cleo, moves(&[(trees, 64)])).await.unwrap();
    world.ask(cleo, moves(&[(trees, -10)])).await.unwrap();
    let board = measured(&world.votes).await;
    use RankingKind::{Contested, New, SquareRoots, Supporters, Total, Window};
    assert_eq!(values(&board, Total), [(trees, 154), (parks, 136)]);
    assert_eq!(values(&board, Window(1)), [(trees, 54), (parks, 36)]);
    assert_eq!(values(&board, Window(8)), [(trees, 154), (parks, 136)]);
    assert_eq!(
        values(&board, New),
        [parks, trees].map(|it| (it, it.made_at_micros()))
    );
    assert_eq!(values(&board, Supporters), [(trees, 2), (parks, 2)]);
    assert_eq!(
        values(&board, SquareRoots),
        [(trees, 1_734), (parks, 1_600)]
    );
    assert_eq!(
        values(&board, Contested)[0],
        (trees, 174 * 1_000 * 10 / 164)
    );
    let rising = board.rising_first(9);
    let rising: Vec<_> = rising.iter().map(|it| it.line.policy()).collect();
    assert_eq!(rising, [trees, parks]);
    let filter = RankingFilter::default();
    let next = board.neighbours(Total, parks, &filter, 2).unwrap();
    assert_eq!((next.own.rank, next.above[0].needed), (2, Some(19)));
    let next = board.neighbours(Window(1), trees, &filter, 2).unwrap();
    assert_eq!((next.own.rank, next.below[0].needed), (1, Some(18 + 1)));
    assert_eq!(next.own.line.facts.page.as_ref().unwrap().title, "trees");
}

#[tokio::test]
async fn merged_hidden_and_closed_policies_leave_the_list() {
    let world = World::new().await;
    let mut policies = Vec::new();
    for number in 0..6 {
        let title = format!("policy {number}");
        policies.push(world.policy(world.user(), &title).await);
    }
    let board = measured(&world.votes).await;
    assert_eq!(values(&board, RankingKind::Total).len(), 6);
    let (one, other) = (policies[0], policies[1]);
    let moderator = world.user().user;
    let merged = world.votes.merge(moderator, [one, other].into()).await;
    let merged = merged.unwrap().unwrap();
    world
        .votes
        .release(policies[2], Release::Retire)
        .await
        .unwrap();
    world
        .votes
        .release(policies[3], Release::Delete)
        .await
        .unwrap();
    let hide = "UPDATE votes.policy_pages SET is_hidden = true WHERE policy = ?";
    world.session.query(hide, (policies[4],)).await.unwrap();
    world
        .votes
        .note_changed(policies[4], Changed::Rest)
        .await
        .unwrap();
    // The board that there is does not change.
    assert_eq!(values(&board, RankingKind::Total).len(), 6);
    let board = measured(&world.votes).await;
    let list = values(&board, RankingKind::Total);
    assert_eq!(list, [(merged, 200), (policies[5], 100)]);
    let line = board.line(merged).unwrap();
    assert_eq!(line.facts.breadth.supporters, 2);
    let states = ListedStates::Retired;
    let filter = RankingFilter {
        states,
        ..RankingFilter::default()
    };
    let retired = whole(&board, RankingKind::Total, &filter);
    assert_eq!(retired[0].line.policy(), policies[2]);
    assert_eq!(retired.len(), 1);
    let fresh = instance(Arc::clone(&world.session), &world.clock, &world.ids).await;
    let fresh = fresh.board().await.unwrap();
    assert_eq!(values(&fresh, RankingKind::Total), list);
}

#[tokio::test]
async fn an_instance_that_was_idle_for_any_time_misses_nothing() {
    let world = World::new().await;
    let trees = world.policy(world.user(), "trees").await;
    let idle = instance(Arc::clone(&world.session), &world.clock, &world.ids).await;
    idle.board().await.unwrap();
    let mut total = 100;
    for seconds in [
        1, 15, 59, 120, 121, 601, 1_199, 1_201, 3_000, 3_599, 3_601, 40_000, 200_000,
    ] {
        // Votes right after it looked, in the middle, and right before it looks again.
        for part in [0, seconds / 2, seconds - seconds / 2] {
            world.wait(Duration::from_secs(part));
            world.ask(world.user(), moves(&[(trees, 3)])).await.unwrap();
            total += 3;
        }
        let board = idle.refresh_board().await.unwrap();
        let list = values(&board, RankingKind::Total);
        assert_eq!(list, [(trees, total)], "idle for {seconds} seconds");
    }
}

#[tokio::test]
async fn a_vote_of_a_day_that_is_being_closed_is_counted_once() {
    let world = World::new().await;
    let trees = world.policy(world.user(), "trees").await;
    world.wait(DAY);
    world.ask(world.user(), moves(&[(trees, 7)])).await.unwrap();
    let before = measured(&world.votes).await;
    // Someone closes the first day, and dies before it is closed.
    let shown =
        |board: &RankingBoard| [1, 2, 3].map(|days| values(board, RankingKind::Window(days))[0].1);
    assert_eq!(shown(&before), [7, 107, 107]);
    for call in 0..60 {
        let dying = Troubled::new(Arc::clone(&world.session), call, Trouble::DiesBefore);
        let dying = instance(Arc::new(dying), &world.clock, &world.ids).await;
        let _ = dying.close_days().await;
        let fresh = instance(Arc::clone(&world.session), &world.clock, &world.ids).await;
        let board = fresh.board().await.unwrap();
        assert_eq!(shown(&board), [7, 107, 107], "died at {call}");
    }
    world.votes.close_days().await.unwrap();
    let board = world.votes.refresh_board().await.unwrap();
    assert_eq!(shown(&board), [7, 107, 107]);
}

#[tokio::test]
async fn measuring_that_dies_anywhere_is_done_again() {
    let world = World::new().await;
    let trees = world.policy(world.user(), "trees").await;
    let parks = world.policy(world.user(), "parks").await;
    world.votes.measure().await.unwrap();
    let session = |call, trouble| Troubled::new(Arc::clone(&world.session), call, trouble);
    let mut supporters = 1;
    for trouble in Trouble::ALL {
        // The first calls look for changes, and there are many.
        for call in [0, 1, 40].into_iter().chain(56..80) {
            world
                .ask(world.user(), moves(&[(trees, 1), (parks, 1)]))
                .await
                .unwrap();
            supporters += 1;
            let troubled: Arc<dyn Session> = Arc::new(session(call, trouble));
            let troubled = instance(troubled, &world.clock, &world.ids).await;
            let _ = troubled.measure().await;
            let board = measured(&world.votes).await;
            let list = values(&board, RankingKind::Supporters);
            let at = format!("{trouble:?} at call {call}");
            assert_eq!(list, [(trees, supporters), (parks, supporters)], "{at}");
            assert_eq!(world.votes.measure().await.unwrap(), 0, "{at}");
        }
    }
}

/// Whatever is read of one board fits together; how many reads there were.
fn read(board: &RankingBoard, random: u64) -> usize {
    let states = ListedStates::All;
    let all = RankingFilter {
        states,
        ..RankingFilter::default()
    };
    let kinds = [
        RankingKind::Total,
        RankingKind::Window(1 + u16::try_from(random % 12).unwrap()),
        RankingKind::Rising,
        RankingKind::Supporters,
    ];
    let mut reads = 0;
    for kind in kinds {
        for filter in [&all, &RankingFilter::default()] {
            let list = whole(board, kind, filter);
            let policies: BTreeSet<PolicyId> = list.iter().map(|it| it.line.policy()).collect();
            assert_eq!(policies.len(), list.len(), "a policy is shown twice");
            for (at, own) in list.iter().enumerate() {
                let policy = own.line.policy();
                let found = board.neighbours(kind, policy, filter, 1).unwrap();
                assert_eq!(found.own, *own);
                assert_eq!(own.rank, at + 1, "ranks are the places of the list");
                let above = at.checked_sub(1).and_then(|at| list.get(at));
                assert_eq!(found.above.first().map(|it| &it.policy), above);
                assert_eq!(found.below.first().map(|it| &it.policy), list.get(at + 1));
                reads += 1;
            }
            reads += 1 + list.len() / 3;
        }
    }
    // A source is not shown beside the policy that it counts for.
    for it in whole(board, RankingKind::Total, &all) {
        let sources = &it.line.facts.standing.merged_from;
        for source in sources.iter().filter_map(|source| board.line(*source)) {
            assert_ne!(source.facts.standing.merged_to, Some(it.line.policy()));
        }
    }
    reads
}

/// What goes on while others read.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Create,
    Vote,
    Merge,
    Release,
    Hide,
    Measure,
    Recount,
}

/// How often each was done.
#[derive(Debug, Default)]
struct Deeds([AtomicU64; 7]);

impl Deeds {
    fn note(&self, deed: Deed) {
        let count = self.0.get(deed as usize).unwrap();
        count.fetch_add(1, Ordering::SeqCst);
    }

    fn counts(&self) -> [u64; 7] {
        self.0.each_ref().map(|count| count.load(Ordering::SeqCst))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_see_what_fits_together_whatever_goes_on() {
    let world = Arc::new(World::new().await);
    let is_over = Arc::new(AtomicBool::new(false));
    let deeds = Arc::new(Deeds::default());
    let readers: Vec<_> = (0..3_u64)
        .map(|nth| {
            let (world, is_over) = (Arc::clone(&world), Arc::clone(&is_over));
            let deeds = Arc::clone(&deeds);
            tokio::spawn(async move {
                let (mut reads, mut random) = (0, nth);
                let mut overlapped = [0; 7];
                while !is_over.load(Ordering::SeqCst) || reads == 0 {
                    let before = deeds.counts();
                    let board = match random % 3 {
                        0 => world.votes.refresh_board().await.unwrap(),
                        _ => world.votes.board().await.unwrap(),
                    };
                    reads += read(&board, random);
                    let done = deeds.counts().into_iter().zip(before);
                    for (sum, (after, before)) in overlapped.iter_mut().zip(done) {
                        *sum += after - before;
                    }
                    random += 1;
                    tokio::task::yield_now().await;
                }
                (reads, overlapped)
            })
        })
        .collect();
    let writers: Vec<_> = (0..2_u64)
        .map(|nth| {
            let (world, deeds) = (Arc::clone(&world), Arc::clone(&deeds));
            tokio::spawn(async move { act(&world, nth, &deeds).await })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    is_over.store(true, Ordering::SeqCst);
    // While they read, everything was done.
    let (mut all_reads, mut overlapped) = (0, [0; 7]);
    for reader in readers {
        let (reads, done) = reader.await.unwrap();
        all_reads += reads;
        for (sum, done) in overlapped.iter_mut().zip(done) {
            *sum += done;
        }
    }
    assert!(all_reads > 100, "{all_reads} reads");
    assert!(overlapped.iter().all(|it| *it > 0), "{overlapped:?}");
    assert_eq!(deeds.counts().iter().sum::<u64>(), 2 * WRITES);
    world.rest().await;
    let board = measured(&world.votes).await;
    let fresh = instance(Arc::clone(&world.session), &world.clock, &world.ids).await;
    let fresh = fresh.board().await.unwrap();
    for kind in [
        RankingKind::Total,
        RankingKind::Window(1),
        RankingKind::Supporters,
    ] {
        assert_eq!(values(&board, kind), values(&fresh, kind));
    }
    for (policy, total) in values(&board, RankingKind::Total) {
        assert_eq!(total, world.total(policy).await);
    }
    world.assert_books_balance().await;
}

/// What each writer writes.
const WRITES: u64 = 60;

/// Votes, merges, releases, hidden pages, recounts and measurements.
async fn act(world: &World, nth: u64, deeds: &Deeds) {
    let mut policies = Vec::new();
    for step in 0..WRITES {
        let account = world.user();
        if step % 5 == 0 {
            policies.push(world.policy(account, "another one").await);
            deeds.note(Deed::Create);
            continue;
        }
        let random = world.ids.random_u64();
        let at = usize::try_from(random % policies.len() as u64).unwrap();
        let policy = *policies.get(at).unwrap();
        let deed = match (step + nth) % 9 {
            0 if policies.len() > 3 => Deed::Merge,
            1 if policies.len() > 3 => Deed::Release,
            2 => Deed::Measure,
            3 => Deed::Recount,
            4 => Deed::Hide,
            _ => Deed::Vote,
        };
        match deed {
            Deed::Merge => {
                let sources: BTreeSet<PolicyId> = policies.drain(..2).collect();
                let merged = world.votes.merge(account.user, sources).await.unwrap();
                policies.extend(merged);
            }
            Deed::Release => {
                let policy = policies.swap_remove(0);
                world.votes.release(policy, Release::Retire).await.unwrap();
            }
            Deed::Measure => {
                world.wait(5 * MINUTE);
                world.votes.measure().await.unwrap();
            }
            Deed::Recount => {
                world.votes.recount(policy).await.unwrap();
            }
            Deed::Hide => hide_or_show(world, policy, random).await,
            Deed::Vote | Deed::Create => {
                let votes = i64::try_from(1 + random % 50).unwrap();
                world.ask(account, moves(&[(policy, votes)])).await.unwrap();
            }
        }
        deeds.note(deed);
    }
}

async fn hide_or_show(world: &World, policy: PolicyId, random: u64) {
    let to = match random.is_multiple_of(3) {
        true => Visibility::Shown,
        false => Visibility::Hidden,
    };
    let by = By::Operator;
    let done = world.votes.set_visibility(by, policy, to, "to see").await;
    // A target of a merge has no page of its own here.
    assert!(done.is_ok() || done.unwrap_err().code() == "no_such_policy");
}

#[tokio::test]
async fn of_a_long_history_the_last_days_are_read_and_the_rest_as_one_sum() {
    let world = World::new().await;
    let trees = world.policy(world.user(), "trees").await;
    let tables = world.votes.tables();
    let kept = i32::from(MOST_WINDOW_DAYS);
    let written = kept + 50;
    for nth in 1..=written {
        let day = ClosedDay {
            day: MONDAY.plus(nth - written - 1),
            change: 1,
            gross: 1,
            heat: 1 << 20,
            voters: 1,
            closing_total: i64::from(nth),
        };
        tables.counts.write_closed_day(trees, &day).await.unwrap();
    }
    let through = MONDAY.previous();
    let all = tables.all_policy_facts(through).await.unwrap();
    let of_all = all.values().next().unwrap();
    let of_one = tables.policy_facts(trees, None, through).await.unwrap();
    let of_one = of_one.unwrap();
    assert_eq!(of_all.days, of_one.days);
    assert_eq!(of_one.days.len(), usize::from(MOST_WINDOW_DAYS) + 1);
    let (first, last) = (of_one.days.first(), of_one.days.last());
    let first = first.map(|it| (it.day, it.change, it.closing_total));
    assert_eq!(first, Some((MONDAY.plus(-kept - 1), 50, 50)));
    assert_eq!(last.map(|it| it.closing_total), Some(i64::from(written)));
}
