//! The newest journal cut at every byte, with nothing, zeros or garbage after it.
//!
//! Below the mark a cut is damage; above it the store shows exactly the commits
//! that are whole.

use std::{
    fs,
    io::{Seek, SeekFrom, Write},
};

use fjall::CompressionType;
use tempfile::TempDir;

use super::fixture::*;
use crate::integrity::*;

/// fjall opens every n-th of the cut stores; the check sees all of them.
const OPEN_EVERY: u64 = 23;

#[derive(Clone, Copy, Debug)]
enum Tail {
    Nothing,
    Zeros,
    Garbage,
}

struct Journal {
    dir: TempDir,
    store: Closed,
    bytes: Vec<u8>,
    bounds: Vec<(u64, u64)>,
}

fn journal(syncing: Syncing) -> Journal {
    let dir = tempdir().unwrap();
    let store = small_store(dir.path(), CompressionType::None, syncing);
    journal_of(dir, store)
}

fn journal_of(dir: TempDir, store: Closed) -> Journal {
    let path = dir.path().join("kv/0.jnl");
    let bounds = batch_bounds(&path);
    let mut bytes = fs::read(&path).unwrap();
    bytes.truncate(usize::try_from(bounds[39].1).unwrap());
    Journal {
        dir,
        store,
        bytes,
        bounds,
    }
}

fn cut_everywhere(syncing: Syncing, variant: Tail) {
    let dir = tempdir().unwrap();
    let store = match variant {
        Tail::Nothing => small_store(dir.path(), CompressionType::None, syncing),
        Tail::Zeros | Tail::Garbage => unflushed_store(dir.path(), syncing),
    };
    let journal = journal_of(dir, store);
    let path = journal.dir.path().join("kv/0.jnl");
    let garbage: Vec<u8> = (0..700_u32)
        .map(|n| (n.wrapping_mul(151) ^ 77) as u8)
        .collect();
    let tail = match variant {
        Tail::Nothing => Vec::new(),
        Tail::Zeros => {
            // Zeros stand behind every cut already.
            set_len(&path, 0);
            set_len(&path, journal.bytes.len() as u64 + 1000);
            Vec::new()
        }
        Tail::Garbage => garbage,
    };
    if !matches!(variant, Tail::Zeros) {
        fs::write(&path, &tail).unwrap();
    }
    let mut opened = 0;
    for cut in 0..journal.bytes.len() {
        if let Some(before) = cut.checked_sub(1) {
            // One more byte of the journal, and the tail moves on.
            let mut moved = vec![journal.bytes[before]];
            moved.extend(&tail);
            let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.seek(SeekFrom::Start(before as u64)).unwrap();
            file.write_all(&moved).unwrap();
        }
        let whole = journal
            .bounds
            .iter()
            .filter(|(_, end)| *end <= cut as u64)
            .count() as u64;
        let checked = check_before_open(journal.dir.path(), None);
        if whole < 34 {
            let damage = checked.unwrap_err();
            assert!(damage.file() == "kv/0.jnl", "{damage}");
            assert!(damage.offset().is_some(), "{damage}");
            continue;
        }
        let verdict = checked.unwrap_or_else(|damage| panic!("cut at {cut}: {damage}"));
        let LastCommit::Known(point) = verdict.last else {
            panic!("{:?}", verdict.last);
        };
        assert_eq!(point.commit, whole, "cut at {cut}");
        if (cut as u64).is_multiple_of(OPEN_EVERY) {
            opened += 1;
            let copied = tempdir().unwrap();
            copy_store(journal.dir.path(), copied.path());
            let outcome = use_store(copied.path(), &journal.store.states);
            assert_eq!(outcome, Outcome::Shows(whole), "cut at {cut}");
        }
    }
    assert!(opened > 20, "{opened}");
}

#[test]
fn cut_at_every_byte_with_nothing_after() {
    cut_everywhere(Syncing::Each, Tail::Nothing);
}

#[test]
fn cut_at_every_byte_with_zeros_after() {
    cut_everywhere(Syncing::Each, Tail::Zeros);
}

#[test]
fn cut_at_every_byte_with_garbage_after() {
    cut_everywhere(Syncing::Never, Tail::Garbage);
}

