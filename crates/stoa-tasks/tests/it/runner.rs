//! One runner: failures and retries, jobs that are dropped, clocks that lie.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use stoa_tasks::{Level, NotATaskList, Runner, Task, TaskError, Work};
use stoa_types::{Clock, Date, ManualClock};

use crate::world::{Diary, MIDNIGHT, SECOND, World};

#[tokio::test]
async fn a_task_that_fails_is_retried_ever_later_and_stops_no_other() {
    let world = World::new().await;
    let nightly = Diary::new(&world, "nightly", 86_400, 1);
    let other = Diary::new(&world, "other", 60, 1);
    let tasks: [Arc<dyn Task>; 2] = [nightly.clone(), other.clone()];
    let mut runner = world.runner(&tasks);
    nightly.fail(Some("the books do not balance"));
    for _ in 0..360 {
        world.wait(10);
        assert!(runner.run_due().await.troubles.is_empty());
    }
    // Within the hour: soon after the start, and then after 1, 2, 4, 8, 16 minutes.
    let runs = nightly.runs()[0].clone();
    assert_eq!(runs.len(), 6);
    let waits: Vec<i64> = runs.windows(2).map(|it| (it[1] - it[0]) / SECOND).collect();
    for (wait, even) in waits.iter().zip([60, 120, 240, 480, 960]) {
        assert!(
            (even * 9 / 10..=even * 11 / 10 + 10).contains(wait),
            "{waits:?}"
        );
    }
    assert!(other.runs()[0].len() > 50);
    let records = world.tables.runs.list().await.unwrap();
    let failed = &records[0].run;
    assert_eq!((records[0].task.as_str(), failed.failures), ("nightly", 6));
    assert_eq!(failed.error.as_deref(), Some("the books do not balance"));
    assert_eq!((failed.done.as_ref(), failed.is_ok()), (None, false));
    assert!(records[1].run.is_ok());

    nightly.fail(None);
    world.wait(3_600);
    runner.run_due().await;
    let run = &world.tables.runs.list().await.unwrap()[0].run;
    assert_eq!((run.failures, run.number, run.error.as_ref()), (0, 7, None));
    world.wait(3_600);
    runner.run_due().await;
    assert_eq!(nightly.runs()[0].len(), 7);
}

#[tokio::test]
async fn a_shard_is_handed_out_once_until_it_ends_or_is_dropped() {
    let world = World::new().await;
    let diary = Diary::new(&world, "diary", 60, 2);
    let tasks: [Arc<dyn Task>; 1] = [diary.clone()];
    let mut runner = world.runner(&tasks);
    world.wait(60);
    let mut jobs = runner.tick(world.now());
    assert_eq!(jobs.len(), 2);
    world.wait(3_600);
    assert!(runner.tick(world.now()).is_empty());
    assert_eq!(runner.next_due_micros(), None);
    let ran = jobs.pop().unwrap().run().await;
    runner.finish(ran).await.unwrap();
    assert!(runner.tick(world.now()).is_empty());
    // One is dropped: it counts as failed, and is due again.
    drop(jobs);
    let jobs = runner.tick(world.now());
    assert_eq!(jobs.len(), 1);
    runner.keep_up().await.unwrap();
    let records = world.tables.runs.list().await.unwrap();
    let dropped: Vec<_> = records.iter().filter(|it| !it.run.is_ok()).collect();
    assert_eq!(dropped.len(), 1);
    assert_eq!(dropped[0].shard, jobs[0].shard());
    assert!(dropped[0].run.error.as_ref().unwrap().contains("dropped"));
}

