//! `stoa votes` and `stoa sim votes`, as an operator runs them.

use std::collections::BTreeMap;
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

fn told(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = stoa(arguments);
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), out, err)
}

/// One user who created a policy and put votes on it.
async fn community(folder: &Path) {
    let database = Database::open(folder, stoa_store::Options::default()).unwrap();
    let session: Arc<dyn Session> = Arc::new(database.session());
    let keyspace = "CREATE KEYSPACE stoa_votes WITH replication = \
        {'class': 'SimpleStrategy', 'replication_factor': 1}";
    session.run_text(keyspace).await.unwrap();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
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
            None => Ask::Create,
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

#[test]
fn a_simulation_says_what_broke_and_how_to_see_it_again() {
    let (code, out, err) = told(&["sim", "votes", "--seeds", "20", "--json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&summary["seeds"], &summary["failed"]),
        (&20.into(), &0.into())
    );
    let (code, out, _) = told(&["sim", "votes", "--seed", "11", "--without", "head-cas"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("1 of 1 seeds broke something"), "{out}");
    assert!(out.contains("I1 one path"), "{out}");
    assert!(
        out.contains("stoa sim votes --seed 11 --without head-cas"),
        "{out}"
    );
    let (code, _, err) = told(&["sim", "votes", "--without", "luck"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("no rule is called"), "{err}");
}
