//! REGISTER: asks to be told of events.
//!
//! ```text
//! string list kinds of events
//! ```

use crate::error::{DecodeError, EncodeError};
use crate::response::event::EventKind;
use crate::types::reader::Reader;
use crate::types::write_type::{read_word, write_word};
use crate::types::writer;

const PART: &str = "a kind of events";

/// Asks to be told of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    /// Of which kinds.
    pub kinds: Vec<EventKind>,
}

impl Register {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.count("the kinds of events", 2)?;
        let kinds = reader.many(count, |reader| read_word(reader, PART, &EventKind::WORDS))?;
        Ok(Self { kinds })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        writer::count(out, "the kinds of events", self.kinds.len())?;
        let mut kinds = self.kinds.iter();
        kinds.try_for_each(|kind| write_word(out, PART, &EventKind::WORDS, *kind))
    }
}
