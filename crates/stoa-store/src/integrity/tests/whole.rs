//! Whole stores pass: small and large, compressed and not, flushed, compacted,
//! rotated, reopened.

use std::fs;

use fjall::CompressionType;

use super::fixture::*;
use crate::integrity::*;

#[test]
fn a_whole_small_store_passes_and_shows_every_commit() {
    for compression in [CompressionType::None, CompressionType::Lz4] {
        let dir = tempdir().unwrap();
        let store = small_store(dir.path(), compression, Syncing::Each);
        let verdict = check_before_open(dir.path(), None).unwrap();
        assert!(verdict.truncations.is_empty());
        assert_eq!(verdict.read.batches, 40);
        assert_eq!(verdict.read.journals, 1);
        assert_eq!(verdict.read.tables, 6);
        assert!(full_check(dir.path(), &mut |_| {}).is_empty());
        assert_eq!(use_store(dir.path(), &store.states), Outcome::Shows(40));
    }
}

#[test]
fn many_rows_several_levels_and_partitioned_indexes_pass() {
    for compression in [CompressionType::None, CompressionType::Lz4] {
        let dir = tempdir().unwrap();
        let mut writer = Writer::create(dir.path(), compression, Syncing::Never);
        for round in 0..4_u32 {
            let rows: Vec<(Vec<u8>, Vec<u8>)> = (0..5_000_u32)
                .map(|n| {
                    (
                        n.wrapping_mul(2_654_435_761).to_be_bytes().to_vec(),
                        vec![7; 40 + round as usize],
                    )
                })
                .collect();
            for chunk in rows.chunks(1_000) {
                let writes: Vec<Write<'_>> = chunk
                    .iter()
                    .map(|(k, v)| (1, &k[..], Some(&v[..])))
                    .collect();
                writer.commit(&writes);
            }
            writer.flush();
        }
        for keyspace in &writer.keyspaces {
            keyspace.major_compact().unwrap();
        }
        writer.mark(false);
        let store = writer.close();
        let verdict = check_before_open(dir.path(), None).unwrap();
        assert!(matches!(verdict.last, LastCommit::Known(point) if point.commit == 20));
        let mut tables = 0;
        let damages = full_check(dir.path(), &mut |progress| {
            tables += u64::from(matches!(progress, Progress::Table { .. }));
        });
        assert!(damages.is_empty(), "{damages:?}");
        assert!(tables > 0);
        assert_eq!(use_store(dir.path(), &store.states), Outcome::Shows(20));
    }
}

#[test]
fn a_rotated_and_flushed_journal_may_be_gone() {
    let dir = tempdir().unwrap();
    let mut writer = Writer::create(dir.path(), CompressionType::None, Syncing::Each);
    writer.commit(&[(1, b"large", Some(&vec![b'x'; 64_100_000]))]);
    writer.mark(true);
    writer.commit(&[(1, b"large", Some(b"small again"))]);
    for keyspace in &writer.keyspaces {
        keyspace.rotate_memtable_and_wait().unwrap();
    }
    writer.follow_rotation();
    let last = writer.point;
    let store = writer.close();
    // The first journal is gone and the second empty: commit 2, which the mark
    // does not know, is in the tables only.
    assert!(!dir.path().join("kv/0.jnl").exists());
    let verdict = check_before_open(dir.path(), None).unwrap();
    let LastCommit::InTables { at_least, seqno } = verdict.last else {
        panic!("{:?}", verdict.last);
    };
    assert_eq!(
        (at_least.commit, seqno, verdict.read.batches),
        (1, last.seqno, 0)
    );
    assert!(verdict.confirm(None).is_err(), "fjall must show a record");
    assert!(full_check(dir.path(), &mut |_| {}).is_empty());
    assert_eq!(use_store(dir.path(), &store.states), Outcome::Shows(2));
    // With a mark at commit 2 it is known without asking fjall.
    remark(dir.path(), |mark| {
        mark.flushing = false;
        (mark.commit, mark.chain_hash, mark.seqno) = (last.commit, last.chain_hash, last.seqno);
    });
    let verdict = check_before_open(dir.path(), None).unwrap();
    assert_eq!(verdict.last, LastCommit::Known(last));
}

#[test]
fn a_store_reopened_goes_on_with_the_chain() {
    let dir = tempdir().unwrap();
    let store = small_store(dir.path(), CompressionType::None, Syncing::Each);
    for _ in 0..3 {
        remark(dir.path(), |mark| mark.flushing = true);
        assert_eq!(use_store(dir.path(), &store.states), Outcome::Shows(40));
    }
    // Three journals, replayed by fjall from the oldest on.
    let bounds = batch_bounds(&dir.path().join("kv/0.jnl"));
    split_journal(dir.path(), 0, bounds[9].1);
    split_journal(dir.path(), 1, bounds[29].1 - bounds[9].1);
    remark(dir.path(), |_| {});
    let verdict = check_before_open(dir.path(), None).unwrap();
    assert_eq!((verdict.read.journals, verdict.read.batches), (3, 40));
    assert!(full_check(dir.path(), &mut |_| {}).is_empty());
    assert_eq!(use_store(dir.path(), &store.states), Outcome::Shows(40));
}

#[test]
fn a_folder_without_a_store_is_unborn_or_refused() {
    let dir = tempdir().unwrap();
    let verdict = check_before_open(dir.path(), None).unwrap();
    assert_eq!(verdict.state, StoreState::Unborn);
    fs::write(dir.path().join("letter.txt"), "hello").unwrap();
    let damage = check_before_open(dir.path(), None).unwrap_err();
    assert_eq!(damage.kind(), DamageKind::NotAStore);
    create_format_file(dir.path()).unwrap();
    let verdict = check_before_open(dir.path(), None).unwrap();
    assert_eq!(verdict.state, StoreState::Unborn);
}

#[test]
fn a_newer_format_is_refused_naming_both() {
    let dir = tempdir().unwrap();
    let line = "stoa-store format 7";
    let check = xxhash_rust::xxh3::xxh3_64(line.as_bytes());
    fs::write(
        dir.path().join("STOA"),
        format!("{line} check {check:016x}\n"),
    )
    .unwrap();
    let damage = read_format_file(dir.path()).unwrap_err();
    assert_eq!(damage.kind(), DamageKind::NewerFormat);
    assert!(damage.to_string().contains("format 7") && damage.to_string().contains("up to 1"));
}

#[test]
fn an_interrupted_creation_is_unborn() {
    let dir = tempdir().unwrap();
    create_format_file(dir.path()).unwrap();
    let db = open_fjall(dir.path()).unwrap();
    db.keyspace("system", Default::default).unwrap();
    drop(db);
    set_len(&dir.path().join("kv/0.jnl"), 4096);
    let verdict = check_before_open(dir.path(), None).unwrap();
    assert_eq!(verdict.state, StoreState::Unborn);
}
