//! The check before every open: is what fjall will read what we wrote?
//!
//! fjall ends a damaged journal silently, deletes keyspaces it does not know and
//! follows some lengths before it verifies them. So everything it trusts is
//! verified first, by reading only; what is above the mark and torn is cut off
//! by [`repair`], before fjall sees it.
//!
//! The verdict rests on, in this order: the format file, the mark, the
//! keyspaces' tables, the journals. Invariants: (1) [`check_before_open`] changes
//! no file; (2) without damage, the commits up to the verdict's last one are all
//! there, in tables or in journals, and none after it.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{
    chain::{Chain, CommitPoint},
    commit_record::CommitRecord,
    conclusion::{Flushed, conclude},
    damage::{Damage, DamageKind},
    files::Files,
    format::read_format_file,
    journal::{JournalReader, JournalStep},
    journal_files::{KV_FOLDER, journal_file, list_journals},
    journals::{EndRule, Truncation, Walked, check_first_commit, check_presence, walk_journal},
    mark::{MARK_FILES, Mark, MarkSlots},
    tables::{KeyspaceNames, any_table_file, check_keyspace, check_keyspace_names, list_files},
};

/// The number that fjall gives to the first keyspace of a new database.
const FIRST_KEYSPACE: u64 = 1;

/// What the check before an open found in a store without damage.
#[derive(Clone, Debug)]
pub struct Verdict {
    dir: PathBuf,
    /// Whether there is a store yet.
    pub state: StoreState,
    /// The last commit.
    pub last: LastCommit,
    /// The newest mark, if there is a store.
    pub mark: Option<Mark>,
    /// What [`repair`] must cut off before fjall may open the store.
    pub truncations: Vec<Truncation>,
    /// What [`repair`] must write: files that name a list of tables, and their bytes.
    pub restored_lists: Vec<(String, Vec<u8>)>,
    /// What [`repair`] must sync: after a failed sync the files may be newer than the disk.
    pub unsynced: Vec<String>,
    /// The highest sequence number in fjall's own keyspace, which fjall forgets when it opens.
    pub highest_name: u64,
    /// The number that fjall will give to the next keyspace.
    pub next_keyspace: u64,
    /// How much was read.
    pub read: ReadCounts,
}

/// Whether a folder holds a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreState {
    /// No mark was ever written, so no commit either: nothing is there, or only
    /// the beginnings of a store. Whatever is in the folder of the fjall
    /// database may be removed and created anew.
    Unborn,
    /// A store.
    Whole,
}

/// Where the chain of commits ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastCommit {
    /// At this commit.
    Known(CommitPoint),
    /// All journals were flushed and removed after the mark was written. The
    /// last commit is the one of sequence number `seqno`, at or after the mark's;
    /// its record is in the tables: see [`Verdict::confirm`].
    InTables {
        /// The mark's commit.
        at_least: CommitPoint,
        /// fjall's number of the last commit.
        seqno: u64,
    },
}

/// How much a check has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadCounts {
    /// Journal files.
    pub journals: u64,
    /// Whole batches in them.
    pub batches: u64,
    /// Bytes of those batches.
    pub journal_bytes: u64,
    /// Table files of all keyspaces but fjall's own.
    pub tables: u64,
}

impl Verdict {
    /// Compares the verdict with the commit record that fjall shows after the
    /// open, and gives the place from which the next commit goes on.
    ///
    /// # Errors
    ///
    /// Damage if fjall shows another record than the journals and the mark let
    /// us expect: then it has lost commits on its way.
    pub fn confirm(&self, stored: Option<&[u8]>) -> Result<CommitPoint, Damage> {
        let folder = format!("{KV_FOLDER}/keyspaces");
        let record = match stored {
            None => None,
            Some(bytes) => match CommitRecord::decode(bytes) {
                None => return Err(Damage::corrupt(&folder, "the commit record does not read")),
                some => some,
            },
        };
        let (commit, chain_hash) = record.map_or((0, CommitPoint::START.chain_hash), |record| {
            (record.commit, record.chain_hash)
        });
        let (confirmed, seqno) = match self.last {
            LastCommit::Known(point) => (
                (point.commit, point.chain_hash) == (commit, chain_hash),
                point.seqno,
            ),
            LastCommit::InTables { at_least, seqno } => (
                commit > at_least.commit
                    || (commit, chain_hash) == (at_least.commit, at_least.chain_hash),
                seqno,
            ),
        };
        if confirmed {
            Ok(CommitPoint {
                commit,
                chain_hash,
                seqno,
            })
        } else {
            let what = format!(
                "hold commit {commit} as the last, expected was {:?}",
                self.last
            );
            Err(Damage::new(DamageKind::Shortened, &folder, what))
        }
    }

