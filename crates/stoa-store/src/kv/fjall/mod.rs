//! The key-value store on disk: fjall, with a chain of commits over its journal and a memory budget
//! of our own.
//!
//! ```text
//! DIR/STOA             format of the folder
//! DIR/lock             held by the process that has it open
//! DIR/mark-a, mark-b   how far commits are known to be synced
//! DIR/kv/              fjall's database: journals and one tree per space
//! ```
//!
//! Every commit is one fjall batch whose first item is a commit record (`docs/formats/marks.md`).
//! Before fjall may open the folder, [`crate::integrity`] verifies what it is about to trust.
//!
//! Invariants:
//! 1. Snapshots are taken between commits, by the thread that commits. fjall raises its visible
//!    number in the background too, so a snapshot taken during a commit could show half of it.
//! 2. Memtables are rotated by us alone, after a mark that says so: journals may vanish only then.
//! 3. After a failed write of any kind nothing is written until the files have been opened again,
//!    without what was not acknowledged. Also after one of a list of tables: fjall would write the
//!    next list over the one that may be on disk already.

mod filter;
mod flush;
mod open;
mod snapshot;
mod spaces;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use ::fjall::{AbstractTree, Database, Keyspace, OwnedWriteBatch, PersistMode};
use stoa_types::clock::Clock;

use self::snapshot::FjallSnapshot;
use self::spaces::NextKeyspace;
use super::{Change, CompactionRule, Durability, Figures, Kv, Snapshot, SpaceId};
use crate::error::{Outcome, StoreError};
use crate::folder_lock::FolderLock;
use crate::integrity::{CHAIN_KEY, ChainHasher, CommitPoint, CommitRecord, ItemKind, MarkSlots};
use crate::lock::{lock, read, write};
use crate::options::Options;

/// What is written to see whether the disk works again; about what opening the files needs.
const PROBE_FILE: &str = "probe";
const PROBE_BYTES: usize = 64 << 10;

type Spaces = BTreeMap<SpaceId, Keyspace>;

/// The open database.
struct Files {
    db: Database,
    /// The space with the commit records; also space 0.
    system: Keyspace,
    spaces: RwLock<Arc<Spaces>>,
    /// Held while a space is made or dropped.
    next_keyspace: Mutex<NextKeyspace>,
    /// Counts the snapshots that still use these files.
    users: Arc<()>,
}

/// Where the chain of commits stands.
#[derive(Debug)]
struct ChainEnd {
    /// The last commit that was written, and acknowledged.
    last: CommitPoint,
    /// The last commit that is known to be on disk.
    synced: CommitPoint,
    /// What the hash of a commit is computed in, kept for the next.
    gathered: Vec<u8>,
}

impl ChainEnd {
    /// The chain after `last`, which is on disk.
    fn after(last: CommitPoint) -> Self {
        Self {
            last,
            synced: last,
            gathered: Vec::new(),
        }
    }

    /// The record of a commit of these changes.
    fn next_record(
        &mut self,
        keyspaces: &mut Keyspaces<'_>,
        changes: &[Change],
    ) -> Result<CommitRecord, StoreError> {
        let gathered = std::mem::take(&mut self.gathered);
        let mut hasher = ChainHasher::after_in(self.last.chain_hash, gathered);
        for change in changes {
            let (kind, value) = match &change.value {
                Some(value) => (ItemKind::Put, &**value),
                None => (ItemKind::Remove, &[][..]),
            };
            let keyspace = keyspaces.find(change.space)?;
            hasher.item(keyspace.id(), kind, &change.key, value);
        }
        let chain_hash;
        (chain_hash, self.gathered) = hasher.finish_and_reuse();
        Ok(CommitRecord {
            earlier_synced: self.synced.commit == self.last.commit,
            commit: self.last.commit + 1,
            previous_seqno: self.last.seqno,
            chain_hash,
            other_items: u32::try_from(changes.len())
                .map_err(|_| StoreError::Invalid("a commit has too many changes"))?,
        })
    }
}

/// Finds the keyspaces of changes. Those of one commit are mostly to the same space.
struct Keyspaces<'a> {
    spaces: &'a Spaces,
    last: Option<(SpaceId, &'a Keyspace)>,
}

impl<'a> Keyspaces<'a> {
    fn new(spaces: &'a Spaces) -> Self {
        Self { spaces, last: None }
    }

    fn find(&mut self, space: SpaceId) -> Result<&'a Keyspace, StoreError> {
        if let Some((found, keyspace)) = self.last
            && found == space
        {
            return Ok(keyspace);
        }
        let keyspace = self.spaces.get(&space).ok_or(StoreError::Invalid(
            "a change to a space that does not exist",
        ))?;
        self.last = Some((space, keyspace));
        Ok(keyspace)
    }
}

/// What the marks say.
#[derive(Debug)]
struct Marks {
    slots: MarkSlots,
    /// The commit of the last mark.
    commit: u64,
    /// Whether the last mark says that journals may vanish.
    flushing: bool,
    /// When the last mark was written.
    written_at: Duration,
}

