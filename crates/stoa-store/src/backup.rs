//! Backup while running: a copy of everything as of one commit, in a folder of its own.
//!
//! The copy is read from a snapshot and written as a store that was closed cleanly: to restore it,
//! open it. Writers go on meanwhile and are not waited for.

use std::path::Path;
use std::sync::Arc;

use crate::catalog::CATALOG_SPACE;
use crate::error::StoreError;
use crate::integrity::CHAIN_KEY;
use crate::kv::fjall::FjallKv;
use crate::kv::{Change, Direction, Durability, Kv, SpaceId};
use crate::options::Options;
use crate::purge_queue::PURGE_SPACE;
use crate::store::Store;

/// Bytes copied in one commit.
const COPY_BYTES: usize = 1 << 20;

/// Above every key of every space.
const TOP_KEY: [u8; 32] = [0xff; 32];

/// What a backup has copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    /// Keys written.
    pub keys: u64,
    /// Their bytes, values included.
    pub bytes: u64,
}

impl Store {
    /// Copies everything as of now to `folder`, which must not exist or be empty. `progress` is
    /// told after every megabyte or so.
    pub fn backup(
        &self,
        folder: &Path,
        progress: &mut dyn FnMut(Copied),
    ) -> Result<Copied, StoreError> {
        let is_used = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
        if is_used {
            return Err(StoreError::Format {
                path: folder.to_path_buf(),
                what: "is not empty; name a new folder for the backup".to_owned(),
            });
        }
        let view = self.view()?;
        let options = Options {
            background: false,
            ..Options::default()
        };
        let target = FjallKv::open(folder, options, Arc::new(KeepAll), self.clock())?;
        let mut spaces = vec![CATALOG_SPACE, PURGE_SPACE];
        spaces.extend(view.catalog().tables().iter().map(|table| table.space));
        let mut copied = Copied::default();
        for space in spaces {
            target.create_space(space)?;
            let mut changes = Vec::new();
            let mut bytes = 0;
            for pair in view
                .snapshot
                .range(space, &[], &TOP_KEY, Direction::Forward)?
            {
                let (key, value) = pair?;
                if space == CATALOG_SPACE && *key == *CHAIN_KEY {
                    // The copy has commits of its own.
                    continue;
                }
                bytes += key.len() + value.len();
                changes.push(Change {
                    space,
                    key,
                    value: Some(value),
                });
                if bytes >= COPY_BYTES {
                    commit(&target, &mut changes, &mut bytes, &mut copied)?;
                    progress(copied);
                }
            }
            commit(&target, &mut changes, &mut bytes, &mut copied)?;
        }
        target.close()?;
        progress(copied);
        Ok(copied)
    }
}

fn commit(
    target: &FjallKv,
    changes: &mut Vec<Change>,
    bytes: &mut usize,
    copied: &mut Copied,
) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let keys = changes.len() as u64;
    target.commit(changes, Durability::ToSystem)?;
    copied.keys += keys;
    copied.bytes += *bytes as u64;
    *bytes = 0;
    Ok(())
}

/// A copy forgets nothing.
#[derive(Debug)]
struct KeepAll;

impl crate::kv::CompactionRule for KeepAll {
    fn judge(&self, _: SpaceId, _: &[u8], _: &[u8]) -> crate::kv::Verdict {
        crate::kv::Verdict::Keep
    }
}
