//! Segments of version 5: checked, perhaps compressed, of at most 128 KiB.
//!
//! ```text
//! plain        17 bits length, 1 bit self-contained, 6 bits 0              3 bytes, little endian
//! compressed   17 bits length, 17 bits length decompressed (0: as it is),
//!              1 bit self-contained, 5 bits 0                              5 bytes, little endian
//! then         CRC24 of these bytes, 3 bytes; payload; CRC32 of the payload, 4 bytes
//! ```
//!
//! A self-contained segment holds whole envelopes; any other holds a part of one large envelope.
//!
//! Invariants:
//! 1. No length is believed before its checksum, and no payload before its own.

use crate::frame::checksum::{crc24, crc32};
use crate::frame::compression::decompress_block;
use crate::frame::error::FrameError;

/// The most bytes of a payload, before and after compression.
pub const MOST_PAYLOAD_BYTES: usize = (1 << 17) - 1;

const LENGTH_BITS: u32 = 17;
const LENGTH_MASK: u64 = (1 << LENGTH_BITS) - 1;
const CHECKSUM_BYTES: usize = 3;
const TRAILER_BYTES: usize = 4;

/// Whether the segments of a connection have room for compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SegmentForm {
    /// Payloads are as they are.
    Plain,
    /// Payloads are compressed by LZ4 where that makes them smaller.
    Lz4,
}

/// What a segment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Content {
    /// Whole envelopes.
    Whole,
    /// A part of a large envelope.
    Part,
}

/// A segment that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) content: Content,
    pub(crate) payload: Vec<u8>,
    /// How many bytes it took.
    pub(crate) bytes: usize,
}

impl SegmentForm {
    fn length_bytes(self) -> usize {
        match self {
            Self::Plain => 3,
            Self::Lz4 => 5,
        }
    }

    /// At which bit it stands whether a segment is self-contained.
    fn whole_bit(self) -> u32 {
        match self {
            Self::Plain => LENGTH_BITS,
            Self::Lz4 => 2 * LENGTH_BITS,
        }
    }

    /// Reads the segment at the front; `None` if it is not all there.
    pub(crate) fn read(self, bytes: &[u8]) -> Result<Option<Segment>, FrameError> {
        let header_bytes = self.length_bytes() + CHECKSUM_BYTES;
        let Some((header, rest)) = bytes.split_at_checked(header_bytes) else {
            return Ok(None);
        };
        let (lengths, checksum) = header
            .split_at_checked(self.length_bytes())
            .unwrap_or_default();
        let found = u32::try_from(little_endian(checksum)).unwrap_or(u32::MAX);
        let expected = crc24(lengths);
        if found != expected {
            return Err(FrameError::HeaderChecksum { found, expected });
        }
        let lengths = little_endian(lengths);
        let as_length = |bits: u64| usize::try_from(bits & LENGTH_MASK).unwrap_or(0);
        let length = as_length(lengths);
        let Some((payload, rest)) = rest.split_at_checked(length) else {
            return Ok(None);
        };
        let Some((trailer, _)) = rest.split_first_chunk::<TRAILER_BYTES>() else {
            return Ok(None);
        };
        let (found, expected) = (u32::from_le_bytes(*trailer), crc32(payload));
        if found != expected {
            return Err(FrameError::PayloadChecksum { found, expected });
        }
        let decompressed = match self {
            Self::Plain => 0,
            Self::Lz4 => as_length(lengths >> LENGTH_BITS),
        };
        let payload = match decompressed {
            0 => payload.to_vec(),
            claimed => decompress_block(payload, claimed, MOST_PAYLOAD_BYTES)
                .map_err(FrameError::Segment)?,
        };
        let content = match (lengths >> self.whole_bit()) & 1 {
            0 => Content::Part,
            _ => Content::Whole,
        };
        Ok(Some(Segment {
            content,
            payload,
            bytes: header_bytes + length + TRAILER_BYTES,
        }))
    }

    /// Appends envelopes, each of them whole, in as few segments as they take.
    pub fn write_all(self, out: &mut Vec<u8>, envelopes: &[&[u8]]) {
        let mut gathered: Vec<u8> = Vec::new();
        for envelope in envelopes {
            if gathered.len() + envelope.len() > MOST_PAYLOAD_BYTES {
                self.write_gathered(out, &mut gathered);
            }
            if envelope.len() > MOST_PAYLOAD_BYTES {
                for part in envelope.chunks(MOST_PAYLOAD_BYTES) {
                    self.write(out, Content::Part, part);
                }
            } else {
                gathered.extend_from_slice(envelope);
            }
        }
        self.write_gathered(out, &mut gathered);
    }

    fn write_gathered(self, out: &mut Vec<u8>, gathered: &mut Vec<u8>) {
        if !gathered.is_empty() {
            self.write(out, Content::Whole, gathered);
            gathered.clear();
        }
    }

    /// Appends one segment, whose payload fits.
    fn write(self, out: &mut Vec<u8>, content: Content, payload: &[u8]) {
        let compressed = match self {
            Self::Plain => None,
            Self::Lz4 => Some(lz4_flex::block::compress(payload))
                .filter(|compressed| compressed.len() < payload.len()),
        };
        let (sent, decompressed) = match &compressed {
            Some(compressed) => (compressed.as_slice(), payload.len()),
            None => (payload, 0),
        };
        let as_bits = |length: usize| u64::try_from(length).unwrap_or(0) & LENGTH_MASK;
        let mut lengths = as_bits(sent.len());
        if self == Self::Lz4 {
            lengths |= as_bits(decompressed) << LENGTH_BITS;
        }
        if content == Content::Whole {
            lengths |= 1 << self.whole_bit();
        }
        let start = out.len();
        out.extend(lengths.to_le_bytes().iter().take(self.length_bytes()));
        let checksum = crc24(out.get(start..).unwrap_or_default());
        out.extend(checksum.to_le_bytes().iter().take(CHECKSUM_BYTES));
        out.extend_from_slice(sent);
        out.extend_from_slice(&crc32(sent).to_le_bytes());
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| (number << 8) | u64::from(*byte))
}