/// The store on disk.
pub struct FjallKv {
    folder: PathBuf,
    options: Options,
    rule: Arc<dyn CompactionRule>,
    clock: Arc<dyn Clock>,
    /// Held as long as the store is open.
    lock: Mutex<Option<FolderLock>>,
    files: RwLock<Option<Files>>,
    chain: Mutex<ChainEnd>,
    marks: Mutex<Marks>,
    failed: AtomicBool,
}

impl std::fmt::Debug for FjallKv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FjallKv")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl FjallKv {
    /// Opens the store in `folder`, or makes one there.
    pub fn open(
        folder: &Path,
        options: Options,
        rule: Arc<dyn CompactionRule>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StoreError> {
        let folder_lock = open::lock_folder(folder)?;
        let opened = open::open_files(folder, options, &rule, None)?;
        let marks = Marks {
            slots: opened.slots,
            commit: opened.last.commit,
            flushing: opened.flushing,
            written_at: clock.monotonic(),
        };
        let highest_name = opened.highest_name;
        let kv = Self {
            folder: folder.to_path_buf(),
            options,
            rule,
            clock,
            lock: Mutex::new(Some(folder_lock)),
            files: RwLock::new(Some(opened.files)),
            chain: Mutex::new(ChainEnd::after(opened.last)),
            marks: Mutex::new(marks),
            failed: AtomicBool::new(false),
        };
        kv.pass_number(highest_name)?;
        Ok(kv)
    }

    /// Makes empty commits until fjall's numbers are above that of its last change to a space.
    ///
    /// fjall takes up its numbers from journals and tables, but not from its own list of spaces.
    /// A space dropped with a number below the one it was made with would be in the list again.
    fn pass_number(&self, highest_name: u64) -> Result<(), StoreError> {
        while self.with_files(|files| Ok(files.db.seqno()))? <= highest_name {
            self.commit(&mut Vec::new(), Durability::ToSystem)?;
        }
        Ok(())
    }

    /// Runs `act` on the open files.
    fn with_files<R>(
        &self,
        act: impl FnOnce(&Files) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        let files = read(&self.files);
        act(files.as_ref().ok_or(StoreError::Closed)?)
    }

    fn refuse_if_failed(&self) -> Result<(), StoreError> {
        match self.is_failed() {
            true => Err(StoreError::io("an earlier write failed")),
            false => Ok(()),
        }
    }

    /// Remembers that writing has failed and makes the error of it.
    fn fail(&self, what: impl std::fmt::Display, outcome: Outcome) -> StoreError {
        self.failed.store(true, Ordering::SeqCst);
        StoreError::Io {
            what: what.to_string(),
            outcome,
        }
    }
}

impl Files {
    fn spaces(&self) -> Arc<Spaces> {
        Arc::clone(&read(&self.spaces))
    }

    /// The batch of a commit: its record, and then the changes.
    fn batch(
        &self,
        chain: &mut ChainEnd,
        changes: &mut Vec<Change>,
    ) -> Result<(CommitRecord, OwnedWriteBatch), StoreError> {
        let spaces = read(&self.spaces);
        let mut keyspaces = Keyspaces::new(&spaces);
        let record = chain.next_record(&mut keyspaces, changes)?;
        let mut batch = OwnedWriteBatch::with_capacity(self.db.clone(), changes.len() + 1);
        batch.insert(&self.system, CHAIN_KEY, record.encode());
        for Change { space, key, value } in changes.drain(..) {
            let keyspace = keyspaces.find(space)?;
            match value {
                Some(value) => batch.insert(keyspace, key, value),
                None => batch.remove(keyspace, key),
            }
        }
        Ok((record, batch))
    }

    /// The number fjall gave to the last commit, before which `next` was the next number.
    fn last_seqno(&self, next: u64) -> u64 {
        // Workers of fjall's take numbers, too; if just one was taken, it was for the commit.
        if self.db.seqno() == next.saturating_add(1) {
            return next;
        }
        let tree = &self.system.tree;
        // A commit has just put its record into the memtable, and only we rotate memtables.
        let in_memory = tree.get_highest_memtable_seqno();
        in_memory
            .or_else(|| tree.get_highest_persisted_seqno())
            .unwrap_or(0)
    }
}

