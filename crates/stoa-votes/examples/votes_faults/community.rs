//! The community: two instances on the cluster, people, and what they vote for.

use std::sync::{Arc, Mutex, PoisonError};

use stoa_cluster::Cluster;
use stoa_session::{BackEnd, Session, Shortcuts as _};
use stoa_types::{Clock, Ids, SystemIds};
use stoa_votes::model::{By, Category, Day, NewPage, PolicyId, PolicyText, RequestId};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::register::Registration;
use stoa_votes::rules::passwords::PasswordCost;
use stoa_votes::rules::secrets::Secret;
use stoa_votes::tables::intents::Spread;
use stoa_votes::{Settings, Votes};

use crate::day_clock::DayClock;
use crate::journal::Journal;

const KEYSPACE: &str = "votes_faults";
const CREATE: &str = "CREATE KEYSPACE votes_faults WITH replication = \
    {'class': 'SimpleStrategy', 'replication_factor': 3}";
/// How many people there are; the first of them make policies.
const PEOPLE: usize = 24;
const POLICIES: usize = 8;

/// All of it.
pub(crate) struct Community {
    pub(crate) instances: [Arc<Votes>; 2],
    pub(crate) clock: Arc<DayClock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) journal: Journal,
    people: Mutex<Vec<Account>>,
    policies: Mutex<Vec<PolicyId>>,
}

impl Community {
    /// Two instances, each with connections of its own.
    pub(crate) async fn found() -> Result<Self, String> {
        let clock = Arc::new(DayClock::default());
        let by: Arc<dyn Clock> = Arc::<DayClock>::clone(&clock);
        let ids: Arc<dyn Ids> = Arc::new(SystemIds::with_clock(by));
        let session = connect().await?;
        session.run_text(CREATE).await.map_err(text)?;
        let instances = [
            instance(session, &clock, &ids).await?,
            instance(connect().await?, &clock, &ids).await?,
        ];
        Ok(Self {
            instances,
            clock,
            ids,
            journal: Journal::default(),
            people: Mutex::default(),
            policies: Mutex::default(),
        })
    }

    /// People join and make policies, while all nodes are there.
    pub(crate) async fn settle(&self) -> Result<(), String> {
        let votes = &self.instances[0];
        votes.recount_all().await.map_err(text)?;
        let health = Category {
            key: "health".to_owned(),
            name: "Health".to_owned(),
            description: String::new(),
            position: 1,
            is_active: true,
        };
        let put = votes.put_category(By::Operator, &health).await;
        put.map_err(text)?;
        for number in 0..PEOPLE {
            let account = self.join(&format!("person{number}")).await?;
            if number < POLICIES {
                let policy = self.create(account, number).await?;
                lock(&self.policies).push(policy);
            }
            lock(&self.people).push(account);
        }
        Ok(())
    }

    async fn join(&self, name: &str) -> Result<Account, String> {
        let votes = &self.instances[0];
        let registration = Registration {
            request: self.request(),
            name: name.to_owned(),
            email: format!("{name}@example.org"),
            password: "correct horse battery".to_owned(),
            origin: None,
        };
        let user = votes.register(&registration).await.map_err(text)?;
        let today = Day::of_micros(self.clock.now_micros());
        let mails = votes.tables().outbox.pending(today).await.map_err(text)?;
        let mail = mails.iter().find(|it| it.recipient == registration.email);
        let secret = mail.and_then(|mail| mail.fields.get("token"));
        let secret = Secret::shown(secret.ok_or("no mail to confirm the address")?);
        let verified = votes.verify_email(&secret, self.request()).await;
        verified.map_err(text)?;
        votes.account(user).await.map_err(text)
    }

    async fn create(&self, account: Account, number: usize) -> Result<PolicyId, String> {
        let page = NewPage {
            text: PolicyText {
                title: format!("Wish number {number}"),
                description: "Much would be better with it.".to_owned(),
                links: Vec::new(),
            },
            category: "health".to_owned(),
            party: None,
        };
        let votes = &self.instances[0];
        let created = votes.create_policy(account, self.request(), None, &page);
        Ok(created.await.map_err(text)?.policy)
    }

    pub(crate) fn request(&self) -> RequestId {
        RequestId(self.ids.uuid())
    }

    pub(crate) fn people(&self) -> Vec<Account> {
        lock(&self.people).clone()
    }

    /// One of the policies that can be voted for, as far as people know.
    pub(crate) fn some_policy(&self) -> Option<PolicyId> {
        let policies = lock(&self.policies);
        policies.get(self.below(policies.len())).copied()
    }

    pub(crate) fn below(&self, most: usize) -> usize {
        let most = u64::try_from(most.max(1)).unwrap_or(1);
        usize::try_from(self.ids.random_u64() % most).unwrap_or(0)
    }

    /// Merges two policies, unless few are left. What a node's end interrupts is finished by a task.
    pub(crate) async fn merge_two(&self) {
        let sources = {
            let mut policies = lock(&self.policies);
            if policies.len() < 4 {
                return;
            }
            policies.split_off(2)
        };
        let (merged, left) = sources.split_at(2);
        lock(&self.policies).extend(left);
        let Some(moderator) = self.people().first().copied() else {
            return;
        };
        let merging = self.instances[1].merge(moderator.user, merged.iter().copied().collect());
        match merging.await {
            Ok(Some(target)) => {
                lock(&self.policies).push(target);
                self.journal.note(|told| told.merges += 1);
            }
            Ok(None) => {}
            Err(_) => self.journal.note(|told| told.failed_tasks += 1),
        }
    }

    /// Everything that counts, once.
    pub(crate) async fn run_tasks(&self, votes: &Votes) {
        let mut failed = 0;
        failed += u64::from(votes.drain().await.is_err());
        failed += u64::from(votes.finish_merges().await.is_err());
        failed += u64::from(votes.sweep_creations().await.is_err());
        failed += u64::from(votes.close_days().await.is_err());
        failed += u64::from(votes.measure().await.is_err());
        failed += u64::from(votes.rank_days().await.is_err());
        self.journal.note(|told| told.failed_tasks += failed);
    }
}

async fn connect() -> Result<Arc<dyn Session>, String> {
    let uri = std::env::var("STOA_CASSANDRA").map_err(|_| "STOA_CASSANDRA is not set")?;
    let address = match uri.parse() {
        Ok(BackEnd::Cluster(address)) => *address,
        other => return Err(format!("STOA_CASSANDRA is not a cql:// URI: {other:?}")),
    };
    let session = Cluster::connect(&address, None).await.map_err(text)?;
    Ok(Arc::new(session))
}

async fn instance(
    session: Arc<dyn Session>,
    clock: &Arc<DayClock>,
    ids: &Arc<dyn Ids>,
) -> Result<Arc<Votes>, String> {
    let clock: Arc<dyn Clock> = Arc::<DayClock>::clone(clock);
    let settings = Settings {
        spread: Spread {
            hours: 8,
            shards: 2,
        },
        passwords: PasswordCost::LEAST,
        ..Settings::default()
    };
    let votes = Votes::open(session, KEYSPACE, clock, Arc::clone(ids), settings);
    Ok(Arc::new(votes.await.map_err(text)?))
}

pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
