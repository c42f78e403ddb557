//! Tasks that are cut into shards: all of them together do the whole, in any order and any number of
//! times, and those of an instance that dies are taken over.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_tasks::{Runner, Tables, Task};
use stoa_types::{Clock, ManualClock};
use stoa_votes::model::PolicyId;
use stoa_votes::tasks::catalog::catalog;
use stoa_votes::tasks::share::Share;

use crate::world::{MONDAY, World, instance, moves};

/// Partitions of an hour in these worlds.
const PARTITIONS: i16 = 2;
const SHARDS: u32 = 4;

fn shares(of: u32) -> impl Iterator<Item = Share> {
    (0..of).map(move |number| Share::new(number, of))
}

async fn intents(world: &World) -> usize {
    let table = &world.votes.tables().intents;
    let mut count = 0;
    for bucket in 0..24 {
        for shard in 0..PARTITIONS {
            let there = table.list(MONDAY, (bucket, shard)).await;
            count += there.unwrap().len();
        }
    }
    count
}

/// Votes of many that nobody copied, for a policy of somebody.
async fn begun(world: &World, votes: usize) -> PolicyId {
    let policy = world.create(world.user()).await;
    for _ in 0..votes {
        let ben = world.user();
        let request = world.request(ben, moves(&[(policy, 3)])).await;
        world.votes.submit(ben, &request).await.unwrap();
    }
    world.wait(Duration::from_secs(200));
    policy
}

/// The task of a name, of another instance.
async fn task(world: &World, name: &str) -> Arc<dyn Task> {
    let session: Arc<dyn Session> = Arc::clone(&world.session);
    let votes = instance(session, &world.clock, &world.ids).await;
    let mut tasks = catalog(&Arc::new(votes)).into_iter();
    tasks.find(|task| task.name() == name).unwrap()
}

#[tokio::test]
async fn each_share_drains_its_own_and_all_together_drain_everything() {
    let world = World::new().await;
    let policy = begun(&world, 20).await;
    let mut left = intents(&world).await;
    assert_eq!(left, 20);
    for share in shares(2) {
        for _ in 0..2 {
            world.votes.drain_share(share).await.unwrap();
        }
        let after = intents(&world).await;
        assert!(after < left, "{share:?} drained nothing");
        left = after;
    }
    assert_eq!(left, 0);
    assert_eq!(world.total(policy).await, 100 + 60);
    world.assert_books_balance().await;
}

#[tokio::test]
async fn all_shares_together_recount_and_measure_every_policy_once() {
    let world = World::new().await;
    let mut policies = Vec::new();
    for _ in 0..24 {
        policies.push(world.create(world.user()).await);
    }
    let sources = [policies[0], policies[1]].into();
    let ada = world.user();
    let root = world.votes.merge(ada.user, sources).await;
    policies.push(root.unwrap().unwrap());
    let roots = world.votes.roots().await.unwrap();
    assert_eq!(roots.len(), 23);
    world.wait(Duration::from_secs(1));
    let now = world.clock.now_micros();
    for policy in &roots {
        let counts = &world.votes.tables().counts;
        counts.write_total(*policy, 7, now).await.unwrap();
    }
    assert_eq!(world.total(policies[24]).await, 7);
    world.wait(Duration::from_secs(1));
    let mut counted = Vec::new();
    for share in shares(SHARDS) {
        counted.push(world.votes.recount_share(share).await.unwrap());
    }
    assert_eq!(counted.iter().sum::<usize>(), roots.len(), "{counted:?}");
    assert!(counted.iter().all(|count| *count > 0), "{counted:?}");
    assert_eq!(world.total(policies[24]).await, 200);
    world.assert_books_balance().await;

    let mut measured = Vec::new();
    for share in shares(SHARDS) {
        measured.push(world.votes.measure_share(share).await.unwrap());
        // It was done, and changed nothing of the others.
        assert_eq!(world.votes.measure_share(share).await.unwrap(), 0);
    }
    assert!(measured.iter().all(|count| *count > 0), "{measured:?}");
    let session = Arc::clone(&world.session);
    let other = instance(session, &world.clock, &world.ids).await;
    assert_eq!(other.measure().await.unwrap(), 0);
}

#[tokio::test]
async fn tasks_that_take_long_are_cut_into_shards() {
    let world = World::new().await;
    for (name, shards) in [
        ("votes.drain_intents", 2),
        ("votes.measure", 4),
        ("votes.recount", 8),
        ("votes.close_day", 1),
    ] {
        assert_eq!(task(&world, name).await.shards(), shards, "{name}");
    }
}

#[tokio::test]
async fn the_shards_of_an_instance_that_dies_are_taken_over() {
    let world = World::new().await;
    let tables = Tables::open(Arc::clone(&world.session), "votes").await;
    let tables = Arc::new(tables.unwrap());
    let mut runners = Vec::new();
    for _ in 0..2 {
        let tasks = vec![task(&world, "votes.recount").await];
        let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&world.clock);
        let runner = Runner::new(Arc::clone(&tables), tasks, by, &*world.ids, "1.0");
        runners.push(runner.unwrap());
    }
    for _ in 0..40 {
        world.wait(Duration::from_secs(10));
        for runner in &mut runners {
            runner.run_due().await;
        }
    }
    let of = async |runner: &Runner| {
        let records = tables.runs.list().await.unwrap();
        assert_eq!(records.len(), 8);
        let id = runner.instance().id;
        records.iter().filter(|it| it.run.instance == id).count()
    };
    for runner in &runners {
        let own = of(runner).await;
        assert!((1..8).contains(&own), "one instance did {own} of 8");
    }
    // One is never heard of again.
    runners.truncate(1);
    for _ in 0..60 {
        world.wait(Duration::from_secs(3_600));
        runners[0].run_due().await;
    }
    assert_eq!(of(&runners[0]).await, 8);
}
