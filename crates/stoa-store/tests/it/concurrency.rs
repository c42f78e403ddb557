//! Several writers and readers at once: batches are seen whole, conditions are decided in one
//! order, and a view stays what it was.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use stoa_store::catalog::CatalogChange;
use stoa_store::cell::{CellRef, CellState, ColumnId, ColumnRef, RowRef, ValueRef};
use stoa_store::key::PartitionKey;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::row::PackedRow;
use stoa_store::table::{TableId, TableOptions};
use stoa_store::{CommitMode, Options, Store, StoreError, View};
use stoa_testkit::history::batches::{BatchAction, check_batches};
use stoa_testkit::history::order::Operation;
use stoa_testkit::history::register::{RegisterAction, SetOutcome, check_registers};
use stoa_types::clock::SystemClock;

const VALUE: ColumnId = ColumnId(1);
const ROW: &[u8] = b"\x40row";
const MAX_STATES: usize = 2_000_000;

/// A store on disk with `tables` tables and its folder.
pub(crate) fn disk_store(tables: u64, commit_mode: CommitMode) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        commit_mode,
        write_buffer_bytes: 1 << 20,
        ..Options::default()
    };
    let clock = Arc::new(SystemClock::new());
    let store = Store::open(&folder.path().join("store"), options, clock).unwrap();
    make_tables(&store, tables);
    (folder, store)
}

pub(crate) fn make_tables(store: &Store, tables: u64) {
    let create = (1..=tables)
        .map(|id| (TableId(id), TableOptions::default()))
        .collect();
    store
        .change_catalog(CatalogChange {
            create,
            ..CatalogChange::default()
        })
        .unwrap();
}

/// An update that sets the one value of a cell.
pub(crate) fn set(cell: u64, timestamp: i64, value: u64) -> PartitionUpdate {
    let bytes = value.to_be_bytes();
    let state = CellState::Live(ValueRef::Inline(&bytes));
    let columns = vec![(VALUE, ColumnRef::Cell(CellRef { timestamp, state }))];
    let row = PackedRow::encode(&RowRef {
        columns,
        ..RowRef::default()
    })
    .unwrap();
    PartitionUpdate::new(table_of(cell), partition_of(cell)).row(ROW.to_vec(), row)
}

fn table_of(cell: u64) -> TableId {
    TableId(cell % 3 + 1)
}

fn partition_of(cell: u64) -> PartitionKey {
    PartitionKey::new(&cell.to_be_bytes()).unwrap()
}

pub(crate) fn value_in(partition: &stoa_store::partition::Partition<'_>) -> Option<u64> {
    let row = partition.row(ROW).unwrap()?;
    let visible = row.visible(0).unwrap()?;
    match visible.columns.first()? {
        (
            _,
            ColumnRef::Cell(CellRef {
                state: CellState::Live(ValueRef::Inline(value)),
                ..
            }),
        ) => Some(u64::from_be_bytes((*value).try_into().unwrap())),
        other => panic!("unexpected {other:?}"),
    }
}

pub(crate) fn get(view: &View, cell: u64) -> Option<u64> {
    value_in(&view.partition(table_of(cell), partition_of(cell)).unwrap())
}

/// Gives every event a place in real time.
#[derive(Default)]
struct Ticks(AtomicU64);

