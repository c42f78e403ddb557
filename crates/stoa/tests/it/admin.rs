//! `stoa admin`, as whoever runs a community uses it.

use std::path::Path;
use std::sync::Arc;

use stoa_engine::Database;
use stoa_session::{Session, Shortcuts as _};
use stoa_types::{Clock, Ids, SystemClock, SystemIds};
use stoa_votes::model::RequestId;
use stoa_votes::ops::register::Registration;
use stoa_votes::rules::passwords::PasswordCost;
use stoa_votes::{Settings, Votes};

use super::text;
use super::votes::told;

/// A folder with two people who registered and confirmed nothing yet.
async fn community(folder: &Path) {
    let database = Database::open(folder, stoa_store::Options::default()).unwrap();
    let session: Arc<dyn Session> = Arc::new(database.session());
    let keyspace = "CREATE KEYSPACE stoa_votes WITH replication = \
        {'class': 'SimpleStrategy', 'replication_factor': 1}";
    session.run_text(keyspace).await.unwrap();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let ids: Arc<dyn Ids> = Arc::new(SystemIds::new());
    let settings = Settings {
        passwords: PasswordCost::LEAST,
        ..Settings::embedded()
    };
    let opened = Votes::open(session, "stoa_votes", clock, Arc::clone(&ids), settings);
    let votes = opened.await.unwrap();
    for name in ["ada", "ben"] {
        let registration = Registration {
            request: RequestId(ids.uuid()),
            name: name.to_owned(),
            email: format!("{name}@example.org"),
            password: "correct horse battery".to_owned(),
            origin: None,
        };
        votes.register(&registration).await.unwrap();
    }
    database.close().unwrap();
}

/// Runs `stoa admin` on a folder, which goes well.
fn done(data: &Path, arguments: &[&str]) -> String {
    let (code, out, err) = tried(data, arguments);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{arguments:?}: {out}");
    out
}

/// Runs it, and something is wrong.
fn refused(data: &Path, arguments: &[&str]) -> String {
    let (code, out, err) = tried(data, arguments);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{arguments:?}: {err}");
    assert!(err.starts_with("stoa: "), "{err}");
    err
}

fn tried(data: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    told(&[&["admin"], arguments, &["--data", text(data)]].concat())
}

/// The lines of JSON that it prints.
fn objects(data: &Path, arguments: &[&str]) -> Vec<serde_json::Value> {
    let out = done(data, &[arguments, &["--json"]].concat());
    let lines = out.lines().map(serde_json::from_str);
    lines.map(Result::unwrap).collect()
}

#[tokio::test]
async fn somebody_becomes_the_first_admin_and_roles_are_given_and_taken() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("town");
    community(&data).await;
    let err = refused(&data, &["first-admin", "nobody"]);
    assert!(err.contains("--email ADDRESS makes the account"), "{err}");
    let out = done(&data, &["first-admin", "ada@example.org"]);
    assert_eq!(out, "ada is the first admin\n");
    let err = refused(&data, &["first-admin", "ben"]);
    assert!(err.contains("ada is an admin already"), "{err}");
    let found = objects(&data, &["users", "ada"]);
    assert_eq!(found.len(), 1);
    // Whoever is the first admin may do everything at once.
    assert_eq!(
        (&found[0]["state"], &found[0]["roles"]),
        (&"active".into(), &"admin".into())
    );
    assert_eq!(found[0]["email"], "ada@example.org");
    let out = done(&data, &["roles", "grant", "ben", "merge_policies"]);
    assert_eq!(out, "ben has the role merge_policies\n");
    let listed = done(&data, &["roles", "list"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 3, "{listed}");
    assert!(lines[1].starts_with("admin ") && lines[1].contains(" ada "));
    assert!(lines[2].ends_with("operator"), "{listed}");
    done(&data, &["roles", "revoke", "ben", "merge_policies"]);
    assert_eq!(objects(&data, &["roles", "list"]).len(), 1);
    assert!(refused(&data, &["roles", "grant", "eve", "admin"]).contains("no such user"));
    let (code, _, err) = tried(&data, &["roles", "grant", "ben", "emperor"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("merge_policies"), "the roles are named: {err}");
}

#[tokio::test]
async fn an_account_is_made_for_the_first_admin_with_a_link_for_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("town");
    community(&data).await;
    let err = refused(&data, &["first-admin", "ada", "--email", "new@example.org"]);
    assert!(err.contains("name"), "a name that is taken: {err}");
    let make = ["first-admin", "eve", "--email", "eve@example.org"];
    let out = done(
        &data,
        &[&make[..], &["--site", "https://votes.example.org/"]].concat(),
    );
    let link = "eve is the first admin; choose a password at \
        https://votes.example.org/reset-password?token=";
    assert!(
        out.starts_with(link) && out.trim().len() > link.len() + 20,
        "{out}"
    );
    let waiting = objects(&data, &["outbox", "list"]);
    let mail = waiting
        .iter()
        .find(|it| it["kind"] == "reset_password")
        .unwrap();
    assert_eq!(mail["to"], "eve@example.org");
    let id = mail["mail"].as_str().unwrap();
    let shown = objects(
        &data,
        &["outbox", "show", id, "--site", "https://votes.example.org"],
    );
    assert!(
        out.contains(shown[0]["link"].as_str().unwrap()),
        "{shown:?}"
    );
    let nothing = "00000000-0000-1000-8000-000000000001";
    assert!(refused(&data, &["outbox", "show", nothing]).contains("no mail"));
    let out = done(&data, &["outbox", "list", "--which", "failed"]);
    assert!(out.ends_with("no such mail\n"), "{out}");
}

