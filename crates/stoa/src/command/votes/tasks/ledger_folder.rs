//! The folder of the public ledger: `ledger.jsonl` is always a whole one.
//!
//! Two programs that are given one folder do not write at once: whoever writes holds a lock on
//! `.ledger.lock`, which ends with the program, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use stoa_votes::tasks::write_export::{LedgerDraft, LedgerShelf, NotWritten};

use super::super::part_file::PartFile;

/// The ledger in its folder.
const NAME: &str = "ledger.jsonl";
/// What whoever writes holds.
const LOCK: &str = ".ledger.lock";
/// How long the last line of a ledger is at most; it has a number of days and a hash.
const LONGEST_END: u64 = 1 << 10;

/// A folder that the public ledger is written into.
#[derive(Debug)]
pub(crate) struct LedgerFolder {
    folder: PathBuf,
}

impl LedgerFolder {
    /// A folder, which is made if it is not there.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let shown = folder.display();
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot write the ledger into {shown}"))?;
        if folder.join(NAME).is_dir() {
            bail!("cannot write the ledger into {shown}: {NAME} is a folder there");
        }
        let folder = folder.to_owned();
        let opened = Self { folder };
        // Whether it can be written is said now, and not by the first closed day.
        opened.lock_file()?;
        Ok(opened)
    }

    fn lock_file(&self) -> Result<File> {
        let path = self.folder.join(LOCK);
        let mut options = OpenOptions::new();
        let opened = options.write(true).create(true).truncate(false).open(&path);
        opened.with_context(|| format!("cannot write {}", path.display()))
    }

    fn draft(&self) -> Result<Draft> {
        let lock = self.lock_file()?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!(
                "another program is writing the ledger in {}",
                self.folder.display()
            ),
            Err(TryLockError::Error(error)) => {
                return Err(error)
                    .with_context(|| format!("cannot lock {}", self.folder.join(LOCK).display()));
            }
        }
        let file = PartFile::begin(&self.folder.join(NAME))?;
        Ok(Draft { file, _lock: lock })
    }

    fn read_last_line(&self) -> Result<Option<String>> {
        let path = self.folder.join(NAME);
        let cannot = || format!("cannot read {}", path.display());
        let mut file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.with_context(cannot)?,
        };
        let length = file.metadata().with_context(cannot)?.len();
        let from = SeekFrom::Start(length.saturating_sub(LONGEST_END));
        let mut end = Vec::new();
        file.seek(from).with_context(cannot)?;
        file.read_to_end(&mut end).with_context(cannot)?;
        let end = String::from_utf8_lossy(&end);
        // One that does not end with a line feed was not written here.
        let lines = end.strip_suffix('\n');
        Ok(lines.and_then(|lines| lines.lines().next_back().map(str::to_owned)))
    }
}

impl LedgerShelf for LedgerFolder {
    fn last_line(&self) -> Result<Option<String>, NotWritten> {
        self.read_last_line().map_err(|error| not_written(&error))
    }

    fn begin(&self) -> Result<Box<dyn LedgerDraft>, NotWritten> {
        let draft = self.draft().map_err(|error| not_written(&error))?;
        Ok(Box::new(draft))
    }
}

struct Draft {
    file: PartFile,
    _lock: File,
}

impl LedgerDraft for Draft {
    fn line(&mut self, line: &str) -> Result<(), NotWritten> {
        writeln!(self.file, "{line}")
            .map_err(|error| NotWritten(format!("cannot write the ledger: {error}")))
    }

    fn show(self: Box<Self>) -> Result<(), NotWritten> {
        // The lock ends after the file is in its place.
        let Self { file, _lock } = *self;
        file.finish().map_err(|error| not_written(&error))
    }
}

/// With everything that led to it.
fn not_written(error: &anyhow::Error) -> NotWritten {
    NotWritten(format!("{error:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &LedgerFolder, lines: &[&str]) {
        let mut draft = folder.begin().unwrap();
        for line in lines {
            draft.line(line).unwrap();
        }
        draft.show().unwrap();
    }

    #[test]
    fn a_ledger_takes_the_place_of_the_one_before_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("public").join("votes");
        let shelf = LedgerFolder::open(&place).unwrap();
        assert_eq!(shelf.last_line(), Ok(None));
        write(&shelf, &["head", "end"]);
        assert_eq!(shelf.last_line(), Ok(Some("end".to_owned())));
        let mut draft = shelf.begin().unwrap();
        draft.line("another head").unwrap();
        assert_eq!(shelf.last_line(), Ok(Some("end".to_owned())));
        let refused = shelf.begin().map(|_| ()).unwrap_err();
        assert!(refused.0.contains("another program"), "{refused}");
        drop(draft);
        let long = "x".repeat(5_000);
        write(&shelf, &[&long, "another end"]);
        assert_eq!(shelf.last_line(), Ok(Some("another end".to_owned())));
        let text = std::fs::read_to_string(place.join(NAME)).unwrap();
        assert_eq!(text, format!("{long}\nanother end\n"));
        std::fs::write(place.join(NAME), "head\nhalf an e").unwrap();
        assert_eq!(shelf.last_line(), Ok(None));
    }

    #[test]
    fn a_folder_that_cannot_be_one_is_said_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let why = format!("{:#}", LedgerFolder::open(&file).unwrap_err());
        assert!(why.contains("cannot write the ledger into"), "{why}");
        assert!(why.contains("file"), "{why}");
        std::fs::create_dir(folder.path().join(NAME)).unwrap();
        let why = format!("{:#}", LedgerFolder::open(folder.path()).unwrap_err());
        assert!(why.contains("is a folder there"), "{why}");
    }
}
