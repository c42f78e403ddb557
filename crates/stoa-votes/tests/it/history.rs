//! Closed days are ranked once and for ever, hours for the time being.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::Clock;
use stoa_votes::Votes;
use stoa_votes::model::{DayPoint, HappeningKind, PolicyId};
use stoa_votes::rules::ranking::days::is_whole;
use stoa_votes::tables::happenings::hour_of;

use crate::place;
use crate::world::{MONDAY, World, instance, moves, no_policy};

const DAY: Duration = Duration::from_secs(86_400);
const HOUR: Duration = Duration::from_secs(3_600);

async fn troubled(world: &World, call: u64, trouble: Trouble) -> Votes {
    let session = Troubled::new(Arc::clone(&world.session), call, trouble);
    instance(Arc::new(session), &world.clock, &world.ids).await
}

/// How many calls a work takes.
async fn calls(world: &World, work: impl AsyncFn(Votes)) -> u64 {
    let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
    let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
    let votes = instance(session, &world.clock, &world.ids).await;
    work(votes).await;
    assert!(counting.calls() > 0);
    counting.calls()
}

#[tokio::test]
async fn the_ranking_of_a_closed_day_never_changes() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.policy(ada, "trees").await;
    let parks = world.policy(ben, "parks").await;
    assert_eq!(world.votes.rank_days().await.unwrap(), MONDAY.previous());
    assert_eq!(world.votes.ranking_on(MONDAY, 0, 10).await.unwrap(), None);
    world.wait(DAY);
    world.ask(world.user(), moves(&[(parks, 5)])).await.unwrap();
    world.wait(DAY);
    world.wait(DAY);
    world.votes.close_days().await.unwrap();
    assert_eq!(world.votes.rank_days().await.unwrap(), MONDAY.plus(2));
    let ranking = async |day| world.votes.ranking_on(day, 0, 10).await.unwrap().unwrap();
    let first = ranking(MONDAY).await;
    assert_eq!(
        first.policies,
        [(1, (trees, 100)), (2, (parks, 100))].into()
    );
    let second = [(1, (parks, 105)), (2, (trees, 100))].into();
    assert_eq!(ranking(MONDAY.next()).await.policies, second);
    assert_eq!(ranking(MONDAY.plus(2)).await.policies, second);
    let rest = world
        .votes
        .ranking_on(MONDAY, 1, 10)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((rest.count, rest.policies), (2, [(2, (parks, 100))].into()));
    // A merge is none of what was before; votes of its day count for what comes of it.
    world.ask(world.user(), moves(&[(trees, 7)])).await.unwrap();
    let merged = world.votes.merge(ada.user, [trees, parks].into()).await;
    let merged = merged.unwrap().unwrap();
    let history = async |policy| {
        let (from, to) = (MONDAY.plus(-9), MONDAY.plus(9));
        world.votes.history(policy, from, to).await.unwrap()
    };
    world.ask(ada, moves(&[(merged, -40)])).await.unwrap();
    world.wait(DAY);
    world.votes.close_days().await.unwrap();
    // Before the day is ranked too.
    let unranked = DayPoint {
        day: MONDAY.plus(3),
        total: 172,
        change: -33,
        voters: 2,
        rank: None,
    };
    assert_eq!(history(merged).await, [unranked]);
    let other = instance(Arc::clone(&world.session), &world.clock, &world.ids).await;
    assert_eq!(other.rank_days().await.unwrap(), MONDAY.plus(3));
    assert_eq!(ranking(MONDAY).await, first);
    let last = ranking(MONDAY.plus(3)).await;
    assert_eq!(last.policies, [(1, (merged, 172))].into());

    let point = |days, total, change, voters, rank| DayPoint {
        day: MONDAY.plus(days),
        total,
        change,
        voters,
        rank: Some(rank),
    };
    let of_parks = [
        point(0, 100, 100, 1, 2),
        point(1, 105, 5, 1, 1),
        point(2, 105, 0, 0, 1),
    ];
    assert_eq!(history(parks).await, of_parks);
    assert_eq!(history(merged).await, [point(3, 172, -33, 2, 1)]);
    assert_eq!(history(no_policy()).await, []);
}

