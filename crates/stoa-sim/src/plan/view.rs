//! A row as it is read: its key, its static columns and its own, at one moment.

use std::borrow::Cow;

use stoa_types::{ordered, partition_key};

use super::elements;
use super::table::{Kind, Table};
use crate::store::cell::{Bytes, Cell};
use crate::store::partition::{PartitionId, Slice};
use crate::store::row::Row;

/// A partition, or a slice of it, as it is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) table: &'a Table,
    pub(crate) id: &'a PartitionId,
    pub(crate) slice: &'a Slice,
    pub(crate) now_seconds: i64,
}

/// A row as it is read; without a key it is the static row alone.
#[derive(Debug, Clone)]
pub(crate) struct RowView<'a> {
    view: View<'a>,
    row: Option<(&'a Bytes, &'a Row)>,
    shadow: i64,
}

impl<'a> View<'a> {
    /// The rows that show, in the order of the table.
    pub(crate) fn rows(self) -> impl DoubleEndedIterator<Item = RowView<'a>> {
        let rows = self.slice.rows.iter();
        rows.filter_map(move |(key, row)| self.shown(key, row))
    }

    fn shown(self, key: &'a Bytes, row: &'a Row) -> Option<RowView<'a>> {
        let shadow = self.slice.shadow(key, row);
        row.is_live(shadow, self.now_seconds).then_some(RowView {
            view: self,
            row: Some((key, row)),
            shadow,
        })
    }

    /// The row of a clustering, if it shows.
    pub(crate) fn row(self, key: &[u8]) -> Option<RowView<'a>> {
        let found = self
            .slice
            .rows
            .binary_search_by(|(own, _)| (**own).cmp(key));
        let (key, row) = self.slice.rows.get(found.ok()?)?;
        self.shown(key, row)
    }

    /// The static row alone.
    pub(crate) fn statics(self) -> RowView<'a> {
        RowView {
            view: self,
            row: None,
            shadow: self.slice.deletion,
        }
    }

    /// Whether any static column shows something.
    pub(crate) fn has_statics(self) -> bool {
        let statics = &self.slice.statics;
        let shadow = self.slice.deletion.max(statics.deletion);
        statics.is_live(shadow, self.now_seconds)
    }
}

impl<'a> RowView<'a> {
    /// The cell of a column that is no key and of one cell, if it shows.
    pub(crate) fn cell(&self, position: usize) -> Option<&'a Cell> {
        let (row, shadow) = self.part(position)?;
        let cell = row.cell(number(position))?;
        cell.live(shadow, self.view.now_seconds)?;
        Some(cell)
    }

    /// The row that has a column, and up to when it is hidden.
    fn part(&self, position: usize) -> Option<(&'a Row, i64)> {
        match self.view.table.columns.get(position)?.kind {
            Kind::Static => Some((&*self.view.slice.statics, self.view.slice.deletion)),
            Kind::Regular => self.row.map(|(_, row)| (row, self.shadow)),
            Kind::Partition(_) | Kind::Clustering(_) => None,
        }
    }

    /// The value of a column; `None` is null.
    pub(crate) fn value(&self, position: usize) -> Option<Cow<'a, [u8]>> {
        let table = self.view.table;
        let column = table.columns.get(position)?;
        match column.kind {
            Kind::Partition(index) => {
                let parts = partition_key::split(&self.view.id.key, table.partition_columns);
                let part = parts.ok()?.get(index).copied();
                part.map(Cow::Borrowed)
            }
            Kind::Clustering(index) => {
                let (key, _) = self.row?;
                let parts = ordered::decode_clustering(&table.clustering, key);
                let part = parts.ok()?.into_iter().nth(index).flatten();
                part.map(Cow::Owned)
            }
            Kind::Static | Kind::Regular if column.data_type.is_multi_cell() => {
                let (row, shadow) = self.part(position)?;
                let now = self.view.now_seconds;
                let value = elements::read(row, number(position), &column.data_type, shadow, now);
                value.map(Cow::Owned)
            }
            Kind::Static | Kind::Regular => {
                let value = self.cell(position)?.value.as_deref();
                value.map(Cow::Borrowed)
            }
        }
    }

    /// Whether the mark of an INSERT shows it.
    pub(crate) fn is_marked(&self) -> bool {
        let mark = self.row.and_then(|(_, row)| row.mark.as_ref());
        mark.is_some_and(|mark| mark.live(self.shadow, self.view.now_seconds).is_some())
    }

    /// The encoded clustering; none for the static row alone.
    pub(crate) fn key(&self) -> Option<&'a Bytes> {
        self.row.map(|(key, _)| key)
    }
}

/// A column's position as replicas know it.
pub(crate) fn number(position: usize) -> u16 {
    u16::try_from(position).unwrap_or(u16::MAX)
}
