//! `stoa bench cluster`: a session on a cluster against the bare driver under it.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use stoa_cluster::Cluster;
use stoa_cluster::baseline::{BareDriver, BareStatement};
use stoa_session::statement::{Batch, BatchKind};
use stoa_session::uri::ClusterAddress;
use stoa_session::{Prepared, Session, Shortcuts};

use super::figure::{Figure, Goal, median};
use super::printer::Printer;
use super::store::Stopwatch;
use crate::connect;

const LONG_ABOUT: &str = "\
Measure a session on a cluster against the driver under it.

Every work is done through the session and through the bare driver in short alternating rounds of
the same run by one caller, and the medians of the rounds are compared, so that whatever else the
machine and the cluster do hits both. Both prepare once, bind typed values and read typed rows, at
QUORUM and SERIAL.

Tables are made in the URI's keyspace and dropped at the end. Without one, the keyspace stoa_bench
is made with as many replicas as rf says, or one, and dropped at the end.

The exit code is 0 also where the goal is missed.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa bench cluster --store cql://127.0.0.1\n  \
        stoa bench cluster --store 'cql://127.0.0.1/?rf=3' --only read,slice --json"
)]
pub(crate) struct Arguments {
    /// The cluster, as `cql://USER@HOST:PORT,HOST/KEYSPACE?KEY=VALUE`
    #[arg(long, value_name = "URI")]
    store: String,
    /// Print one JSON object a line: work, ours, peer, ratio, unit, goal, met
    #[arg(long)]
    json: bool,
    /// Few operations: shows that everything works, not how fast
    #[arg(long)]
    quick: bool,
    /// Measure only these works
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<Work>,
}

/// A thing that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Work {
    /// Insert a row
    Insert,
    /// Read one row
    Read,
    /// Read a slice of 100 rows
    Slice,
    /// A conditional write
    Lwt,
    /// Add to a counter
    Counter,
}

const COST: Goal = Goal::RatioAtMost(1.1);
/// Partitions that are read, and the rows in each.
const PARTITIONS: i32 = 20;
const PARTITION_ROWS: i32 = 100;
/// Where inserted partitions begin.
const INSERTED: i32 = 1_000_000;

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let address = connect::cluster_address(&arguments.store, "bench cluster")?;
    connect::runtime()?.block_on(measure(&address, arguments))?;
    Ok(ExitCode::SUCCESS)
}

async fn measure(address: &ClusterAddress, arguments: &Arguments) -> Result<()> {
    let is_own = address.keyspace.is_none();
    let mut address = address.clone();
    if is_own {
        address.keyspace = Some("stoa_bench".to_owned());
        address.replication_factor = address.replication_factor.or(Some(1));
    }
    let session = connect::cluster(&address).await?;
    let mut printer = Printer::new(arguments.json);
    let bare = connect::bare_driver(&address).await?;
    make_tables(&session).await?;
    let pair = Pair::new(&session, &bare, arguments.quick).await?;
    let measured = pair.measure(&arguments.only, &mut printer).await;
    if is_own {
        session.run_text("DROP KEYSPACE stoa_bench").await?;
    } else {
        drop_tables(&session).await?;
    }
    measured?;
    printer.finish()
}

async fn make_tables(session: &Cluster) -> Result<()> {
    drop_tables(session).await?;
    for text in [
        "CREATE TABLE stoa_bench_rows (k int, c int, body text, n bigint, PRIMARY KEY (k, c))",
        "CREATE TABLE stoa_bench_states (k int PRIMARY KEY, n int)",
        "CREATE TABLE stoa_bench_counters (k int PRIMARY KEY, n counter)",
    ] {
        session.run_text(text).await?;
    }
    Ok(())
}

async fn drop_tables(session: &Cluster) -> Result<()> {
    for table in ["rows", "states", "counters"] {
        let text = format!("DROP TABLE IF EXISTS stoa_bench_{table}");
        session.run_text(&text).await?;
    }
    Ok(())
}

/// The session and the bare driver, with the same statements.
struct Pair<'a> {
    session: &'a Cluster,
    bare: &'a BareDriver,
    ours: [Prepared; 5],
    theirs: [BareStatement; 5],
    rounds: usize,
    operations: i32,
}

/// The statements in the order of [`Work`].
const TEXTS: [&str; 5] = [
    "INSERT INTO stoa_bench_rows (k, c, body, n) VALUES (?, ?, ?, ?)",
    "SELECT body, n FROM stoa_bench_rows WHERE k = ? AND c = ?",
    "SELECT c, body, n FROM stoa_bench_rows WHERE k = ?",
    "INSERT INTO stoa_bench_states (k, n) VALUES (?, ?) IF NOT EXISTS",
    "UPDATE stoa_bench_counters SET n = n + ? WHERE k = ?",
];

const BODY: &str =
    "a text of some eighty bytes, which is about what a small row of a program holds";

