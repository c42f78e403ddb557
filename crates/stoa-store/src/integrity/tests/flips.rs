//! One bit flipped at every written byte of every file.
//!
//! The check refuses the store, or fjall gives an error, or every row is right:
//! never a wrong or missing row, never a panic.

use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    path::Path,
};

use fjall::CompressionType;

use super::fixture::*;
use crate::integrity::*;

/// fjall opens every n-th store that the check lets pass.
const OPEN_EVERY: usize = 13;
/// Of table files and superseded version files every n-th byte is flipped, of all
/// others every one. With 1 here and above the test runs some minutes.
const SAMPLED_EVERY: usize = 6;

#[derive(Debug, Default)]
struct Tally {
    flips: usize,
    refused: usize,
    opened: usize,
    failed: usize,
    right: usize,
}

fn written_bytes(path: &Path) -> usize {
    let bytes = fs::read(path).unwrap();
    if path.extension().is_some_and(|extension| extension == "jnl") {
        let end = batch_bounds(path).last().map_or(0, |(_, end)| *end);
        usize::try_from(end).unwrap()
    } else {
        bytes.len()
    }
}

fn flip_everywhere(dir: &Path, store: &Closed, every: usize) -> Tally {
    let mut tally = Tally::default();
    for file in all_files(dir) {
        let whole = fs::read(&file).unwrap();
        let is_sampled = file.parent().unwrap().ends_with("tables") || is_superseded(&file);
        let every = if is_sampled {
            every * SAMPLED_EVERY
        } else {
            every
        };
        for at in (0..written_bytes(&file)).step_by(every) {
            flip(&file, &whole, at, (at * 5 + 3) % 8);
            tally.flips += 1;
            match check_before_open(dir, None) {
                Err(_) => tally.refused += 1,
                Ok(_) if !tally.flips.is_multiple_of(OPEN_EVERY) => {}
                Ok(_) => {
                    tally.opened += 1;
                    let copied = tempdir().unwrap();
                    copy_store(dir, copied.path());
                    match use_store(copied.path(), &store.states) {
                        Outcome::Failed(_) => tally.failed += 1,
                        Outcome::Shows(40) => tally.right += 1,
                        other => panic!("{} at {at}: {other:?}", file.display()),
                    }
                }
            }
            restore(&file, &whole, at);
        }
    }
    tally
}

fn flip(file: &Path, whole: &[u8], at: usize, bit: usize) {
    write_byte(file, at, whole[at] ^ (1 << bit));
}

fn restore(file: &Path, whole: &[u8], at: usize) {
    write_byte(file, at, whole[at]);
}

fn write_byte(file: &Path, at: usize, byte: u8) {
    let mut file = fs::OpenOptions::new().write(true).open(file).unwrap();
    file.seek(SeekFrom::Start(at as u64)).unwrap();
    file.write_all(&[byte]).unwrap();
}

#[test]
fn a_flip_anywhere_in_a_plain_store_is_never_answered() {
    let dir = tempdir().unwrap();
    let store = small_store(dir.path(), CompressionType::None, Syncing::Each);
    let tally = flip_everywhere(dir.path(), &store, 1);
    println!("plain: {tally:?}");
    assert!(tally.refused * 10 > tally.flips * 7, "{tally:?}");
}

#[test]
fn a_flip_anywhere_in_a_compressed_store_written_without_sync_is_never_answered() {
    let dir = tempdir().unwrap();
    let store = small_store(dir.path(), CompressionType::Lz4, Syncing::Never);
    let tally = flip_everywhere(dir.path(), &store, 9);
    println!("compressed: {tally:?}");
    assert!(tally.refused * 10 > tally.flips * 7, "{tally:?}");
}

#[test]
fn no_bit_of_the_last_commit_can_be_lost_unnoticed() {
    for syncing in [Syncing::Each, Syncing::Never] {
        let dir = tempdir().unwrap();
        let store = unflushed_store(dir.path(), syncing);
        let file = dir.path().join("kv/0.jnl");
        let whole = fs::read(&file).unwrap();
        let (start, end) = batch_bounds(&file)[39];
        for at in usize::try_from(start).unwrap()..usize::try_from(end).unwrap() {
            for bit in 0..8 {
                flip(&file, &whole, at, bit);
                if check_before_open(dir.path(), None).is_ok() {
                    // Only the low bits of its sequence number are free: nothing
                    // depends on how far above the previous commit's it is.
                    let copied = tempdir().unwrap();
                    copy_store(dir.path(), copied.path());
                    let outcome = use_store(copied.path(), &store.states);
                    assert_eq!(outcome, Outcome::Shows(40), "bit {bit} at {at}");
                }
            }
            restore(&file, &whole, at);
        }
    }
}

#[test]
fn the_full_check_names_each_flip_in_a_table() {
    let dir = tempdir().unwrap();
    small_store(dir.path(), CompressionType::Lz4, Syncing::Each);
    let tables = dir.path().join("kv/keyspaces/2/tables");
    for file in all_files(&tables) {
        let whole = fs::read(&file).unwrap();
        for at in (0..whole.len()).step_by(4) {
            flip(&file, &whole, at, at % 8);
            let damages = full_check(dir.path(), &mut |_| {});
            let named = file.strip_prefix(dir.path()).unwrap();
            let names = |damage: &Damage| Path::new(damage.file()) == named;
            assert!(damages.iter().any(names), "flip at {at}: {damages:?}");
            restore(&file, &whole, at);
        }
    }
}

#[test]
fn the_full_check_goes_on_after_the_first_damage() {
    let dir = tempdir().unwrap();
    small_store(dir.path(), CompressionType::None, Syncing::Each);
    let mut broken = 0;
    for keyspace in 1..=3 {
        for file in all_files(&dir.path().join(format!("kv/keyspaces/{keyspace}/tables"))) {
            let mut bytes = fs::read(&file).unwrap();
            bytes[40] ^= 1;
            fs::write(&file, bytes).unwrap();
            broken += 1;
        }
    }
    let path = dir.path().join("kv/0.jnl");
    let mut bytes = fs::read(&path).unwrap();
    bytes[100] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(full_check(dir.path(), &mut |_| {}).len(), broken + 1);
}

#[test]
fn damage_to_the_names_of_keyspaces_does_not_pass_for_lost_commits() {
    let dir = tempdir().unwrap();
    small_store(dir.path(), CompressionType::None, Syncing::Each);
    let folder = Path::new("kv/keyspaces/0");
    for file in all_files(&dir.path().join(folder).join("tables")) {
        let whole = fs::read(&file).unwrap();
        flip(&file, &whole, 40, 0);
        let damages = full_check(dir.path(), &mut |_| {});
        assert!(!damages.is_empty());
        let elsewhere = |damage: &&Damage| !Path::new(damage.file()).starts_with(folder);
        assert!(!damages.iter().any(|it| elsewhere(&it)), "{damages:?}");
        restore(&file, &whole, 40);
    }
}
