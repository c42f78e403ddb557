//! Random histories on the store and on the testkit's plain model: every answer must be the same.
//!
//! A failing history is shrunk and printed with its seed. To run more or other seeds:
//! `STOA_SEEDS=1000 STOA_FIRST_SEED=5 cargo test -p stoa-store --test it differential`.

use std::collections::BTreeMap;

use stoa_testkit::corruptor::Corruption;
use stoa_testkit::rng::Rng;
use stoa_testkit::run::{Coverage, run};
use stoa_testkit::shrink::shrink;
use stoa_testkit::workload::{History, Shape, Step};

use crate::subject::{Corrupting, Place, StoreSubject};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

fn run_on(history: &History, on_disk: bool) -> Result<Coverage, String> {
    let folder = tempfile::tempdir().unwrap();
    let place = if on_disk {
        Place::Folder(folder.path().join("store"))
    } else {
        Place::Memory
    };
    let mut subject = StoreSubject::new(place, history);
    run(history, &mut subject).map_err(|failure| format!("step {}: {}", failure.step, failure.what))
}

fn check_seeds(default_seeds: u64, on_disk: bool) {
    let first = number("STOA_FIRST_SEED", 0);
    let mut coverage = Coverage::default();
    for seed in first..first + number("STOA_SEEDS", default_seeds) {
        let history = History::generate(seed, &Shape::default());
        match run_on(&history, on_disk) {
            Ok(seen) => coverage.add(&seen),
            Err(what) => {
                let fails = |steps: &[Step]| run_on(&history.with_steps(steps), on_disk).is_err();
                let shrunk = shrink(&history, 2000, fails).history;
                let again = run_on(&shrunk, on_disk).unwrap_err();
                panic!(
                    "seed {seed}: {what}\nshrunk to: {again}\n{}",
                    shrunk.print()
                );
            }
        }
    }
    eprintln!("covered: {coverage:?}");
    if default_seeds >= 100 {
        assert_eq!(
            coverage.gaps(),
            Vec::<&str>::new(),
            "some kind of step never happened"
        );
    }
}

#[test]
fn memory_agrees_with_the_model() {
    check_seeds(120, false);
}

#[test]
fn disk_agrees_with_the_model() {
    check_seeds(20, true);
}

#[test]
fn every_planted_wrong_answer_is_caught() {
    for kind in Corruption::ALL {
        let mut planted = 0;
        for seed in 0..40 {
            let history = History::generate(seed, &Shape::default());
            let mut subject = StoreSubject::new(Place::Memory, &history);
            subject.corrupting = Some(Corrupting {
                kind: *kind,
                rng: Rng::new(seed),
                older: BTreeMap::new(),
                planted: false,
            });
            let result = run(&history, &mut subject);
            if subject.corrupting.is_some_and(|it| it.planted) {
                planted += 1;
                assert!(result.is_err(), "{kind:?} with seed {seed} went unseen");
            }
        }
        assert!(planted > 3, "{kind:?} was planted {planted} times");
    }
}
