//! `stoa votes export` and `stoa votes verify`, as an operator and a reader run them.

use std::sync::Arc;

use stoa_types::{Clock as _, ManualClock, SystemClock};

use super::text;
use super::votes::{community_at, told};

const DAY_MICROS: i64 = 86_400_000_000;

#[tokio::test]
async fn an_export_is_verified_and_a_changed_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = folder.path().join("ledger.jsonl");
    let three_days_ago = SystemClock::new().now_micros() - 3 * DAY_MICROS;
    community_at(&data, Arc::new(ManualClock::at_micros(three_days_ago))).await;
    let (data, file) = (text(&data), text(&file));
    assert_eq!(told(&["votes", "close-day", "--data", data]).0, Some(0));
    let (code, out, err) = told(&["votes", "export", "--data", data, "--out", file, "--json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let exported: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(exported["days"], 3);
    let hash = exported["hash"].as_str().unwrap();
    let (_, whole, _) = told(&["votes", "export", "--data", data]);
    assert_eq!(whole, std::fs::read_to_string(file).unwrap());
    let (code, out, err) = told(&["votes", "verify", file, "--hash", hash]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(
        out.contains("the ledger counts up, to the single vote"),
        "{out}"
    );
    assert!(out.contains("not shown in this mode"), "{out}");
    let (code, out, _) = told(&["votes", "verify", file, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["records"]), (Some(0), &3.into()), "{out}");
    assert_eq!(
        (&report["hash"], &report["mode"]),
        (&hash.into(), &"pseudonymous".into())
    );
    let other = "0".repeat(64);
    let (code, out, _) = told(&["votes", "verify", file, "--hash", &other]);
    assert_eq!(code, Some(1));
    assert!(out.contains("it is another one"), "{out}");
    std::fs::write(file, whole.replacen(r#",7,"#, r#",8,"#, 1)).unwrap();
    let (code, out, _) = told(&["votes", "verify", file]);
    assert_eq!(code, Some(1));
    assert!(out.contains("do not give its hash"), "{out}");
}

#[tokio::test]
async fn a_task_keeps_the_ledger_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let three_days_ago = SystemClock::new().now_micros() - 3 * DAY_MICROS;
    community_at(&data, Arc::new(ManualClock::at_micros(three_days_ago))).await;
    let (data, public) = (text(&data), folder.path().join("public"));
    let task = [
        "votes",
        "tasks",
        "--run",
        "votes.write_export",
        "--data",
        data,
    ];
    let (code, _, err) = told(&task);
    assert_eq!(code, Some(1));
    assert!(err.contains("--export DIR"), "{err}");
    let here = [&task[..], &["--export", text(&public)]].concat();
    let (code, out, err) = told(&here);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("no day is closed"), "{out}");
    assert_eq!(told(&["votes", "close-day", "--data", data]).0, Some(0));
    // Somebody died while writing.
    let ledger = public.join("ledger.jsonl");
    std::fs::write(public.join("ledger.jsonl.part"), "{\"kind\":").unwrap();
    for expected in ["the ledger now goes to", "already"] {
        let (code, out, err) = told(&here);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        assert!(out.contains(expected), "{out}");
        let (_, whole, _) = told(&["votes", "export", "--data", data]);
        assert_eq!(whole, std::fs::read_to_string(&ledger).unwrap());
    }
    assert!(!public.join("ledger.jsonl.part").exists());
    assert_eq!(told(&["votes", "verify", text(&ledger)]).0, Some(0));
    let (code, out, _) = told(&[
        "votes",
        "tasks",
        "--run-due",
        "--data",
        data,
        "--export",
        text(&public),
    ]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("votes.write_export: done"), "{out}");
    let bad = [&task[..], &["--export", text(&ledger)]].concat();
    let (code, _, err) = told(&bad);
    assert_eq!(code, Some(1));
    assert!(err.contains("cannot write the ledger into"), "{err}");
}

#[test]
fn a_file_that_is_not_there_is_said() {
    let (code, _, err) = told(&["votes", "verify", "no-such-file"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("cannot read no-such-file"), "{err}");
}
