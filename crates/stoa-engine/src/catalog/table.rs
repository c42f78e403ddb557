//! A table or a materialized view: its columns, keys, options and indexes.
//!
//! Invariants:
//! 1. `columns` are in the order of `SELECT *`: partition key, clustering columns, static columns by
//!    name, regular columns by name.
//! 2. Column ids are never reused, also not those of dropped columns.

use std::collections::HashMap;
use std::sync::Arc;

use stoa_store::table::TableId;
use stoa_types::text::identifier::quoted;
use stoa_types::{DataType, KeyColumn};
use uuid::Uuid;

use super::column::{Column, ColumnKind};
use super::options::TableOptions;

/// What a table is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct TableParts {
    /// The keyspace it lives in.
    pub keyspace: Arc<str>,
    /// Its name, without quotes.
    pub name: Arc<str>,
    /// Its id, as `system_schema.tables` shows it.
    pub id: Uuid,
    /// Where its rows are.
    pub store: TableId,
    /// All columns, in any order.
    pub columns: Vec<Column>,
    /// The number for the next column.
    pub next_column: u32,
    /// What `WITH` sets.
    pub options: TableOptions,
    /// Its indexes, sorted by name.
    pub indexes: Vec<Arc<Index>>,
    /// Columns it once had.
    pub dropped: Vec<DroppedColumn>,
    /// Set if it is a materialized view.
    pub view: Option<ViewDefinition>,
}

/// A table or a materialized view.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    parts: TableParts,
    partition_key: usize,
    clustering: usize,
    clustering_key: Vec<KeyColumn>,
    by_name: HashMap<Arc<str>, usize>,
}

impl std::ops::Deref for Table {
    type Target = TableParts;

    fn deref(&self) -> &TableParts {
        &self.parts
    }
}

impl Table {
    /// Puts a table together.
    #[must_use]
    pub fn new(mut parts: TableParts) -> Self {
        parts.columns.sort_by(|left, right| {
            (left.kind, left.position, &left.name).cmp(&(right.kind, right.position, &right.name))
        });
        let count = |kind| parts.columns.iter().filter(|it| it.kind == kind).count();
        let clustering_key = parts
            .columns
            .iter()
            .filter(|it| it.kind == ColumnKind::Clustering)
            .map(|it| KeyColumn {
                data_type: it.data_type.clone(),
                order: it.order,
            })
            .collect();
        let by_name = parts.columns.iter().enumerate();
        Self {
            partition_key: count(ColumnKind::PartitionKey),
            clustering: count(ColumnKind::Clustering),
            clustering_key,
            by_name: by_name.map(|(at, it)| (Arc::clone(&it.name), at)).collect(),
            parts,
        }
    }

    /// What it is made of, to make a changed one.
    #[must_use]
    pub fn parts(&self) -> TableParts {
        self.parts.clone()
    }

    /// The column with this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.get(self.index_of(name)?)
    }

    /// The place of a column in `columns`.
    #[must_use]
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The columns of the partition key, in order.
    #[must_use]
    pub fn partition_key(&self) -> &[Column] {
        self.columns.get(..self.partition_key).unwrap_or_default()
    }

    /// The clustering columns, in order.
    #[must_use]
    pub fn clustering(&self) -> &[Column] {
        let end = self.partition_key + self.clustering;
        self.columns
            .get(self.partition_key..end)
            .unwrap_or_default()
    }

    /// Types and directions of the clustering columns.
    #[must_use]
    pub fn clustering_key(&self) -> &[KeyColumn] {
        &self.clustering_key
    }

    /// Static and regular columns.
    #[must_use]
    pub fn values(&self) -> &[Column] {
        let start = self.partition_key + self.clustering;
        self.columns.get(start..).unwrap_or_default()
    }

    /// Whether it has static columns.
    #[must_use]
    pub fn has_static(&self) -> bool {
        self.values().first().is_some_and(Column::is_static)
    }

    /// Whether its values are counters. It stays a table of counters when the last one is dropped.
    #[must_use]
    pub fn is_counter(&self) -> bool {
        let dropped = self.dropped.iter().map(|it| &it.column);
        let mut columns = self.values().iter().chain(dropped);
        columns.any(|it| it.data_type == DataType::Counter)
    }

    /// Whether it is a materialized view.
    #[must_use]
    pub fn is_view(&self) -> bool {
        self.view.is_some()
    }
}

/// A column that was dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedColumn {
    /// As it was.
    pub column: Column,
    /// What was written at this time (microseconds) or before is not shown if a column of this
    /// name is added again.
    pub dropped_at_micros: i64,
}

/// An index on a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// Its name, without quotes.
    pub name: Arc<str>,
    /// The column it indexes.
    pub column: Arc<str>,
    /// What of the column it indexes.
    pub target: IndexTarget,
    /// The class of `CREATE CUSTOM INDEX`, as it was written; `None` for Cassandra's own indexes.
    pub class: Option<String>,
    /// What `WITH OPTIONS` set, sorted.
    pub options: Vec<(String, String)>,
    /// Where its entries are.
    pub store: TableId,
}

impl Index {
    /// Whether it is a storage-attached index. There is no other custom one.
    #[must_use]
    pub fn is_storage_attached(&self) -> bool {
        self.class.is_some()
    }

    /// What it indexes, as CQL: `v`, `keys(m)`.
    #[must_use]
    pub fn target_text(&self) -> String {
        let column = quoted(&self.column);
        match self.target {
            IndexTarget::Simple => column,
            IndexTarget::Keys => format!("keys({column})"),
            IndexTarget::Values => format!("values({column})"),
            IndexTarget::Entries => format!("entries({column})"),
            IndexTarget::Full => format!("full({column})"),
        }
    }

    /// What `WITH OPTIONS` set under this name.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What of a column an index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IndexTarget {
    /// The value of a column that is a single cell.
    Simple,
    /// The keys of a map.
    Keys,
    /// The elements of a list or set, or the values of a map.
    Values,
    /// The pairs of a map.
    Entries,
    /// A frozen collection as a whole.
    Full,
}

/// What makes a table a materialized view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewDefinition {
    /// The table it is made from, in the same keyspace.
    pub base: Arc<str>,
    /// The id of that table.
    pub base_id: Uuid,
    /// Whether it was made by `SELECT *`.
    pub includes_all: bool,
    /// The text of its `WHERE`.
    pub where_clause: String,
}
