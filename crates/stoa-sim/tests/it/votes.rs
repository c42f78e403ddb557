//! The voting domain under faults: no seed breaks anything, every rule is needed, and one seed is
//! one run.

use stoa_sim::votes::many::Stop;
use stoa_sim::votes::{Trace, VoteSimulation};
use stoa_votes::rules::named::Rule;

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[test]
fn no_seed_breaks_anything_and_everything_happens() {
    let simulation = VoteSimulation::new(None).unwrap();
    let summary = simulation.run_many(0, 10_000, threads(), Stop::AtFailure, &|_| ());
    assert_eq!(summary.first_failed, None);
    assert_eq!(summary.never(), Vec::<&str>::new());
}

#[test]
fn one_seed_is_one_run() {
    let (one, other) = (
        VoteSimulation::new(None).unwrap(),
        VoteSimulation::new(None).unwrap(),
    );
    // What ran before makes no difference.
    let _ = other.run(77, Trace::Dropped);
    let hashes: Vec<u64> = (0..20)
        .map(|seed| {
            let first = one.run(seed, Trace::Dropped).event_hash;
            assert_eq!(
                first,
                other.run(seed, Trace::Kept).event_hash,
                "seed {seed}"
            );
            first
        })
        .collect();
    assert_ne!(hashes.first(), hashes.last());
}

/// For every rule a seed that breaks something without it, and the invariant that it breaks first.
const NEEDED: [(Rule, u64, &str); 13] = [
    (Rule::HeadCas, 11, "I1 one path"),
    (Rule::IntentFirst, 3, "I13 created is visible"),
    (Rule::DayRecheck, 16, "I4 counts agree"),
    (Rule::SettleUnknown, 6, "I4 counts agree"),
    (Rule::Fence, 1231, "I4 counts agree"),
    (Rule::RequestOnce, 3, "one answer"),
    (Rule::RootFresh, 3544, "I3 nothing negative"),
    (Rule::StateCas, 4, "I4 counts agree"),
    (Rule::MergeIntent, 13, "I4 counts agree"),
    (Rule::CloseInOrder, 13, "I4 counts agree"),
    (Rule::RecountStamp, 5636, "I4 counts agree"),
    (Rule::PayOnce, 5, "I12 paid once"),
    (Rule::FinalHead, 20, "I1 one path"),
];

#[test]
fn every_rule_is_needed() {
    for (rule, seed, invariant) in NEEDED {
        let whole = VoteSimulation::new(None).unwrap();
        let findings = whole.run(seed, Trace::Dropped).findings;
        assert!(findings.is_empty(), "seed {seed}: {findings:?}");
        let lacking = VoteSimulation::new(Some(rule)).unwrap();
        let findings = lacking.run(seed, Trace::Dropped).findings;
        let first = findings.first().map(|it| it.invariant.to_string());
        assert_eq!(first.as_deref(), Some(invariant), "{rule}, seed {seed}");
    }
}

#[test]
fn the_list_of_needed_rules_is_complete() {
    assert_eq!(
        NEEDED.map(|(rule, _, _)| rule),
        Rule::NAMES.map(|(rule, _)| rule)
    );
}
