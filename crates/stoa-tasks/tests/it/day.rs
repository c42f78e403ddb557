//! Three instances over a day, on a clock that is moved by hand.

use std::sync::Arc;

use stoa_tasks::{Runner, Task};

use crate::world::{Diary, MIDNIGHT, SECOND, World};

const TICK: u64 = 10;

/// Lets time pass until a second of the day.
async fn until(world: &World, runners: &mut [Runner], second: i64) {
    while world.now() < MIDNIGHT + second * SECOND {
        world.wait(TICK);
        for runner in runners.iter_mut() {
            let round = runner.run_due().await;
            assert!(round.troubles.is_empty(), "{:?}", round.troubles);
        }
    }
}

#[tokio::test]
async fn each_shard_runs_about_as_often_as_its_period_says() {
    let world = World::new().await;
    let minutely = Diary::new(&world, "minutely", 60, 8);
    let hourly = Diary::new(&world, "hourly", 3_600, 4);
    let daily = Diary::new(&world, "daily", 43_200, 1);
    let tasks: [Arc<dyn Task>; 3] = [minutely.clone(), hourly.clone(), daily.clone()];
    let mut runners: Vec<Runner> = (0..3).map(|_| world.runner(&tasks)).collect();
    until(&world, &mut runners, 86_400).await;

    // A run is late by half a tick on average: 65 seconds for a period of 60.
    for (shard, runs) in minutely.runs().iter().enumerate() {
        assert!(
            (1_260..=1_445).contains(&runs.len()),
            "{shard}: {}",
            runs.len()
        );
    }
    for (shard, runs) in hourly.runs().iter().enumerate() {
        assert!((23..=26).contains(&runs.len()), "{shard}: {}", runs.len());
    }
    assert!((2..=3).contains(&daily.runs()[0].len()));
    assert!(minutely.longest_pause(MIDNIGHT, world.now()) <= 90);
}

#[tokio::test]
async fn the_records_tell_the_truth() {
    let world = World::new().await;
    let diary = Diary::new(&world, "diary", 600, 16);
    let tasks: [Arc<dyn Task>; 1] = [diary.clone()];
    let mut runners: Vec<Runner> = (0..3).map(|_| world.runner(&tasks)).collect();
    until(&world, &mut runners, 7_200).await;

    let live = world.tables.instances.live().await.unwrap();
    assert_eq!(live.len(), 3);
    let records = world.tables.runs.list().await.unwrap();
    assert_eq!(records.len(), 16);
    let mut by = std::collections::BTreeSet::new();
    for (record, runs) in records.iter().zip(diary.runs()) {
        assert_eq!(record.task, "diary");
        assert_eq!(record.run.began.0 * 1_000, *runs.last().unwrap());
        assert_eq!(record.run.number, i64::try_from(runs.len()).unwrap());
        assert_eq!((record.run.failures, record.run.error.as_ref()), (0, None));
        let part = format!("part {}", record.shard);
        assert_eq!(record.run.done.as_deref(), Some(part.as_str()));
        assert!(
            live.iter()
                .any(|instance| instance.id == record.run.instance)
        );
        by.insert(record.run.instance);
    }
    assert!(by.len() > 1, "one instance did everything");
}

#[tokio::test]
async fn when_an_instance_dies_its_shards_go_on() {
    let world = World::new().await;
    let quick = Diary::new(&world, "quick", 60, 32);
    let slow = Diary::new(&world, "slow", 1_200, 32);
    let tasks: [Arc<dyn Task>; 2] = [quick.clone(), slow.clone()];
    let mut runners: Vec<Runner> = (0..3).map(|_| world.runner(&tasks)).collect();
    until(&world, &mut runners, 7_200).await;
    // It dies without a word; its row is still there, and the deputies take over.
    let dead = runners.remove(0).instance().id;
    until(&world, &mut runners, 7_300).await;
    let is_dead = |record: &stoa_tasks::Record| record.run.instance == dead;
    let live = world.tables.instances.live().await.unwrap();
    assert_eq!(live.len(), 3);
    // Its row is gone, and others own what was its own.
    until(&world, &mut runners, 10_800).await;
    let live = world.tables.instances.live().await.unwrap();
    assert_eq!(live.len(), 2);
    let records = world.tables.runs.list().await.unwrap();
    assert!(!records.iter().any(is_dead));
    assert!(quick.longest_pause(MIDNIGHT, world.now()) <= 150);
    // A shard whose owner died just before it was due waits for the row to go, and for someone to
    // look, which the quick task makes them do about once a minute.
    assert!(slow.longest_pause(MIDNIGHT, world.now()) <= 1_200 * 11 / 10 + 300 + 90);
}

#[tokio::test]
async fn an_instance_that_comes_takes_its_share() {
    let world = World::new().await;
    let diary = Diary::new(&world, "diary", 60, 32);
    let tasks: [Arc<dyn Task>; 1] = [diary.clone()];
    let mut runners = vec![world.runner(&tasks)];
    until(&world, &mut runners, 3_600).await;
    runners.push(world.runner(&tasks));
    let newcomer = runners[1].instance().id;
    until(&world, &mut runners, 7_200).await;
    let records = world.tables.runs.list().await.unwrap();
    let own = records.iter().filter(|it| it.run.instance == newcomer);
    assert!((8..=24).contains(&own.count()));
    assert!(diary.longest_pause(MIDNIGHT, world.now()) <= 90);
}
