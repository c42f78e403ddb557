//! QUERY: executes a text.
//!
//! ```text
//! long string text   parameters
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::request::parameters::Parameters;
use crate::types::reader::Reader;
use crate::types::writer;
use crate::version::Version;

const PART: &str = "the text of QUERY";

/// Executes a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query<'a> {
    /// CQL.
    pub text: Cow<'a, str>,
    /// How to execute it, and with which values.
    pub parameters: Parameters<'a>,
}

impl<'a> Query<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>, version: Version) -> Result<Self, DecodeError> {
        Ok(Self {
            text: reader.long_string(PART)?,
            parameters: Parameters::read(reader, version)?,
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        writer::long_string(out, PART, &self.text)?;
        self.parameters.write(out, version)
    }
}
