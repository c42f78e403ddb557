//! A window that was left open while days were closed (V4): what was changed elsewhere meanwhile makes
//! it too late, always; it is told the state that there is, and nothing is written.

use std::sync::Arc;
use std::time::Duration;

use stoa_types::Clock as _;
use stoa_votes::Votes;
use stoa_votes::model::{Day, PolicyId, VoteVersion};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Ask, NotAccepted};
use stoa_votes::tasks::check_export::Exported;

use crate::world::{MONDAY, World, code, instance, moves};

const DAY: Duration = Duration::from_secs(86_400);
/// How many days a window is left open, one after the other.
const OPEN_DAYS: [u32; 4] = [1, 1, 3, 30];

/// Everything that a window could ask for.
fn asks(trees: PolicyId) -> Vec<Ask> {
    vec![
        moves(&[(trees, 1)]),
        moves(&[(trees, -1)]),
        // More than there is: that it is late is told first.
        moves(&[(trees, 1_000_000)]),
        moves(&[]),
        Ask::Create(None),
        Ask::Undo,
        Ask::End,
    ]
}

/// Whatever a window of a state asks for, of an instance, is refused. How often that was.
async fn is_refused(
    world: &World,
    votes: &Votes,
    (ben, trees): (Account, PolicyId),
    basis: Option<VoteVersion>,
) -> usize {
    let current = world.votes.statement(ben).await.unwrap();
    let all = asks(trees);
    for ask in &all {
        let at = format!("{ask:?} for {basis:?}");
        let request = world.on(ben, basis, ask.clone());
        let before = world.writes();
        let answer = votes.submit(ben, &request).await;
        assert_eq!(world.writes(), before, "{at}");
        let told = match &answer {
            Err(NotAccepted::Stale(told)) => Some(&**told),
            _ => None,
        };
        assert_eq!(told, Some(&current), "{at}: {answer:?}");
        assert_eq!(code(answer), "stale_basis", "{at}");
        let chain = &world.votes.tables().chain;
        let given = chain.answer(ben.user, request.id).await.unwrap();
        assert_eq!(given, None, "{at}");
    }
    all.len()
}

#[tokio::test]
async fn a_window_from_before_a_closed_day_is_always_told_that_it_is_late() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    let mut windows = vec![None];
    let mut refused = 0;
    for days in OPEN_DAYS {
        let accepted = world.ask(ben, moves(&[(trees, 20)])).await.unwrap();
        world.wait(days * DAY);
        let closed = world.votes.close_days().await.unwrap();
        let hash = world.votes.tables().days.closed(closed).await.unwrap();
        assert!(hash.is_some());
        let other = instance(Arc::clone(&world.session), &world.clock, &world.ids).await;
        for votes in [&world.votes, &other] {
            for window in &windows {
                refused += is_refused(&world, votes, (ben, trees), *window).await;
            }
        }
        let again = world.votes.tables().days.closed(closed).await.unwrap();
        assert_eq!(again, hash);
        windows.push(Some(accepted.version));
    }
    // With one window of the beginning more on each day, for two instances.
    assert_eq!(refused, (1 + 2 + 3 + 4) * 2 * asks(trees).len());
    assert_eq!(world.total(trees).await, 180);
    world.assert_books_balance().await;
}

/// That a window is old is no reason to refuse it: what it shows is still so, and its vote is one of
/// today.
#[tokio::test]
async fn a_window_that_shows_what_is_still_so_votes_today() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    world.ask(ben, moves(&[(trees, 20)])).await.unwrap();
    let request = world.request(ben, moves(&[(trees, 7)])).await;
    world.wait(30 * DAY);
    let closed = world.votes.close_days().await.unwrap();
    assert_eq!(closed, MONDAY.plus(29));
    let accepted = world.votes.submit(ben, &request).await.unwrap();
    world.votes.sync(ben.user, accepted).await.unwrap();
    let record = world.votes.tables().chain.record(ben.user, accepted.seq);
    let record = record.await.unwrap().unwrap();
    assert_eq!(record.day, Day::of_micros(world.clock.now_micros()));
    assert_eq!(world.total(trees).await, 127);
    let exported = world.votes.check_export().await.unwrap();
    assert_eq!(exported, Exported::Through(Some(closed)));
    world.assert_books_balance().await;
}
