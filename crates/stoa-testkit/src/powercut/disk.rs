//! What a program did to a disk: the operations in order, on top of what was there.
//!
//! Positions count the events of the trace. An operation starts at one position and
//! ends at another; between them other threads may have done something. A cut at
//! position *t* means: everything that had ended by *t* was done, what started after
//! *t* was not, and what was under way may have been.
//!
//! Invariants:
//! 1. Operations are ordered by their end; one that never ended comes last.
//! 2. The bytes of a write are whole sectors as they stood in memory after it, so a
//!    later version of a sector contains every earlier write to it, as it does in a
//!    page cache.

use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc};

use super::{
    announce::Announcements,
    content::{Content, SECTOR},
    names::{Change, Inode, Kind, Names},
    snapshot::{Entry, Snapshot},
};

/// A moment in a recording at which the power may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CutPoint(pub(super) u64);

impl fmt::Display for CutPoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "event {}", self.0)
    }
}

/// From which event to which an operation lasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// The end of an operation whose end was never seen.
pub(super) const NEVER: u64 = u64::MAX;

/// Bytes of whole sectors.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    pub(super) first_sector: u64,
    pub(super) bytes: Arc<[u8]>,
}

impl Patch {
    pub(super) fn sectors(&self) -> u64 {
        self.bytes.len() as u64 / SECTOR
    }
}

/// A file's new length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resize {
    /// The length stays.
    None,
    /// Longer; what is added reads as zeros.
    Grow(u64),
    /// Shorter; what is cut off is gone.
    Shrink(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Synced {
    /// `fsync` of a file or folder.
    Whole(Inode),
    /// `fdatasync`: bytes and length.
    Data(Inode),
    /// `sync`, `syncfs`.
    Everything,
}

#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Bytes and length of a file change. A shortened file has a patch of the zeros
    /// behind its new end, up to the end of the block.
    Write {
        inode: Inode,
        patch: Option<Patch>,
        resize: Resize,
    },
    /// A name changes.
    Name(Change),
    /// A sync that succeeded.
    Sync(Synced),
    /// A sync that failed: what was not durable then can no longer become so, since
    /// the system may have dropped it and counts it as clean.
    SyncFailed(Inode),
}

/// One operation on the disk.
#[derive(Clone, Debug)]
pub struct Operation {
    pub(super) span: Span,
    pub(super) action: Action,
    /// What it was done to, for people.
    pub(super) path: PathBuf,
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.action {
            Action::Write { patch, resize, .. } => {
                write!(formatter, "write {path}")?;
                if let Some(patch) = patch {
                    let (first, count) = (patch.first_sector, patch.sectors());
                    write!(
                        formatter,
                        ", sectors {first} to {}",
                        first + count.saturating_sub(1)
                    )?;
                }
                match resize {
                    Resize::None => Ok(()),
                    Resize::Grow(len) => write!(formatter, ", longer: {len}"),
                    Resize::Shrink(len) => write!(formatter, ", shorter: {len}"),
                }
            }
            Action::Name(Change::Add {
                kind: Kind::File, ..
            }) => write!(formatter, "name {path}"),
            Action::Name(Change::Add { .. }) => write!(formatter, "new folder {path}"),
            Action::Name(Change::Remove { .. }) => write!(formatter, "remove {path}"),
            Action::Name(Change::Move { to, .. }) => {
                write!(formatter, "rename {path} to {}", to.name.display())
            }
            Action::Sync(Synced::Whole(_)) => write!(formatter, "fsync {path}"),
            Action::Sync(Synced::Data(_)) => write!(formatter, "fdatasync {path}"),
            Action::Sync(Synced::Everything) => write!(formatter, "sync of everything"),
            Action::SyncFailed(_) => write!(formatter, "failed sync of {path}"),
        }
    }
}

/// Names and bytes that count as durable.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) names: Names,
    pub(super) files: BTreeMap<Inode, Arc<Content>>,
    /// The first number that is free.
    pub(super) free: u32,
}

impl Tree {
    pub(super) fn of_snapshot(snapshot: &Snapshot) -> Self {
        let mut tree = Self {
            free: 1,
            ..Self::default()
        };
        for (path, entry) in snapshot.entries() {
            let Some(place) = tree.names.place(path) else {
                continue;
            };
            let inode = Inode(tree.free);
            tree.free += 1;
            let kind = match entry {
                Entry::Folder => Kind::Folder,
                Entry::File(content) => {
                    tree.files.insert(inode, Arc::clone(content));
                    Kind::File
                }
            };
            tree.names.apply(&Change::Add { place, inode, kind });
        }
        tree
    }
}

/// Everything that one recorded run did to a disk, and what it announced meanwhile.
#[derive(Clone, Debug)]
pub struct Disk {
    pub(super) base: Tree,
    pub(super) operations: Vec<Operation>,
    pub(super) announcements: Announcements,
    pub(super) last: Snapshot,
}

impl Disk {
    /// The operations, in the order in which they ended.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// What the program announced, and when.
    #[must_use]
    pub fn announcements(&self) -> &Announcements {
        &self.announcements
    }

    /// What the disk holds if the power never fails.
    #[must_use]
    pub fn last(&self) -> &Snapshot {
        &self.last
    }

    /// Every moment at which a cut may differ from the one before: the start of the
    /// recording, the end of each operation and announcement, and the start of those
    /// during which something else happened.
    #[must_use]
    pub fn cut_points(&self) -> Vec<CutPoint> {
        let operations = self.operations.iter().map(|operation| operation.span);
        let spans = operations.chain(self.announcements.spans());
        let mut points: Vec<_> = spans
            .flat_map(|span| [span.start, span.end])
            .chain([0])
            .filter(|position| *position != NEVER)
            .map(CutPoint)
            .collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// Every file that had a name at some time, by its path from the root then. What
    /// [`super::Fault::on`] needs in order to fail calls on the disk and no others.
    #[must_use]
    pub fn file_paths(&self) -> Vec<PathBuf> {
        let files = self
            .operations
            .iter()
            .filter_map(|operation| match &operation.action {
                Action::Write { .. }
                | Action::Name(Change::Add {
                    kind: Kind::File, ..
                }) => Some(operation.path.clone()),
                Action::Name(_) | Action::Sync(_) | Action::SyncFailed(_) => None,
            });
        let mut paths: Vec<_> = files.collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}
