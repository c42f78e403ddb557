//! EXECUTE: executes what was prepared.
//!
//! ```text
//! short bytes id   v5: short bytes id of the result's metadata   parameters
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::request::parameters::Parameters;
use crate::types::reader::Reader;
use crate::types::writer;
use crate::version::Version;

const ID: &str = "the id of EXECUTE";
const METADATA_ID: &str = "the id of the result's metadata";

/// Executes what was prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execute<'a> {
    /// What PREPARE was answered.
    pub id: Cow<'a, [u8]>,
    /// What PREPARE was answered about the columns; in version 5 always there, in 4 never.
    pub result_metadata_id: Option<Cow<'a, [u8]>>,
    /// How to execute it, and with which values.
    pub parameters: Parameters<'a>,
}

impl<'a> Execute<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>, version: Version) -> Result<Self, DecodeError> {
        Ok(Self {
            id: reader.short_bytes(ID)?,
            result_metadata_id: match version {
                Version::V4 => None,
                Version::V5 => Some(reader.short_bytes(METADATA_ID)?),
            },
            parameters: Parameters::read(reader, version)?,
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        writer::short_bytes(out, ID, &self.id)?;
        if version > Version::V4 {
            let id = self.result_metadata_id.as_deref().unwrap_or_default();
            writer::short_bytes(out, METADATA_ID, id)?;
        }
        self.parameters.write(out, version)
    }
}
