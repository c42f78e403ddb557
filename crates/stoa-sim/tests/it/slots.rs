//! The negative control: the algorithm with two authorities breaks, in each of the ways that are
//! known, and the judge says in which.

use std::collections::BTreeSet;

use stoa_sim::slots::{self, Flaw};

/// For every known flaw a seed that shows it, and nothing else.
const SHOWN: [(Flaw, u64); 5] = [
    (Flaw::ForgottenSlot, 44),
    (Flaw::RejectedParent, 103),
    (Flaw::MissingZero, 171),
    (Flaw::LateReplay, 325),
    (Flaw::WrongClock, 18),
];

#[test]
fn every_known_flaw_is_shown_by_its_seed() {
    for (flaw, seed) in SHOWN {
        let outcome = slots::run(seed);
        assert!(!outcome.wrong.is_empty(), "{flaw}, seed {seed}");
        for wrong in &outcome.wrong {
            assert_eq!(wrong.flaws, BTreeSet::from([flaw]), "seed {seed}: {wrong}");
        }
    }
}

#[test]
fn totals_of_many_seeds_are_wrong() {
    let summary = slots::run_many(0, 300, super::votes::threads(), &|_| ());
    assert!(summary.records > summary.seeds);
    assert!(summary.wrong > summary.seeds / 4, "{summary:?}");
}

#[test]
fn one_seed_of_it_is_one_run() {
    for seed in 0..20 {
        assert_eq!(slots::run(seed), slots::run(seed));
    }
}
