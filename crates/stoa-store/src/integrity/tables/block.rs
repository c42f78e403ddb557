//! Blocks of a table file: a checked header, then checked bytes.
//!
//! ```text
//! header  "LSM" 3  kind u8  xxh3-128 of the stored bytes  stored length u32
//!         plain length u32  check u32 (low quarter of xxh3-128 over the 29 bytes before)
//! ```
//!
//! The plain bytes of a data block, or of the block of properties, are items:
//!
//! ```text
//! full       kind u8  seqno varint  key (counted)  value (counted, unless removed)
//! truncated  kind u8  seqno varint  shared varint  rest of key (counted)  value
//! 255, search indexes, then 31 bytes: restart interval u8 … item count u32
//! ```
//!
//! Every `restart interval`-th item is full; a truncated one shares the first
//! `shared` bytes of the last full key.
//!
//! Invariants: (1) a block is returned only with header check and checksum
//! right; (2) no length is followed before it was compared with what is left.

use std::{
    borrow::Cow,
    io::{self, Read},
};

use xxhash_rust::xxh3::xxh3_128;

use crate::integrity::fields::{Fields, split_tail};

pub(crate) const HEADER_BYTES: u64 = 33;

const ITEMS_END: u8 = 255;
const BLOCK_TRAILER_BYTES: usize = 31;
/// No compressor of ours turns one byte into more than this.
const HIGHEST_RATIO: u64 = 255;

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Data = 0,
    Index = 1,
    Filter = 2,
    Properties = 3,
}

/// How the bytes of a block are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Plain,
    Lz4,
}

/// Why a block cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockFault {
    pub(crate) what: &'static str,
    /// The length of the block is known nevertheless, so the next one can be read.
    pub(crate) skippable: bool,
}

const fn fault(what: &'static str) -> BlockFault {
    BlockFault {
        what,
        skippable: false,
    }
}

/// Reads one block of at most `room` bytes into `stored`; gives its whole length.
pub(crate) fn read_block(
    input: &mut impl Read,
    room: u64,
    kind: BlockKind,
    compression: Compression,
    stored: &mut Vec<u8>,
) -> io::Result<(u64, Result<(), BlockFault>)> {
    stored.clear();
    if room < HEADER_BYTES {
        return Ok((0, Err(fault("is shorter than a block header"))));
    }
    input.by_ref().take(HEADER_BYTES).read_to_end(stored)?;
    let header = match Header::decode(stored) {
        Ok(header) => header,
        Err(what) => return Ok((0, Err(fault(what)))),
    };
    if u64::from(header.stored_bytes) > room - HEADER_BYTES {
        return Ok((0, Err(fault("is longer than the section it is in"))));
    }
    stored.clear();
    let wanted = u64::from(header.stored_bytes);
    if input.take(wanted).read_to_end(stored)? as u64 != wanted {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let checked = header.verify(stored, kind, compression);
    let checked = checked.map_err(|what| BlockFault {
        what,
        skippable: true,
    });
    Ok((HEADER_BYTES + wanted, checked))
}

struct Header {
    kind: u8,
    checksum: u128,
    stored_bytes: u32,
    plain_bytes: u32,
}

impl Header {
    fn decode(bytes: &[u8]) -> Result<Self, &'static str> {
        let header = Self::fields(bytes).ok_or("the block header is cut short")?;
        let checked = split_tail::<4>(bytes).is_some_and(|(body, check)| {
            let [a, b, c, d, ..] = xxh3_128(body).to_le_bytes();
            [a, b, c, d] == check
        });
        if checked {
            Ok(header)
        } else {
            Err("the check of the block header does not match")
        }
    }

    fn fields(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::new(bytes);
        if fields.take(4)? != b"LSM\x03" {
            return None;
        }
        Some(Self {
            kind: fields.u8()?,
            checksum: fields.u128()?,
            stored_bytes: fields.u32()?,
            plain_bytes: fields.u32()?,
        })
    }

    fn verify(
        &self,
        stored: &[u8],
        kind: BlockKind,
        compression: Compression,
    ) -> Result<(), &'static str> {
        if xxh3_128(stored) != self.checksum {
            return Err("the checksum of the block does not match");
        }
        if self.kind != kind as u8 {
            return Err("a block of another kind stands here");
        }
        let most = match compression {
            Compression::Plain => u64::from(self.stored_bytes),
            Compression::Lz4 => u64::from(self.stored_bytes) * HIGHEST_RATIO,
        };
        let plain_bytes = u64::from(self.plain_bytes);
        let exact = compression == Compression::Lz4 || plain_bytes == most;
        if exact && plain_bytes <= most {
            Ok(())
        } else {
            Err("the block claims an impossible length")
        }
    }
}

/// One stored version of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockItem<'a> {
    pub(crate) key: Cow<'a, [u8]>,
    pub(crate) seqno: u64,
    /// `None` if the key was removed.
    pub(crate) value: Option<&'a [u8]>,
}

/// The items of a plain data block; `None` if it does not parse to its end.
pub(crate) fn block_items(block: &[u8]) -> Option<Vec<BlockItem<'_>>> {
    let (body, trailer) = split_tail::<BLOCK_TRAILER_BYTES>(block)?;
    let restart_interval = usize::from(*trailer.first()?);
    let (_, count) = split_tail::<4>(&trailer)?;
    let mut fields = Fields::new(body);
    let mut items = Vec::new();
    let mut full_key: &[u8] = &[];
    loop {
        let kind = fields.u8()?;
        if kind == ITEMS_END {
            break;
        }
        let seqno = fields.varint()?;
        let key = if items.len().checked_rem(restart_interval)? == 0 {
            full_key = fields.counted()?;
            Cow::Borrowed(full_key)
        } else {
            let shared = usize::try_from(fields.varint()?).ok()?;
            let mut key = full_key.get(..shared)?.to_vec();
            key.extend(fields.counted()?);
            Cow::Owned(key)
        };
        let value = match kind {
            0 => Some(fields.counted()?),
            1 | 2 => None,
            _ => return None,
        };
        items.push(BlockItem { key, seqno, value });
    }
    (u32::try_from(items.len()).ok()? == u32::from_le_bytes(count)).then_some(items)
}
