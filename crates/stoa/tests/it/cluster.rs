//! `stoa check-cluster`, `stoa bench cluster` and `compare`, without a cluster and on a live one.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use serde_json::Value;
use stoa_testkit::cassandra;

use super::{live, or_skip, stoa};

/// The URI of one that asks for a login and encrypts; `None` if tests are to be skipped.
fn secure() -> Option<String> {
    or_skip(cassandra::secure_uri())
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
        &["bench", "compare", "--store", "cql://anna:opensesame@host"],
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
    let hosts = uri.trim_start_matches("cql://").split(',').count();
    assert_eq!(of_kind("node"), hosts, "{output:?}");
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
fn a_node_that_asks_for_a_login_and_encrypts_is_looked_at() {
    let Some(uri) = secure() else { return };
    let output = stoa(&["check-cluster", &uri, "--json"]);
    let lines = lines(&output);
    let nodes = lines.iter().find(|it| it["subject"] == "nodes").unwrap();
    assert_eq!(nodes["verdict"], "fine", "{output:?}");
    let output = stoa(&["shell", "--store", &uri, "-e", "LIST ROLES"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("cassandra"));
}

#[test]
fn a_password_is_never_printed() {
    let Some(uri) = secure() else { return };
    let (variable, secret) = ("STOA_TEST_PASSWORD", "open-sesame-4711");
    let by_variable = uri.replace("STOA_CASSANDRA_PASSWORD", variable);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, secret).unwrap();
    let file = format!("password-file={}", super::text(&file));
    let by_file = uri.replace("password-env=STOA_CASSANDRA_PASSWORD", &file);
    assert!(by_variable != uri && by_file != uri, "{uri}");
    for uri in [by_variable.as_str(), by_file.as_str()] {
        for arguments in [
            &["check-cluster", uri][..],
            &["check-cluster", uri, "--json"],
            &[
                "shell",
                "--store",
                uri,
                "-e",
                "SELECT key FROM system.local",
            ],
            &["bench", "cluster", "--store", uri, "--quick"],
        ] {
            let output = Command::new(env!("CARGO_BIN_EXE_stoa"))
                .args(arguments)
                .env(variable, secret)
                .output()
                .unwrap();
            assert!(!output.status.success(), "{arguments:?}: {output:?}");
            let printed = [output.stdout, output.stderr].concat();
            let printed = String::from_utf8(printed).unwrap();
            assert!(!printed.contains(secret), "{arguments:?}: {printed}");
            assert!(printed.contains("assword"), "{arguments:?}: {printed}");
        }
    }
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

#[test]
fn the_database_is_measured_beside_the_cluster() {
    let Some(uri) = live() else { return };
    let output = stoa(&[
        "bench", "compare", "--store", &uri, "--quick", "--warm", "0", "--json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lines = lines(&output);
    let works: Vec<&str> = lines.iter().filter_map(|it| it["work"].as_str()).collect();
    let mut wanted = Vec::new();
    for work in ["insert", "read", "slice-100", "lwt", "counter"] {
        for in_flight in [1, 64] {
            let name = format!("{work}/{in_flight}/periodic");
            wanted.extend([format!("{name}/p50"), format!("{name}/p99"), name]);
        }
    }
    wanted.sort();
    let mut sorted = works.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, wanted);
    for figure in &lines {
        assert!(figure["ratio"].as_f64().unwrap() > 0.0, "{figure}");
    }
}
