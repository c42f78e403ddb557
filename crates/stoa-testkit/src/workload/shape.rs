//! What random histories are made of: tables, pools of keys and values, length.

use crate::facts::{ColumnId, TableId};

/// What the generator draws from. Change any part; empty pools simply yield less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The tables.
    pub tables: Vec<TableShape>,
    /// Partition keys, not empty.
    pub partitions: Vec<Vec<u8>>,
    /// Clustering keys. No one is the beginning of another, as with Cassandra's
    /// byte-comparable encodings.
    pub clusterings: Vec<Vec<u8>>,
    /// Bounds of ranges and slices besides the clustering keys.
    pub bounds: Vec<Vec<u8>>,
    /// Paths of collection elements.
    pub paths: Vec<Vec<u8>>,
    /// Values drawn most of the time.
    pub small_values: Vec<Vec<u8>>,
    /// Values drawn now and then, by some seeds.
    pub large_values: Vec<Vec<u8>>,
    /// How many steps; a few more may come from closing snapshots.
    pub steps: usize,
    /// The most mutations in a batch.
    pub batch_mutations: usize,
    /// The time before the first step.
    pub start_seconds: i64,
    /// Graces, of which each seed takes one.
    pub gc_graces_seconds: Vec<i64>,
}

/// A table of the generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableShape {
    /// Its number.
    pub id: TableId,
    /// What it holds.
    pub kind: TableKind,
    /// Its columns besides the key.
    pub columns: Vec<ColumnShape>,
}

/// What a table holds: Cassandra does not mix the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Cells and collections.
    Regular,
    /// Counters.
    Counter,
}

/// A column of the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnShape {
    /// Its number.
    pub id: ColumnId,
    /// What it holds.
    pub kind: ColumnKind,
    /// Where it lies.
    pub place: ColumnPlace,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// One cell.
    Simple,
    /// A collection.
    Complex,
    /// A counter.
    Counter,
}

/// Where a column lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnPlace {
    /// In the static row.
    Static,
    /// In each row.
    Row,
}

impl TableShape {
    /// The columns of a kind in a place.
    pub(crate) fn columns(&self, kind: ColumnKind, place: ColumnPlace) -> Vec<ColumnId> {
        let fits = |column: &&ColumnShape| column.kind == kind && column.place == place;
        self.columns
            .iter()
            .filter(fits)
            .map(|column| column.id)
            .collect()
    }
}

impl Default for Shape {
    /// Two tables of cells and collections, one of counters, few keys, 200 steps, and values
    /// up to 100 KiB.
    fn default() -> Self {
        let regular = |id| TableShape {
            id,
            kind: TableKind::Regular,
            columns: columns(&[
                (ColumnKind::Simple, ColumnPlace::Static),
                (ColumnKind::Complex, ColumnPlace::Static),
                (ColumnKind::Simple, ColumnPlace::Row),
                (ColumnKind::Simple, ColumnPlace::Row),
                (ColumnKind::Simple, ColumnPlace::Row),
                (ColumnKind::Complex, ColumnPlace::Row),
                (ColumnKind::Complex, ColumnPlace::Row),
            ]),
        };
        let counter = TableShape {
            id: 3,
            kind: TableKind::Counter,
            columns: columns(&[
                (ColumnKind::Counter, ColumnPlace::Static),
                (ColumnKind::Counter, ColumnPlace::Row),
                (ColumnKind::Counter, ColumnPlace::Row),
            ]),
        };
        let clustering_bytes: [u8; 5] = [0x00, 0x01, 0x61, 0x80, 0xff];
        let clusterings = clustering_bytes
            .iter()
            .flat_map(|first| [vec![*first, 0], vec![*first, 0xff]]);
        Self {
            tables: vec![regular(1), regular(2), counter],
            partitions: vec![b"p".to_vec(), b"pp".to_vec(), vec![0], vec![0xff; 300]],
            clusterings: clusterings.collect(),
            bounds: vec![
                vec![],
                vec![0x01],
                vec![0x61],
                vec![0x61, 0x80],
                vec![0x80],
                vec![0xff],
            ],
            paths: [&b""[..], b"a", b"aa", b"b", b"\x00", b"\xff", b"\xff\x00"]
                .map(<[u8]>::to_vec)
                .to_vec(),
            small_values: [
                &b""[..],
                b"a",
                b"b",
                b"ba",
                b"\x00",
                b"\x7f",
                b"\x80",
                b"12345678",
            ]
            .map(<[u8]>::to_vec)
            .to_vec(),
            large_values: large_values(),
            steps: 200,
            batch_mutations: 3,
            start_seconds: 1_700_000_000,
            gc_graces_seconds: vec![0, 5, 60, 3_600, 864_000],
        }
    }
}

fn columns(kinds: &[(ColumnKind, ColumnPlace)]) -> Vec<ColumnShape> {
    let numbered = (0..).zip(kinds);
    numbered
        .map(|(id, (kind, place))| ColumnShape {
            id,
            kind: *kind,
            place: *place,
        })
        .collect()
}

/// Around the size from which stores keep a value apart, and well above it. Two of them
/// differ only in their last byte.
fn large_values() -> Vec<Vec<u8>> {
    let mut almost = vec![0x61; 5 * 1024];
    almost.extend(b"z");
    vec![
        vec![0x61; 4095],
        vec![0x61; 4096],
        vec![0x61; 5 * 1024 + 1],
        almost,
        vec![0xff; 100 * 1024],
    ]
}
