//! AUTHENTICATE: who asks must say who they are.
//!
//! ```text
//! string class of the authenticator
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::types::reader::Reader;
use crate::types::writer;

const PART: &str = "the class of the authenticator";

/// Who asks must say who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authenticate<'a> {
    /// The Java class by which drivers know the mechanism.
    pub class: Cow<'a, str>,
}

impl<'a> Authenticate<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let class = reader.string(PART)?;
        Ok(Self { class })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        writer::string(out, PART, &self.class)
    }
}
