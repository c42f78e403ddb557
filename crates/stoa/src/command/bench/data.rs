//! The rows that are written and read, in the store's form and as raw bytes.
//!
//! A row has five columns of about 100 bytes together; a partition has 100 rows. Rows are written
//! in an order that jumps between partitions, as real ones come.

use anyhow::Result;
use stoa_store::cell::{CellRef, CellState, ColumnId, ColumnRef, Liveness, RowRef, ValueRef};
use stoa_store::key::PartitionKey;
use stoa_store::kv::SpaceId;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::row::PackedRow;
use stoa_store::seal::seal;
use stoa_store::table::TableId;

/// The table everything is written to.
pub(super) const TABLE: TableId = TableId(1);
/// Rows of a partition.
pub(super) const PARTITION_ROWS: u64 = 100;

const INSERTED_AT: i64 = 1_700_000_000_000_000;
/// A prime, so that its multiples visit every row once unless it divides their number.
const STRIDE: u64 = 7_368_787;
/// Any space: the length of the check is what counts.
const RAW_SPACE: SpaceId = SpaceId(16);

/// A row by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row(pub(super) u64);

/// The values of a row as a program has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Typed {
    pub(super) partition: i64,
    pub(super) place: i32,
    pub(super) title: String,
    pub(super) number: i64,
    pub(super) day: i64,
    pub(super) id: String,
    pub(super) body: String,
}

/// A key and a value as the key-value crate gets them.
pub(super) type RawPair = (Vec<u8>, Vec<u8>);

impl Row {
    /// The row that is written at this place in the order of `count` rows.
    pub(super) fn at(place: u64, count: u64) -> Self {
        Self((u128::from(place) * u128::from(STRIDE) % u128::from(count.max(1))) as u64)
    }

    pub(super) fn partition(self) -> Result<PartitionKey> {
        Ok(PartitionKey::new(&(self.0 / PARTITION_ROWS).to_be_bytes())?)
    }

    pub(super) fn clustering(self) -> Vec<u8> {
        let mut clustering = vec![0x40];
        clustering.extend_from_slice(&((self.0 % PARTITION_ROWS) as u32).to_be_bytes());
        clustering
    }

    /// The values of the row; an update has changed the title.
    pub(super) fn typed(self, updated: Option<u64>) -> Typed {
        let words = |seed, length| String::from_utf8_lossy(&text(seed, length)).into_owned();
        Typed {
            partition: (self.0 / PARTITION_ROWS).cast_signed(),
            place: (self.0 % PARTITION_ROWS) as i32,
            title: words(self.0 ^ updated.unwrap_or(0), 30),
            number: mix(self.0).cast_signed(),
            day: self.0.cast_signed(),
            id: words(self.0 + 2, 16),
            body: words(self.0 + 1, 30),
        }
    }

    /// Inserts the row.
    pub(super) fn insert(self) -> Result<PartitionUpdate> {
        let packed = self.pack(None)?;
        Ok(PartitionUpdate::new(TABLE, self.partition()?).row(self.clustering(), packed))
    }

    /// Changes one column of the row; a later `time` wins.
    pub(super) fn update(self, time: u64) -> Result<PartitionUpdate> {
        let value = text(self.0 ^ time, 30);
        let row = RowRef {
            columns: vec![(ColumnId(1), cell(updated_at(time), &value))],
            ..RowRef::default()
        };
        let packed = PackedRow::encode(&row)?;
        Ok(PartitionUpdate::new(TABLE, self.partition()?).row(self.clustering(), packed))
    }

    /// The key and the bytes that the store keeps after [`Row::insert`].
    pub(super) fn raw_insert(self) -> Result<RawPair> {
        self.raw(None)
    }

    /// The key and the bytes that the store keeps after [`Row::update`].
    pub(super) fn raw_update(self, time: u64) -> Result<RawPair> {
        self.raw(Some(time))
    }

    fn raw(self, updated: Option<u64>) -> Result<RawPair> {
        let key = self.partition()?.row(&self.clustering());
        let mut value = self.pack(updated)?.as_bytes().to_vec();
        seal(RAW_SPACE, &key, &mut value);
        Ok((key, value))
    }

    /// A small row of its own partition as the key-value crate gets it: what a conditional write of
    /// one number or a counter leaves.
    pub(super) fn raw_small(self) -> Result<RawPair> {
        let key = PartitionKey::new(&self.0.to_be_bytes())?.row(&[]);
        let number = self.0.to_be_bytes();
        let row = RowRef {
            columns: vec![(ColumnId(1), cell(INSERTED_AT, &number))],
            ..RowRef::default()
        };
        let mut value = PackedRow::encode(&row)?.as_bytes().to_vec();
        seal(RAW_SPACE, &key, &mut value);
        Ok((key, value))
    }

    fn pack(self, updated: Option<u64>) -> Result<PackedRow> {
        let title = text(self.0 ^ updated.unwrap_or(0), 30);
        let title_at = updated.map_or(INSERTED_AT, updated_at);
        let (body, id) = (text(self.0 + 1, 30), text(self.0 + 2, 16));
        let (number, day) = (mix(self.0).to_be_bytes(), self.0.to_be_bytes());
        let columns = vec![
            (ColumnId(1), cell(title_at, &title)),
            (ColumnId(2), cell(INSERTED_AT, &number)),
            (ColumnId(3), cell(INSERTED_AT, &day)),
            (ColumnId(4), cell(INSERTED_AT, &id)),
            (ColumnId(5), cell(INSERTED_AT, &body)),
        ];
        let liveness = Some(Liveness {
            timestamp: INSERTED_AT,
            expiry: None,
        });
        let row = RowRef {
            liveness,
            columns,
            ..RowRef::default()
        };
        Ok(PackedRow::encode(&row)?)
    }
}

/// A number that looks random (splitmix64).
pub(super) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn updated_at(time: u64) -> i64 {
    INSERTED_AT.saturating_add_unsigned(time + 1)
}

fn cell(timestamp: i64, value: &[u8]) -> ColumnRef<'_> {
    ColumnRef::Cell(CellRef {
        timestamp,
        state: CellState::Live(ValueRef::Inline(value)),
    })
}

/// Hexadecimal digits that look random: text that compresses a little, as text does.
fn text(seed: u64, length: usize) -> Vec<u8> {
    let digits = format!("{:016x}{:016x}", mix(seed), mix(seed ^ 1));
    digits.bytes().cycle().take(length).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_is_written_once() {
        let rows: BTreeSet<u64> = (0..1_000).map(|place| Row::at(place, 1_000).0).collect();
        assert_eq!(rows.len(), 1_000);
    }

    #[test]
    fn rows_are_of_the_size_that_is_told() {
        let (_, value) = Row(5).raw_insert().unwrap();
        assert!((95..=125).contains(&value.len()), "{} bytes", value.len());
    }
}