    fn unborn(dir: &Path) -> Self {
        Self {
            dir: dir.to_path_buf(),
            state: StoreState::Unborn,
            last: LastCommit::Known(CommitPoint::START),
            mark: None,
            truncations: Vec::new(),
            restored_lists: Vec::new(),
            unsynced: Vec::new(),
            highest_name: 0,
            next_keyspace: FIRST_KEYSPACE,
            read: ReadCounts::default(),
        }
    }
}

/// Checks the store in `dir`, which nobody may have open, without changing it.
///
/// With `discard_after`, everything after that commit is to be cut off: the
/// process saw a sync of it fail and acknowledged none of it.
///
/// # Errors
///
/// The first damage met. fjall must then not open the store: it might answer
/// from it, or destroy what could be saved.
pub fn check_before_open(dir: &Path, discard_after: Option<u64>) -> Result<Verdict, Damage> {
    let files = Files::new(dir);
    if read_format_file(dir)?.is_none() {
        return Ok(Verdict::unborn(dir));
    }
    let slots = MarkSlots::open(dir)?;
    let Some(mark) = slots.latest() else {
        check_unborn(&files)?;
        return Ok(Verdict::unborn(dir));
    };
    check_discard(mark, discard_after)?;
    let (mut flushed, names) = check_tables(&files)?;
    let journals = list_journals(&files)?;
    check_presence(&journals, mark)?;
    let mut chain = Chain::new(mark, flushed.chain_keyspace, flushed.highest);
    let mut verdict = Verdict {
        state: StoreState::Whole,
        mark: Some(mark.clone()),
        ..Verdict::unborn(dir)
    };
    verdict.read.tables = flushed.tables;
    verdict.highest_name = flushed.highest_name;
    // fjall goes on above all folders and all that its journals write to, and at least above 1.
    verdict.next_keyspace = flushed.highest_folder.max(FIRST_KEYSPACE).saturating_add(1);
    let mut newest = (String::new(), 0);
    let mut written = BTreeSet::new();
    let mut is_cut = false;
    for (id, rule) in with_rules(&journals) {
        let walked = if is_cut {
            cut_whole(&files, id)?
        } else {
            walk_journal(&files, id, rule, discard_after, &mut chain)?
        };
        if !is_cut {
            check_first_commit(id, &walked, mark)?;
        }
        check_closed(id, &walked, mark)?;
        verdict.add(id, &walked);
        is_cut |= walked.has_tail;
        written.extend(walked.keyspaces);
        newest = (journal_file(id), walked.end);
    }
    for list in std::mem::take(&mut flushed.older) {
        if !list.is_borne_out(mark, chain.first.as_ref(), &written) {
            return Err(list.damage);
        }
        verdict.restored_lists.push((list.file, list.bytes));
    }
    if !mark.clean {
        verdict.unsynced = list_files(&files, &names)?;
    }
    verdict.last = conclude(&chain, mark, &flushed, discard_after)
        .map_err(|damage| damage.in_journal(&newest.0, newest.1))?;
    Ok(verdict)
}

