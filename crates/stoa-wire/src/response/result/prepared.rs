//! The answer to PREPARE.
//!
//! ```text
//! short bytes id   v5: short bytes id of the result's metadata
//! variables: int flags   int number   int n, n shorts: which of them make the partition key
//!            columns as metadata has them
//! metadata of the result
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::response::result::metadata::{
    ColumnSpec, RowsMetadata, has_one_table, one_table_flag, read_columns, write_columns,
};
use crate::types::reader::Reader;
use crate::types::writer;
use crate::version::Version;

/// The answer to PREPARE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedResult<'a> {
    /// Under which the statement is executed.
    pub id: Cow<'a, [u8]>,
    /// The id of the result's metadata; in version 5 always there, in 4 never.
    pub result_metadata_id: Option<Cow<'a, [u8]>>,
    /// The variables in the order of their markers.
    pub variables: Vec<ColumnSpec<'a>>,
    /// Which variables make the partition key, in its order; empty if they do not.
    pub partition_key: Vec<u16>,
    /// What is known of the rows.
    pub result: RowsMetadata<'a>,
}

const ID: &str = "the id of a prepared statement";
const METADATA_ID: &str = "the id of the result's metadata";
const FLAGS: &str = "the flags of the variables";
const COUNT: &str = "the number of variables";
const KEY: &str = "the variables of the partition key";

impl<'a> PreparedResult<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>, version: Version) -> Result<Self, DecodeError> {
        let id = reader.short_bytes(ID)?;
        let result_metadata_id = match version {
            Version::V4 => None,
            Version::V5 => Some(reader.short_bytes(METADATA_ID)?),
        };
        let flags = reader.int(FLAGS)?;
        let count = reader.length(COUNT)?;
        let keys = reader.long_count(KEY, 2)?;
        Ok(Self {
            id,
            result_metadata_id,
            partition_key: reader.many(keys, |reader| reader.short_int(KEY))?,
            variables: read_columns(reader, count, has_one_table(flags))?,
            result: RowsMetadata::read(reader)?,
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        writer::short_bytes(out, ID, &self.id)?;
        if version > Version::V4 {
            let id = self.result_metadata_id.as_deref().unwrap_or_default();
            writer::short_bytes(out, METADATA_ID, id)?;
        }
        out.extend_from_slice(&one_table_flag(&self.variables).to_be_bytes());
        writer::long_count(out, COUNT, self.variables.len())?;
        writer::long_count(out, KEY, self.partition_key.len())?;
        for position in &self.partition_key {
            out.extend_from_slice(&position.to_be_bytes());
        }
        write_columns(out, version, &self.variables)?;
        self.result.write(out, version)
    }
}