#[tokio::test]
async fn a_clock_far_ahead_puts_nothing_off() {
    let world = World::new().await;
    let diary = Diary::new(&world, "diary", 60, 4);
    let tasks: [Arc<dyn Task>; 1] = [diary.clone()];
    let ahead: Arc<dyn Clock> =
        Arc::new(ManualClock::at_micros(world.now() + 86_400 * 365 * SECOND));
    let tables = Arc::clone(&world.tables);
    let mut wrong = Runner::new(tables, tasks.to_vec(), ahead, &*world.ids, "1.0").unwrap();
    let ahead = world.now() + 2 * 86_400 * 365 * SECOND;
    for job in wrong.tick(ahead) {
        let ran = job.run().await;
        wrong.finish(ran).await.unwrap();
    }
    assert_eq!(diary.runs().concat().len(), 4);
    let mut runner = world.runner(&tasks);
    for _ in 0..60 {
        world.wait(10);
        runner.run_due().await;
    }
    let runs = diary.runs();
    assert!(
        runs.iter().all(|it| (9..=13).contains(&it.len())),
        "{runs:?}"
    );
    let records = world.tables.runs.list().await.unwrap();
    let id = runner.instance().id;
    assert!(records.iter().all(|record| record.run.instance == id));
}

#[tokio::test]
async fn at_most_64_jobs_are_under_way_and_the_rest_comes_after() {
    let world = World::new().await;
    let diary = Diary::new(&world, "diary", 60, 200);
    let tasks: [Arc<dyn Task>; 1] = [diary.clone()];
    let mut runner = world.runner(&tasks);
    world.wait(60);
    for expected in [64, 64, 64, 8, 0] {
        assert_eq!(runner.run_due().await.ran.len(), expected);
    }
}

#[tokio::test]
async fn tasks_that_cannot_be_told_apart_are_refused() {
    let world = World::new().await;
    let twin = |shards| -> Arc<dyn Task> { Diary::new(&world, "twin", 60, shards) };
    let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&world.clock);
    let refusal = |tasks: Vec<Arc<dyn Task>>| {
        let tables = Arc::clone(&world.tables);
        Runner::new(tables, tasks, Arc::clone(&by), &*world.ids, "1.0").unwrap_err()
    };
    let same = refusal(vec![twin(1), twin(2)]);
    assert_eq!(same, NotATaskList::SameName("twin".to_owned()));
    let none = refusal(vec![twin(0)]);
    assert_eq!(none, NotATaskList::Shards("twin".to_owned(), 0));
}

#[tokio::test]
async fn every_failure_is_told_in_the_log_and_the_second_in_a_row_is_an_error() {
    let world = World::new().await;
    let nightly = Diary::new(&world, "nightly", 86_400, 1);
    let tasks: [Arc<dyn Task>; 1] = [nightly.clone()];
    let mut runner = world.runner(&tasks);
    nightly.fail(Some("the books do not balance"));
    for _ in 0..30 {
        world.wait(10);
        runner.run_due().await;
    }
    let runs = nightly.runs()[0].len();
    nightly.fail(None);
    for _ in 0..120 {
        world.wait(10);
        runner.run_due().await;
    }
    assert_eq!(nightly.runs()[0].len(), runs + 1);
    let days = i32::try_from(MIDNIGHT / 86_400_000_000).unwrap();
    let today = Date::from_days_since_epoch(days);
    let mut lines = world.tables.log.day(today, 100).await.unwrap();
    lines.reverse();
    assert_eq!(lines.len(), runs);
    let levels: Vec<Level> = lines.iter().map(|line| line.level).collect();
    assert_eq!(levels.first(), Some(&Level::Warning));
    assert!(levels.iter().skip(1).all(|level| *level == Level::Error));
    for (line, number) in lines.iter().zip(1..) {
        let error = line.fields.get("error").map(String::as_str);
        assert_eq!(error, Some("the books do not balance"));
        assert_eq!(line.fields.get("task").map(String::as_str), Some("nightly"));
        assert_eq!(line.fields.get("failures"), Some(&number.to_string()));
        assert_eq!(line.instance, runner.instance().id);
    }
}

/// A task that finds two things wrong.
#[derive(Debug)]
struct Auditor;

