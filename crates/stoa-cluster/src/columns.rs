//! What the driver tells about columns, as the waist has it.
//!
//! Invariants:
//! 1. No type is frozen in what we answer, inside a tuple either: the protocol does not tell it.

use std::sync::{Arc, PoisonError, RwLock};

use scylla::frame::response::result::{
    CollectionType, ColumnSpec, ColumnType, NativeType, TableSpec,
};
use stoa_session::Column;
use stoa_types::DataType;
use stoa_types::data_type::{UserField, UserType};

/// The columns of a statement's answers, converted once and kept while they stay the same.
#[derive(Debug, Default)]
pub(crate) struct Known(RwLock<Arc<[Column]>>);

impl Known {
    /// Begins with these.
    pub(crate) fn new(columns: Vec<Column>) -> Self {
        Self(RwLock::new(columns.into()))
    }

    /// The columns of a page. They change when a table is altered.
    pub(crate) fn of_page(&self, specs: &[ColumnSpec<'_>]) -> Arc<[Column]> {
        let known = Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner));
        if is_same(&known, specs) {
            return known;
        }
        let columns: Arc<[Column]> = columns(specs).into();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&columns);
        columns
    }
}

/// Converts all columns of an answer, or all variables of a statement.
pub(crate) fn columns(specs: &[ColumnSpec<'_>]) -> Vec<Column> {
    let mut converted: Vec<Column> = Vec::with_capacity(specs.len());
    for spec in specs {
        let (keyspace, table) = table_of(spec.table_spec(), converted.last());
        converted.push(Column {
            keyspace,
            table,
            name: spec.name().to_owned(),
            data_type: data_type(spec.typ()),
        });
    }
    converted
}

/// The names of a table, shared with the column before where they are the same.
fn table_of(table: &TableSpec<'_>, before: Option<&Column>) -> (Arc<str>, Arc<str>) {
    match before {
        Some(column)
            if *column.keyspace == *table.ks_name() && *column.table == *table.table_name() =>
        {
            (Arc::clone(&column.keyspace), Arc::clone(&column.table))
        }
        _ => (Arc::from(table.ks_name()), Arc::from(table.table_name())),
    }
}

fn is_same(columns: &[Column], specs: &[ColumnSpec<'_>]) -> bool {
    columns.len() == specs.len()
        && columns.iter().zip(specs).all(|(column, spec)| {
            column.name == spec.name()
                && *column.table == *spec.table_spec().table_name()
                && *column.keyspace == *spec.table_spec().ks_name()
                && is_same_type(&column.data_type, spec.typ())
        })
}

/// Compares without converting: a page must not cost an allocation for each of its columns.
fn is_same_type(ours: &DataType, theirs: &ColumnType<'_>) -> bool {
    match (ours, theirs) {
        (ours, ColumnType::Native(native)) => *ours == native_type(native),
        (DataType::Tuple(ours), ColumnType::Tuple(theirs)) => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(ours, theirs)| is_same_type(ours, theirs))
        }
        (DataType::List { element, .. }, ColumnType::Collection { typ, .. }) => {
            matches!(typ, CollectionType::List(theirs) if is_same_type(element, theirs))
        }
        (DataType::Set { element, .. }, ColumnType::Collection { typ, .. }) => {
            matches!(typ, CollectionType::Set(theirs) if is_same_type(element, theirs))
        }
        (DataType::Map { key, value, .. }, ColumnType::Collection { typ, .. }) => {
            matches!(typ, CollectionType::Map(their_key, their_value)
                if is_same_type(key, their_key) && is_same_type(value, their_value))
        }
        (DataType::Vector { element, dimension }, ColumnType::Vector { typ, dimensions }) => {
            *dimension == u32::from(*dimensions) && is_same_type(element, typ)
        }
        (DataType::UserDefined(_), ColumnType::UserDefinedType { .. }) => {
            *ours == data_type(theirs)
        }
        _ => false,
    }
}

/// A type as the waist tells it.
fn data_type(theirs: &ColumnType<'_>) -> DataType {
    match theirs {
        ColumnType::Native(native) => native_type(native),
        ColumnType::Collection { typ, .. } => match typ {
            CollectionType::List(element) => DataType::list(data_type(element)),
            CollectionType::Set(element) => DataType::set(data_type(element)),
            CollectionType::Map(key, value) => DataType::map(data_type(key), data_type(value)),
            other => unknown(other),
        },
        ColumnType::Vector { typ, dimensions } => {
            DataType::vector(data_type(typ), u32::from(*dimensions))
        }
        ColumnType::Tuple(fields) => DataType::Tuple(fields.iter().map(data_type).collect()),
        ColumnType::UserDefinedType { definition, .. } => {
            DataType::UserDefined(Box::new(UserType {
                keyspace: definition.keyspace.to_string(),
                name: definition.name.to_string(),
                fields: definition
                    .field_types
                    .iter()
                    .map(|(name, theirs)| UserField {
                        name: name.to_string(),
                        data_type: data_type(theirs),
                    })
                    .collect(),
                is_frozen: false,
            }))
        }
        other => unknown(other),
    }
}

