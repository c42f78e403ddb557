//! What kind of write failed or was too late, as ERROR tells it: a word.

use crate::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::types::reader::Reader;
use crate::types::writer;

/// What kind of write it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WriteType {
    /// Of one partition.
    Simple,
    /// A logged batch.
    Batch,
    /// An unlogged batch.
    UnloggedBatch,
    /// Of a counter.
    Counter,
    /// To the log of batches.
    BatchLog,
    /// A conditional write.
    Cas,
    /// To a view.
    View,
    /// To the log of changed data.
    Cdc,
}

const PART: &str = "the write type";

impl WriteType {
    /// Every type with its word.
    pub const WORDS: [(Self, &'static str); 8] = [
        (Self::Simple, "SIMPLE"),
        (Self::Batch, "BATCH"),
        (Self::UnloggedBatch, "UNLOGGED_BATCH"),
        (Self::Counter, "COUNTER"),
        (Self::BatchLog, "BATCH_LOG"),
        (Self::Cas, "CAS"),
        (Self::View, "VIEW"),
        (Self::Cdc, "CDC"),
    ];

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        read_word(reader, PART, &Self::WORDS)
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        write_word(out, PART, &Self::WORDS, self)
    }
}

/// One of a few words as `[string]`.
pub(crate) fn read_word<T: Copy>(
    reader: &mut Reader<'_>,
    part: &'static str,
    words: &[(T, &str)],
) -> Result<T, DecodeError> {
    let before = reader.clone();
    let word = reader.string(part)?;
    let found = words.iter().find(|(_, known)| *known == word);
    let unknown = || DecodeErrorKind::UnknownWord(word.chars().take(LONGEST_QUOTED).collect());
    found
        .map(|(meant, _)| *meant)
        .ok_or_else(|| before.error(part, unknown()))
}

/// How much of an unknown word is repeated.
const LONGEST_QUOTED: usize = 40;

pub(crate) fn write_word<T: Copy + PartialEq>(
    out: &mut Vec<u8>,
    part: &'static str,
    words: &[(T, &str)],
    meant: T,
) -> Result<(), EncodeError> {
    let word = words.iter().find(|(known, _)| *known == meant);
    writer::string(out, part, word.map_or("", |(_, word)| word))
}
