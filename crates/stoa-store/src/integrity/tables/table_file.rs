//! One table file: what fjall trusts at open is verified, the rest on request.
//!
//! A table is an archive of sections: "data" (data blocks), "index" (if the
//! index is in parts), "tli" (the index, or the index of its parts), "filter",
//! "filter_tli" (if the filter is in parts) and "meta" (the properties).
//!
//! fjall follows lengths it finds in contents, index and properties, so those
//! are verified before it may. Data blocks it reads only by lengths from the
//! index, and it verifies their header and checksum before anything else:
//! [`check_data`] is for the full check.

use std::{collections::BTreeMap, fs::File, io::Read};

use xxhash_rust::xxh3::Xxh3;

use super::{
    archive::{Archive, Section},
    block::{BlockItem, BlockKind, Compression, block_items, read_block},
    version_file::ListedTable,
};
use crate::integrity::{
    damage::Damage,
    fields::Fields,
    files::{Files, Window},
};

/// Property blocks hold about thirty short values and two keys.
const PROPERTIES_LIMIT: u64 = 1 << 20;

/// A table whose metadata is verified.
#[derive(Debug)]
pub(crate) struct TableFile {
    file: String,
    size: u64,
    data: Section,
    data_compression: Compression,
    data_blocks: u64,
    checksum: u128,
    /// The lowest sequence number in the table.
    pub(crate) lowest_seqno: u64,
    /// The highest sequence number in the table.
    pub(crate) highest_seqno: u64,
}

impl TableFile {
    pub(crate) fn size(&self) -> u64 {
        self.size
    }
}

/// Verifies everything of a table but its data blocks.
pub(crate) fn check_table(
    files: &Files,
    folder: &str,
    listed: &ListedTable,
) -> Result<TableFile, Damage> {
    let file = format!("{folder}/tables/{}", listed.id);
    let mut input = files.window(&file)?;
    let archive = Archive::read(&mut input)
        .map_err(|e| Damage::from_io(&file, e))?
        .map_err(|what| Damage::corrupt(&file, what))?;
    let required = |name: &str| {
        let missing = || Damage::corrupt(&file, format!("has no section {name:?}"));
        archive.section(name).ok_or_else(missing)
    };
    if archive.section("linked_blob_files").is_some() {
        return Err(Damage::corrupt(
            &file,
            "refers to blob files, which this store never writes",
        ));
    }
    let (data, index, properties) = (required("data")?, required("tli")?, required("meta")?);
    let mut blocks = BlockSections { file: &file, input };
    if properties.len > PROPERTIES_LIMIT {
        return Err(
            Damage::corrupt(&file, "the properties are impossibly long").at(properties.start)
        );
    }
    let found = blocks.only(properties, BlockKind::Properties, Compression::Plain)?;
    let properties = block_items(&found)
        .as_deref()
        .and_then(Properties::from_items)
        .ok_or_else(|| Damage::corrupt(&file, "the properties do not read").at(properties.start))?;
    if properties.table_id != listed.id || properties.data_bytes != data.len {
        return Err(Damage::corrupt(
            &file,
            "the properties are those of another table",
        ));
    }
    blocks.only(index, BlockKind::Index, properties.index_compression)?;
    let filter = (BlockKind::Filter, Compression::Plain);
    let index = (BlockKind::Index, properties.index_compression);
    for (name, (kind, compression)) in [("index", index), ("filter_tli", index), ("filter", filter)]
    {
        if let Some(section) = archive.section(name) {
            blocks.all(section, kind, compression)?;
        }
    }
    Ok(TableFile {
        size: blocks.input.size(),
        data,
        data_compression: properties.data_compression,
        data_blocks: properties.data_blocks,
        checksum: listed.checksum,
        lowest_seqno: properties.lowest_seqno.saturating_add(listed.added_seqno),
        highest_seqno: properties.highest_seqno.saturating_add(listed.added_seqno),
        file,
    })
}

/// Visits the items of a table whose data blocks are stored plain, every block verified.
pub(crate) fn visit_items(
    files: &Files,
    table: &TableFile,
    mut visit: impl FnMut(BlockItem<'_>),
) -> Result<(), Damage> {
    let unread = || Damage::corrupt(&table.file, "a data block does not read as items");
    if table.data_compression != Compression::Plain {
        return Err(unread());
    }
    let mut blocks = BlockSections {
        file: &table.file,
        input: files.window(&table.file)?,
    };
    blocks.each(table.data, BlockKind::Data, Compression::Plain, |block| {
        block_items(block)
            .ok_or_else(unread)?
            .into_iter()
            .for_each(&mut visit);
        Ok(())
    })?;
    Ok(())
}

/// Compares the whole file with the checksum in the version file.
pub(crate) fn check_whole(files: &Files, table: &TableFile) -> Result<(), Damage> {
    let unreadable = |e| Damage::from_io(&table.file, e);
    let (mut opened, _) = files.open(&table.file)?;
    let mut hasher = Xxh3::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = opened.read(&mut chunk).map_err(unreadable)?;
        match chunk.get(..count) {
            Some([]) | None => break,
            Some(read) => hasher.update(read),
        }
    }
    if hasher.digest128() == table.checksum {
        Ok(())
    } else {
        let what = "the file does not have the checksum that its keyspace's version file names";
        Err(Damage::corrupt(&table.file, what))
    }
}

