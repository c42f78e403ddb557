//! The commit chain over the journals: each batch confirms the one before.
//!
//! Invariants of an admitted batch: (1) its first item is a commit record and it
//! has as many other items as that says; (2) its commit number is one above the
//! previous; (3) its chain hash is the one recomputed from its items, whenever
//! the previous hash is known (always but for the oldest batch there is); (4) its
//! sequence number is above the previous and at most 2^32 above, and the next
//! record, or the mark, confirms it; (5) at the mark's commit, number, hash and
//! sequence number are the mark's.

use super::{
    commit_record::{CHAIN_KEY, CHAIN_START, ChainHasher, CommitRecord, ItemKind},
    journal::Batch,
    mark::Mark,
};

/// Background work of fjall takes some sequence numbers, but never this many
/// between two commits.
const HIGHEST_JUMP: u64 = 1 << 32;

/// A place in the commit chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitPoint {
    /// The commit number; 0 before the first.
    pub commit: u64,
    /// The chain hash after that commit.
    pub chain_hash: u64,
    /// fjall's sequence number of that commit; 0 if unknown.
    pub seqno: u64,
}

impl CommitPoint {
    /// The place before the first commit.
    pub const START: Self = Self {
        commit: 0,
        chain_hash: CHAIN_START,
        seqno: 0,
    };
}

/// Admits batches one after another.
#[derive(Debug)]
pub(crate) struct Chain<'a> {
    mark: &'a Mark,
    keyspace: Option<u64>,
    highest_flushed: u64,
    pub(crate) first: Option<CommitRecord>,
    pub(crate) last: Option<CommitPoint>,
}

impl<'a> Chain<'a> {
    /// `keyspace` is the id of the one with the commit records, `highest_flushed`
    /// the highest sequence number in any table.
    pub(crate) fn new(mark: &'a Mark, keyspace: Option<u64>, highest_flushed: u64) -> Self {
        Self {
            mark,
            keyspace,
            highest_flushed,
            first: None,
            last: None,
        }
    }

    pub(crate) fn mark(&self) -> &'a Mark {
        self.mark
    }

    /// Goes on as if there were no earlier batch, after one that was damaged.
    pub(crate) fn restart(&mut self) {
        self.last = None;
    }

    pub(crate) fn admit(&mut self, batch: &Batch) -> Result<CommitRecord, String> {
        let record = self.record(batch)?;
        let previous = self.previous(&record)?;
        self.check_seqno(batch, &record, previous)?;
        if let Some(previous) = previous {
            let mut hasher = ChainHasher::after(previous.chain_hash);
            for item in batch.items().skip(1) {
                hasher.item(item.keyspace_id, item.kind, item.key, item.value);
            }
            if hasher.finish() != record.chain_hash {
                return Err(format!(
                    "commit {} does not continue the chain of commits before it",
                    record.commit
                ));
            }
        }
        let point = CommitPoint {
            commit: record.commit,
            chain_hash: record.chain_hash,
            seqno: batch.seqno(),
        };
        self.check_mark(point)?;
        self.first.get_or_insert(record);
        self.last = Some(point);
        Ok(record)
    }

    fn record(&self, batch: &Batch) -> Result<CommitRecord, String> {
        let first = batch.items().next();
        let record = first
            .filter(|item| item.kind == ItemKind::Put && item.key == CHAIN_KEY)
            .filter(|item| self.keyspace == Some(item.keyspace_id))
            .and_then(|item| CommitRecord::decode(item.value));
        match record {
            None => Err("a batch that is no commit of this store stands here".to_owned()),
            Some(record) if record.other_items.checked_add(1) != Some(batch.item_count()) => {
                Err(format!("commit {} has lost items", record.commit))
            }
            Some(record) => Ok(record),
        }
    }

    /// The commit before, if anything is known of it.
    fn previous(&self, record: &CommitRecord) -> Result<Option<CommitPoint>, String> {
        if let Some(last) = self.last {
            if last.commit.checked_add(1) != Some(record.commit) {
                let commit = record.commit;
                return Err(format!("commit {commit} follows commit {}", last.commit));
            }
            return Ok(Some(last));
        }
        if record.commit == 1 {
            return Ok(Some(CommitPoint::START));
        }
        let from_mark = CommitPoint {
            commit: self.mark.commit,
            chain_hash: self.mark.chain_hash,
            seqno: self.mark.seqno,
        };
        Ok((self.mark.commit.checked_add(1) == Some(record.commit)).then_some(from_mark))
    }

    fn check_seqno(
        &self,
        batch: &Batch,
        record: &CommitRecord,
        previous: Option<CommitPoint>,
    ) -> Result<(), String> {
        let known = previous.map_or(0, |point| point.seqno);
        let (seqno, said) = (batch.seqno(), record.previous_seqno);
        if said != 0 && known != 0 && said != known {
            return Err(format!(
                "the sequence number of commit {} is {known}, commit {} says {said}",
                record.commit.saturating_sub(1),
                record.commit
            ));
        }
        let floor = known.max(said);
        let reference = floor.max(self.mark.seqno).max(self.highest_flushed);
        let above = seqno > floor || (floor == 0 && record.commit == 1);
        if above && seqno <= reference.saturating_add(HIGHEST_JUMP) {
            Ok(())
        } else {
            Err(format!(
                "the sequence number of commit {} is {seqno}, impossible after {reference}",
                record.commit
            ))
        }
    }

    fn check_mark(&self, point: CommitPoint) -> Result<(), String> {
        let mark = self.mark;
        if point.commit != mark.commit {
            return Ok(());
        }
        let same_seqno = mark.seqno == 0 || mark.seqno == point.seqno;
        if mark.chain_hash == point.chain_hash && same_seqno {
            Ok(())
        } else {
            let commit = point.commit;
            Err(format!(
                "commit {commit} is not the one that the mark remembers"
            ))
        }
    }
}
