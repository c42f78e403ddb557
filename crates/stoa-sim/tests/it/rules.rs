//! The pure rules on random schedules: nothing breaks, everything happens, and mistakes are noticed.

use stoa_sim::rules::{self, Planted};

#[test]
fn no_schedule_breaks_a_rule_and_everything_happens() {
    let summary = rules::run_many(0, 3_000, super::votes::threads(), None, &|_| ());
    let first = summary.first_failed.map(|seed| rules::run(seed, None));
    assert_eq!(first, None);
    assert_eq!(summary.never(), Vec::<&str>::new());
}

#[test]
fn one_schedule_is_one_run() {
    for seed in 0..100 {
        assert_eq!(rules::run(seed, None), rules::run(seed, None));
    }
}

#[test]
fn planted_mistakes_are_noticed() {
    for (planted, invariant) in Planted::ALL {
        let seeds = 0..3_000;
        let mut outcomes = seeds.map(|seed| rules::run(seed, Some(planted)));
        let broken = outcomes.find(|it| it.findings.iter().any(|it| it.invariant == invariant));
        assert!(broken.is_some(), "{planted:?} is not noticed");
    }
}
