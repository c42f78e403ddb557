//! One caller without syncs: insert, read, slice and update, against the same in raw bytes.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use stoa_store::catalog::CatalogChange;
use stoa_store::key::PartitionKey;
use stoa_store::kv::Direction;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::partition::Slice;
use stoa_store::table::TableOptions;
use stoa_store::{CommitMode, Options, Store};

use super::data::{Row, TABLE};
use super::figure::{Figure, Goal};
use super::pair::{Pair, Peer, Side};
use super::plan::{Plan, Work};
use super::store::{Stopwatch, clock};

/// The second at which rows are read.
const NOW_SECONDS: i64 = 1_800_000_000;
const COST: Goal = Goal::RatioAtMost(1.5);

/// Options of a store that does not sync for each write.
pub(super) fn periodic() -> Options {
    Options {
        commit_mode: CommitMode::Periodic {
            every: Duration::from_secs(10),
        },
        ..Options::default()
    }
}

/// Opens a store with one table in a new folder.
pub(super) fn store_with_table(folder: &Path, options: Options) -> Result<Store> {
    let store = Store::open(folder, options, clock())?;
    store.change_catalog(CatalogChange {
        create: vec![(TABLE, TableOptions::default())],
        ..CatalogChange::default()
    })?;
    Ok(store)
}

/// Measures everything one caller does with `size` rows.
pub(super) fn measure(
    folder: &Path,
    size: u64,
    plan: &Plan<Work>,
    tell: &mut dyn FnMut(Figure) -> Result<()>,
) -> Result<()> {
    let folder = folder.join(format!("single-{size}"));
    if plan.includes(Work::InsertBlind) {
        let loaded = Pair::<Store>::load(&folder.join("blind"), size, plan, Peer::Writes);
        let (_, inserts) = loaded?;
        tell_all(inserts.figures("insert-blind", size, Goal::None), tell)?;
        std::fs::remove_dir_all(folder.join("blind"))?;
    }
    let others = [
        Work::Insert,
        Work::Read,
        Work::Slice,
        Work::Update,
        Work::Spread,
        Work::Disk,
    ];
    if !plan.includes_any(&others) {
        return Ok(());
    }
    let (pair, inserts) = Pair::<Store>::load(&folder, size, plan, Peer::ReadsAndWrites)?;
    if plan.includes_any(&[Work::Insert, Work::Spread]) {
        tell_all(inserts.figures("insert", size, COST), tell)?;
    }
    pair.settle()?;
    if plan.includes_any(&[Work::Read, Work::Spread]) {
        tell_all(pair.reads()?.figures("read", size, COST), tell)?;
    }
    if plan.includes_any(&[Work::Slice, Work::Spread]) {
        tell_all(pair.slices()?.figures("slice", size, COST), tell)?;
    }
    if plan.includes_any(&[Work::Update, Work::Spread]) {
        tell_all(pair.updates()?.figures("update", size, COST), tell)?;
    }
    pair.settle()?;
    let disk = close_and_weigh(pair)?;
    if plan.includes(Work::Disk) {
        tell(disk)?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Tells figures one after another.
pub(super) fn tell_all(
    mut figures: impl Iterator<Item = Figure>,
    tell: &mut dyn FnMut(Figure) -> Result<()>,
) -> Result<()> {
    figures.try_for_each(tell)
}

impl Side for Store {
    type Way = ();

    const WAYS: &'static [(&'static str, ())] = &[("", ())];

    fn make(folder: &Path) -> Result<Self> {
        store_with_table(folder, periodic())
    }

    fn insert(&self, (): (), rows: &[Row]) -> Result<Duration> {
        write_all(self, rows.iter().map(|row| row.insert()))
    }

    fn read(&self, (): (), rows: &[Row]) -> Result<Duration> {
        let keys: Vec<_> = rows
            .iter()
            .map(|row| Ok((row.partition()?, row.clustering())))
            .collect::<Result<_>>()?;
        let watch = Stopwatch::start();
        for (partition, clustering) in &keys {
            let columns = read_row(self, partition.clone(), clustering)?;
            ensure!(columns == 5, "a row that was written is not read");
        }
        Ok(watch.elapsed())
    }

    fn slice(&self, (): (), rows: &[Row], wanted: usize) -> Result<Duration> {
        let keys: Vec<_> = rows
            .iter()
            .map(|row| row.partition())
            .collect::<Result<_>>()?;
        let watch = Stopwatch::start();
        for key in &keys {
            let seen = read_slice(self, key.clone())?;
            ensure!(seen == wanted, "{seen} of {wanted} rows were read");
        }
        Ok(watch.elapsed())
    }

    fn update(&self, (): (), rows: &[Row], time: u64) -> Result<Duration> {
        write_all(self, rows.iter().map(|row| row.update(time)))
    }

    fn settle(&self) -> Result<()> {
        Ok(self.compact(TABLE)?)
    }

    fn close(&self) -> Result<()> {
        Ok(Self::close(self)?)
    }
}

/// Closes both and compares the bytes of their tables; journals hold nothing any more.
fn close_and_weigh(pair: Pair<Store>) -> Result<Figure> {
    pair.side.close()?;
    let Pair {
        folder, raw, size, ..
    } = pair;
    drop(raw);
    let per_row =
        |name: &str| -> Result<f64> { Ok(folder_bytes(&folder.join(name))? as f64 / size as f64) };
    Ok(Figure {
        work: format!("disk/{size}"),
        ours: per_row("ours/kv/keyspaces")?,
        peer: Some(per_row("raw/keyspaces")?),
        unit: "bytes/row",
        goal: Goal::None,
    })
}

/// Reads one row; returns how many columns it shows.
pub(super) fn read_row(store: &Store, key: PartitionKey, clustering: &[u8]) -> Result<usize> {
    let view = store.view()?;
    let partition = view.partition(TABLE, key)?;
    let row = partition.row(clustering)?;
    let row = row.as_ref().map(|row| row.visible(NOW_SECONDS));
    Ok(row
        .transpose()?
        .flatten()
        .map_or(0, |row| row.columns.len()))
}

/// Reads a partition; returns how many rows it shows.
pub(super) fn read_slice(store: &Store, key: PartitionKey) -> Result<usize> {
    let view = store.view()?;
    let partition = view.partition(TABLE, key)?;
    let mut seen = 0;
    let rows = partition.rows(&Slice::all(), Direction::Forward)?;
    rows.visit_visible(NOW_SECONDS, |_, row| {
        black_box(row);
        seen += 1;
        ControlFlow::Continue(())
    })?;
    Ok(seen)
}

fn write_all(
    store: &Store,
    updates: impl Iterator<Item = Result<PartitionUpdate>>,
) -> Result<Duration> {
    let updates: Vec<PartitionUpdate> = updates.collect::<Result<_>>()?;
    let watch = Stopwatch::start();
    for update in updates {
        store.write(vec![update])?;
    }
    Ok(watch.elapsed())
}

/// Bytes that the files of a folder take on the disk.
fn folder_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() {
            folder_bytes(&entry.path())?
        } else {
            metadata.blocks() * 512
        };
    }
    Ok(bytes)
}
