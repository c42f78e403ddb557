//! `stoa check-cluster` and `stoa bench cluster`, without a cluster and on a live one.

use std::collections::BTreeSet;
use std::process::Output;

use serde_json::Value;
use stoa_testkit::cassandra;

use super::stoa;

/// The URI of a live Cassandra; `None` if tests are to be skipped.
pub(crate) fn live() -> Option<String> {
    let uri = cassandra::uri().unwrap_or_else(|advice| panic!("{advice}"));
    if uri.is_none() {
        println!("SKIPPED: no Cassandra");
    }
    uri
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[test]
fn where_nothing_listens_one_line_says_so_and_the_exit_code_is_2() {
    let output = stoa(&["check-cluster", "cql://127.0.0.1:1/?deadline=5s"]);
    assert_eq!(output.status.code(), Some(2));
    let expected = "stoa: nothing answers at 127.0.0.1:1: connection refused\n";
    assert_eq!(said(&output), expected);
}

#[test]
fn engines_and_passwords_in_uris_are_refused_without_repeating_them() {
    let output = stoa(&["check-cluster", "memory:"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("needs a cluster"), "{output:?}");
    for arguments in [
        &["check-cluster", "cql://anna:opensesame@host"][..],
        &["bench", "cluster", "--store", "cql://anna:opensesame@host"],
    ] {
        let output = stoa(arguments);
        assert!(!output.status.success());
        assert!(said(&output).contains("password-env"), "{output:?}");
        assert!(!said(&output).contains("opensesame"), "{output:?}");
    }
}

#[test]
fn every_node_of_a_live_cluster_is_looked_at() {
    let Some(uri) = live() else { return };
    let output = stoa(&["check-cluster", &uri, "--json"]);
    let lines = lines(&output);
    let of_kind = |kind: &str| lines.iter().filter(|it| it["kind"] == kind).count();
    assert!(of_kind("node") >= 1, "{output:?}");
    let subjects: BTreeSet<&str> = lines
        .iter()
        .filter_map(|it| it["subject"].as_str())
        .collect();
    for subject in [
        "nodes",
        "versions",
        "schema",
        "replication",
        "clocks",
        "paxos variant",
    ] {
        assert!(subjects.contains(subject), "{subject}: {output:?}");
    }
    let nodes = lines.iter().find(|it| it["subject"] == "nodes").unwrap();
    assert_eq!(nodes["verdict"], "fine", "{output:?}");
    let summary = lines.last().unwrap();
    let is_fine = summary["fine"].as_bool().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(!is_fine)));
}

#[test]
fn the_session_is_measured_beside_the_bare_driver() {
    let Some(uri) = live() else { return };
    let output = stoa(&["bench", "cluster", "--store", &uri, "--quick", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lines = lines(&output);
    let works: Vec<&str> = lines.iter().filter_map(|it| it["work"].as_str()).collect();
    assert_eq!(
        works,
        [
            "cluster/insert",
            "cluster/read",
            "cluster/slice-100",
            "cluster/lwt",
            "cluster/counter"
        ]
    );
    for figure in &lines {
        assert!(figure["ratio"].as_f64().unwrap() > 0.0, "{figure}");
        assert_eq!(figure["goal"], "ratio <= 1.1");
    }
}