/// Cuts off, writes and syncs what the verdict says.
///
/// # Errors
///
/// Any I/O error; it may be repeated.
pub fn repair(verdict: &Verdict) -> io::Result<()> {
    for truncation in &verdict.truncations {
        let path = verdict.dir.join(&truncation.file);
        let file = OpenOptions::new().write(true).open(path)?;
        file.set_len(truncation.keep_bytes)?;
        file.sync_all()?;
    }
    for (name, bytes) in &verdict.restored_lists {
        let path = verdict.dir.join(name);
        let new = path.with_extension("new");
        let mut file = File::create(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        if let Some(folder) = path.parent() {
            File::open(folder)?.sync_all()?;
        }
    }
    for name in &verdict.unsynced {
        File::open(verdict.dir.join(name))?.sync_all()?;
    }
    Ok(())
}

impl Verdict {
    fn add(&mut self, id: u64, walked: &Walked) {
        self.read.journals += 1;
        self.read.batches += walked.batches;
        self.read.journal_bytes += walked.end;
        let highest = walked.keyspaces.last().copied().unwrap_or(0);
        self.next_keyspace = self.next_keyspace.max(highest.saturating_add(1));
        if walked.has_tail {
            self.truncations.push(Truncation {
                file: journal_file(id),
                keep_bytes: walked.end,
            });
        }
    }
}

impl Damage {
    /// Puts a finding about the journals as a whole where the last batch ends.
    fn in_journal(self, file: &str, end: u64) -> Self {
        if self.file() == KV_FOLDER {
            self.of_file(file).at(end)
        } else {
            self
        }
    }
}

/// Only the newest journal may be torn.
pub(crate) fn with_rules(journals: &[u64]) -> impl Iterator<Item = (u64, EndRule)> {
    let newest = journals.last().copied();
    journals.iter().map(move |&id| {
        let rule = if Some(id) == newest {
            EndRule::Newest
        } else {
            EndRule::Sealed
        };
        (id, rule)
    })
}

/// A journal after the commit from which on all is discarded.
fn cut_whole(files: &Files, id: u64) -> Result<Walked, Damage> {
    Ok(Walked {
        has_tail: !is_empty_journal(files, id)?,
        ..Walked::default()
    })
}

fn is_empty_journal(files: &Files, id: u64) -> Result<bool, Damage> {
    let file = journal_file(id);
    let first = JournalReader::open(&files.path(&file)).and_then(|mut reader| reader.step());
    let first = first.map_err(|e| Damage::from_io(&file, e))?;
    Ok(matches!(first, JournalStep::End(_)))
}

/// Without a mark there may be no data: the mark is written before the first commit.
pub(crate) fn check_unborn(files: &Files) -> Result<(), Damage> {
    let [mark_file, _] = MARK_FILES;
    let what = "both mark files are missing, though the store holds data";
    let gone = || Damage::new(DamageKind::Missing, mark_file, what);
    if !files.exists(KV_FOLDER)? {
        return Ok(());
    }
    for id in list_journals(files)? {
        if !is_empty_journal(files, id)? {
            return Err(gone());
        }
    }
    if any_table_file(files)? {
        return Err(gone());
    }
    Ok(())
}

fn check_discard(mark: &Mark, discard_after: Option<u64>) -> Result<(), Damage> {
    match discard_after {
        Some(after) if after < mark.commit => {
            let [mark_file, _] = MARK_FILES;
            let what = format!(
                "says that commit {} was synced, so what follows commit {after} must not be discarded",
                mark.commit
            );
            Err(Damage::corrupt(mark_file, what))
        }
        _ => Ok(()),
    }
}

/// A store that was closed cleanly has everything in tables and its journals empty.
pub(crate) fn check_closed(id: u64, walked: &Walked, mark: &Mark) -> Result<(), Damage> {
    let is_closed = mark.clean && !mark.flushing;
    if is_closed && (walked.batches > 0 || walked.has_tail) {
        let what = "holds data, though the store was closed with everything in tables";
        return Err(Damage::corrupt(&journal_file(id), what).at(0));
    }
    Ok(())
}

fn check_tables(files: &Files) -> Result<(Flushed, KeyspaceNames), Damage> {
    let mut flushed = Flushed::default();
    let list = check_keyspace_names(files)?;
    flushed.highest_name = list.highest_seqno;
    flushed.highest_folder = list.highest_folder;
    flushed.older.extend(list.older);
    for (&id, name) in &list.names {
        let facts = check_keyspace(files, id, name)?;
        flushed.add(id, name, facts.highest_seqno);
        flushed.tables += facts.tables;
        flushed.older.extend(facts.older);
    }
    Ok((flushed, list.names))
}
