//! Every kind of damage to stored values is found, named, and does not hide the rest.

use super::*;
use crate::catalog::{CATALOG_SPACE, CatalogChange};
use crate::cell::{
    CellRef, CellState, ColumnId, ColumnRef, ComplexRef, Counter, CounterState, Deletion, Elements,
    Liveness, RowRef, ValueRef,
};
use crate::compaction::Purging;
use crate::key::PartitionKey;
use crate::kv::fjall::FjallKv;
use crate::kv::memory::MemoryKv;
use crate::kv::{Change, Direction, Durability, Kv, SpaceId};
use crate::mutation::PartitionUpdate;
use crate::purge_queue::PURGE_SPACE;
use crate::record::Record;
use crate::row::PackedRow;
use crate::seal::seal;
use crate::table::TableOptions;
use crate::tombstone::RangeDeletion;

const TABLE: TableId = TableId(7);
const DELETION: Deletion = Deletion {
    timestamp: 5,
    deleted_at: 5,
};

/// A store in memory with one of everything, and the key-value store under it.
struct Fixture {
    kv: Arc<MemoryKv>,
    store: Store,
    space: SpaceId,
    key: PartitionKey,
}

fn cell(value: &[u8]) -> ColumnRef<'_> {
    ColumnRef::Cell(CellRef {
        timestamp: 10,
        state: CellState::Live(ValueRef::Inline(value)),
    })
}

fn row(columns: Vec<(ColumnId, ColumnRef<'_>)>) -> PackedRow {
    let row = RowRef {
        liveness: Some(Liveness {
            timestamp: 10,
            expiry: None,
        }),
        columns,
        ..RowRef::default()
    };
    PackedRow::encode(&row).unwrap()
}

impl Fixture {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::at_micros(0));
        let purging = Arc::new(Purging::new(clock.clone()));
        let kv = Arc::new(MemoryKv::new(purging.clone()));
        let options = Options {
            background: false,
            ..Options::default()
        };
        let store = Store::start(kv.clone(), options, clock, purging).unwrap();
        store
            .change_catalog(CatalogChange {
                create: vec![(TABLE, TableOptions::default())],
                records: vec![(b"name".to_vec(), Some(b"value".to_vec()))],
                ..CatalogChange::default()
            })
            .unwrap();
        let key = PartitionKey::new(b"pk").unwrap();
        let large = vec![b'x'; 10_000];
        let elements = vec![
            (
                &b"p1"[..],
                CellRef {
                    timestamp: 10,
                    state: CellState::Live(ValueRef::Inline(&large)),
                },
            ),
            (
                &b"p2"[..],
                CellRef {
                    timestamp: 10,
                    state: CellState::Live(ValueRef::Inline(b"small")),
                },
            ),
        ];
        let collection = ColumnRef::Complex(ComplexRef {
            deletion: None,
            elements: Elements::Inline(elements),
        });
        let range = |start: &[u8], end: &[u8]| RangeDeletion {
            start: start.to_vec(),
            end: end.to_vec(),
            deletion: DELETION,
        };
        let mut update = PartitionUpdate::new(TABLE, key.clone())
            .row(b"\x40a".to_vec(), row(vec![(ColumnId(1), cell(b"1"))]))
            .row(b"\x40b".to_vec(), row(vec![(ColumnId(1), cell(&large))]))
            .row(b"\x40c".to_vec(), row(vec![(ColumnId(2), collection)]));
        update.ranges = vec![range(b"\x40m", b"\x40n"), range(b"\x40s", b"\x40t")];
        update.static_row = Some(row(vec![(ColumnId(3), cell(&large))]));
        let other = PartitionUpdate::new(TABLE, PartitionKey::new(b"other").unwrap())
            .row(b"\x40z".to_vec(), row(vec![(ColumnId(1), cell(b"9"))]));
        store.write(vec![update, other]).unwrap();
        let space = store.view().unwrap().table(TABLE).unwrap().space;
        Self {
            kv,
            store,
            space,
            key,
        }
    }

    fn set(&self, space: SpaceId, key: &[u8], value: Option<&[u8]>) {
        let change = Change {
            space,
            key: key.into(),
            value: value.map(Into::into),
        };
        let mut changes = vec![change];
        self.kv.commit(&mut changes, Durability::ToSystem).unwrap();
    }

    fn set_sealed(&self, space: SpaceId, key: &[u8], value: &[u8]) {
        let mut sealed = value.to_vec();
        seal(space, key, &mut sealed);
        self.set(space, key, Some(&sealed));
    }

    fn check(&self) -> Contents {
        let view = View {
            snapshot: self.kv.snapshot().unwrap(),
            catalog: self.store.view().unwrap().catalog,
        };
        check_view(&view, &mut |_| {})
    }

    /// The only finding.
    fn finding(&self) -> Finding {
        let contents = self.check();
        let [finding] = contents.findings.as_slice() else {
            panic!("{:#?}", contents.findings);
        };
        finding.clone()
    }
}

