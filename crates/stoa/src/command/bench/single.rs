//! One caller without syncs: insert, read, slice and update, against the same in raw bytes.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use stoa_store::baseline::RawKv;
use stoa_store::catalog::CatalogChange;
use stoa_store::key::PartitionKey;
use stoa_store::kv::Direction;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::partition::Slice;
use stoa_store::table::TableOptions;
use stoa_store::{CommitMode, Options, Store};

use super::data::{PARTITION_ROWS, RawPair, Row, TABLE, mix};
use super::figure::{Figure, Goal, median};
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

/// The store and its peers, loaded alike.
pub(super) struct Pair {
    folder: PathBuf,
    store: Store,
    raw: RawKv,
    size: u64,
    operations: u64,
    rounds: usize,
}

/// Microseconds per operation of each round.
#[derive(Default)]
struct Rounds {
    ours: Vec<f64>,
    peer: Vec<f64>,
}

impl Rounds {
    fn add(&mut self, operations: usize, ours: Duration, peer: Duration) {
        let each = |time: Duration| time.as_secs_f64() * 1e6 / operations as f64;
        self.ours.push(each(ours));
        self.peer.push(each(peer));
    }

    fn figure(&self, work: &str, size: u64, goal: Goal) -> Figure {
        Figure {
            work: format!("{work}/{size}"),
            ours: median(&self.ours),
            peer: Some(median(&self.peer)),
            unit: "us/op",
            goal,
        }
    }
}

