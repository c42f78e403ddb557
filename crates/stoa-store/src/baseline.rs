//! The key-value crate used directly: what the store's figures are compared with.
//!
//! This is not part of the store. `stoa bench store` measures each work as a ratio to the same
//! bytes going through fjall as a careful user of fjall would write it, with the same options as
//! the store: the same cache, the same amount of memory for recent writes, no compression of the
//! journal. It has no rows, no checksums of its own, no chain of commits and no marks, and it
//! serves no other purpose.

use std::path::Path;
use std::time::Duration;

use ::fjall::{
    CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable, Slice,
};

use crate::commit::queue::{Queue, Slot};
use crate::error::StoreError;
use crate::options::Options;

/// How often a wait looks again.
const POLL: Duration = Duration::from_millis(2);
/// How often a wait for other compactions looks again.
const COMPACTION_TRIES: usize = 15_000;

/// One ordered map of raw keys and values on disk.
pub struct RawKv {
    db: Database,
    space: Keyspace,
}

impl RawKv {
    /// Opens the map in `folder`, or makes one there, with as much memory as a store would take.
    pub fn open(folder: &Path, options: Options) -> Result<Self, StoreError> {
        let db = open_database(folder, options)?;
        let buffer = options.write_buffer_bytes;
        let make = || KeyspaceCreateOptions::default().max_memtable_size(buffer);
        let space = db.keyspace("raw", make).map_err(StoreError::io)?;
        Ok(Self { db, space })
    }

    /// Sets a key; the operating system has it when this returns.
    pub fn put(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.space.insert(key, value).map_err(StoreError::io)
    }

    /// Sets a key after reading it, as whoever must merge what is stored has to.
    pub fn read_and_put(&self, key: &[u8], value: &[u8]) -> Result<bool, StoreError> {
        let before = self.get(key)?;
        self.put(key, value)?;
        Ok(before.is_some())
    }

    /// Sets many keys as one.
    pub fn put_all<'a>(
        &self,
        pairs: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
    ) -> Result<(), StoreError> {
        self.commit(pairs, PersistMode::Buffer)
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Result<Option<Slice>, StoreError> {
        self.space.get(key).map_err(StoreError::io)
    }

    /// Hands every pair with `start <= key < end` to `visit`; returns how many there were.
    pub fn range(
        &self,
        start: &[u8],
        end: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<usize, StoreError> {
        let mut count = 0;
        for guard in self.db.snapshot().range(&self.space, start..end) {
            let (key, value) = guard.into_inner().map_err(StoreError::io)?;
            visit(&key, &value);
            count += 1;
        }
        Ok(count)
    }

    /// Writes everything to tables and leaves one sorted run of them, so that reads find the same
    /// shape as in a store after [`crate::Store::compact`].
    pub fn settle(&self) -> Result<(), StoreError> {
        self.space.rotate_memtable().map_err(StoreError::io)?;
        while self.db.outstanding_flushes() > 0 || self.space.sealed_memtable_count() > 0 {
            std::thread::park_timeout(POLL);
        }
        // A compaction of the crate's own may hold the tables; it ends.
        for _ in 0..COMPACTION_TRIES {
            if self.db.active_compactions() == 0 {
                return self.space.major_compact().map_err(StoreError::io);
            }
            std::thread::park_timeout(POLL);
        }
        Ok(())
    }

    fn commit<'a>(
        &self,
        pairs: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
        mode: PersistMode,
    ) -> Result<(), StoreError> {
        let mut batch = self.db.batch().durability(Some(mode));
        for (key, value) in pairs {
            batch.insert(&self.space, key, value);
        }
        batch.commit().map_err(StoreError::io)
    }
}

/// Durable writes by a leader and its followers: raw bytes, one batch and one sync a group.
///
/// It stands on the store's own queue of callers, so the ratio shows what rows, checksums, the
/// chain and the marks cost, and nothing else.
pub struct RawGroupCommit {
    kv: RawKv,
    queue: Queue<(Vec<u8>, Vec<u8>)>,
}

impl RawGroupCommit {
    /// Durable writes to the map in `folder`.
    pub fn open(folder: &Path, options: Options) -> Result<Self, StoreError> {
        Ok(Self {
            kv: RawKv::open(folder, options)?,
            queue: Queue::new(None),
        })
    }

    /// Sets a key; it is on disk when this returns. Callers that come together share one sync.
    pub fn put(&self, key: Vec<u8>, value: Vec<u8>) -> Result<(), StoreError> {
        let size = key.len() + value.len();
        self.queue
            .submit((key, value), size, &|group| self.run_group(group))
    }

    fn run_group(&self, group: &mut [Slot<(Vec<u8>, Vec<u8>)>]) {
        let pairs = group.iter().filter_map(|slot| slot.work.as_ref());
        let pairs = pairs.map(|(key, value)| (key.as_slice(), value.as_slice()));
        let answer = self.kv.commit(pairs, PersistMode::SyncData);
        for slot in group {
            slot.answer = Some(answer.clone());
        }
    }
}

/// A store's own database opened by the crate alone, without any of our checks.
pub struct BareDatabase {
    _db: Database,
    _spaces: Vec<Keyspace>,
}

impl BareDatabase {
    /// Opens the database of the store in `folder`, which nobody may have open. The folder is not
    /// to be used as a store afterwards: its marks no longer agree with it.
    pub fn open(folder: &Path, options: Options) -> Result<Self, StoreError> {
        let db = open_database(&folder.join(crate::integrity::KV_FOLDER), options)?;
        let make = || KeyspaceCreateOptions::default().max_memtable_size(u64::MAX);
        let names = db.list_keyspace_names();
        let spaces = names.iter().map(|name| db.keyspace(name, make)).collect();
        let spaces: Result<_, ::fjall::Error> = spaces;
        Ok(Self {
            _spaces: spaces.map_err(StoreError::io)?,
            _db: db,
        })
    }
}

fn open_database(folder: &Path, options: Options) -> Result<Database, StoreError> {
    Database::builder(folder)
        .cache_size(options.cache_bytes)
        .journal_compression(CompressionType::None)
        .max_journaling_size(u64::MAX)
        .open()
        .map_err(StoreError::io)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_pairs_come_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let raw = RawKv::open(folder.path(), Options::default()).unwrap();
        assert!(!raw.read_and_put(b"b", b"2").unwrap());
        assert!(raw.read_and_put(b"b", b"3").unwrap());
        raw.put_all([(&b"a"[..], &b"1"[..]), (b"c", b"4")]).unwrap();
        raw.settle().unwrap();
        let mut seen = Vec::new();
        let count = raw.range(b"a", b"c", &mut |_, value| seen.extend_from_slice(value));
        assert_eq!(count.unwrap(), 2);
        assert_eq!(seen, b"13");
        assert_eq!(raw.get(b"c").unwrap().as_deref(), Some(&b"4"[..]));
    }

    #[test]
    fn every_durable_caller_is_answered() {
        let folder = tempfile::tempdir().unwrap();
        let raw = RawGroupCommit::open(folder.path(), Options::default()).unwrap();
        std::thread::scope(|scope| {
            for caller in 0..8_u8 {
                let raw = &raw;
                scope.spawn(move || raw.put(vec![caller], vec![caller]).unwrap());
            }
        });
        assert_eq!(raw.kv.range(&[0], &[8], &mut |_, _| {}).unwrap(), 8);
    }
}
