//! `stoa votes` on a cluster: a community is filled, counted, closed, checked and exported there, by the
//! commands that an operator has.

use super::votes::told;
use super::{live, patient, text};

const KEYSPACE: &str = "stoa_votes_commands";

#[test]
fn a_community_on_a_cluster_is_filled_counted_closed_and_checked() {
    let Some(uri) = live() else { return };
    let uri = patient(&uri, "");
    let shell = |statement: &str| {
        let (code, out, err) = told(&["shell", "--store", &uri, "-e", statement]);
        assert_eq!(code, Some(0), "{out}{err}");
    };
    let drop = format!("DROP KEYSPACE IF EXISTS {KEYSPACE}");
    shell(&drop);
    let votes = |command: &[&str]| {
        let place = ["--store", &uri, "--keyspace", KEYSPACE];
        let (code, out, err) = told(&[&["votes"][..], command, &place[..]].concat());
        assert_eq!(code, Some(0), "{command:?}: {out}{err}");
        out
    };
    let json = |out: &str| -> serde_json::Value { serde_json::from_str(out).unwrap() };

    let filled = json(&votes(&["demo", "--people", "20", "--json"]));
    assert_eq!(filled["people"], 20);
    assert!(filled["saves"].as_u64() >= Some(100), "{filled}");
    let counted = json(&votes(&["recount", "--json"]));
    let (counted, made) = (counted["policies"].as_u64(), filled["policies"].as_u64());
    assert!(counted > Some(0) && counted <= made, "{filled}");
    assert!(votes(&["close-day"]).starts_with("all days up to "));
    let ran = votes(&["tasks", "--run-due", "--json"]);
    let ran: Vec<serde_json::Value> = ran.lines().map(json).collect();
    assert!(
        ran.len() > 20 && ran.iter().all(|it| it["ok"] == true),
        "{ran:?}"
    );
    let runs = votes(&["tasks", "--runs"]);
    assert!(runs.contains("the books balance"), "{runs}");
    let audit = json(&votes(&["audit", "--json"]));
    assert_eq!(audit["findings"], serde_json::json!([]));
    assert_eq!(audit["users"], 20);
    assert_eq!(audit["records"], filled["saves"]);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ledger.jsonl");
    let file = text(&file);
    votes(&["export", "--out", file]);
    let (code, out, err) = told(&["votes", "verify", file]);
    assert_eq!(code, Some(0), "{out}{err}");
    let ledger = std::fs::read_to_string(file).unwrap();
    assert!(ledger.lines().count() > 100, "{}", ledger.lines().count());
    shell(&drop);
}
