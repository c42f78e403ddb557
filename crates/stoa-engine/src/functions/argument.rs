//! What is known of an argument before it has a value: its type, and which types it may become.
//!
//! The rules of types are those of `AbstractType.testAssignment` and `isValueCompatibleWith`:
//! a value may be passed on as another type when its bytes already are a value of that type.

use stoa_types::DataType;

/// An argument of a call: a literal, a marker, a column, another call.
pub trait Argument {
    /// The type it has, or prefers to have; `None` for markers and `null`.
    ///
    /// Literals prefer `int`, `bigint`, `varint`, `double`, `text`, and so on.
    fn own_type(&self) -> Option<DataType>;

    /// Whether it may be a value of this type.
    fn assignability(&self, receiver: &DataType) -> Assignability;

    /// Its text, for messages.
    fn text(&self) -> String;

    /// Whether it is a bare marker, whose type is anything (`(int) ?` is none).
    fn is_marker(&self) -> bool {
        false
    }

    /// The number of elements, if it is a literal in square brackets of a selection.
    ///
    /// Only functions of vectors ask: such a literal is a vector to them and a list elsewhere.
    fn bracketed_length(&self) -> Option<usize> {
        None
    }
}

/// An argument of which only the type is known.
pub struct OfType<'a>(pub &'a DataType);

impl Argument for OfType<'_> {
    fn own_type(&self) -> Option<DataType> {
        Some(self.0.clone())
    }

    fn assignability(&self, receiver: &DataType) -> Assignability {
        assignability(self.0, receiver)
    }

    fn text(&self) -> String {
        self.0.to_string()
    }
}

/// How well something fits a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Assignability {
    /// It has this type.
    Exact,
    /// It can be taken for this type.
    Weak,
    /// It cannot be of this type.
    Not,
}

impl Assignability {
    /// Whether it fits at all.
    #[must_use]
    pub fn is_assignable(self) -> bool {
        self != Self::Not
    }

    /// The worse of two: several parts fit as well as the worst of them.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Not, _) | (_, Self::Not) => Self::Not,
            (Self::Exact, Self::Exact) => Self::Exact,
            _ => Self::Weak,
        }
    }
}

/// How well a value of type `own` fits where `receiver` is wanted.
///
/// A frozen value fits what is not frozen, exactly.
#[must_use]
pub fn assignability(own: &DataType, receiver: &DataType) -> Assignability {
    let is_whole =
        (own.is_collection() || matches!(own, DataType::UserDefined(_))) && !own.is_multi_cell();
    let frozen;
    let receiver = if is_whole {
        frozen = receiver.clone().frozen();
        &frozen
    } else {
        receiver
    };
    if own == receiver {
        Assignability::Exact
    } else if is_readable_as(own, receiver) {
        Assignability::Weak
    } else {
        Assignability::Not
    }
}

/// Whether every value of type `own` is, byte for byte, a value of type `receiver`.
#[must_use]
pub fn is_readable_as(own: &DataType, receiver: &DataType) -> bool {
    match (receiver, own) {
        (DataType::Blob, _) => true,
        (DataType::BigInt, DataType::Timestamp)
        | (DataType::Timestamp | DataType::Time, DataType::BigInt)
        | (DataType::Date, DataType::Int)
        | (DataType::Text, DataType::Ascii)
        | (DataType::Uuid, DataType::TimeUuid)
        | (DataType::VarInt, DataType::Int | DataType::BigInt | DataType::Timestamp) => true,
        (
            DataType::List {
                element: wanted, ..
            },
            DataType::List { element: given, .. },
        ) => same_cells(own, receiver) && is_element_readable_as(own, given, wanted),
        (
            DataType::Set {
                element: wanted, ..
            },
            DataType::Set { element: given, .. },
        ) => same_cells(own, receiver) && sorts_as(given, wanted),
        (
            DataType::Map {
                key: wanted_key,
                value: wanted,
                ..
            },
            DataType::Map {
                key: given_key,
                value: given,
                ..
            },
        ) => {
            same_cells(own, receiver)
                && sorts_as(given_key, wanted_key)
                && is_element_readable_as(own, given, wanted)
        }
        (DataType::Tuple(_), DataType::Tuple(_) | DataType::UserDefined(_)) => {
            are_fields_readable_as(own, receiver)
        }
        // Names of user-defined types do not count, only their fields do.
        (DataType::UserDefined(_), DataType::UserDefined(_)) => {
            same_cells(own, receiver) && are_fields_readable_as(own, receiver)
        }
        _ => own == receiver,
    }
}