/// A type that a later driver knows and we do not: its values are bytes to us.
fn unknown(theirs: &dyn std::fmt::Debug) -> DataType {
    DataType::Custom(format!("{theirs:?}"))
}

fn native_type(theirs: &NativeType) -> DataType {
    match theirs {
        NativeType::Ascii => DataType::Ascii,
        NativeType::Boolean => DataType::Boolean,
        NativeType::Blob => DataType::Blob,
        NativeType::Counter => DataType::Counter,
        NativeType::Date => DataType::Date,
        NativeType::Decimal => DataType::Decimal,
        NativeType::Double => DataType::Double,
        NativeType::Duration => DataType::Duration,
        NativeType::Float => DataType::Float,
        NativeType::Int => DataType::Int,
        NativeType::BigInt => DataType::BigInt,
        NativeType::Text => DataType::Text,
        NativeType::Timestamp => DataType::Timestamp,
        NativeType::Inet => DataType::Inet,
        NativeType::SmallInt => DataType::SmallInt,
        NativeType::TinyInt => DataType::TinyInt,
        NativeType::Time => DataType::Time,
        NativeType::Timeuuid => DataType::TimeUuid,
        NativeType::Uuid => DataType::Uuid,
        NativeType::Varint => DataType::VarInt,
        other => unknown(other),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use scylla::frame::response::result::UserDefinedType;

    use super::*;

    fn spec(name: &'static str, data_type: ColumnType<'static>) -> ColumnSpec<'static> {
        ColumnSpec::borrowed(name, data_type, TableSpec::borrowed("ks", "t"))
    }

    fn native(native: NativeType) -> Box<ColumnType<'static>> {
        Box::new(ColumnType::Native(native))
    }

    fn collection(typ: CollectionType<'static>) -> ColumnType<'static> {
        ColumnType::Collection { frozen: true, typ }
    }

    fn pair(second: &'static str) -> ColumnType<'static> {
        let field = |name: &'static str, native| (Cow::Borrowed(name), ColumnType::Native(native));
        let definition = UserDefinedType {
            name: Cow::Borrowed("pair"),
            keyspace: Cow::Borrowed("ks"),
            field_types: vec![
                field("name", NativeType::Text),
                field(second, NativeType::Int),
            ],
        };
        ColumnType::UserDefinedType {
            frozen: true,
            definition: Arc::new(definition),
        }
    }

    /// One column of every sort of type.
    fn specs() -> Vec<ColumnSpec<'static>> {
        let int = || native(NativeType::Int);
        vec![
            spec("a", ColumnType::Native(NativeType::Counter)),
            spec("b", collection(CollectionType::List(int()))),
            spec(
                "c",
                collection(CollectionType::Set(native(NativeType::Timeuuid))),
            ),
            spec(
                "d",
                collection(CollectionType::Map(int(), native(NativeType::Varint))),
            ),
            spec(
                "e",
                ColumnType::Tuple(vec![collection(CollectionType::List(int())), *int()]),
            ),
            spec("f", pair("number")),
            spec(
                "g",
                ColumnType::Vector {
                    typ: native(NativeType::Float),
                    dimensions: 3,
                },
            ),
        ]
    }

    #[test]
    fn nothing_is_frozen_in_what_we_tell() {
        let columns = columns(&specs());
        let types: Vec<String> = columns.iter().map(|it| it.data_type.to_string()).collect();
        assert_eq!(
            types,
            [
                "counter",
                "list<int>",
                "set<timeuuid>",
                "map<int, varint>",
                "frozen<tuple<list<int>, int>>",
                "pair",
                "vector<float, 3>"
            ]
        );
        for column in &columns {
            assert_eq!((&*column.keyspace, &*column.table), ("ks", "t"));
        }
    }

    #[test]
    fn columns_are_converted_again_only_when_they_change() {
        let known = Known::new(columns(&specs()));
        let first = known.of_page(&specs());
        assert!(Arc::ptr_eq(&first, &known.of_page(&specs())));
        for (index, changed) in [
            (0, spec("a", ColumnType::Native(NativeType::BigInt))),
            (0, spec("z", ColumnType::Native(NativeType::Counter))),
            (
                1,
                spec(
                    "b",
                    collection(CollectionType::Set(native(NativeType::Int))),
                ),
            ),
            (
                4,
                spec("e", ColumnType::Tuple(vec![*native(NativeType::Int)])),
            ),
            (5, spec("f", pair("renamed"))),
        ] {
            let mut specs = specs();
            specs[index] = changed;
            let now = known.of_page(&specs);
            assert_eq!(*now, *columns(&specs), "column {index}");
            assert_ne!(*now, *first, "column {index}");
        }
    }
}
