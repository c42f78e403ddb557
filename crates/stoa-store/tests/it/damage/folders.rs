//! Folders of stores to be damaged: closed well, or left by a process that was killed.

use std::path::Path;

use stoa_store::table::TableId;
use stoa_store::{CommitMode, Store};
use stoa_testkit::powercut::{Content, Entry, Snapshot, Workshop};

use super::content::{advance, make_change, open, start_clock};
use super::plan::{Plan, Shape, Step};

/// How the process that wrote a folder ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Closed,
    /// The last mark says that all commits are synced.
    Killed,
    /// The last mark is the one of the plan's last housekeeping.
    KilledBehindMark,
}

/// A folder of a store after a plan, and what is known of it.
pub(crate) struct Folder {
    pub(crate) workshop: Workshop,
    /// The last change before the last mark, and the bytes of the journal then.
    pub(crate) marked: (u64, u64),
}

/// Does all of a plan in this process and takes the files as `ending` leaves them.
pub(crate) fn make(shape: Shape, seed: u64, ending: Ending) -> Folder {
    let plan = Plan::new(shape, seed);
    let place = Workshop::new().expect("a folder in memory");
    let clock = start_clock();
    let store = open(place.folder(), CommitMode::Group, &clock).expect("the store opens");
    let housekeep = |store: &Store| {
        advance(&clock);
        store.housekeep().expect("regular work");
    };
    let mut last = 0;
    let mut marked = (0, 0);
    for step in &plan.steps {
        match step {
            Step::Change { number, kind } => {
                make_change(&store, *number, kind).expect("a change is made");
                last = *number;
            }
            Step::Flush => store.flush().expect("a flush"),
            Step::Compact(table) => store.compact(TableId(*table)).expect("a compaction"),
            Step::Purge => store.purge().expect("a purge"),
            Step::Housekeep => {
                // The janitor may commit something after the mark.
                marked = (last, journal_bytes(place.folder()));
                housekeep(&store);
            }
            Step::Sync | Step::Reopen { .. } => {}
        }
    }
    match ending {
        Ending::Closed => store.close().expect("the store closes"),
        Ending::Killed => housekeep(&store),
        Ending::KilledBehindMark => {}
    }
    let left = quiet_snapshot(place.folder());
    drop(store);
    let mut workshop = Workshop::new().expect("a folder in memory");
    workshop
        .lay_snapshot(&left)
        .expect("the folder can be laid out");
    Folder { workshop, marked }
}

/// The journals of a folder, by their path in it.
pub(crate) fn journals(snapshot: &Snapshot) -> Vec<String> {
    let paths = snapshot.entries().map(|(path, _)| path);
    let paths = paths.filter(|path| path.extension().is_some_and(|it| it == "jnl"));
    paths.map(|path| path.display().to_string()).collect()
}

/// How far a file is written: up to its last byte that is not zero.
pub(crate) fn written(snapshot: &Snapshot, path: &str) -> u64 {
    let bytes = snapshot.file(path).map(Content::to_vec);
    let bytes = bytes.unwrap_or_default();
    let last = bytes.iter().rposition(|byte| *byte != 0);
    last.map_or(0, |last| last as u64 + 1)
}

/// The files once nothing works on them in the background any more.
fn quiet_snapshot(folder: &Path) -> Snapshot {
    let mut before = None;
    loop {
        // A file may vanish while the folder is read.
        let now = Snapshot::of_folder(folder).ok();
        match (before, now) {
            (Some(before), Some(now)) if now.first_difference(&before).is_none() => return now,
            (_, now) => before = now,
        }
        std::thread::yield_now();
    }
}

fn journal_bytes(folder: &Path) -> u64 {
    let snapshot = quiet_snapshot(folder);
    let newest = journals(&snapshot).pop();
    newest.map_or(0, |journal| written(&snapshot, &journal))
}

/// Every file with the number of bytes written to it; of a journal without what is only reserved.
pub(crate) fn files(snapshot: &Snapshot) -> Vec<(String, u64)> {
    let mut files = Vec::new();
    for (path, entry) in snapshot.entries() {
        let name = path.display().to_string();
        if let Entry::File(content) = entry {
            let length = match path.extension().is_some_and(|it| it == "jnl") {
                true => written(snapshot, &name),
                false => content.len(),
            };
            files.push((name, length));
        }
    }
    files
}
