//! The ordered key-value store under the rows: a small trait with three implementations.
//!
//! A store has *spaces* (one per table generation, and a few of its own). A commit writes keys of
//! many spaces at once; a snapshot shows all spaces as of one commit.
//!
//! Invariants every implementation keeps:
//! 1. A commit is seen whole or not at all, by snapshots and after a crash.
//! 2. A snapshot never shows a commit that was to be synced and is not.
//! 3. Commits are made by one thread at a time (the leader of a commit group).

pub mod faulty;
pub mod fjall;

pub mod memory;

use std::fmt::Debug;
use std::sync::Arc;

use crate::error::StoreError;

/// Bytes that are cheap to clone.
pub type Bytes = ::fjall::Slice;

/// A space: an ordered map of keys to values. Numbers are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpaceId(pub u64);

/// Which way a range is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the smallest key up.
    Forward,
    /// From the greatest key down.
    Backward,
}

/// A key and its value.
pub type Pair = (Bytes, Bytes);

/// A walk over keys and values.
pub type Pairs<'a> = Box<dyn Iterator<Item = Result<Pair, StoreError>> + 'a>;

/// Anything keys can be read from: a snapshot, or a snapshot with a group's changes over it.
pub trait Read {
    /// The value of a key.
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>, StoreError>;

    /// The pairs with `start <= key < end`.
    fn range(
        &self,
        space: SpaceId,
        start: &[u8],
        end: &[u8],
        direction: Direction,
    ) -> Result<Pairs<'_>, StoreError>;
}

/// All spaces as of one commit.
pub trait Snapshot: Read + Send + Sync {}

impl<T: Read + Send + Sync> Snapshot for T {}

/// One changed key.
#[derive(Debug, Clone)]
pub struct Change {
    /// The space.
    pub space: SpaceId,
    /// The key.
    pub key: Bytes,
    /// The new value; `None` removes the key.
    pub value: Option<Bytes>,
}

/// When a commit counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It is on the disk.
    ToDisk,
    /// The operating system has it: it survives the process, not a power cut.
    ToSystem,
}

/// What becomes of a stored pair during compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It stays.
    Keep,
    /// It goes.
    Remove,
    /// It gets another value.
    Replace(Vec<u8>),
}

/// Decides during compaction what may be forgotten.
pub trait CompactionRule: Send + Sync + Debug + std::panic::RefUnwindSafe {
    /// The verdict on one pair of a space.
    fn judge(&self, space: SpaceId, key: &[u8], value: &[u8]) -> Verdict;
}

/// Figures for people and for tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Bytes held in memory before they are flushed to tables.
    pub buffered_bytes: u64,
    /// Bytes on disk, journals included.
    pub disk_bytes: u64,
    /// Number of the last commit.
    pub commits: u64,
}

/// An ordered key-value store with atomic commits over many spaces.
pub trait Kv: Send + Sync + Debug {
    /// All spaces as of the last commit.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError>;

    /// All spaces as they are now, for the thread that commits: nothing changes while it looks.
    fn latest(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        self.snapshot()
    }

    /// Writes all changes as one and takes them out of the list; after an error the list holds any
    /// part of them. An error with [`crate::error::Outcome::Unknown`] means that the changes may
    /// appear after the store has been reopened.
    fn commit(&self, changes: &mut Vec<Change>, durability: Durability) -> Result<(), StoreError>;

    /// Whether a commit now would wait for the disk: to be synced, or because much is buffered.
    fn commit_waits(&self, _: Durability) -> bool {
        false
    }

    /// Makes a space; durable when it returns. An existing one is left as it is.
    fn create_space(&self, space: SpaceId) -> Result<(), StoreError>;

    /// Drops a space in constant time.
    fn drop_space(&self, space: SpaceId) -> Result<(), StoreError>;

    /// The spaces there are.
    fn spaces(&self) -> Result<Vec<SpaceId>, StoreError>;

    /// Syncs every commit so far to disk.
    fn sync(&self) -> Result<(), StoreError>;

    /// Writes everything that is only in memory and the journal to tables, and waits for it.
    fn flush(&self) -> Result<(), StoreError>;

    /// Compacts a space whole, applying the compaction rule to every pair.
    fn compact(&self, space: SpaceId) -> Result<(), StoreError>;

    /// Regular work, called about ten times a second and after large commits: marks, budget.
    fn housekeep(&self) -> Result<(), StoreError>;

    /// Whether a failure stopped writing until [`Kv::reopen`] works.
    fn is_failed(&self) -> bool;

    /// Whether the disk takes writes again after a failure. Asked before [`Kv::reopen`], which
    /// needs to let go of the open files: as long as the disk does not work, reads go on in them.
    fn probe_disk(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Opens the files again after a failure. Nothing acknowledged is lost by it.
    fn reopen(&self) -> Result<(), StoreError>;

    /// Flushes and closes; the store refuses everything afterwards.
    fn close(&self) -> Result<(), StoreError>;

    /// Figures for people and for tests.
    fn figures(&self) -> Figures;
}
