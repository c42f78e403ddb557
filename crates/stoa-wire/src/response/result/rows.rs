//! Rows of a result.
//!
//! ```text
//! metadata   int number of rows   per row, per column: bytes
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::response::result::metadata::RowsMetadata;
use crate::types::reader::Reader;
use crate::types::writer;
use crate::version::Version;

/// Rows of a result, one page of them.
///
/// Whoever writes them gives the cells as they are sent: [`RowsResult::cells`] of what was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowsResult<'a> {
    /// What is said about the columns.
    pub metadata: RowsMetadata<'a>,
    /// How many rows there are.
    pub count: usize,
    /// All cells, row by row, each with its length.
    pub content: Cow<'a, [u8]>,
}

const COUNT: &str = "the number of rows";
const CELL: &str = "a cell";
const LEAST_CELL_BYTES: usize = 4;

impl<'a> RowsResult<'a> {
    /// The cells, row by row; `None` is null.
    ///
    /// # Errors
    /// When the content ends within a cell.
    pub fn cells(&self) -> impl Iterator<Item = Result<Option<Cow<'_, [u8]>>, DecodeError>> {
        let mut reader = Reader::new(&self.content);
        std::iter::from_fn(move || {
            let is_more = !reader.left().is_empty();
            is_more.then(|| reader.bytes(CELL))
        })
    }

    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let metadata = RowsMetadata::read(reader)?;
        let count = reader.length(COUNT)?;
        let cells = count.saturating_mul(metadata.count);
        reader.check_room(COUNT, cells, LEAST_CELL_BYTES)?;
        let all = reader.left();
        for _ in 0..cells {
            reader.bytes(CELL)?;
        }
        let length = all.len() - reader.left().len();
        Ok(Self {
            metadata,
            count,
            content: Cow::Borrowed(all.get(..length).unwrap_or_default()),
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        self.metadata.write(out, version)?;
        writer::long_count(out, COUNT, self.count)?;
        out.extend_from_slice(&self.content);
        Ok(())
    }
}
