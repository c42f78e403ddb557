//! A small world without faults that has ended, with something of everything in it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stoa_session::Session;
use stoa_types::Ids as _;
use stoa_votes::model::{PeriodLength, PolicyId, RequestId, UserId, VoteRecord, VotingConfig};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::release::Release;
use stoa_votes::ops::submit::{Ask, Request};
use stoa_votes::rules::audit::AuditedPolicy;
use stoa_votes::tables::intents::Spread;
use stoa_votes::{Settings, Votes};

use super::*;
use crate::cluster::SimCluster;
use crate::executor::Executor;
use crate::session::SimSession;
use crate::swarm::Faults;
use crate::votes::VoteSimulation;
use crate::votes::actors::instance_on;
use crate::votes::check::{After, Totals, gather};
use crate::votes::plan::first_day;
use crate::votes::watch::Watched;

/// What is left of it, and who and what was in it.
pub(super) struct World {
    pub(super) evidence: Evidence,
    pub(super) journal: Journal,
    /// A policy of bert, on which others put votes and withdrew them.
    pub(super) berts: PolicyId,
    /// A policy of anna that was merged.
    pub(super) source: PolicyId,
    /// What it was merged into; votes were withdrawn from it.
    pub(super) target: PolicyId,
    /// A policy that was released.
    pub(super) released: PolicyId,
}

impl World {
    pub(super) fn healthy() -> Self {
        let settings = Settings {
            spread: Spread {
                hours: 24,
                shards: 1,
            },
            ..Settings::default()
        };
        let simulation = VoteSimulation::new(None).unwrap();
        let mut executor = Executor::new();
        let cluster = SimCluster::new(&mut executor, simulation.catalog, Faults::none(), 1);
        let journal = Journal::default();
        let session = cluster.punctual("anna and bert");
        let watched = Arc::new(Watched::new(&session, &cluster, &journal));
        let (told, script) = (Arc::new(Mutex::new(None)), journal.clone());
        let policies = Arc::clone(&told);
        executor.spawn(
            "script",
            Box::pin(async move {
                let store: Arc<dyn Session> = watched;
                let votes = instance_on(store, &session, settings).await.unwrap();
                let play = Play {
                    votes,
                    session,
                    journal: script,
                };
                let made = play.act().await;
                *policies.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
            }),
        );
        executor.run_until_idle();
        let evidence = gather(
            &mut executor,
            &cluster,
            settings,
            &journal,
            After {
                totals: Totals::AsTheyAre,
                erases: false,
            },
        );
        let made = *told.lock().unwrap_or_else(PoisonError::into_inner);
        let [berts, source, target, released] = made.unwrap();
        Self {
            evidence,
            journal,
            berts,
            source,
            target,
            released,
        }
    }

    pub(super) fn judged(&self) -> Vec<Finding> {
        judge(&self.evidence, &self.journal)
    }

    /// Damages all books in the same way.
    pub(super) fn books(&mut self, damage: impl Fn(&mut Books) -> Option<()>) -> Option<()> {
        let seen = self.evidence.books.as_mut().ok()?;
        damage(&mut seen.at_rest)?;
        damage(&mut seen.closed)?;
        damage(&mut seen.again)
    }

    pub(super) fn policy(
        &mut self,
        policy: PolicyId,
        damage: impl Fn(&mut AuditedPolicy),
    ) -> Option<()> {
        self.books(|books| books.policies.get_mut(&policy).map(&damage))
    }

    pub(super) fn last_of(&mut self, user: UserId, damage: impl Fn(&mut VoteRecord)) -> Option<()> {
        self.books(|books| {
            let records = &mut books.chains.get_mut(&user)?.1;
            records.last_mut().map(&damage)
        })
    }

