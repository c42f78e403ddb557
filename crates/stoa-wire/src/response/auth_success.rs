//! AUTH_SUCCESS: who asks is known now.
//!
//! ```text
//! bytes token
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::types::reader::Reader;
use crate::types::writer;

const PART: &str = "the token of AUTH_SUCCESS";

/// Who asks is known now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthSuccess<'a> {
    /// What the mechanism in use says.
    pub token: Option<Cow<'a, [u8]>>,
}

impl<'a> AuthSuccess<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let token = reader.bytes(PART)?;
        Ok(Self { token })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        writer::bytes(out, PART, self.token.as_deref())
    }
}
