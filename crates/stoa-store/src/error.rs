//! What can go wrong in the store, and what a caller can do about it.
//!
//! [`StoreError::outcome`] answers the question that matters after a failed write: was it surely
//! not applied, or is that unknown?

use std::path::PathBuf;

use crate::cell::ColumnId;
use crate::codec::DecodeError;
use crate::kv::SpaceId;

/// Whether a failed write may still appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was written.
    NotApplied,
    /// It may have been written; a later read tells.
    Unknown,
}

/// An error of the store.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The table is not in the catalogue: never made, or dropped meanwhile.
    #[error("no table with id {0}")]
    NoSuchTable(u64),
    /// The key is longer than the store can hold.
    #[error("key of {length} bytes is longer than the limit of {limit} bytes")]
    KeyTooLong {
        /// Length of the key as stored.
        length: usize,
        /// The most there may be.
        limit: usize,
    },
    /// A column was written as one kind (cell, counter, collection) and is stored as another.
    #[error("column {} is stored as another kind of column", column.0)]
    ColumnKind {
        /// The column.
        column: ColumnId,
    },
    /// A timestamp that is reserved.
    #[error("timestamp {0} is reserved")]
    ReservedTimestamp(i64),
    /// An update or a range that makes no sense, and why.
    #[error("invalid request: {0}")]
    Invalid(&'static str),
    /// Stored bytes do not check out: the row is not answered.
    #[error("damaged data in {place}: {what}")]
    Damaged {
        /// Table space and key, or file.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// Another process has the folder open.
    #[error("{} is open in another process", .0.display())]
    Locked(PathBuf),
    /// The folder was written by a newer program, or is no store.
    #[error("{}: {what}", path.display())]
    Format {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        what: String,
    },
    /// The disk refused; writes are tried again once it works.
    #[error("storage failed: {what}")]
    Io {
        /// What was being done, and the system's words.
        what: String,
        /// Whether the write may still appear.
        outcome: Outcome,
    },
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Whether a write that failed with this may still appear.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Io { outcome, .. } => *outcome,
            _ => Outcome::NotApplied,
        }
    }

    /// Whether the same request may work later without anybody changing it.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Io { .. } | Self::Locked(_))
    }

    /// An I/O failure of something that wrote no data.
    pub(crate) fn io(what: impl std::fmt::Display) -> Self {
        Self::Io {
            what: what.to_string(),
            outcome: Outcome::NotApplied,
        }
    }

    /// Damage found at a key of a space.
    pub(crate) fn damaged_key(space: SpaceId, key: &[u8], what: impl std::fmt::Display) -> Self {
        Self::Damaged {
            place: format!("space {} key {}", space.0, hex(key)),
            what: what.to_string(),
        }
    }

    /// Bytes at a key of a space that do not decode.
    pub(crate) fn undecodable(space: SpaceId, key: &[u8]) -> impl Fn(DecodeError) -> Self {
        move |error| Self::damaged_key(space, key, error)
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text: String = bytes
        .iter()
        .take(48)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if bytes.len() > 48 {
        text.push('…');
    }
    text
}
