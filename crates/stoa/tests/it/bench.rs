//! `stoa bench store` at tiny sizes: the form of what it prints, never how fast it is.

use std::collections::BTreeSet;

use super::{stoa, text};

#[test]
fn json_lines_have_exactly_the_promised_keys() {
    let folder = tempfile::tempdir().unwrap();
    let dir = text(folder.path());
    let output = stoa(&["bench", "store", "--quick", "--json", "--dir", dir]);
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), err.as_str()), (Some(0), ""));
    let mut works = BTreeSet::new();
    for line in out.lines() {
        let figure: serde_json::Value = serde_json::from_str(line).unwrap();
        let keys: BTreeSet<&str> = figure
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let wanted = ["work", "ours", "peer", "ratio", "unit", "goal", "met"];
        assert_eq!(keys, BTreeSet::from(wanted));
        assert!(figure["ours"].as_f64().unwrap() > 0.0, "{line}");
        let work = figure["work"].as_str().unwrap();
        works.insert(work.split('/').next().unwrap().to_owned());
    }
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
    assert_eq!(works, wanted.map(str::to_owned).into());
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 0, "the data is gone afterwards");
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
}
