//! A replica: tables of partitions.

use std::collections::BTreeMap;

use super::partition::{Extent, Partition, PartitionId, Slice};

/// What one replica keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Replica {
    tables: Vec<BTreeMap<PartitionId, Partition>>,
}

/// A write to one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mutation {
    /// The number of the table.
    pub(crate) table: usize,
    /// The partition.
    pub(crate) id: PartitionId,
    /// What is added to it.
    pub(crate) slice: Slice,
}

/// Some partitions of a table, each with its slice.
pub(crate) type Slices = Vec<(PartitionId, Slice)>;

impl Replica {
    /// Adds what a write, a hint or a repair brings.
    pub(crate) fn apply(&mut self, table: usize, id: &PartitionId, slice: &Slice) {
        if self.tables.len() <= table {
            self.tables.resize_with(table + 1, BTreeMap::new);
        }
        let Some(partitions) = self.tables.get_mut(table) else {
            return;
        };
        match partitions.get_mut(id) {
            Some(partition) => partition.apply(slice),
            None => partitions.entry(id.clone()).or_default().apply(slice),
        }
    }

    /// Rows of one partition; a blank slice if it knows nothing of it.
    pub(crate) fn slice(&self, table: usize, id: &PartitionId, extent: &Extent) -> Slice {
        let partition = self.tables.get(table).and_then(|it| it.get(id));
        partition.map_or_else(Slice::default, |it| it.slice(extent))
    }

    /// Rows of every partition of a table, in the order of tokens.
    pub(crate) fn scan(&self, table: usize, extent: &Extent) -> Slices {
        let partitions = self.tables.get(table).into_iter().flatten();
        partitions
            .map(|(id, partition)| (id.clone(), partition.slice(extent)))
            .collect()
    }

    /// Whether it keeps the same as another.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let most = self.tables.len().max(other.tables.len());
        let nothing = BTreeMap::new();
        (0..most).all(|table| {
            let own = self.tables.get(table).unwrap_or(&nothing);
            own == other.tables.get(table).unwrap_or(&nothing)
        })
    }

    /// How many rows it keeps.
    pub(crate) fn row_count(&self) -> usize {
        let partitions = self.tables.iter().flat_map(BTreeMap::values);
        partitions.map(Partition::row_count).sum()
    }

    /// Adds everything that another replica keeps.
    pub(crate) fn absorb(&mut self, other: &Self) {
        for (table, partitions) in other.tables.iter().enumerate() {
            for (id, partition) in partitions {
                self.apply(table, id, &partition.slice(&Extent::All));
            }
        }
    }
}

/// Merges what two replicas answered to a scan.
pub(crate) fn merge_slices(left: &Slices, right: &Slices) -> Slices {
    let mut merged = Slices::with_capacity(left.len().max(right.len()));
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return merged,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((first, _)), Some((second, _))) => first.cmp(second),
        };
        let next = if order.is_gt() {
            right.next()
        } else {
            left.next()
        };
        let Some((id, slice)) = next else {
            return merged;
        };
        let slice = match order.is_eq().then(|| right.next()).flatten() {
            Some((_, other)) => slice.merge(other),
            None => slice.clone(),
        };
        merged.push((id.clone(), slice));
    }
}
