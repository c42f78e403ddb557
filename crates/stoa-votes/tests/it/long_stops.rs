//! Watchers are told after a stop of the tasks, however long it was, up to 14 days.

use std::time::Duration;

use stoa_types::Ids as _;
use stoa_votes::model::{Happening, HappeningKind, PolicyId, UserId};

use crate::world::World;

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

async fn happens(world: &World, actor: UserId, policy: PolicyId) -> Happening {
    world.wait(Duration::from_secs(1));
    let happening = Happening {
        id: world.ids.time_uuid(),
        policy: Some(policy),
        kind: HappeningKind::Commented,
        actor,
        about: None,
        detail: String::new(),
    };
    let happenings = &world.votes.tables().happenings;
    happenings.write(policy, &happening).await.unwrap();
    happening
}

#[tokio::test]
async fn who_watches_is_told_of_the_last_14_days_after_a_stop_and_once() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "Trees").await;
    let told = async || {
        for _ in 0..2 {
            world.votes.tell_watchers().await.unwrap();
        }
        let page = world.votes.notifications(ada.user, None, 100).await;
        let told = page.unwrap().notifications.into_iter();
        let mut told: Vec<_> = told.map(|it| it.id).collect();
        told.reverse();
        told
    };
    // It has never run, and there is a mark after it.
    let first = happens(&world, ben.user, trees).await;
    world.wait(5 * DAY);
    assert_eq!(told().await, [first.id]);
    // The tasks stop. What happens in their first hour is too old when they go on.
    happens(&world, ben.user, trees).await;
    world.wait(2 * HOUR);
    let second = happens(&world, ben.user, trees).await;
    world.wait(7 * DAY);
    let third = happens(&world, ben.user, trees).await;
    world.wait(7 * DAY - HOUR);
    assert_eq!(told().await, [first.id, second.id, third.id]);
}
