//! What a check found wrong, in plain words, with the file and the place.

use std::{fmt, io};

/// One thing wrong with a store's files.
///
/// It names the file relative to the store's folder and, where known, the byte
/// at which the damage begins, so that an operator can look at that place.
#[derive(Debug, thiserror::Error)]
pub struct Damage {
    file: String,
    offset: Option<u64>,
    kind: DamageKind,
    what: String,
    source: Option<io::Error>,
}

/// The sorts of damage a caller may treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// The folder holds files, but no store of ours.
    NotAStore,
    /// The store was written by a newer release, in a format this one cannot read.
    NewerFormat,
    /// The operating system would not let us read a file.
    Unreadable,
    /// A file or folder that must be there is gone.
    Missing,
    /// Commits that were synced to disk are no longer in the journal.
    Shortened,
    /// Bytes are not what was written.
    Corrupt,
}

impl Damage {
    /// The file, relative to the store's folder; "." is the folder itself.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The byte at which the damage begins, where known.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// Which sort of damage this is.
    #[must_use]
    pub fn kind(&self) -> DamageKind {
        self.kind
    }

    pub(crate) fn new(kind: DamageKind, file: &str, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            offset: None,
            kind,
            what: what.into(),
            source: None,
        }
    }

    pub(crate) fn corrupt(file: &str, what: impl Into<String>) -> Self {
        Self::new(DamageKind::Corrupt, file, what)
    }

    /// Sorts an I/O error: a file that is not there is missing, a file that ends
    /// too early is corrupt, all else is unreadable.
    pub(crate) fn from_io(file: &str, error: io::Error) -> Self {
        let (kind, what) = match error.kind() {
            io::ErrorKind::NotFound => (DamageKind::Missing, "is missing"),
            io::ErrorKind::UnexpectedEof => (DamageKind::Corrupt, "ends too early"),
            _ => (DamageKind::Unreadable, "cannot be read"),
        };
        Self {
            source: Some(error),
            ..Self::new(kind, file, what)
        }
    }

    pub(crate) fn of_file(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }

    pub(crate) fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(offset) = self.offset {
            write!(f, " at byte {offset}")?;
        }
        write!(f, ": {}", self.what)?;
        if let Some(source) = &self.source {
            write!(f, " ({source})")?;
        }
        Ok(())
    }
}
