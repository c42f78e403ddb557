//! Every background task of the catalogue: killed in its middle and run again, and driven by a
//! runner.
//!
//! Trouble is tried at calls that are spread over all of a task, and of each kind in turn; of every
//! kind at every call where `STOA_ALL_CALLS` is set.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use stoa_session::{Session, Shortcuts};
use stoa_tasks::{Runner, Tables, Task, TaskError};
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::{Clock, ManualClock};
use stoa_votes::model::{DigestFrequency, PolicyState};
use stoa_votes::tables::happenings::hour_of;
use stoa_votes::tasks::catalog::{catalog, described};
use stoa_votes::tasks::check_export::Exported;

use crate::town::{look, town};
use crate::world::{MONDAY, World, instance};

async fn tasks(world: &World, session: Arc<dyn Session>) -> Vec<Arc<dyn Task>> {
    let votes = instance(session, &world.clock, &world.ids).await;
    catalog(&Arc::new(votes))
}

/// Runs every shard of a task; the first error, if there is one.
async fn run(task: &Arc<dyn Task>) -> Result<(), TaskError> {
    let mut ran = Ok(());
    for shard in 0..task.shards() {
        ran = ran.and(task.run(shard).await.map(|_| ()));
    }
    ran
}

async fn has_creating(world: &World) -> bool {
    let policies = world.votes.tables().policies.all().await.unwrap();
    let mut states = policies.iter().map(|(_, state, _)| *state);
    states.any(|state| state == PolicyState::Creating)
}

