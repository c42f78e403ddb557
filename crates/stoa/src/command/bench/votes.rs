//! `stoa bench votes`: the voting domain on the embedded database, against its bare statements.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::Args;
use stoa_engine::Database;
use stoa_session::{Session, Shortcuts as _};
use stoa_store::{CommitMode, Options};
use stoa_types::{Clock, Ids, SystemClock, SystemIds};
use stoa_votes::model::{
    Change, Day, Entry, PolicyId, PolicyState, RecordKind, RequestId, UserId, VoteRecord,
    VoteVersion,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Ask, Request};
use stoa_votes::tables::intents::{Intent, Spread};
use stoa_votes::tables::policies::{Creation, Settles};
use stoa_votes::{Settings, Votes};
use tokio::task::JoinSet;

use super::figure::{Figure, Goal, median};
use super::printer::Printer;
use super::store::Stopwatch;
use crate::connect;

const LONG_ABOUT: &str = "\
Measure the voting domain on the embedded database against its bare statements.

Users vote at once, each for a policy of their own choice, durably: a vote counts when its answer is
there. The peer sends the same statements with ready values and judges nothing, in alternating rounds
of the same run. A recount sums a policy of so many voters of today; a close is that of a day with so
many votes.

The exit code is 0 also where a goal is missed.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa bench votes                 1,000 and 10,000 policies and users, a minute or two\n  \
        stoa bench votes --full          up to 100,000 policies and a million users, takes long\n  \
        stoa bench votes --quick --json  tiny sizes, one JSON object a line"
)]
pub(crate) struct Arguments {
    /// Tiny sizes: shows that everything works, not how fast
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Up to 100,000 policies and 1,000,000 users
    #[arg(long)]
    full: bool,
    /// Print one JSON object a line: work, ours, peer, ratio, unit, goal, met
    #[arg(long)]
    json: bool,
    /// Where the data is while measuring; a temporary folder otherwise
    #[arg(long, value_name = "DIR")]
    dir: Option<std::path::PathBuf>,
}

/// How many users vote at once.
const AT_ONCE: usize = 64;
const KEYSPACE: &str = "CREATE KEYSPACE IF NOT EXISTS votes WITH replication = \
    {'class': 'SimpleStrategy', 'replication_factor': 1}";

struct Sizes {
    /// Policies and users.
    communities: Vec<(usize, usize)>,
    /// Votes of each user in a round.
    each: usize,
    rounds: usize,
    /// Votes of a policy, and of a day.
    votes: usize,
}

