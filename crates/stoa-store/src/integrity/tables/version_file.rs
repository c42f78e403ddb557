//! Which table files a keyspace consists of: the files `current` and `vN`.
//!
//! ```text
//! current  N u64  xxh3-128 of the file vN  checksum type u8 = 0
//! vN       an archive; its section "tables" is
//!          levels u8 { runs u8 { tables u32 { id u64, type u8 = 0, xxh3-128 of
//!          the whole table file, seqno added to all of the table's u64 } } }
//! ```
//!
//! Whether a version file has the checksum that `current` names is for the caller to see.

use std::{collections::BTreeSet, io::Cursor};

use super::archive::Archive;
use crate::integrity::{
    damage::Damage,
    fields::Fields,
    files::{Files, Window},
};

/// 33 bytes a table: enough for half a million tables in one keyspace.
const VERSION_FILE_LIMIT: u64 = 16 << 20;
const LEVELS: u8 = 7;

/// The file that names a keyspace's list of tables.
pub(crate) const CURRENT_FILE: &str = "current";

/// A table file that a version file lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListedTable {
    pub(crate) id: u64,
    pub(crate) checksum: u128,
    pub(crate) added_seqno: u64,
}

/// What the file `current` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Current {
    pub(crate) number: u64,
    pub(crate) checksum: u128,
}

impl Current {
    /// Reads the file of the keyspace in `folder`.
    pub(crate) fn read(files: &Files, folder: &str) -> Result<Self, Damage> {
        let file = format!("{folder}/{CURRENT_FILE}");
        let bytes = files.read(&file, 1024)?;
        Self::decode(&bytes).ok_or_else(|| Damage::corrupt(&file, "does not name a version"))
    }

    /// The bytes of the file.
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut bytes = self.number.to_le_bytes().to_vec();
        bytes.extend(self.checksum.to_le_bytes());
        bytes.push(0);
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::new(bytes);
        let (number, checksum) = (fields.u64()?, fields.u128()?);
        (fields.u8()? == 0 && fields.is_empty()).then_some(Self { number, checksum })
    }
}

/// The file of a list, relative to the store's folder.
pub(crate) fn list_file(folder: &str, number: u64) -> String {
    format!("{folder}/v{number}")
}

/// A list's bytes; nothing in them is verified.
pub(crate) fn read_list(files: &Files, folder: &str, number: u64) -> Result<Vec<u8>, Damage> {
    files.read(&list_file(folder, number), VERSION_FILE_LIMIT)
}

/// The tables in a list's bytes.
pub(crate) fn decode_list(file: &str, bytes: &[u8]) -> Result<Vec<ListedTable>, Damage> {
    let archive = Window::at_end(Cursor::new(bytes), bytes.len() as u64)
        .and_then(|mut window| Archive::read(&mut window))
        .map_err(|e| Damage::from_io(file, e))?
        .map_err(|what| Damage::corrupt(file, what))?;
    decode_version(&archive, bytes).map_err(|what| Damage::corrupt(file, what))
}

fn decode_version(archive: &Archive, bytes: &[u8]) -> Result<Vec<ListedTable>, &'static str> {
    let section = |name| {
        let section = archive.section(name)?;
        let start = usize::try_from(section.start).ok()?;
        bytes
            .get(start..)?
            .get(..usize::try_from(section.len).ok()?)
    };
    for (name, expected) in [
        ("format_version", &[3][..]),
        ("tree_type", &[0]),
        ("level_count", &[LEVELS]),
        ("filter_hash_type", &[0]),
        ("blob_files", &[0; 4]),
        ("blob_gc_stats", &[0; 4]),
    ] {
        if section(name) != Some(expected) {
            return Err("is of a sort that this store never writes");
        }
    }
    section("tables")
        .and_then(decode_tables)
        .ok_or("the list of tables does not read")
}

pub(crate) fn decode_tables(bytes: &[u8]) -> Option<Vec<ListedTable>> {
    let mut fields = Fields::new(bytes);
    let mut tables = Vec::new();
    let mut ids = BTreeSet::new();
    if fields.u8()? != LEVELS {
        return None;
    }
    for _ in 0..LEVELS {
        for _ in 0..fields.u8()? {
            let count = fields.u32()?;
            if count == 0 {
                return None;
            }
            for _ in 0..count {
                let id = fields.u64()?;
                let known = fields.u8()? == 0;
                let table = ListedTable {
                    id,
                    checksum: fields.u128()?,
                    added_seqno: fields.u64()?,
                };
                if !known || !ids.insert(id) {
                    return None;
                }
                tables.push(table);
            }
        }
    }
    fields.is_empty().then_some(tables)
}
