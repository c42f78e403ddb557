//! `stoa bench cluster`: a session on a cluster against the bare driver under it.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use stoa_cluster::Cluster;
use stoa_cluster::baseline::{BareDriver, BareStatement};
use stoa_session::uri::ClusterAddress;
use stoa_session::{Session, Shortcuts as _};

use super::figure::{Figure, Goal, median};
use super::printer::Printer;
use super::store::Stopwatch;
use super::workload::{
    self, BODY, PARTITION_ROWS, Statements, TEXTS, Work, counter_of, new_place, place,
};
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

const COST: Goal = Goal::RatioAtMost(1.1);

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let address = connect::cluster_address(&arguments.store, "bench cluster")?;
    connect::runtime()?.block_on(measure(&address, arguments))?;
    Ok(ExitCode::SUCCESS)
}

async fn measure(address: &ClusterAddress, arguments: &Arguments) -> Result<()> {
    let place = Place::of(address, "stoa_bench");
    let session = connect::cluster(&place.address).await?;
    let mut printer = Printer::new(arguments.json);
    let bare = connect::bare_driver(&place.address).await?;
    workload::make_tables(&session).await?;
    let pair = Pair::new(&session, &bare, arguments.quick).await?;
    let measured = pair.measure(&arguments.only, &mut printer).await;
    place.leave(&session).await?;
    measured?;
    printer.finish()
}

/// Where the tables are made: in the keyspace of the URI, or in one of the measurement's own.
pub(super) struct Place {
    pub(super) address: ClusterAddress,
    own: Option<&'static str>,
}

impl Place {
    /// `own` is the keyspace where the URI has none.
    pub(super) fn of(address: &ClusterAddress, own: &'static str) -> Self {
        let is_own = address.keyspace.is_none();
        let mut address = address.clone();
        if is_own {
            address.keyspace = Some(own.to_owned());
            address.replication_factor = address.replication_factor.or(Some(1));
        }
        let own = is_own.then_some(own);
        Self { address, own }
    }

    /// Drops what was made.
    pub(super) async fn leave(&self, session: &dyn Session) -> Result<()> {
        match self.own {
            Some(own) => {
                session.run_text(&format!("DROP KEYSPACE {own}")).await?;
                Ok(())
            }
            None => workload::drop_tables(session).await,
        }
    }
}

/// The session and the bare driver, with the same statements.
struct Pair<'a> {
    session: &'a Cluster,
    bare: &'a BareDriver,
    ours: Statements,
    theirs: [BareStatement; 5],
    rounds: usize,
    operations: i32,
}

impl<'a> Pair<'a> {
    /// Prepares everything on both sides and fills the partitions that are read.
    async fn new(session: &'a Cluster, bare: &'a BareDriver, is_quick: bool) -> Result<Self> {
        let [insert, read, slice, lwt, counter] = TEXTS;
        Ok(Self {
            session,
            bare,
            ours: Statements::new(session).await?,
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
        })
    }

    async fn measure(&self, only: &[Work], printer: &mut Printer) -> Result<()> {
        for work in Work::chosen(only) {
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
                            0 => self.ours.once(self.session, work, number).await?,
                            _ => self.once_bare(work, number).await?,
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
            printer.add(figure(work, &ours, &peer))?;
        }
        Ok(())
    }

    /// The same operation through the bare driver.
    async fn once_bare(&self, work: Work, number: i32) -> Result<()> {
        let [insert, read, slice, lwt, counter] = &self.theirs;
        let (partition, place) = place(number);
        match work {
            Work::Insert => {
                let (partition, place) = new_place(number);
                let values = (partition, place, BODY, i64::from(number));
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
            Work::Counter => self.bare.add(counter, 1, counter_of(number)).await?,
        }
        Ok(())
    }
}

fn figure(work: Work, ours: &[f64], peer: &[f64]) -> Figure {
    Figure {
        work: format!("cluster/{}", work.name()),
        ours: median(ours),
        peer: Some(median(peer)),
        unit: "us/op",
        goal: COST,
    }
}
