//! `stoa bench compare`: the embedded database beside a Cassandra cluster, by the same client code.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use stoa_engine::Database;
use stoa_session::uri::ClusterAddress;
use stoa_session::{Session, Shortcuts as _};
use stoa_store::{CommitMode, Options};
use tokio::task::JoinSet;

use super::cluster::Place;
use super::figure::{Figure, Goal, median};
use super::printer::Printer;
use super::store::Stopwatch;
use super::workload::{self, Statements, Work};
use crate::connect;

const LONG_ABOUT: &str = "\
Measure the embedded database beside a Cassandra cluster.

Both are used through the same session trait by the same code with the same prepared statements, in
alternating rounds of the same run. Each work is done with 1 and with 64 statements in flight; the
medians of the rounds are compared: statements a second (better when high), and the latencies that
half and 99 of 100 statements stay below (better when low). Cassandra is kept busy for a while
before anything counts, because it compiles itself while it runs.

The database is in a folder of its own and as durable as the cluster says it is: where the cluster
syncs its commit log now and then (periodic), the database does so as often; where every write is
synced (batch or group), it syncs every write too. The name of a figure says which: start Cassandra
with `cargo xtask cassandra up --sync batch` for the second.

Tables are made in the URI's keyspace and dropped at the end. Without one, the keyspace stoa_compare
is made, and dropped at the end. The goals are estimates for two cores; the exit code is 0 also
where one is missed.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa bench compare --store cql://127.0.0.1\n  \
        stoa bench compare --store cql://127.0.0.1 --only insert,read --json\n  \
        stoa bench compare --store cql://127.0.0.1 --quick --warm 0"
)]
pub(crate) struct Arguments {
    /// The cluster, as `cql://USER@HOST:PORT,HOST/KEYSPACE?KEY=VALUE`
    #[arg(long, value_name = "URI")]
    store: String,
    /// Print one JSON object a line: work, ours, peer, ratio, unit, goal, met
    #[arg(long)]
    json: bool,
    /// How long the cluster is kept busy before anything counts
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    warm: u64,
    /// Short rounds: shows that everything works, not how fast
    #[arg(long)]
    quick: bool,
    /// Measure only these works
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<Work>,
}

/// How many statements are in flight.
const IN_FLIGHT: [usize; 2] = [1, 64];

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let address = connect::cluster_address(&arguments.store, "bench compare")?;
    connect::runtime()?.block_on(measure(&address, arguments))?;
    Ok(ExitCode::SUCCESS)
}

async fn measure(address: &ClusterAddress, arguments: &Arguments) -> Result<()> {
    let place = Place::of(address, "stoa_compare");
    let cluster: Arc<dyn Session> = Arc::new(connect::cluster(&place.address).await?);
    let durability = Durability::of(&*cluster).await?;
    let folder = tempfile::tempdir()?;
    let database = Database::open(&folder.path().join("data"), durability.options())?;
    let ours: Arc<dyn Session> = Arc::new(database.session());
    ours.run_text(workload::KEYSPACE).await?;
    ours.run_text("USE stoa_bench").await?;
    let sides = [
        Side::new(ours).await?,
        Side::new(Arc::clone(&cluster)).await?,
    ];
    let comparison = Comparison {
        sides,
        durability,
        rounds: if arguments.quick { 2 } else { 7 },
        round: Duration::from_millis(if arguments.quick { 20 } else { 1_000 }),
    };
    let measured = comparison.measure(arguments).await;
    place.leave(&*cluster).await?;
    measured?;
    Ok(database.close()?)
}

/// When a write is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// Before it is synced; that happens so often.
    Periodic(Duration),
    /// When it is synced.
    Synced,
}

impl Durability {
    /// What the settings of a cluster say.
    async fn of(cluster: &dyn Session) -> Result<Self> {
        let answer = cluster
            .run_text("SELECT name, value FROM system_views.settings")
            .await?;
        let rows = answer.into_rows();
        let (mut sync, mut period) = (None, None);
        for row in rows.typed::<(&str, Option<&str>)>()? {
            match row? {
                ("commitlog_sync", value) => sync = value,
                ("commitlog_sync_period", value) => period = value,
                _ => {}
            }
        }
        match sync {
            Some("periodic") => Ok(Self::Periodic(period_of(period))),
            Some("batch" | "group") => Ok(Self::Synced),
            other => bail!(
                "the cluster does not say when it syncs: commitlog_sync is {}",
                other.unwrap_or("not among its settings")
            ),
        }
    }

    fn options(self) -> Options {
        let commit_mode = match self {
            Self::Periodic(every) => CommitMode::Periodic { every },
            Self::Synced => CommitMode::Group,
        };
        Options {
            commit_mode,
            ..Options::default()
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Periodic(_) => "periodic",
            Self::Synced => "synced",
        }
    }
}

/// A period as Cassandra writes it; its default is ten seconds.
fn period_of(text: Option<&str>) -> Duration {
    let millis = text.and_then(|it| it.strip_suffix("ms")?.parse().ok());
    Duration::from_millis(millis.unwrap_or(10_000))
}

/// One back end with its statements.
struct Side {
    session: Arc<dyn Session>,
    statements: Arc<Statements>,
    /// The number of the next operation.
    next: Arc<AtomicI32>,
}

/// What one round of one side gave.
#[derive(Debug, Default)]
struct Round {
    per_second: f64,
    p50_micros: f64,
    p99_micros: f64,
}

