//! `[value]`: what is bound to a variable.
//!
//! ```text
//! value   int n, n bytes;  n = -1: null;  n = -2: unset, the column stays as it is
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::types::reader::Reader;
use crate::types::writer;

/// What is bound to a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoundValue<'a> {
    /// A value's bytes.
    Bytes(Cow<'a, [u8]>),
    /// No value.
    Null,
    /// The column stays as it is.
    Unset,
}

const PART: &str = "a value";
const UNSET: i32 = -2;

/// How many bytes a value takes at least.
pub(crate) const LEAST_BYTES: usize = 4;

impl<'a> BoundValue<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let before = reader.clone();
        let length = reader.int(PART)?;
        match (usize::try_from(length), length) {
            (Ok(count), _) => Ok(Self::Bytes(Cow::Borrowed(reader.raw(PART, count)?))),
            (_, -1) => Ok(Self::Null),
            (_, UNSET) => Ok(Self::Unset),
            _ => Err(before.error(PART, DecodeErrorKind::NegativeLength(length))),
        }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::Bytes(bytes) => writer::bytes(out, PART, Some(bytes)),
            Self::Null => writer::bytes(out, PART, None),
            Self::Unset => {
                out.extend_from_slice(&UNSET.to_be_bytes());
                Ok(())
            }
        }
    }
}
