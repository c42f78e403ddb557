//! Duplicates are harmless: instances that disagree about who lives run the same shard.

use std::sync::Arc;

use stoa_tasks::Task;

use crate::world::{Diary, World};

#[tokio::test]
async fn two_runners_that_disagree_run_the_same_shard_and_leave_one_whole_record() {
    let world = World::new().await;
    let diary = Diary::new(&world, "diary", 60, 16);
    let tasks: [Arc<dyn Task>; 1] = [diary.clone()];
    let (mut first, mut second) = (world.runner(&tasks), world.runner(&tasks));
    world.wait(60);
    // The first looks before the second has come, and believes itself alone.
    first.keep_up().await.unwrap();
    first.look().await.unwrap();
    second.keep_up().await.unwrap();
    second.look().await.unwrap();
    let jobs_of_first = first.tick(world.now());
    let jobs_of_second = second.tick(world.now());
    assert_eq!(jobs_of_first.len(), 16);
    let both: Vec<u32> = jobs_of_second.iter().map(stoa_tasks::Job::shard).collect();
    assert!(!both.is_empty() && both.len() < 16);

    for job in jobs_of_first {
        let ran = job.run().await;
        first.finish(ran).await.unwrap();
    }
    for job in jobs_of_second {
        let mut ran = job.run().await;
        ran.run.done = Some("by the second".to_owned());
        second.finish(ran).await.unwrap();
    }
    for (shard, runs) in diary.runs().iter().enumerate() {
        let is_twice = both.contains(&u32::try_from(shard).unwrap());
        assert_eq!(runs.len(), if is_twice { 2 } else { 1 });
    }
    // Both ended in the same microsecond: the record is of one of them, and of that one alone.
    let records = world.tables.runs.list().await.unwrap();
    assert_eq!(records.len(), 16);
    for record in records {
        let is_second = record.run.instance == second.instance().id;
        let told = record.run.done.as_deref() == Some("by the second");
        assert_eq!(is_second, told);
        assert_eq!(record.run.number, 1);
    }
    // Once both look, each shard is done by one of them again.
    let before: usize = diary.runs().iter().map(Vec::len).sum();
    world.wait(67);
    first.run_due().await;
    second.run_due().await;
    let after: usize = diary.runs().iter().map(Vec::len).sum();
    assert_eq!(after - before, 16);
}
