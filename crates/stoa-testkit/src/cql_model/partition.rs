//! A partition: its deletions, its static row and its rows in their order.

use std::cmp::Ordering;

use stoa_types::{ClusteringOrder, DataType, KeyColumn, compare};

use super::row::{Change, NEVER, Row};

/// The values of the clustering columns.
pub(super) type Clustering = Vec<Vec<u8>>;

/// A partition.
#[derive(Debug, Clone)]
pub(super) struct Partition {
    /// The values of the partition key.
    pub(super) key: Vec<Vec<u8>>,
    /// The deletion of all of it.
    pub(super) deletion: i64,
    /// Deletions of ranges of rows.
    pub(super) ranges: Vec<Range>,
    /// The static columns.
    pub(super) static_row: Row,
    /// The rows, in the order of the table.
    pub(super) rows: Vec<(Clustering, Row)>,
}

/// A deletion of a range of rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Range {
    /// Where it begins, if not at the first row.
    pub(super) from: Option<Bound>,
    /// Where it ends, if not after the last row.
    pub(super) to: Option<Bound>,
    /// Its write time.
    pub(super) at: i64,
}

/// An end of a range: the first clustering columns, and whether rows that have them are inside.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bound {
    /// The values of the first clustering columns.
    pub(super) prefix: Clustering,
    /// Whether rows that begin with them are inside.
    pub(super) is_inside: bool,
}

impl Partition {
    /// A partition in which nothing happened.
    pub(super) fn new(key: Vec<Vec<u8>>) -> Self {
        Self {
            key,
            deletion: NEVER,
            ranges: Vec::new(),
            static_row: Row::default(),
            rows: Vec::new(),
        }
    }

    /// Where a row is, or would be.
    pub(super) fn place(
        &self,
        columns: &[KeyColumn],
        clustering: &[Vec<u8>],
    ) -> Result<usize, usize> {
        self.rows
            .binary_search_by(|(other, _)| compare_prefix(columns, other, clustering))
    }

    /// The row of a clustering, if anything happened to it.
    pub(super) fn row(&self, columns: &[KeyColumn], clustering: &[Vec<u8>]) -> Option<&Row> {
        let place = self.place(columns, clustering).ok()?;
        self.rows.get(place).map(|(_, row)| row)
    }

    /// Up to which write time the rows of a clustering are hidden by deletions around them.
    pub(super) fn shadow_around(&self, columns: &[KeyColumn], clustering: &[Vec<u8>]) -> i64 {
        let covering = self
            .ranges
            .iter()
            .filter(|range| range.covers(columns, clustering));
        covering.map(|range| range.at).fold(self.deletion, i64::max)
    }

    /// Whether a row is kept under other bytes that are the same key, and was deleted: which of
    /// the two forms Cassandra shows then depends on where it kept them.
    pub(super) fn has_other_form(&self, columns: &[KeyColumn], clustering: &[Vec<u8>]) -> bool {
        let place = self.place(columns, clustering).ok();
        let found = place.and_then(|place| self.rows.get(place));
        found.is_some_and(|(kept, row)| {
            let is_deleted =
                row.deletion != NEVER || self.shadow_around(columns, clustering) != NEVER;
            kept.as_slice() != clustering && is_deleted
        })
    }

    /// Makes changes of a row.
    pub(super) fn change_row(
        &mut self,
        columns: &[KeyColumn],
        clustering: &[Vec<u8>],
        changes: &[Change],
        path_type: impl Fn(u32) -> DataType,
    ) {
        let shadow = self.shadow_around(columns, clustering);
        let place = self.place(columns, clustering).unwrap_or_else(|place| {
            self.rows
                .insert(place, (clustering.to_vec(), Row::default()));
            place
        });
        if let Some((_, row)) = self.rows.get_mut(place) {
            for change in changes {
                row.apply(change, &path_type, shadow);
            }
        }
    }

    /// Makes changes of the static row.
    pub(super) fn change_static(
        &mut self,
        changes: &[Change],
        path_type: impl Fn(u32) -> DataType,
    ) {
        let shadow = self.deletion;
        for change in changes {
            self.static_row.apply(change, &path_type, shadow);
        }
    }
}

impl Range {
    fn covers(&self, columns: &[KeyColumn], clustering: &[Vec<u8>]) -> bool {
        let is_after_start = self.from.as_ref().is_none_or(|bound| {
            match compare_prefix(columns, clustering, &bound.prefix) {
                Ordering::Equal => bound.is_inside,
                other => other.is_gt(),
            }
        });
        let is_before_end = self.to.as_ref().is_none_or(|bound| {
            match compare_prefix(columns, clustering, &bound.prefix) {
                Ordering::Equal => bound.is_inside,
                other => other.is_lt(),
            }
        });
        is_after_start && is_before_end
    }
}

/// Compares as many columns as both have, in the order of the table.
pub(super) fn compare_prefix(
    columns: &[KeyColumn],
    left: &[Vec<u8>],
    right: &[Vec<u8>],
) -> Ordering {
    for (column, (left, right)) in columns.iter().zip(left.iter().zip(right)) {
        let order = compare::compare(&column.data_type, left, right);
        let order = match column.order {
            ClusteringOrder::Ascending => order,
            ClusteringOrder::Descending => order.reverse(),
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}
