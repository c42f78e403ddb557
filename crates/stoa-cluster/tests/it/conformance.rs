//! Every conformance script answers on a live Cassandra as it is recorded.

use std::path::Path;

use stoa_testkit::conformance::suite;

use crate::live;
use crate::scripts::{Task, run_all};

/// The scripts of the workspace.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance");

/// Scripts that let time pass sleep most of it, so more run at once than there are cores.
const JOBS: usize = 6;

#[tokio::test(flavor = "multi_thread")]
async fn cassandra_answers_as_recorded() {
    let Some(address) = live::address() else {
        return;
    };
    let tallies = run_all(Task::Check, &address, Path::new(FOLDER), "", JOBS).await;
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
