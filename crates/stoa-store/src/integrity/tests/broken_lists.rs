//! A list of tables that was written over after a failed sync: the one before it counts, if all
//! that it lacks is in the journals.

use std::{fs, path::Path};

use fjall::{CompressionType, KeyspaceCreateOptions};
use tempfile::TempDir;

use super::fixture::*;
use crate::integrity::*;

/// What a cut leaves of a list that is written over.
#[derive(Clone, Copy, Debug)]
enum Rest {
    Nothing,
    Half,
    Zeros,
    Other,
}

const RESTS: [Rest; 4] = [Rest::Nothing, Rest::Half, Rest::Zeros, Rest::Other];

fn number(folder: &Path) -> u64 {
    let current = fs::read(folder.join("current")).unwrap();
    u64::from_le_bytes(current[..8].try_into().unwrap())
}

/// The newest list of a keyspace, by its number.
fn list(folder: &Path) -> (u64, Vec<u8>) {
    let number = number(folder);
    (number, fs::read(folder.join(format!("v{number}"))).unwrap())
}

/// Puts the list before back and leaves only the rest of the one that came next. fjall may have
/// written more lists since, moving tables between levels: they count as one.
fn break_list(folder: &Path, before: &(u64, Vec<u8>), rest: Rest) {
    let (newest, bytes) = list(folder);
    let next = before.0 + 1;
    let broken = match rest {
        Rest::Nothing => Vec::new(),
        Rest::Half => bytes[..bytes.len() / 2].to_vec(),
        Rest::Zeros => vec![0; bytes.len()],
        Rest::Other => before.1.clone(),
    };
    let mut current = fs::read(folder.join("current")).unwrap();
    current[..8].copy_from_slice(&next.to_le_bytes());
    fs::write(folder.join("current"), current).unwrap();
    fs::remove_file(folder.join(format!("v{newest}"))).unwrap();
    fs::write(folder.join(format!("v{next}")), broken).unwrap();
    fs::write(folder.join(format!("v{}", before.0)), &before.1).unwrap();
}

/// Lets the journal begin with the last commit, as if all before it was flushed.
fn cut_journal_to_last(dir: &Path) {
    let journal = newest_journal(dir);
    let (start, _) = *batch_bounds(&journal).last().unwrap();
    let bytes = fs::read(&journal).unwrap();
    fs::write(&journal, &bytes[usize::try_from(start).unwrap()..]).unwrap();
    remark(dir, |mark| mark.flushing = true);
}

struct Made {
    dir: TempDir,
    store: Closed,
    before: (u64, Vec<u8>),
}

/// A store of two flushes, and the list of a keyspace between them.
fn two_flushes(keyspace: u64) -> Made {
    let dir = tempdir().unwrap();
    let folder = dir.path().join(format!("kv/keyspaces/{keyspace}"));
    let mut writer = Writer::create(dir.path(), CompressionType::None, Syncing::Each);
    let mut before = (0, Vec::new());
    for round in 0..2_u8 {
        for n in 0..8_u8 {
            writer.commit(&[(1, &[n], Some(&[round])), (2, &[round, n], Some(b"row"))]);
        }
        writer.flush();
        if round == 0 {
            before = list(&folder);
        }
    }
    writer.commit(&[(1, b"last", Some(b"one"))]);
    let store = writer.close();
    Made { dir, store, before }
}

#[test]
fn a_list_that_was_written_over_is_restored_from_the_one_before() {
    for keyspace in 1..=3 {
        for rest in RESTS {
            let made = two_flushes(keyspace);
            let dir = made.dir.path();
            let folder = dir.join(format!("kv/keyspaces/{keyspace}"));
            break_list(&folder, &made.before, rest);
            let damages = full_check(dir, &mut |_| {});
            assert!(damages.is_empty(), "{keyspace}, {rest:?}: {damages:?}");
            let verdict = check_before_open(dir, None).unwrap();
            assert_eq!(verdict.restored_lists.len(), 1, "{keyspace}, {rest:?}");
            let shown = use_store(dir, &made.store.states);
            assert_eq!(shown, Outcome::Shows(17), "{keyspace}, {rest:?}");
            // It lasts: the next open has nothing to restore.
            let verdict = check_before_open(dir, None).unwrap();
            assert!(verdict.restored_lists.is_empty());
            assert_eq!(use_store(dir, &made.store.states), Outcome::Shows(17));
        }
    }
}

