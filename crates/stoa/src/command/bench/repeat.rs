//! One operation done many times by a process of its own, to be counted or profiled from outside.

use std::hint::black_box;
use std::path::Path;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use stoa_session::Answer;
use stoa_store::baseline::RawKv;
use stoa_store::{Options, Store};

use super::data::{Row, TABLE};
use super::engine_side::{EngineSide, Way, look_at_rows, typed};
use super::pair::Side as _;
use super::single::{periodic, read_row, read_slice, store_with_table};
use super::store::clock;

/// Rows there are before anything but an insert is repeated.
const STORED: u64 = 10_000;

/// What is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Repeated {
    Insert,
    Update,
    Read,
    Slice,
    RawInsert,
    RawUpdate,
    RawRead,
    RawSlice,
    CqlInsert,
    CqlRead,
    CqlSlice,
    SessionInsert,
    SessionRead,
}

/// What does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doer {
    Store,
    Raw,
    Engine(Way),
}

impl Repeated {
    fn doer(self) -> Doer {
        match self {
            Self::Insert | Self::Update | Self::Read | Self::Slice => Doer::Store,
            Self::RawInsert | Self::RawUpdate | Self::RawRead | Self::RawSlice => Doer::Raw,
            Self::CqlInsert | Self::CqlRead | Self::CqlSlice => Doer::Engine(Way::Now),
            Self::SessionInsert | Self::SessionRead => Doer::Engine(Way::Session),
        }
    }

    fn is_insert(self) -> bool {
        matches!(
            self,
            Self::Insert | Self::RawInsert | Self::CqlInsert | Self::SessionInsert
        )
    }
}

/// Prepares keys and rows for so many operations, and does the first of them. A new folder is
/// loaded and left as it is, so that loading can be kept out of what is counted.
pub(super) fn run(dir: &Path, what: Repeated, prepared: u64, times: u64) -> Result<()> {
    // No thread may work beside what is counted.
    let options = Options {
        background: false,
        ..periodic()
    };
    if !dir.exists() {
        return load(dir, what, options);
    }
    let count = if what.is_insert() { prepared } else { STORED };
    let rows: Vec<Row> = (0..prepared).map(|place| Row::at(place, count)).collect();
    match what.doer() {
        Doer::Raw => in_raw(&RawKv::open(dir, options)?, what, &rows, times),
        Doer::Store => {
            let store = Store::open(dir, options, clock())?;
            in_store(&store, what, &rows, times)
        }
        Doer::Engine(way) => {
            let engine = EngineSide::open(dir, options)?;
            in_engine(&engine, way, what, &rows, times)
        }
    }
}

fn load(dir: &Path, what: Repeated, options: Options) -> Result<()> {
    let stored = if what.is_insert() { 0 } else { STORED };
    let rows = (0..stored).map(|place| Row::at(place, STORED));
    match what.doer() {
        Doer::Raw => {
            let raw = RawKv::open(dir, options)?;
            for row in rows {
                let (key, value) = row.raw_insert()?;
                raw.put(&key, &value)?;
            }
            Ok(raw.settle()?)
        }
        Doer::Store => {
            let store = store_with_table(dir, options)?;
            for row in rows {
                store.write(vec![row.insert()?])?;
            }
            store.compact(TABLE)?;
            Ok(store.close()?)
        }
        Doer::Engine(way) => {
            let engine = EngineSide::open(dir, options)?;
            let rows: Vec<Row> = rows.collect();
            engine.insert(way, &rows)?;
            engine.settle()?;
            engine.close()
        }
    }
}

fn in_engine(
    engine: &EngineSide,
    way: Way,
    what: Repeated,
    rows: &[Row],
    times: u64,
) -> Result<()> {
    let rows = black_box(typed(rows, None));
    let done = rows.get(..usize::try_from(times)?).unwrap_or(&rows);
    match what {
        Repeated::CqlInsert | Repeated::SessionInsert => {
            engine.each(way, done, |row| engine.bind_insert(row), |_| Ok(()))?;
        }
        Repeated::CqlSlice => {
            let look = |answer: &Answer| look_at_rows(answer, 100);
            engine.each(way, done, |row| engine.bind_slice(row), look)?;
        }
        _ => {
            let look = |answer: &Answer| look_at_rows(answer, 1);
            engine.each(way, done, |row| engine.bind_read(row), look)?;
        }
    }
    Ok(())
}

fn in_store(store: &Store, what: Repeated, rows: &[Row], times: u64) -> Result<()> {
    let times = usize::try_from(times)?;
    for (place, row) in rows.iter().enumerate() {
        let acts = place < times;
        match what {
            Repeated::Insert | Repeated::Update => {
                let update = match what {
                    Repeated::Insert => black_box(row.insert()?),
                    _ => black_box(row.update(place as u64)?),
                };
                if acts {
                    store.write(vec![update])?;
                }
            }
            Repeated::Read => {
                let (key, clustering) = black_box((row.partition()?, row.clustering()));
                if acts {
                    ensure!(read_row(store, key, &clustering)? == 5, "a row is missing");
                }
            }
            _ => {
                let key = black_box(row.partition()?);
                if acts {
                    ensure!(read_slice(store, key)? == 100, "a row is missing");
                }
            }
        }
    }
    Ok(())
}

fn in_raw(raw: &RawKv, what: Repeated, rows: &[Row], times: u64) -> Result<()> {
    let times = usize::try_from(times)?;
    for (place, row) in rows.iter().enumerate() {
        let acts = place < times;
        match what {
            Repeated::RawInsert | Repeated::RawUpdate => {
                let (key, value) = match what {
                    Repeated::RawInsert => black_box(row.raw_insert()?),
                    _ => black_box(row.raw_update(place as u64)?),
                };
                if acts {
                    raw.read_and_put(&key, &value)?;
                }
            }
            Repeated::RawRead => {
                let key = black_box(row.partition()?.row(&row.clustering()));
                if acts {
                    ensure!(raw.get(&key)?.is_some(), "a key is missing");
                }
            }
            _ => {
                let key = row.partition()?;
                let (start, end) = black_box((key.row(&[]), key.after_rows()));
                if acts {
                    let seen = raw.range(&start, &end, &mut |_, _| {})?;
                    ensure!(seen == 100, "a key is missing");
                }
            }
        }
    }
    Ok(())
}
