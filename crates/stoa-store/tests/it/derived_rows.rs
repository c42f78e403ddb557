//! Rows that are derived from others replace each other whole, whatever their timestamps, and leave
//! nothing behind.

use std::sync::Arc;

use stoa_store::catalog::CatalogChange;
use stoa_store::cell::{
    CellRef, CellState, ColumnId, ColumnRef, ComplexRef, Elements, RowRef, ValueRef,
};
use stoa_store::key::PartitionKey;
use stoa_store::row::PackedRow;
use stoa_store::table::{TableId, TableOptions};
use stoa_store::{Options, Store};
use stoa_types::clock::ManualClock;

const TABLE: TableId = TableId(1);

fn cell(timestamp: i64, value: &[u8]) -> CellRef<'_> {
    CellRef {
        timestamp,
        state: CellState::Live(ValueRef::Inline(value)),
    }
}

/// A row with one value and one collection.
fn row(timestamp: i64, value: &[u8], element: &[u8]) -> PackedRow {
    let elements = vec![
        (&b"a"[..], cell(timestamp, element)),
        (&b"b"[..], cell(timestamp, element)),
    ];
    PackedRow::encode(&RowRef {
        columns: vec![
            (ColumnId(1), ColumnRef::Cell(cell(timestamp, value))),
            (
                ColumnId(2),
                ColumnRef::Complex(ComplexRef {
                    deletion: None,
                    elements: Elements::Inline(elements),
                }),
            ),
        ],
        ..RowRef::default()
    })
    .unwrap()
}

fn replace(store: &Store, row: Option<PackedRow>) {
    let key = PartitionKey::new(b"k").unwrap();
    store
        .decide(move |group| group.replace_row(TABLE, &key, b"c", row.as_ref()))
        .unwrap();
}

/// The value of column 1, and the number of elements of column 2.
fn seen(store: &Store) -> Option<(Vec<u8>, usize)> {
    let view = store.view().unwrap();
    let partition = view
        .partition(TABLE, PartitionKey::new(b"k").unwrap())
        .unwrap();
    let row = partition.row(b"c").unwrap()?;
    let row = row.visible(0).unwrap()?;
    let mut found = (Vec::new(), 0);
    for (_, column) in &row.columns {
        match column {
            ColumnRef::Cell(cell) => {
                if let Some(ValueRef::Inline(bytes)) = cell.value() {
                    found.0 = bytes.to_vec();
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

#[test]
fn the_last_one_stands_and_nothing_is_left_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at_micros(0));
    let store = Store::open(folder.path(), Options::default(), clock).unwrap();
    store
        .change_catalog(CatalogChange {
            create: vec![(TABLE, TableOptions::default())],
            ..CatalogChange::default()
        })
        .unwrap();
    let large = vec![7; 10_000];
    replace(&store, Some(row(100, &large, &large)));
    assert_eq!(seen(&store), Some((large.clone(), 2)));
    // An older timestamp and smaller values: what was moved out of the row goes with it.
    replace(&store, Some(row(1, b"small", b"e")));
    assert_eq!(seen(&store), Some((b"small".to_vec(), 2)));
    replace(&store, Some(row(2, &large, b"e")));
    replace(&store, None);
    assert_eq!(seen(&store), None);
    let view = store.view().unwrap();
    let left = view.partitions(TABLE, stoa_types::Token(i64::MIN)).unwrap();
    assert_eq!(left.count(), 0, "no key of the partition is left");
}