async fn has_begun_talk(world: &World) -> bool {
    let now = hour_of(world.clock.now_micros());
    for hour in now - 48..=now {
        let begun = world.votes.tables().talk.intents.list(hour).await;
        if !begun.unwrap().is_empty() {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn there_is_something_to_do_and_the_tasks_do_it() {
    let world = town().await;
    let merges = &world.votes.tables().merges;
    assert_eq!(merges.all().await.unwrap().len(), 1);
    assert!(has_creating(&world).await);
    assert!(has_begun_talk(&world).await);
    assert!(!world.votes.audit().await.unwrap().is_empty());
    for task in tasks(&world, Arc::clone(&world.session)).await {
        let done = run(&task).await;
        assert!(done.is_ok(), "{}: {done:?}", task.name());
    }
    assert_eq!(merges.all().await.unwrap().len(), 0);
    assert!(!has_creating(&world).await);
    assert!(!has_begun_talk(&world).await);
    world.assert_books_balance().await;
}

/// How often a task has trouble.
const TROUBLES: u64 = 10;

/// At which call of so many there is which trouble.
fn spread(calls: u64) -> BTreeSet<(u64, usize)> {
    let kinds = Trouble::ALL.len();
    if std::env::var_os("STOA_ALL_CALLS").is_some() {
        let of_call = |call| (0..kinds).map(move |kind| (call, kind));
        return (0..calls).flat_map(of_call).collect();
    }
    let last = calls.saturating_sub(1);
    let place = |at| at * last / (TROUBLES - 1);
    let places = (0..TROUBLES).map(place).zip((0..kinds).cycle());
    places.collect()
}

#[test]
fn trouble_is_spread_from_the_first_call_to_the_last_and_is_of_every_kind() {
    for calls in [1, 2, 7, 15, 16, 1_000] {
        let spread = spread(calls);
        let kinds: BTreeSet<usize> = spread.iter().map(|(_, kind)| *kind).collect();
        assert_eq!(kinds.len(), Trouble::ALL.len(), "{calls}");
        let places: BTreeSet<u64> = spread.iter().map(|(call, _)| *call).collect();
        assert_eq!(places.first(), Some(&0));
        assert_eq!(places.last(), Some(&(calls - 1)));
        assert_eq!(places.len() as u64, calls.min(TROUBLES));
    }
}

#[tokio::test]
async fn a_task_that_dies_in_the_middle_is_run_again_and_the_town_looks_the_same() {
    let world = World::new().await;
    let count = tasks(&world, Arc::clone(&world.session)).await.len();
    for index in 0..count {
        let world = town().await;
        let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
        let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
        let task = tasks(&world, session).await.swap_remove(index);
        let _ = run(&task).await;
        let calls = counting.calls();
        assert!(calls > 0, "{} makes no calls", task.name());
        let expected = after_all(&world, index, task.name()).await;
        for (call, kind) in spread(calls) {
            let trouble = Trouble::ALL[kind];
            let looks = with_trouble(index, call, trouble).await;
            let at = format!("{}, {trouble:?} at call {call}", task.name());
            assert_eq!(looks, expected, "{at}");
        }
    }
}

async fn with_trouble(index: usize, call: u64, trouble: Trouble) -> Vec<String> {
    let world = town().await;
    let session = Troubled::new(Arc::clone(&world.session), call, trouble);
    let task = tasks(&world, Arc::new(session)).await.swap_remove(index);
    let _ = run(&task).await;
    let at = format!("{}, {trouble:?} at call {call}", task.name());
    after_all(&world, index, &at).await
}

/// What a town looks like after a task was run again, and then all of them.
async fn after_all(world: &World, index: usize, at: &str) -> Vec<String> {
    let healthy = tasks(world, Arc::clone(&world.session)).await;
    let again = healthy.get(index).unwrap();
    let done = run(again).await;
    // An audit says that the others have something to do.
    assert!(
        done.is_ok() || again.name() == "votes.audit",
        "{at}: {done:?}"
    );
    for task in healthy {
        let done = run(&task).await;
        assert!(done.is_ok(), "{at}, then {}: {done:?}", task.name());
    }
    let findings = world.votes.audit().await.unwrap();
    assert!(findings.is_empty(), "{at}: {findings:#?}");
    look(world).await
}

#[tokio::test]
async fn the_tasks_leave_nothing_undone_in_the_town() {
    let world = town().await;
    for _ in 0..2 {
        for task in tasks(&world, Arc::clone(&world.session)).await {
            let done = run(&task).await;
            assert!(done.is_ok(), "{}: {done:?}", task.name());
        }
    }
    let looks = look(&world).await.join("\n");
    for expected in [
        "digest benno@example.org",
        "salary ada@example.org",
        "open_cases mia@example.org",
        "comment Erased \"\"",
        "benno told Commented",
        "Name leaver Released",
        "uwe SimilarVotes Some(\"una\")",
        "[\"green\"]",
    ] {
        assert!(looks.contains(expected), "no {expected}:\n{looks}");
    }
    // The address of who left, and that of who never joined.
    let released = looks.lines().filter(|line| line.starts_with("Email"));
    let released = released.filter(|line| line.ends_with("Released"));
    assert_eq!(released.count(), 2, "{looks}");
    assert!(!looks.contains("Build nothing"), "{looks}");
    assert!(!looks.contains("\"bio\""), "{looks}");
}

#[tokio::test]
async fn runners_bring_everything_in_order_within_minutes() {
    let world = town().await;
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
        for runner in &mut runners {
            // Not at one moment: of two sums of one moment, that of either instance stays.
            world.wait(Duration::from_secs(5));
            runner.run_due().await;
        }
    }
    world.assert_books_balance().await;
    let records = tables.runs.list().await.unwrap();
    let every = tasks(&world, Arc::clone(&world.session)).await;
    let shards: u32 = every.iter().map(|task| task.shards()).sum();
    assert_eq!(u32::try_from(records.len()).unwrap(), shards);
    for record in records {
        assert!(record.run.is_ok(), "{record:?}");
    }
}

#[tokio::test]
async fn every_task_has_a_name_of_its_own_and_says_what_it_does() {
    let world = World::new().await;
    let tasks = tasks(&world, Arc::clone(&world.session)).await;
    let names: BTreeSet<&str> = tasks.iter().map(|task| task.name()).collect();
    assert_eq!(names.len(), tasks.len());
    for task in &tasks {
        assert!(task.name().starts_with("votes."), "{}", task.name());
        assert!(task.about().ends_with('.'), "{}", task.name());
        assert!(task.period() >= Duration::from_secs(30), "{}", task.name());
    }
}

/// The table "Background tasks" of the specification, what it adds, and which tasks do it.
const WRITTEN: &[(&str, &[&str])] = &[
    ("close day", &["votes.close_day"]),
    ("drain intents", &["votes.drain_intents"]),
    ("creating rows removed", &["votes.sweep_creations"]),
    ("rank refresh", &["votes.measure", "votes.refresh_board"]),
    ("open days summed anew", &["votes.recount"]),
    ("recount", &["votes.recount"]),
    ("audit", &["votes.audit"]),
    ("stray claims", &["votes.sweep_claims"]),
    ("active lists", &["votes.measure", "votes.refresh_board"]),
    ("deletions", &["votes.erase_deleted"]),
    ("salary", &["votes.mail_salaries"]),
    ("heat", &["votes.count_tags"]),
    ("related", &["votes.count_tags"]),
    ("digests", &["votes.send_digests"]),
    ("exports", &["votes.check_export", "votes.write_export"]),
    (
        "ranking snapshots",
        &["votes.rank_days", "votes.rank_hours"],
    ),
    ("sweeps", &["votes.sweep_comments"]),
    ("mail sending", &["votes.send_mail"]),
    ("search refresh", &["votes.refresh_search"]),
];

/// What comes of rules that are told elsewhere in the specification.
const BESIDES: &[(&str, &[&str])] = &[
    ("merges", &["votes.finish_merges", "votes.finish_proposals"]),
    ("talk", &["votes.finish_talk"]),
    ("mail to moderators", &["votes.mail_moderators"]),
    ("tag lists", &["votes.rewrite_tags"]),
    ("notifications", &["votes.tell_watchers"]),
    ("second accounts", &["votes.compare_votes"]),
    ("clocks", &["votes.measure_clock"]),
];

#[test]
fn the_list_is_what_is_written_row_by_row() {
    let mut listed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for task in described() {
        assert!(!task.serves.is_empty(), "{}", task.name);
        for row in task.serves {
            listed.entry(row).or_default().insert(task.name);
        }
    }
    let written = WRITTEN.iter().chain(BESIDES);
    let written = written.map(|(row, tasks)| (*row, tasks.iter().copied().collect()));
    let written: BTreeMap<&str, BTreeSet<&str>> = written.collect();
    assert_eq!(listed, written);
}

#[tokio::test]
async fn each_person_is_told_once_that_votes_of_a_week_have_arrived() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let votes = &world.votes;
    votes
        .set_digest(ben.user, DigestFrequency::Never)
        .await
        .unwrap();
    assert_eq!(votes.mail_salaries().await.unwrap(), 0);
    world.wait(Duration::from_secs(7 * 86_400));
    world.member("eve").await;
    for _ in 0..3 {
        let _ = votes.mail_salaries().await.unwrap();
        world.wait(Duration::from_secs(3_600));
    }
    let outbox = &votes.tables().outbox;
    let mails = outbox.pending(MONDAY.plus(7)).await.unwrap();
    let mails: Vec<_> = mails.iter().filter(|mail| mail.kind == "salary").collect();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].recipient, "ada@example.org");
    assert_eq!(mails[0].fields["votes"], "100");
    let balance = world.balance(ada).await.to_string();
    assert_eq!(mails[0].fields["balance"], balance);
    world.wait(Duration::from_secs(7 * 86_400));
    assert_eq!(votes.mail_salaries().await.unwrap(), 2);
}

