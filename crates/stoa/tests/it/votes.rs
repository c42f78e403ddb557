//! `stoa votes` and `stoa sim votes`, as an operator runs them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use stoa_engine::Database;
use stoa_session::{Session, Shortcuts as _};
use stoa_types::{Clock, Ids, SystemClock, SystemIds};
use stoa_votes::model::{Day, RequestId, UserId};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Ask, Request};
use stoa_votes::{Settings, Votes};

use super::{stoa, text};

pub(super) fn told(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = stoa(arguments);
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), out, err)
}

/// One user who created a policy and put votes on it.
async fn community(folder: &Path) {
    community_at(folder, Arc::new(SystemClock::new())).await;
}

/// The same, by a clock.
pub(super) async fn community_at(folder: &Path, clock: Arc<dyn Clock>) {
    let database = Database::open(folder, stoa_store::Options::default()).unwrap();
    let session: Arc<dyn Session> = Arc::new(database.session());
    let keyspace = "CREATE KEYSPACE stoa_votes WITH replication = \
        {'class': 'SimpleStrategy', 'replication_factor': 1}";
    session.run_text(keyspace).await.unwrap();
    let ids: Arc<dyn Ids> = Arc::new(SystemIds::new());
    let joined = Day::of_micros(clock.now_micros()).plus(-14);
    let settings = Settings::default();
    let opened = Votes::open(session, "stoa_votes", clock, Arc::clone(&ids), settings);
    let votes = opened.await.unwrap();
    let account = Account {
        user: UserId(ids.uuid()),
        joined,
    };
    let mut basis = None;
    let mut policy = None;
    for _ in 0..3 {
        let ask = match policy {
            None => Ask::Create(None),
            Some(policy) => Ask::Move(BTreeMap::from([(policy, 7)])),
        };
        let id = RequestId(ids.uuid());
        let actor = account.user;
        let request = Request {
            id,
            basis,
            ask,
            actor,
        };
        let accepted = votes.submit(account, &request).await.unwrap();
        votes.sync(account.user, accepted).await.unwrap();
        basis = Some(accepted.version);
        let record = votes.tables().chain.record(account.user, accepted.seq);
        let record = record.await.unwrap().unwrap();
        policy = policy.or(record.policy_created);
    }
    database.close().unwrap();
}

#[tokio::test]
async fn the_audit_finds_a_vote_that_nobody_cast() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    community(&data).await;
    let data = text(&data);
    let (code, out, err) = told(&["votes", "audit", "--data", data]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("the books balance"), "{out}");
    let (code, out, _) = told(&["votes", "audit", "--data", data, "--json"]);
    let told_json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, Some(0));
    assert_eq!(told_json["records"], 3);
    assert_eq!(told_json["findings"], serde_json::json!([]));
    let (code, out, _) = told(&["votes", "recount", "--data", data]);
    assert_eq!((code, out.as_str()), (Some(0), "1 policies counted\n"));
    let (code, out, _) = told(&["votes", "close-day", "--data", data]);
    assert_eq!(code, Some(0));
    assert!(out.starts_with("all days up to "), "{out}");
    let read = "SELECT policy, day, version FROM stoa_votes.policy_votes LIMIT 1";
    let (_, out, _) = told(&["shell", "--data", data, "-e", read, "--format", "csv"]);
    let row: Vec<&str> = out.lines().nth(1).unwrap().split(',').collect();
    let forge = format!(
        "UPDATE stoa_votes.policy_votes SET increment = 1000 WHERE policy = {} AND day = '{}' \
         AND version = {}",
        row[0], row[1], row[2]
    );
    assert_eq!(told(&["shell", "--data", data, "-e", &forge]).0, Some(0));
    let (code, out, _) = told(&["votes", "audit", "--data", data]);
    assert_eq!(code, Some(1));
    assert!(out.contains("I4 counts agree: increment"), "{out}");
}

