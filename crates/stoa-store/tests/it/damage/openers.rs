//! E9: folders that cannot be opened, and files that vanish, are refused with clear words.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use stoa_store::compaction::Purging;
use stoa_store::kv::fjall::FjallKv;
use stoa_store::kv::{Kv, SpaceId};
use stoa_store::{CommitMode, Options, StoreError};
use stoa_testkit::powercut::{Snapshot, Workshop};
use stoa_types::clock::Clock;

use super::child;
use super::content::{open, probe, start_clock};
use super::folders::{self, Ending, files};
use super::plan::{Plan, Shape};
use super::tally::Verdict;
use super::verify::{Bounds, check_folder, check_store};

fn error_of(folder: &Path) -> StoreError {
    match open(folder, CommitMode::Group, &start_clock()) {
        Ok(_) => panic!("{} was opened", folder.display()),
        Err(error) => error,
    }
}

/// The child: a second process that opens a folder.
pub(crate) fn run_child(words: &[String]) {
    let text = match open(Path::new(&words[0]), CommitMode::Group, &start_clock()) {
        Ok(_) => "opened".to_owned(),
        Err(error) => format!("refused {error}"),
    };
    child::say(&text);
}

#[test]
fn a_second_opener_is_refused_at_once() {
    let folder = folders::make(Shape::Short, 1, Ending::Closed);
    let path = folder.workshop.folder();
    let store = open(path, CommitMode::Group, &start_clock()).unwrap();
    assert!(matches!(error_of(path), StoreError::Locked(_)));
    let output = child::command(&["open", child::word(path)])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("is open in another process"), "{said}");
    let plan = Plan::new(Shape::Short, 1);
    let bounds = Bounds::exactly(plan.last());
    assert_eq!(
        check_store(&store, &plan, bounds),
        Verdict::Right(plan.last())
    );
    // The failed openers changed nothing, and the folder is free when its owner is gone.
    drop(store);
    let output = child::command(&["open", child::word(path)])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("opened"), "{said}");
}

#[test]
fn a_folder_that_is_no_store_is_left_alone() {
    let place = Workshop::new().unwrap();
    fs::write(place.folder().join("letter.txt"), b"dear reader").unwrap();
    let text = error_of(place.folder()).to_string();
    assert!(text.contains("not a stoa store"), "{text}");
    assert_eq!(
        fs::read(place.folder().join("letter.txt")).unwrap(),
        b"dear reader"
    );
    let file = place.folder().join("letter.txt");
    assert!(matches!(error_of(&file), StoreError::Format { .. }));
}

#[test]
fn a_newer_format_is_refused_with_both_versions() {
    let folder = folders::make(Shape::Short, 1, Ending::Closed);
    let path = folder.workshop.folder().join("STOA");
    let line = "stoa-store format 99";
    let check = xxhash_rust::xxh3::xxh3_64(line.as_bytes());
    fs::write(path, format!("{line} check {check:016x}\n")).unwrap();
    let error = error_of(folder.workshop.folder());
    assert!(matches!(error, StoreError::Format { .. }));
    let text = error.to_string();
    assert!(
        text.contains("99") && text.contains("newer release"),
        "{text}"
    );
}

#[test]
fn a_read_only_folder_is_refused_clearly() {
    let folder = folders::make(Shape::Short, 1, Ending::Closed);
    let path = folder.workshop.folder();
    let lock = path.join("lock");
    // Not even the administrator may open a folder as if it were the lock file.
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let text = error_of(path).to_string();
    assert!(text.contains("cannot be opened for writing"), "{text}");
    fs::remove_dir(&lock).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap();
    // Permissions do not bind the administrator, who then simply opens it.
    if let Err(error) = open(path, CommitMode::Group, &start_clock()) {
        let text = error.to_string();
        assert!(text.contains("cannot be opened for writing"), "{text}");
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_file_deleted_before_the_open_is_named() {
    for ending in [Ending::Closed, Ending::Killed] {
        let folder = folders::make(Shape::Short, 1, ending);
        let base = Snapshot::of_folder(folder.workshop.folder()).unwrap();
        let plan = Plan::new(Shape::Short, 1);
        let mut workshop = Workshop::new().unwrap();
        let mut named = 0;
        for (file, _) in files(&base) {
            workshop.lay_snapshot(&base).unwrap();
            fs::remove_file(workshop.folder().join(&file)).unwrap();
            let bounds = Bounds::exactly(plan.last());
            match check_folder(workshop.folder(), &plan, bounds) {
                Verdict::Right(_) => {}
                Verdict::Named(_) => named += 1,
                other => panic!("{ending:?}, without {file}: {other:?}"),
            }
        }
        assert!(named >= 5, "{ending:?}: only {named} files are missed");
    }
}

#[test]
fn a_file_deleted_while_open_is_answered_right_or_named() {
    let folder = folders::make(Shape::Short, 1, Ending::Closed);
    let base = Snapshot::of_folder(folder.workshop.folder()).unwrap();
    let plan = Plan::new(Shape::Short, 1);
    let bounds = Bounds::exactly(plan.last());
    let mut workshop = Workshop::new().unwrap();
    for (file, _) in files(&base) {
        workshop.lay_snapshot(&base).unwrap();
        let store = open(workshop.folder(), CommitMode::Group, &start_clock()).unwrap();
        // Opening may have replaced it already.
        let _ = fs::remove_file(workshop.folder().join(&file));
        match check_store(&store, &plan, bounds) {
            Verdict::Right(_) | Verdict::Named(_) => {}
            other => panic!("without {file}: {other:?}"),
        }
    }
}

#[test]
fn spaces_left_by_a_crash_are_dropped_for_good() {
    let place = Workshop::new().unwrap();
    // Tables were to be made: their spaces are there, the change of the catalogue is not.
    for table in 0..3 {
        let clock: Arc<dyn Clock> = start_clock();
        let rule = Arc::new(Purging::new(Arc::clone(&clock)));
        let kv = FjallKv::open(place.folder(), Options::default(), rule, clock).unwrap();
        for space in 0..4 {
            kv.create_space(SpaceId(16 + 4 * table + space)).unwrap();
        }
        drop(kv);
        for round in 0..3 {
            let store = open(place.folder(), CommitMode::Group, &start_clock());
            let store =
                store.unwrap_or_else(|error| panic!("table {table} round {round}: {error}"));
            probe(&store).unwrap();
        }
    }
}
