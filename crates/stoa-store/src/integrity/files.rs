//! Read-only access to a store's files, with errors that name the file.
//!
//! Invariants: (1) nothing here creates, changes or locks a file; (2) a file is
//! read into memory whole only after its size was compared with a limit.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use super::damage::{Damage, DamageKind};

/// The folder of one store.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    root: PathBuf,
}

/// A file or folder found in a listing.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) is_folder: bool,
}

impl Files {
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
        }
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    pub(crate) fn open(&self, file: &str) -> Result<(File, u64), Damage> {
        let opened = File::open(self.path(file)).map_err(|e| Damage::from_io(file, e))?;
        let facts = opened.metadata().map_err(|e| Damage::from_io(file, e))?;
        if !facts.is_file() {
            return Err(Damage::corrupt(file, "is not a file"));
        }
        Ok((opened, facts.len()))
    }

    /// Reads a whole file of at most `limit` bytes.
    pub(crate) fn read(&self, file: &str, limit: u64) -> Result<Vec<u8>, Damage> {
        let (mut opened, len) = self.open(file)?;
        if len > limit {
            let what = format!("is {len} bytes long, more than {limit} is never written");
            return Err(Damage::corrupt(file, what));
        }
        read_range(&mut opened, 0, len).map_err(|e| Damage::from_io(file, e))
    }

    pub(crate) fn exists(&self, file: &str) -> Result<bool, Damage> {
        let path = self.path(file);
        path.try_exists().map_err(|e| Damage::from_io(file, e))
    }

    /// The entries of a folder, by name.
    pub(crate) fn list(&self, folder: &str) -> Result<Vec<Found>, Damage> {
        let unreadable = |e| Damage::from_io(folder, e);
        let mut found = Vec::new();
        for entry in fs::read_dir(self.path(folder)).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let Ok(name) = entry.file_name().into_string() else {
                let what = "holds a file whose name is not text";
                return Err(Damage::new(DamageKind::Corrupt, folder, what));
            };
            let is_folder = entry.file_type().map_err(unreadable)?.is_dir();
            found.push(Found { name, is_folder });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }
}

/// Reads `len` bytes from `start`. The caller has compared both with the file's size.
pub(crate) fn read_range(file: &mut File, start: u64, len: u64) -> std::io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    let read = file.take(len).read_to_end(&mut bytes)?;
    if read as u64 == len {
        Ok(bytes)
    } else {
        Err(std::io::ErrorKind::UnexpectedEof.into())
    }
}
