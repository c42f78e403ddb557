//! Reads fjall's journal batch by batch, believing nothing it has not checked.
//!
//! A journal of fjall 3.1 is a row of batches and then zeros up to the length it
//! was preallocated with (or the end of the file). One batch, little-endian:
//!
//! ```text
//! start  tag 1  item count u32  seqno u64
//! item   tag 2  kind u8 (0 put, 1 remove)  compression u8  keyspace id u64
//!               key length u16  value length u32  stored length u32  key  value
//! end    tag 3  xxh3-64 of the bytes of all items  magic "FJL" 3
//! ```
//!
//! Invariants: (1) the file is opened for reading only; (2) a length is compared
//! with what is left of the file before anything of that length is read; (3) one
//! batch at a time is in memory, at its size on disk; (4) what is returned as a
//! batch has the right count and checksum. The start entry is outside fjall's
//! checksum: its sequence number is for the commit chain to confirm.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use xxhash_rust::xxh3::xxh3_64;

use super::{commit_record::ItemKind, fields::Fields};

pub(crate) const TAG_START: u8 = 1;
pub(crate) const TAG_ITEM: u8 = 2;
pub(crate) const TAG_END: u8 = 3;
pub(crate) const END_MAGIC: [u8; 4] = *b"FJL\x03";

/// Bytes of a start entry, and of an end entry.
pub(crate) const FRAME_BYTES: usize = 13;
/// Bytes of an item before its key.
pub(crate) const ITEM_HEAD_BYTES: usize = 21;

const READ_BUFFER_BYTES: usize = 1 << 15;

/// A read-only walk over one journal file.
#[derive(Debug)]
pub struct JournalReader {
    input: BufReader<File>,
    position: u64,
    length: u64,
}

/// What a walk met next.
#[derive(Debug)]
pub enum JournalStep {
    /// A whole batch.
    Batch(Batch),
    /// Nothing but zeros, or nothing, from this byte to the end of the file.
    End(u64),
    /// Bytes that are no whole batch begin here.
    Broken {
        /// Where the batch would have begun.
        offset: u64,
        /// Why it is none.
        cause: BrokenCause,
    },
}

/// Why bytes are no whole batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenCause {
    /// A tag that cannot stand at this place.
    #[error("a batch part begins with tag {0}, which cannot stand there")]
    WrongTag(u8),
    /// The file ends inside the batch.
    #[error("the batch is longer than the rest of the file")]
    CutShort,
    /// An item that our store never writes: cleared, compressed or weakly removed.
    #[error("an item is of a sort that this store never writes")]
    ForeignItem,
    /// The end entry is not where the item count says, or its magic is wrong.
    #[error("the end entry of the batch is damaged")]
    WrongEnd,
    /// The items are not what was written.
    #[error("the checksum of the batch does not match")]
    Checksum,
    /// Data follows a gap of zeros.
    #[error("zeros stand where a batch should begin, but data follows")]
    Gap,
}

/// One whole batch as it stands on disk.
#[derive(Debug)]
pub struct Batch {
    start: u64,
    end: u64,
    seqno: u64,
    count: u32,
    items: Vec<u8>,
}

/// One item of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// fjall's id of the keyspace.
    pub keyspace_id: u64,
    /// What is done to the key.
    pub kind: ItemKind,
    /// The key.
    pub key: &'a [u8],
    /// The value, empty for a removal.
    pub value: &'a [u8],
}

impl Batch {
    /// Byte of the file at which the batch begins.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Byte of the file just after the batch.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// fjall's sequence number of the batch, not covered by its checksum.
    #[must_use]
    pub fn seqno(&self) -> u64 {
        self.seqno
    }

    /// How many items there are.
    #[must_use]
    pub fn item_count(&self) -> u32 {
        self.count
    }

    /// The items in order.
    pub fn items(&self) -> impl Iterator<Item = Item<'_>> {
        let mut fields = Fields::new(&self.items);
        std::iter::from_fn(move || {
            let head = ItemHead::decode(fields.take(ITEM_HEAD_BYTES)?).ok()?;
            Some(Item {
                keyspace_id: head.keyspace_id,
                kind: head.kind,
                key: fields.take(head.key_bytes)?,
                value: fields.take(head.value_bytes)?,
            })
        })
    }
}