impl Side {
    async fn new(session: Arc<dyn Session>) -> Result<Self> {
        workload::make_tables(&*session).await?;
        let statements = Statements::new(&*session).await?;
        Ok(Self {
            session,
            statements: Arc::new(statements),
            next: Arc::default(),
        })
    }

    /// Keeps so many operations in flight for about so long.
    async fn round(&self, work: Work, in_flight: usize, span: Duration) -> Result<Round> {
        let watch = Arc::new(Stopwatch::start());
        let mut tasks = JoinSet::new();
        for _ in 0..in_flight {
            let (session, statements) = (Arc::clone(&self.session), Arc::clone(&self.statements));
            let (watch, next) = (Arc::clone(&watch), Arc::clone(&self.next));
            tasks.spawn(async move {
                let mut latencies = Vec::new();
                let mut before = watch.elapsed();
                while before < span {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    statements.once(&*session, work, number).await?;
                    let after = watch.elapsed();
                    latencies.push(after.saturating_sub(before));
                    before = after;
                }
                anyhow::Ok(latencies)
            });
        }
        let mut latencies = Vec::new();
        while let Some(done) = tasks.join_next().await {
            latencies.extend(done??);
        }
        let seconds = watch.elapsed().as_secs_f64();
        Ok(Round::of(latencies, seconds))
    }
}

impl Round {
    fn of(mut latencies: Vec<Duration>, seconds: f64) -> Self {
        latencies.sort_unstable();
        let at = |hundredths: usize| {
            let place = latencies.len().saturating_sub(1) * hundredths / 100;
            let found = latencies.get(place).copied().unwrap_or_default();
            found.as_secs_f64() * 1e6
        };
        Self {
            per_second: latencies.len() as f64 / seconds,
            p50_micros: at(50),
            p99_micros: at(99),
        }
    }
}

struct Comparison {
    sides: [Side; 2],
    durability: Durability,
    rounds: usize,
    round: Duration,
}

impl Comparison {
    async fn measure(&self, arguments: &Arguments) -> Result<()> {
        let mut printer = Printer::new(arguments.json);
        self.warm(Duration::from_secs(arguments.warm)).await?;
        for work in Work::chosen(&arguments.only) {
            for in_flight in IN_FLIGHT {
                for figure in self.compare(work, in_flight).await? {
                    printer.add(figure)?;
                }
            }
        }
        printer.finish()
    }

    /// Keeps the cluster busy with a bit of everything.
    async fn warm(&self, span: Duration) -> Result<()> {
        let [_, cluster] = &self.sides;
        let watch = Stopwatch::start();
        let mut works = Work::chosen(&[]).collect::<Vec<_>>().into_iter().cycle();
        while let (true, Some(work)) = (watch.elapsed() < span, works.next()) {
            let round = Duration::from_millis(500);
            cluster.round(work, 64, round).await?;
        }
        Ok(())
    }

    async fn compare(&self, work: Work, in_flight: usize) -> Result<[Figure; 3]> {
        let [ours, cluster] = &self.sides;
        let (mut mine, mut theirs) = (Vec::new(), Vec::new());
        // The first round is for warming up. Who begins changes from round to round.
        for round in 0..=self.rounds {
            let (my_round, their_round);
            if round % 2 == 0 {
                my_round = ours.round(work, in_flight, self.round).await?;
                their_round = cluster.round(work, in_flight, self.round).await?;
            } else {
                their_round = cluster.round(work, in_flight, self.round).await?;
                my_round = ours.round(work, in_flight, self.round).await?;
            }
            if round > 0 {
                mine.push(my_round);
                theirs.push(their_round);
            }
        }
        let name = format!("{}/{in_flight}/{}", work.name(), self.durability.name());
        let figure = |suffix: &str, unit, goal, of: fn(&Round) -> f64| {
            let middle = |rounds: &[Round]| {
                let values: Vec<f64> = rounds.iter().map(of).collect();
                median(&values)
            };
            Figure {
                work: format!("{name}{suffix}"),
                ours: middle(&mine),
                peer: Some(middle(&theirs)),
                unit,
                goal,
            }
        };
        let goal = self.goal(work, in_flight);
        Ok([
            figure("", "ops/s", goal, |round| round.per_second),
            figure("/p50", "us", Goal::None, |round| round.p50_micros),
            figure("/p99", "us", Goal::None, |round| round.p99_micros),
        ])
    }

    /// What is wanted on two cores.
    fn goal(&self, work: Work, in_flight: usize) -> Goal {
        match (work, in_flight, self.durability) {
            (Work::Insert, 1, Durability::Periodic(_)) => Goal::OursAtLeast(100_000.0),
            (Work::Read, 1, _) => Goal::OursAtLeast(200_000.0),
            (Work::Insert, 64, Durability::Synced) => Goal::OursAtLeast(45_000.0),
            _ => Goal::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_read_off_in_their_order() {
        let latencies = (1..=100).rev().map(Duration::from_micros).collect();
        let round = Round::of(latencies, 0.5);
        assert_eq!(round.per_second, 200.0);
        assert!((round.p50_micros - 50.0).abs() < 1e-6, "{round:?}");
        assert!((round.p99_micros - 99.0).abs() < 1e-6, "{round:?}");
        assert_eq!(Round::of(Vec::new(), 1.0).p99_micros, 0.0);
    }

    #[test]
    fn the_period_is_what_cassandra_says_or_its_default() {
        assert_eq!(period_of(Some("2500ms")), Duration::from_millis(2_500));
        assert_eq!(period_of(Some("never")), Duration::from_secs(10));
        assert_eq!(period_of(None), Duration::from_secs(10));
    }
}
