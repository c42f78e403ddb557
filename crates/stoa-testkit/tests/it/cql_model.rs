//! The model of CQL answers conformance scripts as Cassandra did, or says that it does not know.
//! `ONLY` is a part of the names of those to run, `SHOW=1` prints what it does not know.

use std::collections::BTreeMap;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use stoa_session::Reply;
use stoa_testkit::conformance::expectation::{Expectation, Outcome};
use stoa_testkit::conformance::suite::{self, Case};
use stoa_testkit::conformance::{Runner, Waiter, differences};
use stoa_testkit::cql_model::{CqlModel, NOT_MODELLED};
use stoa_types::{Clock, ManualClock};

/// The scripts of the workspace.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance");

/// When the scripts were recorded, about: some hold dates that must lie in the future.
const BEGIN_MICROS: i64 = 1_794_800_000_000_000;

/// As many scripts are answered as recorded, statement by statement. It may rise only.
const WHOLE_SCRIPTS: usize = 755;

/// As many statements of all scripts are answered as recorded. It may rise only.
const STATEMENTS: usize = 7_708;

/// Scripts that the model answers otherwise, and why: on purpose, or because it lacks the rule and
/// does not notice. One that agrees must leave the list.
const OTHERWISE: [(&str, &str); 7] = [
    (
        "counters/delete_of_the_row_and_count_again",
        "Cassandra says that such counters must not be used; the model starts anew, as documented",
    ),
    (
        "lwt/map_values_compared_by_the_type_of_keys",
        "values of a map are compared as what they are, as documented",
    ),
    ("batch/size_counted", "lacks the sizes of batches"),
    ("batch/size_limit", "lacks the sizes of batches"),
    ("batch/size_warning", "lacks the sizes of batches"),
    ("index/value_too_long", "lacks the limit on indexed values"),
    (
        "select/in_and_order_by_of_an_empty_slice",
        "refuses pages of ORDER BY where nothing is read",
    ),
];

/// Lets time pass by moving the clock.
struct Moving(Arc<ManualClock>);

impl Waiter for Moving {
    fn wait(&self, time: Duration) -> Reply<'_, ()> {
        self.0.advance(time);
        Box::pin(async { Ok(()) })
    }
}

/// What became of the statements of a script.
#[derive(Default)]
struct Tally {
    same: usize,
    unknown: Vec<String>,
    wrong: Vec<String>,
}

fn is_unknown(answer: &Expectation) -> bool {
    matches!(answer.outcome, Outcome::Error { code, .. } if code == NOT_MODELLED)
}

fn run(case: &Case) -> Tally {
    let clock = Arc::new(ManualClock::at_micros(BEGIN_MICROS));
    let shared: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
    let model = CqlModel::new(shared);
    let waiter = Moving(clock);
    let runner = Runner::new(&model, &waiter, "conformance_1_0");
    let mut running = pin!(runner.run(&case.script));
    let mut context = Context::from_waker(Waker::noop());
    let mut tally = Tally::default();
    let answers = match running.as_mut().poll(&mut context) {
        Poll::Ready(Ok(answers)) => answers,
        Poll::Ready(Err(error)) => {
            tally.wrong.push(error.to_string());
            return tally;
        }
        Poll::Pending => panic!("the model never waits"),
    };
    let found = differences(&case.script, &answers);
    for (step, answer) in case.script.steps.iter().zip(&answers) {
        let difference = found.iter().find(|it| it.line == step.line);
        match (is_unknown(answer), difference) {
            (true, _) => tally.unknown.push(answer.lines().join(" ")),
            (false, None) => tally.same += 1,
            (false, Some(difference)) => tally.wrong.push(difference.to_string()),
        }
    }
    tally
}

#[test]
fn the_model_answers_as_cassandra_did_or_says_that_it_does_not_know() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let shows = std::env::var("SHOW").is_ok();
    let cases = suite::load(Path::new(FOLDER)).expect("every script can be read");
    let mut areas: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    let (mut whole, mut statements, mut unknown) = (0, 0, 0);
    for case in cases.iter().filter(|it| it.name.contains(&only)) {
        let tally = run(case);
        statements += tally.same;
        unknown += tally.unknown.len();
        let is_whole = tally.unknown.is_empty() && tally.wrong.is_empty();
        whole += usize::from(is_whole);
        let area = case.name.split('/').next().unwrap_or_default().to_owned();
        let counts = areas.entry(area).or_default();
        counts.0 += usize::from(is_whole);
        counts.1 += 1;
        if OTHERWISE.iter().any(|(name, _)| *name == case.name) {
            assert!(!tally.wrong.is_empty(), "{} agrees now", case.name);
            continue;
        }
        for problem in tally.wrong {
            wrong.push(format!("{}: {problem}", case.name));
        }
        if shows {
            for words in tally.unknown {
                println!("{}: {words}", case.name);
            }
        }
    }
    println!("{whole} scripts whole, {statements} statements same, {unknown} not modelled");
    println!("{areas:?}");
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n"),
        wrong.len()
    );
    if only.is_empty() {
        assert!(
            whole >= WHOLE_SCRIPTS,
            "only {whole} scripts are answered whole"
        );
        assert!(
            statements >= STATEMENTS,
            "only {statements} statements are answered"
        );
    }
}
