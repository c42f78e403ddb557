//! All journals of a store, walked in order and held against the mark.

use std::collections::BTreeSet;

use super::{
    chain::Chain,
    damage::{Damage, DamageKind},
    files::Files,
    journal::{JournalReader, JournalStep},
    journal_files::journal_file,
    mark::Mark,
    tail::tail_damage,
};

/// Where a journal is to be cut before fjall opens it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// The journal, relative to the store's folder.
    pub file: String,
    /// How many bytes of it stay.
    pub keep_bytes: u64,
}

/// What a walk over one journal gave.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) batches: u64,
    /// Where its whole batches end.
    pub(crate) end: u64,
    pub(crate) first_commit: Option<u64>,
    /// It holds bytes after `end` that do not count.
    pub(crate) has_tail: bool,
    /// The keyspaces that its batches write to.
    pub(crate) keyspaces: BTreeSet<u64>,
}

/// Which end a journal may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndRule {
    /// Whole to its end: another journal was begun after it was synced.
    Sealed,
    /// Perhaps torn: it was being written.
    Newest,
}

/// The journals that are there must be those that the mark lets us expect.
pub(crate) fn check_presence(present: &[u64], mark: &Mark) -> Result<(), Damage> {
    for (&id, &next) in present.iter().zip(present.iter().skip(1)) {
        if id.checked_add(1) != Some(next) {
            let file = journal_file(id.saturating_add(1));
            return Err(gone(
                &file,
                "is missing, though older and newer ones are there",
            ));
        }
    }
    let oldest = present.first().copied();
    for seen in &mark.journals {
        let flushed = mark.flushing && oldest.is_some_and(|oldest| seen.id < oldest);
        if !present.contains(&seen.id) && !flushed {
            return Err(gone(
                &journal_file(seen.id),
                "is missing, though the mark lists it",
            ));
        }
    }
    let listed = mark.journals.first().map(|seen| seen.id);
    match (oldest, listed) {
        (None, _) => Err(gone(
            &journal_file(0),
            "is missing: there is no journal at all",
        )),
        (Some(oldest), Some(listed)) if oldest < listed => {
            let what = "is older than any journal that the mark lists";
            Err(Damage::corrupt(&journal_file(oldest), what))
        }
        _ => Ok(()),
    }
}

fn gone(file: &str, what: &str) -> Damage {
    Damage::new(DamageKind::Missing, file, what)
}

/// Walks one journal, admitting its batches to the chain, up to and including
/// the commit `discard_after`.
pub(crate) fn walk_journal(
    files: &Files,
    id: u64,
    rule: EndRule,
    discard_after: Option<u64>,
    chain: &mut Chain<'_>,
) -> Result<Walked, Damage> {
    let file = journal_file(id);
    let unreadable = |e| Damage::from_io(&file, e);
    let mut reader = JournalReader::open(&files.path(&file)).map_err(unreadable)?;
    let mut walked = Walked::default();
    loop {
        let last = chain.last.map_or(0, |point| point.commit);
        let discarding = discard_after.is_some_and(|after| last >= after && last > 0);
        match reader.step().map_err(unreadable)? {
            JournalStep::End(_) => return Ok(walked),
            _ if discarding => {
                walked.has_tail = true;
                return Ok(walked);
            }
            JournalStep::Batch(batch) => {
                let refused = |what| Damage::corrupt(&file, what).at(batch.start());
                let record = chain.admit(&batch).map_err(refused)?;
                if discard_after.is_some_and(|after| record.commit > after) {
                    chain.restart();
                    walked.has_tail = true;
                    return Ok(walked);
                }
                walked.first_commit.get_or_insert(record.commit);
                walked
                    .keyspaces
                    .extend(batch.items().map(|item| item.keyspace_id));
                walked.batches += 1;
                walked.end = batch.end();
            }
            JournalStep::Broken { offset, cause } if rule == EndRule::Sealed => {
                return Err(Damage::corrupt(&file, cause.to_string()).at(offset));
            }
            JournalStep::Broken { offset, .. } => {
                let path = files.path(&file);
                if let Some(what) = tail_damage(&path, offset, last).map_err(unreadable)? {
                    return Err(Damage::corrupt(&file, what).at(offset));
                }
                walked.has_tail = true;
                return Ok(walked);
            }
        }
    }
}

/// A journal that the mark lists with a synced first commit must begin with it.
/// One that the mark lists without, or with a later one, may since have got any:
/// the journals are observed a moment before or after the mark's commit.
pub(crate) fn check_first_commit(id: u64, walked: &Walked, mark: &Mark) -> Result<(), Damage> {
    let Some(seen) = mark.journals.iter().find(|seen| seen.id == id) else {
        return Ok(());
    };
    let file = journal_file(id);
    let synced = seen.first_commit.filter(|&commit| commit <= mark.commit);
    match (synced, walked.first_commit) {
        (Some(expected), None) => {
            let what = format!(
                "commits {expected} to {} were synced to disk and are missing here",
                mark.commit
            );
            Err(Damage::new(DamageKind::Shortened, &file, what).at(walked.end))
        }
        (Some(expected), Some(found)) if expected != found => {
            let what = format!("begins with commit {found}, the mark says {expected}");
            Err(Damage::corrupt(&file, what).at(0))
        }
        _ => Ok(()),
    }
}
