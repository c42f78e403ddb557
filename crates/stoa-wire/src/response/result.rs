//! RESULT: what a statement answers.
//!
//! ```text
//! int kind   1 void   2 rows   3 set keyspace: string keyspace   4 prepared   5 schema change
//! ```

pub mod metadata;
pub mod prepared;
pub mod rows;

pub use metadata::{ColumnSpec, RowsMetadata};
pub use prepared::PreparedResult;
pub use rows::RowsResult;

use std::borrow::Cow;

use crate::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::response::schema_change::SchemaChange;
use crate::types::reader::Reader;
use crate::types::writer;
use crate::version::Version;

/// What a statement answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultResponse<'a> {
    /// It is done.
    Void,
    /// Rows, perhaps none.
    Rows(RowsResult<'a>),
    /// The connection uses this keyspace from now on.
    SetKeyspace(Cow<'a, str>),
    /// A statement was prepared.
    Prepared(Box<PreparedResult<'a>>),
    /// The schema changed.
    SchemaChange(SchemaChange<'a>),
}

const KIND: &str = "the kind of a result";
const KEYSPACE: &str = "the keyspace of a result";
const VOID: i32 = 1;
const ROWS: i32 = 2;
const SET_KEYSPACE: i32 = 3;
const PREPARED: i32 = 4;
const SCHEMA_CHANGE: i32 = 5;

impl<'a> ResultResponse<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>, version: Version) -> Result<Self, DecodeError> {
        let before = reader.clone();
        Ok(match reader.int(KIND)? {
            VOID => Self::Void,
            ROWS => Self::Rows(RowsResult::read(reader)?),
            SET_KEYSPACE => Self::SetKeyspace(reader.string(KEYSPACE)?),
            PREPARED => Self::Prepared(Box::new(PreparedResult::read(reader, version)?)),
            SCHEMA_CHANGE => Self::SchemaChange(SchemaChange::read(reader)?),
            other => return Err(before.error(KIND, DecodeErrorKind::Unknown(other.into()))),
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        let kind = match self {
            Self::Void => VOID,
            Self::Rows(_) => ROWS,
            Self::SetKeyspace(_) => SET_KEYSPACE,
            Self::Prepared(_) => PREPARED,
            Self::SchemaChange(_) => SCHEMA_CHANGE,
        };
        out.extend_from_slice(&kind.to_be_bytes());
        match self {
            Self::Void => Ok(()),
            Self::Rows(rows) => rows.write(out, version),
            Self::SetKeyspace(keyspace) => writer::string(out, KEYSPACE, keyspace),
            Self::Prepared(prepared) => prepared.write(out, version),
            Self::SchemaChange(change) => change.write(out),
        }
    }
}
