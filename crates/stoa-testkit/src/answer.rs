//! What a read returns, and the comparison of two answers.

use std::collections::BTreeMap;
use std::fmt;

use crate::facts::ColumnId;
use crate::text::bytes_text;

/// What is shown of one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartitionAnswer {
    /// The static row, if anything is live in it.
    pub static_row: Option<VisibleRow>,
    /// The rows, in the order asked for.
    pub rows: Vec<VisibleRow>,
}

impl PartitionAnswer {
    /// Whether nothing is shown.
    pub fn is_empty(&self) -> bool {
        self.static_row.is_none() && self.rows.is_empty()
    }
}

/// What is shown of one row. Only live things are in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleRow {
    /// The clustering key; empty for the static row.
    pub clustering: Vec<u8>,
    /// The mark of an INSERT.
    pub liveness: Option<VisibleLiveness>,
    /// The columns that are not null.
    pub columns: BTreeMap<ColumnId, VisibleColumn>,
}

/// A live mark of an INSERT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleLiveness {
    /// The write time.
    pub timestamp_micros: i64,
    /// The end, if it has one.
    pub expires_at_seconds: Option<i64>,
}

/// A column that is not null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisibleColumn {
    /// A simple column.
    Simple(VisibleCell),
    /// A counter.
    Counter {
        /// The latest write time.
        timestamp_micros: i64,
        /// The sum.
        total: i64,
    },
    /// A collection: its live elements by path, at least one.
    Complex(Vec<VisibleElement>),
}

impl VisibleColumn {
    /// The latest write time in the column.
    pub fn timestamp_micros(&self) -> i64 {
        match self {
            Self::Simple(cell) => cell.timestamp_micros,
            Self::Counter {
                timestamp_micros, ..
            } => *timestamp_micros,
            Self::Complex(elements) => {
                let times = elements.iter().map(|element| element.cell.timestamp_micros);
                times.max().unwrap_or(i64::MIN)
            }
        }
    }

    /// Whether the column is a counter.
    pub fn is_counter(&self) -> bool {
        matches!(self, Self::Counter { .. })
    }
}

/// A live cell. The time to live it was asked for is left out, as nobody can see it: two
/// cells that differ in nothing else are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleCell {
    /// The write time.
    pub timestamp_micros: i64,
    /// The value.
    pub value: Vec<u8>,
    /// The end, if it has one.
    pub expires_at_seconds: Option<i64>,
}

/// A live element of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleElement {
    /// Its place in the collection.
    pub path: Vec<u8>,
    /// What is there.
    pub cell: VisibleCell,
}

/// The first place where two answers differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where, for instance `row 'c1' column 2`.
    pub place: String,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: expected {}, got {}",
            self.place, self.expected, self.got
        )
    }
}

impl std::error::Error for Difference {}

/// Compares an answer with the right one, rows in order.
///
/// # Errors
///
/// The first difference, in the order of the answer.
pub fn compare(expected: &PartitionAnswer, got: &PartitionAnswer) -> Result<(), Difference> {
    compare_rows(
        "static row",
        expected.static_row.as_ref(),
        got.static_row.as_ref(),
    )?;
    for (index, expected_row) in expected.rows.iter().enumerate() {
        compare_rows(
            &format!("row {index}"),
            Some(expected_row),
            got.rows.get(index),
        )?;
    }
    let extra = got.rows.get(expected.rows.len());
    compare_rows(&format!("row {}", expected.rows.len()), None, extra)
}

/// Compares one row with the right one, either of which may be missing.
///
/// # Errors
///
/// The first difference; its place begins with `place`.
pub fn compare_rows(
    place: &str,
    expected: Option<&VisibleRow>,
    got: Option<&VisibleRow>,
) -> Result<(), Difference> {
    let (expected, got) = match (expected, got) {
        (None, None) => return Ok(()),
        (Some(expected), Some(got)) if expected.clustering == got.clustering => (expected, got),
        (expected, got) => return differ(place.to_owned(), expected, got),
    };
    let place = format!("{place} {}", bytes_text(&expected.clustering));
    if expected.liveness != got.liveness {
        let place = format!("{place} liveness");
        return differ(place, expected.liveness.as_ref(), got.liveness.as_ref());
    }
    let columns = expected.columns.keys().chain(got.columns.keys());
    for column in columns {
        let (expected, got) = (expected.columns.get(column), got.columns.get(column));
        if expected != got {
            return differ(format!("{place} column {column}"), expected, got);
        }
    }
    Ok(())
}

fn differ<T: fmt::Display>(
    place: String,
    expected: Option<&T>,
    got: Option<&T>,
) -> Result<(), Difference> {
    let text = |it: Option<&T>| it.map_or_else(|| "nothing".to_owned(), T::to_string);
    Err(Difference {
        place,
        expected: text(expected),
        got: text(got),
    })
}

impl fmt::Display for VisibleRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{{", bytes_text(&self.clustering))?;
        if let Some(liveness) = &self.liveness {
            write!(f, "live {liveness}")?;
        }
        for (column, content) in &self.columns {
            write!(f, " {column}={content}")?;
        }
        f.write_str("}")
    }
}

impl fmt::Display for VisibleLiveness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_times(f, self.timestamp_micros, self.expires_at_seconds)
    }
}

impl fmt::Display for VisibleColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simple(cell) => write!(f, "{cell}"),
            Self::Counter {
                timestamp_micros,
                total,
            } => write!(f, "{total}@{timestamp_micros}"),
            Self::Complex(elements) => {
                f.write_str("[")?;
                for (index, element) in elements.iter().enumerate() {
                    let gap = if index == 0 { "" } else { ", " };
                    write!(f, "{gap}{}: {}", bytes_text(&element.path), element.cell)?;
                }
                f.write_str("]")
            }
        }
    }
}

impl fmt::Display for VisibleCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&bytes_text(&self.value))?;
        write_times(f, self.timestamp_micros, self.expires_at_seconds)
    }
}

fn write_times(
    f: &mut fmt::Formatter<'_>,
    timestamp_micros: i64,
    expires_at_seconds: Option<i64>,
) -> fmt::Result {
    write!(f, "@{timestamp_micros}")?;
    expires_at_seconds.map_or(Ok(()), |end| write!(f, " until {end}"))
}
