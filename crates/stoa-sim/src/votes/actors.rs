//! Who acts: windows of users, moderators, background workers. Each has a session, a clock and a
//! memory of its own, and may die or nap at any call.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::{Error, Session};
use stoa_testkit::rng::Rng;
use stoa_types::{Clock, Ids};
use stoa_votes::Votes;
use stoa_votes::model::{PolicyId, RequestId, UserId, VoteVersion};
use stoa_votes::ops::account::{Account, Statement};
use stoa_votes::ops::release::Release;
use stoa_votes::ops::submit::{Ask, NotAccepted, Request};
use stoa_votes::tables::Tables;
use uuid::Uuid;

use super::KEYSPACE;
use super::journal::Journal;
use super::plan::{Plan, pause, until_midnight};
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
        let (user, acts) = (*user, *acts);
        let label = format!("window {at} of user {user}");
        executor.spawn(
            label,
            Box::pin(async move {
                let _ = person.use_window(user, account, acts).await;
            }),
        );
    }
    if plan.moderations > 0 {
        let person = Person::new(cluster, plan, &journal, &mut rng, "moderator");
        let times = plan.moderations;
        executor.spawn(
            "moderator",
            Box::pin(async move {
                let _ = person.moderate(times).await;
            }),
        );
    }
    for (at, times) in plan.workers.iter().enumerate() {
        let person = Person::new(cluster, plan, &journal, &mut rng, &format!("worker {at}"));
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
                while votes.tables().money.decide_config(config).await.is_err() {}
            }
            while votes.close_days().await.is_err() {}
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
    let clock: Arc<dyn Clock> = session.clock();
    let ids: Arc<dyn Ids> = session.ids();
    let tables = Tables::prepare(store, KEYSPACE).await?;
    Ok(Votes::on(tables, clock, ids, settings))
}

struct Person {
    session: Arc<SimSession>,
    settings: stoa_votes::Settings,
    journal: Journal,
    rng: Rng,
    ends: u32,
    repeats: u32,
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
        Self {
            session: cluster.client(name),
            settings: plan.settings(&mut rng),
            journal: journal.clone(),
            rng,
            ends: plan.ends,
            repeats: plan.repeats,
        }
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

    async fn use_window(mut self, number: usize, account: Account, acts: u32) -> Result<(), Error> {
        let votes = instance(&self.session, self.settings).await?;
        let mut basis = None;
        for _ in 0..acts {
            self.wait().await;
            match self.rng.below(10) {
                // Looks first.
                0..=3 => {
                    if let Ok(statement) = votes.statement(account).await {
                        basis = statement.basis;
                        self.look(number, &statement);
                    }
                }
                // Looked in another window.
                4..=7 => basis = self.journal.pages().seen.get(&number).copied(),
                // A window that was not looked at again has an old state.
                _ => {}
            }
            let request = match self.repeated(number) {
                Some(request) => request,
                None => self.request(number, account, basis),
            };
            self.submit(&votes, number, account, &request, &mut basis)
                .await;
        }
        Ok(())
    }

    fn look(&self, number: usize, statement: &Statement) {
        let mut pages = self.journal.pages();
        if let Some(basis) = statement.basis {
            pages.seen.insert(number, basis);
        }
        let held = statement.positions.iter();
        let held = held.filter(|(_, position)| position.total > 0);
        let held = held.map(|(policy, position)| (*policy, position.total));
        pages.held.entry(number).or_default().extend(held);
    }

    /// A request that another window of the same user sent, or this one.
    fn repeated(&mut self, number: usize) -> Option<Request> {
        if !self.rng.chance(self.repeats) {
            return None;
        }
        let mut pages = self.journal.pages();
        let own = pages.sent.iter().rev().take(6);
        let own: Vec<Request> = own
            .filter(|(of, _)| *of == number)
            .map(|(_, request)| request.clone())
            .collect();
        let found = self.rng.pick(&own).cloned();
        pages.happenings.repeated += u64::from(found.is_some());
        found
    }

