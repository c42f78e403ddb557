//! PREPARE: prepares a text.
//!
//! ```text
//! long string text          v5: int flags   [string keyspace]
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::types::reader::Reader;
use crate::types::writer;
use crate::version::Version;

const PART: &str = "the text of PREPARE";
const FLAGS: &str = "the flags of PREPARE";
const KEYSPACE: &str = "the keyspace of PREPARE";
const HAS_KEYSPACE: i32 = 0x01;

/// Prepares a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepare<'a> {
    /// CQL.
    pub text: Cow<'a, str>,
    /// The keyspace to prepare it in, instead of the connection's; version 5.
    pub keyspace: Option<Cow<'a, str>>,
}

impl<'a> Prepare<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>, version: Version) -> Result<Self, DecodeError> {
        let text = reader.long_string(PART)?;
        let mut keyspace = None;
        if version > Version::V4 && reader.int(FLAGS)? & HAS_KEYSPACE != 0 {
            keyspace = Some(reader.string(KEYSPACE)?);
        }
        Ok(Self { text, keyspace })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        writer::long_string(out, PART, &self.text)?;
        match (version, &self.keyspace) {
            (Version::V4, None) => Ok(()),
            (Version::V4, Some(_)) => Err(EncodeError::NotInVersion4(KEYSPACE)),
            (Version::V5, None) => {
                out.extend_from_slice(&0_i32.to_be_bytes());
                Ok(())
            }
            (Version::V5, Some(keyspace)) => {
                out.extend_from_slice(&HAS_KEYSPACE.to_be_bytes());
                writer::string(out, KEYSPACE, keyspace)
            }
        }
    }
}
