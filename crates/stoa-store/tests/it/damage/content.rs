//! Does to a store what a plan says, and looks at everything in it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use stoa_store::catalog::CatalogChange;
use stoa_store::cell::{
    CellRef, CellState, ColumnId, ColumnRef, ComplexRef, Counter, CounterState, Deletion, Elements,
    RowRef, ValueRef,
};
use stoa_store::commit::group::Group;
use stoa_store::commit::spill::value_hash;
use stoa_store::key::PartitionKey;
use stoa_store::kv::Direction;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::partition::{Partition, Slice, StoredRow};
use stoa_store::row::PackedRow;
use stoa_store::table::{TableId, TableOptions};
use stoa_store::tombstone::RangeDeletion;
use stoa_store::{CommitMode, Options, Store, StoreError, View};
use stoa_types::clock::{Clock, ManualClock};
use stoa_types::token::Token;

use super::plan::{Content, Edit, HEAD_TABLE, Kind, Shown, clustering, position, value};

/// The second at which every workload starts.
const START_SECONDS: i64 = 1_700_000_000;
const HEAD_PARTITION: &[u8] = b"head";
const HEAD_ROW: &[u8] = b"\x40head\x38";
const HEAD_RECORD: &[u8] = b"head";

/// The clock of a store under test: time passes only when it is told to.
pub(crate) fn start_clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at_micros(START_SECONDS * 1_000_000))
}

/// Opens a store with a budget so small that flushes happen by themselves.
pub(crate) fn open(
    folder: &Path,
    commit_mode: CommitMode,
    clock: &Arc<ManualClock>,
) -> Result<Store, StoreError> {
    let options = Options {
        commit_mode,
        write_buffer_bytes: 24 << 10,
        cache_bytes: 1 << 20,
        background: false,
    };
    Store::open(folder, options, Arc::<ManualClock>::clone(clock))
}

/// A commit mode that syncs only when it is told to.
pub(crate) fn periodic() -> CommitMode {
    CommitMode::Periodic {
        every: Duration::from_secs(3600),
    }
}

/// The number of the last change in a view.
pub(crate) fn head(view: &View) -> Result<u64, StoreError> {
    let record = view.record(HEAD_RECORD)?.map_or(0, |it| number(&it));
    if view.table(TableId(HEAD_TABLE)).is_err() {
        return Ok(record);
    }
    let key = PartitionKey::new(HEAD_PARTITION)?;
    let partition = view.partition(TableId(HEAD_TABLE), key)?;
    Ok(record.max(row_head(&partition)?))
}

fn row_head(partition: &Partition<'_>) -> Result<u64, StoreError> {
    let Some(row) = partition.row(HEAD_ROW)? else {
        return Ok(0);
    };
    let shown = row.visible(START_SECONDS)?;
    let column = shown.as_ref().and_then(|row| row.columns.first());
    match column {
        Some((_, ColumnRef::Cell(cell))) => match cell.value() {
            Some(ValueRef::Inline(bytes)) => Ok(number(bytes)),
            other => panic!("the head holds {other:?}"),
        },
        other => panic!("the head holds {other:?}"),
    }
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(bytes.try_into().expect("eight bytes"))
}

/// Everything that can be seen in a store.
pub(crate) fn scan(view: &View) -> Result<Content, StoreError> {
    let mut content = Content {
        head: head(view)?,
        ..Content::default()
    };
    for table in view.catalog().tables() {
        content.tables.insert(table.id.0);
        for key in view.partitions(table.id, Token::MINIMUM)? {
            let key = key?;
            let name = key.bytes().to_vec();
            let partition = view.partition(table.id, key)?;
            let mut see = |row: &StoredRow, clustering: Option<Vec<u8>>| {
                let columns = shown(row)?;
                if !columns.is_empty() && name != HEAD_PARTITION {
                    let spot = (table.id.0, name.clone(), clustering);
                    content.rows.insert(spot, columns);
                }
                Ok(())
            };
            if let Some(row) = partition.static_row()? {
                see(&row, None)?;
            }
            for row in partition.rows(&Slice::all(), Direction::Forward)? {
                let row = row?;
                see(&row, Some(row.clustering().to_vec()))?;
            }
        }
    }
    Ok(content)
}

fn shown(row: &StoredRow) -> Result<BTreeMap<u32, Shown>, StoreError> {
    let visible = row.visible(START_SECONDS)?;
    let columns = visible.map(|row| row.columns).unwrap_or_default();
    Ok(columns
        .iter()
        .map(|(id, column)| (id.0, shown_column(column)))
        .collect())
}

fn shown_column(column: &ColumnRef<'_>) -> Shown {
    let value = |cell: &CellRef<'_>| match cell.value() {
        Some(ValueRef::Inline(bytes)) => (value_hash(bytes), bytes.len()),
        other => panic!("{other:?} is not visible"),
    };
    match column {
        ColumnRef::Cell(cell) => {
            let (hash, length) = value(cell);
            Shown::Value(hash, length)
        }
        ColumnRef::Counter(Counter {
            state: CounterState::Total(total),
            ..
        }) => Shown::Counter(*total),
        ColumnRef::Complex(ComplexRef {
            elements: Elements::Inline(elements),
            ..
        }) => {
            let element = |(path, cell): &(&[u8], CellRef<'_>)| (path.to_vec(), value(cell));
            Shown::Elements(elements.iter().map(element).collect())
        }
        other => panic!("{other:?} is not visible"),
    }
}

/// Makes one change of a plan.
pub(crate) fn make_change(store: &Store, number: u64, kind: &Kind) -> Result<(), StoreError> {
    match kind {
        Kind::Batch(edits) => store.write(updates(number, edits)),
        Kind::Catalog { .. } => store.change_catalog(catalog_change(number, kind)),
    }
}