    fn request(&mut self, number: usize, account: Account, basis: Option<VoteVersion>) -> Request {
        Request {
            id: RequestId(self.session.ids().uuid()),
            basis,
            ask: self.ask(number),
            actor: account.user,
        }
    }

    fn ask(&mut self, number: usize) -> Ask {
        if self.rng.below(1_000) < u64::from(self.ends) {
            return Ask::End;
        }
        let kind = self.rng.below(10);
        if kind < 2 || self.journal.pages().policies.is_empty() {
            return Ask::Create;
        }
        if kind == 2 {
            return Ask::Undo;
        }
        if kind < 5
            && let Some((policy, votes)) = self.something_held(number)
        {
            return Ask::Move(BTreeMap::from([(policy, -votes)]));
        }
        let mut moves = BTreeMap::new();
        for _ in 0..1 + self.rng.index(3) {
            if let Some(policy) = self.some_policy() {
                let votes = match self.rng.chance(45) {
                    true => -self.rng.between(1, 40),
                    false => self.rng.between(1, 60),
                };
                moves.insert(policy, votes);
            }
        }
        Ask::Move(moves)
    }

    /// All that the user once saw on a policy.
    fn something_held(&mut self, number: usize) -> Option<(PolicyId, i64)> {
        let pages = self.journal.pages();
        let held = pages.held.get(&number)?;
        self.rng.pick(held).copied()
    }

    async fn submit(
        &mut self,
        votes: &Votes,
        number: usize,
        account: Account,
        request: &Request,
        basis: &mut Option<VoteVersion>,
    ) {
        self.journal.pages().sent.push((number, request.clone()));
        for attempt in 0..3 {
            let answer = votes.submit(account, request).await;
            self.journal.tell(account.user, request, &answer);
            match answer {
                Ok(accepted) => {
                    *basis = Some(accepted.version);
                    self.journal.pages().seen.insert(number, accepted.version);
                    self.note(votes, account, request, accepted.seq).await;
                    if !self.rng.chance(20) {
                        let _ = votes.sync(account.user, accepted).await;
                    }
                    return;
                }
                Err(NotAccepted::Unknown(_)) if attempt < 2 && self.rng.chance(60) => {
                    self.wait().await;
                }
                Err(_) => return,
            }
        }
    }

    /// Tells the others what was created, and counts what happened.
    async fn note(&self, votes: &Votes, account: Account, request: &Request, seq: i64) {
        let created = match request.ask {
            Ask::Create => votes.tables().chain.record(account.user, seq).await,
            _ => Ok(None),
        };
        let mut pages = self.journal.pages();
        let counts = &mut pages.happenings;
        match &request.ask {
            Ask::Create => counts.created += 1,
            Ask::Undo => counts.undone += 1,
            Ask::End => counts.ended += 1,
            Ask::Move(moves) => {
                counts.withdrawn += u64::from(moves.values().any(|votes| *votes < 0));
            }
        }
        if let Ok(Some(record)) = created {
            pages.policies.extend(record.policy_created);
        }
    }

    async fn moderate(mut self, times: u32) -> Result<(), Error> {
        let votes = instance(&self.session, self.settings).await?;
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
                    pages.happenings.released += 1;
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

    async fn work(mut self, times: u32) -> Result<(), Error> {
        let votes = instance(&self.session, self.settings).await?;
        for _ in 0..times {
            let pause = match self.rng.chance(50) {
                true => until_midnight(&mut self.rng, &*self.session.clock()),
                false => pause(&mut self.rng, &*self.session.clock()),
            };
            self.session.sleep(pause).await;
            let done = match self.rng.below(8) {
                0..=2 => votes.drain().await,
                3..=5 => votes.close_days().await.map(|_| {
                    self.journal.pages().happenings.closed += 1;
                }),
                6 => votes.finish_merges().await,
                _ => votes.sweep_creations().await,
            };
            let counts = &mut self.journal.pages().happenings;
            match done {
                Ok(()) => counts.tasks += 1,
                Err(_) => counts.failed_tasks += 1,
            }
        }
        Ok(())
    }
}
