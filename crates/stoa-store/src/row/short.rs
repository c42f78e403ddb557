//! Short rows: what most rows are, read without asking for anything else.
//!
//! A row is *short* if it has fewer than 128 columns, each a single value for good, and nothing of
//! it is deleted, expires, is spilled or keeps its original clustering. Such a row shows the same
//! at all times.
//!
//! Invariant: what is read here is what [`super::packed::decode`] reads; bytes that it refuses are
//! not short.

use super::packed::{BASE_TIMESTAMP, HAS_LIVENESS, LIVE, VERSION};
use crate::cell::{CellRef, CellState, ColumnId, ColumnRef, Liveness, RowRef, ValueRef};
use crate::codec::Reader;

/// The most columns of a short row: their number has one byte.
pub(super) const MOST_COLUMNS: u8 = 0x7f;

/// The columns of a row.
pub(crate) type Columns<'a> = Vec<(ColumnId, ColumnRef<'a>)>;

/// Reads a packed row if it is short, and puts its columns into `columns`, which is empty.
#[inline]
pub(crate) fn decode_short<'a>(bytes: &'a [u8], mut columns: Columns<'a>) -> Option<RowRef<'a>> {
    let mut cells = ShortCells::new(bytes)?;
    columns.reserve(usize::from(cells.left));
    while let Some(cell) = cells.next()? {
        columns.push((ColumnId(cell.id), ColumnRef::Cell(cell.as_ref())));
    }
    Some(RowRef {
        liveness: cells.liveness,
        columns,
        ..RowRef::default()
    })
}

/// An empty list of columns in the memory of another one.
#[inline]
pub(crate) fn emptied<'a>(mut columns: Columns<'_>) -> Columns<'a> {
    columns.clear();
    // The standard library collects into the memory of the list it takes from.
    columns.into_iter().map_while(|_| None).collect()
}

/// A live cell of a short row.
#[derive(Clone, Copy)]
pub(super) struct ShortCell<'a> {
    pub(super) id: u32,
    pub(super) timestamp: i64,
    pub(super) value: &'a [u8],
    /// The cell as it is packed, from the step of its id to the end of its value.
    pub(super) packed: &'a [u8],
    /// The id that the step starts from.
    pub(super) previous: u32,
    /// Whether the timestamp is left out of the packed cell, being the row's base.
    pub(super) has_base_timestamp: bool,
}

impl<'a> ShortCell<'a> {
    #[inline]
    pub(super) fn as_ref(&self) -> CellRef<'a> {
        CellRef {
            timestamp: self.timestamp,
            state: CellState::Live(ValueRef::Inline(self.value)),
        }
    }
}

/// A walk over the cells of a short row.
pub(super) struct ShortCells<'a> {
    reader: Reader<'a>,
    pub(super) liveness: Option<Liveness>,
    base: Option<i64>,
    left: u8,
    previous: Option<u32>,
}

