//! Rust values that answers can be read into; the same pairs of types as in
//! [`to_cql`](crate::to_cql), the other way.
//!
//! Texts and blobs may also be borrowed from the answer (`&str`, `&[u8]`).
//!
//! Invariants:
//! 1. [`FromCql::check`] looks at the type alone, once per answer; after it has agreed, only the
//!    value itself can be wrong: null, empty, or broken bytes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::net::IpAddr;

use num_bigint::BigInt;
use stoa_types::native::{self, DecodeErrorKind};
use stoa_types::{DataType, Date, Decimal, Duration, Time, Timestamp, Value, frames};
use uuid::Uuid;

use crate::bind::ValueError;

/// A value that a column can be read into.
pub trait FromCql<'row>: Sized {
    /// Whether values of a type can be read at all.
    ///
    /// # Errors
    /// Which types do not fit.
    fn check(data_type: &DataType) -> Result<(), ValueError>;

    /// Reads native bytes of a type that [`check`](FromCql::check) has agreed to.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    fn from_bytes(data_type: &DataType, bytes: &'row [u8]) -> Result<Self, ValueError>;

    /// What null becomes.
    ///
    /// # Errors
    /// Unless `Self` has a value for it.
    fn from_null() -> Result<Self, ValueError> {
        Err(ValueError::Null)
    }

    /// Reads a cell; `None` is null.
    ///
    /// # Errors
    /// As the other two.
    fn from_cell(data_type: &DataType, cell: Option<&'row [u8]>) -> Result<Self, ValueError> {
        match cell {
            Some(bytes) => Self::from_bytes(data_type, bytes),
            None => Self::from_null(),
        }
    }
}

impl FromCql<'_> for Value {
    fn check(_: &DataType) -> Result<(), ValueError> {
        Ok(())
    }

    fn from_bytes(data_type: &DataType, bytes: &[u8]) -> Result<Self, ValueError> {
        Ok(native::decode(data_type, bytes)?)
    }

    fn from_null() -> Result<Self, ValueError> {
        Ok(Self::Null)
    }
}

impl<'row, T: FromCql<'row>> FromCql<'row> for Option<T> {
    fn check(data_type: &DataType) -> Result<(), ValueError> {
        T::check(data_type)
    }

    fn from_bytes(data_type: &DataType, bytes: &'row [u8]) -> Result<Self, ValueError> {
        T::from_bytes(data_type, bytes).map(Some)
    }

    fn from_null() -> Result<Self, ValueError> {
        Ok(None)
    }
}

/// Types of a fixed number of bytes.
macro_rules! fixed {
    ($($rust:ty: $($cql:ident)|+ => |$bytes:ident| $value:expr;)+) => {$(
        impl FromCql<'_> for $rust {
            fn check(data_type: &DataType) -> Result<(), ValueError> {
                match data_type {
                    $(DataType::$cql)|+ => Ok(()),
                    other => Err(ValueError::types(stringify!($rust), other)),
                }
            }

            fn from_bytes(data_type: &DataType, bytes: &[u8]) -> Result<Self, ValueError> {
                match bytes.try_into() {
                    Ok($bytes) => Ok($value),
                    Err(_) => Err(wrong_length(data_type, stringify!($rust), bytes)),
                }
            }
        }
    )+};
}

fixed! {
    bool: Boolean => |bytes| { let [byte]: [u8; 1] = bytes; byte != 0 };
    i8: TinyInt => |bytes| i8::from_be_bytes(bytes);
    i16: SmallInt => |bytes| i16::from_be_bytes(bytes);
    i32: Int => |bytes| i32::from_be_bytes(bytes);
    i64: BigInt | Counter => |bytes| i64::from_be_bytes(bytes);
    f32: Float => |bytes| f32::from_be_bytes(bytes);
    f64: Double => |bytes| f64::from_be_bytes(bytes);
    Uuid: Uuid | TimeUuid => |bytes| Uuid::from_bytes(bytes);
    Date: Date => |bytes| Date(u32::from_be_bytes(bytes));
    Time: Time => |bytes| Time(i64::from_be_bytes(bytes));
    Timestamp: Timestamp => |bytes| Timestamp(i64::from_be_bytes(bytes));
}

