//! The entries of an index that a row has.
//!
//! ```text
//! index on            one entry for                                       it lasts as long as
//! regular column      the row                                             the cell
//! elements            each element, key or pair of the collection         the longest equal one
//! static column       the partition                                       the cell
//! clustering column   the row                                             the row
//! part of the key     each row, and the partition if it has a static row  the row
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_store::StoreError;
use stoa_store::cell::{CellRef, ColumnRef, Elements, Expiry, RowRef, ValueRef};
use stoa_store::key::PartitionKey;
use stoa_types::{ClusteringOrder, DataType, KeyColumn, ordered};

use super::analyzer::Analyzer;
use super::{DerivedRows, damaged, entry};
use crate::catalog::{Column, ColumnKind, Index, IndexTarget, Table};
use crate::refusal::Refusal;
use crate::rows::element;

/// A secondary index takes values that are shorter than this.
pub(crate) const MOST_VALUE_BYTES: usize = 65_535;

/// An index and what it takes to keep it.
#[derive(Debug)]
pub(crate) struct IndexPlan {
    pub(crate) index: Arc<Index>,
    pub(crate) column: Column,
    /// What entries hold, as if it were a clustering.
    key: Vec<KeyColumn>,
    analyzer: Analyzer,
}

/// A clustering, as bytes and as values.
pub(crate) type Clustering<'r> = (&'r [u8], &'r [Option<Vec<u8>>]);

/// A base row, or a static one, that entries are made for.
pub(crate) struct Source<'r> {
    pub(crate) key: &'r PartitionKey,
    /// The values of the partition key.
    pub(crate) parts: &'r [&'r [u8]],
    /// `None` for the static row.
    pub(crate) clustering: Option<Clustering<'r>>,
    pub(crate) row: &'r RowRef<'r>,
}

/// Values in bytes that sort, with the expiry of each; `None` is for good.
type Found = BTreeMap<Vec<u8>, Option<Expiry>>;

impl IndexPlan {
    /// The plan of an index; `None` for one that has no entries: the nearest vectors are found by
    /// looking at all.
    pub(crate) fn new(index: &Arc<Index>, table: &Table) -> Option<Self> {
        let column = table.column(&index.column)?.clone();
        let types = indexed_types(&column.data_type, index.target);
        if types.iter().any(|it| matches!(it, DataType::Vector { .. })) {
            return None;
        }
        let key = types.into_iter().map(|data_type| KeyColumn {
            data_type,
            order: ClusteringOrder::Ascending,
        });
        Some(Self {
            index: Arc::clone(index),
            column,
            key: key.collect(),
            analyzer: Analyzer::of(index),
        })
    }

    /// Whether rows have entries.
    pub(super) fn needs_rows(&self) -> bool {
        !self.column.is_static()
    }

    /// Whether there are entries for whole partitions.
    pub(crate) fn needs_static(&self) -> bool {
        matches!(
            self.column.kind,
            ColumnKind::Static | ColumnKind::PartitionKey
        )
    }

    /// What entries hold, as if it were a clustering.
    pub(crate) fn key(&self) -> &[KeyColumn] {
        &self.key
    }

    /// A value as entries have it.
    pub(crate) fn value(&self, parts: &[&[u8]]) -> Result<Vec<u8>, StoreError> {
        let parts: Vec<_> = parts.iter().map(|it| self.analyzer.apply(it)).collect();
        let parts: Vec<Option<&[u8]>> = parts.iter().map(|it| Some(&**it)).collect();
        let value = ordered::encode_clustering(&self.key, &parts).map_err(damaged)?;
        Ok(entry::cut(value))
    }

    /// Adds the entries of a row, or of a static row.
    pub(super) fn entries(
        &self,
        source: &Source<'_>,
        out: &mut DerivedRows,
    ) -> Result<(), StoreError> {
        let mut found = Found::new();
        match (self.column.kind, source.clustering) {
            (ColumnKind::PartitionKey, _) => {
                if let Some(part) = source.parts.get(self.column.position) {
                    found.insert(self.value(&[part])?, row_expiry(source.row));
                }
            }
            (ColumnKind::Clustering, Some((_, values))) => {
                if let Some(Some(value)) = values.get(self.column.position) {
                    found.insert(self.value(&[value])?, row_expiry(source.row));
                }
            }
            (ColumnKind::Static, None) | (ColumnKind::Regular, Some(_)) => {
                let mut columns = source.row.columns.iter();
                if let Some((_, column)) = columns.find(|(id, _)| *id == self.column.id) {
                    self.cells(column, &mut found)?;
                }
            }
            (ColumnKind::Clustering | ColumnKind::Regular, None) | (ColumnKind::Static, _) => {}
        }
        let clustering = source.clustering.map(|(encoded, _)| encoded);
        let place = entry::place(source.key, clustering);
        for (value, expiry) in found {
            let key = (
                self.index.store,
                entry::partition()?,
                entry::clustering(&value, &place),
            );
            out.insert(key, entry::row(expiry)?);
        }
        Ok(())
    }

