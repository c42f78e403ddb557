//! A row as it is read: its key, its static columns and its own, at one moment.

use super::failure::Known;
use super::partition::{Clustering, Partition};
use super::row::{Row, Stored};
use super::world::{Column, Kind, Table};
use crate::model::rules;

/// A row as it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowView<'a> {
    /// Its table.
    pub(super) table: &'a Table,
    /// Its partition.
    pub(super) partition: &'a Partition,
    /// The token of its partition.
    pub(super) token: i64,
    /// Its clustering; none for a partition of static columns only.
    pub(super) clustering: Option<&'a Clustering>,
    /// Its own columns.
    pub(super) row: Option<&'a Row>,
    /// Up to which write time they are hidden.
    pub(super) shadow: i64,
    /// The moment, in seconds.
    pub(super) now: i64,
}

impl<'a> RowView<'a> {
    /// The static row of a partition alone.
    pub(super) fn of_static(
        table: &'a Table,
        partition: &'a Partition,
        token: i64,
        now: i64,
    ) -> Self {
        Self {
            table,
            partition,
            token,
            clustering: None,
            row: None,
            shadow: partition.deletion,
            now,
        }
    }

    /// This row of the partition.
    pub(super) fn with_row(self, clustering: &'a Clustering, row: &'a Row) -> Self {
        let around = self
            .partition
            .shadow_around(&self.table.clustering, clustering);
        Self {
            clustering: Some(clustering),
            row: Some(row),
            shadow: around.max(row.deletion),
            ..self
        }
    }

    /// What is kept of a column, and up to which write time it is hidden.
    pub(super) fn stored(&self, column: &Column) -> Option<(&'a Stored, i64)> {
        let (row, shadow) = match column.kind {
            Kind::Static => {
                let row = &self.partition.static_row;
                (row, self.partition.deletion.max(row.deletion))
            }
            Kind::Regular => (self.row?, self.shadow),
            Kind::Partition(_) | Kind::Clustering(_) => return None,
        };
        let stored = row.columns.get(&column.number)?;
        Some((stored, shadow.max(column.gone_until)))
    }

    /// The value of a column; `None` for null.
    pub(super) fn value(&self, position: usize) -> Known<Option<Vec<u8>>> {
        let column = self.table.at(position)?;
        Ok(match column.kind {
            Kind::Partition(index) => self.partition.key.get(index).cloned(),
            Kind::Clustering(index) => self.clustering.and_then(|it| it.get(index)).cloned(),
            Kind::Static | Kind::Regular => self
                .stored(column)
                .and_then(|(stored, shadow)| stored.value(&column.data_type, shadow, self.now)),
        })
    }

    /// Whether the mark of an INSERT shows the row.
    pub(super) fn is_marked(&self) -> bool {
        let liveness = self.row.and_then(|row| row.liveness);
        liveness.is_some_and(|liveness| {
            liveness.timestamp_micros > self.shadow && rules::is_live(&liveness, self.now)
        })
    }

    /// Whether a column shows something.
    pub(super) fn shows(&self, column: &Column) -> bool {
        self.stored(column)
            .is_some_and(|(stored, shadow)| stored.is_live(shadow, self.now))
    }

    /// Whether the row is there.
    pub(super) fn is_live(&self) -> bool {
        let mut columns = self.table.columns.iter();
        self.is_marked() || columns.any(|it| it.kind == Kind::Regular && self.shows(it))
    }

    /// Whether the partition has static columns with values.
    pub(super) fn is_static_live(&self) -> bool {
        let mut columns = self.table.columns.iter();
        columns.any(|it| it.kind == Kind::Static && self.shows(it))
    }
}