fn same_cells(own: &DataType, receiver: &DataType) -> bool {
    own.is_multi_cell() == receiver.is_multi_cell()
}

/// Elements that have cells of their own must be stored alike too.
fn is_element_readable_as(own: &DataType, given: &DataType, wanted: &DataType) -> bool {
    if own.is_multi_cell() {
        is_stored_as(given, wanted)
    } else {
        is_readable_as(given, wanted)
    }
}

/// Whether values of type `own` are readable as `receiver` and framed alike
/// (`isSerializationCompatibleWith`): of the same fixed length, or of none.
fn is_stored_as(own: &DataType, receiver: &DataType) -> bool {
    match (receiver, own) {
        (
            DataType::List {
                element: wanted, ..
            },
            DataType::List { element: given, .. },
        ) => is_stored_as(given, wanted),
        (
            DataType::Map {
                key: wanted_key,
                value: wanted,
                ..
            },
            DataType::Map {
                key: given_key,
                value: given,
                ..
            },
        ) => sorts_as(given_key, wanted_key) && is_stored_as(given, wanted),
        (DataType::Blob, own) if own.is_collection() => false,
        _ => is_readable_as(own, receiver) && own.fixed_length() == receiver.fixed_length(),
    }
}

fn are_fields_readable_as(own: &DataType, receiver: &DataType) -> bool {
    let (given, wanted) = (own.inner(), receiver.inner());
    given.len() <= wanted.len()
        && given
            .into_iter()
            .zip(wanted)
            .all(|(given, wanted)| is_readable_as(given, wanted))
}

/// Whether values of type `own` are readable as `receiver` and sort alike (`isCompatibleWith`).
fn sorts_as(own: &DataType, receiver: &DataType) -> bool {
    match (receiver, own) {
        (DataType::Blob, DataType::Ascii | DataType::Text) | (DataType::Text, DataType::Ascii) => {
            true
        }
        _ => own == receiver,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from Cassandra 5.0.8.
    #[test]
    fn types_fit_where_their_bytes_do() {
        use Assignability::{Exact, Not, Weak};
        let list = |element: DataType| DataType::list(element);
        let tuple = |fields: &[DataType]| DataType::tuple(fields.to_vec());
        for (own, receiver, expected) in [
            (DataType::Timestamp, DataType::BigInt, Weak),
            (DataType::BigInt, DataType::Time, Weak),
            (DataType::Time, DataType::BigInt, Not),
            (DataType::Int, DataType::Date, Weak),
            (DataType::Int, DataType::VarInt, Weak),
            (DataType::Int, DataType::BigInt, Not),
            (DataType::TimeUuid, DataType::Uuid, Weak),
            (DataType::Ascii, DataType::Text, Weak),
            (DataType::Text, DataType::Ascii, Not),
            (list(DataType::Int), DataType::Blob, Weak),
            (list(DataType::Int).frozen(), list(DataType::Int), Exact),
            (list(DataType::Int), list(DataType::Int).frozen(), Not),
            (list(DataType::Int), list(DataType::VarInt), Not),
            (list(DataType::Int).frozen(), list(DataType::VarInt), Weak),
            (list(DataType::Timestamp), list(DataType::BigInt), Weak),
            (
                list(list(DataType::Int).frozen()),
                list(DataType::Blob),
                Not,
            ),
            (
                DataType::set(DataType::Int),
                DataType::set(DataType::VarInt),
                Not,
            ),
            (
                DataType::set(DataType::Ascii),
                DataType::set(DataType::Text),
                Weak,
            ),
            (
                tuple(&[DataType::Int]),
                tuple(&[DataType::VarInt, DataType::Text]),
                Weak,
            ),
            (
                tuple(&[DataType::Int, DataType::Text]),
                tuple(&[DataType::Int]),
                Not,
            ),
            (
                DataType::vector(DataType::Int, 2),
                DataType::vector(DataType::VarInt, 2),
                Not,
            ),
        ] {
            assert_eq!(
                assignability(&own, &receiver),
                expected,
                "{own} as {receiver}"
            );
        }
    }
}
