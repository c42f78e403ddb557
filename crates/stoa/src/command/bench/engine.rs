//! `stoa bench engine`: prepared statements on the embedded database against the bare key-value
//! crate.

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use stoa_engine::Database;
use stoa_session::{Answer, Bound, Session, Statement};
use stoa_store::baseline::RawGroupCommit;
use stoa_store::{Options, Store};
use tokio::task::JoinSet;

use super::child::Child;
use super::data::Row;
use super::durable::{self, Load, MANY, Rows as CallerRows, together};
use super::engine_side::{EngineSide, Way};
use super::figure::{Figure, Goal, median};
use super::instructions::{self, Counted};
use super::memory;
use super::pair::{Pair, Peer};
use super::plan::{Plan, Scale};
use super::printer::Printer;
use super::repeat::Repeated;
use super::single::tell_all;
use super::spread::{Ratios, STEADY_WITHIN};
use super::store::{Stopwatch, clock};

const LONG_ABOUT: &str = "\
Measure prepared statements on the embedded database against the key-value crate under it.

Every work is done by the engine and by its peer in alternating rounds of the same run, and the
medians of the rounds are compared, so that whatever else the machine does hits both. The peer
writes and reads the same packed bytes under the same keys straight in the key-value crate; for
durable writes it is a bare group commit of those bytes by as many threads. Rows have five columns
and about 100 bytes, 100 rows a partition.

What a program pays is measured: its values are ready, but binding them, executing the statement
and reading typed values out of the answer count. Works go through the session, as programs do;
those called -now use the engine's own calls in the calling thread, and show what the session adds.
The peer of a conditional write and of a counter reads and writes one small row, that of an indexed
read gets two keys.

The exit code is 0 also where a goal is missed.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa bench engine                        10^4 and 10^5 rows, a minute or two\n  \
        stoa bench engine --full                 up to 10^7 rows, takes long\n  \
        stoa bench engine --only read,slice      two works only\n  \
        stoa bench engine --quick --json         tiny sizes, one JSON object a line\n  \
        stoa bench engine --instructions         instructions per operation, by valgrind"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    scale: Scale,
    /// Measure only these works
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<Work>,
}

/// A thing that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Work {
    /// Insert rows, without a sync
    Insert,
    /// Read one row
    Read,
    /// Read a slice of 100 rows
    Slice,
    /// Change one column of a row, without a sync
    Update,
    /// How much the ratios change with the number of rows
    Spread,
    /// A conditional write
    Lwt,
    /// Add to a counter
    Counter,
    /// Read one row by an indexed column
    Indexed,
    /// Parse typical statements
    Parse,
    /// Durable inserts by 64 callers
    #[value(name = "durable-64")]
    Durable64,
    /// Open an empty folder and query it
    Open,
    /// Resident memory of an empty database
    Memory,
}

const INSERT: Goal = Goal::RatioAtMost(2.2);
const READ: Goal = Goal::RatioAtMost(2.5);
const SLICE: Goal = Goal::RatioAtMost(3.0);
const DURABLE: Goal = Goal::RatioAtLeast(0.6);
/// What opening and a first query may take.
const OPEN_MILLIS: f64 = 50.0;
/// What an empty database may take.
const EMPTY_MIB: f64 = 50.0;

/// The works whose ratio must not depend on the number of rows.
const STEADY: [&str; 8] = [
    "insert",
    "insert-now",
    "read",
    "read-now",
    "slice",
    "slice-now",
    "update",
    "update-now",
];

/// The works whose instructions are counted.
const COUNTED: [Counted; 5] = [
    Counted::new("insert", Repeated::SessionInsert, Repeated::RawInsert)
        .with(Goal::OursBelow(60_000.0)),
    Counted::new("insert-now", Repeated::CqlInsert, Repeated::RawInsert)
        .with(Goal::OursBelow(60_000.0)),
    Counted::new("read", Repeated::SessionRead, Repeated::RawRead).with(Goal::OursBelow(40_000.0)),
    Counted::new("read-now", Repeated::CqlRead, Repeated::RawRead).with(Goal::OursBelow(40_000.0)),
    Counted::new("slice-now", Repeated::CqlSlice, Repeated::RawSlice),
];

