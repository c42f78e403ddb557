//! How a store is opened.

use std::time::Duration;

/// When a write is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitMode {
    /// When it is on disk; writers that come together share one sync. The default.
    Group,
    /// When it is on disk; every write has a sync of its own.
    Batch,
    /// When the operating system has it; the disk is synced every so often. A power cut may lose
    /// that much, never a part of a write, and never one write without the later ones.
    Periodic {
        /// How often the disk is synced.
        every: Duration,
    },
}

impl CommitMode {
    /// Whether a commit is on disk when it is acknowledged.
    pub(crate) fn is_synced(self) -> bool {
        match self {
            Self::Group | Self::Batch => true,
            Self::Periodic { .. } => false,
        }
    }
}

/// Options of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// When a write is acknowledged.
    pub commit_mode: CommitMode,
    /// The most bytes of recent writes kept in memory over all tables.
    pub write_buffer_bytes: u64,
    /// Bytes of table blocks kept in memory.
    pub cache_bytes: u64,
    /// Whether a thread does the regular work: marks, syncs, flushes, purging. Without it,
    /// [`crate::Store::housekeep`] must be called.
    pub background: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            commit_mode: CommitMode::Group,
            write_buffer_bytes: 64 << 20,
            cache_bytes: 32 << 20,
            background: true,
        }
    }
}
