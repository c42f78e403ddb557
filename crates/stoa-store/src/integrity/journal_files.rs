//! Which journals a store has, and with which commit each begins.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use super::{
    commit_record::{CHAIN_KEY, COMMIT_RECORD_BYTES, CommitRecord},
    damage::Damage,
    fields::Fields,
    files::Files,
    journal::{FRAME_BYTES, ITEM_HEAD_BYTES, ItemHead, TAG_START},
};

/// Folder of the fjall database in a store's folder.
pub const KV_FOLDER: &str = "kv";

/// A journal as a mark remembers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalSeen {
    /// The number in its file name.
    pub id: u64,
    /// The first commit in it; `None` if it held none yet.
    pub first_commit: Option<u64>,
}

/// The journals in a fjall folder, oldest first, for the next [`super::Mark`].
///
/// Reads the folder and the first hundred bytes of each journal, and syncs the
/// folder, so that a mark never names a journal that a power cut can make
/// vanish. A journal removed meanwhile is left out. The first commit of a
/// journal may be one that is still being written: checks hold a journal to its
/// first commit only if that is at or below the mark's.
///
/// # Errors
///
/// Any I/O error except that a journal is gone.
pub fn observe_journals(kv_dir: &Path) -> io::Result<Vec<JournalSeen>> {
    let mut seen = Vec::new();
    for entry in fs::read_dir(kv_dir)? {
        let Some(id) = entry?.file_name().to_str().and_then(journal_id) else {
            continue;
        };
        let found =
            File::open(kv_dir.join(journal_name(id))).and_then(|mut file| record_at(&mut file, 0));
        match found {
            Ok(record) => seen.push(JournalSeen {
                id,
                first_commit: record.map(|record| record.commit),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    File::open(kv_dir)?.sync_all()?;
    seen.sort_by_key(|journal| journal.id);
    Ok(seen)
}

/// The commit record of the batch that would begin at `offset`, if one does.
///
/// Only the record's own check is verified, not the rest of the batch.
pub(crate) fn record_at(file: &mut File, offset: u64) -> io::Result<Option<CommitRecord>> {
    const COUNT: usize = FRAME_BYTES + ITEM_HEAD_BYTES + CHAIN_KEY.len() + COMMIT_RECORD_BYTES;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::with_capacity(COUNT);
    file.take(COUNT as u64).read_to_end(&mut bytes)?;
    Ok(leading_record(&bytes))
}

fn leading_record(bytes: &[u8]) -> Option<CommitRecord> {
    let mut fields = Fields::new(bytes);
    let tag = fields.take(FRAME_BYTES)?.first().copied()?;
    let head = ItemHead::decode(fields.take(ITEM_HEAD_BYTES)?).ok()?;
    if tag != TAG_START || fields.take(head.key_bytes)? != CHAIN_KEY {
        return None;
    }
    CommitRecord::decode(fields.take(head.value_bytes)?)
}

/// The ids of all journals of the store, ascending.
pub(crate) fn list_journals(files: &Files) -> Result<Vec<u64>, Damage> {
    let mut ids = Vec::new();
    for found in files.list(KV_FOLDER)? {
        if !found.name.to_ascii_lowercase().ends_with(".jnl") {
            continue;
        }
        let file = format!("{KV_FOLDER}/{}", found.name);
        match journal_id(&found.name) {
            Some(id) if !found.is_folder => ids.push(id),
            _ => return Err(Damage::corrupt(&file, "is not a journal of this store")),
        }
    }
    ids.sort_unstable();
    Ok(ids)
}

/// The file of a journal, relative to the store's folder.
pub(crate) fn journal_file(id: u64) -> String {
    format!("{KV_FOLDER}/{}", journal_name(id))
}

fn journal_name(id: u64) -> String {
    format!("{id}.jnl")
}

fn journal_id(name: &str) -> Option<u64> {
    let id = name.strip_suffix(".jnl")?.parse().ok()?;
    (journal_name(id) == name).then_some(id)
}