impl<'a> Pair<'a> {
    /// Prepares everything on both sides and fills the partitions that are read.
    async fn new(session: &'a Cluster, bare: &'a BareDriver, is_quick: bool) -> Result<Self> {
        let [insert, read, slice, lwt, counter] = TEXTS;
        let pair = Self {
            session,
            bare,
            ours: [
                session.prepare(insert).await?,
                session.prepare(read).await?,
                session.prepare(slice).await?,
                session.prepare(lwt).await?,
                session.prepare(counter).await?,
            ],
            theirs: [
                bare.prepare(insert).await?,
                bare.prepare(read).await?,
                bare.prepare(slice).await?,
                bare.prepare(lwt).await?,
                bare.prepare(counter).await?,
            ],
            // Short rounds and many of them: a cluster has hiccups, and they must hit both.
            rounds: if is_quick { 3 } else { 500 },
            operations: if is_quick { 5 } else { 4 },
        };
        let [insert, ..] = &pair.ours;
        for partition in 0..PARTITIONS {
            let mut batch = Batch::new(BatchKind::Unlogged);
            for place in 0..PARTITION_ROWS {
                batch.push(insert.bind((partition, place, BODY, i64::from(place)))?);
            }
            session.batch(&batch).await?;
        }
        Ok(pair)
    }

    async fn measure(&self, only: &[Work], printer: &mut Printer) -> Result<()> {
        for work in Work::value_variants() {
            if !only.is_empty() && !only.contains(work) {
                continue;
            }
            let (mut ours, mut peer) = (Vec::new(), Vec::new());
            // The first rounds are for warming up. Who begins changes from round to round.
            let warming = self.rounds / 10 + 1;
            for round in 0..warming + self.rounds {
                let mut times = [Duration::ZERO; 2];
                let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
                for side in order {
                    let first = (round as i32 * 2 + side) * self.operations;
                    let watch = Stopwatch::start();
                    for number in first..first + self.operations {
                        match side {
                            0 => self.once(*work, number).await?,
                            _ => self.once_bare(*work, number).await?,
                        }
                    }
                    if let Some(time) = times.get_mut(side as usize) {
                        *time = watch.elapsed();
                    }
                }
                if round >= warming {
                    let each =
                        |time: Duration| time.as_secs_f64() * 1e6 / f64::from(self.operations);
                    let [our_time, peer_time] = times;
                    ours.push(each(our_time));
                    peer.push(each(peer_time));
                }
            }
            printer.add(figure(*work, &ours, &peer))?;
        }
        Ok(())
    }

    /// One operation through the session. No two operations have the same number.
    async fn once(&self, work: Work, number: i32) -> Result<()> {
        let [insert, read, slice, lwt, counter] = &self.ours;
        let (partition, place) = place(number);
        match work {
            Work::Insert => {
                let values = (INSERTED + partition, number, BODY, i64::from(number));
                self.session.execute(&insert.bind(values)?, None).await?;
            }
            Work::Read => {
                let bound = read.bind((partition, place))?;
                let row: Option<(String, i64)> = self.session.first(&bound).await?;
                ensure!(row.is_some(), "a row that was written is not read");
            }
            Work::Slice => {
                let bound = slice.bind((partition,))?;
                let rows: Vec<(i32, String, i64)> = self.session.all(&bound).await?;
                ensure!(rows.len() == PARTITION_ROWS as usize, "rows are missing");
            }
            Work::Lwt => {
                let applied = self.session.apply(&lwt.bind((number, number))?).await?;
                ensure!(applied.is_yes(), "a new key is taken");
            }
            Work::Counter => {
                let bound = counter.bind((1_i64, partition))?;
                self.session.execute(&bound, None).await?;
            }
        }
        Ok(())
    }

    /// The same operation through the bare driver.
    async fn once_bare(&self, work: Work, number: i32) -> Result<()> {
        let [insert, read, slice, lwt, counter] = &self.theirs;
        let (partition, place) = place(number);
        match work {
            Work::Insert => {
                let values = (INSERTED + partition, number, BODY, i64::from(number));
                self.bare.write(insert, values).await?;
            }
            Work::Read => {
                let row = self.bare.read(read, partition, place).await?;
                ensure!(row.is_some(), "a row that was written is not read");
            }
            Work::Slice => {
                let rows = self.bare.slice(slice, partition).await?;
                ensure!(rows.len() == PARTITION_ROWS as usize, "rows are missing");
            }
            Work::Lwt => {
                let applied = self.bare.apply(lwt, number, number).await?;
                ensure!(applied, "a new key is taken");
            }
            Work::Counter => self.bare.add(counter, 1, partition).await?,
        }
        Ok(())
    }
}

/// A partition and a place in it that were filled.
fn place(number: i32) -> (i32, i32) {
    (number % PARTITIONS, number / PARTITIONS % PARTITION_ROWS)
}

fn figure(work: Work, ours: &[f64], peer: &[f64]) -> Figure {
    let name = match work {
        Work::Insert => "insert",
        Work::Read => "read",
        Work::Slice => "slice-100",
        Work::Lwt => "lwt",
        Work::Counter => "counter",
    };
    Figure {
        work: format!("cluster/{name}"),
        ours: median(ours),
        peer: Some(median(peer)),
        unit: "us/op",
        goal: COST,
    }
}
