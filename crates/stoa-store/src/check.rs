//! Checks a whole store: its files first, then every stored value.
//!
//! [`check_folder`] is what `stoa check` runs. It takes the folder's lock, lets
//! [`crate::integrity::full_check`] read every file, and, if all are whole, opens the store and
//! reads every value of the catalogue, the purge queue and every table. It goes on past damage and
//! says where each piece is.
//!
//! What is verified of the values:
//! - every checksum, and that every key and value can be taken apart;
//! - the token in every key is the key's own;
//! - range deletions are not empty and do not overlap, and their partition's record says that
//!   there are some (the converse is not damage: the flag may outlive the last range for a while);
//! - every spilled value is there with the length and hash its row says, and no spilled value or
//!   element is without its row;
//! - no stored counter is a mere change, no stored row or record is empty;
//! - tables have spaces of their own, below the next number for one.
//!
//! Invariants:
//! 1. Nothing is purged meanwhile: the store is opened with a clock that stands at 1970.
//! 2. Memory is bounded by the references to spilled parts within one partition, and by
//!    [`MOST_FINDINGS`].

mod partition;
mod values;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use stoa_types::clock::ManualClock;

use crate::error::StoreError;
use crate::folder_lock::FolderLock;
use crate::integrity::{self, Damage, DamageKind};
use crate::kv::SpaceId;
use crate::options::Options;
use crate::store::Store;
use crate::table::TableId;
use crate::view::View;

/// The most findings that are kept; more are only counted.
pub const MOST_FINDINGS: usize = 10_000;

/// What a check is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A step of checking the files.
    File(integrity::Progress),
    /// The files are whole; the store is being opened.
    Opening,
    /// A table is being walked.
    Table(TableId),
    /// So many bytes of values were read since the last such step.
    Read(u64),
}

/// Where something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The part of the store.
    pub part: Part,
    /// The partition's key, if the stored key could be taken apart.
    pub partition: Option<Vec<u8>>,
    /// The row's clustering, if it is about a row.
    pub clustering: Option<Vec<u8>>,
    /// The stored key; empty if it is about no single key.
    pub key: Vec<u8>,
}

/// A part of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The catalogue of tables.
    Catalog,
    /// What the janitor has to look at.
    PurgeQueue,
    /// A table's data.
    Table(TableId),
}

/// One thing wrong with the stored values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// What.
    pub what: String,
}

/// A tree of the key-value store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tree {
    /// Its number, which is also the name of its folder.
    pub id: u64,
    /// What it holds, if its name says so: the catalogue (0), the purge queue (1), or a table.
    pub space: Option<SpaceId>,
    /// How many table files it has.
    pub files: usize,
}

/// What was read of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// The key-value store's trees.
    pub trees: Vec<Tree>,
    /// Table files read to the end.
    pub table_files: u64,
    /// Their bytes.
    pub table_bytes: u64,
    /// Journals read.
    pub journals: u64,
    /// Whole batches in them.
    pub batches: u64,
}

/// What was read of one table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TableCounts {
    /// Partitions.
    pub partitions: u64,
    /// Rows, static rows included.
    pub rows: u64,
    /// Cells, elements of collections included.
    pub cells: u64,
    /// Range deletions.
    pub ranges: u64,
    /// Values and elements under keys of their own.
    pub spilled: u64,
    /// Bytes of keys and values, before compression.
    pub bytes: u64,
    /// Findings in this table.
    pub findings: u64,
}

/// What was read of the values, and what is wrong with them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// Every table, by id.
    pub tables: Vec<(TableId, TableCounts)>,
    /// What is wrong; at most [`MOST_FINDINGS`].
    pub findings: Vec<Finding>,
    /// How many more findings there are.
    pub more_findings: u64,
}

impl Contents {
    fn report(&mut self, finding: Finding) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding);
        } else {
            self.more_findings += 1;
        }
    }
}