#[tokio::test]
async fn an_export_is_checked_day_by_day_and_a_changed_line_is_found() {
    let world = World::new().await;
    let votes = &world.votes;
    let ada = world.user();
    world.create(ada).await;
    assert_eq!(votes.check_export().await.unwrap(), Exported::Through(None));
    world.wait(Duration::from_secs(3 * 86_400));
    votes.close_days().await.unwrap();
    let through = Exported::Through(Some(MONDAY.plus(2)));
    assert_eq!(votes.check_export().await.unwrap(), through);
    assert_eq!(votes.check_export().await.unwrap(), through);
    world.create(world.user()).await;
    world.wait(Duration::from_secs(86_400));
    votes.close_days().await.unwrap();
    let later = MONDAY.plus(3);
    let records = votes.tables().ledger.records(later).await.unwrap();
    assert_eq!(records.len(), 1);
    let forget = "DELETE FROM votes.ledger_records USING TIMESTAMP 9000000000000000 \
        WHERE day = ? AND shard = ?";
    for shard in 0..64_i16 {
        world.session.query(forget, (later, shard)).await.unwrap();
    }
    let differs = Exported::Differs(later);
    assert_eq!(votes.check_export().await.unwrap(), differs);
    assert_eq!(votes.check_export().await.unwrap(), differs);
}
