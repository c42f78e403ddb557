//! The keyspaces of the fjall database: which there must be, and their tables.
//!
//! Keyspace 0 is fjall's own. It maps `'n'` + id (u64, big-endian) to a
//! keyspace's name. fjall deletes a keyspace whose folder has no `current`, and
//! every keyspace if keyspace 0 is gone, without a word; so keyspace 0 is
//! verified to its last byte and every keyspace it names must be there.
//!
//! Invariants: (1) a folder that keyspace 0 does not name is left alone: it is
//! of a keyspace being created or dropped; (2) a file that no version file lists
//! is left alone: fjall removes it; (3) nothing else that fjall would choke on
//! may be in the folders it lists.

mod archive;
mod block;
mod live_list;
mod table_file;
mod version_file;

/// The decoders below the checksums, for the fuzz tests.
#[cfg(test)]
pub(crate) mod decoders {
    pub(crate) use super::{
        archive::decode_contents as contents,
        block::{BlockKind, Compression, block_items as items, read_block as block},
        version_file::decode_tables as tables,
    };
}

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use self::{
    live_list::{OlderList, live_list},
    table_file::{check_data, check_table, check_whole},
};
use self::{
    table_file::visit_items,
    version_file::{CURRENT_FILE, Current, list_file},
};
use super::{
    commit_record::CHAIN_KEYSPACE,
    damage::{Damage, DamageKind},
    files::Files,
    journal_files::KV_FOLDER,
};

/// Folder of the keyspaces in that of the fjall database.
pub const KEYSPACES_FOLDER: &str = "keyspaces";

const NAME_KEY: u8 = b'n';
const META_KEYSPACE: u64 = 0;

/// The keyspaces that must be there, by id, with their names.
pub(crate) type KeyspaceNames = BTreeMap<u64, String>;

/// What is known of the keyspaces as a whole.
#[derive(Debug)]
pub(crate) struct KeyspaceList {
    pub(crate) names: KeyspaceNames,
    /// The highest sequence number in keyspace 0.
    pub(crate) highest_seqno: u64,
    /// The highest number of a folder, named or not.
    pub(crate) highest_folder: u64,
    /// Set if the list of keyspace 0's tables is broken.
    pub(crate) older: Option<OlderList>,
}

/// A keyspace whose tables' metadata is verified.
#[derive(Debug)]
pub(crate) struct KeyspaceFacts {
    pub(crate) tables: u64,
    /// The highest sequence number flushed; `None` without tables.
    pub(crate) highest_seqno: Option<u64>,
    /// Set if its list of tables is broken.
    pub(crate) older: Option<OlderList>,
}

/// The folder of a keyspace, relative to the store's.
pub(crate) fn keyspace_folder(id: u64) -> String {
    format!("{KV_FOLDER}/{KEYSPACES_FOLDER}/{id}")
}

/// The number of the space that a keyspace of this name holds.
#[must_use]
pub fn space_of_name(name: &str) -> Option<u64> {
    match name {
        CHAIN_KEYSPACE => Some(0),
        _ => name.strip_prefix('s')?.parse().ok(),
    }
}

/// Verifies what is around the keyspaces, and keyspace 0 whole.
pub(crate) fn check_keyspace_names(files: &Files) -> Result<KeyspaceList, Damage> {
    let version_file = format!("{KV_FOLDER}/version");
    if files.read(&version_file, 1024)? != b"FJL\x03" {
        return Err(Damage::corrupt(
            &version_file,
            "is not the one this store writes",
        ));
    }
    let folder = format!("{KV_FOLDER}/{KEYSPACES_FOLDER}");
    let mut folders = BTreeSet::new();
    for found in files.list(&folder)?.iter().filter(|it| it.is_folder) {
        let Ok(number) = found.name.parse::<u64>() else {
            let file = format!("{folder}/{}", found.name);
            return Err(Damage::corrupt(&file, "is not the folder of a keyspace"));
        };
        folders.insert(number);
    }
    let meta = keyspace_folder(META_KEYSPACE);
    check_table_names(files, &meta)?;
    let mut highest_seqno = 0;
    let mut newest: BTreeMap<Vec<u8>, (u64, Option<Vec<u8>>)> = BTreeMap::new();
    let list = live_list(files, &meta)?;
    for listed in list.tables {
        let table = check_table(files, &meta, &listed)?;
        check_whole(files, &table)?;
        visit_items(files, &table, |item| {
            let seqno = item.seqno.saturating_add(listed.added_seqno);
            highest_seqno = highest_seqno.max(seqno);
            let entry = newest.entry(item.key.into_owned()).or_default();
            if seqno >= entry.0 {
                *entry = (seqno, item.value.map(<[u8]>::to_vec));
            }
        })?;
    }
    let names = names(newest);
    let names = names.ok_or_else(|| Damage::corrupt(&meta, "a keyspace's name does not read"))?;
    let older = match list.older {
        None => None,
        Some(older) => {
            let is_unnamed = |id: &u64| *id != META_KEYSPACE && !names.contains_key(id);
            let unnamed: BTreeSet<u64> = folders.iter().copied().filter(is_unnamed).collect();
            for id in &unnamed {
                if has_table_files(files, *id)? {
                    return Err(older.damage);
                }
            }
            Some(older.of_names(unnamed))
        }
    };
    Ok(KeyspaceList {
        names,
        highest_seqno,
        highest_folder: folders.last().copied().unwrap_or(0),
        older,
    })
}