impl Kv for FjallKv {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        self.with_files(|files| {
            let snapshot = files.db.snapshot();
            let (spaces, users) = (files.spaces(), Arc::clone(&files.users));
            Ok(Arc::new(FjallSnapshot {
                snapshot,
                spaces,
                _users: users,
            }) as Arc<dyn Snapshot>)
        })
    }

    fn latest(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        self.with_files(|files| Ok(files.spaces() as Arc<dyn Snapshot>))
    }

    fn commit(&self, changes: &mut Vec<Change>, durability: Durability) -> Result<(), StoreError> {
        self.refuse_if_failed()?;
        self.with_files(|files| {
            let mut chain = lock(&self.chain);
            let (record, batch) = files.batch(&mut chain, changes)?;
            let mode = match durability {
                Durability::ToDisk => PersistMode::SyncData,
                Durability::ToSystem => PersistMode::Buffer,
            };
            let next_seqno = files.db.seqno();
            let committed = batch.durability(Some(mode)).commit();
            committed.map_err(|error| {
                self.fail(
                    format!("commit {}: {error}", record.commit),
                    Outcome::Unknown,
                )
            })?;
            let (commit, chain_hash) = (record.commit, record.chain_hash);
            chain.last = CommitPoint {
                commit,
                chain_hash,
                seqno: files.last_seqno(next_seqno),
            };
            if durability == Durability::ToDisk {
                chain.synced = chain.last;
            }
            drop(chain);
            // The commit stands whatever becomes of a flush: a failure shows at the next write.
            let _ = self.relieve(files);
            Ok(())
        })
    }

    fn commit_waits(&self, durability: Durability) -> bool {
        let is_full = || self.with_files(|files| Ok(self.is_over_budget(files)));
        durability == Durability::ToDisk || is_full().unwrap_or(true)
    }

    fn create_space(&self, space: SpaceId) -> Result<(), StoreError> {
        self.with_files(|files| self.make_space(files, space))
    }

    fn drop_space(&self, space: SpaceId) -> Result<(), StoreError> {
        self.with_files(|files| self.remove_space(files, space))
    }

    fn spaces(&self) -> Result<Vec<SpaceId>, StoreError> {
        self.with_files(|files| Ok(files.spaces().keys().copied().collect()))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.with_files(|files| {
            let last = lock(&self.chain).last;
            files
                .db
                .persist(PersistMode::SyncData)
                .map_err(|error| self.fail(format!("sync: {error}"), Outcome::Unknown))?;
            let mut chain = lock(&self.chain);
            if last.commit > chain.synced.commit {
                chain.synced = last;
            }
            Ok(())
        })
    }

    fn flush(&self) -> Result<(), StoreError> {
        self.with_files(|files| self.flush_all(files))
    }

    fn compact(&self, space: SpaceId) -> Result<(), StoreError> {
        self.with_files(|files| match files.spaces().get(&space) {
            Some(keyspace) => flush::compact_whole(keyspace, |error| {
                self.fail(format!("compaction: {error}"), Outcome::NotApplied)
            }),
            None => Ok(()),
        })
    }

    fn housekeep(&self) -> Result<(), StoreError> {
        if self.is_failed() {
            return Ok(());
        }
        self.with_files(|files| {
            self.relieve(files)?;
            self.settle(files)
        })
    }

    fn is_failed(&self) -> bool {
        self.failed.load(Ordering::SeqCst)
    }

    fn probe_disk(&self) -> Result<(), StoreError> {
        let path = self.folder.join(PROBE_FILE);
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(&[0xa5; PROBE_BYTES])?;
            file.sync_all()
        });
        // A file that stays behind is written over by the next probe.
        let _ = std::fs::remove_file(&path);
        written.map_err(|error| {
            StoreError::io(format!(
                "an earlier write failed, and the disk does not take writes yet: {error}"
            ))
        })
    }

    fn reopen(&self) -> Result<(), StoreError> {
        let mut slot = write(&self.files);
        if let Some(files) = slot.as_ref()
            && Arc::strong_count(&files.users) > 1
        {
            return Err(StoreError::io("readers still use the files that failed"));
        }
        if slot.is_some() {
            // Opening needs this mark; as long as it cannot be written, reads go on in the old files.
            self.mark_flushing()?;
        }
        drop(slot.take());
        let last = lock(&self.chain).last;
        let discard_after = Some(last.commit);
        let opened = open::open_files(&self.folder, self.options, &self.rule, discard_after)?;
        *lock(&self.marks) = Marks {
            slots: opened.slots,
            commit: opened.last.commit,
            flushing: opened.flushing,
            written_at: self.clock.monotonic(),
        };
        *lock(&self.chain) = ChainEnd::after(opened.last);
        *slot = Some(opened.files);
        self.failed.store(false, Ordering::SeqCst);
        drop(slot);
        self.pass_number(opened.highest_name)
    }

    fn close(&self) -> Result<(), StoreError> {
        let flushed = self.with_files(|files| self.flush_all(files));
        let mut slot = write(&self.files);
        if slot.is_none() {
            return Ok(());
        }
        drop(slot.take());
        // After an error the store can be opened again, so the folder stays this process's own.
        flushed.and_then(|()| self.mark_closed())?;
        drop(lock(&self.lock).take());
        Ok(())
    }

    fn figures(&self) -> Figures {
        let commits = lock(&self.chain).last.commit;
        let figures = self.with_files(|files| {
            let disk_bytes = files.db.disk_space().map_err(StoreError::io)?;
            Ok(Figures {
                buffered_bytes: files.db.write_buffer_size(),
                disk_bytes,
                commits,
            })
        });
        figures.unwrap_or(Figures {
            commits,
            ..Figures::default()
        })
    }
}
