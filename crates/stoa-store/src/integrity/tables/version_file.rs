//! Which table files a keyspace consists of: the files `current` and `vN`.
//!
//! ```text
//! current  N u64  xxh3-128 of the file vN  checksum type u8 = 0
//! vN       an archive; its section "tables" is
//!          levels u8 { runs u8 { tables u32 { id u64, type u8 = 0, xxh3-128 of
//!          the whole table file, seqno added to all of the table's u64 } } }
//! ```
//!
//! Invariant: what is returned comes from a version file that has, byte for
//! byte, the checksum `current` names.

use std::{collections::BTreeSet, io::Cursor};

use xxhash_rust::xxh3::xxh3_128;

use super::archive::Archive;
use crate::integrity::{
    damage::Damage,
    fields::Fields,
    files::{Files, Window},
};

/// 33 bytes a table: enough for half a million tables in one keyspace.
const VERSION_FILE_LIMIT: u64 = 16 << 20;
const LEVELS: u8 = 7;

/// A table file that a version file lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListedTable {
    pub(crate) id: u64,
    pub(crate) checksum: u128,
    pub(crate) added_seqno: u64,
}

/// The tables of the keyspace in `folder`.
pub(crate) fn listed_tables(files: &Files, folder: &str) -> Result<Vec<ListedTable>, Damage> {
    let current_file = format!("{folder}/current");
    let current = files.read(&current_file, 1024)?;
    let Some((number, checksum)) = decode_current(&current) else {
        return Err(Damage::corrupt(&current_file, "does not name a version"));
    };
    let file = format!("{folder}/v{number}");
    let bytes = files.read(&file, VERSION_FILE_LIMIT)?;
    if xxh3_128(&bytes) != checksum {
        let what = format!("does not have the checksum that {current_file} names");
        return Err(Damage::corrupt(&file, what));
    }
    let archive = Window::at_end(Cursor::new(&bytes), bytes.len() as u64)
        .and_then(|mut window| Archive::read(&mut window))
        .map_err(|e| Damage::from_io(&file, e))?
        .map_err(|what| Damage::corrupt(&file, what))?;
    decode_version(&archive, &bytes).map_err(|what| Damage::corrupt(&file, what))
}

fn decode_current(bytes: &[u8]) -> Option<(u64, u128)> {
    let mut fields = Fields::new(bytes);
    let (number, checksum) = (fields.u64()?, fields.u128()?);
    (fields.u8()? == 0 && fields.is_empty()).then_some((number, checksum))
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