#[tokio::test]
async fn what_holds_is_decided_from_the_next_period_on() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("town");
    community(&data).await;
    let set = [
        "config",
        "set",
        "--from",
        "next",
        "--salary",
        "120",
        "--most-unspent",
        "900",
    ];
    let out = done(&data, &[&set[..], &["--dry-run"]].concat());
    assert!(out.contains("changes") && out.contains("dry run"), "{out}");
    assert_eq!(objects(&data, &["config", "show"]).len(), 1);
    let out = done(&data, &set);
    assert!(out.contains("decided, from 20"), "{out}");
    let shown = objects(&data, &["config", "show"]);
    assert_eq!(shown.len(), 2);
    assert_eq!(
        (&shown[0]["state"], &shown[0]["salary"]),
        (&"now".into(), &"100".into())
    );
    assert_eq!(
        (&shown[1]["state"], &shown[1]["salary"]),
        (&"later".into(), &"120".into())
    );
    assert_eq!(shown[1]["most_unspent"], "900");
    for (arguments, what) in [
        (&["--from", "soon", "--salary", "1"][..], "is no day"),
        (
            &["--from", "2020-01-06", "--salary", "1"],
            "an hour from now",
        ),
        (&["--from", "next"], "nothing would change"),
        (&["--from", "next", "--salary", "2000000"], "0 to 1,000,000"),
    ] {
        let err = refused(&data, &[&["config", "set"], arguments].concat());
        assert!(err.contains(what), "{arguments:?}: {err}");
    }
    assert_eq!(objects(&data, &["config", "show"]).len(), 2);
}

#[tokio::test]
async fn categories_and_parties_are_added_changed_and_retired() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("town");
    community(&data).await;
    done(
        &data,
        &[
            "categories",
            "add",
            "transport",
            "Transport",
            "--about",
            "Buses",
        ],
    );
    done(
        &data,
        &["categories", "add", "health", "Health", "--position", "-1"],
    );
    let taken = ["categories", "add", "health", "Wellness"];
    assert!(refused(&data, &taken).contains("already"));
    assert!(refused(&data, &["categories", "add", "Tax!", "Tax"]).contains("a key has"));
    done(
        &data,
        &[
            "categories",
            "change",
            "transport",
            "--name",
            "Getting around",
        ],
    );
    done(&data, &["categories", "retire", "health"]);
    let listed = done(&data, &["categories", "list"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(
        lines[1].starts_with("health") && lines[1].ends_with("retired"),
        "{listed}"
    );
    assert!(lines[2].contains("Getting around") && lines[2].ends_with("in use"));
    done(&data, &["categories", "use", "health"]);
    assert!(refused(&data, &["categories", "use", "tax"]).contains("no category"));
    done(&data, &["parties", "add", "Green list"]);
    assert!(refused(&data, &["parties", "add", "Green list"]).contains("already"));
    done(
        &data,
        &["parties", "change", "Green list", "--name", "Greens"],
    );
    done(&data, &["parties", "retire", "Greens"]);
    let parties = objects(&data, &["parties", "list"]);
    assert_eq!(parties.len(), 1);
    assert_eq!(
        (&parties[0]["name"], &parties[0]["state"]),
        (&"Greens".into(), &"retired".into())
    );
}

#[tokio::test]
async fn a_folder_that_is_served_is_left_alone_and_what_to_do_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("town");
    community(&data).await;
    assert_eq!(done(&data, &["tasks"]), "");
    let database = Database::open(&data, stoa_store::Options::default()).unwrap();
    let err = refused(&data, &["users"]);
    assert!(
        err.contains("stoa serve") && err.contains("/admin"),
        "{err}"
    );
    database.close().unwrap();
    let err = refused(&folder.path().join("nothing"), &["users"]);
    assert!(err.contains("there is no database in"), "{err}");
    let (code, _, err) = told(&["admin", "users"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("--data DIR"), "{err}");
}