#[test]
fn a_whole_store_is_counted() {
    let contents = Fixture::new().check();
    assert_eq!(contents.findings, []);
    let (id, counts) = contents.tables[0];
    assert_eq!(id, TABLE);
    assert_eq!(counts.partitions, 2);
    assert_eq!(counts.rows, 5);
    assert_eq!(counts.ranges, 2);
    assert_eq!(counts.spilled, 4);
    assert_eq!(counts.cells, 3 + 2 + 1);
    assert!(counts.bytes > 30_000);
}

#[test]
fn every_flipped_value_is_found_alone() {
    let fixture = Fixture::new();
    let spaces = [CATALOG_SPACE, PURGE_SPACE, fixture.space];
    for space in spaces {
        let pairs: Vec<_> = fixture
            .kv
            .snapshot()
            .unwrap()
            .range(space, &[], &[0xff; 9], Direction::Forward)
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert!(!pairs.is_empty());
        for (key, value) in pairs {
            let mut flipped = value.to_vec();
            flipped[0] ^= 1;
            fixture.set(space, &key, Some(&flipped));
            let finding = fixture.finding();
            assert_eq!(finding.what, "checksum does not match");
            assert_eq!(finding.place.key, &*key);
            fixture.set(space, &key, Some(&value));
        }
    }
    assert_eq!(fixture.check().findings, []);
}

#[test]
fn the_place_of_a_row_is_named() {
    let fixture = Fixture::new();
    let key = fixture.key.row(b"\x40a");
    fixture.set_sealed(fixture.space, &key, b"\x77");
    let finding = fixture.finding();
    assert_eq!(finding.place.part, Part::Table(TABLE));
    assert_eq!(finding.place.partition.as_deref(), Some(&b"pk"[..]));
    assert_eq!(finding.place.clustering.as_deref(), Some(&b"\x40a"[..]));
    assert_eq!(finding.what, "unknown format version 3");
    assert_eq!(fixture.check().tables[0].1.findings, 1);
}

#[test]
fn spilled_parts_and_their_rows_belong_together() {
    let fixture = Fixture::new();
    let (space, key) = (fixture.space, &fixture.key);
    let value = key.spilled_value(Some(b"\x40b"), ColumnId(1));
    let stored = fixture.kv.snapshot().unwrap().get(space, &value).unwrap();
    fixture.set(space, &value, None);
    let finding = fixture.finding();
    assert_eq!(finding.what, "spilled value is missing");
    assert_eq!(finding.place.clustering.as_deref(), Some(&b"\x40b"[..]));
    fixture.set_sealed(space, &value, b"short");
    assert!(fixture.finding().what.contains("its row says 10000"));
    fixture.set_sealed(space, &value, &[b'y'; 10_000]);
    assert!(fixture.finding().what.contains("not the one"));
    fixture.set(space, &value, stored.as_deref());

    let orphan = key.spilled_value(Some(b"\x40a"), ColumnId(1));
    fixture.set_sealed(space, &orphan, b"orphan");
    assert_eq!(
        fixture.finding().what,
        "no row refers to this spilled value"
    );
    fixture.set(space, &orphan, None);
    fixture.set(space, &key.row(b"\x40c"), None);
    let contents = fixture.check();
    assert_eq!(contents.findings.len(), 2);
    assert_eq!(
        contents.findings[0].what,
        "no row refers to this spilled element"
    );
}

