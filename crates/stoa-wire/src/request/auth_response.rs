//! AUTH_RESPONSE: answers a question about who asks.
//!
//! ```text
//! bytes token
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::types::reader::Reader;
use crate::types::writer;

const PART: &str = "the token of AUTH_RESPONSE";

/// Answers a question about who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthResponse<'a> {
    /// What the mechanism in use says. For a password: NUL, user name, NUL, password.
    pub token: Option<Cow<'a, [u8]>>,
}

impl<'a> AuthResponse<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let token = reader.bytes(PART)?;
        Ok(Self { token })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        writer::bytes(out, PART, self.token.as_deref())
    }
}
