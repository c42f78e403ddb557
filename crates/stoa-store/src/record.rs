//! The partition record: the deletion of the whole partition, the static row, and whether there
//! are range deletions at all, so that the common read needs no search for them.
//!
//! ```text
//! record := head:u8 [deletion] [static row: packed, to the end]
//! head   := 0001 0000 | 1 deletion | 2 range deletions exist | 4 static row
//! deletion := timestamp:signed deleted_at:signed
//! ```
//!
//! Invariants:
//! 1. A partition without any of these has no record.
//! 2. The flag for ranges is set before the first range is stored and cleared after the last.

use crate::cell::Deletion;
use crate::codec::{DecodeError, Reader, put_signed};

const VERSION: u8 = 0x10;
const HAS_DELETION: u8 = 1;
const HAS_RANGES: u8 = 2;
const HAS_STATIC: u8 = 4;

/// What is known of a partition beside its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record<'a> {
    /// The deletion of the whole partition.
    pub deletion: Option<Deletion>,
    /// Whether range deletions are stored.
    pub has_ranges: bool,
    /// The static row, packed; empty when there is none.
    pub static_row: &'a [u8],
}

impl<'a> Record<'a> {
    /// True when there is nothing to store.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.deletion.is_none() && !self.has_ranges && self.static_row.is_empty()
    }

    /// The bytes to store.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(32);
        let mut head = VERSION;
        head |= if self.deletion.is_some() {
            HAS_DELETION
        } else {
            0
        };
        head |= if self.has_ranges { HAS_RANGES } else { 0 };
        head |= if self.static_row.is_empty() {
            0
        } else {
            HAS_STATIC
        };
        out.push(head);
        if let Some(deletion) = self.deletion {
            put_signed(&mut out, deletion.timestamp);
            put_signed(&mut out, deletion.deleted_at);
        }
        out.extend_from_slice(self.static_row);
        out
    }

    /// Reads what [`Record::encode`] wrote.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let reader = &mut Reader::new(bytes);
        let head = reader.byte("partition head")?;
        if head & 0xf0 != VERSION {
            return Err(DecodeError::UnknownVersion(head >> 4));
        }
        let deletion = if head & HAS_DELETION != 0 {
            let timestamp = reader.signed("partition deletion")?;
            Some(Deletion {
                timestamp,
                deleted_at: reader.signed("partition deletion second")?,
            })
        } else {
            None
        };
        let static_row = reader.take(reader.remaining(), "static row")?;
        if static_row.is_empty() == (head & HAS_STATIC != 0) {
            return Err(DecodeError::Invalid("static row"));
        }
        Ok(Self {
            deletion,
            has_ranges: head & HAS_RANGES != 0,
            static_row,
        })
    }
}
