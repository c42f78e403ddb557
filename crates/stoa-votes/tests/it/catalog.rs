//! Every background task of the catalogue: killed at every store call and run again, and driven by
//! a runner.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_tasks::{Runner, Tables, Task};
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::{Clock, ManualClock};
use stoa_votes::model::PolicyState;
use stoa_votes::ops::submit::Ask;
use stoa_votes::tasks::catalog::catalog;

use crate::world::{World, instance, moves};

/// A community in which every task has something to do: a vote that is not copied, a day that is
/// over, a merge and a creation that someone began and did not end.
async fn scene() -> World {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    let parks = world.create(ben).await;
    world.wait(Duration::from_secs(7 * 86_400));
    world.votes.close_days().await.unwrap();
    world.ask(ben, moves(&[(trees, 50)])).await.unwrap();
    let request = world.request(ben, moves(&[(trees, 7)])).await;
    world.votes.submit(ben, &request).await.unwrap();

    let dying = |call| Troubled::new(Arc::clone(&world.session), call, Trouble::DiesBefore);
    let votes = instance(Arc::new(dying(MERGE_DIES)), &world.clock, &world.ids).await;
    let merged = votes.merge(ada.user, [trees, parks].into()).await;
    assert!(merged.is_err());
    let votes = instance(Arc::new(dying(CREATION_DIES)), &world.clock, &world.ids).await;
    let request = world.request(ada, Ask::Create).await;
    let created = votes.submit(ada, &request).await;
    assert!(created.is_err());
    world.wait(Duration::from_secs(86_400));
    world
}

/// The call of a merge and of a creation at which they die, in the middle.
const MERGE_DIES: u64 = 6;
const CREATION_DIES: u64 = 8;

async fn tasks(world: &World, session: Arc<dyn Session>) -> Vec<Arc<dyn Task>> {
    let votes = instance(session, &world.clock, &world.ids).await;
    catalog(&Arc::new(votes))
}

async fn has_creating(world: &World) -> bool {
    let policies = world.votes.tables().policies.all().await.unwrap();
    let mut states = policies.iter().map(|(_, state, _)| *state);
    states.any(|state| state == PolicyState::Creating)
}

#[tokio::test]
async fn there_is_something_to_do_and_the_tasks_do_it() {
    let world = scene().await;
    let merges = &world.votes.tables().merges;
    assert_eq!(merges.all().await.unwrap().len(), 1);
    assert!(has_creating(&world).await);
    assert!(!world.votes.audit().await.unwrap().is_empty());
    for task in tasks(&world, Arc::clone(&world.session)).await {
        let done = task.run(0).await;
        assert!(done.is_ok(), "{}: {done:?}", task.name());
    }
    assert_eq!(merges.all().await.unwrap().len(), 0);
    assert!(!has_creating(&world).await);
    world.assert_books_balance().await;
}

#[tokio::test]
async fn a_task_that_dies_anywhere_is_run_again_and_the_books_balance() {
    for index in 0..6 {
        let world = scene().await;
        let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
        let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
        let task = tasks(&world, session).await.swap_remove(index);
        let _ = task.run(0).await;
        assert!(counting.calls() > 0, "{} makes no calls", task.name());
        for trouble in Trouble::ALL {
            for call in 0..counting.calls() {
                with_trouble(index, call, trouble).await;
            }
        }
    }
}

async fn with_trouble(index: usize, call: u64, trouble: Trouble) {
    let world = scene().await;
    let session = Troubled::new(Arc::clone(&world.session), call, trouble);
    let task = tasks(&world, Arc::new(session)).await.swap_remove(index);
    let _ = task.run(0).await;
    let at = format!("{}, {trouble:?} at call {call}", task.name());
    let healthy = tasks(&world, Arc::clone(&world.session)).await;
    // An audit says that the others have something to do.
    let again = healthy.get(index).unwrap().run(0).await;
    assert!(
        again.is_ok() || task.name() == "votes.audit",
        "{at}: {again:?}"
    );
    for task in healthy {
        let done = task.run(0).await;
        assert!(done.is_ok(), "{at}, then {}: {done:?}", task.name());
    }
    let findings = world.votes.audit().await.unwrap();
    assert!(findings.is_empty(), "{at}: {findings:#?}");
}

#[tokio::test]
async fn runners_bring_everything_in_order_within_minutes() {
    let world = scene().await;
    let tables = Tables::open(Arc::clone(&world.session), "votes").await;
    let tables = Arc::new(tables.unwrap());
    let mut runners = Vec::new();
    for _ in 0..2 {
        let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&world.clock);
        let tasks = tasks(&world, Arc::clone(&world.session)).await;
        let runner = Runner::new(Arc::clone(&tables), tasks, by, &*world.ids, "1.0");
        runners.push(runner.unwrap());
    }
    for _ in 0..60 {
        world.wait(Duration::from_secs(10));
        for runner in &mut runners {
            runner.run_due().await;
        }
    }
    world.assert_books_balance().await;
    let records = tables.runs.list().await.unwrap();
    assert_eq!(records.len(), 7);
    for record in records {
        assert!(record.run.is_ok(), "{record:?}");
    }
}

#[tokio::test]
async fn names_and_periods_are_those_that_records_and_people_know() {
    let world = World::new().await;
    let tasks = tasks(&world, Arc::clone(&world.session)).await;
    let told: Vec<(&str, u64)> = tasks
        .iter()
        .map(|task| (task.name(), task.period().as_secs()))
        .collect();
    let expected = [
        ("votes.drain_intents", 30),
        ("votes.close_day", 60),
        ("votes.finish_merges", 60),
        ("votes.sweep_creations", 600),
        ("votes.sweep_claims", 600),
        ("votes.recount", 86_400),
        ("votes.audit", 86_400),
    ];
    assert_eq!(told, expected);
    assert!(tasks.iter().all(|task| task.about().ends_with('.')));
}
