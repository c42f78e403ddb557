//! Days close in their order, with everything that was begun on them, and never change again.

use std::time::Duration;

use stoa_session::Outcome;
use stoa_votes::model::{Day, PolicyState};
use stoa_votes::rules::audit::Invariant;
use stoa_votes::tables::days::DayState;

use crate::world::{MONDAY, World, moves};

const DAY: Duration = Duration::from_secs(86_400);

#[tokio::test]
async fn a_closed_day_holds_what_was_voted_on_it() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    assert_eq!(world.votes.close_days().await.unwrap(), MONDAY.previous());
    world.ask(ben, moves(&[(trees, 60)])).await.unwrap();
    world.ask(ben, moves(&[(trees, -20)])).await.unwrap();
    world.wait(DAY);
    world.ask(ben, moves(&[(trees, 5)])).await.unwrap();
    assert_eq!(world.votes.close_days().await.unwrap(), MONDAY);
    let books = world.votes.books().await.unwrap();
    let days = &books.policies[&trees].days;
    let shown: Vec<_> = days
        .iter()
        .map(|it| (it.day, it.change, it.gross, it.voters, it.closing_total))
        .collect();
    assert_eq!(shown, [(MONDAY, 140, 180, 2, 140)]);
    let mut wrong = books.clone();
    for (at, what) in [(0, "gross"), (1, "voters"), (2, "change")] {
        let mut books = books.clone();
        let day = &mut books.policies.get_mut(&trees).unwrap().days[0];
        *[&mut day.gross, &mut day.voters, &mut day.change][at] += 1;
        let found = books.audit();
        let found: Vec<_> = found.iter().map(|it| it.invariant).collect();
        assert_eq!(found, [Invariant::DaysAddUp], "{what}");
    }
    wrong.policies.get_mut(&trees).unwrap().standing.state = PolicyState::Retired;
    wrong.policies.get_mut(&trees).unwrap().total = Some(7);
    let found = wrong.audit();
    assert!(
        found
            .iter()
            .any(|it| it.invariant == Invariant::CountsAgree),
        "{found:?}"
    );
    assert_eq!(world.votes.recount(trees).await.unwrap(), 145);
    world.wait(DAY);
    assert_eq!(world.votes.close_days().await.unwrap(), MONDAY.next());
    assert_eq!(world.votes.recount(trees).await.unwrap(), 145);
    world.assert_books_balance().await;
}

#[tokio::test]
async fn what_was_accepted_and_not_copied_is_copied_before_its_day_closes() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    let request = world.request(ben, moves(&[(trees, 60)])).await;
    world.votes.submit(ben, &request).await.unwrap();
    assert_eq!(world.total(trees).await, 100);
    world.wait(DAY);
    assert_eq!(world.votes.close_days().await.unwrap(), MONDAY);
    assert_eq!(world.total(trees).await, 160);
    world.assert_books_balance().await;
}

#[tokio::test]
async fn a_vote_for_a_day_that_is_closing_counts_for_the_next() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    let days = &world.votes.tables().days;
    assert!(days.begin_closing(MONDAY).await.unwrap());
    world.ask(ben, moves(&[(trees, 60)])).await.unwrap();
    world.wait(DAY);
    assert_eq!(world.votes.close_days().await.unwrap(), MONDAY);
    let books = world.votes.books().await.unwrap();
    assert_eq!(books.policies[&trees].days[0].closing_total, 100);
    assert_eq!(world.votes.recount(trees).await.unwrap(), 160);
    world.assert_books_balance().await;
}

#[tokio::test]
async fn many_days_close_at_once_and_over_the_turn_of_the_year() {
    let world = World::new().await;
    let trees = world.create(world.user()).await;
    for _ in 0..60 {
        world.wait(DAY);
        world.ask(world.user(), moves(&[(trees, 1)])).await.unwrap();
    }
    assert_eq!(world.votes.close_days().await.unwrap(), MONDAY.plus(59));
    assert_eq!(world.votes.recount(trees).await.unwrap(), 160);
    world.assert_books_balance().await;
}

/// What the table of days says of one.
async fn state(world: &World, day: Day) -> DayState {
    let days = &world.votes.tables().days;
    days.settle(day).await.unwrap().0
}

#[tokio::test]
async fn a_day_that_is_not_over_or_whose_day_before_is_open_is_not_closed_and_stays_open() {
    let world = World::new().await;
    world.create(world.user()).await;
    let refused = async |day: Day, why: &str| {
        let error = world.votes.close_day(day).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::NotApplied);
        assert!(error.message().contains(why), "{error}");
        assert_eq!(state(&world, day).await, DayState::Open, "{error}");
    };
    for day in [MONDAY, MONDAY.next(), MONDAY.plus(400)] {
        refused(day, "is not over").await;
    }
    let midnight = MONDAY.next().start_micros();
    for (at, over) in [
        (-1, vec![]),
        (59_999_999, vec![]),
        (60_000_000, vec![MONDAY]),
    ] {
        world.clock.set_micros(midnight + at);
        assert_eq!(world.votes.days_over().await.unwrap(), over);
        if over.is_empty() {
            let closed_through = world.votes.close_days().await.unwrap();
            assert_eq!(closed_through, MONDAY.previous());
            refused(MONDAY, "is not over").await;
        }
    }
    world.wait(2 * DAY);
    refused(MONDAY.next(), "2026-11-16 comes first").await;
    refused(MONDAY.plus(2), "2026-11-16 comes first").await;
    // Nothing is counted before the first day.
    assert!(!world.votes.close_day(MONDAY.previous()).await.unwrap());
    assert_eq!(state(&world, MONDAY.previous()).await, DayState::Open);
    for day in [MONDAY, MONDAY, MONDAY.next(), MONDAY.plus(2)] {
        assert!(world.votes.close_day(day).await.unwrap());
    }
    refused(MONDAY.plus(3), "is not over").await;
    world.assert_books_balance().await;
}