/// Zero bytes are allowed by many types but not by Rust's; any other length is broken.
fn wrong_length(data_type: &DataType, rust: &'static str, bytes: &[u8]) -> ValueError {
    if bytes.is_empty() && data_type.allows_empty() {
        return ValueError::Empty(rust);
    }
    match native::decode(data_type, bytes) {
        Err(error) => error.into(),
        Ok(_) => ValueError::types(rust, data_type),
    }
}

/// Types that are decoded as a [`Value`] first.
macro_rules! decoded {
    ($($rust:ident: $cql:ident;)+) => {$(
        impl FromCql<'_> for $rust {
            fn check(data_type: &DataType) -> Result<(), ValueError> {
                match data_type {
                    DataType::$cql => Ok(()),
                    other => Err(ValueError::types(stringify!($rust), other)),
                }
            }

            fn from_bytes(data_type: &DataType, bytes: &[u8]) -> Result<Self, ValueError> {
                match native::decode(data_type, bytes)? {
                    Value::$cql(value) => Ok(value),
                    _ => Err(ValueError::Empty(stringify!($rust))),
                }
            }
        }
    )+};
}

decoded! {
    BigInt: VarInt;
    Decimal: Decimal;
    Duration: Duration;
    IpAddr: Inet;
}

impl<'row> FromCql<'row> for &'row str {
    fn check(data_type: &DataType) -> Result<(), ValueError> {
        match data_type {
            DataType::Ascii | DataType::Text => Ok(()),
            other => Err(ValueError::types("str", other)),
        }
    }

    fn from_bytes(_: &DataType, bytes: &'row [u8]) -> Result<Self, ValueError> {
        std::str::from_utf8(bytes).map_err(|error| {
            let offset = error.valid_up_to();
            ValueError::Decode(DecodeErrorKind::NotUtf8 { offset }.into())
        })
    }
}

impl FromCql<'_> for String {
    fn check(data_type: &DataType) -> Result<(), ValueError> {
        <&str>::check(data_type)
    }

    fn from_bytes(data_type: &DataType, bytes: &[u8]) -> Result<Self, ValueError> {
        <&str>::from_bytes(data_type, bytes).map(str::to_owned)
    }
}

impl<'row> FromCql<'row> for &'row [u8] {
    fn check(data_type: &DataType) -> Result<(), ValueError> {
        match data_type {
            DataType::Blob => Ok(()),
            other => Err(ValueError::types("[u8]", other)),
        }
    }

    fn from_bytes(_: &DataType, bytes: &'row [u8]) -> Result<Self, ValueError> {
        Ok(bytes)
    }
}

impl FromCql<'_> for Vec<u8> {
    fn check(data_type: &DataType) -> Result<(), ValueError> {
        <&[u8]>::check(data_type)
    }

    fn from_bytes(_: &DataType, bytes: &[u8]) -> Result<Self, ValueError> {
        Ok(bytes.to_vec())
    }
}

impl<'row, T: FromCql<'row>> FromCql<'row> for Vec<T> {
    fn check(data_type: &DataType) -> Result<(), ValueError> {
        match data_type {
            DataType::List { element, .. }
            | DataType::Set { element, .. }
            | DataType::Vector { element, .. } => T::check(element),
            other => Err(ValueError::types("Vec", other)),
        }
    }

    fn from_bytes(data_type: &DataType, bytes: &'row [u8]) -> Result<Self, ValueError> {
        match data_type {
            DataType::Vector { element, dimension } => {
                collect(element, frames::vector_parts(bytes, element, *dimension))
            }
            other => elements(other, bytes),
        }
    }
}

