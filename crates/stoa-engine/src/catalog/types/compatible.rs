//! Which type may read what another one wrote: what a dropped column may come back as.
//!
//! Cassandra asks three questions, and so do we. *Compatible*: same values in the same order.
//! *Value-compatible*: the values can be read, whatever their order. *Serialization-compatible*:
//! value-compatible, and cells have the same layout, so that neither has a fixed length that the
//! other has not. The rules are those of `isCompatibleWith` and its like in `db/marshal`.

use stoa_types::{DataType, UserType};

/// Whether a column of type `new` can stand where one of type `old` was dropped.
#[must_use]
pub fn is_serialization_compatible(new: &DataType, old: &DataType) -> bool {
    if let Some(value) = collection_value(new) {
        let old_value = collection_value(old);
        return is_value_compatible(new, old)
            && old_value.is_some_and(|it| is_serialization_compatible(value, it));
    }
    if *new == DataType::Blob && (old.is_collection() || matches!(old, DataType::UserDefined(_))) {
        return false;
    }
    is_value_compatible(new, old)
        && new.fixed_length() == old.fixed_length()
        && new.is_multi_cell() == old.is_multi_cell()
}

/// The values of the cells of a collection; those of a set are empty.
fn collection_value(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List { element, .. } => Some(element),
        DataType::Set { .. } => Some(&DataType::Empty),
        DataType::Map { value, .. } => Some(value),
        _ => None,
    }
}

fn is_value_compatible(new: &DataType, old: &DataType) -> bool {
    use DataType as T;
    match (new, old) {
        (T::Blob, _)
        | (T::BigInt, T::Timestamp)
        | (T::Timestamp | T::Time, T::BigInt)
        | (T::Uuid, T::TimeUuid)
        | (T::Date, T::Int)
        | (T::VarInt, T::Int | T::BigInt | T::Timestamp) => true,
        (T::UserDefined(new), T::UserDefined(old)) => is_user_compatible(new, old),
        (T::UserDefined(_), _) => false,
        (T::Tuple(new), _) => fields(old).is_some_and(|old| {
            new.len() >= old.len()
                && new
                    .iter()
                    .zip(old)
                    .all(|(new, old)| is_value_compatible(new, old))
        }),
        _ if new.is_collection() && !new.is_multi_cell() => match (new, old) {
            _ if old.is_multi_cell() => false,
            (T::List { element: new, .. }, T::List { element: old, .. }) => {
                is_value_compatible(new, old)
            }
            (
                T::Map {
                    key: new_key,
                    value: new,
                    ..
                },
                T::Map {
                    key: old_key,
                    value: old,
                    ..
                },
            ) => is_compatible(new_key, old_key) && is_value_compatible(new, old),
            _ => is_compatible(new, old),
        },
        _ => is_compatible(new, old),
    }
}

fn is_compatible(new: &DataType, old: &DataType) -> bool {
    use DataType as T;
    match (new, old) {
        (T::Blob, T::Ascii | T::Text) | (T::Text, T::Ascii) => true,
        (T::Tuple(new), _) => fields(old).is_some_and(|old| {
            new.len() >= old.len()
                && new
                    .iter()
                    .zip(old)
                    .all(|(new, old)| is_compatible(new, old))
        }),
        (
            T::List {
                element: new_element,
                ..
            },
            T::List {
                element: old_element,
                ..
            },
        ) => match (new.is_multi_cell(), old.is_multi_cell()) {
            (true, true) => is_serialization_compatible(new_element, old_element),
            (false, false) => is_compatible(new_element, old_element),
            _ => false,
        },
        (
            T::Set {
                element: new_element,
                ..
            },
            T::Set {
                element: old_element,
                ..
            },
        ) => new.is_multi_cell() == old.is_multi_cell() && is_compatible(new_element, old_element),
        (
            T::Map {
                key: new_key,
                value: new_value,
                ..
            },
            T::Map {
                key: old_key,
                value: old_value,
                ..
            },
        ) => {
            let values = match (new.is_multi_cell(), old.is_multi_cell()) {
                (true, true) => is_serialization_compatible(new_value, old_value),
                (false, false) => is_compatible(new_value, old_value),
                _ => false,
            };
            values && is_compatible(new_key, old_key)
        }
        _ => new == old,
    }
}

fn is_user_compatible(new: &UserType, old: &UserType) -> bool {
    let pairs = new.fields.iter().zip(&old.fields);
    new.keyspace == old.keyspace
        && new.is_frozen == old.is_frozen
        && new.fields.len() >= old.fields.len()
        && { pairs }.all(|(new, old)| is_compatible(&new.data_type, &old.data_type))
}

/// The fields of a tuple or user type.
fn fields(data_type: &DataType) -> Option<Vec<&DataType>> {
    match data_type {
        DataType::Tuple(_) | DataType::UserDefined(_) => Some(data_type.inner()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dropped_column_may_come_back_as() {
        let list = DataType::list;
        let int = DataType::Int;
        let cases = [
            (DataType::Text, DataType::Int, false),
            (DataType::BigInt, DataType::Int, false),
            (DataType::VarInt, DataType::Int, false),
            (DataType::Blob, DataType::Int, false),
            (DataType::Blob, DataType::Text, true),
            (DataType::Ascii, DataType::Text, false),
            (DataType::Text, DataType::Ascii, true),
            (DataType::BigInt, DataType::Timestamp, true),
            (DataType::Timestamp, DataType::BigInt, true),
            (DataType::Uuid, DataType::TimeUuid, true),
            (DataType::TimeUuid, DataType::Uuid, false),
            (list(int.clone()), list(int.clone()), true),
            (list(int.clone()).frozen(), list(int.clone()), false),
            (list(DataType::Text), list(DataType::Ascii), true),
            (DataType::set(int.clone()), list(int.clone()), false),
            (DataType::set(int.clone()), DataType::set(int.clone()), true),
            (DataType::Blob, list(int.clone()).frozen(), false),
            (
                DataType::tuple(vec![int.clone(), int.clone()]),
                DataType::tuple(vec![int.clone()]),
                true,
            ),
            (
                DataType::tuple(vec![int.clone()]),
                DataType::tuple(vec![int.clone(), int]),
                false,
            ),
        ];
        for (new, old, expected) in cases {
            assert_eq!(
                is_serialization_compatible(&new, &old),
                expected,
                "{new} for {old}"
            );
        }
    }
}