/// Verifies every data block; goes on after a damaged one where that is possible.
pub(crate) fn check_data(files: &Files, table: &TableFile) -> Vec<Damage> {
    let mut damages = Vec::new();
    let mut walk = || -> Result<(), Damage> {
        let unreadable = |e| Damage::from_io(&table.file, e);
        let mut input = files.window(&table.file)?;
        let (mut offset, end) = (table.data.start, table.data.start + table.data.len);
        let (mut stored, mut count) = (Vec::new(), 0);
        input.go_to(offset).map_err(unreadable)?;
        while offset < end {
            let (kind, compression) = (BlockKind::Data, table.data_compression);
            let (len, checked) =
                read_block(&mut input, end - offset, kind, compression, &mut stored)
                    .map_err(unreadable)?;
            if let Err(fault) = checked {
                let damage = Damage::corrupt(&table.file, format!("a data block: {}", fault.what));
                damages.push(damage.at(offset));
                if !fault.skippable {
                    return Ok(());
                }
            }
            offset += len;
            count += 1;
        }
        if count == table.data_blocks {
            Ok(())
        } else {
            Err(Damage::corrupt(
                &table.file,
                "has another number of data blocks than it says",
            ))
        }
    };
    if let Err(damage) = walk() {
        damages.push(damage);
    }
    damages
}

/// Reads sections that are rows of blocks.
struct BlockSections<'a> {
    file: &'a str,
    input: Window<File>,
}

impl BlockSections<'_> {
    /// Verifies all blocks of a section and hands each to `visit`.
    fn each(
        &mut self,
        section: Section,
        kind: BlockKind,
        compression: Compression,
        mut visit: impl FnMut(&[u8]) -> Result<(), Damage>,
    ) -> Result<u64, Damage> {
        let unreadable = |e| Damage::from_io(self.file, e);
        let (mut offset, end) = (section.start, section.start + section.len);
        let (mut stored, mut count) = (Vec::new(), 0);
        self.input.go_to(offset).map_err(unreadable)?;
        while offset < end {
            let room = end - offset;
            let (len, checked) = read_block(&mut self.input, room, kind, compression, &mut stored)
                .map_err(unreadable)?;
            checked.map_err(|fault| {
                let what = format!("{kind:?} block: {}", fault.what);
                Damage::corrupt(self.file, what).at(offset)
            })?;
            visit(&stored)?;
            offset += len;
            count += 1;
        }
        Ok(count)
    }

    fn all(
        &mut self,
        section: Section,
        kind: BlockKind,
        compression: Compression,
    ) -> Result<(), Damage> {
        self.each(section, kind, compression, |_| Ok(()))
            .map(|_| ())
    }

    /// The stored bytes of the one block that fills a section.
    fn only(
        &mut self,
        section: Section,
        kind: BlockKind,
        compression: Compression,
    ) -> Result<Vec<u8>, Damage> {
        let mut found = Vec::new();
        let count = self.each(section, kind, compression, |block| {
            found = block.to_vec();
            Ok(())
        })?;
        if count == 1 {
            Ok(found)
        } else {
            let what = format!("{kind:?} block: {count} blocks stand where one belongs");
            Err(Damage::corrupt(self.file, what).at(section.start))
        }
    }
}

/// The properties that fjall, or we, rely on.
struct Properties {
    table_id: u64,
    data_bytes: u64,
    data_blocks: u64,
    lowest_seqno: u64,
    highest_seqno: u64,
    data_compression: Compression,
    index_compression: Compression,
}

impl Properties {
    fn from_items(items: &[BlockItem<'_>]) -> Option<Self> {
        let named = items.iter().map(|item| (&*item.key, item.value));
        let named: BTreeMap<&[u8], Option<&[u8]>> = named.collect();
        let value = |name: &str| named.get(name.as_bytes()).copied().flatten();
        let number = |name: &str| Fields::new(value(name)?).u64();
        let compression = |name: &str| match value(name)? {
            [0] => Some(Compression::Plain),
            [1] => Some(Compression::Lz4),
            _ => None,
        };
        // fjall panics if one of these is missing or different.
        let known = value("table_version")? == [3]
            && value("filter_hash_type")? == [0]
            && value("checksum_type")? == [0]
            && value("restart_interval#index")? == [1];
        for name in [
            "item_count",
            "tombstone_count",
            "block_count#index",
            "block_count#filter",
            "weak_tombstone_count",
            "weak_tombstone_reclaimable",
        ] {
            number(name)?;
        }
        let (_created, _lowest, _highest) =
            (value("created_at")?, value("key#min")?, value("key#max")?);
        known.then_some(Self {
            table_id: number("table_id")?,
            data_bytes: number("file_size")?,
            data_blocks: number("block_count#data")?,
            lowest_seqno: number("seqno#min")?,
            highest_seqno: number("seqno#max")?,
            data_compression: compression("compression#data")?,
            index_compression: compression("compression#index")?,
        })
    }
}