async fn moved(world: &World, policy: PolicyId) -> Vec<String> {
    let happenings = &world.votes.tables().happenings;
    let told = happenings.of_policy(policy, 100).await.unwrap();
    let told = told.iter().filter(|it| it.kind == HappeningKind::RankMoved);
    told.map(|it| it.detail.clone()).collect()
}

#[tokio::test]
async fn ranking_that_dies_anywhere_is_done_again_and_those_who_moved_are_told_once() {
    let world = World::new().await;
    let mut policies = Vec::new();
    for _ in 0..11 {
        policies.push(world.policy(world.user(), "one of them").await);
    }
    world.wait(DAY);
    world.votes.close_days().await.unwrap();
    world.votes.rank_days().await.unwrap();
    world.wait(DAY);
    world.votes.close_days().await.unwrap();
    let calls = calls(&world, async |votes| {
        votes.rank_days().await.unwrap();
    })
    .await;
    // Nobody moved on that day; two are told on the others, by two calls each.
    let calls = calls + 6;
    let mut told = 0;
    for trouble in Trouble::ALL {
        for call in place::tried(calls) {
            // The last one comes to the top, and the tenth is eleventh.
            let day = world.votes.rank_days().await.unwrap().next();
            let before = world.votes.ranking_on(day.previous(), 10, 1).await.unwrap();
            let last = before.unwrap().policies[&11].0;
            let voter = world.user();
            world.ask(voter, moves(&[(last, 100)])).await.unwrap();
            world.wait(DAY);
            world.votes.close_days().await.unwrap();
            let _ = troubled(&world, call, trouble).await.rank_days().await;
            let at = format!("{trouble:?} at call {call}");
            assert_eq!(world.votes.rank_days().await.unwrap(), day, "{at}");
            let ranking = world.votes.ranking_on(day, 0, 100).await.unwrap().unwrap();
            assert!(is_whole(&ranking.policies), "{at}");
            assert_eq!(ranking.policies.len(), 11, "{at}");
            let history = world.votes.history(last, day, day).await.unwrap();
            assert_eq!(history.len(), 1, "{at}");
            assert!(history[0].rank.unwrap() < 11, "{at}");
            told += 2;
        }
    }
    let mut found = 0;
    for policy in policies {
        found += moved(&world, policy).await.len();
    }
    assert_eq!(found, told);
}

#[tokio::test]
async fn the_ranking_of_an_hour_is_whole_wherever_who_writes_it_dies() {
    let world = World::new().await;
    let trees = world.policy(world.user(), "trees").await;
    let parks = world.policy(world.user(), "parks").await;
    let calls = calls(&world, async |votes| {
        votes.rank_hours().await.unwrap();
    })
    .await;
    let mut hours = 0;
    for trouble in Trouble::ALL {
        for call in place::tried(calls) {
            world.wait(HOUR);
            hours += 1;
            world.ask(world.user(), moves(&[(parks, 1)])).await.unwrap();
            let _ = troubled(&world, call, trouble).await.rank_hours().await;
            world.ask(world.user(), moves(&[(parks, 1)])).await.unwrap();
            world.votes.rank_hours().await.unwrap();
            assert!(!world.votes.rank_hours().await.unwrap());
            let hour = hour_of(world.clock.now_micros()) - 1;
            let ranking = world.votes.ranking_at_hour(hour).await.unwrap().unwrap();
            assert!(is_whole(&ranking.policies));
            assert_eq!(ranking.policies[&1].0, parks);
            assert_eq!(ranking.policies[&2], (trees, 100));
        }
    }
    assert!(hours > 24);
    let points = world.votes.hours(trees, MONDAY.next()).await.unwrap();
    assert_eq!(points.len(), 24);
    assert!(points.iter().all(|it| (it.rank, it.total) == (2, 100)));
}
