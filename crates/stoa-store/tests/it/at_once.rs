//! Reading and writing without waiting for anybody.

use std::sync::Arc;
use std::time::Duration;

use stoa_store::{CommitMode, Options, Store};
use stoa_types::clock::SystemClock;

use super::concurrency::{get, make_tables, set};

const PERIODIC: CommitMode = CommitMode::Periodic {
    every: Duration::from_secs(3600),
};

/// A store without a thread of its own, so that only the test leads.
fn quiet_store(commit_mode: CommitMode) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        commit_mode,
        background: false,
        ..Options::default()
    };
    let clock = Arc::new(SystemClock::new());
    let store = Store::open(&folder.path().join("store"), options, clock).unwrap();
    make_tables(&store, 3);
    (folder, store)
}

#[test]
fn a_write_that_is_not_synced_is_done_and_seen_at_once() {
    let (_folder, store) = quiet_store(PERIODIC);
    for value in 1..=3 {
        // Two writes without a read between them leave the view behind; the read renews it.
        store.write_at_once(vec![set(1, 10, 0)]).unwrap().unwrap();
        let time = 10 + i64::try_from(value).unwrap();
        store
            .write_at_once(vec![set(1, time, value)])
            .unwrap()
            .unwrap();
        assert_eq!(get(&store.view_at_once().unwrap(), 1), Some(value));
    }
}

#[test]
fn a_write_that_would_be_synced_is_left_alone() {
    let (_folder, store) = quiet_store(CommitMode::Group);
    assert!(store.write_at_once(vec![set(1, 10, 7)]).is_none());
    assert_eq!(get(&store.view_at_once().unwrap(), 1), None);
    store.write(vec![set(1, 10, 7)]).unwrap();
    assert_eq!(get(&store.view_at_once().unwrap(), 1), Some(7));
}

#[test]
fn nobody_waits_for_who_leads() {
    let (_folder, store) = quiet_store(PERIODIC);
    store.write(vec![set(1, 10, 1)]).unwrap();
    drop(store.view().unwrap());
    // One commit uses up the wish to see it, the second one leaves the view behind.
    store.write(vec![set(1, 11, 2)]).unwrap();
    store.write(vec![set(1, 12, 3)]).unwrap();
    let other = store.clone();
    store
        .decide(move |_| {
            let other = &other;
            // The leader itself, and another thread.
            assert!(other.write_at_once(vec![set(2, 10, 1)]).is_none());
            assert!(other.view_at_once().is_none());
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    assert!(other.write_at_once(vec![set(2, 10, 1)]).is_none());
                    assert!(other.view_at_once().is_none());
                });
            });
            Ok(())
        })
        .unwrap();
    let view = store.view_at_once().unwrap();
    assert_eq!((get(&view, 1), get(&view, 2)), (Some(3), None));
}
