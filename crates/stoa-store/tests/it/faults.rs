//! The disk fails: nothing unacknowledged is shown, nothing acknowledged is lost, and writing goes
//! on by itself once the disk works again.

use std::sync::Arc;

use stoa_store::compaction::Purging;
use stoa_store::kv::Kv;
use stoa_store::kv::faulty::{Fault, FaultyKv};
use stoa_store::table::TableId;
use stoa_store::{CommitMode, Options, Outcome, Store};
use stoa_types::clock::{Clock, ManualClock};

use crate::concurrency::{get, make_tables, set};

fn faulty_store(commit_mode: CommitMode) -> (Arc<FaultyKv>, Store) {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::at_micros(1_000_000));
    let purging = Arc::new(Purging::new(Arc::clone(&clock)));
    let kv = Arc::new(FaultyKv::new(Arc::<Purging>::clone(&purging)));
    let store = start(&kv, commit_mode);
    make_tables(&store, 3);
    (kv, store)
}

fn start(kv: &Arc<FaultyKv>, commit_mode: CommitMode) -> Store {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::at_micros(1_000_000));
    let purging = Arc::new(Purging::new(Arc::clone(&clock)));
    let options = Options {
        commit_mode,
        background: false,
        ..Options::default()
    };
    Store::start(
        Arc::<FaultyKv>::clone(kv) as Arc<dyn Kv>,
        options,
        clock,
        purging,
    )
    .unwrap()
}

#[test]
fn a_failed_commit_is_unknown_and_the_next_write_recovers() {
    for fault in [Fault::Full, Fault::SyncFailed, Fault::AnswerLost] {
        for strike in 0..8_u64 {
            let (kv, store) = faulty_store(CommitMode::Group);
            kv.plan((0..strike).map(|_| None).chain([Some(fault)]));
            for round in 0..10_u64 {
                let result = store.write(vec![set(round, 1, round), set(round + 100, 1, round)]);
                let view = store.view().unwrap();
                if round == strike {
                    assert_eq!(result.unwrap_err().outcome(), Outcome::Unknown);
                    assert_eq!(get(&view, round), None, "not shown before it is known");
                } else {
                    result.unwrap();
                    assert_eq!(get(&view, round), Some(round));
                }
                for earlier in (0..round).filter(|it| *it != strike) {
                    assert_eq!(get(&view, earlier), Some(earlier), "reads go on");
                }
            }
            let kept = get(&store.view().unwrap(), strike);
            let expected = (fault == Fault::AnswerLost).then_some(strike);
            assert_eq!(
                kept, expected,
                "after recovery it is there whole, or not at all"
            );
            assert_eq!(get(&store.view().unwrap(), strike + 100), expected);
        }
    }
}

#[test]
fn everybody_in_a_failed_group_is_told() {
    let (kv, store) = faulty_store(CommitMode::Group);
    kv.plan([Some(Fault::Full); 3]);
    let failures: usize = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..16_u64)
            .map(|cell| {
                let store = &store;
                scope.spawn(move || {
                    let failed = store.write(vec![set(cell, 1, cell)]).is_err();
                    assert_eq!(get(&store.view().unwrap(), cell).is_none(), failed);
                    usize::from(failed)
                })
            })
            .collect();
        callers
            .into_iter()
            .map(|caller| caller.join().unwrap())
            .sum()
    });
    assert!(
        (3..=16).contains(&failures),
        "three groups failed: {failures}"
    );
}

#[test]
fn a_power_cut_leaves_what_was_promised() {
    // Group mode: nothing ever waits for a sync.
    let (kv, store) = faulty_store(CommitMode::Group);
    for round in 0..20 {
        store.write(vec![set(round, 1, round)]).unwrap();
        assert_eq!(kv.waiting(), 0);
    }
    let after = start(&Arc::new(kv.after_crash(0).unwrap()), CommitMode::Group);
    assert!((0..20).all(|round| get(&after.view().unwrap(), round) == Some(round)));

    // Periodic mode: a prefix.
    let every = std::time::Duration::from_secs(3600);
    let (kv, store) = faulty_store(CommitMode::Periodic { every });
    store.sync().unwrap();
    for round in 0..20 {
        store.write(vec![set(round, 1, round)]).unwrap();
    }
    for kept in 0..=20_u64 {
        let crashed = Arc::new(kv.after_crash(kept as usize).unwrap());
        let after = start(&crashed, CommitMode::Group);
        for round in 0..20 {
            assert_eq!(get(&after.view().unwrap(), round).is_some(), round < kept);
        }
    }
}