impl JournalReader {
    /// Opens a journal at its beginning.
    ///
    /// # Errors
    ///
    /// Any I/O error.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::open_at(path, 0)
    }

    /// Opens a journal at a byte where a batch begins.
    ///
    /// # Errors
    ///
    /// Any I/O error.
    pub fn open_at(path: &Path, offset: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self {
            input: BufReader::with_capacity(READ_BUFFER_BYTES, file),
            position: offset,
            length,
        })
    }

    /// Reads the next batch. After anything but a batch the walk is over.
    ///
    /// # Errors
    ///
    /// Only I/O errors; damage is a [`JournalStep::Broken`].
    pub fn step(&mut self) -> io::Result<JournalStep> {
        let offset = self.position;
        let outcome = match self.peek_tag()? {
            None => return Ok(JournalStep::End(offset)),
            Some(0) if self.rest_is_zero()? => return Ok(JournalStep::End(offset)),
            Some(0) => Err(BrokenCause::Gap),
            Some(_) => self.batch()?,
        };
        Ok(match outcome {
            Ok(batch) => JournalStep::Batch(batch),
            Err(cause) => JournalStep::Broken { offset, cause },
        })
    }

    fn batch(&mut self) -> io::Result<Result<Batch, BrokenCause>> {
        let start = self.position;
        let mut frame = Vec::new();
        if !self.fill(&mut frame, FRAME_BYTES)? {
            return Ok(Err(BrokenCause::CutShort));
        }
        let mut fields = Fields::new(&frame);
        let (tag, count, seqno) = (fields.u8(), fields.u32(), fields.u64());
        let (Some(TAG_START), Some(count), Some(seqno)) = (tag, count, seqno) else {
            return Ok(Err(BrokenCause::WrongTag(tag.unwrap_or(0))));
        };
        let mut items = Vec::new();
        for _ in 0..count {
            if let Err(cause) = self.item(&mut items)? {
                return Ok(Err(cause));
            }
        }
        frame.clear();
        if !self.fill(&mut frame, FRAME_BYTES)? {
            return Ok(Err(BrokenCause::CutShort));
        }
        Ok(match end_checksum(&frame) {
            None => Err(BrokenCause::WrongEnd),
            Some(checksum) if checksum != xxh3_64(&items) => Err(BrokenCause::Checksum),
            Some(_) => Ok(Batch {
                start,
                end: self.position,
                seqno,
                count,
                items,
            }),
        })
    }

    /// Appends one item to `items`.
    fn item(&mut self, items: &mut Vec<u8>) -> io::Result<Result<(), BrokenCause>> {
        let begin = items.len();
        if !self.fill(items, ITEM_HEAD_BYTES)? {
            return Ok(Err(BrokenCause::CutShort));
        }
        let head = match ItemHead::decode(items.get(begin..).unwrap_or_default()) {
            Ok(head) => head,
            Err(cause) => return Ok(Err(cause)),
        };
        let payload = head.key_bytes.saturating_add(head.value_bytes);
        if !self.fill(items, payload)? {
            return Ok(Err(BrokenCause::CutShort));
        }
        Ok(Ok(()))
    }

    /// Appends `count` bytes of the file, or says that there are fewer.
    fn fill(&mut self, into: &mut Vec<u8>, count: usize) -> io::Result<bool> {
        if count as u64 > self.length.saturating_sub(self.position) {
            return Ok(false);
        }
        let begin = into.len();
        into.resize(begin.saturating_add(count), 0);
        let place = into.get_mut(begin..).unwrap_or_default();
        if let Err(error) = self.input.read_exact(place) {
            // The file became shorter while it was read.
            let is_short = error.kind() == io::ErrorKind::UnexpectedEof;
            return if is_short { Ok(false) } else { Err(error) };
        }
        self.position += count as u64;
        Ok(true)
    }

    fn peek_tag(&mut self) -> io::Result<Option<u8>> {
        use std::io::BufRead;
        if self.position >= self.length {
            return Ok(None);
        }
        Ok(self.input.fill_buf()?.first().copied())
    }

    fn rest_is_zero(&mut self) -> io::Result<bool> {
        use std::io::BufRead;
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                return Ok(true);
            }
            if !is_zero(chunk) {
                return Ok(false);
            }
            let count = chunk.len();
            self.input.consume(count);
        }
    }
}

/// Whether all bytes are zero; compared in pieces, since that is one `memcmp` each.
pub(crate) fn is_zero(bytes: &[u8]) -> bool {
    const ZEROS: [u8; 4096] = [0; 4096];
    bytes
        .chunks(ZEROS.len())
        .all(|chunk| ZEROS.get(..chunk.len()) == Some(chunk))
}

fn end_checksum(frame: &[u8]) -> Option<u64> {
    let mut fields = Fields::new(frame);
    let (tag, checksum) = (fields.u8()?, fields.u64()?);
    (tag == TAG_END && fields.rest() == END_MAGIC).then_some(checksum)
}

/// The part of an item before its key.
pub(crate) struct ItemHead {
    pub(crate) keyspace_id: u64,
    kind: ItemKind,
    pub(crate) key_bytes: usize,
    pub(crate) value_bytes: usize,
}

impl ItemHead {
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, BrokenCause> {
        let mut fields = Fields::new(bytes);
        let tag = fields.u8().ok_or(BrokenCause::CutShort)?;
        if tag != TAG_ITEM {
            return Err(BrokenCause::WrongTag(tag));
        }
        Self::after_tag(fields).ok_or(BrokenCause::ForeignItem)
    }

    fn after_tag(mut fields: Fields<'_>) -> Option<Self> {
        let kind = match fields.u8()? {
            0 => ItemKind::Put,
            1 => ItemKind::Remove,
            _ => return None,
        };
        let compression = fields.u8()?;
        let head = Self {
            kind,
            keyspace_id: fields.u64()?,
            key_bytes: fields.u16()?.into(),
            value_bytes: usize::try_from(fields.u32()?).ok()?,
        };
        let stored_bytes = usize::try_from(fields.u32()?).ok()?;
        let plain = compression == 0 && stored_bytes == head.value_bytes;
        let removal_is_empty = kind == ItemKind::Put || stored_bytes == 0;
        (plain && removal_is_empty).then_some(head)
    }
}
