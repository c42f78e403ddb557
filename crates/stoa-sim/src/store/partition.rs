//! A partition, and a slice of one: what a write brings, and what a read takes.
//!
//! Invariants:
//! 1. The rows of a slice rise by key.
//! 2. Applying a slice that was taken from a partition changes nothing there.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use stoa_types::Token;

use super::cell::{Bytes, NEVER};
use super::row::Row;

/// Names a partition: by token first, so that scans are in Cassandra's order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PartitionId {
    token: Token,
    /// The partition key as one byte string.
    pub(crate) key: Bytes,
}

impl PartitionId {
    pub(crate) fn new(key: &[u8]) -> Self {
        Self {
            token: Token::of_partition_key(key),
            key: Arc::from(key),
        }
    }
}

static NO_ROW: LazyLock<Arc<Row>> = LazyLock::new(Arc::default);

/// What a replica keeps of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Partition {
    deletion: i64,
    statics: Arc<Row>,
    ranges: BTreeMap<(Bytes, Bytes), i64>,
    rows: BTreeMap<Bytes, Arc<Row>>,
}

impl Default for Partition {
    fn default() -> Self {
        Self {
            deletion: NEVER,
            statics: Arc::clone(&NO_ROW),
            ranges: BTreeMap::new(),
            rows: BTreeMap::new(),
        }
    }
}

/// Some rows of a partition, its static row and its deletions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slice {
    /// Up to which write time the partition is deleted.
    pub(crate) deletion: i64,
    /// Deleted ranges of rows: from, before, up to which write time.
    pub(crate) ranges: Vec<(Bytes, Bytes, i64)>,
    /// The static row.
    pub(crate) statics: Arc<Row>,
    /// The rows by their encoded clustering.
    pub(crate) rows: Vec<(Bytes, Arc<Row>)>,
}

impl Default for Slice {
    fn default() -> Self {
        Self {
            deletion: NEVER,
            ranges: Vec::new(),
            statics: Arc::clone(&NO_ROW),
            rows: Vec::new(),
        }
    }
}

/// Which rows of a partition are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All.
    All,
    /// Those from the first position and before the second.
    Range(Vec<u8>, Vec<u8>),
    /// Those of these keys, which rise.
    Rows(Vec<Bytes>),
}

impl Partition {
    /// Adds what a write, a hint or a repair brings.
    pub(crate) fn apply(&mut self, slice: &Slice) {
        self.deletion = self.deletion.max(slice.deletion);
        merge_shared(&mut self.statics, &slice.statics);
        for (from, before, timestamp) in &slice.ranges {
            let key = (Arc::clone(from), Arc::clone(before));
            let own = self.ranges.entry(key).or_insert(NEVER);
            *own = (*own).max(*timestamp);
        }
        for (key, row) in &slice.rows {
            match self.rows.get_mut(key) {
                Some(own) => merge_shared(own, row),
                None => {
                    self.rows.insert(Arc::clone(key), Arc::clone(row));
                }
            }
        }
    }

    /// Takes what a read of some rows needs.
    pub(crate) fn slice(&self, extent: &Extent) -> Slice {
        let share = |(key, row): (&Bytes, &Arc<Row>)| (Arc::clone(key), Arc::clone(row));
        let rows = match extent {
            Extent::All => self.rows.iter().map(share).collect(),
            Extent::Range(from, before) if from >= before => Vec::new(),
            Extent::Range(from, before) => {
                let range = self.rows.range::<[u8], _>((
                    std::ops::Bound::Included(from.as_slice()),
                    std::ops::Bound::Excluded(before.as_slice()),
                ));
                range.map(share).collect()
            }
            Extent::Rows(keys) => keys
                .iter()
                .filter_map(|key| self.rows.get_key_value(key).map(share))
                .collect(),
        };
        let ranges = self.ranges.iter();
        Slice {
            deletion: self.deletion,
            ranges: ranges
                .map(|((from, before), at)| (Arc::clone(from), Arc::clone(before), *at))
                .collect(),
            statics: Arc::clone(&self.statics),
            rows,
        }
    }

    /// How many rows it keeps, deleted ones too.
    pub(crate) fn row_count(&self) -> usize {
        self.rows.len()
    }
}

/// Merges a row into a shared one, without a copy where one has all of the other.
fn merge_shared(own: &mut Arc<Row>, other: &Arc<Row>) {
    if Arc::ptr_eq(own, other) || own.contains(other) {
        return;
    }
    if other.contains(own) {
        *own = Arc::clone(other);
        return;
    }
    Arc::make_mut(own).merge(other);
}

impl Slice {
    /// Merges what two replicas answered, cell by cell.
    pub(crate) fn merge(&self, other: &Self) -> Self {
        let mut statics = Arc::clone(&self.statics);
        merge_shared(&mut statics, &other.statics);
        Self {
            deletion: self.deletion.max(other.deletion),
            ranges: merge_ranges(&self.ranges, &other.ranges),
            statics,
            rows: merge_rows(&self.rows, &other.rows),
        }
    }

