//! `stoa bench store` and `engine` at tiny sizes: the form of what they print, never how fast they
//! are.

use std::collections::BTreeSet;

use super::{stoa, text};

/// The names of the works that a quick run prints, without sizes.
fn works_of(subject: &str) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let dir = text(folder.path());
    let output = stoa(&["bench", subject, "--quick", "--json", "--dir", dir]);
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), err.as_str()), (Some(0), ""));
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 0, "the data is gone afterwards");
    out.lines().map(work_of).collect()
}

/// The name of the work of a line of JSON, which must be whole.
pub(crate) fn work_of(line: &str) -> String {
    let figure: serde_json::Value = serde_json::from_str(line).unwrap();
    let keys: BTreeSet<&str> = figure
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let wanted = ["work", "ours", "peer", "ratio", "unit", "goal", "met"];
    assert_eq!(keys, BTreeSet::from(wanted));
    let ours = figure["ours"].as_f64().unwrap();
    match figure["unit"] == "wrong" {
        true => assert!(ours.abs() < f64::EPSILON, "{line}"),
        false => assert!(ours > 0.0, "{line}"),
    }
    let work = figure["work"].as_str().unwrap();
    work.split('/').next().unwrap().to_owned()
}

#[test]
fn json_lines_of_the_store_have_exactly_the_promised_keys() {
    let wanted = [
        "insert",
        "insert-blind",
        "read",
        "slice",
        "update",
        "spread",
        "disk",
        "durable-1",
        "durable-64",
        "hot-row",
        "open-clean",
        "open-killed",
        "memory-empty",
        "memory-tables",
    ];
    assert_eq!(works_of("store"), wanted.map(str::to_owned).into());
}

#[test]
fn json_lines_of_votes_have_exactly_the_promised_keys() {
    let wanted = [
        "votes",
        "cost",
        "accepted-p99",
        "flat",
        "flat-p99",
        "recount",
        "close",
        "board",
        "ranking-p99",
        "close-days",
        "export",
        "public-recount",
        "storms",
        "storms-speed",
        "storms-overspent",
        "names",
        "names-speed",
        "reads",
        "reads-boards",
    ];
    assert_eq!(works_of("votes"), wanted.map(str::to_owned).into());
}

#[test]
fn json_lines_of_the_web_have_exactly_the_promised_keys() {
    let pages = ["home", "ranking", "policy"];
    let pages = pages.into_iter().flat_map(|page| {
        ["out", "in"].map(|who| [format!("{page}-{who}"), format!("{page}-{who}-p99")])
    });
    let rest = [
        "start",
        "first-bytes",
        "first-requests",
        "vote",
        "vote-p99",
        "flood",
        "flood-page-p99",
        "flood-sign-in-p99",
        "memory-rest",
        "memory-load",
    ];
    let wanted = pages.flatten().chain(rest.map(str::to_owned));
    assert_eq!(works_of("web"), wanted.collect());
}

#[test]
fn small_votes_are_compared_by_size_and_claim_no_goal() {
    let output = stoa(&["bench", "votes", "--quick", "--json", "--only", "saves,day"]);
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{out}");
    let figures: Vec<serde_json::Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for figure in &figures {
        assert!(figure["goal"].is_null() && figure["met"].is_null(), "{out}");
        assert!(figure["work"].as_str().unwrap().contains('/'), "{out}");
    }
    let flat = figures
        .iter()
        .find(|it| it["work"] == "flat/20/256-40/320")
        .unwrap();
    let number = |key: &str| flat[key].as_f64().unwrap();
    let ratio = number("ours") / number("peer");
    assert!((number("ratio") / ratio - 1.0).abs() < 0.01, "{flat}");
    assert_eq!(flat["unit"], "us/vote");
}

#[test]
fn json_lines_of_the_engine_have_exactly_the_promised_keys() {
    let both_ways = [
        "insert",
        "read",
        "slice",
        "update",
        "lwt",
        "counter",
        "indexed",
        "durable-64",
    ];
    let once = ["spread", "growth", "parse", "open", "memory-empty"];
    let now = both_ways.map(|work| format!("{work}-now"));
    let wanted = both_ways.into_iter().chain(once).map(str::to_owned);
    assert_eq!(works_of("engine"), wanted.chain(now).collect());
}

#[test]
fn one_work_can_be_chosen_and_shown_to_people() {
    let output = stoa(&[
        "bench", "store", "--quick", "--only", "read", "--rows", "200",
    ]);
    let out = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(lines[0].starts_with("work"));
    assert!(lines[1].starts_with("read/200"));
    assert!(!out.contains('\x1b'), "no colour without a terminal");
    let output = stoa(&[
        "bench", "engine", "--quick", "--only", "slice", "--rows", "200",
    ]);
    let out = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(lines[1].starts_with("slice/200"));
    assert!(lines[2].starts_with("slice-now/200"));
}