#[test]
fn ranges_are_disjoint_and_known_to_the_record() {
    let fixture = Fixture::new();
    let (space, key) = (fixture.space, &fixture.key);
    let set = |start: &[u8], end: &[u8]| {
        let range = RangeDeletion {
            start: start.to_vec(),
            end: end.to_vec(),
            deletion: DELETION,
        };
        fixture.set_sealed(space, &key.range(start), &range.encode());
    };
    set(b"\x40m", b"\x40z");
    assert!(fixture.finding().what.contains("overlaps"));
    set(b"\x40m", b"\x40m");
    assert!(fixture.finding().what.contains("covers nothing"));
    set(b"\x40m", b"\x40n");
    let record = Record {
        deletion: Some(DELETION),
        ..Record::default()
    };
    fixture.set_sealed(space, &key.record(), &record.encode());
    let contents = fixture.check();
    let unknown = |it: &&Finding| it.what.contains("unknown to the partition record");
    assert_eq!(contents.findings.iter().filter(unknown).count(), 2);
}

#[test]
fn what_no_writer_writes_is_found() {
    let fixture = Fixture::new();
    let (space, key) = (fixture.space, &fixture.key);
    let counter = ColumnRef::Counter(Counter {
        timestamp: 1,
        state: CounterState::Add(1),
    });
    let change = row(vec![(ColumnId(1), counter)]);
    fixture.set_sealed(space, &key.row(b"\x40d"), change.as_bytes());
    assert!(fixture.finding().what.contains("change of a counter"));
    fixture.set_sealed(space, &key.row(b"\x40d"), &[0x20, 0]);
    assert_eq!(fixture.finding().what, "an empty row is stored");
    fixture.set(space, &key.row(b"\x40d"), None);
    fixture.set_sealed(space, b"nonsense", b"");
    assert_eq!(fixture.finding().what, "not a key of a partition");
    fixture.set(space, b"nonsense", None);
    let mut wrong_token = key.row(b"\x40d");
    wrong_token[0] ^= 1;
    fixture.set_sealed(space, &wrong_token, row(Vec::new()).as_bytes());
    assert!(fixture.finding().what.contains("token"));
}

#[test]
fn a_damaged_catalogue_that_keeps_the_store_from_opening_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at_micros(0));
    let options = Options {
        background: false,
        ..Options::default()
    };
    Store::open(folder.path(), options, clock.clone())
        .unwrap()
        .close()
        .unwrap();
    let rule = Arc::new(Purging::new(clock.clone()));
    let kv = FjallKv::open(folder.path(), options, rule, clock).unwrap();
    let change = Change {
        space: CATALOG_SPACE,
        key: b"t12345678"[..].into(),
        value: Some(b"nonsense"[..].into()),
    };
    kv.commit(&mut vec![change], Durability::ToDisk).unwrap();
    kv.close().unwrap();
    drop(kv);
    let report = check_folder(folder.path(), &mut |_| {}).unwrap();
    assert!(report.damages.is_empty() && !report.is_whole());
    let contents = report.contents.unwrap();
    let what = &contents.findings[0].what;
    assert!(what.contains("checksum does not match"), "{what}");
}

#[test]
fn findings_beyond_the_limit_are_counted() {
    let mut contents = Contents::default();
    let finding = Finding {
        place: Place {
            part: Part::Catalog,
            partition: None,
            clustering: None,
            key: Vec::new(),
        },
        what: String::new(),
    };
    for _ in 0..MOST_FINDINGS + 3 {
        contents.report(finding.clone());
    }
    assert_eq!(contents.findings.len(), MOST_FINDINGS);
    assert_eq!(contents.more_findings, 3);
}