#[test]
fn what_is_not_there_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let (code, _, err) = told(&["votes", "audit", "--data", text(&missing)]);
    assert_eq!(code, Some(1));
    assert!(err.contains("there is no database in"), "{err}");
    assert!(!missing.exists(), "nothing is made");
    let (code, _, err) = told(&["votes", "audit", "--memory"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("there is no keyspace stoa_votes"), "{err}");
    let (_, _, err) = told(&["votes", "audit", "--memory", "--keyspace", "a b"]);
    assert!(err.contains("small letters"), "{err}");
    let (code, _, err) = told(&["votes", "audit"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("--data DIR"), "{err}");
}

/// Fills a folder with a demo, whose books balance and whose ledger counts up; what it told.
fn demo_that_balances(data: &str, arguments: &[&str]) -> String {
    let demo = [&["votes", "demo", "--data", data], arguments].concat();
    let (code, told_by_demo, err) = told(&demo);
    assert_eq!(code, Some(0), "{err}");
    let (code, out, _) = told(&["votes", "audit", "--data", data]);
    assert_eq!(code, Some(0), "{out}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ledger.jsonl");
    let file = text(&file);
    let (code, _, err) = told(&["votes", "export", "--data", data, "--out", file]);
    assert_eq!(code, Some(0), "{err}");
    let (code, out, _) = told(&["votes", "verify", file]);
    assert_eq!(code, Some(0), "{out}");
    told_by_demo
}

#[test]
fn a_demo_is_a_community_whose_books_balance_and_whose_ledger_counts_up() {
    let folder = tempfile::tempdir().unwrap();
    let data = text(folder.path());
    let out = demo_that_balances(data, &["--people", "20"]);
    assert!(out.contains("the community lives"), "{out}");
    let (code, _, err) = told(&["votes", "demo", "--data", data]);
    assert_eq!(code, Some(1));
    assert!(err.contains("begins with nobody"), "{err}");
}

/// As many people as whoever says nothing else gets.
#[test]
fn a_demo_of_the_usual_size_balances_and_is_full_of_life() {
    let folder = tempfile::tempdir().unwrap();
    let out = demo_that_balances(text(folder.path()), &["--json"]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    for (what, least) in [
        ("people", 200),
        ("policies", 200),
        ("saves", 1_500),
        ("comments", 200),
        ("tags", 200),
        ("reports", 15),
        ("decided", 10),
        ("proposals", 10),
        ("merged", 10),
    ] {
        assert!(told[what].as_u64().unwrap() >= least, "{what}: {out}");
    }
    // Nobody is refused but for what others did meanwhile, and seldom.
    let refused = told["refused"].as_object().unwrap();
    let often: u64 = refused.values().map(|it| it.as_u64().unwrap()).sum();
    assert!(often * 10 < told["saves"].as_u64().unwrap(), "{out}");
}

#[test]
fn tasks_are_listed_and_run_by_their_name() {
    let (code, out, _) = told(&["votes", "tasks", "--list"]);
    assert_eq!(code, Some(0));
    for task in ["votes.close_day", "votes.send_mail", "votes.refresh_search"] {
        assert!(out.contains(task), "{out}");
    }
    let (code, out, _) = told(&["votes", "tasks", "--list", "--json"]);
    assert_eq!(code, Some(0));
    let first: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!(first["task"], "votes.drain_intents");
    let (code, _, err) = told(&["votes", "tasks", "--run", "votes.drain_intents"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("--data DIR"), "{err}");
    for what in ["--run-due", "--runs", "--log"] {
        let (code, _, err) = told(&["votes", "tasks", what]);
        assert_eq!(code, Some(1));
        assert!(err.contains("--data DIR"), "{what}: {err}");
    }
    for wrong in [
        vec!["--runs", "--log"],
        vec![],
        vec!["--runs", "--day", "2026-11-16"],
    ] {
        let (code, _, _) = told(&[vec!["votes", "tasks"], wrong].concat());
        assert_eq!(code, Some(2));
    }
}

#[test]
fn what_is_due_is_run_once_and_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let data = text(folder.path());
    let demo = ["votes", "demo", "--people", "20", "--data", data];
    assert_eq!(told(&demo).0, Some(0));
    let run_due = ["votes", "tasks", "--run-due", "--data", data, "--json"];
    let (code, out, err) = told(&run_due);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.lines().count() > 20, "{out}");
    let (_, again, _) = told(&run_due);
    let named = |line: &str| -> String {
        let ran: serde_json::Value = serde_json::from_str(line).unwrap();
        ran["task"].to_string()
    };
    let tasks: BTreeSet<String> = again.lines().map(named).collect();
    assert!(tasks.len() < 5, "{again}");
    let (code, out, _) = told(&["votes", "tasks", "--runs", "--data", data]);
    assert_eq!(code, Some(0));
    assert!(out.contains("votes.audit"), "{out}");
    assert!(out.contains("the books balance"), "{out}");
    assert!(!out.contains("instance"), "nobody lives: {out}");
    let (code, out, _) = told(&["votes", "tasks", "--log", "--data", data]);
    assert_eq!((code, out.as_str()), (Some(0), ""));
}

#[test]
fn a_simulation_says_what_broke_and_how_to_see_it_again() {
    let (code, out, err) = told(&["sim", "votes", "--seeds", "20", "--json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&summary["seeds"], &summary["failed"]),
        (&20.into(), &0.into())
    );
    let (code, out, _) = told(&["sim", "votes", "--seed", "3", "--without", "head-cas"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("1 of 1 seeds broke something"), "{out}");
    assert!(out.contains("I1 one path"), "{out}");
    assert!(
        out.contains("stoa sim votes --seed 3 --without head-cas"),
        "{out}"
    );
    let (code, _, err) = told(&["sim", "votes", "--without", "luck"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("no rule is called"), "{err}");
}
