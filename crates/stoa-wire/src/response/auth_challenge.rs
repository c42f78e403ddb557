//! AUTH_CHALLENGE: a further question about who asks.
//!
//! ```text
//! bytes token
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::types::reader::Reader;
use crate::types::writer;

const PART: &str = "the token of AUTH_CHALLENGE";

/// A further question about who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthChallenge<'a> {
    /// What the mechanism in use says.
    pub token: Option<Cow<'a, [u8]>>,
}

impl<'a> AuthChallenge<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let token = reader.bytes(PART)?;
        Ok(Self { token })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        writer::bytes(out, PART, self.token.as_deref())
    }
}
