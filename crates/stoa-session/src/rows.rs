//! Typed rows out: the rows of a page, and structs and tuples made of them.
//!
//! ```text
//! per row, per column   length (i32) bytes; a negative length is null
//! ```
//!
//! A page keeps its rows as the native protocol has them, in one piece. Nothing is decoded before
//! it is asked for, and a server can hand a page on without looking into it.
//!
//! Invariants:
//! 1. The bytes of a page are exactly as many whole cells as rows times columns.

use std::sync::Arc;

use stoa_types::Value;

use crate::bind::ValueError;
use crate::column::Column;
use crate::from_cql::FromCql;

/// The rows of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    columns: Arc<[Column]>,
    count: usize,
    bytes: Vec<u8>,
}

impl Rows {
    /// No row of no column.
    #[must_use]
    pub fn none() -> Self {
        Self::with_columns(Arc::from([]))
    }

    /// No row yet; [`Rows::push`] adds one.
    #[must_use]
    pub fn with_columns(columns: Arc<[Column]>) -> Self {
        Self {
            columns,
            count: 0,
            bytes: Vec::new(),
        }
    }

    /// Makes room for this many bytes more.
    pub fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    /// Adds a row; `None` is null.
    ///
    /// # Errors
    /// When there are not as many cells as columns, or one has 2 GiB or more. The row is then not
    /// added.
    pub fn push<'a>(
        &mut self,
        cells: impl IntoIterator<Item = Option<&'a [u8]>>,
    ) -> Result<(), PushError> {
        let mut row = self.begin();
        for cell in cells {
            row.push(cell)?;
        }
        row.end()
    }

    /// Begins a row that is added cell by cell.
    pub fn begin(&mut self) -> NewRow<'_> {
        if self.bytes.capacity() == 0 {
            self.bytes.reserve(self.columns.len() * FIRST_CELL_BYTES);
        }
        NewRow {
            start: self.bytes.len(),
            cells: 0,
            rows: self,
        }
    }

    /// The columns in order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All rows, as the native protocol has them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The rows, one after another.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        let mut left = self.bytes.as_slice();
        (0..self.count).map(move |_| {
            let mut row = Row::of(&self.columns);
            row.fill(&mut left);
            row
        })
    }

    /// The first row.
    #[must_use]
    pub fn first(&self) -> Option<Row<'_>> {
        self.iter().next()
    }

    /// The rows as structs or tuples, checked against the columns.
    ///
    /// # Errors
    /// When a field has no column, or one of another type.
    pub fn typed<'row, T: FromRow<'row>>(&'row self) -> Result<TypedRows<'row, T>, RowError> {
        Ok(TypedRows {
            layout: T::layout(&self.columns)?,
            row: Row::of(&self.columns),
            left: &self.bytes,
            remaining: self.count,
            made: std::marker::PhantomData,
        })
    }
}

/// For how many bytes a cell there is room in a page before anything is in it.
const FIRST_CELL_BYTES: usize = 32;

/// A row that is being added; dropped before its end, it is not.
#[derive(Debug)]
pub struct NewRow<'rows> {
    rows: &'rows mut Rows,
    start: usize,
    cells: usize,
}

impl NewRow<'_> {
    /// Adds the cell of the next column; `None` is null.
    ///
    /// # Errors
    /// When it has 2 GiB or more.
    pub fn push(&mut self, cell: Option<&[u8]>) -> Result<(), PushError> {
        let bytes = &mut self.rows.bytes;
        match cell {
            Some(cell) => {
                let length = i32::try_from(cell.len()).map_err(|_| PushError::TooLarge)?;
                bytes.extend_from_slice(&length.to_be_bytes());
                bytes.extend_from_slice(cell);
            }
            None => bytes.extend_from_slice(&(-1_i32).to_be_bytes()),
        }
        self.cells += 1;
        Ok(())
    }

    /// Ends the row, which is added now.
    ///
    /// # Errors
    /// When there are not as many cells as columns.
    pub fn end(mut self) -> Result<(), PushError> {
        let expected = self.rows.columns.len();
        if self.cells != expected {
            return Err(PushError::Count {
                expected,
                actual: self.cells,
            });
        }
        self.rows.count += 1;
        self.start = self.rows.bytes.len();
        Ok(())
    }
}

impl Drop for NewRow<'_> {
    fn drop(&mut self) {
        self.rows.bytes.truncate(self.start);
    }
}