/// Makes one change of a plan unless it is there: an earlier try may have been kept.
pub(crate) fn make_change_once(store: &Store, number: u64, kind: &Kind) -> Result<(), StoreError> {
    match kind {
        Kind::Batch(edits) => {
            let updates = updates(number, edits);
            store.decide(move |group| match group_head(group)? {
                head if head < number => group.apply(&updates),
                _ => Ok(()),
            })
        }
        Kind::Catalog { .. } => {
            // A decision without changes opens the files again, if that is needed.
            store.decide(|_| Ok(()))?;
            match head(&store.view()?)? {
                head if head < number => store.change_catalog(catalog_change(number, kind)),
                _ => Ok(()),
            }
        }
    }
}

fn group_head(group: &Group<'_>) -> Result<u64, StoreError> {
    let key = PartitionKey::new(HEAD_PARTITION)?;
    row_head(&group.partition(TableId(HEAD_TABLE), &key)?)
}

fn catalog_change(change: u64, kind: &Kind) -> CatalogChange {
    let Kind::Catalog {
        create,
        truncate,
        drop,
    } = kind
    else {
        return CatalogChange::default();
    };
    let ids = |ids: &[u64]| ids.iter().copied().map(TableId).collect();
    let options = |id: u64| TableOptions {
        // Some tables forget at once, so that purging has something to do.
        gc_grace_seconds: if id == 2 { 0 } else { 864_000 },
        ..TableOptions::default()
    };
    CatalogChange {
        create: create
            .iter()
            .map(|id| (TableId(*id), options(*id)))
            .collect(),
        truncate: ids(truncate),
        drop: ids(drop),
        records: vec![(HEAD_RECORD.to_vec(), Some(change.to_be_bytes().to_vec()))],
        ..CatalogChange::default()
    }
}

fn updates(number: u64, edits: &[(u64, u8, Edit)]) -> Vec<PartitionUpdate> {
    let key = PartitionKey::new(HEAD_PARTITION).expect("a short key");
    let head = cell_row(1, number as i64 * 10, &number.to_be_bytes());
    let head = PartitionUpdate::new(TableId(HEAD_TABLE), key).row(HEAD_ROW.to_vec(), head);
    let edits = (1_i64..)
        .zip(edits)
        .map(|(place, (table, partition, edit))| {
            // Later edits of a batch win over earlier ones.
            update(
                number,
                number as i64 * 10 + place,
                (*table, *partition),
                edit,
            )
        });
    edits.chain([head]).collect()
}

fn cell_row(column: u32, timestamp: i64, bytes: &[u8]) -> PackedRow {
    let state = CellState::Live(ValueRef::Inline(bytes));
    let cell = ColumnRef::Cell(CellRef { timestamp, state });
    one_column(column, cell)
}

fn one_column(column: u32, content: ColumnRef<'_>) -> PackedRow {
    let columns = vec![(ColumnId(column), content)];
    PackedRow::encode(&RowRef {
        columns,
        ..RowRef::default()
    })
    .expect("a row that can be packed")
}

fn update(
    number: u64,
    timestamp: i64,
    (table, partition): (u64, u8),
    edit: &Edit,
) -> PartitionUpdate {
    let key = PartitionKey::new(&[partition]).expect("a short key");
    let mut update = PartitionUpdate::new(TableId(table), key);
    let deletion = Deletion {
        timestamp,
        deleted_at: START_SECONDS,
    };
    match edit {
        Edit::Put { row, bytes } => {
            let value = value(number, partition, *row, *bytes);
            return update.row(clustering(*row), cell_row(1, timestamp, &value));
        }
        Edit::PutStatic { bytes } => {
            let value = value(number, partition, 0, *bytes);
            update.static_row = Some(cell_row(4, timestamp, &value));
        }
        Edit::PutElement { row, path, bytes } => {
            let value = value(number, partition, *row, *bytes);
            let state = CellState::Live(ValueRef::Inline(&value));
            let path = [*path];
            let elements = Elements::Inline(vec![(&path[..], CellRef { timestamp, state })]);
            let column = ColumnRef::Complex(ComplexRef {
                deletion: None,
                elements,
            });
            return update.row(clustering(*row), one_column(2, column));
        }
        Edit::Count { row, delta } => {
            let state = CounterState::Add(*delta);
            let column = ColumnRef::Counter(Counter { timestamp, state });
            return update.row(clustering(*row), one_column(3, column));
        }
        Edit::DeleteRow { row } => {
            let row_deletion = RowRef {
                deletion: Some(deletion),
                ..RowRef::default()
            };
            let packed = PackedRow::encode(&row_deletion).expect("a row that can be packed");
            return update.row(clustering(*row), packed);
        }
        Edit::DeleteRange { from, to } => update.ranges.push(RangeDeletion {
            start: position(*from),
            end: position(*to),
            deletion,
        }),
        Edit::DeletePartition => update.deletion = Some(deletion),
    }
    update
}

/// Writes something beside the plan and reads it back: the store still works.
pub(crate) fn probe(store: &Store) -> Result<(), StoreError> {
    let records = vec![(b"probe".to_vec(), Some(b"written".to_vec()))];
    store.change_catalog(CatalogChange {
        records,
        ..CatalogChange::default()
    })?;
    let found = store.view()?.record(b"probe")?;
    match found.as_deref() {
        Some(b"written") => Ok(()),
        other => panic!("a record that was written holds {other:?}"),
    }
}

/// Lets time pass for a store.
pub(crate) fn advance(clock: &ManualClock) {
    clock.advance(Duration::from_secs(2));
    debug_assert!(clock.monotonic() >= Duration::from_secs(2));
}