fn names(newest: BTreeMap<Vec<u8>, (u64, Option<Vec<u8>>)>) -> Option<KeyspaceNames> {
    let mut names = KeyspaceNames::new();
    for (key, (_, value)) in newest {
        if let (Some((&NAME_KEY, id)), Some(name)) = (key.split_first(), value) {
            let id = u64::from_be_bytes(id.try_into().ok()?);
            names.insert(id, String::from_utf8(name).ok()?);
        }
    }
    Some(names)
}

/// Verifies the metadata of all tables of a keyspace that must be there.
pub(crate) fn check_keyspace(files: &Files, id: u64, name: &str) -> Result<KeyspaceFacts, Damage> {
    let folder = keyspace_folder(id);
    require_keyspace(files, id, name)?;
    check_table_names(files, &folder)?;
    let list = live_list(files, &folder)?;
    let mut facts = KeyspaceFacts {
        tables: 0,
        highest_seqno: None,
        older: list.older,
    };
    for listed in list.tables {
        let table = check_table(files, &folder, &listed)?;
        facts.tables += 1;
        facts.highest_seqno = facts.highest_seqno.max(Some(table.highest_seqno));
    }
    Ok(facts)
}

/// Says in a keyspace's own name that its folder is gone.
pub(crate) fn require_keyspace(files: &Files, id: u64, name: &str) -> Result<(), Damage> {
    let folder = keyspace_folder(id);
    for file in [folder.clone(), format!("{folder}/current")] {
        if !files.exists(&file)? {
            let what = format!("is missing, and with it the keyspace {name:?}");
            return Err(Damage::new(DamageKind::Missing, &file, what));
        }
    }
    Ok(())
}

/// fjall takes every file in `tables` for a table, and stops at one that is none.
pub(crate) fn check_table_names(files: &Files, folder: &str) -> Result<(), Damage> {
    let tables = format!("{folder}/tables");
    for found in files.list(&tables)? {
        let skipped = found.name == ".DS_Store" || found.name.starts_with("._");
        if !skipped && (found.is_folder || found.name.parse::<u64>().is_err()) {
            let file = format!("{tables}/{}", found.name);
            return Err(Damage::corrupt(&file, "is not a table file"));
        }
    }
    Ok(())
}

/// Whether any keyspace but fjall's own has a table file, listed or not.
pub(crate) fn any_table_file(files: &Files) -> Result<bool, Damage> {
    let folder = format!("{KV_FOLDER}/{KEYSPACES_FOLDER}");
    if !files.exists(&folder)? {
        return Ok(false);
    }
    for found in files.list(&folder)? {
        if let Ok(id) = found.name.parse::<u64>()
            && id != META_KEYSPACE
            && has_table_files(files, id)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_table_files(files: &Files, id: u64) -> Result<bool, Damage> {
    let tables = format!("{}/tables", keyspace_folder(id));
    Ok(files.exists(&tables)? && !files.list(&tables)?.is_empty())
}

/// Every folder and file whose sync makes the lists of tables lasting as they are.
pub(crate) fn list_files(files: &Files, names: &KeyspaceNames) -> Result<Vec<String>, Damage> {
    let mut found = Vec::new();
    for id in names.keys().copied().chain([META_KEYSPACE]) {
        let folder = keyspace_folder(id);
        let current = Current::read(files, &folder)?;
        found.push(list_file(&folder, current.number));
        found.push(format!("{folder}/{CURRENT_FILE}"));
        found.push(folder);
    }
    found.push(format!("{KV_FOLDER}/{KEYSPACES_FOLDER}"));
    Ok(found)
}