/// The outcome of a check.
#[derive(Debug, Default)]
pub struct Report {
    /// What was read of the files.
    pub files: FileCounts,
    /// What is wrong with the files.
    pub damages: Vec<Damage>,
    /// The values; absent if the files are damaged, or if there is no store yet.
    pub contents: Option<Contents>,
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let contents_whole = |it: &Contents| it.findings.is_empty();
        self.damages.is_empty() && self.contents.as_ref().is_none_or(contents_whole)
    }
}

/// Checks the store in `folder`, which nobody may have open.
///
/// The files are only read at first. If they are whole, the store is opened and closed as any
/// program would do it: after a crash that cuts the torn end of the journal. With damaged files
/// nothing is opened.
///
/// # Errors
///
/// [`StoreError::Locked`] if a process has the folder open; [`StoreError::Format`] if it is no
/// store, or one of a newer release; [`StoreError::Io`] if it cannot be read at all. Damage is no
/// error: it is in the report.
pub fn check_folder(folder: &Path, progress: &mut dyn FnMut(Step)) -> Result<Report, StoreError> {
    let mut report = Report::default();
    match integrity::read_format_file(folder) {
        Ok(None) => {
            return Err(StoreError::Format {
                path: folder.to_path_buf(),
                what: "holds no store".to_owned(),
            });
        }
        Ok(Some(_)) => {}
        Err(damage) => match damage.kind() {
            DamageKind::NotAStore | DamageKind::NewerFormat | DamageKind::Unreadable => {
                return Err(StoreError::Format {
                    path: folder.to_path_buf(),
                    what: damage.to_string(),
                });
            }
            // The full check below reports it.
            DamageKind::Missing | DamageKind::Shortened | DamageKind::Corrupt => {}
        },
    }
    let lock = FolderLock::take(folder)?;
    let files = &mut report.files;
    report.damages = integrity::full_check(folder, &mut |step| {
        files.count(step);
        progress(Step::File(step));
    });
    drop(lock);
    if report.damages.is_empty() {
        progress(Step::Opening);
        report.contents = Some(match check_contents(folder, progress) {
            Err(StoreError::Damaged { place, what }) => unopened(&place, &what),
            checked => checked?,
        });
    }
    Ok(report)
}

/// Checks every stored value of an open store as of one commit.
pub fn check_view(view: &View, progress: &mut dyn FnMut(Step)) -> Contents {
    let mut contents = Contents::default();
    values::check_catalog(view, &mut contents);
    values::check_purge_queue(view, &mut contents, progress);
    for table in view.catalog().tables() {
        progress(Step::Table(table.id));
        let counts = values::check_table(view, &table, &mut contents, progress);
        contents.tables.push((table.id, counts));
    }
    contents
}

impl FileCounts {
    fn count(&mut self, step: integrity::Progress) {
        match step {
            integrity::Progress::Keyspace { id, space, tables } => self.trees.push(Tree {
                id,
                space: space.map(SpaceId),
                files: tables,
            }),
            integrity::Progress::Table { bytes } => {
                self.table_files += 1;
                self.table_bytes += bytes;
            }
            integrity::Progress::Journal { batches, .. } => {
                self.journals += 1;
                self.batches += batches;
            }
        }
    }
}

fn check_contents(folder: &Path, progress: &mut dyn FnMut(Step)) -> Result<Contents, StoreError> {
    let options = Options {
        background: false,
        ..Options::default()
    };
    // At this time nothing is past its grace, so a compaction that runs now forgets nothing.
    let clock = Arc::new(ManualClock::at_micros(0));
    let store = Store::open(folder, options, clock)?;
    let contents = check_view(&store.view()?, progress);
    store.close()?;
    Ok(contents)
}

/// Damage that keeps a store from opening although its files are whole: it is in the catalogue.
fn unopened(place: &str, what: &str) -> Contents {
    let place_of_finding = Place {
        part: Part::Catalog,
        partition: None,
        clustering: None,
        key: Vec::new(),
    };
    let mut contents = Contents::default();
    contents.report(Finding {
        place: place_of_finding,
        what: format!("the store cannot be opened: {place}: {what}"),
    });
    contents
}
