//! Making and dropping spaces, so that a power cut at any moment leaves a store that opens.
//!
//! fjall makes the folder of a new keyspace, syncs what is in it, and then writes the keyspace into
//! its list. It never syncs the folder's name, which is in the folder above. Where names reach the
//! disk in no order but that of syncs (POSIX promises no more), a cut could leave a list with a
//! keyspace whose folder is gone. So the folder is made and its name synced here, at the one moment
//! at which fjall asks us: it has chosen the number and has written nothing. (Not earlier: fjall
//! takes no number whose folder exists. Not later: a name in the list would have to be explained.)
//!
//! Invariants:
//! 1. fjall's list names a keyspace only if the name of its folder is on disk.
//! 2. One space is made or dropped at a time, and none after a failure: fjall would write its next
//!    list over one that may be on disk already.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use ::fjall::{Database, Keyspace, KeyspaceCreateOptions};

use super::{Files, FjallKv, Spaces};
use crate::error::{Outcome, StoreError};
use crate::integrity::CHAIN_KEYSPACE;
use crate::kv::SpaceId;
use crate::lock::{lock, write};

/// The space that holds the commit records beside its own data.
pub(super) const SYSTEM_SPACE: SpaceId = SpaceId(0);

/// Without this file fjall makes a new tree in a folder; with an empty one it refuses.
const OBSTACLE: &str = "current";

impl FjallKv {
    pub(super) fn make_space(&self, files: &Files, space: SpaceId) -> Result<(), StoreError> {
        let mut next = lock(&files.next_keyspace);
        self.refuse_if_failed()?;
        let keyspace = make_space(&files.db, space, &mut next).map_err(|error| {
            self.fail(
                format!("making space {}: {error}", space.0),
                Outcome::NotApplied,
            )
        })?;
        let mut spaces = Spaces::clone(&files.spaces());
        spaces.insert(space, keyspace);
        *write(&files.spaces) = spaces.into();
        Ok(())
    }

    pub(super) fn remove_space(&self, files: &Files, space: SpaceId) -> Result<(), StoreError> {
        let _next = lock(&files.next_keyspace);
        self.refuse_if_failed()?;
        let mut spaces = Spaces::clone(&files.spaces());
        let Some(keyspace) = spaces.remove(&space) else {
            return Ok(());
        };
        *write(&files.spaces) = spaces.into();
        files.db.delete_keyspace(keyspace).map_err(|error| {
            self.fail(
                format!("dropping space {}: {error}", space.0),
                Outcome::NotApplied,
            )
        })
    }
}

/// Where fjall puts the next keyspace.
pub(super) struct NextKeyspace {
    /// The folder with those of all keyspaces.
    pub(super) all: PathBuf,
    /// fjall takes this number, or the next one above it that has no folder.
    pub(super) number: u64,
}

/// Opens a space, making it if need be.
pub(super) fn make_space(
    db: &Database,
    space: SpaceId,
    next: &mut NextKeyspace,
) -> Result<Keyspace, StoreError> {
    let name = match space {
        SYSTEM_SPACE => CHAIN_KEYSPACE.to_owned(),
        SpaceId(number) => format!("s{number}"),
    };
    // Memtables are rotated by the budget over all spaces, never by their own size.
    let options = || KeyspaceCreateOptions::default().max_memtable_size(u64::MAX);
    if db.keyspace_exists(&name) {
        return db.keyspace(&name, options).map_err(StoreError::io);
    }
    let expected = next.first_free().map_err(StoreError::io)?;
    let mut reserved = Ok(());
    let made = db.keyspace(&name, || {
        reserved = next.reserve(expected);
        options()
    });
    reserved.map_err(StoreError::io)?;
    let keyspace = made.map_err(StoreError::io)?;
    next.number = keyspace.id().saturating_add(1);
    if keyspace.id() != expected {
        // The number was another one: then the name is synced late, but it is synced.
        next.sync().map_err(StoreError::io)?;
    }
    Ok(keyspace)
}

impl NextKeyspace {
    /// The number that fjall takes for the next keyspace.
    fn first_free(&self) -> io::Result<u64> {
        let mut number = self.number;
        while fs::exists(self.folder(number))? {
            number = number.saturating_add(1);
        }
        Ok(number)
    }

    /// Makes the folder of a keyspace and syncs its name. After an error fjall cannot use it.
    fn reserve(&self, number: u64) -> io::Result<()> {
        let folder = self.folder(number);
        fs::create_dir(&folder)?;
        let obstacle = folder.join(OBSTACLE);
        File::create_new(&obstacle)?;
        self.sync()?;
        fs::remove_file(obstacle)
    }

    fn folder(&self, number: u64) -> PathBuf {
        self.all.join(number.to_string())
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.all)?.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use stoa_types::clock::{Clock, ManualClock};

    use super::*;
    use crate::compaction::Purging;
    use crate::kv::{Bytes, Change, Durability, Kv};
    use crate::options::Options;

    fn open(folder: &Path) -> FjallKv {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at_micros(0));
        let rule = Arc::new(Purging::new(Arc::clone(&clock)));
        FjallKv::open(folder, Options::default(), rule, clock).unwrap()
    }

    /// Makes a space and says which number was expected and which it got.
    fn make(kv: &FjallKv, space: u64) -> (u64, u64) {
        kv.with_files(|files| {
            let expected = lock(&files.next_keyspace).first_free().unwrap();
            kv.make_space(files, SpaceId(space))?;
            Ok((expected, files.spaces()[&SpaceId(space)].id()))
        })
        .unwrap()
    }

    fn put(kv: &FjallKv, space: u64) {
        let change = Change {
            space: SpaceId(space),
            key: Bytes::from(b"key"),
            value: Some(Bytes::from(b"value")),
        };
        kv.commit(&mut vec![change], Durability::ToDisk).unwrap();
    }

    #[test]
    fn the_number_of_the_next_keyspace_is_known_whatever_happened_before() {
        let folder = tempfile::tempdir().unwrap();
        let mut space = 16;
        for round in 0..6 {
            let kv = open(folder.path());
            for step in 0..3 {
                let (expected, found) = make(&kv, space);
                assert_eq!(found, expected, "round {round}, space {space}");
                put(&kv, space);
                // The newest space goes, so that its number is known from the journal alone.
                if (round + step) % 2 == 0 {
                    kv.drop_space(SpaceId(space)).unwrap();
                }
                space += 1;
            }
            if round % 3 == 2 {
                kv.close().unwrap();
            }
        }
    }

    #[test]
    fn a_keyspace_whose_folder_cannot_be_reserved_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let kv = open(folder.path());
        kv.with_files(|files| {
            let mut next = lock(&files.next_keyspace);
            let right = std::mem::replace(&mut next.all, folder.path().join("nowhere"));
            assert!(make_space(&files.db, SpaceId(16), &mut next).is_err());
            next.all = right;
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn fjall_makes_no_keyspace_over_the_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let kv = open(folder.path());
        kv.with_files(|files| {
            let next = lock(&files.next_keyspace);
            let taken = next.folder(next.first_free().unwrap());
            let made = files.db.keyspace("s16", || {
                fs::create_dir(&taken).unwrap();
                File::create_new(taken.join(OBSTACLE)).unwrap();
                KeyspaceCreateOptions::default()
            });
            assert!(made.is_err());
            assert!(!files.db.keyspace_exists("s16"));
            Ok(())
        })
        .unwrap();
        drop(kv);
        assert_eq!(open(folder.path()).spaces().unwrap(), [SYSTEM_SPACE]);
    }
}
