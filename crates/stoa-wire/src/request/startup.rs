//! STARTUP: begins a connection.
//!
//! ```text
//! string map options
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::types::reader::{Named, Reader};
use crate::types::writer;

/// The option with the version of CQL, which every client sends.
pub const CQL_VERSION: &str = "CQL_VERSION";
/// The option with the name of a compression.
pub const COMPRESSION: &str = "COMPRESSION";

const PART: &str = "the options of STARTUP";

/// Begins a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Startup<'a> {
    /// What the client wants, by name.
    pub options: Named<'a, Cow<'a, str>>,
}

impl<'a> Startup<'a> {
    /// The value of an option, whose name may be written in any case.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter();
        let found = options.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_ref())
    }

    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let options = reader.string_map(PART)?;
        Ok(Self { options })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        writer::named(out, PART, &self.options, |out, value| {
            writer::string(out, PART, value)
        })
    }
}
