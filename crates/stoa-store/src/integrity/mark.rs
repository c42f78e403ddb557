//! The mark: which commit is known to be on disk, kept in two slot files.
//!
//! A store writes the mark after a sync, at most about once a second. It lets
//! the next open tell a journal that was shortened from one that ended there.
//! Bytes of a slot (little-endian):
//!
//! ```text
//!  0  magic       8   "STOAMARK"
//!  8  version     u8  = 1
//!  9  flags       u8  bit 0 clean, bit 1 flushing
//! 10  generation  u64
//! 18  commit      u64
//! 26  chain hash  u64
//! 34  seqno       u64
//! 42  journals    u32 count, then for each: id u64, first commit u64 (0 = none)
//!  …  check       u64 xxh3-64 over everything before
//! ```
//!
//! Invariants: (1) writing touches only the slot with the older generation, so
//! that a torn write leaves the other one whole; (2) a slot counts only if every
//! byte of it is as written; (3) the generation rises with every write.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    damage::{Damage, DamageKind},
    fields::{Fields, split_tail},
    files::Files,
    journal_files::JournalSeen,
};

/// Names of the two slot files.
pub const MARK_FILES: [&str; 2] = ["mark-a", "mark-b"];

const MAGIC: &[u8] = b"STOAMARK";
const MARK_VERSION: u8 = 1;
const FLAG_CLEAN: u8 = 1;
const FLAG_FLUSHING: u8 = 2;
/// Far above any number of journals: fjall keeps at most a few dozen.
const SLOT_LIMIT: u64 = 1 << 20;

/// The last commit known to be on disk, and what else was true then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Counts the marks written; [`MarkSlots::write`] sets it.
    pub generation: u64,
    /// The last synced commit; 0 before the first.
    pub commit: u64,
    /// The chain hash after that commit.
    pub chain_hash: u64,
    /// fjall's sequence number of that commit; 0 if unknown.
    pub seqno: u64,
    /// The store was closed after everything had been flushed to tables.
    pub clean: bool,
    /// Journals may be disappearing, because tables are being written.
    pub flushing: bool,
    /// The journals that were there, oldest first.
    pub journals: Vec<JournalSeen>,
}

impl Mark {
    /// The bytes of a slot.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(MARK_VERSION);
        let clean = if self.clean { FLAG_CLEAN } else { 0 };
        let flushing = if self.flushing { FLAG_FLUSHING } else { 0 };
        bytes.push(clean | flushing);
        for field in [self.generation, self.commit, self.chain_hash, self.seqno] {
            bytes.extend(field.to_le_bytes());
        }
        let count = u32::try_from(self.journals.len()).unwrap_or(u32::MAX);
        bytes.extend(count.to_le_bytes());
        for journal in &self.journals {
            bytes.extend(journal.id.to_le_bytes());
            bytes.extend(journal.first_commit.unwrap_or(0).to_le_bytes());
        }
        let check = xxh3_64(&bytes);
        bytes.extend(check.to_le_bytes());
        bytes
    }

    /// Reads a slot; `None` if one byte of it is not as [`Self::encode`] wrote it.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (body, check) = split_tail::<8>(bytes)?;
        if xxh3_64(body) != u64::from_le_bytes(check) {
            return None;
        }
        let mut fields = Fields::new(body);
        if fields.take(MAGIC.len())? != MAGIC || fields.u8()? != MARK_VERSION {
            return None;
        }
        let flags = fields.u8()?;
        let mut mark = Self {
            clean: flags & FLAG_CLEAN != 0,
            flushing: flags & FLAG_FLUSHING != 0,
            generation: fields.u64()?,
            commit: fields.u64()?,
            chain_hash: fields.u64()?,
            seqno: fields.u64()?,
            journals: Vec::new(),
        };
        for _ in 0..fields.u32()? {
            let id = fields.u64()?;
            let first_commit = Some(fields.u64()?).filter(|&commit| commit > 0);
            mark.journals.push(JournalSeen { id, first_commit });
        }
        (flags & !(FLAG_CLEAN | FLAG_FLUSHING) == 0 && fields.is_empty()).then_some(mark)
    }
}

/// The two slot files of a store.
#[derive(Debug)]
pub struct MarkSlots {
    dir: PathBuf,
    latest: Option<(usize, Mark)>,
}

impl MarkSlots {
    /// Reads both slots of the store in `dir`, changing nothing.
    ///
    /// # Errors
    ///
    /// Damage if a slot file is there but neither slot is whole: a torn write
    /// cannot do that, so the mark was damaged.
    pub fn open(dir: &Path) -> Result<Self, Damage> {
        let files = Files::new(dir);
        let mut latest: Option<(usize, Mark)> = None;
        let mut damaged = None;
        for (slot, name) in MARK_FILES.into_iter().enumerate() {
            let read = match files.read(name, SLOT_LIMIT) {
                Err(damage) if damage.kind() == DamageKind::Missing => continue,
                read => read.ok(),
            };
            match read.as_deref().and_then(Mark::decode) {
                None => damaged = Some(name),
                Some(mark) => {
                    if latest
                        .as_ref()
                        .is_none_or(|(_, l)| mark.generation > l.generation)
                    {
                        latest = Some((slot, mark));
                    }
                }
            }
        }
        match (&latest, damaged) {
            (None, Some(name)) => {
                let what = "neither mark slot is whole, so it is unknown which commits were synced";
                Err(Damage::corrupt(name, what))
            }
            _ => Ok(Self {
                dir: dir.to_path_buf(),
                latest,
            }),
        }
    }

    /// The newest whole mark, if one was ever written.
    #[must_use]
    pub fn latest(&self) -> Option<&Mark> {
        self.latest.as_ref().map(|(_, mark)| mark)
    }

    /// Writes `mark` over the older slot and syncs it; its generation becomes
    /// the next one, whatever the argument says.
    ///
    /// # Errors
    ///
    /// Any I/O error; the other slot, and so [`Self::latest`], stays as it was.
    pub fn write(&mut self, mark: &Mark) -> io::Result<()> {
        let (slot, generation) = match &self.latest {
            None => (0, 1),
            Some((slot, latest)) => (1 - slot, latest.generation.saturating_add(1)),
        };
        let mark = Mark {
            generation,
            ..mark.clone()
        };
        let [first, second] = MARK_FILES;
        self.overwrite(if slot == 0 { first } else { second }, &mark.encode())?;
        self.latest = Some((slot, mark));
        Ok(())
    }

    fn overwrite(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.dir.join(name);
        if !fs::exists(&path)? {
            return self.create(name, bytes);
        }
        // Not truncated at open: an in-place write of the same length changes no
        // file metadata, so that the sync is one disk write.
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(bytes)?;
        if file.metadata()?.len() != bytes.len() as u64 {
            file.set_len(bytes.len() as u64)?;
        }
        file.sync_data()
    }

    /// Makes a slot file whole or not at all: no other slot may be there to fall back on.
    fn create(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let new = self.dir.join(format!("{name}.new"));
        let mut file = File::create(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, self.dir.join(name))?;
        File::open(&self.dir)?.sync_all()
    }
}
