//! The mark's two slots: alternation, torn writes at every byte, stale slots.

use std::{fs, path::Path};

use super::fixture::tempdir;
use crate::integrity::*;

fn mark(commit: u64) -> Mark {
    let journals = (0..commit % 4).map(|id| JournalSeen {
        id: id + commit,
        first_commit: (id > 0).then_some(commit * 10 + id),
    });
    Mark {
        commit,
        chain_hash: commit.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        seqno: commit * 3,
        clean: commit.is_multiple_of(2),
        flushing: commit.is_multiple_of(3),
        journals: journals.collect(),
        ..Mark::default()
    }
}

fn latest_commit(dir: &Path) -> u64 {
    let slots = MarkSlots::open(dir).unwrap();
    slots.latest().unwrap().commit
}

#[test]
fn marks_alternate_between_the_slots_and_the_newest_counts() {
    let dir = tempdir().unwrap();
    let mut slots = MarkSlots::open(dir.path()).unwrap();
    assert!(slots.latest().is_none());
    for commit in 1..20 {
        slots.write(&mark(commit)).unwrap();
        let reopened = MarkSlots::open(dir.path()).unwrap();
        let expected = Mark {
            generation: commit,
            ..mark(commit)
        };
        assert_eq!(reopened.latest(), Some(&expected));
        assert_eq!(slots.latest(), Some(&expected));
    }
    for name in MARK_FILES {
        let bytes = fs::read(dir.path().join(name)).unwrap();
        assert!(Mark::decode(&bytes).is_some(), "both slots are whole");
    }
}

#[test]
fn a_write_torn_at_any_byte_leaves_the_older_mark() {
    let dir = tempdir().unwrap();
    let mut slots = MarkSlots::open(dir.path()).unwrap();
    for commit in [6, 7] {
        slots.write(&mark(commit)).unwrap();
    }
    let path = dir.path().join(MARK_FILES[0]);
    let old = fs::read(&path).unwrap();
    let new = Mark {
        generation: 3,
        ..mark(11)
    };
    let new = new.encode();
    for cut in 0..new.len() {
        // In place: the new bytes up to the cut, the old ones after it.
        let mut torn = new[..cut].to_vec();
        torn.extend(old.get(cut..).unwrap_or_default());
        for bytes in [torn, new[..cut].to_vec()] {
            fs::write(&path, bytes).unwrap();
            let latest = latest_commit(dir.path());
            assert!(latest == 7, "cut at {cut} gave {latest}");
        }
    }
    fs::write(&path, new).unwrap();
    let latest = latest_commit(dir.path());
    assert_eq!(latest, 11);
}

#[test]
fn a_slot_that_is_gone_or_damaged_leaves_the_other() {
    let dir = tempdir().unwrap();
    let mut slots = MarkSlots::open(dir.path()).unwrap();
    for commit in [1, 2] {
        slots.write(&mark(commit)).unwrap();
    }
    fs::remove_file(dir.path().join(MARK_FILES[1])).unwrap();
    let mut slots = MarkSlots::open(dir.path()).unwrap();
    assert_eq!(slots.latest().unwrap().commit, 1);
    slots.write(&mark(3)).unwrap();
    assert_eq!(latest_commit(dir.path()), 3);
    fs::write(dir.path().join(MARK_FILES[1]), b"").unwrap();
    assert_eq!(latest_commit(dir.path()), 1);
    fs::write(dir.path().join(MARK_FILES[0]), b"STOAMARK").unwrap();
    let damage = MarkSlots::open(dir.path()).unwrap_err();
    assert_eq!(damage.kind(), DamageKind::Corrupt);
}

#[test]
fn observing_gives_each_journal_with_its_first_commit() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("7.jnl"), [0; 100]).unwrap();
    fs::write(dir.path().join("007.jnl"), b"not ours").unwrap();
    fs::write(dir.path().join("version"), b"FJL").unwrap();
    let seen = observe_journals(dir.path()).unwrap();
    let expected = JournalSeen {
        id: 7,
        first_commit: None,
    };
    assert_eq!(seen, [expected]);
}
