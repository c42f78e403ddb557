//! Typed values in: the values of a statement's variables, as bytes.
//!
//! ```text
//! per variable   length (i32) bytes; length -1 is null, -2 leaves the column as it is
//! ```
//!
//! These are the native protocol's bytes, so that a server can hand on what a client sent and a
//! client what a program bound.
//!
//! Invariants:
//! 1. [`BoundValues`] hold whole cells only: what is written after an error is taken back.

use stoa_types::native::{DecodeError, EncodeError};
use stoa_types::{DataType, Value};

use crate::column::Column;
use crate::to_cql::{Presence, ToCql};

/// The values of a statement's variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoundValues {
    bytes: Vec<u8>,
    count: usize,
}

/// The value of one variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    /// A value's native bytes.
    Bytes(&'a [u8]),
    /// No value.
    Null,
    /// The column stays as it is.
    Unset,
}

const NULL: i32 = -1;
const UNSET: i32 = -2;

/// For how many bytes a value there is room before any is bound.
const FIRST_VALUE_BYTES: usize = 24;

impl BoundValues {
    /// None yet, with room for about so many.
    pub(crate) fn with_room_for(values: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(values * FIRST_VALUE_BYTES),
            count: 0,
        }
    }

    /// Appends the value of the next variable.
    ///
    /// # Errors
    /// When the value does not fit the variable's type.
    pub fn push(
        &mut self,
        variable: &Column,
        value: &(impl ToCql + ?Sized),
    ) -> Result<(), BindError> {
        let start = self.bytes.len();
        write_cell(&variable.data_type, value, &mut self.bytes).map_err(|problem| {
            self.bytes.truncate(start);
            BindError::Value {
                variable: variable.name.clone(),
                problem,
            }
        })?;
        self.count += 1;
        Ok(())
    }

    /// Appends bytes that are taken as they are.
    ///
    /// # Errors
    /// When they are 2 GiB or more.
    pub fn push_cell(&mut self, cell: Cell<'_>) -> Result<(), ValueError> {
        match cell {
            Cell::Null => self.bytes.extend_from_slice(&NULL.to_be_bytes()),
            Cell::Unset => self.bytes.extend_from_slice(&UNSET.to_be_bytes()),
            Cell::Bytes(bytes) => {
                let length = i32::try_from(bytes.len()).map_err(|_| ValueError::TooLarge)?;
                self.bytes.extend_from_slice(&length.to_be_bytes());
                self.bytes.extend_from_slice(bytes);
            }
        }
        self.count += 1;
        Ok(())
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The values in order.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        let mut left = self.bytes.as_slice();
        std::iter::from_fn(move || take_cell(&mut left))
    }

    /// All of it, as the native protocol has it.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn check_count(&self, variables: &[Column]) -> Result<(), BindError> {
        if self.count == variables.len() {
            return Ok(());
        }
        Err(BindError::Count {
            expected: variables.len(),
            actual: self.count,
        })
    }
}

/// Takes a cell off the front; `None` at the end.
fn take_cell<'a>(left: &mut &'a [u8]) -> Option<Cell<'a>> {
    let (length, rest) = left.split_first_chunk::<4>()?;
    let length = i32::from_be_bytes(*length);
    let Ok(size) = usize::try_from(length) else {
        *left = rest;
        return Some(if length == UNSET {
            Cell::Unset
        } else {
            Cell::Null
        });
    };
    let (bytes, rest) = rest.split_at_checked(size)?;
    *left = rest;
    Some(Cell::Bytes(bytes))
}

