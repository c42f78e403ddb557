//! One column of a table.

use std::sync::Arc;

use stoa_store::cell::ColumnId;
use stoa_types::{ClusteringOrder, DataType};

/// What part of a row a column belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColumnKind {
    /// A component of the partition key.
    PartitionKey,
    /// A clustering column.
    Clustering,
    /// One value for the whole partition.
    Static,
    /// One value a row.
    Regular,
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its number in the store; never reused within the table. Key columns have one too, though
    /// they are not stored under it.
    pub id: ColumnId,
    /// Its name, without quotes.
    pub name: Arc<str>,
    /// Which part of the row it belongs to.
    pub kind: ColumnKind,
    /// Its place among the columns of its kind, for keys; zero for others.
    pub position: usize,
    /// Its type.
    pub data_type: DataType,
    /// The direction in which a clustering column sorts.
    pub order: ClusteringOrder,
    /// The function that hides its values. Kept and shown only: masking is off.
    pub mask: Option<ColumnMask>,
}

/// A function that hides the values of a column, with its arguments but the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnMask {
    /// The keyspace of the function.
    pub keyspace: Arc<str>,
    /// The name of the function.
    pub function: Arc<str>,
    /// The types and texts of its arguments after the value itself; `None` for null.
    pub arguments: Vec<(DataType, Option<String>)>,
}

impl Column {
    /// Whether it is a clustering column that sorts greatest value first. To Cassandra the type of
    /// such a column is another one, which shows where it asks for a collection or for a cast.
    #[must_use]
    pub fn is_descending(&self) -> bool {
        self.order == ClusteringOrder::Descending
    }

    /// Whether it is part of the primary key.
    #[must_use]
    pub fn is_key(&self) -> bool {
        matches!(self.kind, ColumnKind::PartitionKey | ColumnKind::Clustering)
    }

    /// Whether there is one value for the whole partition.
    #[must_use]
    pub fn is_static(&self) -> bool {
        self.kind == ColumnKind::Static
    }
}
