//! Derived rows are put and removed whole, whatever their timestamps, and leave nothing behind.

use std::sync::Arc;
use std::time::Duration;

use stoa_store::cell::{
    CellRef, CellState, ColumnId, ColumnRef, ComplexRef, Elements, Expiry, Liveness, RowRef,
    ValueRef,
};
use stoa_store::check::{TableCounts, check_view};
use stoa_store::key::PartitionKey;
use stoa_store::row::PackedRow;
use stoa_store::table::TableId;
use stoa_store::{Options, Store, StoreError};
use stoa_types::clock::{Clock, ManualClock};

use crate::concurrency::{make_tables, set};

const TABLE: TableId = TableId(1);
const CLUSTERING: &[u8] = b"\x40c\x38";

fn store() -> (Arc<ManualClock>, Store) {
    let clock = Arc::new(ManualClock::at_micros(1_000_000));
    let options = Options {
        background: false,
        ..Options::default()
    };
    let store = Store::memory(options, Arc::<ManualClock>::clone(&clock) as Arc<dyn Clock>);
    let store = store.unwrap();
    make_tables(&store, 3);
    (clock, store)
}

fn cell(timestamp: i64, value: &[u8], expires_at: Option<i64>) -> CellRef<'_> {
    let value = ValueRef::Inline(value);
    let state = match expires_at {
        Some(expires_at) => CellState::Expiring(
            value,
            Expiry {
                ttl_seconds: 10,
                expires_at,
            },
        ),
        None => CellState::Live(value),
    };
    CellRef { timestamp, state }
}

fn row(timestamp: i64, value: &[u8], elements: usize, expires_at: Option<i64>) -> PackedRow {
    let paths: Vec<[u8; 8]> = (0..elements as u64).map(u64::to_be_bytes).collect();
    let element = [7; 40];
    let elements = paths.iter().map(|path| {
        let cell = cell(timestamp, &element, expires_at);
        (path.as_slice(), cell)
    });
    let complex = ComplexRef {
        deletion: None,
        elements: Elements::Inline(elements.collect()),
    };
    let mut columns = vec![(
        ColumnId(1),
        ColumnRef::Cell(cell(timestamp, value, expires_at)),
    )];
    if !paths.is_empty() {
        columns.push((ColumnId(2), ColumnRef::Complex(complex)));
    }
    let row = RowRef {
        liveness: Some(Liveness {
            timestamp,
            expiry: None,
        }),
        columns,
        ..RowRef::default()
    };
    PackedRow::encode(&row).unwrap()
}

fn replace(store: &Store, row: Option<PackedRow>) -> Result<(), StoreError> {
    store.decide(move |group| {
        let key = PartitionKey::new(b"k")?;
        group.replace_row(TABLE, &key, CLUSTERING, row.as_ref())
    })
}

/// The length of the value and the number of elements that a reader sees.
fn seen(store: &Store, now: i64) -> Option<(usize, usize)> {
    let view = store.view().unwrap();
    let key = PartitionKey::new(b"k").unwrap();
    let partition = view.partition(TABLE, key).unwrap();
    let stored = partition.row(CLUSTERING).unwrap()?;
    let row = stored.visible(now).unwrap()?;
    let mut found = (0, 0);
    for (_, column) in &row.columns {
        match column {
            ColumnRef::Cell(cell) => {
                if let Some(ValueRef::Inline(value)) = cell.value() {
                    found.0 = value.len();
                }
            }
            ColumnRef::Complex(complex) => {
                if let Elements::Inline(elements) = &complex.elements {
                    found.1 = elements.len();
                }
            }
            ColumnRef::Counter(_) => {}
        }
    }
    Some(found)
}

/// What is stored, which must be whole.
fn counts(store: &Store) -> TableCounts {
    let contents = check_view(&store.view().unwrap(), &mut |_| {});
    assert_eq!(contents.findings, Vec::new());
    let table = contents.tables.iter().find(|(id, _)| *id == TABLE);
    table.unwrap().1
}

#[test]
fn a_derived_row_takes_the_place_of_a_newer_one() {
    let (_, store) = store();
    replace(&store, Some(row(100, b"new", 3, None))).unwrap();
    assert_eq!(seen(&store, 1), Some((3, 3)));
    replace(&store, Some(row(5, b"older", 0, None))).unwrap();
    assert_eq!(seen(&store, 1), Some((5, 0)));
    replace(&store, None).unwrap();
    assert_eq!(seen(&store, 1), None);
    assert_eq!(counts(&store), TableCounts::default());
    replace(&store, None).unwrap();
    replace(&store, Some(row(1, b"again", 0, None))).unwrap();
    assert_eq!(seen(&store, 1), Some((5, 0)));
}

#[test]
fn spilled_parts_go_with_their_derived_row() {
    let (_, store) = store();
    let large = vec![1; 20_000];
    for value in [&large[..], b"small"] {
        for elements in [0, 3, 500] {
            replace(&store, Some(row(50, &large, 400, None))).unwrap();
            assert_eq!(seen(&store, 1), Some((20_000, 400)));
            assert_eq!(counts(&store).spilled, 401);
            replace(&store, Some(row(20, value, elements, None))).unwrap();
            assert_eq!(seen(&store, 1), Some((value.len(), elements)));
            let spilled = u64::from(value.len() > 5) + if elements == 500 { 500 } else { 0 };
            assert_eq!(counts(&store).spilled, spilled);
            replace(&store, None).unwrap();
            assert_eq!(counts(&store), TableCounts::default());
        }
    }
}

#[test]
fn what_expires_of_derived_rows_is_purged() {
    let (clock, store) = store();
    let large = vec![1; 20_000];
    replace(&store, Some(row(50, &large, 400, Some(11)))).unwrap();
    // Entries of the purge queue for a row that is gone, and for one that was replaced.
    replace(&store, None).unwrap();
    store.purge().unwrap();
    replace(&store, Some(row(50, &large, 400, Some(11)))).unwrap();
    replace(&store, Some(row(40, b"kept", 2, None))).unwrap();
    clock.advance(Duration::from_secs(2_000_000));
    store.trust_clock();
    store.purge().unwrap();
    assert_eq!(seen(&store, 2_000_001), Some((4, 2)));
    assert_eq!(counts(&store).spilled, 0);
    replace(&store, Some(row(50, &large, 400, Some(11)))).unwrap();
    assert_eq!(seen(&store, 2_000_001), Some((0, 0)));
    store.purge().unwrap();
    assert_eq!(seen(&store, 2_000_001), Some((0, 0)));
    assert_eq!(counts(&store).spilled, 0);
}

#[test]
fn derived_rows_do_not_mix_with_records_of_partitions() {
    let (_, store) = store();
    let mut update = set(0, 1, 1);
    update.table = TABLE;
    update.static_row = Some(row(1, b"static", 0, None));
    store.write(vec![update]).unwrap();
    let refused = replace(&store, Some(row(1, b"x", 0, None)));
    assert!(matches!(refused, Err(StoreError::Invalid(_))));
}