/// The elements of a list or a set.
fn elements<'row, T: FromCql<'row>, C: FromIterator<T>>(
    data_type: &DataType,
    bytes: &'row [u8],
) -> Result<C, ValueError> {
    match data_type {
        DataType::List { element, .. } | DataType::Set { element, .. } => {
            let (_, parts) = frames::collection_parts(bytes, 1).map_err(broken)?;
            collect(element, parts)
        }
        other => Err(ValueError::types("a collection", other)),
    }
}

fn collect<'row, T: FromCql<'row>, C: FromIterator<T>>(
    element: &DataType,
    parts: impl Iterator<Item = Result<&'row [u8], frames::FrameError>>,
) -> Result<C, ValueError> {
    let read = |(index, part): (usize, Result<_, _>)| {
        T::from_bytes(element, part.map_err(broken)?)
            .map_err(|error| error.inside(format!("element {index}")))
    };
    parts.enumerate().map(read).collect()
}

fn broken(error: frames::FrameError) -> ValueError {
    ValueError::Decode(error.into())
}

macro_rules! sets {
    ($($set:ident: $($bound:ident)+;)+) => {$(
        impl<'row, T: FromCql<'row> $(+ $bound)+> FromCql<'row> for $set<T> {
            fn check(data_type: &DataType) -> Result<(), ValueError> {
                match data_type {
                    DataType::Set { element, .. } => T::check(element),
                    other => Err(ValueError::types(stringify!($set), other)),
                }
            }

            fn from_bytes(data_type: &DataType, bytes: &'row [u8]) -> Result<Self, ValueError> {
                elements(data_type, bytes)
            }
        }
    )+};
}

sets! {
    BTreeSet: Ord;
    HashSet: Eq Hash;
}

macro_rules! maps {
    ($($map:ident: $($bound:ident)+;)+) => {$(
        impl<'row, K: FromCql<'row> $(+ $bound)+, V: FromCql<'row>> FromCql<'row> for $map<K, V> {
            fn check(data_type: &DataType) -> Result<(), ValueError> {
                match data_type {
                    DataType::Map { key, value, .. } => {
                        K::check(key)?;
                        V::check(value)
                    }
                    other => Err(ValueError::types(stringify!($map), other)),
                }
            }

            fn from_bytes(data_type: &DataType, bytes: &'row [u8]) -> Result<Self, ValueError> {
                entries(data_type, bytes)
            }
        }
    )+};
}

maps! {
    BTreeMap: Ord;
    HashMap: Eq Hash;
}

fn entries<'row, K: FromCql<'row>, V: FromCql<'row>, C: FromIterator<(K, V)>>(
    data_type: &DataType,
    bytes: &'row [u8],
) -> Result<C, ValueError> {
    let DataType::Map { key, value, .. } = data_type else {
        return Err(ValueError::types("a map", data_type));
    };
    let (_, mut parts) = frames::collection_parts(bytes, 2).map_err(broken)?;
    let mut index = 0;
    std::iter::from_fn(|| {
        let first = parts.next()?;
        let second = parts.next();
        index += 1;
        Some(entry::<K, V>((key, first), (value, second), index - 1))
    })
    .collect()
}

type Part<'row> = Result<&'row [u8], frames::FrameError>;