/// What is parsed.
const TEXTS: [(&str, &str); 4] = [
    (
        "insert",
        "INSERT INTO ks.rows (p, c, title, number, day, id, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ),
    (
        "select",
        "SELECT title, number, day, id, body FROM ks.rows WHERE p = ? AND c > ? LIMIT 100",
    ),
    (
        "update",
        "UPDATE ks.rows USING TTL 3600 SET title = 'a title', tags = tags + {'x'} \
            WHERE p = 17 AND c = 5 IF number = 3",
    ),
    (
        "batch",
        "BEGIN BATCH INSERT INTO ks.rows (p, c, title) VALUES (1, 2, 'x'); \
            UPDATE ks.rows SET title = 'y' WHERE p = 1 AND c = 3; \
            DELETE FROM ks.rows WHERE p = 1 AND c = 4; APPLY BATCH",
    ),
];

type Tell<'t> = dyn FnMut(Figure) -> Result<()> + 't;

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let plan = Plan::new(&arguments.scale, &arguments.only);
    let folder = plan.folder()?;
    let mut printer = Printer::new(plan.json);
    measure(folder.path(), &plan, &mut |figure| printer.add(figure))?;
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn measure(folder: &Path, plan: &Plan<Work>, tell: &mut Tell<'_>) -> Result<()> {
    if plan.instructions {
        return instructions::measure(folder, plan.counted_operations, &COUNTED, tell);
    }
    let mut ratios = Ratios::new(&STEADY);
    for size in &plan.sizes {
        measure_rows(folder, *size, plan, &mut |figure| {
            ratios.note(&figure);
            tell(figure)
        })?;
    }
    if plan.includes(Work::Spread) && plan.sizes.len() > 1 {
        ratios.spreads(Goal::None).try_for_each(&mut *tell)?;
        let goal = Goal::RatioAtMost(STEADY_WITHIN);
        ratios.growths(goal).try_for_each(&mut *tell)?;
    }
    if plan.includes(Work::Parse) {
        parses(plan, tell)?;
    }
    if plan.includes(Work::Durable64) {
        durable_inserts(&folder.join("durable"), plan, tell)?;
    }
    if plan.includes(Work::Open) {
        tell(opens(&folder.join("open"), plan)?)?;
    }
    if plan.includes(Work::Memory) {
        let dir = folder.join("empty");
        let ours = memory::resident(&Child::MemoryDatabase { dir })?;
        tell(memory::figure("memory-empty".to_owned(), ours, EMPTY_MIB))?;
    }
    Ok(())
}

/// Everything one caller does with `size` rows.
fn measure_rows(folder: &Path, size: u64, plan: &Plan<Work>, tell: &mut Tell<'_>) -> Result<()> {
    let works = [
        Work::Insert,
        Work::Read,
        Work::Slice,
        Work::Update,
        Work::Spread,
        Work::Lwt,
        Work::Counter,
        Work::Indexed,
    ];
    if !plan.includes_any(&works) {
        return Ok(());
    }
    let folder = folder.join(format!("rows-{size}"));
    let (pair, inserts) = Pair::<EngineSide>::load(&folder, size, plan, Peer::ReadsAndWrites)?;
    if plan.includes_any(&[Work::Insert, Work::Spread]) {
        tell_all(inserts.figures("insert", size, INSERT), tell)?;
    }
    pair.settle()?;
    if plan.includes_any(&[Work::Read, Work::Spread]) {
        tell_all(pair.reads()?.figures("read", size, READ), tell)?;
    }
    if plan.includes_any(&[Work::Slice, Work::Spread]) {
        tell_all(pair.slices()?.figures("slice", size, SLICE), tell)?;
    }
    if plan.includes_any(&[Work::Update, Work::Spread]) {
        tell_all(pair.updates()?.figures("update", size, Goal::None), tell)?;
    }
    small_rows(&pair, plan, tell)?;
    pair.side.database.close()?;
    drop(pair);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Conditional writes, counters and indexed reads.
fn small_rows(pair: &Pair<EngineSide>, plan: &Plan<Work>, tell: &mut Tell<'_>) -> Result<()> {
    let (side, size, count) = (&pair.side, pair.size, plan.operations.min(pair.size));
    let write = |rows: &[Row]| -> Result<Duration> {
        let pairs = rows.iter().map(|row| row.raw_small());
        let pairs: Vec<_> = pairs.collect::<Result<_>>()?;
        let watch = Stopwatch::start();
        for (key, value) in &pairs {
            pair.raw.read_and_put(key, value)?;
        }
        Ok(watch.elapsed())
    };
    if plan.includes(Work::Lwt) {
        side.run("CREATE TABLE stoa_bench.states (k bigint PRIMARY KEY, n bigint)")?;
        let text = "INSERT INTO stoa_bench.states (k, n) VALUES (?, ?) IF NOT EXISTS";
        let statement = side.prepare(text)?;
        let mut next = 0_i64;
        let ours = |way, _, rows: &[Row]| {
            let keys: Vec<i64> = rows.iter().zip(next..).map(|(_, key)| key).collect();
            next += i64::try_from(rows.len())?;
            let bind = |key: &i64| Ok(statement.bind((*key, *key))?);
            side.each(way, &keys, bind, |answer| {
                let row = answer.rows().and_then(stoa_session::Rows::first);
                let applied = row.map(|row| row.get::<bool>("[applied]"));
                ensure!(matches!(applied, Some(Ok(true))), "a new key is taken");
                Ok(())
            })
        };
        let rounds = pair.alternate(count, ours, |_, rows| write(rows))?;
        tell_all(rounds.figures("lwt", size, Goal::None), tell)?;
    }
    if plan.includes(Work::Counter) {
        side.run("CREATE TABLE stoa_bench.counters (k bigint PRIMARY KEY, n counter)")?;
        let text = "UPDATE stoa_bench.counters SET n = n + ? WHERE k = ?";
        let statement = side.prepare(text)?;
        let bind =
            |row: &Row| -> Result<Bound> { Ok(statement.bind((1_i64, row.0.cast_signed()))?) };
        let ours = |way, _, rows: &[Row]| side.each(way, rows, bind, |_| Ok(()));
        let rounds = pair.alternate(count, ours, |_, rows| write(rows))?;
        tell_all(rounds.figures("counter", size, Goal::None), tell)?;
    }
    if plan.includes(Work::Indexed) {
        tell_all(
            indexed_reads(pair, count)?.figures("indexed", size, Goal::None),
            tell,
        )?;
    }
    Ok(())
}

fn indexed_reads(pair: &Pair<EngineSide>, count: u64) -> Result<super::pair::Rounds> {
    let side = &pair.side;
    side.run("CREATE TABLE stoa_bench.tagged (k bigint PRIMARY KEY, tag text, body text)")?;
    side.run("CREATE INDEX ON stoa_bench.tagged (tag)")?;
    let insert = side.prepare("INSERT INTO stoa_bench.tagged (k, tag, body) VALUES (?, ?, ?)")?;
    let rows: Vec<i64> = (0..i64::try_from(count)?).collect();
    let bind = |key: &i64| Ok(insert.bind((*key, format!("tag {key}"), "a body"))?);
    side.each(Way::Now, &rows, bind, |_| Ok(()))?;
    pair.settle()?;
    let select = side.prepare("SELECT k, body FROM stoa_bench.tagged WHERE tag = ?")?;
    let ours = |way, _, rows: &[Row]| {
        let tags: Vec<String> = rows
            .iter()
            .map(|row| format!("tag {}", row.0 % count))
            .collect();
        let bind = |tag: &String| Ok(select.bind((tag.as_str(),))?);
        side.each(way, &tags, bind, |answer: &Answer| {
            let seen = answer.rows().map_or(0, stoa_session::Rows::len);
            ensure!(seen == 1, "{seen} rows have a tag that one should have");
            Ok(())
        })
    };
    pair.alternate(count, ours, |_, rows| {
        let keys: Vec<_> = rows
            .iter()
            .map(|row| Ok(row.partition()?.row(&row.clustering())))
            .collect::<Result<_>>()?;
        let watch = Stopwatch::start();
        for (key, other) in keys.iter().zip(keys.iter().rev()) {
            ensure!(pair.raw.get(key)?.is_some(), "a key is missing");
            ensure!(pair.raw.get(other)?.is_some(), "a key is missing");
        }
        Ok(watch.elapsed())
    })
}

fn parses(plan: &Plan<Work>, tell: &mut Tell<'_>) -> Result<()> {
    for (name, text) in TEXTS {
        let mut times = Vec::new();
        for _ in 0..plan.rounds {
            let watch = Stopwatch::start();
            for _ in 0..plan.operations {
                black_box(stoa_cql::parse(black_box(text))?);
            }
            times.push(watch.elapsed().as_secs_f64() * 1e6 / plan.operations as f64);
        }
        tell(Figure {
            work: format!("parse/{name}"),
            ours: median(&times),
            peer: None,
            unit: "us/op",
            goal: Goal::None,
        })?;
    }
    Ok(())
}

/// Durable inserts by 64 callers: tasks on a session, and threads with calls of their own.
fn durable_inserts(folder: &Path, plan: &Plan<Work>, tell: &mut Tell<'_>) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let side = Arc::new(EngineSide::open(&folder.join("ours"), Options::default())?);
    let raw = RawGroupCommit::open(&folder.join("raw"), Options::default())?;
    let by_tasks = |rows: &CallerRows<'_>| tasks_together(&side, rows);
    let by_threads = |rows: &CallerRows<'_>| {
        together(
            MANY,
            |caller| {
                Ok(rows(caller)
                    .into_iter()
                    .map(|row| row.typed(None))
                    .collect())
            },
            |row| {
                side.session().execute_now(&side.bind_insert(&row)?, None)?;
                Ok(())
            },
        )
    };
    let load = Load {
        callers: MANY,
        each: plan.durable_each,
    };
    let ways: [(&'static str, &durable::Act<'_>); 2] = [("", &by_tasks), ("-now", &by_threads)];
    let rounds = durable::measure_inserts(&raw, plan.rounds, load, &mut 0, &ways)?;
    tell_all(rounds.figures("durable-64", DURABLE), tell)?;
    side.database.close()?;
    drop((side, raw));
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

fn tasks_together(side: &Arc<EngineSide>, rows: &CallerRows<'_>) -> Result<Duration> {
    let prepared: Vec<Vec<_>> = (0..MANY)
        .map(|caller| {
            rows(caller)
                .into_iter()
                .map(|row| row.typed(None))
                .collect()
        })
        .collect();
    side.runtime().block_on(async {
        let watch = Stopwatch::start();
        let mut tasks = JoinSet::new();
        for rows in prepared {
            let side = Arc::clone(side);
            tasks.spawn(async move {
                for row in &rows {
                    side.session()
                        .execute(&side.bind_insert(row)?, None)
                        .await?;
                }
                anyhow::Ok(())
            });
        }
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        Ok(watch.elapsed())
    })
}

/// Opens the database of a folder and asks it something.
pub(super) fn open_and_query(folder: &Path) -> Result<Database> {
    let database = Database::open(folder, Options::default())?;
    let statement = Statement::new("SELECT cluster_name FROM system.local");
    let answer = database.session().run_now(&statement, None)?;
    let seen = answer.rows().map_or(0, stoa_session::Rows::len);
    ensure!(seen == 1, "system.local has {seen} rows");
    Ok(database)
}

/// From an empty folder to the first answer, against opening a bare store in one.
fn opens(folder: &Path, plan: &Plan<Work>) -> Result<Figure> {
    let (mut ours, mut peer) = (Vec::new(), Vec::new());
    for round in 0..plan.rounds {
        let watch = Stopwatch::start();
        let database = open_and_query(&folder.join(format!("ours-{round}")))?;
        ours.push(watch.elapsed().as_secs_f64() * 1e3);
        drop(database);
        let watch = Stopwatch::start();
        let store = Store::open(
            &folder.join(format!("peer-{round}")),
            Options::default(),
            clock(),
        )?;
        peer.push(watch.elapsed().as_secs_f64() * 1e3);
        drop(store);
    }
    std::fs::remove_dir_all(folder)?;
    Ok(Figure {
        work: "open".to_owned(),
        ours: median(&ours),
        peer: Some(median(&peer)),
        unit: "ms",
        goal: Goal::OursBelow(OPEN_MILLIS),
    })
}
