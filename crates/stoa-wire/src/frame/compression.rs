//! LZ4 and Snappy, as bodies of version 4 and segments of version 5 have them.
//!
//! ```text
//! body, LZ4       int length decompressed, an LZ4 block        body, Snappy   raw Snappy
//! segment, LZ4    an LZ4 block; the segment's header has the length
//! ```
//!
//! Invariants:
//! 1. Nothing is allocated for a claimed length that is above the limit, or that so few bytes
//!    cannot become.

use crate::frame::error::CompressionError;

/// How bodies are compressed, as agreed on by STARTUP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// LZ4 blocks.
    Lz4,
    /// Raw Snappy; version 4 only.
    Snappy,
}

/// No byte of an LZ4 block becomes more bytes than this, and a block has one more than it needs.
const LZ4_RATIO: usize = 255;
/// A copy of Snappy is three bytes and makes 64 at most.
const SNAPPY_RATIO: usize = 22;

impl Compression {
    /// Every compression with its name in STARTUP and SUPPORTED.
    pub const NAMES: [(Self, &'static str); 2] = [(Self::Snappy, "snappy"), (Self::Lz4, "lz4")];

    /// The compression of this name, in any case.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let mut names = Self::NAMES.iter();
        let found = names.find(|(_, known)| known.eq_ignore_ascii_case(name));
        found.map(|(compression, _)| *compression)
    }

    /// Compresses the body of an envelope of version 4.
    ///
    /// # Errors
    /// When it is too large to be compressed.
    pub fn compress_body(self, body: &[u8]) -> Result<Vec<u8>, CompressionError> {
        match self {
            Self::Lz4 => {
                let length = u32::try_from(body.len()).map_err(|_| CompressionError::TooLarge {
                    claimed: body.len(),
                    limit: u32::MAX as usize,
                })?;
                let block = lz4_flex::block::compress(body);
                let mut out = Vec::with_capacity(block.len() + 4);
                out.extend_from_slice(&length.to_be_bytes());
                out.extend_from_slice(&block);
                Ok(out)
            }
            Self::Snappy => snap::raw::Encoder::new().compress_vec(body).map_err(broken),
        }
    }

    /// Decompresses the body of an envelope of version 4.
    ///
    /// # Errors
    /// When it is broken, or larger than the limit.
    pub fn decompress_body(self, body: &[u8], limit: usize) -> Result<Vec<u8>, CompressionError> {
        match self {
            Self::Lz4 => {
                let (length, block) = body
                    .split_first_chunk::<4>()
                    .ok_or(CompressionError::CutLength)?;
                let claimed = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
                decompress_block(block, claimed, limit)
            }
            Self::Snappy => {
                // Snappy's own description gives no bytes at all no meaning, but its library does.
                if body.is_empty() {
                    return Err(CompressionError::CutLength);
                }
                let claimed = snap::raw::decompress_len(body).map_err(broken)?;
                check_claim(body.len(), claimed, limit, SNAPPY_RATIO)?;
                let decompressed = snap::raw::Decoder::new().decompress_vec(body);
                decompressed.map_err(broken)
            }
        }
    }
}

/// Decompresses an LZ4 block, which becomes exactly so many bytes.
pub(crate) fn decompress_block(
    block: &[u8],
    claimed: usize,
    limit: usize,
) -> Result<Vec<u8>, CompressionError> {
    check_claim(block.len(), claimed, limit, LZ4_RATIO)?;
    let mut out = vec![0; claimed];
    match lz4_flex::block::decompress_into(block, &mut out) {
        Ok(actual) if actual == claimed => Ok(out),
        Ok(actual) => Err(CompressionError::OtherLength { claimed, actual }),
        Err(problem) => Err(broken(problem)),
    }
}

fn check_claim(
    compressed: usize,
    claimed: usize,
    limit: usize,
    ratio: usize,
) -> Result<(), CompressionError> {
    if claimed > limit {
        return Err(CompressionError::TooLarge { claimed, limit });
    }
    if claimed > compressed.saturating_mul(ratio) {
        return Err(CompressionError::Impossible {
            compressed,
            claimed,
        });
    }
    Ok(())
}

fn broken(problem: impl std::fmt::Display) -> CompressionError {
    CompressionError::Broken(problem.to_string())
}
