//! Closers that die anywhere, and two at once: the ledger is the one of who was picked.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_testkit::turns::{Orders, Racer, Run, TakingTurns};
use stoa_votes::ops::release::Release;

use super::assert_verifies;
use crate::world::{World, instance, moves};

/// Calls between two troubles, so that the test stays short.
const STEP: usize = 5;
const DAY: Duration = Duration::from_secs(86_400);

/// Something for each kind of line: a record that is not copied, a creation, a merge, a release.
async fn busy_day(world: &World) {
    let (ada, ben) = (world.user(), world.user());
    let (trees, parks) = (world.create(ada).await, world.create(ben).await);
    let merged = world.votes.merge(ada.user, [trees, parks].into()).await;
    let roads = world.create(world.user()).await;
    world.votes.release(roads, Release::Retire).await.unwrap();
    let green = merged.unwrap().unwrap();
    let cem = world.user();
    let request = world.request(cem, moves(&[(green, 7)])).await;
    world.votes.submit(cem, &request).await.unwrap();
}

#[tokio::test]
async fn a_closer_may_die_at_any_call() {
    // One world for all calls: each gets a day of its own, which another instance closes.
    let world = World::new().await;
    busy_day(&world).await;
    world.wait(DAY);
    let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
    let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
    let votes = instance(session, &world.clock, &world.ids).await;
    votes.close_days().await.unwrap();
    let calls = counting.calls();
    assert!(calls > 30, "{calls} calls");
    for (first, trouble) in (0..).zip(Trouble::ALL) {
        for call in (first..calls).step_by(STEP) {
            busy_day(&world).await;
            world.wait(DAY);
            let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
            let session: Arc<dyn Session> = Arc::new(troubled);
            let votes = instance(session, &world.clock, &world.ids).await;
            let _ = votes.close_days().await;
            world.votes.close_days().await.unwrap();
        }
    }
    let lines = assert_verifies(&world.votes).await;
    assert!(lines.len() > 300, "{}", lines.len());
    world.rest().await;
    world.assert_books_balance().await;
}

#[tokio::test]
async fn two_closers_at_once_make_one_ledger() {
    let mut orders = Orders::with_interruptions(1);
    loop {
        let world = World::new().await;
        world.create(world.user()).await;
        busy_day(&world).await;
        world.wait(DAY);
        let mut racers: Vec<Racer> = Vec::new();
        for _ in 0..2 {
            let turns = TakingTurns::new(Arc::clone(&world.session), Arc::clone(&world.clock));
            let session: Arc<dyn Session> = Arc::new(turns);
            let votes = instance(session, &world.clock, &world.ids).await;
            racers.push(Box::pin(async move {
                votes.close_days().await.unwrap();
            }));
        }
        let Run::Ended(order) = orders.run(racers) else {
            break;
        };
        world.votes.close_days().await.unwrap();
        let lines = assert_verifies(&world.votes).await;
        assert!(lines.len() > 10, "{order:?}");
    }
    assert!(orders.tried() > 20, "{} orders", orders.tried());
}
