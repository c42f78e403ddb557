//! What to measure and how large: the arguments of `stoa bench store`, and what follows from those
//! that `stoa bench engine` has too.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use tempfile::TempDir;

const LONG_ABOUT: &str = "\
Measure the store against the key-value crate under it.

Every work is done by the store and by its peer in alternating rounds of the same run, and the
medians of the rounds are compared, so that whatever else the machine does hits both. The peer
writes the same packed bytes under the same keys straight into the key-value crate; for durable
writes it is a bare group commit of those bytes. Costs (us/op) are better when low, throughputs
(ops/s) when high. Rows have five columns and about 100 bytes, 100 rows a partition.

The exit code is 0 also where a goal is missed.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa bench store                        10^4 and 10^5 rows, a minute or two\n  \
        stoa bench store --full                 up to 10^7 rows, takes long\n  \
        stoa bench store --only read,slice      two works only\n  \
        stoa bench store --quick --json         tiny sizes, one JSON object a line\n  \
        stoa bench store --instructions         instructions per operation, by valgrind"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) scale: Scale,
    /// Measure only these works
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) only: Vec<Work>,
}

/// How much is measured, where, and how it is told.
#[derive(Args)]
pub(crate) struct Scale {
    /// Print one JSON object a line: work, ours, peer, ratio, unit, goal, met
    #[arg(long)]
    json: bool,
    /// Numbers of rows to measure with
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(100..))]
    rows: Vec<u64>,
    /// Where to put the data; a folder in the system's place for temporary files by default
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Tiny sizes: shows that everything works, not how fast
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// From 10^4 to 10^7 rows
    #[arg(long, conflicts_with = "rows")]
    full: bool,
    /// Count instructions per operation instead of time (needs valgrind)
    #[arg(long)]
    instructions: bool,
}

/// A thing that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Work {
    /// Insert rows, without a sync; the peer reads and writes
    Insert,
    /// The same with a peer that writes without reading
    InsertBlind,
    /// Read one row
    Read,
    /// Read a slice of 100 rows
    Slice,
    /// Change one column of a row, without a sync
    Update,
    /// How much the ratios change with the number of rows
    Spread,
    /// Bytes on disk per row
    Disk,
    /// Durable inserts by one caller
    #[value(name = "durable-1")]
    Durable1,
    /// Durable inserts by 64 callers
    #[value(name = "durable-64")]
    Durable64,
    /// Durable updates of one row by 64 callers, against different rows
    HotRow,
    /// Open after a clean close
    OpenClean,
    /// Open after a kill
    OpenKilled,
    /// Resident memory of an empty store
    MemoryEmpty,
    /// Resident memory of many tables with data
    MemoryTables,
}

/// What to measure and how large.
#[derive(Debug, Clone)]
pub(crate) struct Plan<W> {
    pub(crate) json: bool,
    dir: Option<PathBuf>,
    pub(crate) instructions: bool,
    only: Vec<W>,
    /// Numbers of rows, rising.
    pub(crate) sizes: Vec<u64>,
    /// Rounds of each work.
    pub(crate) rounds: usize,
    /// Operations of a round, and a tenth of it for slices.
    pub(crate) operations: u64,
    /// Durable writes of a round by one caller.
    pub(crate) durable_alone: u64,
    /// Durable writes of a round by each of many callers.
    pub(crate) durable_each: u64,
    /// Rows of a store that is opened.
    pub(crate) reopen_rows: u64,
    /// Tables of the store whose memory is measured.
    pub(crate) tables: u64,
    /// Rows in each of them.
    pub(crate) rows_per_table: u64,
    /// Operations whose instructions are counted.
    pub(crate) counted_operations: u64,
}

impl<W: Copy + PartialEq> Plan<W> {
    pub(crate) fn new(scale: &Scale, only: &[W]) -> Self {
        let mut sizes = match (scale.rows.is_empty(), scale.quick, scale.full) {
            (false, _, _) => scale.rows.clone(),
            (true, true, _) => vec![500, 1_000],
            (true, false, true) => vec![10_000, 100_000, 1_000_000, 10_000_000],
            (true, false, false) => vec![10_000, 100_000],
        };
        sizes.sort_unstable();
        sizes.dedup();
        let pick = |quick: u64, normal: u64| if scale.quick { quick } else { normal };
        Self {
            json: scale.json,
            dir: scale.dir.clone(),
            instructions: scale.instructions,
            only: only.to_vec(),
            sizes,
            rounds: if scale.quick { 3 } else { 31 },
            operations: pick(50, 5_000),
            durable_alone: pick(2, 100),
            durable_each: pick(1, 30),
            reopen_rows: pick(1_000, 1_000_000),
            tables: pick(5, 1_000),
            rows_per_table: pick(20, 1_500),
            counted_operations: pick(100, 20_000),
        }
    }

    /// A folder for the data, gone with the value.
    pub(crate) fn folder(&self) -> Result<TempDir> {
        match &self.dir {
            Some(dir) => {
                std::fs::create_dir_all(dir)
                    .with_context(|| format!("cannot make folder {}", dir.display()))?;
                tempfile::Builder::new().prefix("bench-").tempdir_in(dir)
            }
            None => tempfile::tempdir(),
        }
        .context("cannot make a folder for the data; choose another with --dir")
    }

    /// Whether a work was asked for.
    pub(crate) fn includes(&self, work: W) -> bool {
        self.only.is_empty() || self.only.contains(&work)
    }

    /// Whether any of these works was asked for.
    pub(crate) fn includes_any(&self, works: &[W]) -> bool {
        works.iter().any(|work| self.includes(*work))
    }
}
