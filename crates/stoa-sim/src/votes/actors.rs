//! Who acts: windows of users, moderators, background workers. Each has a session, a clock and a
//! memory of its own, and may die or nap at any call.

mod window;
mod worker;

pub(super) use worker::{check_export, erase_deleted};

use std::sync::Arc;
use std::time::Duration;

use stoa_session::{Error, Session};
use stoa_testkit::rng::Rng;
use stoa_types::{Clock, Ids};
use stoa_votes::Votes;
use stoa_votes::model::{PolicyId, UserId};
use stoa_votes::ops::release::Release;
use stoa_votes::tables::Tables;
use uuid::Uuid;

use super::journal::Journal;
use super::plan::{Plan, pause};
use super::watch::Watched;
use super::{Clocks, Cut, KEYSPACE};
use crate::cluster::SimCluster;
use crate::executor::Executor;
use crate::session::SimSession;

/// Lets everyone act until all are done or dead; what they were told.
pub(super) fn act(executor: &mut Executor, cluster: &SimCluster, plan: &Plan) -> Journal {
    let journal = Journal::default();
    let mut rng = plan.rng.clone();
    found(executor, cluster, plan);
    for (at, (user, acts)) in plan.windows.iter().enumerate() {
        let Some(account) = plan.accounts.get(*user).copied() else {
            continue;
        };
        let person = Person::new(cluster, plan, &journal, &mut rng, &format!("window {at}"));
        if plan.cuts.has(Cut::Window(at)) {
            continue;
        }
        let (user, acts) = (*user, *acts);
        let label = format!("window {at} of user {user}");
        executor.spawn(
            label,
            Box::pin(async move {
                let _ = person.use_window(user, account, acts).await;
            }),
        );
    }
    for (at, times) in plan.moderators.iter().enumerate() {
        let name = format!("moderator {at}");
        let person = Person::new(cluster, plan, &journal, &mut rng, &name);
        if plan.cuts.has(Cut::Moderator(at)) {
            continue;
        }
        let times = *times;
        executor.spawn(
            name,
            Box::pin(async move {
                let _ = person.moderate(times).await;
            }),
        );
    }
    for (at, times) in plan.workers.iter().enumerate() {
        let person = Person::new(cluster, plan, &journal, &mut rng, &format!("worker {at}"));
        let person = person.of_worker(cluster);
        if plan.cuts.has(Cut::Worker(at)) {
            continue;
        }
        let times = *times;
        executor.spawn(
            format!("worker {at}"),
            Box::pin(async move {
                let _ = person.work(times).await;
            }),
        );
    }
    executor.run_until_idle();
    journal
}

/// How long a founder waits for replicas that are away before asking again.
const FOUNDING_AGAIN: Duration = Duration::from_secs(1);

/// Decides the configuration and makes the first day known, before anything goes wrong.
fn found(executor: &mut Executor, cluster: &SimCluster, plan: &Plan) {
    let session = cluster.punctual("founder");
    let configs = plan.configs.clone();
    let mut rng = plan.rng.clone();
    let settings = plan.settings(&mut rng);
    let task = executor.spawn(
        "founder",
        Box::pin(async move {
            let Ok(votes) = instance(&session, settings).await else {
                return;
            };
            // A decision is repeated until it is known to have been made.
            for config in &configs {
                let money = &votes.tables().money;
                while money.decide_config(config, None).await.is_err() {
                    session.sleep(FOUNDING_AGAIN).await;
                }
            }
            while votes.close_days().await.is_err() {
                session.sleep(FOUNDING_AGAIN).await;
            }
        }),
    );
    executor.run_until_ended(task);
}

/// The domain on a client's session.
pub(super) async fn instance(
    session: &Arc<SimSession>,
    settings: stoa_votes::Settings,
) -> Result<Votes, Error> {
    let store: Arc<dyn Session> = Arc::<SimSession>::clone(session);
    instance_on(store, session, settings).await
}

/// The domain on what a client's calls go through.
pub(super) async fn instance_on(
    store: Arc<dyn Session>,
    session: &Arc<SimSession>,
    settings: stoa_votes::Settings,
) -> Result<Votes, Error> {
    let clock: Arc<dyn Clock> = session.clock();
    let ids: Arc<dyn Ids> = session.ids();
    let tables = Tables::prepare(store, KEYSPACE).await?;
    Ok(Votes::on(tables, clock, ids, settings))
}

/// Somebody with a session.
struct Person {
    session: Arc<SimSession>,
    watched: Arc<Watched>,
    settings: stoa_votes::Settings,
    journal: Journal,
    rng: Rng,
    ends: u32,
    repeats: u32,
    withdrawals: u32,
    clocks: Clocks,
}

impl Person {
    fn new(
        cluster: &SimCluster,
        plan: &Plan,
        journal: &Journal,
        rng: &mut Rng,
        name: &str,
    ) -> Self {
        let mut rng = rng.fork();
        let session = cluster.client(name);
        Self {
            watched: Arc::new(Watched::new(&session, cluster, journal)),
            session,
            settings: plan.settings(&mut rng),
            journal: journal.clone(),
            rng,
            ends: plan.ends,
            repeats: plan.repeats,
            withdrawals: plan.withdrawals,
            clocks: plan.clocks,
        }
    }

    /// The same as a background worker.
    fn of_worker(mut self, cluster: &SimCluster) -> Self {
        let watched = Watched::new(&self.session, cluster, &self.journal);
        self.watched = Arc::new(watched.of_worker());
        self
    }

    async fn instance(&self) -> Result<Votes, Error> {
        let store: Arc<dyn Session> = Arc::<Watched>::clone(&self.watched);
        instance_on(store, &self.session, self.settings).await
    }

    async fn wait(&mut self) {
        let pause = pause(&mut self.rng, &*self.session.clock());
        self.session.sleep(pause).await;
    }

    fn some_policy(&mut self) -> Option<PolicyId> {
        let pages = self.journal.pages();
        let at = self.rng.index(pages.policies.len());
        pages.policies.get(at).copied()
    }

    async fn moderate(mut self, times: u32) -> Result<(), Error> {
        let votes = self.instance().await?;
        let moderator = UserId(Uuid::from_u128(0xB000));
        for _ in 0..times {
            self.wait().await;
            if self.rng.chance(30) {
                let Some(policy) = self.some_policy() else {
                    continue;
                };
                let how = match self.rng.chance(50) {
                    true => Release::Retire,
                    false => Release::Delete,
                };
                if let Ok(true) = votes.release(policy, how).await {
                    let mut pages = self.journal.pages();
                    match how {
                        Release::Retire => pages.happenings.retired += 1,
                        Release::Delete => pages.happenings.deleted += 1,
                    }
                    pages.released.push(policy);
                }
                continue;
            }
            let sources = [self.some_policy(), self.some_policy()];
            let sources = sources.into_iter().flatten().collect();
            if let Ok(Some(target)) = votes.merge(moderator, sources).await {
                let mut pages = self.journal.pages();
                pages.happenings.merged += 1;
                pages.policies.push(target);
            }
        }
        Ok(())
    }
}
