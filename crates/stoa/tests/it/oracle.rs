//! Random scripts answer on the embedded engine as on a live Cassandra.

#[path = "../../examples/oracle/harness/mod.rs"]
mod harness;

use std::sync::Arc;

use harness::{Wish, run};
use stoa_session::BackEnd;
use stoa_types::clock::SystemClock;

use super::live;

/// `cargo xtask oracle` runs more, and other seeds.
const SCHEMAS: usize = 40;
const STATEMENTS_EACH: usize = 500;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_thousand_random_statements_answer_as_on_cassandra() {
    let Some(uri) = live() else { return };
    let Ok(BackEnd::Cluster(address)) = uri.parse() else {
        panic!("not a cluster: {uri}");
    };
    let wish = Wish {
        address: *address,
        seed: 1,
        schemas: SCHEMAS,
        statements_each: STATEMENTS_EACH,
        jobs: 4,
        tries: 0,
    };
    let tally = run(wish, Arc::new(SystemClock::new()), |_| {})
        .await
        .unwrap();
    let findings: Vec<String> = tally.findings.iter().map(ToString::to_string).collect();
    assert!(
        findings.is_empty(),
        "{}\n{}",
        findings.join("\n"),
        tally.summary()
    );
    assert!(
        tally.statements >= SCHEMAS * STATEMENTS_EACH,
        "{}",
        tally.summary()
    );
}
