//! The lock on a store's folder: one process has it open at a time.
//!
//! The lock belongs to the open file, and a child process that is just being started has a copy of
//! every open file until it runs its own program. Closing the file alone would leave the folder
//! locked until then, so the lock is given back expressly.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::error::StoreError;

const LOCK_FILE: &str = "lock";

/// A folder taken for this process, until it is dropped.
#[derive(Debug)]
pub(crate) struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Takes an existing folder for this process.
    ///
    /// # Errors
    ///
    /// [`StoreError::Locked`] if a process has it; [`StoreError::Format`] if it cannot be locked.
    pub(crate) fn take(folder: &Path) -> Result<Self, StoreError> {
        let describe = |what: &str, error: std::io::Error| StoreError::Format {
            path: folder.to_path_buf(),
            what: format!("{what}: {error}"),
        };
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(LOCK_FILE))
            .map_err(|error| describe("its lock file cannot be opened for writing", error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked(folder.to_path_buf())),
            Err(TryLockError::Error(error)) => Err(describe("cannot be locked", error)),
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // If this fails, closing the file gives the lock back as well.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_free_at_once_although_a_child_has_a_copy_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::take(folder.path()).unwrap();
        let refused = FolderLock::take(folder.path());
        assert!(matches!(refused, Err(StoreError::Locked(_))), "{refused:?}");
        let copy = lock.file.try_clone().unwrap();
        drop(lock);
        FolderLock::take(folder.path()).unwrap();
        drop(copy);
    }
}
