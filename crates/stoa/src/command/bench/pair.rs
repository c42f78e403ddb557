//! One side and its peer, loaded alike: the peer has the same packed bytes under the same keys in
//! the bare key-value crate.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use stoa_store::baseline::RawKv;

use super::data::{PARTITION_ROWS, RawPair, Row, mix};
use super::figure::{Figure, Goal, median};
use super::plan::Plan;
use super::single::periodic;
use super::store::Stopwatch;

/// What is measured against raw bytes. What is needed for each operation is made before the watch
/// starts, as far as a caller could have it ready.
pub(super) trait Side: Sized {
    /// A way to reach it.
    type Way: Copy + 'static;

    /// The ways there are, and what they add to the name of a work.
    const WAYS: &'static [(&'static str, Self::Way)];

    /// A new one in a folder.
    fn make(folder: &Path) -> Result<Self>;

    /// Inserts rows.
    fn insert(&self, way: Self::Way, rows: &[Row]) -> Result<Duration>;

    /// Reads rows.
    fn read(&self, way: Self::Way, rows: &[Row]) -> Result<Duration>;

    /// Reads the partition of each row, which has `wanted` rows.
    fn slice(&self, way: Self::Way, rows: &[Row], wanted: usize) -> Result<Duration>;

    /// Changes one column of each row; a later `time` wins.
    fn update(&self, way: Self::Way, rows: &[Row], time: u64) -> Result<Duration>;

    /// Brings everything into one sorted run of tables.
    fn settle(&self) -> Result<()>;

    /// Ends it.
    fn close(&self) -> Result<()>;
}

/// A side and its peer.
pub(super) struct Pair<S> {
    pub(super) folder: PathBuf,
    pub(super) side: S,
    pub(super) raw: RawKv,
    pub(super) size: u64,
    operations: u64,
    rounds: usize,
}

/// How the peer inserts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    /// It looks whether the key is there, as everyone must who merges.
    ReadsAndWrites,
    /// It just writes.
    Writes,
}

/// Microseconds per operation of each round.
#[derive(Default)]
pub(super) struct Rounds {
    /// By what the way adds to the name of the work.
    ours: Vec<(&'static str, Vec<f64>)>,
    peer: Vec<f64>,
}

impl Rounds {
    fn add_ours(&mut self, way: &'static str, operations: usize, time: Duration) {
        let each = micros_each(operations, time);
        match self.ours.iter_mut().find(|(it, _)| *it == way) {
            Some((_, rounds)) => rounds.push(each),
            None => self.ours.push((way, vec![each])),
        }
    }

    fn add_peer(&mut self, operations: usize, time: Duration) {
        self.peer.push(micros_each(operations, time));
    }

    /// A figure for each way.
    pub(super) fn figures(
        &self,
        work: &str,
        size: u64,
        goal: Goal,
    ) -> impl Iterator<Item = Figure> {
        self.ours.iter().map(move |(way, ours)| Figure {
            work: format!("{work}{way}/{size}"),
            ours: median(ours),
            peer: Some(median(&self.peer)),
            unit: "us/op",
            goal,
        })
    }
}

fn micros_each(operations: usize, time: Duration) -> f64 {
    time.as_secs_f64() * 1e6 / operations as f64
}

impl<S: Side> Pair<S> {
    /// Loads both with the same rows in alternating chunks. The second half of the chunks counts:
    /// by then there are about as many rows as was asked for, and everything is warm.
    pub(super) fn load<W>(
        folder: &Path,
        size: u64,
        plan: &Plan<W>,
        peer: Peer,
    ) -> Result<(Self, Rounds)> {
        std::fs::create_dir_all(folder)?;
        let pair = Self {
            folder: folder.to_path_buf(),
            side: S::make(&folder.join("ours"))?,
            raw: RawKv::open(&folder.join("raw"), periodic())?,
            size,
            operations: plan.operations.min(size),
            rounds: plan.rounds,
        };
        let chunk = (size / 20).clamp(1, 10_000);
        let mut rounds = Rounds::default();
        let mut ways = S::WAYS.iter().cycle();
        let mut from = 0;
        while let (true, Some((name, way))) = (from < size, ways.next()) {
            let to = (from + chunk).min(size);
            let rows: Vec<Row> = (from..to).map(|place| Row::at(place, size)).collect();
            let ours = pair.side.insert(*way, &rows)?;
            let theirs = pair.raw_inserts(&rows, peer)?;
            if from >= size / 2 {
                rounds.add_ours(name, rows.len(), ours);
                rounds.add_peer(rows.len(), theirs);
            }
            from = to;
        }
        Ok((pair, rounds))
    }

