//! A community on a folder of its own.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use stoa_engine::Database;
use stoa_session::{Session, Shortcuts as _};
use stoa_store::{CommitMode, Options};
use stoa_types::{Clock, Ids, SystemClock, SystemIds};
use stoa_votes::model::{
    Change, Day, Entry, PolicyId, RecordKind, RequestId, UserId, VoteRecord, VoteVersion,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Ask, Request};
use stoa_votes::rules::passwords::PasswordCost;
use stoa_votes::{Settings, Votes};
use tokio::task::JoinSet;

use crate::command::bench::page;
use crate::command::bench::store::Stopwatch;

/// How many users do something at once.
pub(super) const AT_ONCE: usize = 64;
/// How many fill a town at once.
const FILLING_AT_ONCE: usize = 4;
/// Where policies belong, each of them to one.
pub(super) const CATEGORIES: [&str; 5] = ["culture", "health", "schools", "town", "traffic"];
const KEYSPACE: &str = "CREATE KEYSPACE IF NOT EXISTS votes WITH replication = \
    {'class': 'SimpleStrategy', 'replication_factor': 1}";

/// A community.
pub(super) struct Town {
    pub(super) database: Database,
    pub(super) votes: Arc<Votes>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) today: Day,
    pub(super) policies: Arc<Vec<PolicyId>>,
    pub(super) users: Arc<Vec<Account>>,
}

impl Town {
    /// A town with policies and users that have voted once each, filled without syncing each write,
    /// and opened again as programs do.
    pub(super) async fn found(dir: &Path, policies: usize, users: usize) -> Result<Self> {
        let town = Self::filling(dir, policies).await?;
        let joined = town.today;
        let user = || UserId(town.ids.uuid());
        let users: Vec<Account> = std::iter::repeat_with(|| Account {
            user: user(),
            joined,
        })
        .take(users)
        .collect();
        let town = Self {
            users: Arc::new(users),
            ..town
        };
        town.vote_once_each().await?;
        town.opened_again(dir).await
    }

    /// Lets everybody vote once, several at a time.
    async fn vote_once_each(&self) -> Result<()> {
        let mut voting = JoinSet::new();
        for first in 0..FILLING_AT_ONCE {
            let town = self.shared();
            voting.spawn(async move {
                for at in (first..town.users.len()).step_by(FILLING_AT_ONCE) {
                    town.vote(town.user(at)?, None, at).await?;
                }
                anyhow::Ok(())
            });
        }
        while let Some(done) = voting.join_next().await {
            done??;
        }
        Ok(())
    }

    /// A town with policies, for writing much.
    pub(super) async fn filling(dir: &Path, policies: usize) -> Result<Self> {
        let filling = Options {
            commit_mode: CommitMode::Periodic {
                every: Duration::from_secs(1),
            },
            ..Options::default()
        };
        let town = Self::open(dir, filling).await?;
        let mut made = Vec::new();
        for _ in 0..policies {
            made.push(town.new_policy().await?);
        }
        Ok(Self {
            policies: Arc::new(made),
            ..town
        })
    }

    /// The same town, where an answer means that all is synced.
    pub(super) async fn opened_again(self, dir: &Path) -> Result<Self> {
        self.database.close()?;
        let Self {
            policies, users, ..
        } = self;
        Ok(Self {
            policies,
            users,
            ..Self::open(dir, Options::default()).await?
        })
    }

    /// An empty town.
    pub(super) async fn open(dir: &Path, options: Options) -> Result<Self> {
        Self::open_at(dir, options, Arc::new(SystemClock::new())).await
    }

    /// An empty town under a clock.
    pub(super) async fn open_at(
        dir: &Path,
        options: Options,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let database = Database::open(dir, options)?;
        let session: Arc<dyn Session> = Arc::new(database.session());
        session.run_text(KEYSPACE).await?;
        let ids: Arc<dyn Ids> = Arc::new(SystemIds::with_clock(Arc::clone(&clock)));
        let today = Day::of_micros(clock.now_micros());
        let settings = Settings {
            // Nobody's password is worth anything here.
            passwords: PasswordCost::LEAST,
            ..Settings::embedded()
        };
        let votes = Votes::open(session, "votes", clock, Arc::clone(&ids), settings).await?;
        Ok(Self {
            database,
            votes: Arc::new(votes),
            ids,
            today,
            policies: Arc::default(),
            users: Arc::default(),
        })
    }

    /// The same town, for a task of its own.
    pub(super) fn shared(&self) -> Self {
        Self {
            database: self.database.clone(),
            votes: Arc::clone(&self.votes),
            ids: Arc::clone(&self.ids),
            today: self.today,
            policies: Arc::clone(&self.policies),
            users: Arc::clone(&self.users),
        }
    }

    /// A policy that takes votes, and has none.
    pub(super) async fn new_policy(&self) -> Result<PolicyId> {
        let number = self.ids.random_u64();
        let at = usize::try_from(number % CATEGORIES.len() as u64)?;
        let category = CATEGORIES.get(at).copied().unwrap_or_default();
        let title = format!("Something of the kind {number}");
        page::new_policy(&self.votes, &*self.ids, title, category).await
    }

    /// One of the policies.
    pub(super) fn policy(&self, at: usize) -> Result<PolicyId> {
        let policy = self.policies.get(at % self.policies.len().max(1));
        policy.copied().ok_or_else(|| anyhow!("no policies"))
    }

    /// One of the users.
    pub(super) fn user(&self, at: usize) -> Result<Account> {
        let account = self.users.get(at % self.users.len().max(1));
        account.copied().ok_or_else(|| anyhow!("no users"))
    }

    /// A request for one more vote on a policy.
    pub(super) fn request(
        &self,
        account: Account,
        basis: Option<VoteVersion>,
        at: usize,
    ) -> Result<Request> {
        Ok(Request {
            id: RequestId(self.ids.uuid()),
            basis,
            ask: Ask::Move(BTreeMap::from([(self.policy(at)?, 1)])),
            actor: account.user,
        })
    }

    /// One vote, copied too; how long until it was accepted, and its record.
    pub(super) async fn vote(
        &self,
        account: Account,
        basis: Option<VoteVersion>,
        at: usize,
    ) -> Result<(Duration, VoteVersion)> {
        let request = self.request(account, basis, at)?;
        let watch = Stopwatch::start();
        let accepted = self.votes.submit(account, &request).await?;
        let time = watch.elapsed();
        self.votes.sync(account.user, accepted).await?;
        Ok((time, accepted.version))
    }

    /// A record as the domain would have made it.
    pub(super) fn record(
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
}

/// So many at the front of all, in time.
pub(in crate::command::bench) fn percentile(times: &mut [Duration], hundredths: usize) -> Duration {
    times.sort_unstable();
    let at = times.len() * hundredths / 100;
    let at = at.min(times.len().saturating_sub(1));
    times.get(at).copied().unwrap_or_default()
}
