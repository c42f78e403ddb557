//! Integrity of a store's files: read-only checks before every open, and the
//! double-slot mark of the last synced commit.
//!
//! fjall keeps the rows. Alone it would answer from some damaged files, drop
//! commits silently or take the process down, so each of our commits carries a
//! [`CommitRecord`] that chains it to the one before, a [`Mark`] remembers
//! beside the database how far the chain was synced, and [`check_before_open`]
//! verifies all that fjall trusts before it may open anything.
//!
//! How a store uses this:
//!
//! 1. Take the lock, then [`check_before_open`]; on damage, stop.
//! 2. If the verdict is [`StoreState::Unborn`]: remove `kv`, then
//!    [`create_format_file`], create the fjall database and its keyspaces, and
//!    write the first [`Mark`] (commit 0). Only then commit anything.
//! 3. Otherwise write a mark with `flushing` set (fjall flushes and removes old
//!    journals while it opens), [`repair`], open fjall, and pass the record it
//!    shows to [`Verdict::confirm`].
//! 4. Before a flush begins, write a mark with `flushing` set; after commits were
//!    synced, at most once a second, one with the last of them and
//!    [`observe_journals`].
//!
//! Invariants: (1) nothing here writes to fjall's files but [`repair`]; (2) no
//! decoder panics or allocates more than a small multiple of its input; (3) no
//! length read from a file is followed before it was verified.
//!
//! Not covered: files made by someone who recomputes the checksums; damage done
//! to a file after the check, which fjall's own checksums meet at the next read.

mod chain;
mod commit_record;
mod conclusion;
mod damage;
mod fields;
mod files;
mod format;
mod full;
mod journal;
mod journal_files;
mod journals;
mod mark;
mod prepass;
mod tables;
mod tail;
#[cfg(test)]
mod tests;

pub use self::{
    chain::CommitPoint,
    commit_record::{
        CHAIN_KEY, CHAIN_KEYSPACE, CHAIN_START, COMMIT_RECORD_BYTES, ChainHasher, CommitRecord,
        ItemKind,
    },
    damage::{Damage, DamageKind},
    format::{FORMAT_FILE, FORMAT_VERSION, create_format_file, read_format_file},
    full::{Progress, full_check},
    journal::{Batch, BrokenCause, Item, JournalReader, JournalStep},
    journal_files::{JournalSeen, KV_FOLDER, observe_journals},
    journals::Truncation,
    mark::{MARK_FILES, Mark, MarkSlots},
    prepass::{LastCommit, ReadCounts, StoreState, Verdict, check_before_open, repair},
    tables::{KEYSPACES_FOLDER, space_of_name},
};