    fn raw_inserts(&self, rows: &[Row], peer: Peer) -> Result<Duration> {
        let pairs: Vec<RawPair> = rows
            .iter()
            .map(|row| row.raw_insert())
            .collect::<Result<_>>()?;
        let watch = Stopwatch::start();
        for (key, value) in &pairs {
            match peer {
                Peer::ReadsAndWrites => {
                    self.raw.read_and_put(key, value)?;
                }
                Peer::Writes => self.raw.put(key, value)?,
            }
        }
        Ok(watch.elapsed())
    }

    /// Brings both into the same shape: everything in one sorted run of tables.
    pub(super) fn settle(&self) -> Result<()> {
        self.side.settle()?;
        Ok(self.raw.settle()?)
    }

    pub(super) fn reads(&self) -> Result<Rounds> {
        let ours = |way, _, rows: &[Row]| self.side.read(way, rows);
        self.alternate(self.operations, ours, |_, rows| {
            let keys: Vec<_> = rows
                .iter()
                .map(|row| Ok(row.partition()?.row(&row.clustering())))
                .collect::<Result<_>>()?;
            let watch = Stopwatch::start();
            for key in &keys {
                ensure!(
                    self.raw.get(key)?.is_some(),
                    "a key that was put is not got"
                );
            }
            Ok(watch.elapsed())
        })
    }

    pub(super) fn slices(&self) -> Result<Rounds> {
        let wanted = PARTITION_ROWS.min(self.size) as usize;
        let ours = |way, _, rows: &[Row]| self.side.slice(way, rows, wanted);
        self.alternate((self.operations / 20).max(1), ours, |_, rows| {
            let bounds: Vec<_> = rows
                .iter()
                .map(|row| row.partition().map(|key| (key.row(&[]), key.after_rows())))
                .collect::<Result<_>>()?;
            let watch = Stopwatch::start();
            let mut bytes = 0;
            for (start, end) in &bounds {
                let mut add = |_: &[u8], value: &[u8]| bytes += value.len();
                let seen = self.raw.range(start, end, &mut add)?;
                ensure!(seen == wanted, "{seen} of {wanted} pairs were read");
            }
            ensure!(bytes > 0, "values are empty");
            Ok(watch.elapsed())
        })
    }

    pub(super) fn updates(&self) -> Result<Rounds> {
        let ours = |way, round, rows: &[Row]| self.side.update(way, rows, round);
        self.alternate(self.operations, ours, |round, rows| {
            let pairs: Vec<_> = rows
                .iter()
                .map(|row| row.raw_update(round))
                .collect::<Result<_>>()?;
            let watch = Stopwatch::start();
            for (key, value) in &pairs {
                ensure!(self.raw.read_and_put(key, value)?, "a key is missing");
            }
            Ok(watch.elapsed())
        })
    }

    /// Runs rounds of `count` operations on rows chosen at random; the first is for warming up.
    /// Every way reads rows of its own, so that none finds what another has just fetched.
    pub(super) fn alternate(
        &self,
        count: u64,
        mut ours: impl FnMut(S::Way, u64, &[Row]) -> Result<Duration>,
        mut peer: impl FnMut(u64, &[Row]) -> Result<Duration>,
    ) -> Result<Rounds> {
        let mut rounds = Rounds::default();
        let ways = S::WAYS.len() as u64;
        let choose = |series: u64| -> Vec<Row> {
            let choose = |index: u64| Row(mix(series << 32 | index) % self.size);
            (0..count).map(choose).collect()
        };
        for round in 0..=self.rounds as u64 {
            let mut times = Vec::new();
            for (series, (name, way)) in (round * ways..).zip(S::WAYS) {
                times.push((*name, ours(*way, round, &choose(series))?));
            }
            let rows = choose(round * ways);
            let peer = peer(round, &rows)?;
            if round > 0 {
                for (name, time) in times {
                    rounds.add_ours(name, rows.len(), time);
                }
                rounds.add_peer(rows.len(), peer);
            }
        }
        Ok(rounds)
    }
}