impl Sizes {
    fn of(arguments: &Arguments) -> Self {
        let (communities, each, rounds, votes) = match (arguments.quick, arguments.full) {
            (true, _) => (vec![(20, 4 * AT_ONCE)], 2, 1, 200),
            (_, true) => (vec![(1_000, 1_000), (100_000, 1_000_000)], 40, 5, 100_000),
            _ => (vec![(1_000, 1_000), (10_000, 10_000)], 40, 5, 100_000),
        };
        Self {
            communities,
            each,
            rounds,
            votes,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let folder = match &arguments.dir {
        Some(dir) => tempfile::tempdir_in(dir)?,
        None => tempfile::tempdir()?,
    };
    let mut printer = Printer::new(arguments.json);
    let sizes = Sizes::of(arguments);
    let runtime = connect::runtime()?;
    for (at, (policies, users)) in sizes.communities.iter().enumerate() {
        let dir = folder.path().join(format!("submit{at}"));
        let town = runtime.block_on(Town::found(&dir, *policies, *users, 0))?;
        runtime.block_on(town.measure_votes(&sizes, &mut printer))?;
        town.database.close()?;
        drop(town);
        std::fs::remove_dir_all(dir)?;
    }
    let dir = folder.path().join("day");
    let town = runtime.block_on(Town::found(&dir, sizes.votes.min(1_000), 0, sizes.votes))?;
    runtime.block_on(town.measure_day(sizes.votes, &mut printer))?;
    town.database.close()?;
    drop(town);
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// A community on a folder of its own.
struct Town {
    database: Database,
    votes: Arc<Votes>,
    ids: Arc<dyn Ids>,
    today: Day,
    policies: Vec<PolicyId>,
    users: Vec<Account>,
}

impl Town {
    /// Fills a community without syncing each write, and opens it again as programs do. So many
    /// votes are copied as if others had cast them, half of them for the last policy.
    async fn found(dir: &Path, policies: usize, users: usize, votes: usize) -> Result<Self> {
        let filling = Options {
            commit_mode: CommitMode::Periodic {
                every: Duration::from_secs(1),
            },
            ..Options::default()
        };
        let mut town = Self::open(dir, filling).await?;
        for _ in 0..policies {
            let policy = town.new_policy().await?;
            town.policies.push(policy);
        }
        for _ in 0..users {
            let account = Account {
                user: UserId(town.ids.uuid()),
                joined: town.today,
            };
            town.users.push(account);
        }
        for (at, account) in town.users.iter().enumerate() {
            town.vote(*account, None, at).await?;
        }
        for at in 0..votes {
            town.copy_votes(at).await?;
        }
        town.database.close()?;
        let Self {
            policies, users, ..
        } = town;
        let opened = Self::open(dir, Options::default()).await?;
        Ok(Self {
            policies,
            users,
            ..opened
        })
    }

    async fn open(dir: &Path, options: Options) -> Result<Self> {
        let database = Database::open(dir, options)?;
        let session: Arc<dyn Session> = Arc::new(database.session());
        session.run_text(KEYSPACE).await?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let ids: Arc<dyn Ids> = Arc::new(SystemIds::new());
        let today = Day::of_micros(clock.now_micros());
        let settings = Settings::default();
        let votes = Votes::open(session, "votes", clock, Arc::clone(&ids), settings).await?;
        Ok(Self {
            database,
            votes: Arc::new(votes),
            ids,
            today,
            policies: Vec::new(),
            users: Vec::new(),
        })
    }

    async fn new_policy(&self) -> Result<PolicyId> {
        let policy = PolicyId(self.ids.time_uuid());
        let by = Creation {
            user: UserId(self.ids.uuid()),
            seq: 1,
            version: VoteVersion(self.ids.time_uuid()),
        };
        let table = &self.votes.tables().policies;
        table.write_created(policy, &by).await?;
        let (from, to) = (PolicyState::Creating, PolicyState::Active);
        table.change_state(policy, from, to, Settles::Yes).await?;
        Ok(policy)
    }

    fn policy(&self, at: usize) -> Result<PolicyId> {
        let policy = self.policies.get(at % self.policies.len().max(1));
        policy.copied().ok_or_else(|| anyhow!("no policies"))
    }

    /// One vote, copied too; how long until it was accepted, and its record.
    async fn vote(
        &self,
        account: Account,
        basis: Option<VoteVersion>,
        at: usize,
    ) -> Result<(Duration, VoteVersion)> {
        let request = Request {
            id: RequestId(self.ids.uuid()),
            basis,
            ask: Ask::Move(BTreeMap::from([(self.policy(at)?, 1)])),
            actor: account.user,
        };
        let watch = Stopwatch::start();
        let accepted = self.votes.submit(account, &request).await?;
        let time = watch.elapsed();
        self.votes.sync(account.user, accepted).await?;
        Ok((time, accepted.version))
    }

    async fn measure_votes(&self, sizes: &Sizes, printer: &mut Printer) -> Result<()> {
        let name = format!("{}/{}", self.policies.len(), self.users.len());
        let (mut ours, mut peer, mut latencies) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..=sizes.rounds {
            // Bare statements leave chains that do not add up, so they have users of their own.
            let start = 2 * round * AT_ONCE;
            let (took, times) = self.round(start, sizes.each, Side::Domain).await?;
            let start = start + AT_ONCE;
            let (bare, _) = self.round(start, sizes.each, Side::Statements).await?;
            if round > 0 {
                let votes = (AT_ONCE * sizes.each) as f64;
                ours.push(votes / took.as_secs_f64());
                peer.push(votes / bare.as_secs_f64());
                latencies.extend(times);
            }
        }
        latencies.sort_unstable();
        let at = (latencies.len() * 99 / 100).min(latencies.len().saturating_sub(1));
        let p99 = latencies.get(at).copied().unwrap_or_default();
        printer.add(Figure {
            work: format!("votes/{name}"),
            ours: median(&ours),
            peer: Some(median(&peer)),
            unit: "votes/s",
            goal: Goal::OursAtLeast(2_000.0),
        })?;
        printer.add(Figure {
            work: format!("cost/{name}"),
            ours: 1e6 / median(&ours),
            peer: Some(1e6 / median(&peer)),
            unit: "us/vote",
            goal: Goal::RatioAtMost(1.3),
        })?;
        printer.add(Figure {
            work: format!("accepted-p99/{name}"),
            ours: p99.as_secs_f64() * 1e3,
            peer: None,
            unit: "ms",
            goal: Goal::OursBelow(10.0),
        })
    }

    /// Lets 64 users vote at once; how long it took, and each vote until it was accepted.
    async fn round(
        &self,
        start: usize,
        each: usize,
        side: Side,
    ) -> Result<(Duration, Vec<Duration>)> {
        let mut voting = JoinSet::new();
        let mut ready = Vec::new();
        for at in 0..AT_ONCE {
            let account = self.users.get((start + at) % self.users.len().max(1));
            let account = *account.ok_or_else(|| anyhow!("no users"))?;
            let tip = self.votes.tables().chain.tip(account.user).await?;
            ready.push((account, tip, at));
        }
        let watch = Stopwatch::start();
        for (account, tip, at) in ready {
            let town = self.shared();
            voting.spawn(async move {
                let (mut tip, mut times) = (tip, Vec::new());
                for turn in 0..each {
                    let at = at * 7 + turn;
                    match side {
                        Side::Domain => {
                            let (time, version) = town.vote(account, tip.head, at).await?;
                            tip.head = Some(version);
                            times.push(time);
                        }
                        Side::Statements => {
                            let record = town.record(account.user, tip.head, tip.seq + 1, at)?;
                            town.bare(account.user, tip, &record).await?;
                            tip.head = Some(record.version);
                        }
                    }
                    tip.seq += 1;
                }
                anyhow::Ok(times)
            });
        }
        let mut times = Vec::new();
        while let Some(done) = voting.join_next().await {
            times.extend(done??);
        }
        Ok((watch.elapsed(), times))
    }

    fn shared(&self) -> Self {
        Self {
            database: self.database.clone(),
            votes: Arc::clone(&self.votes),
            ids: Arc::clone(&self.ids),
            today: self.today,
            policies: self.policies.clone(),
            users: Vec::new(),
        }
    }

    /// A record as the domain would have made it.
    fn record(
        &self,
        user: UserId,
        previous: Option<VoteVersion>,
        seq: i64,
        at: usize,
    ) -> Result<VoteRecord> {
        let entry = Entry {
            total: 1,
            ..Entry::default()
        };
        let change = Change {
            increment: 1,
            entry,
        };
        Ok(VoteRecord {
            version: VoteVersion(self.ids.time_uuid()),
            previous,
            seq,
            day: self.today,
            kind: RecordKind::Vote,
            changes: BTreeMap::from([(self.policy(at)?, change)]),
            roots: BTreeMap::new(),
            policy_created: None,
            request: RequestId(self.ids.uuid()),
            actor: user,
            checkpoint: None,
        })
    }

    /// The statements of one vote and its copies, with ready values.
    async fn bare(
        &self,
        user: UserId,
        tip: stoa_votes::tables::chain::Tip,
        record: &VoteRecord,
    ) -> Result<()> {
        let tables = self.votes.tables();
        let spread = Spread::default();
        tables.chain.read(user).await?;
        tables.chain.answer(user, record.request).await?;
        tables.money.paid(user).await?;
        let intent = Intent {
            version: record.version,
            user,
            seq: record.seq,
            epoch: tip.epoch,
        };
        tables.intents.write(spread, self.today, &intent).await?;
        tables.days.state(self.today).await?;
        let digest = [0_u8; 32];
        tables.chain.append(user, tip, record, &digest).await?;
        tables.chain.record(user, record.seq).await?;
        for (policy, change) in &record.changes {
            tables
                .counts
                .write_change(user, record, *policy, change)
                .await?;
            tables.policies.read(*policy).await?;
            tables.days.closed_through(self.today.previous()).await?;
            tables.policies.read(*policy).await?;
            tables.counts.closed_day(*policy, self.today).await?;
            tables.counts.votes_of_day(*policy, self.today).await?;
            tables
                .counts
                .votes_of_day(*policy, self.today.next())
                .await?;
            let as_of = record.version.made_at_micros();
            tables.counts.write_total(*policy, 1, as_of).await?;
        }
        tables
            .intents
            .delete(spread, self.today, record.version)
            .await?;
        Ok(())
    }

    /// Copies of two votes of a user without a chain.
    async fn copy_votes(&self, at: usize) -> Result<()> {
        let counts = &self.votes.tables().counts;
        let user = UserId(self.ids.uuid());
        let record = self.record(user, None, 1, at)?;
        for (policy, change) in &record.changes {
            counts.write_change(user, &record, *policy, change).await?;
            let busy = self.busy()?;
            counts.write_change(user, &record, busy, change).await?;
        }
        Ok(())
    }

    /// The policy that everybody votes for.
    fn busy(&self) -> Result<PolicyId> {
        let last = self.policies.last().copied();
        last.ok_or_else(|| anyhow!("no policies"))
    }

    /// A recount of a policy with so many voters of today, and the close of a day of as many.
    async fn measure_day(&self, votes: usize, printer: &mut Printer) -> Result<()> {
        let busy = self.busy()?;
        let watch = Stopwatch::start();
        self.votes.recount(busy).await?;
        printer.add(Figure {
            work: format!("recount/{votes}"),
            ours: watch.elapsed().as_secs_f64() * 1e3,
            peer: None,
            unit: "ms",
            goal: Goal::OursBelow(50.0),
        })?;
        let watch = Stopwatch::start();
        self.votes.close_day(self.today).await?;
        printer.add(Figure {
            work: format!("close/{}", votes * 2),
            ours: watch.elapsed().as_secs_f64(),
            peer: None,
            unit: "s",
            goal: Goal::OursBelow(6.0),
        })
    }
}

/// Who votes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Domain,
    Statements,
}
