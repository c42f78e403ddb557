//! What a result says about its columns.
//!
//! ```text
//! int flags   int number of columns   then, each if its flag is set:
//!   0x2  bytes paging state            0x8  short bytes new id of the metadata (v5)
//! and unless 0x4 says that there are no columns:
//!   0x1  string keyspace, string table, once for all columns
//!   each column: [string keyspace, string table]  string name, option type
//! ```

use std::borrow::Cow;

use stoa_types::DataType;

use crate::error::{DecodeError, EncodeError};
use crate::types::reader::Reader;
use crate::types::{column_type, writer};
use crate::version::Version;

/// A column of a result, or a variable of a prepared statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSpec<'a> {
    /// The keyspace of its table.
    pub keyspace: Cow<'a, str>,
    /// Its table.
    pub table: Cow<'a, str>,
    /// Its name.
    pub name: Cow<'a, str>,
    /// The type of its values.
    pub data_type: Cow<'a, DataType>,
}

/// What a result says about its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowsMetadata<'a> {
    /// How many columns there are.
    pub count: usize,
    /// The columns; none if the client knows them, or there are none by the statement's nature.
    pub columns: Option<Vec<ColumnSpec<'a>>>,
    /// Where the next page begins; none on the last.
    pub paging_state: Option<Cow<'a, [u8]>>,
    /// The id of the metadata, if it is not the one that the client named; version 5.
    pub new_id: Option<Cow<'a, [u8]>>,
}

const ONE_TABLE: i32 = 0x1;
const HAS_MORE_PAGES: i32 = 0x2;
const NO_METADATA: i32 = 0x4;
const CHANGED: i32 = 0x8;

const FLAGS: &str = "the flags of metadata";
const COUNT: &str = "the number of columns";
const STATE: &str = "the paging state";
const NEW_ID: &str = "the new id of the metadata";
const KEYSPACE: &str = "the keyspace of a column";
const TABLE: &str = "the table of a column";
const NAME: &str = "the name of a column";
/// A name and a type.
const LEAST_COLUMN_BYTES: usize = 4;

impl<'a> RowsMetadata<'a> {
    /// What is said of a statement that answers no rows.
    #[must_use]
    pub fn none() -> Self {
        Self {
            count: 0,
            columns: None,
            paging_state: None,
            new_id: None,
        }
    }

    /// These columns, on one page.
    #[must_use]
    pub fn of_columns(columns: Vec<ColumnSpec<'a>>) -> Self {
        Self {
            count: columns.len(),
            columns: Some(columns),
            paging_state: None,
            new_id: None,
        }
    }

    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let flags = reader.int(FLAGS)?;
        let has = |flag| flags & flag != 0;
        let count = reader.length(COUNT)?;
        let mut metadata = Self {
            count,
            ..Self::none()
        };
        if has(HAS_MORE_PAGES) {
            metadata.paging_state = reader.bytes(STATE)?;
        }
        if has(CHANGED) {
            metadata.new_id = Some(reader.short_bytes(NEW_ID)?);
        }
        if !has(NO_METADATA) {
            metadata.columns = Some(read_columns(reader, count, has(ONE_TABLE))?);
        }
        Ok(metadata)
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let one_table = self.columns.as_deref().is_some_and(are_of_one_table);
        let flags = flag(one_table, ONE_TABLE)
            | flag(self.paging_state.is_some(), HAS_MORE_PAGES)
            | flag(self.columns.is_none(), NO_METADATA)
            | flag(self.new_id.is_some(), CHANGED);
        out.extend_from_slice(&flags.to_be_bytes());
        writer::long_count(out, COUNT, self.count)?;
        if let Some(state) = &self.paging_state {
            writer::bytes(out, STATE, Some(state))?;
        }
        match &self.new_id {
            Some(_) if version == Version::V4 => return Err(EncodeError::NotInVersion4(NEW_ID)),
            Some(id) => writer::short_bytes(out, NEW_ID, id)?,
            None => {}
        }
        match &self.columns {
            Some(columns) => write_columns(out, version, columns),
            None => Ok(()),
        }
    }
}

/// Whether all columns have one table, which is then told once. No column has none.
pub(super) fn are_of_one_table(columns: &[ColumnSpec<'_>]) -> bool {
    match columns.split_first() {
        Some((first, others)) => others
            .iter()
            .all(|it| it.table == first.table && it.keyspace == first.keyspace),
        None => false,
    }
}

/// The flag of columns that have one table.
pub(super) fn one_table_flag(columns: &[ColumnSpec<'_>]) -> i32 {
    if are_of_one_table(columns) {
        ONE_TABLE
    } else {
        0
    }
}

pub(super) fn has_one_table(flags: i32) -> bool {
    flags & ONE_TABLE != 0
}

pub(super) fn read_columns<'a>(
    reader: &mut Reader<'a>,
    count: usize,
    has_one_table: bool,
) -> Result<Vec<ColumnSpec<'a>>, DecodeError> {
    let place = |reader: &mut Reader<'a>| Ok((reader.string(KEYSPACE)?, reader.string(TABLE)?));
    let mut shared = None;
    if has_one_table {
        shared = Some(place(reader)?);
    }
    reader.check_room(COUNT, count, LEAST_COLUMN_BYTES)?;
    reader.many(count, |reader| {
        let (keyspace, table) = match &shared {
            Some(place) => place.clone(),
            None => place(reader)?,
        };
        Ok(ColumnSpec {
            keyspace,
            table,
            name: reader.string(NAME)?,
            data_type: Cow::Owned(column_type::read(reader)?),
        })
    })
}

pub(super) fn write_columns(
    out: &mut Vec<u8>,
    version: Version,
    columns: &[ColumnSpec<'_>],
) -> Result<(), EncodeError> {
    let place = |out: &mut Vec<u8>, column: &ColumnSpec<'_>| {
        writer::string(out, KEYSPACE, &column.keyspace)?;
        writer::string(out, TABLE, &column.table)
    };
    let one_table = are_of_one_table(columns);
    if let Some(first) = columns.first().filter(|_| one_table) {
        place(out, first)?;
    }
    for column in columns {
        if !one_table {
            place(out, column)?;
        }
        writer::string(out, NAME, &column.name)?;
        column_type::write(out, version, &column.data_type)?;
    }
    Ok(())
}
