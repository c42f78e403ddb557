//! Tells the torn end of the newest journal from damage.
//!
//! When power or the process is lost, the last writes may be missing in 512-byte
//! sectors, from any byte of a sector to its end, because one batch may take
//! several writes. What is missing reads as the zeros the file was preallocated
//! with, or as its end. Bytes after the last whole batch are damage instead if
//!
//! 1. a whole later commit follows that was written after all earlier ones had
//!    been synced: then what is broken had been on disk; or
//! 2. all of the broken batches were written: the last bytes are an end entry
//!    (at most one bit of it changed), and no sector before it ends with eight
//!    zeros, or with zeros only since the first byte. A lost write would show so,
//!    unless it was lost from one of the last seven bytes of a sector.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use super::{
    commit_record::CHAIN_KEY,
    journal::{
        END_MAGIC, FRAME_BYTES, ITEM_HEAD_BYTES, JournalReader, JournalStep, TAG_END, is_zero,
    },
    journal_files::record_at,
};

const CHUNK_BYTES: usize = 1 << 16;
const SECTOR_BYTES: u64 = 512;
/// More zeros than the heads of a batch and of its items have in a row.
const LOST_ZEROS: u64 = 8;
const KEY_OFFSET: u64 = (FRAME_BYTES + ITEM_HEAD_BYTES) as u64;

/// Why the end of a journal is damage, if it is.
pub(crate) fn tail_damage(path: &Path, offset: u64, last: u64) -> io::Result<Option<String>> {
    let scan = TailScan::run(path, offset)?;
    let mut file = File::open(path)?;
    for start in &scan.chain_keys {
        let Some(start) = start.checked_sub(KEY_OFFSET) else {
            continue;
        };
        let record = record_at(&mut file, start)?;
        let Some(record) = record.filter(|r| r.earlier_synced && r.commit > last) else {
            continue;
        };
        if let JournalStep::Batch(_) = JournalReader::open_at(path, start)?.step()? {
            return Ok(Some(format!(
                "commit {} is damaged: it was on disk before commit {}, whole at byte {start}, was written",
                last.saturating_add(1),
                record.commit
            )));
        }
    }
    Ok(scan.was_written_whole().then(|| {
        format!(
            "commit {} is damaged: it was written to its end, which no cut leaves behind",
            last.saturating_add(1)
        )
    }))
}

/// What one pass over the bytes from a broken place shows.
struct TailScan {
    offset: u64,
    /// Just after the last byte that is no zero.
    data_end: u64,
    /// How many zeros stand before the place the scan has reached.
    zeros: u64,
    /// Whether a sector before `data_end` ends with so many zeros that it may be a lost one.
    has_zero_end: bool,
    /// Whether a sector after `data_end` does.
    zero_end_ahead: bool,
    /// The bytes before `data_end`, as many as an end entry has.
    last_bytes: Vec<u8>,
    /// Where the key of a commit record stands.
    chain_keys: Vec<u64>,
}

impl TailScan {
    fn run(path: &Path, offset: u64) -> io::Result<Self> {
        let mut scan = Self {
            offset,
            data_end: offset,
            zeros: 0,
            has_zero_end: false,
            zero_end_ahead: false,
            last_bytes: Vec::new(),
            chain_keys: Vec::new(),
        };
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        // Each chunk is looked at behind the end of the one before, so that a key
        // or an end entry across the border is seen.
        let mut window: Vec<u8> = Vec::with_capacity(CHUNK_BYTES + FRAME_BYTES);
        let mut window_start = offset;
        let mut carried = 0;
        loop {
            let read = (&mut file)
                .take(CHUNK_BYTES as u64)
                .read_to_end(&mut window)?;
            if read == 0 {
                return Ok(scan);
            }
            if is_zero(&window) {
                scan.zeros = SECTOR_BYTES;
                scan.zero_end_ahead = true;
            } else {
                scan.look(&window, window_start, carried);
            }
            let drop = window.len().saturating_sub(FRAME_BYTES);
            window.drain(..drop);
            window_start += drop as u64;
            carried = window.len();
        }
    }

    /// Takes in a window, of which the first `carried` bytes were seen before.
    fn look(&mut self, window: &[u8], window_start: u64, carried: usize) {
        for (at, &byte) in window.iter().enumerate().skip(carried) {
            let position = window_start + at as u64;
            if byte != 0 {
                self.has_zero_end |= self.zero_end_ahead;
                self.data_end = position + 1;
                self.zeros = 0;
                continue;
            }
            self.zeros += 1;
            let may_be_lost = self.zeros >= LOST_ZEROS || self.data_end == self.offset;
            if may_be_lost && (position + 1).is_multiple_of(SECTOR_BYTES) {
                self.zero_end_ahead = true;
            }
        }
        let end = usize::try_from(self.data_end.saturating_sub(window_start)).unwrap_or(0);
        let begin = end.saturating_sub(FRAME_BYTES);
        if end > carried {
            self.last_bytes = window.get(begin..end).unwrap_or_default().to_vec();
        }
        for (at, found) in window.windows(CHAIN_KEY.len()).enumerate() {
            let is_new = at + CHAIN_KEY.len() > carried;
            if is_new && found == CHAIN_KEY {
                self.chain_keys.push(window_start + at as u64);
            }
        }
    }

    fn was_written_whole(&self) -> bool {
        let long_enough = self.data_end - self.offset >= 2 * FRAME_BYTES as u64;
        long_enough
            && !self.has_zero_end
            && bits_from_end_entry(&self.last_bytes).is_some_and(|bits| bits <= 1)
    }
}

/// In how many bits the constant parts of an end entry are different here.
fn bits_from_end_entry(bytes: &[u8]) -> Option<u32> {
    let (tag, rest) = bytes.split_first()?;
    let magic = rest.last_chunk::<4>()?;
    let bits = u32::from_le_bytes(*magic) ^ u32::from_le_bytes(END_MAGIC);
    (bytes.len() == FRAME_BYTES).then(|| (tag ^ TAG_END).count_ones() + bits.count_ones())
}
