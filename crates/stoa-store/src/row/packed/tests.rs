//! Packed rows come back as they were, and no bytes make the decoder panic or over-allocate.

use proptest::prelude::*;

use super::*;

fn packed(row: &RowRef<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    encode_into(row, &mut out);
    out
}

/// An owned cell, from which a borrowed one is made.
#[derive(Debug, Clone)]
struct OwnedCell {
    timestamp: i64,
    kind: u8,
    value: Vec<u8>,
    at: i64,
}

impl OwnedCell {
    fn borrow(&self) -> CellRef<'_> {
        let value = ValueRef::Inline(&self.value);
        let expiry = Expiry {
            ttl_seconds: 1 + i32::from(self.kind),
            expires_at: self.at,
        };
        let state = match self.kind % 4 {
            0 => CellState::Live(value),
            1 => CellState::Expiring(value, expiry),
            2 => CellState::Tombstone {
                deleted_at: self.at,
            },
            _ => CellState::Live(ValueRef::Spilled {
                length: 77,
                hash: self.at.cast_unsigned(),
            }),
        };
        CellRef {
            timestamp: self.timestamp,
            state,
        }
    }
}

fn owned_cell() -> impl Strategy<Value = OwnedCell> {
    let timestamp = prop_oneof![Just(5_i64), Just(1_700_000_000_000_000), any::<i64>()];
    let value = prop::collection::vec(any::<u8>(), 0..6);
    (
        timestamp,
        any::<u8>(),
        value,
        prop_oneof![Just(9_i64), any::<i64>()],
    )
        .prop_map(|(timestamp, kind, value, at)| OwnedCell {
            timestamp,
            kind,
            value,
            at,
        })
}

proptest! {
    #[test]
    fn rows_round_trip(
        head in (any::<Option<(i64, Option<i64>)>>(), any::<Option<(i64, i64)>>(), any::<Option<Vec<u8>>>()),
        cells in prop::collection::btree_map(any::<u32>(), owned_cell(), 0..6),
        elements in prop::collection::btree_map(prop::collection::vec(any::<u8>(), 0..4), owned_cell(), 0..5),
        counter in any::<Option<i64>>(),
    ) {
        let expiry = |at| Expiry { ttl_seconds: 60, expires_at: at };
        let mut row = RowRef {
            original_clustering: head.2.as_deref(),
            liveness: head.0.map(|(timestamp, at)| Liveness { timestamp, expiry: at.map(expiry) }),
            deletion: head.1.map(|(timestamp, deleted_at)| Deletion { timestamp, deleted_at }),
            columns: cells.iter().map(|(id, cell)| (ColumnId(*id), ColumnRef::Cell(cell.borrow()))).collect(),
        };
        if let Some((_, last)) = row.columns.last_mut() {
            *last = ColumnRef::Complex(ComplexRef {
                deletion: row.deletion,
                elements: Elements::Inline(elements.iter().map(|(p, c)| (p.as_slice(), c.borrow())).collect()),
            });
        }
        if let (Some((_, first)), Some(total)) = (row.columns.first_mut(), counter) {
            *first = ColumnRef::Counter(Counter { timestamp: 5, state: CounterState::Total(total) });
        }
        let bytes = packed(&row);
        prop_assert_eq!(decode(&bytes).unwrap(), row);
    }

    #[test]
    fn any_bytes_are_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..80), plausible: bool) {
        if plausible && let Some(first) = bytes.first_mut() {
            *first = VERSION | (*first & 0x0f);
        }
        if let Ok(row) = decode(&bytes) {
            // What is accepted means the same when written again.
            let bytes = packed(&row);
        prop_assert_eq!(decode(&bytes).unwrap(), row);
        }
        let _ = read_single_cell(&bytes);
    }
}

#[test]
fn a_typical_row_is_small() {
    let at = 1_763_000_000_000_000;
    let cell = |value| {
        ColumnRef::Cell(CellRef {
            timestamp: at,
            state: CellState::Live(ValueRef::Inline(value)),
        })
    };
    let row = RowRef {
        liveness: Some(Liveness {
            timestamp: at,
            expiry: None,
        }),
        columns: (1..=5)
            .map(|id| (ColumnId(id), cell(b"0123456789")))
            .collect(),
        ..RowRef::default()
    };
    // 1 head, 8 timestamp, 1 count, and 3 bytes a cell beside its value.
    assert_eq!(packed(&row).len(), 10 + 5 * 13);
}

#[test]
fn a_false_count_asks_for_no_memory() {
    let bytes = [VERSION, 0xff, 0xff, 0xff, 0xff, 0x0f];
    assert_eq!(decode(&bytes), Err(DecodeError::Truncated("column id")));
}

#[test]
fn unsorted_and_reserved_updates_are_refused() {
    let cell = |timestamp| {
        ColumnRef::Cell(CellRef {
            timestamp,
            state: CellState::Tombstone { deleted_at: 1 },
        })
    };
    let row = |columns| RowRef {
        columns,
        ..RowRef::default()
    };
    assert!(PackedRow::encode(&row(vec![(ColumnId(1), cell(1)), (ColumnId(2), cell(1))])).is_ok());
    for bad in [
        row(vec![(ColumnId(2), cell(1)), (ColumnId(1), cell(1))]),
        row(vec![(ColumnId(2), cell(1)), (ColumnId(2), cell(1))]),
        row(vec![(ColumnId(2), cell(RESERVED_TIMESTAMP))]),
        row(vec![(
            ColumnId(2),
            ColumnRef::Complex(ComplexRef {
                deletion: None,
                elements: Elements::Spilled,
            }),
        )]),
    ] {
        assert!(PackedRow::encode(&bad).is_err());
    }
}
