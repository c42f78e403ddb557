//! Random statements on the embedded engine and on the model of CQL, in memory and on disk.
//! `cargo xtask model` runs more, and other seeds.

#[path = "../../examples/model/rival.rs"]
mod rival;

use std::path::PathBuf;
use std::sync::Arc;

use stoa_testkit::random::{Family, Shape, generate};
use stoa_testkit::trial::{Settings, Trial};
use stoa_types::clock::ManualClock;

use rival::Embedded;

/// When the trials begin.
const BEGIN_MICROS: i64 = 1_794_800_000_000_000;

/// How many statements a script has, about.
const STATEMENTS_PER_SCRIPT: usize = 400;

/// How many statements each trial runs.
const STATEMENTS: usize = 100_000;

/// At least this share of the statements is modelled, in percent. It may rise only.
const MODELLED_PERCENT: usize = 80;

/// At least so many wrong answers are planted in each trial.
const PLANTED: usize = 1_000;

async fn try_all(folder: Option<PathBuf>, first_seed: u64) {
    let clock = Arc::new(ManualClock::at_micros(BEGIN_MICROS));
    let mut embedded = Embedded::open(folder, &clock).expect("it opens");
    let settings = Settings {
        excuses: &[],
        upset_every: 150,
        plant_most: 4,
        shrink_tries: 300,
    };
    let mut trial = Trial::new(&mut embedded, clock, settings);
    let mut shape = Shape::new(STATEMENTS_PER_SCRIPT);
    // The model knows neither, and after a write it does not know it knows nothing of the table.
    shape.without = vec![Family::View, Family::InsertJson];
    let mut seed = first_seed;
    while trial.tally.statements < STATEMENTS {
        let case = generate(seed, &shape).expect("a script");
        let found = trial.case(&case).await.expect("the engine goes on");
        assert!(found.is_none(), "{}", found.expect("a difference"));
        seed += 1;
    }
    let tally = &trial.tally;
    assert_eq!(tally.unseen, 0, "wrong answers were not seen");
    let planted: usize = tally.planted.values().sum();
    assert!(planted >= PLANTED, "only {planted} answers were planted");
    assert!(tally.planted.len() >= 4, "{:?}", tally.planted);
    let modelled = tally.statements - tally.not_modelled();
    assert!(
        modelled * 100 >= tally.statements * MODELLED_PERCENT,
        "only {modelled} of {} statements are modelled",
        tally.statements
    );
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