/// Why a row was not added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PushError {
    /// Too many or too few cells.
    #[error("a row of {expected} columns got {actual} cells")]
    Count {
        /// How many columns there are.
        expected: usize,
        /// How many cells were given.
        actual: usize,
    },
    /// A cell has 2 GiB or more.
    #[error("a value is too large for the protocol")]
    TooLarge,
}

/// One row.
#[derive(Debug, Clone)]
pub struct Row<'row> {
    columns: &'row [Column],
    cells: Vec<Option<&'row [u8]>>,
}

impl<'row> Row<'row> {
    fn of(columns: &'row [Column]) -> Self {
        Self {
            columns,
            cells: Vec::with_capacity(columns.len()),
        }
    }

    /// Takes the next row off the front of a page.
    fn fill(&mut self, left: &mut &'row [u8]) {
        self.cells.clear();
        for _ in self.columns {
            self.cells.push(take_cell(left));
        }
    }

    /// The columns in order.
    #[must_use]
    pub fn columns(&self) -> &'row [Column] {
        self.columns
    }

    /// The native bytes of each column; `None` is null.
    #[must_use]
    pub fn cells(&self) -> &[Option<&'row [u8]>] {
        &self.cells
    }

    /// The value of a column by name.
    ///
    /// # Errors
    /// When there is no such column, or its value does not fit.
    pub fn get<T: FromCql<'row>>(&self, name: &str) -> Result<T, RowError> {
        let position = self.columns.iter().position(|column| column.name == name);
        self.at(position.ok_or_else(|| RowError::NoColumn(name.to_owned()))?)
    }

    /// The value of a column by position, counted from 0.
    ///
    /// # Errors
    /// When there is no such column, or its value does not fit.
    pub fn at<T: FromCql<'row>>(&self, position: usize) -> Result<T, RowError> {
        let column = self.column(position)?;
        T::check(&column.data_type).map_err(|problem| in_column(column, problem))?;
        self.read(position)
    }

    /// The value of a column whose type was checked.
    ///
    /// # Errors
    /// When there is no such column, or its value does not fit.
    pub fn read<T: FromCql<'row>>(&self, position: usize) -> Result<T, RowError> {
        let column = self.column(position)?;
        let cell = self.cells.get(position).copied().flatten();
        T::from_cell(&column.data_type, cell).map_err(|problem| in_column(column, problem))
    }

    fn column(&self, position: usize) -> Result<&'row Column, RowError> {
        let column = self.columns.get(position);
        column.ok_or_else(|| RowError::NoColumn(format!("#{position}")))
    }

    /// Every value.
    ///
    /// # Errors
    /// When the bytes of one are broken.
    pub fn values(&self) -> Result<Vec<Value>, RowError> {
        (0..self.columns.len())
            .map(|position| self.at(position))
            .collect()
    }
}

fn take_cell<'row>(left: &mut &'row [u8]) -> Option<&'row [u8]> {
    let (length, rest) = left.split_first_chunk::<4>()?;
    *left = rest;
    let length = usize::try_from(i32::from_be_bytes(*length)).ok()?;
    let (cell, rest) = rest.split_at_checked(length)?;
    *left = rest;
    Some(cell)
}

fn in_column(column: &Column, problem: ValueError) -> RowError {
    RowError::Value {
        column: column.name.clone(),
        problem,
    }
}

/// Rows as structs or tuples; see [`Rows::typed`].
#[derive(Debug)]
pub struct TypedRows<'row, T> {
    layout: Layout,
    row: Row<'row>,
    left: &'row [u8],
    remaining: usize,
    made: std::marker::PhantomData<fn() -> T>,
}

impl<'row, T: FromRow<'row>> Iterator for TypedRows<'row, T> {
    type Item = Result<T, RowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.remaining = self.remaining.checked_sub(1)?;
        self.row.fill(&mut self.left);
        Some(T::from_row(&self.row, &self.layout))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl<'row, T: FromRow<'row>> ExactSizeIterator for TypedRows<'row, T> {}

