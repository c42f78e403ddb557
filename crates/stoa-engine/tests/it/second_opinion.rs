//! Random statements on the embedded engine and on the model of CQL: 200,000 of them, half in
//! memory and half on disk. `SEED` is the first seed, `STATEMENTS` how many statements each runs,
//! `FINDINGS` how many differences are collected before it stops.

use std::path::PathBuf;
use std::sync::Arc;

use stoa_testkit::random::{Family, Shape, generate};
use stoa_testkit::trial::{Settings, Tally, Trial};
use stoa_types::clock::ManualClock;

use crate::excuses::EXCUSES;
use crate::rival::Embedded;

/// When the trials begin.
const BEGIN_MICROS: i64 = 1_794_800_000_000_000;

/// How many statements a script has, about.
const STATEMENTS_PER_SCRIPT: usize = 400;

/// How many statements each trial runs.
const STATEMENTS: usize = 100_000;

/// At least this share of the statements is modelled, in percent. It may rise only.
const MODELLED_PERCENT: usize = 80;

/// At least so many wrong answers are planted in each trial.
const PLANTED: usize = 200;

fn number(variable: &str, usual: usize) -> usize {
    let given = std::env::var(variable).ok();
    given.map_or(usual, |text| text.parse().expect("a number"))
}

async fn try_all(folder: Option<PathBuf>, first_seed: usize) {
    let clock = Arc::new(ManualClock::at_micros(BEGIN_MICROS));
    let mut embedded = Embedded::open(folder, &clock).expect("it opens");
    let settings = Settings {
        excuses: EXCUSES,
        upset_every: 150,
        plant_most: 4,
        shrink_tries: 300,
    };
    let mut trial = Trial::new(&mut embedded, clock, settings);
    let statements = number("STATEMENTS", STATEMENTS);
    let mut seed = number("SEED", first_seed) as u64;
    let mut shape = Shape::new(STATEMENTS_PER_SCRIPT);
    // The model knows neither, and after a write it does not know it knows nothing of the table.
    shape.without = vec![Family::View, Family::InsertJson];
    let mut findings = Vec::new();
    while trial.tally.statements < statements && findings.len() < number("FINDINGS", 1) {
        let case = generate(seed, &shape).expect("a script");
        findings.extend(trial.case(&case).await.expect("the engine goes on"));
        seed += 1;
    }
    report(&trial.tally, first_seed);
    let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    assert_eq!(trial.tally.unseen, 0, "wrong answers were not seen");
    let planted: usize = trial.tally.planted.values().sum();
    let modelled = trial.tally.statements - trial.tally.not_modelled();
    if statements >= STATEMENTS {
        assert!(
            planted >= PLANTED,
            "only {planted} wrong answers were planted"
        );
        assert!(trial.tally.planted.len() >= 4, "{:?}", trial.tally.planted);
        assert!(
            modelled * 100 >= trial.tally.statements * MODELLED_PERCENT,
            "only {modelled} of {} statements are modelled",
            trial.tally.statements
        );
    }
}

fn report(tally: &Tally, first_seed: usize) {
    println!(
        "seeds from {first_seed}: {} schemas, {} statements, {} not modelled, {} refused, {} upsets, \
         planted {:?}, excused {:?}",
        tally.schemas,
        tally.statements,
        tally.not_modelled(),
        tally.refused,
        tally.upsets,
        tally.planted,
        tally.excused
    );
    let mut reasons: Vec<_> = tally.unknown.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons.iter().take(40) {
        println!("{count:>8} {reason}");
    }
}

#[tokio::test]
async fn memory_answers_as_the_model_does() {
    try_all(None, 1).await;
}

#[tokio::test]
async fn disk_answers_as_the_model_does() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    try_all(Some(folder.path().to_path_buf()), 1_000_000).await;
}
