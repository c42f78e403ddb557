//! Clients that die and clients that nap.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::{Consistency, ErrorKind, Options, Outcome, Shortcuts};
use stoa_sim::{Faults, Habits, TaskState};

use crate::support::{cluster, run};

const WRITE: &str = "INSERT INTO ks.register (id, n) VALUES (?, 1)";

#[test]
fn a_client_dies_at_its_call_before_or_after_it_is_sent() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..40 {
        let (mut executor, cluster) = cluster(Faults::none(), seed);
        let habits = Habits {
            dies_at_call: Some(3),
            ..Habits::default()
        };
        let session = cluster.client_with("mortal", habits);
        let own = Arc::clone(&session);
        let work = async move {
            for id in 0..10 {
                own.query(WRITE, (id,)).await.unwrap();
            }
        };
        let task = executor.spawn("mortal", Box::pin(work));
        executor.run_until_idle();
        assert_eq!(executor.state(task), Some(TaskState::Killed));
        assert!(session.is_dead());
        assert_eq!(cluster.counters().deaths, 1);
        let rows = cluster.inspect("SELECT id FROM ks.register", ()).unwrap();
        match rows.len() {
            2 => before += 1,
            3 => after += 1,
            other => panic!("{other} rows"),
        }
    }
    assert!(before > 0 && after > 0, "{before} {after}");
}

#[test]
fn a_killed_task_does_nothing_more_but_its_message_goes_on() {
    let (mut executor, cluster) = cluster(Faults::none(), 1);
    let session = cluster.client("anna");
    let work = async move {
        for id in 0..10 {
            session.query(WRITE, (id,)).await.unwrap();
        }
    };
    let task = executor.spawn("anna", Box::pin(work));
    executor.run_until(1);
    executor.kill(task);
    executor.run_until_idle();
    let rows = cluster.inspect("SELECT id FROM ks.register", ()).unwrap();
    assert_eq!(rows.len(), 1);
}

#[test]
fn a_zombie_naps_between_two_calls_and_writes_later() {
    let (mut executor, cluster) = cluster(Faults::none(), 1);
    let habits = Habits {
        naps: vec![(2, 3_600_000_000)],
        ..Habits::default()
    };
    let session = cluster.client_with("zombie", habits);
    let work = async move {
        session.query(WRITE, (1,)).await.unwrap();
        session.query(WRITE, (2,)).await.unwrap();
    };
    executor.spawn("zombie", Box::pin(work));
    executor.run_until(3_000_000_000);
    let count = || {
        let rows = cluster.inspect("SELECT id FROM ks.register", ());
        rows.unwrap().len()
    };
    assert_eq!(count(), 1);
    executor.run_until_idle();
    assert_eq!(count(), 2);
    assert!(executor.now_micros() > 3_600_000_000);
    assert_eq!(cluster.counters().naps, 1);
}

#[test]
fn calls_are_refused_without_a_quorum_and_unknown_when_it_is_lost() {
    let (mut executor, cluster) = cluster(Faults::none(), 1);
    let session = cluster.client("anna");
    let sleeper = cluster.timeline().clone();
    let own = Arc::clone(&session);
    cluster.take_down(0);
    run(&mut executor, async move {
        own.query(WRITE, (1,)).await.unwrap();
    });
    cluster.take_down(1);
    let own = Arc::clone(&session);
    let error = run(&mut executor, async move {
        sleeper.sleep(Duration::from_secs(1)).await;
        own.query(WRITE, (2,)).await.unwrap_err()
    });
    let error = error.unwrap();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(error.outcome(), Outcome::NotApplied);
    cluster.bring_up(1);
    let own = Arc::clone(&session);
    let other = cluster.clone();
    executor.at(executor.now_micros() + 1, move |_| other.take_down(1));
    let error = run(&mut executor, async move {
        own.query(WRITE, (3,)).await.unwrap_err()
    });
    let error = error.unwrap();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(error.outcome(), Outcome::Unknown);
    let one = Options::new().consistency(Consistency::One);
    let written = run(&mut executor, async move {
        session.query_with(WRITE, (4,), one).await.is_ok()
    });
    assert_eq!(written, Some(true));
    executor.run_until_idle();
    assert_eq!(cluster.counters().hints, 5);
}