/// What a row can be read into: a tuple as long as the row, or a struct that derives it and whose
/// fields are called like columns. Columns that no field wants are left alone, so that a program
/// goes on when a table gets another column.
pub trait FromRow<'row>: Sized {
    /// Finds the column of each field, and checks the types.
    ///
    /// # Errors
    /// When a field has no column, or one of another type.
    fn layout(columns: &[Column]) -> Result<Layout, RowError>;

    /// Reads a row by the layout of its columns.
    ///
    /// # Errors
    /// When a value does not fit.
    fn from_row(row: &Row<'row>, layout: &Layout) -> Result<Self, RowError>;
}

/// For each field of a struct or tuple, the position of its column; `None` if it goes without.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout(Vec<Option<usize>>);

impl Layout {
    /// No field yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field that must have a column.
    ///
    /// # Errors
    /// When there is none of that name, or it has another type.
    pub fn require<'row, T: FromCql<'row>>(
        &mut self,
        columns: &[Column],
        name: &str,
    ) -> Result<(), RowError> {
        match columns.iter().position(|column| column.name == name) {
            Some(position) => self.add::<T>(columns, position),
            None => Err(RowError::NoColumn(name.to_owned())),
        }
    }

    /// Adds a field that may go without a column.
    ///
    /// # Errors
    /// When it has another type.
    pub fn allow<'row, T: FromCql<'row>>(
        &mut self,
        columns: &[Column],
        name: &str,
    ) -> Result<(), RowError> {
        match columns.iter().position(|column| column.name == name) {
            Some(position) => self.add::<T>(columns, position),
            None => {
                self.0.push(None);
                Ok(())
            }
        }
    }

    fn add<'row, T: FromCql<'row>>(
        &mut self,
        columns: &[Column],
        position: usize,
    ) -> Result<(), RowError> {
        if let Some(column) = columns.get(position) {
            T::check(&column.data_type).map_err(|problem| in_column(column, problem))?;
        }
        self.0.push(Some(position));
        Ok(())
    }

    /// Reads a field that has a column.
    ///
    /// # Errors
    /// When its value does not fit.
    pub fn read<'row, T: FromCql<'row>>(
        &self,
        row: &Row<'row>,
        field: usize,
    ) -> Result<T, RowError> {
        let position = self.0.get(field).copied().flatten();
        row.read(position.unwrap_or(usize::MAX))
    }

    /// Reads a field; without a column, or where it is null, it has its default.
    ///
    /// # Errors
    /// When its value does not fit.
    pub fn read_or_default<'row, T: FromCql<'row> + Default>(
        &self,
        row: &Row<'row>,
        field: usize,
    ) -> Result<T, RowError> {
        match self.0.get(field).copied().flatten() {
            Some(position) => row
                .read::<Option<T>>(position)
                .map(Option::unwrap_or_default),
            None => Ok(T::default()),
        }
    }
}

macro_rules! tuples {
    ($count:literal: $($name:ident)+) => {
        impl<'row, $($name: FromCql<'row>),+> FromRow<'row> for ($($name,)+) {
            fn layout(columns: &[Column]) -> Result<Layout, RowError> {
                if columns.len() != $count {
                    return Err(RowError::Count { expected: $count, actual: columns.len() });
                }
                let mut layout = Layout::new();
                $(layout.add::<$name>(columns, layout.0.len())?;)+
                Ok(layout)
            }

            fn from_row(row: &Row<'row>, _: &Layout) -> Result<Self, RowError> {
                let mut positions = 0..;
                Ok(($(row.read::<$name>(positions.next().unwrap_or_default())?,)+))
            }
        }
    };
}

tuples!(1: A);
tuples!(2: A B);
tuples!(3: A B C);
tuples!(4: A B C D);
tuples!(5: A B C D E);
tuples!(6: A B C D E F);
tuples!(7: A B C D E F G);
tuples!(8: A B C D E F G H);
tuples!(9: A B C D E F G H I);
tuples!(10: A B C D E F G H I J);
tuples!(11: A B C D E F G H I J K);
tuples!(12: A B C D E F G H I J K L);

/// Why a row cannot be read as a program wants.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// A tuple has another length.
    #[error("the answer has {actual} columns, the tuple {expected}")]
    Count {
        /// The length of the tuple.
        expected: usize,
        /// How many columns there are.
        actual: usize,
    },
    /// There is no such column.
    #[error("the answer has no column {0:?}")]
    NoColumn(String),
    /// A value does not fit.
    #[error("cannot read the column {column:?}: {problem}")]
    Value {
        /// The column.
        column: String,
        /// What is wrong.
        problem: ValueError,
    },
}
