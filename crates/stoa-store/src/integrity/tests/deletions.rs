//! Files and folders that are gone are reported, by name.

use std::fs;

use fjall::CompressionType;
use tempfile::TempDir;

use super::fixture::*;
use crate::integrity::*;

/// Four journals of ten commits each, all listed in the mark.
fn four_journals() -> TempDir {
    let dir = tempdir().unwrap();
    small_store(dir.path(), CompressionType::None, Syncing::Each);
    let bounds = batch_bounds(&dir.path().join("kv/0.jnl"));
    for id in 0..3 {
        let place = usize::try_from(id).unwrap() * 10;
        split_journal(dir.path(), id, bounds[place + 9].1 - bounds[place].0);
    }
    remark(dir.path(), |_| {});
    check_before_open(dir.path(), None).unwrap();
    dir
}

fn refusal(dir: &TempDir) -> Damage {
    let damage = check_before_open(dir.path(), None).unwrap_err();
    let all = full_check(dir.path(), &mut |_| {});
    assert!(!all.is_empty(), "the full check must see it too");
    damage
}

#[test]
fn a_missing_journal_is_reported_whichever_it_is() {
    for id in 0..4 {
        let dir = four_journals();
        let file = format!("kv/{id}.jnl");
        fs::remove_file(dir.path().join(&file)).unwrap();
        let damage = refusal(&dir);
        assert_eq!(
            (damage.kind(), damage.file()),
            (DamageKind::Missing, file.as_str())
        );
    }
}

#[test]
fn while_flushing_only_flushed_journals_may_be_gone() {
    for id in 0..4 {
        let dir = four_journals();
        remark(dir.path(), |mark| mark.flushing = true);
        fs::remove_file(dir.path().join(format!("kv/{id}.jnl"))).unwrap();
        // Commits 1 to 26 are in the tables, so the journal of 1 to 10 may go.
        assert_eq!(
            check_before_open(dir.path(), None).is_ok(),
            id == 0,
            "journal {id}"
        );
    }
    let dir = four_journals();
    remark(dir.path(), |mark| mark.flushing = true);
    for id in 0..3 {
        fs::remove_file(dir.path().join(format!("kv/{id}.jnl"))).unwrap();
    }
    // Commits 27 to 30 are in no table yet.
    let damage = refusal(&dir);
    assert_eq!(damage.kind(), DamageKind::Shortened);
}

#[test]
fn all_journals_missing_is_reported() {
    let dir = four_journals();
    remark(dir.path(), |mark| mark.flushing = true);
    for id in 0..4 {
        fs::remove_file(dir.path().join(format!("kv/{id}.jnl"))).unwrap();
    }
    assert_eq!(refusal(&dir).kind(), DamageKind::Missing);
}

#[test]
fn every_other_missing_file_is_reported_or_harmless() {
    let dir = tempdir().unwrap();
    let store = small_store(dir.path(), CompressionType::Lz4, Syncing::Each);
    let mut refused = 0;
    for file in all_files(dir.path()) {
        let name = file.strip_prefix(dir.path()).unwrap();
        let copied = tempdir().unwrap();
        copy_store(dir.path(), copied.path());
        fs::remove_file(copied.path().join(name)).unwrap();
        match use_store(copied.path(), &store.states) {
            Outcome::Refused(_) => refused += 1,
            Outcome::Shows(40) => {
                let harmless = name.ends_with("lock")
                    || name.to_string_lossy().starts_with("mark")
                    || is_superseded(&file);
                assert!(harmless, "{} is gone unnoticed", name.display());
            }
            // fjall wants its lock file.
            Outcome::Failed(_) if name.ends_with("lock") => {}
            other => panic!("{}: {other:?}", name.display()),
        }
    }
    assert!(refused >= 15, "{refused}");
}

#[test]
fn a_missing_keyspace_folder_is_reported_by_the_keyspaces_name() {
    for id in 0..4 {
        let dir = four_journals();
        fs::remove_dir_all(dir.path().join(format!("kv/keyspaces/{id}"))).unwrap();
        let damage = refusal(&dir);
        assert_eq!(damage.kind(), DamageKind::Missing);
        if id > 0 {
            let name = NAMES[usize::try_from(id).unwrap() - 1];
            assert!(damage.to_string().contains(name), "{damage}");
        }
    }
}

#[test]
fn a_store_whose_marks_are_gone_is_reported() {
    let dir = four_journals();
    for name in MARK_FILES {
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    assert_eq!(refusal(&dir).kind(), DamageKind::Missing);
}

#[test]
fn strangers_that_would_stop_fjall_are_reported() {
    for stranger in [
        "kv/keyspaces/lost+found",
        "kv/keyspaces/1/tables/9",
        "kv/8.jnl",
    ] {
        let dir = four_journals();
        fs::create_dir_all(dir.path().join(stranger)).unwrap();
        assert_eq!(refusal(&dir).file(), stranger);
    }
}