    /// Dates the last record of a user, who moved votes on a policy, back to the first day, with all
    /// that follows of it.
    pub(super) fn date_last_back(&mut self, user: UserId, policy: PolicyId) -> Option<()> {
        self.books(|books| {
            let record = books.chains.get_mut(&user)?.1.last_mut()?;
            let (was, votes) = (record.day, record.changes.get(&policy)?.increment);
            record.day = first_day();
            let increment = books.increments.remove(&(policy, was, record.version))?;
            let key = (policy, record.day, record.version);
            books.increments.insert(key, increment);
            let mut closing = 0;
            for day in &mut books.policies.get_mut(&policy)?.days {
                if day.day == record.day {
                    day.change += votes;
                } else if day.day == was {
                    day.change -= votes;
                }
                closing += day.change;
                day.closing_total = closing;
                let moved = books.increments.iter();
                let moved = moved.filter(|((of, at, _), _)| (*of, *at) == (policy, day.day));
                let moved: Vec<_> = moved.map(|(_, it)| *it).collect();
                day.gross = moved.iter().map(|(_, votes)| votes.abs()).sum();
                let voters: BTreeSet<UserId> = moved.iter().map(|(user, _)| *user).collect();
                day.voters = i64::try_from(voters.len()).unwrap_or(i64::MAX);
            }
            Some(())
        })
    }
}

/// Whose last two records put votes on a policy of bert and withdrew them.
pub(super) const ANNA: UserId = UserId(Uuid::from_u128(0xA));
const BERT: UserId = UserId(Uuid::from_u128(0xB));
/// Whose last record ended the account.
pub(super) const CLEO: UserId = UserId(Uuid::from_u128(0xC));
/// Whose last record took back a withdrawal.
pub(super) const DORA: UserId = UserId(Uuid::from_u128(0xD));
/// Whose only record, of the first day, put votes on a policy that was released on the next.
pub(super) const EMMA: UserId = UserId(Uuid::from_u128(0xE));

struct Play {
    votes: Votes,
    session: Arc<SimSession>,
    journal: Journal,
}

impl Play {
    /// What happens: creations, a merge and a withdrawal from its target, a release; and on the next
    /// day another release, an end, an undo, and votes that come and go.
    async fn act(&self) -> [PolicyId; 4] {
        let config = VotingConfig {
            period: PeriodLength::Days(1),
            salary: 100,
            creation_cost: 10,
            penalty_percent: 50,
            ..VotingConfig::initial(first_day())
        };
        let votes = &self.votes;
        votes
            .tables()
            .money
            .decide_config(&config, None)
            .await
            .unwrap();
        votes.close_days().await.unwrap();
        let berts = self.create(BERT).await;
        let source = self.create(ANNA).await;
        let released = self.create(BERT).await;
        self.put(ANNA, source, 15).await;
        let target = votes.merge(BERT, BTreeSet::from([source])).await.unwrap();
        let target = target.unwrap();
        self.put(ANNA, target, -12).await;
        assert!(votes.release(released, Release::Retire).await.unwrap());
        self.journal.pages().released.push(released);
        let later = self.create(BERT).await;
        self.put(EMMA, later, 60).await;
        self.session.sleep(Duration::from_secs(90_000)).await;
        votes.close_days().await.unwrap();
        assert!(votes.release(later, Release::Retire).await.unwrap());
        self.journal.pages().released.push(later);
        for user in [CLEO, DORA] {
            self.put(user, berts, 20).await;
            self.put(user, berts, -8).await;
        }
        self.ask(CLEO, Ask::End).await;
        self.ask(DORA, Ask::Undo).await;
        self.put(ANNA, berts, 15).await;
        self.put(ANNA, berts, -15).await;
        [berts, source, target, released]
    }

    async fn create(&self, user: UserId) -> PolicyId {
        let seq = self.ask(user, Ask::Create(None)).await;
        let record = self.votes.tables().chain.record(user, seq).await.unwrap();
        record.unwrap().policy_created.unwrap()
    }

    async fn put(&self, user: UserId, policy: PolicyId, votes: i64) {
        self.ask(user, Ask::Move(BTreeMap::from([(policy, votes)])))
            .await;
    }

    async fn ask(&self, user: UserId, ask: Ask) -> i64 {
        let account = Account {
            user,
            joined: first_day(),
        };
        let basis = self.votes.statement(account).await.unwrap().basis;
        let request = Request {
            id: RequestId(self.session.ids().uuid()),
            basis,
            ask,
            actor: user,
        };
        let call = self.journal.begin(user, &request);
        let answer = self.votes.submit(account, &request).await;
        self.journal.tell(user, &request, &answer, call);
        let accepted = answer.unwrap();
        self.votes.sync(user, accepted).await.unwrap();
        accepted.seq
    }
}
