//! Journals, mark and tables held against each other: where does the chain end?
//!
//! A journal is removed only after all of it was flushed, oldest first, and
//! nothing is flushed before the journal was synced. Hence: (1) what comes before
//! the oldest commit in the journals must be in the tables; (2) no table may be
//! ahead of the newest commit in the journals, if they hold any.

use super::{
    chain::{Chain, CommitPoint},
    commit_record::CHAIN_KEYSPACE,
    damage::{Damage, DamageKind},
    journal_files::KV_FOLDER,
    mark::Mark,
    prepass::LastCommit,
    tables::{OlderList, keyspace_folder},
};

/// What the tables say of the commits flushed to them.
#[derive(Debug, Default)]
pub(crate) struct Flushed {
    /// The keyspace that holds the commit records.
    pub(crate) chain_keyspace: Option<u64>,
    /// The sequence number of the last commit flushed there. fjall keeps the
    /// newest version of a key, so this is exact.
    pub(crate) chain: u64,
    /// The highest sequence number in any table but fjall's own.
    pub(crate) highest: u64,
    /// The highest sequence number in fjall's own tables.
    pub(crate) highest_name: u64,
    /// The highest number of a keyspace's folder.
    pub(crate) highest_folder: u64,
    pub(crate) tables: u64,
    /// Lists of tables that stand in for broken ones.
    pub(crate) older: Vec<OlderList>,
}

impl Flushed {
    pub(crate) fn add(&mut self, id: u64, name: &str, highest_seqno: Option<u64>) {
        let highest = highest_seqno.unwrap_or(0);
        self.highest = self.highest.max(highest);
        if name == CHAIN_KEYSPACE {
            self.chain_keyspace = Some(id);
            self.chain = highest;
        }
    }
}

/// Holds the journals as a whole against the mark and the tables.
pub(crate) fn conclude(
    chain: &Chain<'_>,
    mark: &Mark,
    flushed: &Flushed,
    discard_after: Option<u64>,
) -> Result<LastCommit, Damage> {
    let lost = |what: String| Err(Damage::new(DamageKind::Shortened, KV_FOLDER, what));
    let (Some(first), Some(last)) = (chain.first, chain.last) else {
        return in_tables(mark, flushed);
    };
    if last.commit < mark.commit {
        return lost(format!(
            "commits {} to {} were synced to disk and are missing",
            last.commit.saturating_add(1),
            mark.commit
        ));
    }
    if !mark.flushing && first.commit > mark.commit.saturating_add(1) {
        return lost(format!(
            "the journals begin with commit {}, but nothing was flushed since the mark at commit {}",
            first.commit, mark.commit
        ));
    }
    if flushed.chain < first.previous_seqno {
        return lost(format!(
            "the commits before {} are neither in a journal nor in the tables",
            first.commit
        ));
    }
    if flushed.highest > last.seqno {
        let why = discard_after.map_or(
            "are missing in the journals",
            |_| "are to be discarded, but the tables already hold them",
        );
        let folder = keyspace_folder(flushed.chain_keyspace.unwrap_or(0));
        let what = format!("commits after {} {why}", last.commit);
        return Err(Damage::new(DamageKind::Shortened, &folder, what));
    }
    Ok(LastCommit::Known(last))
}

/// No journal holds a commit: the tables must hold the mark's.
fn in_tables(mark: &Mark, flushed: &Flushed) -> Result<LastCommit, Damage> {
    let at_least = match mark.commit {
        0 => CommitPoint::START,
        commit => CommitPoint {
            commit,
            chain_hash: mark.chain_hash,
            seqno: mark.seqno,
        },
    };
    let seqno = flushed.chain;
    if seqno < mark.seqno {
        let what = format!(
            "commit {} was synced to disk, but is neither in a journal nor in the tables",
            mark.commit
        );
        return Err(Damage::new(DamageKind::Shortened, KV_FOLDER, what));
    }
    if seqno == mark.seqno {
        return Ok(LastCommit::Known(at_least));
    }
    if mark.commit > 0 && mark.seqno == 0 || mark.flushing {
        return Ok(LastCommit::InTables { at_least, seqno });
    }
    let what = "commits after the mark were flushed, but the journals that held them are gone";
    Err(Damage::new(DamageKind::Shortened, KV_FOLDER, what))
}
