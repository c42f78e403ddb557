//! The full check of `stoa check`: everything, and on past the first damage.
//!
//! On top of the check before an open it reads every table file to its last
//! byte: each data block's checksum, and the whole file's against the version
//! file. Rows are not decoded here.

use std::{collections::BTreeSet, path::Path};

use super::{
    chain::Chain,
    conclusion::{Flushed, conclude},
    damage::{Damage, DamageKind},
    files::Files,
    format::read_format_file,
    journal_files::list_journals,
    journals::{check_first_commit, check_presence, walk_journal},
    mark::MarkSlots,
    prepass::{check_closed, check_unborn, with_rules},
    tables::{
        KeyspaceNames, check_data, check_keyspace_names, check_table, check_table_names,
        check_whole, keyspace_folder, live_list, require_keyspace, space_of_name,
    },
};

/// What a full check is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A keyspace's list of tables was read; it counts as empty if it is damaged.
    Keyspace {
        /// fjall's id of the keyspace.
        id: u64,
        /// The space that it holds, if its name is that of one.
        space: Option<u64>,
        /// How many tables it has.
        tables: usize,
    },
    /// A table file was read whole.
    Table {
        /// Its length.
        bytes: u64,
    },
    /// A journal was read.
    Journal {
        /// The number in its file name.
        id: u64,
        /// How many whole batches it holds.
        batches: u64,
    },
}

/// Checks everything in the store in `dir`, which nobody may have open, and
/// gives all damage found; nothing if the store is whole or not created yet.
///
/// A torn end of the newest journal is no damage: the next open cuts it off.
pub fn full_check(dir: &Path, progress: &mut dyn FnMut(Progress)) -> Vec<Damage> {
    let mut check = FullCheck {
        files: Files::new(dir),
        damages: Vec::new(),
        progress,
    };
    match read_format_file(dir) {
        Ok(None) => return Vec::new(),
        Ok(Some(_)) => {}
        Err(damage) if damage.kind() == DamageKind::Corrupt => check.damages.push(damage),
        Err(damage) => return vec![damage],
    }
    let slots = check.keep(MarkSlots::open(dir));
    let mark = slots.as_ref().and_then(|slots| slots.latest().cloned());
    if slots.is_some() && mark.is_none() {
        let unborn = check_unborn(&check.files);
        check.keep(unborn);
        return check.damages;
    }
    // Without a mark the journals are still checked for being a chain.
    let known_mark = mark.is_some();
    let mark = mark.unwrap_or_default();
    let list = check_keyspace_names(&check.files);
    // Without names it is unknown whose the tables and the journals' items are.
    if let Some(list) = check.keep(list) {
        let mut flushed = check.tables(&list.names);
        flushed.older.extend(list.older);
        let chain = Chain::new(&mark, flushed.chain_keyspace, flushed.highest);
        check.journals(chain, flushed, known_mark);
    }
    check.damages
}

struct FullCheck<'a> {
    files: Files,
    damages: Vec<Damage>,
    progress: &'a mut dyn FnMut(Progress),
}

impl FullCheck<'_> {
    /// Notes damage and goes on with what there is.
    fn keep<T>(&mut self, found: Result<T, Damage>) -> Option<T> {
        found.map_err(|damage| self.damages.push(damage)).ok()
    }

    fn tables(&mut self, names: &KeyspaceNames) -> Flushed {
        let mut flushed = Flushed::default();
        for (&id, name) in names {
            let there = require_keyspace(&self.files, id, name);
            if self.keep(there).is_none() {
                continue;
            }
            let folder = keyspace_folder(id);
            let strangers = check_table_names(&self.files, &folder);
            self.keep(strangers);
            let list = live_list(&self.files, &folder);
            let list = self.keep(list);
            (self.progress)(Progress::Keyspace {
                id,
                space: space_of_name(name),
                tables: list.as_ref().map_or(0, |list| list.tables.len()),
            });
            let Some(list) = list else {
                continue;
            };
            flushed.older.extend(list.older);
            let listed = list.tables;
            let mut highest_seqno = None;
            for table in &listed {
                let checked = check_table(&self.files, &folder, table);
                let Some(table) = self.keep(checked) else {
                    continue;
                };
                highest_seqno = highest_seqno.max(Some(table.highest_seqno));
                let blocks = check_data(&self.files, &table);
                if blocks.is_empty() {
                    // A damaged block changes the whole file's checksum too; once is enough.
                    let whole = check_whole(&self.files, &table);
                    self.keep(whole);
                }
                self.damages.extend(blocks);
                (self.progress)(Progress::Table {
                    bytes: table.size(),
                });
            }
            flushed.add(id, name, highest_seqno);
        }
        flushed
    }

    fn journals(&mut self, mut chain: Chain<'_>, mut flushed: Flushed, known_mark: bool) {
        let listed = list_journals(&self.files);
        let Some(journals) = self.keep(listed) else {
            return;
        };
        if known_mark {
            let presence = check_presence(&journals, chain.mark());
            self.keep(presence);
        }
        let mut written = BTreeSet::new();
        for (id, rule) in with_rules(&journals) {
            let walked = walk_journal(&self.files, id, rule, None, &mut chain);
            let Some(walked) = self.keep(walked) else {
                chain.restart();
                continue;
            };
            (self.progress)(Progress::Journal {
                id,
                batches: walked.batches,
            });
            if known_mark {
                let first = check_first_commit(id, &walked, chain.mark());
                self.keep(first);
                let closed = check_closed(id, &walked, chain.mark());
                self.keep(closed);
            }
            written.extend(walked.keyspaces);
        }
        for list in std::mem::take(&mut flushed.older) {
            if !list.is_borne_out(chain.mark(), chain.first.as_ref(), &written) {
                self.damages.push(list.damage);
            }
        }
        // The sum is judged only if every part was found whole.
        if known_mark && self.damages.is_empty() {
            let concluded = conclude(&chain, chain.mark(), &flushed, None);
            self.keep(concluded.map(|_| ()));
        }
    }
}