#[test]
fn a_lost_sector_above_the_mark_is_torn_only_if_nothing_later_was_synced() {
    for syncing in [Syncing::Each, Syncing::Never] {
        let journal = journal(syncing);
        let path = journal.dir.path().join("kv/0.jnl");
        let from = usize::try_from(journal.bounds[35].0).unwrap() + 20;
        let mut bytes = journal.bytes.clone();
        bytes[from..from + 512].fill(0);
        fs::write(&path, bytes).unwrap();
        let checked = check_before_open(journal.dir.path(), None);
        match syncing {
            Syncing::Each => assert_eq!(checked.unwrap_err().kind(), DamageKind::Corrupt),
            Syncing::Never => {
                let verdict = checked.unwrap();
                assert!(matches!(verdict.last, LastCommit::Known(point) if point.commit == 35));
                assert_eq!(verdict.truncations[0].keep_bytes, journal.bounds[34].1);
            }
        }
    }
}

#[test]
fn what_was_not_acknowledged_is_discarded_on_request() {
    let journal = journal(Syncing::Each);
    for after in 34..40 {
        let copied = tempdir().unwrap();
        copy_store(journal.dir.path(), copied.path());
        let verdict = check_before_open(copied.path(), Some(after)).unwrap();
        assert!(matches!(verdict.last, LastCommit::Known(point) if point.commit == after));
        repair(&verdict).unwrap();
        assert_eq!(
            use_store(copied.path(), &journal.store.states),
            Outcome::Shows(after)
        );
    }
    assert!(
        check_before_open(journal.dir.path(), Some(33)).is_err(),
        "below the mark"
    );
    let verdict = check_before_open(journal.dir.path(), Some(40)).unwrap();
    assert!(verdict.truncations.is_empty());
}

#[test]
fn discarding_reaches_over_journals() {
    let journal = journal(Syncing::Each);
    split_journal(journal.dir.path(), 0, journal.bounds[36].1);
    let verdict = check_before_open(journal.dir.path(), Some(35)).unwrap();
    let kept: Vec<u64> = verdict.truncations.iter().map(|t| t.keep_bytes).collect();
    assert_eq!(kept, [journal.bounds[34].1, 0]);
    repair(&verdict).unwrap();
    let outcome = use_store(journal.dir.path(), &journal.store.states);
    assert_eq!(outcome, Outcome::Shows(35));
}

#[test]
fn a_store_cut_and_repaired_goes_on_with_the_chain() {
    let mut journal = journal(Syncing::Each);
    let dir = journal.dir.path().to_path_buf();
    let mut states = std::mem::take(&mut journal.store.states);
    for round in 0..5_u8 {
        let newest = newest_journal(&dir);
        let (_, end) = *batch_bounds(&newest).last().unwrap();
        set_len(&newest, end - 3);
        let mut writer = Writer::reopen(&dir, states, Syncing::Each);
        assert_eq!(writer.point.commit, 39 + 2 * u64::from(round));
        for n in 0..3 {
            writer.commit(&[(1, &[round, n], Some(b"after the cut"))]);
            if n == 1 {
                writer.mark(false);
            }
        }
        states = writer.close().states;
        assert!(full_check(&dir, &mut |_| {}).is_empty());
    }
    assert_eq!(use_store(&dir, &states), Outcome::Shows(50));
}

#[test]
fn a_sealed_journal_may_not_be_cut_even_above_the_mark() {
    let journal = journal(Syncing::Never);
    split_journal(journal.dir.path(), 0, journal.bounds[36].1);
    check_before_open(journal.dir.path(), None).unwrap();
    set_len(
        &journal.dir.path().join("kv/0.jnl"),
        journal.bounds[35].1 + 30,
    );
    let damage = check_before_open(journal.dir.path(), None).unwrap_err();
    assert_eq!(damage.file(), "kv/0.jnl");
    assert_eq!(damage.offset(), Some(journal.bounds[35].1));
}

#[test]
fn tables_newer_than_the_journal_show_that_it_was_cut() {
    let dir = tempdir().unwrap();
    let mut writer = Writer::create(dir.path(), CompressionType::None, Syncing::Each);
    for n in 0..10_u8 {
        writer.commit(&[(1, &[n], Some(b"value"))]);
    }
    // Flushed, but the last mark is still the first one.
    for keyspace in &writer.keyspaces {
        keyspace.rotate_memtable_and_wait().unwrap();
    }
    drop(writer.close());
    let path = dir.path().join("kv/0.jnl");
    let bounds = batch_bounds(&path);
    check_before_open(dir.path(), None).unwrap();
    set_len(&path, bounds[8].1);
    let damage = check_before_open(dir.path(), None).unwrap_err();
    assert_eq!(damage.kind(), DamageKind::Shortened);
}
