//! `stoa check` on whole, damaged, foreign, empty and open folders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use stoa_store::catalog::CatalogChange;
use stoa_store::cell::{CellRef, CellState, ColumnId, ColumnRef, RowRef, ValueRef};
use stoa_store::key::PartitionKey;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::row::PackedRow;
use stoa_store::table::{TableId, TableOptions};
use stoa_store::{Options, Store};
use stoa_types::clock::ManualClock;

use super::{stoa, text};

/// A store with a table of some rows, still open.
fn filled(folder: &Path) -> Store {
    let options = Options {
        background: false,
        ..Options::default()
    };
    let clock = Arc::new(ManualClock::at_micros(1_700_000_000_000_000));
    let store = Store::open(folder, options, clock).unwrap();
    let create = vec![(TableId(42), TableOptions::default())];
    let change = CatalogChange {
        create,
        ..CatalogChange::default()
    };
    store.change_catalog(change).unwrap();
    for number in 0..50_u8 {
        let cell = CellRef {
            timestamp: 1,
            state: CellState::Live(ValueRef::Inline(&[number; 100])),
        };
        let row = RowRef {
            columns: vec![(ColumnId(1), ColumnRef::Cell(cell))],
            ..RowRef::default()
        };
        let key = PartitionKey::new(&[number / 10]).unwrap();
        let packed = PackedRow::encode(&row).unwrap();
        let update = PartitionUpdate::new(TableId(42), key).row(vec![0x40, number], packed);
        store.write(vec![update]).unwrap();
    }
    store
}

fn flip_in_the_middle(file: &Path) {
    let mut bytes = std::fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(file, bytes).unwrap();
}

/// The largest file of the folder whose path holds `part`.
fn largest(folder: &Path, part: &str) -> PathBuf {
    let mut folders = vec![folder.to_path_buf()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let (path, metadata) = (entry.path(), entry.metadata().unwrap());
            if metadata.is_dir() {
                folders.push(path);
            } else if text(&path).contains(part) {
                found.push((metadata.len(), path));
            }
        }
    }
    found.into_iter().max().unwrap().1
}

fn check(folder: &Path) -> (i32, String, String) {
    let output = stoa(&["check", text(folder)]);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn a_whole_store_is_told_table_by_table() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).close().unwrap();
    for _ in 0..2 {
        let (code, out, _) = check(folder.path());
        assert_eq!(code, 0, "{out}");
        assert!(out.contains("all is whole"), "{out}");
        let line = out.lines().find(|line| line.starts_with("42 ")).unwrap();
        let cells: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(cells[..4], ["42", "5", "50", "50"], "{out}");
    }
}

#[test]
fn a_store_that_was_not_closed_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    let store = filled(&folder.path().join("live"));
    copy_folder(&folder.path().join("live"), &copy);
    drop(store);
    let (code, out, err) = check(&copy);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("all is whole"), "{out}");
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.metadata().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_flipped_bit_in_a_table_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).close().unwrap();
    let file = largest(folder.path(), "/tables/");
    flip_in_the_middle(&file);
    let (code, out, _) = check(folder.path());
    assert_eq!(code, 1, "{out}");
    let name = text(file.strip_prefix(folder.path()).unwrap()).to_owned();
    assert!(out.contains(&format!("damaged: {name}")), "{out}");
    assert!(out.contains("table files, whole"), "{out}");
}

#[test]
fn a_flipped_bit_in_a_journal_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (live, copy) = (folder.path().join("live"), folder.path().join("copy"));
    let store = filled(&live);
    copy_folder(&live, &copy);
    drop(store);
    let file = largest(&copy, ".jnl");
    let mut bytes = std::fs::read(&file).unwrap();
    // Early, where synced commits are; the file is longer than what was written.
    bytes[700] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let (code, out, _) = check(&copy);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains(".jnl"), "{out}");
}

#[test]
fn damage_is_told_as_json_too() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).close().unwrap();
    let lines = |folder: &Path| -> Vec<serde_json::Value> {
        let output = stoa(&["check", "--json", text(folder)]);
        let out = String::from_utf8(output.stdout).unwrap();
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let whole = lines(folder.path());
    assert_eq!(whole[0]["kind"], "table");
    assert_eq!(whole[0]["rows"], 50);
    assert_eq!(whole[1]["kind"], "summary");
    assert_eq!(whole[1]["whole"], true);
    flip_in_the_middle(&largest(folder.path(), "/tables/"));
    let damaged = lines(folder.path());
    assert_eq!(damaged[0]["kind"], "damage");
    assert_eq!(damaged.last().unwrap()["whole"], false);
}

#[test]
fn a_folder_that_is_open_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let (code, out, err) = check(folder.path());
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("is open in another process"), "{err}");
    assert_eq!(err.lines().count(), 1);
    store.close().unwrap();
    drop(store);
    assert_eq!(check(folder.path()).0, 0);
}

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, err) = check(folder.path());
    assert_eq!(code, 1);
    assert!(err.contains("holds no store"), "{err}");
    std::fs::write(folder.path().join("letter.txt"), "dear").unwrap();
    let (code, _, err) = check(folder.path());
    assert_eq!(code, 1);
    assert!(err.contains("is not a stoa store"), "{err}");
    let (code, _, err) = check(&folder.path().join("missing"));
    assert_eq!(code, 1);
    assert!(err.contains("no such folder"), "{err}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
