//! A row of a table of the system, put together by the names of its columns.

use std::collections::BTreeMap;

use stoa_types::{Value, native};

use super::Row;
use crate::catalog::Table;

/// The row with these values; columns that are not named are null.
pub(super) fn row(table: &Table, values: &[(&str, Value)]) -> Row {
    let cell = |column: &crate::catalog::Column| {
        let (_, value) = values.iter().find(|(name, _)| *name == &*column.name)?;
        native::encode(&column.data_type, value).ok().flatten()
    };
    table.columns.iter().map(cell).collect()
}

/// A text.
pub(super) fn text(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}

/// A map of texts.
pub(super) fn text_map(map: &BTreeMap<String, String>) -> Value {
    let pairs = map.iter().map(|(key, value)| (text(key), text(value)));
    Value::Map(pairs.collect())
}

/// A list of texts.
pub(super) fn text_list<'t>(texts: impl Iterator<Item = &'t str>) -> Value {
    Value::List(texts.map(text).collect())
}
