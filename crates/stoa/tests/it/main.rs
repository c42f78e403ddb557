//! The real binary, run as a user runs it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says why it is skipped"
)]

mod admin;
mod bench;
mod browser;
mod check;
mod cluster;
mod cql;
mod dump;
mod ledger;
mod letters;
mod oracle;
mod outbox;
mod serve;
mod shell;
mod votes;
mod votes_cluster;
mod walkthroughs;

use std::path::Path;
use std::process::{Command, Output};

use stoa_testkit::cassandra;

/// Runs `stoa` with these arguments.
fn stoa(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stoa"))
        .args(arguments)
        .output()
        .unwrap()
}

/// The URI of a live Cassandra; `None` if tests are to be skipped.
fn live() -> Option<String> {
    or_skip(cassandra::uri())
}

fn or_skip(uri: Result<Option<String>, String>) -> Option<String> {
    let uri = uri.unwrap_or_else(|advice| panic!("{advice}"));
    if uri.is_none() {
        println!("SKIPPED: no Cassandra");
    }
    uri
}

/// The URI with a keyspace, or none, and time for a node that has much else to do.
fn patient(uri: &str, keyspace: &str) -> String {
    match uri.contains('?') {
        true => uri.to_owned(),
        false => format!("{}/{keyspace}?deadline=60s", uri.trim_end_matches('/')),
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_command_line_that_makes_no_sense_ends_with_2() {
    for arguments in [
        &["nonsense"][..],
        &[],
        &["check"],
        &["bench", "store", "--rows", "x"],
        &["shell", "--memory", "--data", "x"],
        &["cql"],
        &["cql", "--memory", "--data", "x"],
        &["dump"],
        &["load", "--memory"],
        &["load", "x.cql"],
        &["load", "x.cql", "--memory", "--replication", "many"],
    ] {
        assert_eq!(stoa(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn help_has_examples() {
    for arguments in [
        &["--help"][..],
        &["admin", "--help"],
        &["admin", "first-admin", "--help"],
        &["admin", "config", "set", "--help"],
        &["check", "--help"],
        &["bench", "store", "--help"],
        &["bench", "engine", "--help"],
        &["bench", "compare", "--help"],
        &["bench", "cluster", "--help"],
        &["check-cluster", "--help"],
        &["cql", "--help"],
        &["shell", "--help"],
        &["dump", "--help"],
        &["serve", "--help"],
        &["backup", "--help"],
        &["restore", "--help"],
        &["load", "--help"],
    ] {
        let output = stoa(arguments);
        assert_eq!(output.status.code(), Some(0));
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains("Examples:"), "{help}");
        assert!(!help.contains('\x1b'), "no colour without a terminal");
    }
}
