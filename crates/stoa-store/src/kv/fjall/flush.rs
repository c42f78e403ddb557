//! Flushing and marks: one memory budget over all spaces, and how far commits are known synced.
//!
//! fjall rotates memtables by their own size and keeps no total, so a thousand tables could hold a
//! thousand memtables. Here the largest memtable is flushed whenever the total passes the budget;
//! journals are bounded the same way, by flushing everything when too many pile up.

use std::time::Duration;

use ::fjall::{AbstractTree, Keyspace, PersistMode};

use super::filter::finished_by_this_thread;
use super::{Files, FjallKv};
use crate::error::{Outcome, StoreError};
use crate::integrity::{self, CommitPoint, JournalSeen, KV_FOLDER, Mark};
use crate::lock::lock;

/// How long commits may be synced before a mark says so.
const MARK_LAG: Duration = Duration::from_secs(1);
/// How many journals may pile up before everything is flushed.
const MOST_JOURNALS: usize = 4;
/// How often a wait looks again.
const POLL: Duration = Duration::from_millis(2);

/// How often a compaction that found the tables busy is tried again.
const COMPACTION_TRIES: usize = 15_000;

/// Compacts all tables of a space, waiting for other compactions of it to end.
pub(super) fn compact_whole(
    space: &Keyspace,
    fail: impl Fn(::fjall::Error) -> StoreError,
) -> Result<(), StoreError> {
    for _ in 0..COMPACTION_TRIES {
        if space.table_count() == 0 {
            return Ok(());
        }
        let before = finished_by_this_thread();
        space.major_compact().map_err(&fail)?;
        if finished_by_this_thread() > before {
            return Ok(());
        }
        std::thread::park_timeout(POLL);
    }
    Err(StoreError::io("a compaction did not get its turn"))
}

impl FjallKv {
    /// Whether more is in memory than may be.
    pub(super) fn is_over_budget(&self, files: &Files) -> bool {
        files.db.write_buffer_size() > self.options.write_buffer_bytes
    }

    /// Starts flushing the largest memtables while the total is over the budget.
    pub(super) fn relieve(&self, files: &Files) -> Result<(), StoreError> {
        if !self.is_over_budget(files) {
            return Ok(());
        }
        let spaces = files.spaces();
        let active = |space: &Keyspace| space.tree.active_memtable().size();
        let total: u64 = spaces.values().map(active).sum();
        if total <= self.options.write_buffer_bytes / 2 {
            // Enough is being flushed already.
            return Ok(());
        }
        self.mark_flushing()?;
        if files.db.journal_count() > MOST_JOURNALS {
            return self.rotate_all(files);
        }
        match spaces.values().max_by_key(|space| active(space)) {
            Some(largest) => self.rotate(largest),
            None => Ok(()),
        }
    }

    /// Flushes everything and waits for it.
    pub(super) fn flush_all(&self, files: &Files) -> Result<(), StoreError> {
        self.mark_flushing()?;
        self.rotate_all(files)?;
        while self.is_flushing(files) {
            // A dead worker would make this wait for ever; it poisons the database.
            files
                .db
                .persist(PersistMode::Buffer)
                .map_err(|error| self.fail(format!("flush: {error}"), Outcome::NotApplied))?;
            std::thread::park_timeout(POLL);
        }
        Ok(())
    }

    /// Writes a mark when commits were synced since the last one, or a flush has ended.
    pub(super) fn settle(&self, files: &Files) -> Result<(), StoreError> {
        let synced = lock(&self.chain).synced;
        let now = self.clock.monotonic();
        let (was_flushing, is_due) = {
            let marks = lock(&self.marks);
            let lag = now.saturating_sub(marks.written_at);
            (
                marks.flushing,
                synced.commit > marks.commit && lag >= MARK_LAG,
            )
        };
        // Only when the newest journal is alone can none vanish by itself.
        let is_flushing = was_flushing && (self.is_flushing(files) || files.db.journal_count() > 1);
        if is_due || is_flushing != was_flushing {
            self.write_mark(synced, is_flushing, false)?;
        }
        Ok(())
    }

    /// Leaves a mark that the store was closed with everything in tables.
    pub(super) fn mark_closed(&self) -> Result<(), StoreError> {
        let last = lock(&self.chain).last;
        self.write_mark(last, true, true)?;
        self.empty_journals().map_err(|error| {
            self.fail(format!("closing the journal: {error}"), Outcome::NotApplied)
        })?;
        self.write_mark(last, false, true)
    }

    /// Everything is in tables: the next open need not read the journals again. The newest file
    /// stays, because fjall takes its numbers from the journal it finds.
    fn empty_journals(&self) -> std::io::Result<()> {
        let kv = self.folder.join(KV_FOLDER);
        let journals = integrity::observe_journals(&kv)?;
        for (index, journal) in journals.iter().enumerate() {
            let path = kv.join(format!("{}.jnl", journal.id));
            if index + 1 < journals.len() {
                std::fs::remove_file(path)?;
            } else {
                let file = std::fs::OpenOptions::new().write(true).open(path)?;
                file.set_len(0)?;
                file.sync_all()?;
            }
        }
        std::fs::File::open(kv)?.sync_all()
    }

    fn rotate_all(&self, files: &Files) -> Result<(), StoreError> {
        for space in files.spaces().values() {
            if space.tree.active_memtable().size() > 0 {
                self.rotate(space)?;
            }
        }
        Ok(())
    }

    fn rotate(&self, space: &Keyspace) -> Result<(), StoreError> {
        // A commit asks the memtable for its number right after it; no rotation may come between.
        let _chain = lock(&self.chain);
        match space.rotate_memtable() {
            Ok(_) => Ok(()),
            Err(error) => Err(self.fail(format!("flush: {error}"), Outcome::NotApplied)),
        }
    }

    fn is_flushing(&self, files: &Files) -> bool {
        files.db.outstanding_flushes() > 0
            || files
                .spaces()
                .values()
                .any(|space| space.sealed_memtable_count() > 0)
    }

    /// Says on disk that journals may vanish from now on, before any does.
    pub(super) fn mark_flushing(&self) -> Result<(), StoreError> {
        if lock(&self.marks).flushing {
            return Ok(());
        }
        let synced = lock(&self.chain).synced;
        self.write_mark(synced, true, false)
    }

    fn write_mark(
        &self,
        point: CommitPoint,
        flushing: bool,
        clean: bool,
    ) -> Result<(), StoreError> {
        let mut marks = lock(&self.marks);
        let journals = integrity::observe_journals(&self.folder.join(KV_FOLDER))
            .map_err(|error| self.fail(format!("mark: {error}"), Outcome::NotApplied))?;
        let journals = match clean {
            // Everything is in tables: no journal has anything that is needed.
            true => journals
                .iter()
                .map(|it| JournalSeen {
                    first_commit: None,
                    ..*it
                })
                .collect(),
            false => journals,
        };
        let mark = Mark {
            generation: 0,
            commit: point.commit,
            chain_hash: point.chain_hash,
            seqno: point.seqno,
            clean,
            flushing,
            journals,
        };
        marks
            .slots
            .write(&mark)
            .map_err(|error| self.fail(format!("mark: {error}"), Outcome::NotApplied))?;
        marks.commit = point.commit;
        marks.flushing = flushing;
        marks.written_at = self.clock.monotonic();
        Ok(())
    }
}