impl Task for Auditor {
    fn name(&self) -> &'static str {
        "audit"
    }

    fn about(&self) -> &'static str {
        "Finds what is wrong."
    }

    fn period(&self) -> Duration {
        Duration::from_secs(3_600)
    }

    fn run(&self, _shard: u32) -> Work<'_> {
        Box::pin(async {
            Err(TaskError::Found {
                what: "2 findings".to_owned(),
                findings: vec!["one".to_owned(), "two".to_owned()],
            })
        })
    }
}

#[tokio::test]
async fn every_finding_has_a_line_of_its_own() {
    let world = World::new().await;
    let tasks: [Arc<dyn Task>; 1] = [Arc::new(Auditor)];
    let mut runner = world.runner(&tasks);
    world.wait(61);
    let round = runner.run_due().await;
    assert_eq!(round.ran[0].run.error.as_deref(), Some("2 findings"));
    let days = i32::try_from(MIDNIGHT / 86_400_000_000).unwrap();
    let today = Date::from_days_since_epoch(days);
    let lines = world.tables.log.day(today, 100).await.unwrap();
    let found = lines.iter().filter_map(|line| line.fields.get("finding"));
    let found: BTreeSet<&str> = found.map(String::as_str).collect();
    assert_eq!(found, BTreeSet::from(["one", "two"]));
    assert_eq!(lines.len(), 3);
}

/// A task that every instance runs for itself.
#[derive(Debug)]
struct Everywhere(Arc<Diary>);

impl Task for Everywhere {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn about(&self) -> &str {
        self.0.about()
    }

    fn period(&self) -> Duration {
        self.0.period()
    }

    fn is_everywhere(&self) -> bool {
        true
    }

    fn run(&self, shard: u32) -> Work<'_> {
        self.0.run(shard)
    }
}

#[tokio::test]
async fn what_each_instance_remembers_is_refreshed_by_each() {
    let world = World::new().await;
    let diaries = [0, 1, 2].map(|_| Diary::new(&world, "board", 60, 1));
    let mut runners: Vec<Runner> = Vec::new();
    for diary in &diaries {
        let task: Arc<dyn Task> = Arc::new(Everywhere(Arc::clone(diary)));
        runners.push(world.runner(&[task]));
    }
    for _ in 0..60 {
        world.wait(10);
        for runner in &mut runners {
            runner.run_due().await;
        }
    }
    for diary in diaries {
        assert!(diary.runs()[0].len() >= 8, "{:?}", diary.runs());
    }
}

#[tokio::test]
async fn what_is_wished_for_is_run_once_in_all_its_parts_and_written_down() {
    let world = World::new().await;
    let diary = Diary::new(&world, "diary", 86_400, 3);
    let other = Diary::new(&world, "other", 86_400, 1);
    let tasks: [Arc<dyn Task>; 2] = [diary.clone(), other.clone()];
    let mut runner = world.runner(&tasks);
    let wishes = runner.wishes();
    assert!(!wishes.ask("nothing"));
    assert!(wishes.ask("diary") && wishes.ask("diary"));
    runner.run_due().await;
    assert_eq!(diary.runs().concat().len(), 3);
    assert!(other.runs().concat().is_empty());
    runner.run_due().await;
    assert_eq!(diary.runs().concat().len(), 3);
    let records = world.tables.runs.list().await.unwrap();
    assert!(
        records
            .iter()
            .all(|it| it.task == "diary" && it.run.is_ok())
    );
    // One that is under way is run again once it has ended.
    assert!(runner.next_due_micros().unwrap() > world.now());
    wishes.ask("other");
    assert_eq!(runner.next_due_micros(), Some(world.now()));
    let mut jobs = runner.tick(world.now());
    assert_eq!(jobs.len(), 1);
    wishes.ask("other");
    assert!(runner.tick(world.now()).is_empty());
    let ran = jobs.pop().unwrap().run().await;
    runner.finish(ran).await.unwrap();
    assert_eq!(runner.tick(world.now()).len(), 1);
}
