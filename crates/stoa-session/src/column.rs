//! What an answer says about one of its columns, or a prepared statement about one of its variables.

use std::sync::Arc;

use stoa_types::DataType;

/// A column of an answer, or a variable of a prepared statement.
///
/// The type is told as the native protocol tells it, which does not say whether a collection or a
/// user-defined type is frozen: see [`DataType::without_frozen`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The keyspace of the table it comes from.
    pub keyspace: Arc<str>,
    /// The table it comes from.
    pub table: Arc<str>,
    /// Its name: of the column, or as the statement renames it; of a variable, its marker's or its
    /// column's.
    pub name: String,
    /// The type of its values.
    pub data_type: DataType,
}

impl Column {
    /// A column without a table, as tests and computed answers have it.
    #[must_use]
    pub fn new(name: &str, data_type: DataType) -> Self {
        Self {
            keyspace: Arc::from(""),
            table: Arc::from(""),
            name: name.to_owned(),
            data_type,
        }
    }
}