    /// Adds a write to the same partition, as statements of a batch do.
    pub(crate) fn absorb(&mut self, other: &Self) {
        *self = self.merge(other);
    }

    /// Whether nothing was ever written to what it shows.
    pub(crate) fn is_blank(&self) -> bool {
        self.deletion == NEVER
            && self.ranges.is_empty()
            && self.rows.is_empty()
            && *self.statics == Row::default()
    }

    /// Up to which write time a row is hidden, its own deletion included.
    pub(crate) fn shadow(&self, key: &[u8], row: &Row) -> i64 {
        let is_around = |from: &[u8], before: &[u8]| from <= key && key < before;
        let ranges = self.ranges.iter();
        ranges
            .filter(|(from, before, _)| is_around(from, before))
            .map(|(_, _, timestamp)| *timestamp)
            .fold(self.deletion.max(row.deletion), i64::max)
    }

    /// The latest write time of anything in it.
    pub(crate) fn latest(&self) -> i64 {
        let rows = self.rows.iter().map(|(_, row)| row.latest());
        let ranges = self.ranges.iter().map(|(_, _, timestamp)| *timestamp);
        rows.chain(ranges)
            .fold(self.deletion.max(self.statics.latest()), i64::max)
    }
}

fn merge_ranges(
    left: &[(Bytes, Bytes, i64)],
    right: &[(Bytes, Bytes, i64)],
) -> Vec<(Bytes, Bytes, i64)> {
    if right.is_empty() || left == right {
        return left.to_vec();
    }
    let mut all: BTreeMap<(Bytes, Bytes), i64> = BTreeMap::new();
    for (from, before, timestamp) in left.iter().chain(right) {
        let key = (Arc::clone(from), Arc::clone(before));
        let own = all.entry(key).or_insert(NEVER);
        *own = (*own).max(*timestamp);
    }
    let all = all.into_iter();
    all.map(|((from, before), timestamp)| (from, before, timestamp))
        .collect()
}

fn merge_rows(left: &[(Bytes, Arc<Row>)], right: &[(Bytes, Arc<Row>)]) -> Vec<(Bytes, Arc<Row>)> {
    let mut merged = Vec::with_capacity(left.len().max(right.len()));
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
        let Some((key, row)) = next else {
            return merged;
        };
        let mut row = Arc::clone(row);
        if order.is_eq()
            && let Some((_, other)) = right.next()
        {
            merge_shared(&mut row, other);
        }
        merged.push((Arc::clone(key), row));
    }
}

#[cfg(test)]
mod tests {
    use stoa_testkit::rng::Rng;

    use super::super::cell::Cell;
    use super::*;

    fn bytes(rng: &mut Rng) -> Bytes {
        Arc::from([u8::try_from(rng.below(4)).unwrap()])
    }

    fn cell(rng: &mut Rng) -> Cell {
        Cell {
            timestamp: rng.between(1, 4),
            value: rng.chance(70).then(|| bytes(rng)),
            expires_at: rng.chance(20).then(|| rng.between(1, 3)),
        }
    }

    fn row(rng: &mut Rng) -> Arc<Row> {
        let mut row = match rng.chance(20) {
            true => Row::deleted(rng.between(1, 4)),
            false => Row::default(),
        };
        for _ in 0..rng.below(4) {
            let column = u16::try_from(rng.below(3)).unwrap();
            match rng.below(3) {
                0 => row.put_mark(cell(rng)),
                1 => row.put(column, cell(rng)),
                _ => {
                    let path = bytes(rng);
                    row.put_element(column, path, cell(rng));
                }
            }
        }
        Arc::new(row)
    }

    fn slice(rng: &mut Rng) -> Slice {
        let mut keys: Vec<Bytes> = (0..rng.below(3)).map(|_| bytes(rng)).collect();
        keys.sort_unstable();
        keys.dedup();
        let range = rng
            .chance(20)
            .then(|| (bytes(rng), bytes(rng), rng.between(1, 4)));
        Slice {
            deletion: match rng.chance(10) {
                true => rng.between(1, 4),
                false => NEVER,
            },
            ranges: range.into_iter().collect(),
            statics: row(rng),
            rows: keys.into_iter().map(|key| (key, row(rng))).collect(),
        }
    }

    #[test]
    fn the_order_of_writes_does_not_matter_nor_does_their_number() {
        for seed in 0..2_000 {
            let mut rng = Rng::new(seed);
            let slices: Vec<Slice> = (0..5).map(|_| slice(&mut rng)).collect();
            let mut first = Partition::default();
            slices.iter().for_each(|slice| first.apply(slice));
            let mut shuffled = [slices.clone(), slices.clone()].concat();
            rng.shuffle(&mut shuffled);
            let mut second = Partition::default();
            shuffled.iter().for_each(|slice| second.apply(slice));
            assert_eq!(first, second, "seed {seed}");
            let start = Slice::default();
            let merged = slices.iter().fold(start, |all, slice| all.merge(slice));
            assert_eq!(merged, first.slice(&Extent::All), "seed {seed}");
            let before = second.clone();
            second.apply(&first.slice(&Extent::All));
            assert_eq!(second, before, "seed {seed}");
        }
    }
}