/// Appends a length and the value's bytes.
pub(crate) fn write_cell(
    data_type: &DataType,
    value: &(impl ToCql + ?Sized),
    out: &mut Vec<u8>,
) -> Result<(), ValueError> {
    let start = out.len();
    out.extend_from_slice(&NULL.to_be_bytes());
    let length = match value.write_cql(data_type, out)? {
        Presence::Value => {
            let written = out.len() - start - 4;
            i32::try_from(written).map_err(|_| ValueError::TooLarge)?
        }
        Presence::Null => NULL,
        Presence::Unset => UNSET,
    };
    if let Some(place) = out.get_mut(start..start + 4) {
        place.copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}

/// What can be bound to the variables of a statement: a tuple, a slice of [`Value`]s, or a struct
/// that derives it and whose fields are called like the variables.
pub trait ToValues {
    /// Appends one value for each variable.
    ///
    /// # Errors
    /// When there are too many or too few, or one does not fit its variable's type.
    fn write_values(&self, variables: &[Column], out: &mut BoundValues) -> Result<(), BindError>;
}

impl<T: ToValues + ?Sized> ToValues for &T {
    fn write_values(&self, variables: &[Column], out: &mut BoundValues) -> Result<(), BindError> {
        (**self).write_values(variables, out)
    }
}

impl ToValues for BoundValues {
    /// Takes the bytes as they are: they were checked when they were made.
    fn write_values(&self, variables: &[Column], out: &mut BoundValues) -> Result<(), BindError> {
        self.check_count(variables)?;
        out.clone_from(self);
        Ok(())
    }
}

impl ToValues for () {
    fn write_values(&self, variables: &[Column], out: &mut BoundValues) -> Result<(), BindError> {
        out.check_count(variables)
    }
}

impl ToValues for [Value] {
    fn write_values(&self, variables: &[Column], out: &mut BoundValues) -> Result<(), BindError> {
        write_all(self.iter().map(|value| value as &dyn ToCql), variables, out)
    }
}

impl<const N: usize> ToValues for [Value; N] {
    fn write_values(&self, variables: &[Column], out: &mut BoundValues) -> Result<(), BindError> {
        self.as_slice().write_values(variables, out)
    }
}

impl ToValues for Vec<Value> {
    fn write_values(&self, variables: &[Column], out: &mut BoundValues) -> Result<(), BindError> {
        self.as_slice().write_values(variables, out)
    }
}

impl ToValues for [&dyn ToCql] {
    fn write_values(&self, variables: &[Column], out: &mut BoundValues) -> Result<(), BindError> {
        write_all(self.iter().copied(), variables, out)
    }
}

fn write_all<'a>(
    values: impl ExactSizeIterator<Item = &'a dyn ToCql>,
    variables: &[Column],
    out: &mut BoundValues,
) -> Result<(), BindError> {
    if values.len() != variables.len() {
        return Err(BindError::Count {
            expected: variables.len(),
            actual: values.len(),
        });
    }
    variables
        .iter()
        .zip(values)
        .try_for_each(|(variable, value)| out.push(variable, value))
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: ToCql),+> ToValues for ($($name,)+) {
            fn write_values(
                &self,
                variables: &[Column],
                out: &mut BoundValues,
            ) -> Result<(), BindError> {
                #[expect(non_snake_case, reason = "one name for a type and its value")]
                let ($($name,)+) = self;
                let values: &[&dyn ToCql] = &[$($name),+];
                values.write_values(variables, out)
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);

/// Writes the fields of a struct by the names of the variables; what `derive(ToValues)` calls.
///
/// # Errors
/// When a variable has no field, a field no variable, or a value does not fit.
pub fn write_fields(
    fields: &[(&str, &dyn ToCql)],
    variables: &[Column],
    out: &mut BoundValues,
) -> Result<(), BindError> {
    for variable in variables {
        let field = fields.iter().find(|(name, _)| *name == variable.name);
        let (_, value) = field.ok_or_else(|| BindError::NoField(variable.name.clone()))?;
        out.push(variable, *value)?;
    }
    let is_bound = |name: &str| variables.iter().any(|variable| variable.name == name);
    match fields.iter().find(|(name, _)| !is_bound(name)) {
        Some((name, _)) => Err(BindError::NoVariable((*name).to_owned())),
        None => Ok(()),
    }
}

/// Why values cannot be bound to a statement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// Too many or too few.
    #[error("the statement has {expected} variables, but {actual} values were given")]
    Count {
        /// How many variables there are.
        expected: usize,
        /// How many values were given.
        actual: usize,
    },
    /// A struct has no field for a variable.
    #[error("the statement has a variable {0:?}, but the struct has no field for it")]
    NoField(String),
    /// A struct has a field that no variable takes.
    #[error("the struct has a field {0:?}, but the statement has no variable of that name")]
    NoVariable(String),
    /// A value does not fit.
    #[error("cannot bind the variable {variable:?}: {problem}")]
    Value {
        /// The variable.
        variable: String,
        /// What is wrong.
        problem: ValueError,
    },
}

/// Why a Rust value and a CQL value do not become each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The types have nothing to do with each other.
    #[error("{rust} and {cql} do not fit")]
    Type {
        /// The Rust type.
        rust: &'static str,
        /// The CQL type.
        cql: String,
    },
    /// Null, where Rust wants a value.
    #[error("the value is null; read it as an Option")]
    Null,
    /// Zero bytes, which Rust's type has no value for.
    #[error("the value is empty, which {0} cannot be; read it as a stoa_types::Value")]
    Empty(&'static str),
    /// Rust's type has no room for the value.
    #[error("{0}")]
    OutOfRange(String),
    /// Broken bytes.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A value that its type does not have.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// 2 GiB or more.
    #[error("the value is too large for the protocol")]
    TooLarge,
    /// Something is wrong inside a list, map, tuple or user-defined type.
    #[error("in {place}: {problem}")]
    Inside {
        /// Where.
        place: String,
        /// What.
        problem: Box<ValueError>,
    },
}

impl ValueError {
    /// The types do not fit.
    #[must_use]
    pub fn types(rust: &'static str, cql: &DataType) -> Self {
        Self::Type {
            rust,
            cql: cql.to_string(),
        }
    }

    /// The same problem, seen from the value around.
    #[must_use]
    pub fn inside(self, place: impl Into<String>) -> Self {
        Self::Inside {
            place: place.into(),
            problem: Box::new(self),
        }
    }
}
