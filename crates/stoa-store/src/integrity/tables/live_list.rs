//! Which list of tables counts: the one that `current` names, or the one before it.
//!
//! fjall writes list `vN`, syncs it, then lets `current` name it. If a sync after that fails,
//! `current` may name `vN` on disk while fjall goes on from `v(N-1)`, and the next list that it
//! writes is another `vN`, over the live one. A power cut can then leave a `vN` without the checksum
//! that `current` names. Nothing is lost by that: fjall lets go of tables and journals only after a
//! list was written without an error, so what `v(N-1)` lists is there, and the journals hold the rest.
//!
//! A `vN` that was damaged after it was written well looks the same. So the older list counts only
//! if nothing can have been in the newer one alone:
//!
//! 1. The store was not closed cleanly: then the last list of each keyspace was written well.
//! 2. The older list reads, and every table it lists is there, whole, with the checksum it names.
//! 3. The journals hold all that came after it; or the tables of the newer list are there to be
//!    seen, unlisted, and hold nothing else (tables made by merging hold nothing new).
//! 4. For keyspace 0, which is in no journal, instead of 3: keyspaces that the older list does not
//!    name hold nothing.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_128;

use super::{
    table_file::{check_table, check_whole},
    version_file::{CURRENT_FILE, Current, ListedTable, decode_list, list_file, read_list},
};
use crate::integrity::{commit_record::CommitRecord, damage::Damage, files::Files, mark::Mark};

/// The tables that a keyspace consists of.
#[derive(Debug)]
pub(crate) struct LiveList {
    pub(crate) tables: Vec<ListedTable>,
    /// Set if `current` names another list, which is broken.
    pub(crate) older: Option<OlderList>,
}

/// A list that counts in place of a broken one if the journals bear it out.
#[derive(Debug)]
pub(crate) struct OlderList {
    /// What is wrong with the list that `current` names.
    pub(crate) damage: Damage,
    /// The file that must name this list instead.
    pub(crate) file: String,
    /// The bytes it must have.
    pub(crate) bytes: Vec<u8>,
    proof: Proof,
}

/// What must be seen in the journals so that an older list counts.
#[derive(Debug)]
enum Proof {
    /// They hold all that came after the list, or what the newer list's tables hold beyond it.
    Tables {
        /// The highest sequence number in the listed tables.
        highest: u64,
        unlisted: Unlisted,
    },
    /// They do not write to these keyspaces.
    Unnamed(BTreeSet<u64>),
}

/// What the whole tables that no list names say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unlisted {
    /// There is none, or one does not read.
    Unknown,
    /// All were made by merging listed ones.
    Merged,
    /// They hold something new, from this sequence number on.
    New(u64),
}

impl OlderList {
    /// Whether nothing is missing, given the first commit in the journals and the keyspaces that
    /// they write to.
    pub(crate) fn is_borne_out(
        &self,
        mark: &Mark,
        first: Option<&CommitRecord>,
        keyspaces: &BTreeSet<u64>,
    ) -> bool {
        let hold_from = |lowest: u64| {
            first.is_some_and(|first| {
                let is_known = first.previous_seqno > 0 || first.commit == 1;
                is_known && first.previous_seqno < lowest
            })
        };
        let is_proven = match &self.proof {
            Proof::Unnamed(unnamed) => unnamed.is_disjoint(keyspaces),
            Proof::Tables { highest, unlisted } => {
                hold_from(highest.saturating_add(1))
                    || match *unlisted {
                        Unlisted::Unknown => false,
                        Unlisted::Merged => true,
                        Unlisted::New(lowest) => hold_from(lowest),
                    }
            }
        };
        is_proven && !mark.clean
    }

    /// Makes it the list of keyspace 0, which does not name these keyspaces.
    pub(crate) fn of_names(mut self, unnamed: BTreeSet<u64>) -> Self {
        self.proof = Proof::Unnamed(unnamed);
        self
    }
}

/// The list of the keyspace in `folder`.
pub(crate) fn live_list(files: &Files, folder: &str) -> Result<LiveList, Damage> {
    let current = Current::read(files, folder)?;
    let file = list_file(folder, current.number);
    let bytes = read_list(files, folder, current.number)?;
    if xxh3_128(&bytes) == current.checksum {
        let tables = decode_list(&file, &bytes)?;
        return Ok(LiveList {
            tables,
            older: None,
        });
    }
    let what = format!("does not have the checksum that {folder}/{CURRENT_FILE} names");
    let damage = || Damage::corrupt(&file, what.clone());
    let number = current.number.checked_sub(1).ok_or_else(damage)?;
    // Whatever keeps the older list from counting, the damage is that of the newer one.
    let (tables, bytes) = older_list(files, folder, number).map_err(|_| damage())?;
    let proof = proof(files, folder, &tables).map_err(|_| damage())?;
    let older = OlderList {
        damage: damage(),
        file: format!("{folder}/{CURRENT_FILE}"),
        bytes,
        proof,
    };
    Ok(LiveList {
        tables,
        older: Some(older),
    })
}

/// The tables of an older list, each verified to its last byte, and what `current` must say of it.
fn older_list(
    files: &Files,
    folder: &str,
    number: u64,
) -> Result<(Vec<ListedTable>, Vec<u8>), Damage> {
    let bytes = read_list(files, folder, number)?;
    let tables = decode_list(&list_file(folder, number), &bytes)?;
    for listed in &tables {
        check_whole(files, &check_table(files, folder, listed)?)?;
    }
    let checksum = xxh3_128(&bytes);
    Ok((tables, Current { number, checksum }.encode()))
}

/// What the listed and the unlisted tables ask of the journals.
fn proof(files: &Files, folder: &str, tables: &[ListedTable]) -> Result<Proof, Damage> {
    let mut highest = 0;
    for listed in tables {
        highest = highest.max(check_table(files, folder, listed)?.highest_seqno);
    }
    let mut unlisted = None;
    for found in files.list(&format!("{folder}/tables"))? {
        let Ok(id) = found.name.parse::<u64>() else {
            continue;
        };
        if tables.iter().any(|listed| listed.id == id) {
            continue;
        }
        let table = ListedTable {
            id,
            checksum: 0,
            added_seqno: 0,
        };
        let seen = match check_table(files, folder, &table) {
            Err(_) => Unlisted::Unknown,
            Ok(table) if !tables.is_empty() && table.highest_seqno <= highest => Unlisted::Merged,
            Ok(table) => Unlisted::New(table.lowest_seqno),
        };
        unlisted = Some(match (unlisted, seen) {
            (Some(Unlisted::Unknown), _) | (_, Unlisted::Unknown) => Unlisted::Unknown,
            (Some(Unlisted::New(one)), Unlisted::New(other)) => Unlisted::New(one.min(other)),
            (Some(Unlisted::New(one)), Unlisted::Merged) => Unlisted::New(one),
            (None | Some(Unlisted::Merged), seen) => seen,
        });
    }
    let unlisted = unlisted.unwrap_or(Unlisted::Unknown);
    Ok(Proof::Tables { highest, unlisted })
}
