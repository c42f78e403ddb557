//! Who lives: rows that are written again and again, and vanish.

use std::sync::Arc;

use stoa_tasks::Instance;

use crate::world::World;

async fn live(world: &World) -> Vec<Instance> {
    world.tables.instances.live().await.unwrap()
}

#[tokio::test]
async fn an_instance_lives_while_it_says_so_and_five_minutes_more() {
    let world = World::new().await;
    let mut runner = world.runner(&[]);
    assert_eq!(live(&world).await, []);
    for _ in 0..100 {
        runner.run_due().await;
        world.wait(119);
        assert_eq!(live(&world).await, [runner.instance().clone()]);
    }
    runner.run_due().await;
    world.wait(299);
    assert_eq!(live(&world).await.len(), 1);
    world.wait(2);
    assert_eq!(live(&world).await, []);
    runner.set_load(0.5);
    runner.run_due().await;
    assert_eq!(live(&world).await[0].load.to_bits(), 0.5_f64.to_bits());
}

#[tokio::test]
async fn who_leaves_is_gone_at_once_whatever_arrives_later() {
    let world = World::new().await;
    let (mut first, mut second) = (world.runner(&[]), world.runner(&[]));
    let early = world.now();
    first.run_due().await;
    second.run_due().await;
    let gone = first.instance().clone();
    first.leave().await.unwrap();
    assert_eq!(live(&world).await, [second.instance().clone()]);
    let instances = &world.tables.instances;
    instances.register(&gone, early).await.unwrap();
    assert_eq!(live(&world).await, [second.instance().clone()]);
}

#[tokio::test]
async fn a_clock_that_is_set_back_does_not_make_an_instance_vanish() {
    let world = World::new().await;
    let mut runner = world.runner(&[]);
    runner.run_due().await;
    // Only the clock of the instance; that of the store goes on.
    let behind = Arc::new(stoa_types::ManualClock::at_micros(world.now()));
    let by: Arc<dyn stoa_types::Clock> = Arc::<stoa_types::ManualClock>::clone(&behind);
    let tables = Arc::clone(&world.tables);
    let mut skewed = stoa_tasks::Runner::new(tables, Vec::new(), by, &*world.ids, "1.0").unwrap();
    skewed.run_due().await;
    behind.jump_micros(-3_600_000_000);
    for _ in 0..5 {
        world.wait(200);
        behind.advance(std::time::Duration::from_secs(200));
        skewed.run_due().await;
        let known = live(&world).await;
        assert!(known.iter().any(|it| it.id == skewed.instance().id));
    }
}
