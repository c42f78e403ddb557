//! Durable writes by one caller and by many, against a bare group commit of the same bytes.

use std::path::Path;
use std::sync::Barrier;
use std::time::Duration;

use anyhow::{Result, anyhow};
use stoa_store::baseline::RawGroupCommit;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::{Options, Store};

use super::data::{RawPair, Row};
use super::figure::{Figure, Goal, median};
use super::plan::{Plan, Work};
use super::single::{store_with_table, tell_all};
use super::store::Stopwatch;

/// How many callers write at once where there are many.
pub(super) const MANY: u64 = 64;

/// Measures what was asked for of durable writes.
pub(super) fn measure(
    folder: &Path,
    plan: &Plan<Work>,
    tell: &mut dyn FnMut(Figure) -> Result<()>,
) -> Result<()> {
    if !plan.includes_any(&[Work::Durable1, Work::Durable64, Work::HotRow]) {
        return Ok(());
    }
    let folder = folder.join("durable");
    std::fs::create_dir_all(&folder)?;
    let store = store_with_table(&folder.join("store"), Options::default())?;
    let raw = RawGroupCommit::open(&folder.join("raw"), Options::default())?;
    let inserts = [
        (Work::Durable1, "durable-1", 1, plan.durable_alone),
        (Work::Durable64, "durable-64", MANY, plan.durable_each),
    ];
    let mut first = 0;
    for (work, name, callers, each) in inserts {
        if plan.includes(work) {
            let load = Load { callers, each };
            let ours = |rows: &Rows<'_>| {
                together(
                    callers,
                    |caller| rows(caller).into_iter().map(Row::insert).collect(),
                    |update: PartitionUpdate| Ok(store.write(vec![update])?),
                )
            };
            let rounds = measure_inserts(&raw, plan.rounds, load, &mut first, &[("", &ours)])?;
            tell_all(rounds.figures(name, Goal::RatioAtLeast(0.7)), tell)?;
        }
    }
    if plan.includes(Work::HotRow) {
        let rounds = measure_hot_row(&store, plan)?;
        tell_all(rounds.figures("hot-row", Goal::RatioAtLeast(1.0)), tell)?;
    }
    store.close()?;
    drop((store, raw));
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// How many callers write at once, and how much each of them.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) callers: u64,
    pub(super) each: u64,
}

/// The rows of each caller in one round.
pub(super) type Rows<'r> = dyn Fn(u64) -> Vec<Row> + Sync + 'r;

/// Writes the rows of all callers and tells how long it took.
pub(super) type Act<'a> = dyn Fn(&Rows<'_>) -> Result<Duration> + 'a;

/// Throughputs of the rounds.
#[derive(Default)]
pub(super) struct Throughputs {
    /// By what is added to the name of the work.
    ours: Vec<(&'static str, Vec<f64>)>,
    peer: Vec<f64>,
}

impl Throughputs {
    pub(super) fn figures(&self, work: &str, goal: Goal) -> impl Iterator<Item = Figure> {
        self.ours.iter().map(move |(way, ours)| Figure {
            work: format!("{work}{way}"),
            ours: median(ours),
            peer: Some(median(&self.peer)),
            unit: "ops/s",
            goal,
        })
    }
}

/// Durable inserts in one or more ways, against a bare group commit of the same bytes by threads.
pub(super) fn measure_inserts(
    raw: &RawGroupCommit,
    rounds: usize,
    load: Load,
    first: &mut u64,
    ways: &[(&'static str, &Act<'_>)],
) -> Result<Throughputs> {
    let Load { callers, each } = load;
    let mut next_rows = || {
        let start = *first;
        *first += callers * each;
        move |caller: u64| -> Vec<Row> {
            let rows = (0..each).map(|i| Row(start + caller * each + i));
            rows.collect()
        }
    };
    let throughput = |time: Duration| (callers * each) as f64 / time.as_secs_f64();
    let mut measured = Throughputs {
        ours: ways.iter().map(|(name, _)| (*name, Vec::new())).collect(),
        ..Throughputs::default()
    };
    for round in 0..=rounds {
        let mut ours = Vec::new();
        for (_, act) in ways {
            ours.push(act(&next_rows())?);
        }
        let rows = next_rows();
        let peer = together(
            callers,
            |caller| rows(caller).into_iter().map(Row::raw_insert).collect(),
            |(key, value): RawPair| Ok(raw.put(key, value)?),
        )?;
        if round > 0 {
            measured.peer.push(throughput(peer));
            for ((_, all), time) in measured.ours.iter_mut().zip(ours) {
                all.push(throughput(time));
            }
        }
    }
    Ok(measured)
}

/// Many callers on one row, against many callers each on a row of another partition.
fn measure_hot_row(store: &Store, plan: &Plan<Work>) -> Result<Throughputs> {
    let apart = |caller: u64| Row((1 << 40) + caller * 1_000);
    let inserts: Vec<_> = (0..MANY)
        .map(|caller| apart(caller).insert())
        .collect::<Result<_>>()?;
    store.write(inserts)?;
    let each = plan.durable_each;
    let (mut ours, mut peer) = (Vec::new(), Vec::new());
    for round in 0..=plan.rounds as u64 {
        let run = |row_of: &(dyn Fn(u64) -> Row + Sync)| {
            together(
                MANY,
                |caller| {
                    let time = |i: u64| (round * each + i) * MANY + caller;
                    (0..each).map(|i| row_of(caller).update(time(i))).collect()
                },
                |update: PartitionUpdate| Ok(store.write(vec![update])?),
            )
        };
        let hot = run(&|_| apart(0))?;
        let spread = run(&apart)?;
        if round > 0 {
            let total = (MANY * each) as f64;
            ours.push(total / hot.as_secs_f64());
            peer.push(total / spread.as_secs_f64());
        }
    }
    Ok(Throughputs {
        ours: vec![("", ours)],
        peer,
    })
}

/// Lets callers start together, each with its own prepared works, and waits for the last.
pub(super) fn together<W: Send>(
    callers: u64,
    prepare: impl Fn(u64) -> Result<Vec<W>>,
    act: impl Fn(W) -> Result<()> + Sync,
) -> Result<Duration> {
    let prepared: Vec<Vec<W>> = (0..callers).map(prepare).collect::<Result<_>>()?;
    let barrier = Barrier::new(prepared.len() + 1);
    std::thread::scope(|scope| {
        let (act, barrier) = (&act, &barrier);
        let start = |works: Vec<W>| {
            scope.spawn(move || {
                barrier.wait();
                works.into_iter().try_for_each(act)
            })
        };
        let threads: Vec<_> = prepared.into_iter().map(start).collect();
        barrier.wait();
        let watch = Stopwatch::start();
        for thread in threads {
            thread.join().map_err(|_| anyhow!("a caller panicked"))??;
        }
        Ok(watch.elapsed())
    })
}
