//! Indexes in folders: opened again, crashed, damaged, old, and what is not ours.

use std::fs;
use std::path::{Path, PathBuf};

use stoa_search::{Index, SearchError};
use tempfile::TempDir;

use crate::{find, policy};

fn filled(folder: &Path) -> Index {
    let index = Index::open(folder).unwrap();
    fill(&index);
    index
}

fn fill(index: &Index) {
    for (id, title) in [(1, "Plant trees"), (2, "Build parks")] {
        index.upsert(&policy(id, title)).unwrap();
    }
    index.commit(77).unwrap();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn what_was_committed_is_there_after_opening_again() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("search");
    let index = filled(&folder);
    assert_eq!(index.stamp_micros(), Some(77));
    assert_eq!(Index::open(&folder).unwrap_err(), SearchError::InUse);
    drop(index);
    let index = Index::open(&folder).unwrap();
    assert_eq!((index.count(), index.stamp_micros()), (2, Some(77)));
    assert_eq!(find(&index, "trees"), [1]);
}

/// A copy of the files as they are at one moment. The index writes in the background and renames
/// what it wrote, so a copy counts only if the same files were there before and after it.
fn what_a_crash_leaves(folder: &Path) -> TempDir {
    loop {
        let crashed = TempDir::new().unwrap();
        let before = files(folder);
        let is_copied = before.iter().all(|file| {
            let name = file.file_name().unwrap();
            fs::copy(file, crashed.path().join(name)).is_ok()
        });
        if is_copied && files(folder) == before {
            return crashed;
        }
    }
}

#[test]
fn a_crash_before_a_commit_loses_only_what_a_rebuild_brings_back() {
    let place = TempDir::new().unwrap();
    let index = filled(place.path());
    index.upsert(&policy(3, "Cut hedges")).unwrap();
    index.remove(stoa_search::Kind::Policy, policy(1, "").id);
    let crashed = what_a_crash_leaves(place.path());
    drop(index);
    let index = Index::open(crashed.path()).unwrap();
    assert_eq!(
        (find(&index, "trees"), index.stamp_micros()),
        (vec![1], Some(77))
    );
    assert!(find(&index, "hedges").is_empty());
    index.clear().unwrap();
    index.upsert(&policy(3, "Cut hedges")).unwrap();
    index.commit(99).unwrap();
    assert_eq!((find(&index, "hedges"), index.count()), (vec![3], 1));
}

/// Whatever is damaged: the index works, or says that it must be made anew, and then can be.
fn open_damaged(folder: &Path, what: &str) -> bool {
    let is_damaged = match Index::open(folder) {
        Ok(index) => {
            let _ = find(&index, "trees parks");
            false
        }
        Err(error) => {
            let is_told = matches!(error, SearchError::NeedsRebuild(_));
            assert!(is_told, "{what}: {error}");
            true
        }
    };
    let index = Index::create(folder).unwrap();
    assert_eq!((index.count(), index.stamp_micros()), (0, None), "{what}");
    fill(&index);
    assert_eq!(find(&index, "parks"), [2], "{what}");
    is_damaged
}

#[test]
fn damage_of_any_file_is_reported_and_a_new_index_made() {
    let place = TempDir::new().unwrap();
    let whole = place.path().join("whole");
    drop(filled(&whole));
    let mut damages = 0;
    for file in files(&whole) {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        if name.ends_with(".lock") || name == "stoa-search" {
            continue;
        }
        for damage in ["flip", "cut", "empty", "gone"] {
            let folder = place.path().join(format!("{name}-{damage}"));
            fs::create_dir(&folder).unwrap();
            for file in files(&whole) {
                fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
            }
            let path = folder.join(&name);
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            match damage {
                "flip" => *bytes.get_mut(middle).unwrap() ^= 0x10,
                "cut" => bytes.truncate(middle),
                _ => bytes.clear(),
            }
            fs::write(&path, bytes).unwrap();
            if damage == "gone" {
                fs::remove_file(&path).unwrap();
            }
            let what = format!("{name}, {damage}");
            damages += usize::from(open_damaged(&folder, &what));
        }
    }
    assert!(damages > 20, "only {damages} were noticed");
}

#[test]
fn another_format_needs_a_rebuild_and_foreign_folders_are_left_alone() {
    let place = TempDir::new().unwrap();
    let old = place.path().join("old");
    drop(filled(&old));
    fs::write(old.join("stoa-search"), "stoa-search 0\n").unwrap();
    assert!(open_damaged(&old, "old"));

    let foreign = place.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("letter.txt"), "dear").unwrap();
    assert_eq!(Index::open(&foreign).unwrap_err(), SearchError::NotOurs);
    assert_eq!(Index::create(&foreign).unwrap_err(), SearchError::NotOurs);
    assert_eq!(fs::read(foreign.join("letter.txt")).unwrap(), b"dear");
}