/// Measures everything one caller does with `size` rows.
pub(super) fn measure(
    folder: &Path,
    size: u64,
    plan: &Plan,
    tell: &mut dyn FnMut(Figure) -> Result<()>,
) -> Result<()> {
    let folder = folder.join(format!("single-{size}"));
    if plan.includes(Work::InsertBlind) {
        let (_, inserts) = Pair::load(&folder.join("blind"), size, plan, Peer::Writes)?;
        tell(inserts.figure("insert-blind", size, Goal::None))?;
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
    let (pair, inserts) = Pair::load(&folder, size, plan, Peer::ReadsAndWrites)?;
    let insert = plan.includes_any(&[Work::Insert, Work::Spread]);
    if insert {
        tell(inserts.figure("insert", size, COST))?;
    }
    pair.settle()?;
    if plan.includes_any(&[Work::Read, Work::Spread]) {
        tell(pair.reads()?.figure("read", size, COST))?;
    }
    if plan.includes_any(&[Work::Slice, Work::Spread]) {
        tell(pair.slices()?.figure("slice", size, COST))?;
    }
    if plan.includes_any(&[Work::Update, Work::Spread]) {
        tell(pair.updates()?.figure("update", size, COST))?;
    }
    pair.settle()?;
    let disk = pair.close_and_weigh()?;
    if plan.includes(Work::Disk) {
        tell(disk)?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// How the peer inserts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Peer {
    /// It looks whether the key is there, as everyone must who merges.
    ReadsAndWrites,
    /// It just writes.
    Writes,
}

impl Pair {
    /// Loads both with the same rows in alternating chunks. The second half of the chunks counts:
    /// by then there are about as many rows as was asked for, and everything is warm.
    fn load(folder: &Path, size: u64, plan: &Plan, peer: Peer) -> Result<(Self, Rounds)> {
        std::fs::create_dir_all(folder)?;
        let store = store_with_table(&folder.join("store"), periodic())?;
        let raw = RawKv::open(&folder.join("raw"), periodic())?;
        let chunk = (size / 20).clamp(1, 10_000);
        let mut rounds = Rounds::default();
        let mut from = 0;
        while from < size {
            let to = (from + chunk).min(size);
            let rows = || (from..to).map(|place| Row::at(place, size));
            let updates: Vec<PartitionUpdate> = rows().map(Row::insert).collect::<Result<_>>()?;
            let pairs: Vec<RawPair> = rows().map(Row::raw_insert).collect::<Result<_>>()?;
            let count = pairs.len();
            let ours = write_all(&store, updates)?;
            let watch = Stopwatch::start();
            for (key, value) in &pairs {
                match peer {
                    Peer::ReadsAndWrites => {
                        raw.read_and_put(key, value)?;
                    }
                    Peer::Writes => raw.put(key, value)?,
                }
            }
            if from >= size / 2 {
                rounds.add(count, ours, watch.elapsed());
            }
            from = to;
        }
        let pair = Self {
            folder: folder.to_path_buf(),
            store,
            raw,
            size,
            operations: plan.operations.min(size),
            rounds: plan.rounds,
        };
        Ok((pair, rounds))
    }

    /// Brings both into the same shape: everything in one sorted run of tables.
    fn settle(&self) -> Result<()> {
        self.store.compact(TABLE)?;
        Ok(self.raw.settle()?)
    }

    fn reads(&self) -> Result<Rounds> {
        self.alternate(self.operations, |rows| {
            let keys: Vec<_> = rows
                .iter()
                .map(|row| Ok((row.partition()?, row.clustering())))
                .collect::<Result<_>>()?;
            let watch = Stopwatch::start();
            for (partition, clustering) in &keys {
                let columns = read_row(&self.store, partition.clone(), clustering)?;
                ensure!(columns == 5, "a row that was written is not read");
            }
            let ours = watch.elapsed();
            let keys: Vec<_> = keys
                .iter()
                .map(|(partition, clustering)| partition.row(clustering))
                .collect();
            let watch = Stopwatch::start();
            for key in &keys {
                ensure!(
                    self.raw.get(key)?.is_some(),
                    "a key that was put is not got"
                );
            }
            Ok((ours, watch.elapsed()))
        })
    }

    fn slices(&self) -> Result<Rounds> {
        let wanted = PARTITION_ROWS.min(self.size) as usize;
        self.alternate((self.operations / 20).max(1), |rows| {
            let keys: Vec<_> = rows
                .iter()
                .map(|row| row.partition())
                .collect::<Result<_>>()?;
            let watch = Stopwatch::start();
            for key in &keys {
                let seen = read_slice(&self.store, key.clone())?;
                ensure!(seen == wanted, "{seen} of {wanted} rows were read");
            }
            let ours = watch.elapsed();
            let bounds: Vec<_> = keys
                .iter()
                .map(|key| (key.row(&[]), key.after_rows()))
                .collect();
            let watch = Stopwatch::start();
            let mut bytes = 0;
            for (start, end) in &bounds {
                let mut add = |_: &[u8], value: &[u8]| bytes += value.len();
                let seen = self.raw.range(start, end, &mut add)?;
                ensure!(seen == wanted, "{seen} of {wanted} pairs were read");
            }
            ensure!(bytes > 0, "values are empty");
            Ok((ours, watch.elapsed()))
        })
    }

    fn updates(&self) -> Result<Rounds> {
        let mut time = 0;
        self.alternate(self.operations, |rows| {
            time += 1;
            let updates: Vec<_> = rows
                .iter()
                .map(|row| row.update(time))
                .collect::<Result<_>>()?;
            let pairs: Vec<_> = rows
                .iter()
                .map(|row| row.raw_update(time))
                .collect::<Result<_>>()?;
            let ours = write_all(&self.store, updates)?;
            let watch = Stopwatch::start();
            for (key, value) in &pairs {
                ensure!(self.raw.read_and_put(key, value)?, "a key is missing");
            }
            Ok((ours, watch.elapsed()))
        })
    }

    /// Runs rounds of `count` operations on rows chosen at random; the first is for warming up.
    fn alternate(
        &self,
        count: u64,
        mut round: impl FnMut(&[Row]) -> Result<(Duration, Duration)>,
    ) -> Result<Rounds> {
        let mut rounds = Rounds::default();
        for number in 0..=self.rounds as u64 {
            let choose = |index: u64| Row(mix(number << 32 | index) % self.size);
            let rows: Vec<Row> = (0..count).map(choose).collect();
            let (ours, peer) = round(&rows)?;
            if number > 0 {
                rounds.add(rows.len(), ours, peer);
            }
        }
        Ok(rounds)
    }

    /// Closes both and compares the bytes of their tables; journals hold nothing any more.
    fn close_and_weigh(self) -> Result<Figure> {
        self.store.close()?;
        let Self {
            folder, raw, size, ..
        } = self;
        drop(raw);
        let per_row = |name: &str| -> Result<f64> {
            Ok(folder_bytes(&folder.join(name))? as f64 / size as f64)
        };
        Ok(Figure {
            work: format!("disk/{size}"),
            ours: per_row("store/kv/keyspaces")?,
            peer: Some(per_row("raw/keyspaces")?),
            unit: "bytes/row",
            goal: Goal::None,
        })
    }
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

fn write_all(store: &Store, updates: Vec<PartitionUpdate>) -> Result<Duration> {
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
