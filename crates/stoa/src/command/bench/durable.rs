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
use super::single::store_with_table;
use super::store::Stopwatch;

/// How many callers write at once where there are many.
const MANY: u64 = 64;

/// Measures what was asked for of durable writes.
pub(super) fn measure(
    folder: &Path,
    plan: &Plan,
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
            let figure = measure_inserts(&store, &raw, plan, (callers, each), &mut first)?;
            tell(figure.named(name))?;
        }
    }
    if plan.includes(Work::HotRow) {
        tell(measure_hot_row(&store, plan)?.named("hot-row"))?;
    }
    store.close()?;
    drop((store, raw));
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Throughputs of the rounds.
#[derive(Default)]
struct Throughputs {
    ours: Vec<f64>,
    peer: Vec<f64>,
    goal: f64,
}

impl Throughputs {
    fn named(&self, work: &str) -> Figure {
        Figure {
            work: work.to_owned(),
            ours: median(&self.ours),
            peer: Some(median(&self.peer)),
            unit: "ops/s",
            goal: Goal::RatioAtLeast(self.goal),
        }
    }
}

fn measure_inserts(
    store: &Store,
    raw: &RawGroupCommit,
    plan: &Plan,
    (callers, each): (u64, u64),
    first: &mut u64,
) -> Result<Throughputs> {
    let mut rounds = Throughputs {
        goal: 0.7,
        ..Throughputs::default()
    };
    for round in 0..=plan.rounds {
        let start = *first;
        *first += callers * each;
        let rows = |caller: u64| (0..each).map(move |i| Row(start + caller * each + i));
        let ours = together(
            callers,
            |caller| rows(caller).map(Row::insert).collect(),
            |update: PartitionUpdate| Ok(store.write(vec![update])?),
        )?;
        let peer = together(
            callers,
            |caller| rows(caller).map(Row::raw_insert).collect(),
            |(key, value): RawPair| Ok(raw.put(key, value)?),
        )?;
        if round > 0 {
            let total = (callers * each) as f64;
            rounds.ours.push(total / ours.as_secs_f64());
            rounds.peer.push(total / peer.as_secs_f64());
        }
    }
    Ok(rounds)
}

/// Many callers on one row, against many callers each on a row of another partition.
fn measure_hot_row(store: &Store, plan: &Plan) -> Result<Throughputs> {
    let apart = |caller: u64| Row((1 << 40) + caller * 1_000);
    let inserts: Vec<_> = (0..MANY)
        .map(|caller| apart(caller).insert())
        .collect::<Result<_>>()?;
    store.write(inserts)?;
    let each = plan.durable_each;
    let mut rounds = Throughputs {
        goal: 1.0,
        ..Throughputs::default()
    };
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
            rounds.ours.push(total / hot.as_secs_f64());
            rounds.peer.push(total / spread.as_secs_f64());
        }
    }
    Ok(rounds)
}

/// Lets callers start together, each with its own prepared works, and waits for the last.
fn together<W: Send>(
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