#[test]
fn a_broken_list_is_damage_if_the_journals_do_not_hold_what_it_had() {
    for rest in RESTS {
        let made = two_flushes(2);
        let dir = made.dir.path();
        cut_journal_to_last(dir);
        check_before_open(dir, None).unwrap();
        let folder = dir.join("kv/keyspaces/2");
        break_list(&folder, &made.before, rest);
        let damage = check_before_open(dir, None).unwrap_err();
        let name = format!("kv/keyspaces/2/v{}", made.before.0 + 1);
        assert_eq!(
            (damage.kind(), damage.file()),
            (DamageKind::Corrupt, &*name)
        );
        let all = full_check(dir, &mut |_| {});
        assert!(all.iter().any(|it| it.file() == name), "{all:?}");
    }
}

#[test]
fn a_broken_list_is_damage_if_the_one_before_it_is_not_whole() {
    let made = two_flushes(2);
    let dir = made.dir.path();
    let folder = dir.join("kv/keyspaces/2");
    break_list(&folder, &made.before, Rest::Half);
    for file in all_files(&folder.join("tables")) {
        let copied = tempdir().unwrap();
        copy_store(dir, copied.path());
        let listed = copied.path().join(file.strip_prefix(dir).unwrap());
        fs::remove_file(listed).unwrap();
        let checked = check_before_open(copied.path(), None);
        // The table of the second flush alone may be missing: the journal holds it.
        let is_first = file.ends_with("0");
        assert_eq!(checked.is_err(), is_first, "{}", file.display());
    }
}

#[test]
fn a_broken_list_of_a_cleanly_closed_store_is_damage() {
    let made = two_flushes(2);
    let dir = made.dir.path();
    break_list(&dir.join("kv/keyspaces/2"), &made.before, Rest::Half);
    check_before_open(dir, None).unwrap();
    remark(dir, |mark| (mark.clean, mark.flushing) = (true, true));
    let damage = check_before_open(dir, None).unwrap_err();
    assert!(damage.file().starts_with("kv/keyspaces/2/v"), "{damage}");
}

#[test]
fn a_broken_list_is_damage_if_a_table_that_only_it_had_is_broken_or_gone() {
    for is_gone in [false, true] {
        let made = two_flushes(2);
        let dir = made.dir.path();
        let folder = dir.join("kv/keyspaces/2");
        break_list(&folder, &made.before, Rest::Half);
        cut_journal_to_last(dir);
        let table = all_files(&folder.join("tables")).pop().unwrap();
        match is_gone {
            true => fs::remove_file(table).unwrap(),
            false => set_len(&table, 100),
        }
        let damage = check_before_open(dir, None).unwrap_err();
        assert!(damage.file().starts_with("kv/keyspaces/2/v"), "{damage}");
    }
}

#[test]
fn a_journal_that_begins_later_bears_a_list_out_if_it_holds_the_unlisted_tables() {
    let dir = tempdir().unwrap();
    let folder = dir.path().join("kv/keyspaces/2");
    let mut writer = Writer::create(dir.path(), CompressionType::None, Syncing::Each);
    writer.commit(&[(1, b"old", Some(b"one"))]);
    writer.flush();
    let before = list(&folder);
    // The keyspace is idle while the journal's beginning is let go of.
    writer.commit(&[(2, b"other", Some(b"one"))]);
    writer.flush();
    writer.commit(&[(1, b"new", Some(b"one"))]);
    writer.flush();
    let store = writer.close();
    cut_journal_to_last(dir.path());
    break_list(&folder, &before, Rest::Half);
    assert_eq!(use_store(dir.path(), &store.states), Outcome::Shows(3));
}

#[test]
fn the_list_of_keyspaces_is_restored_if_nothing_hangs_on_it() {
    for has_data in [false, true] {
        for rest in RESTS {
            let dir = tempdir().unwrap();
            let folder = dir.path().join("kv/keyspaces/0");
            let mut writer = Writer::create(dir.path(), CompressionType::None, Syncing::Each);
            writer.commit(&[(1, b"key", Some(b"value"))]);
            writer.mark(false);
            let before = list(&folder);
            let options = KeyspaceCreateOptions::default;
            let gamma = writer.db.keyspace("gamma", options).unwrap();
            if has_data {
                gamma.insert("key", "value").unwrap();
                gamma.rotate_memtable_and_wait().unwrap();
            }
            drop(gamma);
            let store = writer.close();
            break_list(&folder, &before, rest);
            match has_data {
                false => {
                    let shown = use_store(dir.path(), &store.states);
                    assert_eq!(shown, Outcome::Shows(1), "{rest:?}");
                }
                true => {
                    let damage = check_before_open(dir.path(), None).unwrap_err();
                    assert!(damage.file().starts_with("kv/keyspaces/0/v"), "{damage}");
                }
            }
        }
    }
}