impl<'a> ShortCells<'a> {
    /// `None` if the row is not short.
    #[inline]
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let head = reader.byte("row head").ok()?;
        if head & !HAS_LIVENESS != VERSION {
            return None;
        }
        let base = match head & HAS_LIVENESS {
            0 => None,
            _ => Some(reader.timestamp("row timestamp").ok()?),
        };
        let left = reader.byte("number of columns").ok()?;
        (left <= MOST_COLUMNS).then_some(Self {
            reader,
            liveness: base.map(|timestamp| Liveness {
                timestamp,
                expiry: None,
            }),
            base,
            left,
            previous: None,
        })
    }

    /// How many bytes are left after the last cell that was read.
    #[inline]
    pub(super) fn remaining(&self) -> usize {
        self.reader.remaining()
    }

    /// The next cell, or that there is none; `None` if the row is not short.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Option<ShortCell<'a>>> {
        if self.left == 0 {
            return self.reader.is_empty().then_some(None);
        }
        self.left -= 1;
        let before = self.reader.rest();
        let short = self.reader.short_cell(LIVE | BASE_TIMESTAMP);
        let (step, timestamp, value) = match (short, self.base) {
            (Some((step, value)), Some(timestamp)) => (step, timestamp, value),
            (Some(_), None) => return None,
            (None, _) => return self.long_cell(before).map(Some),
        };
        self.cell(before, step, timestamp, value, true).map(Some)
    }

    #[inline]
    fn cell(
        &mut self,
        before: &'a [u8],
        step: u32,
        timestamp: i64,
        value: &'a [u8],
        has_base_timestamp: bool,
    ) -> Option<ShortCell<'a>> {
        let id = match self.previous {
            None => step,
            Some(_) if step == 0 => return None,
            Some(previous) => previous.checked_add(step)?,
        };
        let previous = self.previous.replace(id).unwrap_or(0);
        let length = before.len().checked_sub(self.reader.remaining())?;
        Some(ShortCell {
            id,
            timestamp,
            value,
            packed: before.get(..length)?,
            previous,
            has_base_timestamp,
        })
    }

    fn long_cell(&mut self, before: &'a [u8]) -> Option<ShortCell<'a>> {
        let step = self.reader.unsigned_32("column id").ok()?;
        let mark = self.reader.byte("column mark").ok()?;
        let has_base_timestamp = mark == LIVE | BASE_TIMESTAMP;
        let timestamp = if has_base_timestamp {
            self.base?
        } else if mark == LIVE {
            let timestamp = self.reader.timestamp("cell timestamp").ok()?;
            self.base.get_or_insert(timestamp);
            timestamp
        } else {
            return None;
        };
        let value = self.reader.bytes("cell value").ok()?;
        self.cell(before, step, timestamp, value, has_base_timestamp)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::cell::{Deletion, Expiry};
    use crate::row::packed::{decode, encode_into};

    /// A cell: timestamp, value, and what makes its row no short one.
    pub(in crate::row) type OwnedCell = (i64, Vec<u8>, u8);
    pub(in crate::row) type OwnedRow = (Option<i64>, BTreeMap<u32, OwnedCell>, u8);

    pub(in crate::row) fn owned_row() -> impl Strategy<Value = OwnedRow> {
        let timestamp = || prop_oneof![4 => 1_i64..4, 1 => any::<i64>()];
        let id = prop_oneof![6 => 0_u32..12, 1 => any::<u32>()];
        let value = prop_oneof![
            8 => prop::collection::vec(0_u8..3, 0..4),
            1 => prop::collection::vec(any::<u8>(), 120..140),
        ];
        let cell = (timestamp(), value, any::<u8>());
        let cells = prop::collection::btree_map(id, cell, 0..10);
        (prop::option::of(timestamp()), cells, any::<u8>())
    }

    pub(in crate::row) fn pack((liveness, cells, odd): &OwnedRow) -> Vec<u8> {
        let expiry = Expiry {
            ttl_seconds: 9,
            expires_at: 99,
        };
        let columns = cells.iter().map(|(id, (timestamp, value, odd))| {
            let value = ValueRef::Inline(value);
            let state = match odd {
                250.. => CellState::Expiring(value, expiry),
                245..250 => CellState::Tombstone { deleted_at: 3 },
                _ => CellState::Live(value),
            };
            let cell = CellRef {
                timestamp: *timestamp,
                state,
            };
            (ColumnId(*id), ColumnRef::Cell(cell))
        });
        let row = RowRef {
            original_clustering: (*odd >= 250).then_some(&b"1.00"[..]),
            liveness: liveness.map(|timestamp| Liveness {
                timestamp,
                expiry: (240..245).contains(odd).then_some(expiry),
            }),
            deletion: (245..250).contains(odd).then_some(Deletion {
                timestamp: 2,
                deleted_at: 7,
            }),
            columns: columns.collect(),
        };
        let mut out = Vec::new();
        encode_into(&row, &mut out);
        out
    }

    /// Whether nothing of the row is deleted, expires or has an original clustering.
    fn is_simple((liveness, cells, odd): &OwnedRow) -> bool {
        let odd_head = match odd {
            240..245 => liveness.is_some(),
            odd => *odd >= 245,
        };
        !odd_head && cells.values().all(|(_, _, odd)| *odd < 245)
    }

    proptest! {
        #[test]
        fn short_rows_are_read_as_all_rows_are(row in owned_row()) {
            let bytes = pack(&row);
            let short = decode_short(&bytes, Vec::new());
            prop_assert_eq!(short.is_some(), is_simple(&row));
            if let Some(short) = short {
                prop_assert_eq!(short, decode(&bytes).unwrap());
            }
        }

        #[test]
        fn what_does_not_decode_is_not_short(
            row in owned_row(),
            at: prop::sample::Index,
            byte: u8,
            cut: bool,
        ) {
            let mut bytes = pack(&row);
            let at = at.index(bytes.len());
            if cut {
                bytes.truncate(at);
            } else {
                bytes[at] = byte;
            }
            if let Some(short) = decode_short(&bytes, Vec::new()) {
                prop_assert_eq!(short, decode(&bytes).unwrap());
            }
        }
    }

    #[test]
    fn memory_is_used_again() {
        let bytes = pack(&(Some(1), BTreeMap::from([(1, (1, vec![1], 0))]), 0));
        let row = decode_short(&bytes, Vec::with_capacity(10)).unwrap();
        let columns = emptied(row.columns);
        assert!(columns.is_empty() && columns.capacity() >= 10);
    }
}