fn entry<'row, K: FromCql<'row>, V: FromCql<'row>>(
    (key_type, key): (&DataType, Part<'row>),
    (value_type, value): (&DataType, Option<Part<'row>>),
    index: usize,
) -> Result<(K, V), ValueError> {
    let value = value.unwrap_or(Err(frames::FrameError::CutShort));
    let key = K::from_bytes(key_type, key.map_err(broken)?)
        .map_err(|error| error.inside(format!("key {index}")))?;
    let value = V::from_bytes(value_type, value.map_err(broken)?)
        .map_err(|error| error.inside(format!("value {index}")))?;
    Ok((key, value))
}

macro_rules! tuples {
    ($count:literal: $($name:ident)+) => {
        impl<'row, $($name: FromCql<'row>),+> FromCql<'row> for ($($name,)+) {
            fn check(data_type: &DataType) -> Result<(), ValueError> {
                match data_type {
                    DataType::Tuple(types) if types.len() == $count => {
                        let mut types = types.iter();
                        $(types.next().map_or(Ok(()), $name::check)?;)+
                        Ok(())
                    }
                    other => Err(ValueError::types("a tuple", other)),
                }
            }

            fn from_bytes(data_type: &DataType, bytes: &'row [u8]) -> Result<Self, ValueError> {
                let DataType::Tuple(types) = data_type else {
                    return Err(ValueError::types("a tuple", data_type));
                };
                let mut fields = Fields::of(types.iter(), bytes);
                Ok(($(fields.next::<$name>()?,)+))
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

/// The fields of a tuple or of a user-defined type, one after another; missing ones are null.
struct Fields<'row, 'types, T> {
    types: T,
    left: &'row [u8],
    index: usize,
    of: std::marker::PhantomData<&'types ()>,
}

impl<'row, 'types, T: Iterator<Item = &'types DataType>> Fields<'row, 'types, T> {
    fn of(types: T, left: &'row [u8]) -> Self {
        Self {
            types,
            left,
            index: 0,
            of: std::marker::PhantomData,
        }
    }

    fn next<V: FromCql<'row>>(&mut self) -> Result<V, ValueError> {
        let place = self.index;
        let data_type = self.types.next();
        let cell = self.next_cell()?;
        V::from_cell(data_type.unwrap_or(&DataType::Empty), cell)
            .map_err(|error| error.inside(format!("field {place}")))
    }

    fn next_cell(&mut self) -> Result<Option<&'row [u8]>, ValueError> {
        self.index += 1;
        let Some(part) = frames::tuple_parts(self.left, usize::MAX).next() else {
            return Ok(None);
        };
        let cell = part.map_err(broken)?;
        let taken = 4 + cell.map_or(0, <[u8]>::len);
        self.left = self.left.get(taken..).unwrap_or_default();
        Ok(cell)
    }
}

/// The fields of a user-defined type by name; what `derive(FromCql)` uses.
#[derive(Debug)]
pub struct UserFields<'row, 'types> {
    cells: Vec<(&'types str, &'types DataType, Option<&'row [u8]>)>,
}

impl<'row, 'types> UserFields<'row, 'types> {
    /// Cuts the bytes of a user-defined type into its fields.
    ///
    /// # Errors
    /// When the bytes are broken, or the type is another one.
    pub fn of(data_type: &'types DataType, bytes: &'row [u8]) -> Result<Self, ValueError> {
        let DataType::UserDefined(user) = data_type else {
            return Err(ValueError::types("a struct", data_type));
        };
        let types = user.fields.iter().map(|field| &field.data_type);
        let mut fields = Fields::of(types, bytes);
        let mut cells = Vec::with_capacity(user.fields.len());
        for field in &user.fields {
            cells.push((field.name.as_str(), &field.data_type, fields.next_cell()?));
        }
        Ok(Self { cells })
    }

    /// Reads one field; one that the type does not have is null.
    ///
    /// # Errors
    /// When its value does not fit.
    pub fn get<T: FromCql<'row>>(&self, name: &str) -> Result<T, ValueError> {
        let field = self.cells.iter().find(|(known, _, _)| *known == name);
        let read = match field {
            Some((_, data_type, cell)) => T::from_cell(data_type, *cell),
            None => T::from_null(),
        };
        read.map_err(|error| error.inside(format!("field {name:?}")))
    }
}

/// Checks one field of a user-defined type by name; what `derive(FromCql)` calls.
///
/// # Errors
/// When there is no such field, or its type does not fit.
pub fn check_user_field<'row, T: FromCql<'row>>(
    data_type: &DataType,
    name: &str,
) -> Result<(), ValueError> {
    let DataType::UserDefined(user) = data_type else {
        return Err(ValueError::types("a struct", data_type));
    };
    match user.fields.iter().find(|field| field.name == name) {
        Some(field) => {
            T::check(&field.data_type).map_err(|error| error.inside(format!("field {name:?}")))
        }
        None => Err(ValueError::OutOfRange(format!(
            "the type {} has no field {name:?}",
            user.name
        ))),
    }
}
