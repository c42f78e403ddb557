//! Keys beyond what the storage can hold: refused when written, not found when read, on disk as in
//! memory.

use std::sync::Arc;

use stoa_store::catalog::CatalogChange;
use stoa_store::cell::{Liveness, RowRef};
use stoa_store::key::PartitionKey;
use stoa_store::kv::Direction;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::partition::Slice;
use stoa_store::row::PackedRow;
use stoa_store::table::{TableId, TableOptions};
use stoa_store::{Options, Store, StoreError};
use stoa_types::clock::ManualClock;

const TABLE: TableId = TableId(1);

fn fill(store: &Store) {
    store
        .change_catalog(CatalogChange {
            create: vec![(TABLE, TableOptions::default())],
            ..CatalogChange::default()
        })
        .unwrap();
}

fn row() -> PackedRow {
    PackedRow::encode(&RowRef {
        liveness: Some(Liveness {
            timestamp: 1,
            expiry: None,
        }),
        ..RowRef::default()
    })
    .unwrap()
}

fn check(store: &Store) {
    fill(store);
    let longest = vec![7; 65_535];
    let short = PartitionKey::new(b"k").unwrap();
    let long = PartitionKey::new(&longest).unwrap();
    let is_refused = |partition: &PartitionKey, clustering: &[u8]| {
        let update = PartitionUpdate::new(TABLE, partition.clone()).row(clustering, row());
        matches!(
            store.write(vec![update]),
            Err(StoreError::KeyTooLong { .. })
        )
    };
    assert!(is_refused(&short, &longest));
    assert!(is_refused(&long, b""));
    assert!(!is_refused(&short, b"c"));

    let view = store.view().unwrap();
    let partition = view.partition(TABLE, short).unwrap();
    assert!(partition.row(&longest).unwrap().is_none());
    let beyond = Slice {
        start: vec![b'd'; 70_000],
        end: vec![0xff; 70_000],
    };
    let rows = partition.rows(&beyond, Direction::Forward).unwrap();
    assert_eq!(rows.count(), 0);
    let around = Slice {
        start: Vec::new(),
        end: vec![0xff; 70_000],
    };
    let rows = partition.rows(&around, Direction::Backward).unwrap();
    assert_eq!(rows.count(), 1);
    let partition = view.partition(TABLE, long).unwrap();
    assert!(partition.static_row().unwrap().is_none());
    assert!(partition.row(b"").unwrap().is_none());
}

#[test]
fn memory_refuses_them() {
    let clock = Arc::new(ManualClock::at_micros(0));
    check(&Store::memory(Options::default(), clock).unwrap());
}

#[test]
fn disk_refuses_them() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at_micros(0));
    check(&Store::open(folder.path(), Options::default(), clock).unwrap());
}
