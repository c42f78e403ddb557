//! A clock that is far off the store's: the instance takes no votes until it is right again.

use std::sync::Arc;

use stoa_tasks::Task;
use stoa_votes::ops::submit::Ask;
use stoa_votes::tasks::catalog::catalog;

use super::world::{World, code, instance};

const MINUTE: i64 = 60_000_000;

/// A world with the time of its engine, which is the machine's.
async fn world_of_the_engine() -> World {
    let world = World::new().await;
    let reading = world.votes.measure_clock().await.unwrap();
    let off = (reading.least_micros + reading.most_micros) / 2;
    world.clock.jump_micros(-off);
    world
}

#[tokio::test]
async fn a_task_compares_the_clocks_and_fails_while_they_differ() {
    let world = world_of_the_engine().await;
    let votes = instance(Arc::clone(&world.session), &world.clock, &world.ids).await;
    let votes = Arc::new(votes);
    let is_it = |task: &Arc<dyn Task>| task.name() == "votes.measure_clock";
    let task = catalog(&votes).into_iter().find(is_it).unwrap();
    task.run(0).await.unwrap();
    world.clock.jump_micros(6 * MINUTE);
    assert!(task.run(0).await.is_err());
    assert_eq!(votes.check_clock().unwrap_err().code(), "clock_off");
    world.clock.jump_micros(-6 * MINUTE);
    task.run(0).await.unwrap();
    assert!(votes.check_clock().is_ok());
}

#[tokio::test]
async fn an_instance_far_off_the_store_takes_no_votes() {
    let world = world_of_the_engine().await;
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

#[tokio::test]
async fn an_instance_far_off_the_store_says_of_no_day_that_it_is_over() {
    let world = world_of_the_engine().await;
    assert_eq!(world.votes.days_over().await.unwrap(), []);
    // By its clock several days have ended.
    world.clock.jump_micros(3 * 24 * 60 * MINUTE);
    assert!(world.votes.days_over().await.is_err());
    assert!(world.votes.close_days().await.is_err());
}

#[tokio::test]
async fn an_instance_far_off_the_store_withdraws_no_policy() {
    let world = world_of_the_engine().await;
    let ada = world.user();
    let trees = world.policy(ada, "Trees").await;
    let balance = world.balance(ada).await;
    world.clock.jump_micros(6 * MINUTE);
    world.votes.measure_clock().await.unwrap();
    let writes = world.writes();
    let withdrawn = world.votes.withdraw_policy(ada, trees, "a mistake").await;
    assert_eq!(withdrawn.unwrap_err().code(), "clock_off");
    assert_eq!(world.written_since(writes), Vec::<String>::new());
    world.clock.jump_micros(-6 * MINUTE);
    world.votes.measure_clock().await.unwrap();
    assert_eq!(world.balance(ada).await, balance);
    let withdrawn = world.votes.withdraw_policy(ada, trees, "a mistake").await;
    withdrawn.unwrap();
    assert_eq!(world.balance(ada).await, balance + 50);
    world.assert_books_balance().await;
}
