//! SUPPORTED: what the server can do.
//!
//! ```text
//! string multimap options
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::types::reader::{Named, Reader};
use crate::types::writer;

const PART: &str = "the options of SUPPORTED";

/// What the server can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supported<'a> {
    /// What STARTUP may ask for, by name.
    pub options: Named<'a, Vec<Cow<'a, str>>>,
}

impl<'a> Supported<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let options = reader.string_multimap(PART)?;
        Ok(Self { options })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        writer::named(out, PART, &self.options, |out, values| {
            writer::string_list(out, PART, values)
        })
    }
}