#[test]
fn a_refused_work_leaves_nothing_and_harms_nobody() {
    let (_kv, store) = faulty_store(CommitMode::Group);
    let mut bad = set(1, 1, 1);
    bad.table = TableId(99);
    let error = store.write(vec![set(0, 1, 5), bad]).unwrap_err();
    assert_eq!(error.outcome(), Outcome::NotApplied);
    assert_eq!(
        get(&store.view().unwrap(), 0),
        None,
        "all of a batch or none"
    );
    let mut long = set(2, 1, 2);
    long.rows[0].0 = vec![0x40; 70_000].into();
    assert!(
        store
            .write(vec![long])
            .unwrap_err()
            .to_string()
            .contains("65535")
    );
    store.write(vec![set(0, 1, 6)]).unwrap();
    assert_eq!(get(&store.view().unwrap(), 0), Some(6));
}

#[test]
fn conditional_timestamps_rise_whatever_the_clock_does() {
    let clock = Arc::new(ManualClock::at_micros(5_000_000_000_000));
    let purging = Arc::new(Purging::new(Arc::<ManualClock>::clone(&clock)));
    let kv = Arc::new(FaultyKv::new(Arc::<Purging>::clone(&purging)));
    let open = || {
        let options = Options {
            background: false,
            ..Options::default()
        };
        let kv = Arc::<FaultyKv>::clone(&kv) as Arc<dyn Kv>;
        Store::start(
            kv,
            options,
            Arc::<ManualClock>::clone(&clock),
            Arc::clone(&purging),
        )
        .unwrap()
    };
    let mut store = open();
    make_tables(&store, 3);
    let mut last = i64::MIN;
    let jumps = [
        0,
        -315_360_000_000_000,
        1,
        31_536_000_000_000,
        -5,
        0,
        0,
        1_000_000,
    ];
    for (round, jump) in jumps.iter().cycle().take(200).enumerate() {
        clock.jump_micros(*jump);
        let time = store
            .decide(|group| {
                group
                    .next_write_time()
                    .inspect(|time| assert_ne!(*time, i64::MIN))
            })
            .unwrap();
        assert!(time > last, "round {round}: {time} after {last}");
        last = time;
        if round % 13 == 0 {
            store = open();
        }
    }
}

#[test]
fn reads_go_on_although_the_files_cannot_be_opened_again_at_once() {
    for failures in 1..8 {
        let (kv, store) = faulty_store(CommitMode::Group);
        store.write(vec![set(1, 1, 11)]).unwrap();
        kv.plan([Some(Fault::Full)]);
        store.write(vec![set(1, 2, 12)]).unwrap_err();
        kv.fail_reopens(failures);
        store.write(vec![set(1, 3, 13)]).unwrap();
        assert_eq!(get(&store.view().unwrap(), 1), Some(13), "{failures}");
    }
}

#[test]
fn a_reader_opens_files_that_were_let_go_of() {
    let (kv, store) = faulty_store(CommitMode::Group);
    store.write(vec![set(1, 1, 11)]).unwrap();
    kv.plan([Some(Fault::Full)]);
    store.write(vec![set(1, 2, 12)]).unwrap_err();
    kv.fail_reopens(12);
    store.write(vec![set(1, 3, 13)]).unwrap_err();
    // Nobody writes any more: the read alone gets the files back.
    assert_eq!(get(&store.view().unwrap(), 1), Some(11));
    store.write(vec![set(1, 4, 14)]).unwrap();
    assert_eq!(get(&store.view().unwrap(), 1), Some(14));
}