impl Ticks {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

/// Writes `tag` into cells at a timestamp above all earlier ones: the last commit wins.
fn write_batch(store: &Store, tag: u64, cells: &[u64]) -> Result<(), StoreError> {
    let cells = cells.to_vec();
    store.decide(move |group| {
        let time = group.next_write_time()?;
        let updates: Vec<_> = cells.iter().map(|cell| set(*cell, time, tag)).collect();
        group.apply(&updates)
    })
}

#[test]
fn batches_over_tables_are_seen_whole_and_in_one_order() {
    let every = std::time::Duration::from_secs(1);
    let (_folder, store) = disk_store(3, CommitMode::Periodic { every });
    let ticks = Ticks::default();
    let tags = AtomicU64::new(1);
    let history = Mutex::new(Vec::new());
    let cells: Vec<u64> = (0..9).collect();
    std::thread::scope(|scope| {
        for writer in 0..3_usize {
            let (store, ticks, tags, history, cells) = (&store, &ticks, &tags, &history, &cells);
            scope.spawn(move || {
                for _ in 0..80 {
                    let tag = tags.fetch_add(1, Ordering::SeqCst);
                    let own: Vec<u64> = cells.iter().copied().skip(writer).step_by(2).collect();
                    let invoked = ticks.next();
                    write_batch(store, tag, &own).unwrap();
                    let cells = own.iter().map(|cell| *cell as u32).collect();
                    let action = BatchAction::Write { tag, cells };
                    history
                        .lock()
                        .unwrap()
                        .push(Operation::new(invoked, ticks.next(), action));
                }
            });
        }
        for _ in 0..2 {
            let (store, ticks, history, cells) = (&store, &ticks, &history, &cells);
            scope.spawn(move || {
                for _ in 0..150 {
                    let invoked = ticks.next();
                    let view = store.view().unwrap();
                    let seen = cells
                        .iter()
                        .map(|it| (*it as u32, get(&view, *it)))
                        .collect();
                    let read = Operation::new(invoked, ticks.next(), BatchAction::Read(seen));
                    history.lock().unwrap().push(read);
                }
            });
        }
        // Flushes and compactions go on under it.
        scope.spawn(|| {
            for round in 0..20 {
                store.flush().unwrap();
                store.compact(TableId(round % 3 + 1)).unwrap();
            }
        });
    });
    let history = history.into_inner().unwrap();
    check_batches(&history, MAX_STATES).unwrap();
}

#[test]
fn conditional_writes_have_one_order() {
    let (_folder, store) = disk_store(3, CommitMode::Group);
    let ticks = Ticks::default();
    let next = AtomicU64::new(1);
    let history = Mutex::new(BTreeMap::<u64, Vec<Operation<RegisterAction>>>::new());
    std::thread::scope(|scope| {
        for caller in 0..6_u64 {
            let (store, ticks, next, history) = (&store, &ticks, &next, &history);
            scope.spawn(move || {
                for round in 0..60 {
                    let cell = (caller + round) % 2;
                    let invoked = ticks.next();
                    let action = if round % 3 == 0 {
                        RegisterAction::Read(get(&store.view().unwrap(), cell))
                    } else {
                        let expected = get(&store.view().unwrap(), cell);
                        let new = next.fetch_add(1, Ordering::SeqCst);
                        let outcome = compare_and_set(store, cell, expected, new);
                        RegisterAction::CompareAndSet {
                            expected,
                            new,
                            outcome,
                        }
                    };
                    let operation = Operation::new(invoked, ticks.next(), action);
                    history
                        .lock()
                        .unwrap()
                        .entry(cell)
                        .or_default()
                        .push(operation);
                }
            });
        }
    });
    let history = history.into_inner().unwrap();
    let applied = history.values().flatten().filter(|operation| {
        let RegisterAction::CompareAndSet { outcome, .. } = &operation.action else {
            return false;
        };
        *outcome == SetOutcome::Applied
    });
    assert!(applied.count() > 10, "some conditions held");
    check_registers(&history, MAX_STATES).unwrap();
}

fn compare_and_set(store: &Store, cell: u64, expected: Option<u64>, new: u64) -> SetOutcome {
    store
        .compare_and_set(
            table_of(cell),
            partition_of(cell),
            move |partition, time| {
                let seen = value_in(partition);
                if seen == expected {
                    Ok((SetOutcome::Applied, Some(set(cell, time, new))))
                } else {
                    Ok((SetOutcome::Refused { seen }, None))
                }
            },
        )
        .unwrap()
}

#[test]
fn a_backup_under_load_is_one_moment() {
    let every = std::time::Duration::from_secs(1);
    let (folder, store) = disk_store(3, CommitMode::Periodic { every });
    let stop = std::sync::atomic::AtomicBool::new(false);
    let cells: Vec<u64> = (0..60).collect();
    write_batch(&store, 1, &cells).unwrap();
    let copies: Vec<_> = (0..3)
        .map(|n| folder.path().join(format!("backup-{n}")))
        .collect();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for tag in 2.. {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                write_batch(&store, tag, &cells).unwrap();
            }
        });
        for copy in &copies {
            let copied = store.backup(copy, &mut |_| {}).unwrap();
            assert!(copied.keys >= 60);
        }
        stop.store(true, Ordering::SeqCst);
    });
    let mut last = 0;
    for copy in &copies {
        assert!(
            store.backup(copy, &mut |_| {}).is_err(),
            "a used folder is refused"
        );
        let restored = Store::open(copy, Options::default(), Arc::new(SystemClock::new())).unwrap();
        let view = restored.view().unwrap();
        let tags: std::collections::BTreeSet<_> = cells
            .iter()
            .map(|cell| get(&view, *cell).unwrap())
            .collect();
        assert_eq!(tags.len(), 1, "all cells are of one batch: {tags:?}");
        assert!(tags.first() >= Some(&last), "later backups are later");
        last = *tags.first().unwrap();
        // The copy is a store like any other.
        write_batch(&restored, 9_999_999, &cells).unwrap();
    }
}

#[test]
fn a_view_keeps_what_it_showed_through_truncate_and_drop() {
    let (_folder, store) = disk_store(3, CommitMode::Group);
    write_batch(&store, 7, &[0, 1, 2]).unwrap();
    let before = store.view().unwrap();
    let change = CatalogChange {
        truncate: vec![TableId(1)],
        drop: vec![TableId(2)],
        records: vec![(b"name".to_vec(), Some(b"value".to_vec()))],
        ..CatalogChange::default()
    };
    store.change_catalog(change).unwrap();
    assert_eq!([0, 1, 2].map(|cell| get(&before, cell)), [Some(7); 3]);
    assert_eq!(before.record(b"name").unwrap(), None);
    let after = store.view().unwrap();
    assert_eq!(get(&after, 0), None, "truncated");
    assert!(
        after.partition(TableId(2), partition_of(1)).is_err(),
        "dropped"
    );
    assert_eq!(get(&after, 2), Some(7), "untouched");
    assert_eq!(
        after.record(b"name").unwrap().as_deref(),
        Some(&b"value"[..])
    );
    assert!(matches!(
        store.write(vec![set(1, 1, 1)]),
        Err(StoreError::NoSuchTable(2))
    ));
    write_batch(&store, 8, &[0]).unwrap();
    assert_eq!(get(&store.view().unwrap(), 0), Some(8));
}

#[test]
fn tables_can_be_made_by_many_callers_at_once() {
    let (_folder, store) = disk_store(3, CommitMode::Group);
    std::thread::scope(|scope| {
        for caller in 0..4_u64 {
            let store = &store;
            scope.spawn(move || {
                for table in 0..4_u64 {
                    let id = TableId(100 + caller * 10 + table);
                    let change = CatalogChange {
                        create: vec![(id, TableOptions::default())],
                        ..CatalogChange::default()
                    };
                    store.change_catalog(change).unwrap();
                    let mut update = set(caller, 1, table);
                    update.table = id;
                    store.write(vec![update]).unwrap();
                }
            });
        }
    });
    assert_eq!(store.view().unwrap().catalog().tables().len(), 3 + 16);
}
