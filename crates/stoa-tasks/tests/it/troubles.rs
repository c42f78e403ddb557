//! Trouble at every store call of a runner delays, and never stops.

use std::sync::Arc;

use stoa_session::Session;
use stoa_tasks::{Runner, Tables, Task};
use stoa_testkit::troubled::{Trouble, Troubled};

use crate::world::{Diary, MIDNIGHT, World};

const SECONDS: u64 = 900;

struct Scene {
    world: World,
    diary: Arc<Diary>,
    runners: Vec<Runner>,
}

/// Two runners, the first of them on the given session.
async fn scene(on: impl FnOnce(Arc<dyn Session>) -> Arc<dyn Session>) -> Scene {
    let world = World::new().await;
    let diary = Diary::new(&world, "diary", 60, 4);
    let tasks: [Arc<dyn Task>; 1] = [diary.clone()];
    let session = on(Arc::clone(&world.session));
    let tables = Arc::new(Tables::prepare(session, "tasks").await.unwrap());
    let runners = vec![world.runner_on(&tables, &tasks), world.runner(&tasks)];
    Scene {
        world,
        diary,
        runners,
    }
}

async fn play(scene: &mut Scene) -> usize {
    let mut troubles = 0;
    for _ in 0..SECONDS / 10 {
        scene.world.wait(10);
        for runner in &mut scene.runners {
            troubles += runner.run_due().await.troubles.len();
        }
    }
    troubles
}

#[tokio::test]
async fn whatever_happens_at_any_call_every_shard_goes_on() {
    let mut counted = scene(|session| session).await;
    let counting = Arc::new(Troubled::counting(Arc::clone(&counted.world.session)));
    let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
    let tables = Arc::new(Tables::prepare(session, "tasks").await.unwrap());
    let tasks: [Arc<dyn Task>; 1] = [counted.diary.clone()];
    counted.runners[0] = counted.world.runner_on(&tables, &tasks);
    assert_eq!(play(&mut counted).await, 0);
    let calls = counting.calls();
    assert!(calls > 20, "{calls} calls");
    for trouble in Trouble::ALL {
        for call in 0..calls {
            with_trouble(call, trouble).await;
        }
    }
}

async fn with_trouble(call: u64, trouble: Trouble) {
    let mut scene = scene(|session| Arc::new(Troubled::new(session, call, trouble))).await;
    let troubles = play(&mut scene).await;
    let at = format!("{trouble:?} at call {call}");
    let is_told = trouble != Trouble::Twice;
    assert_eq!(troubles > 0, is_told, "{at}");
    let now = scene.world.now();
    let pause = scene.diary.longest_pause(MIDNIGHT, now);
    assert!(pause <= 150, "{at}: {pause} seconds");
    for runs in scene.diary.runs() {
        // An instance that cannot read goes on with what it knew, beside the other.
        assert!((11..=32).contains(&runs.len()), "{at}: {} runs", runs.len());
    }
    // The record is of the last run that could be told.
    let records = scene.world.tables.runs.list().await.unwrap();
    assert_eq!(records.len(), 4, "{at}");
    for record in records {
        let shard = usize::try_from(record.shard).unwrap();
        let runs = scene.diary.runs().swap_remove(shard);
        assert!(runs.contains(&(record.run.began.0 * 1_000)), "{at}");
        assert!(now - record.run.began.0 * 1_000 <= 150_000_000, "{at}");
    }
}

#[tokio::test]
async fn a_record_that_could_not_be_written_is_written_later() {
    for call in 0..8 {
        let world = World::new().await;
        let diary = Diary::new(&world, "diary", 60, 1);
        let tasks: [Arc<dyn Task>; 1] = [diary.clone()];
        let session = Troubled::new(Arc::clone(&world.session), call, Trouble::LostBefore);
        let tables = Tables::prepare(Arc::new(session), "tasks").await.unwrap();
        let mut runner = world.runner_on(&Arc::new(tables), &tasks);
        world.wait(60);
        runner.run_due().await;
        runner.run_due().await;
        let records = world.tables.runs.list().await.unwrap();
        assert_eq!(records.len(), 1, "call {call}");
        assert_eq!(diary.runs()[0].len(), 1, "call {call}");
        assert_eq!(world.tables.instances.live().await.unwrap().len(), 1);
    }
}
