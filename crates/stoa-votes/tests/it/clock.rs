//! A clock that is far off the store's: the instance takes no votes until it is right again.

use stoa_votes::ops::submit::Ask;

use super::world::{World, code};

const MINUTE: i64 = 60_000_000;

#[tokio::test]
async fn an_instance_far_off_the_store_takes_no_votes() {
    let world = World::new().await;
    // The engine has the time of the machine, which is not that of the world.
    let reading = world.votes.measure_clock().await.unwrap();
    let off = (reading.least_micros + reading.most_micros) / 2;
    world.clock.jump_micros(-off);
    let user = world.user();
    let request = world.request(user, Ask::Create(None)).await;
    world.clock.jump_micros(6 * MINUTE);
    assert_eq!(code(world.votes.submit(user, &request).await), "clock_off");
    world.votes.measure_clock().await.unwrap();
    assert_eq!(code(world.votes.submit(user, &request).await), "clock_off");
    // Nothing was decided: with a better clock, the same request is taken.
    world.clock.jump_micros(-2 * MINUTE);
    assert_eq!(code(world.votes.submit(user, &request).await), "accepted");
    world.clock.jump_micros(-10 * MINUTE);
    let request = world.on(user, None, Ask::Create(None));
    assert_eq!(code(world.votes.submit(user, &request).await), "clock_off");
}
