//! Conformance scripts answer on a live Cassandra as they are recorded: one in eight here, all of
//! them by `cargo xtask conformance check`.

use std::path::Path;

use stoa_testkit::conformance::suite;

use crate::live;
use crate::scripts::{Task, run_all};

/// The scripts of the workspace.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance");

/// Making and dropping tables takes Cassandra so long that all scripts take several minutes.
const ONE_IN: usize = 8;

/// Scripts that let time pass sleep most of it, so more run at once than there are cores.
const JOBS: usize = 4;

#[tokio::test(flavor = "multi_thread")]
async fn cassandra_answers_as_recorded() {
    let Some(address) = live::address() else {
        return;
    };
    let cases = suite::load(Path::new(FOLDER)).expect("every script can be read");
    let some = cases.into_iter().step_by(ONE_IN).collect();
    let tallies = run_all(Task::Check, &address, some, JOBS).await;
    let tallies = tallies.expect("the scripts run");
    let problems: Vec<_> = tallies.values().flat_map(|tally| &tally.problems).collect();
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn there_are_enough_scripts_and_a_quarter_of_them_show_errors() {
    let cases = suite::load(Path::new(FOLDER)).expect("every script can be read");
    let errors = cases
        .iter()
        .filter(|case| case.script.shows_an_error())
        .count();
    assert!(cases.len() >= 400, "{} scripts", cases.len());
    assert!(
        errors * 4 >= cases.len(),
        "{errors} of {} show errors",
        cases.len()
    );
    let unrecorded: Vec<_> = cases
        .iter()
        .filter(|case| case.script.steps.iter().any(|step| step.expected.is_none()))
        .map(|case| &case.name)
        .collect();
    assert!(unrecorded.is_empty(), "not recorded: {unrecorded:?}");
}