    /// Refuses a row, or a static row, with a value that is too long for the index. Storage-attached
    /// ones take any.
    pub(super) fn check(&self, table: &Table, row: &RowRef<'_>) -> Result<(), Refusal> {
        let mut columns = row.columns.iter();
        let column = columns.find(|(id, _)| *id == self.column.id);
        let sizes = match column {
            Some((_, ColumnRef::Cell(cell))) => vec![inline(cell).map_or(0, <[u8]>::len)],
            Some((_, ColumnRef::Complex(complex))) => match &complex.elements {
                Elements::Inline(elements) => {
                    let sizes = elements.iter();
                    sizes
                        .map(|(path, it)| self.element_size(path, it))
                        .collect()
                }
                Elements::Spilled => Vec::new(),
            },
            Some((_, ColumnRef::Counter(_))) | None => Vec::new(),
        };
        let too_long = sizes.into_iter().find(|it| *it >= MOST_VALUE_BYTES);
        match too_long.filter(|_| !self.index.is_storage_attached()) {
            Some(size) => Err(Refusal::invalid(format!(
                "Cannot index value of size {size} for index {} on {}.{}({}) (maximum allowed size={MOST_VALUE_BYTES})",
                self.index.name, table.keyspace, table.name, self.column.name
            ))),
            None => Ok(()),
        }
    }

    fn element_size(&self, path: &[u8], cell: &CellRef<'_>) -> usize {
        let value = inline(cell).map_or(0, <[u8]>::len);
        match (self.index.target, &self.column.data_type) {
            (IndexTarget::Keys, _) | (_, DataType::Set { .. }) => path.len(),
            // Each is written with its length and an end.
            (IndexTarget::Entries, _) => path.len() + value + 6,
            _ => value,
        }
    }

    fn cells(&self, column: &ColumnRef<'_>, found: &mut Found) -> Result<(), StoreError> {
        match column {
            ColumnRef::Cell(cell) => {
                if let Some(value) = inline(cell) {
                    add(found, self.value(&[value])?, cell.expiry());
                }
            }
            ColumnRef::Complex(complex) => {
                let Elements::Inline(elements) = &complex.elements else {
                    return Ok(());
                };
                for (path, cell) in elements {
                    let written = inline(cell).unwrap_or_default();
                    let value = self.element(path, written)?;
                    let is_set = matches!(self.column.data_type, DataType::Set { .. });
                    let value = match self.index.target {
                        IndexTarget::Keys => self.value(&[path])?,
                        IndexTarget::Entries => self.value(&[path, &value])?,
                        _ if is_set => self.value(&[path])?,
                        _ => self.value(&[&value])?,
                    };
                    add(found, value, cell.expiry());
                }
            }
            ColumnRef::Counter(_) => {}
        }
        Ok(())
    }

    /// The value of an element, which is not all that its cell holds in some maps.
    fn element<'c>(&self, path: &'c [u8], cell: &'c [u8]) -> Result<Cow<'c, [u8]>, StoreError> {
        let DataType::Map { key, .. } = &self.column.data_type else {
            return Ok(Cow::Borrowed(cell));
        };
        let entry = element::entry(key, path, cell);
        let (_, value) = entry.ok_or_else(|| damaged("an entry of a map"))?;
        Ok(value)
    }
}

/// The types of what is indexed: one, but a key and a value for the entries of a map.
fn indexed_types(data_type: &DataType, target: IndexTarget) -> Vec<DataType> {
    match (target, data_type) {
        (IndexTarget::Keys, DataType::Map { key, .. }) => vec![DataType::clone(key)],
        (IndexTarget::Entries, DataType::Map { key, value, .. }) => {
            vec![DataType::clone(key), DataType::clone(value)]
        }
        (IndexTarget::Values, DataType::Map { value, .. }) => vec![DataType::clone(value)],
        (IndexTarget::Values, DataType::List { element, .. } | DataType::Set { element, .. }) => {
            vec![DataType::clone(element)]
        }
        _ => vec![data_type.clone()],
    }
}

fn add(found: &mut Found, value: Vec<u8>, expiry: Option<Expiry>) {
    let longer = match found.get(&value) {
        Some(other) => longest([*other, expiry].into_iter()),
        None => expiry,
    };
    found.insert(value, longer);
}

fn inline<'a>(cell: &CellRef<'a>) -> Option<&'a [u8]> {
    match cell.value() {
        Some(ValueRef::Inline(bytes)) => Some(bytes),
        Some(ValueRef::Spilled { .. }) | None => None,
    }
}

/// When a row ends: when the last part of it does.
fn row_expiry(row: &RowRef<'_>) -> Option<Expiry> {
    let mut all: Vec<Option<Expiry>> = row.liveness.iter().map(|it| it.expiry).collect();
    for (_, column) in &row.columns {
        match column {
            ColumnRef::Cell(cell) => all.push(cell.expiry()),
            ColumnRef::Counter(_) => all.push(None),
            ColumnRef::Complex(complex) => match &complex.elements {
                Elements::Inline(elements) => {
                    all.extend(elements.iter().map(|(_, cell)| cell.expiry()));
                }
                Elements::Spilled => all.push(None),
            },
        }
    }
    longest(all.into_iter())
}

/// The latest of several ends; `None` is no end.
pub(super) fn longest(all: impl Iterator<Item = Option<Expiry>>) -> Option<Expiry> {
    let all: Option<Vec<Expiry>> = all.collect();
    all?.into_iter().max_by_key(|it| it.expires_at)
}
