//! A community: a clock that is moved by hand, users, policies.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use stoa_session::{Error, Session};
use stoa_types::{Clock, Ids, ManualClock, SeededIds};
use stoa_votes::model::{
    By, Category, Day, NewPage, PolicyId, PolicyText, RequestId, UserId, VoteVersion,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::submit::{Accepted, Ask, NotAccepted, Request};
use stoa_votes::rules::named::Rules;
use stoa_votes::rules::passwords::PasswordCost;
use stoa_votes::rules::secrets::Secret;
use stoa_votes::tables::Tables;
use stoa_votes::tables::intents::Spread;
use stoa_votes::{Settings, Votes};
use uuid::Uuid;

use crate::place::{self, Folder, KEYSPACE};
use crate::stage::Stage;

/// 2026-11-16, a Monday.
pub(crate) const MONDAY: Day = Day(20_773);

pub(crate) struct World {
    stage: Arc<Stage>,
    folder: Folder,
    pub(crate) session: Arc<dyn Session>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) ids: Arc<SeededIds>,
    pub(crate) votes: Votes,
}

/// How often something is begun again that does no harm when it is done twice.
const MOST_ATTEMPTS: usize = 10;

/// Does something until it is done: on a cluster of which a node dies a call may come to nothing.
async fn until_done<T>(act: impl AsyncFn() -> Result<T, Error>) -> T {
    for _ in 1..MOST_ATTEMPTS {
        match act().await {
            Err(error) if error.is_retryable() => {}
            done => return done.unwrap(),
        }
    }
    act().await.unwrap()
}

/// Another instance, on tables that are there.
pub(crate) async fn instance(
    session: Arc<dyn Session>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SeededIds>,
) -> Votes {
    instance_with(session, clock, ids, Rules::ALL).await
}

/// One that keeps some rules alone.
pub(crate) async fn instance_with(
    session: Arc<dyn Session>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SeededIds>,
    rules: Rules,
) -> Votes {
    let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
    let ids: Arc<dyn Ids> = Arc::<SeededIds>::clone(ids);
    let settings = Settings {
        // Few places, so that looking for intents is quick.
        spread: Spread {
            hours: 8,
            shards: 2,
        },
        passwords: PasswordCost::LEAST,
        rules,
        ..Settings::default()
    };
    let tables = Tables::prepare(session, KEYSPACE).await.unwrap();
    Votes::on(tables, clock, ids, settings)
}

impl World {
    /// A new community, on a Monday at ten.
    pub(crate) async fn new() -> Self {
        let (stage, folder) = place::empty().await;
        Self::begin(stage, folder, at_ten()).await
    }

    /// One in a folder, wherever the others are.
    pub(crate) async fn on_disk() -> Self {
        let (stage, folder) = place::on_disk().await;
        Self::begin(stage, folder, at_ten()).await
    }

    /// One in memory, whose store has its clock: what expires does so in its time.
    pub(crate) async fn of_one_clock() -> Self {
        let clock = at_ten();
        let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        Self::begin(place::of_clock(by).await, None, clock).await
    }

    /// Another new community on the tables of this one, which are emptied: much sooner there than
    /// new tables.
    pub(crate) async fn begun_again(self) -> Self {
        self.stage.clear().await;
        Self::begin(self.stage, self.folder, at_ten()).await
    }

    async fn begin(stage: Arc<Stage>, folder: Folder, clock: Arc<ManualClock>) -> Self {
        let session: Arc<dyn Session> = Arc::<Stage>::clone(&stage);
        let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let ids = Arc::new(SeededIds::with_clock(1, by));
        let votes = instance(Arc::clone(&session), &clock, &ids).await;
        until_done(async || votes.recount_all().await).await;
        Self {
            stage,
            folder,
            session,
            clock,
            ids,
            votes,
        }
    }

    /// How many statements there were that write.
    pub(crate) fn writes(&self) -> u64 {
        self.stage.writes()
    }

    /// What was written since there were so many, the earliest first, and no more than the last 16.
    pub(crate) fn written_since(&self, writes: u64) -> Vec<String> {
        self.stage.last_writes(self.writes() - writes)
    }

    pub(crate) fn wait(&self, time: Duration) {
        self.clock.advance(time);
    }

    pub(crate) fn user(&self) -> Account {
        Account {
            user: UserId(self.ids.uuid()),
            joined: MONDAY,
        }
    }

    /// Somebody who registered and confirmed the address.
    pub(crate) async fn member(&self, name: &str) -> Account {
        let email = format!("{name}@example.org");
        let registration = Registration {
            request: RequestId(self.ids.uuid()),
            name: name.to_owned(),
            email: email.clone(),
            password: "correct horse".to_owned(),
            origin: None,
        };
        let user = self.votes.register(&registration).await.unwrap();
        let today = Day::of_micros(self.clock.now_micros());
        let mails = self.votes.tables().outbox.pending(today).await.unwrap();
        let mail = mails.iter().find(|mail| mail.recipient == email).unwrap();
        let secret = Secret::shown(mail.fields.get("token").unwrap());
        let request = RequestId(self.ids.uuid());
        self.votes.verify_email(&secret, request).await.unwrap();
        self.votes.account(user).await.unwrap()
    }

    /// A request for the state that the user is in.
    pub(crate) async fn request(&self, account: Account, ask: Ask) -> Request {
        let basis = self.votes.statement(account).await.unwrap().basis;
        self.on(account, basis, ask)
    }

    pub(crate) fn on(&self, account: Account, basis: Option<VoteVersion>, ask: Ask) -> Request {
        self.wait(Duration::from_millis(1));
        Request {
            id: RequestId(self.ids.uuid()),
            basis,
            ask,
            actor: account.user,
        }
    }

    /// Asks, and copies what was accepted.
    pub(crate) async fn ask(&self, account: Account, ask: Ask) -> Result<Accepted, NotAccepted> {
        let request = self.request(account, ask).await;
        let accepted = self.votes.submit(account, &request).await?;
        self.votes.sync(account.user, accepted).await.unwrap();
        Ok(accepted)
    }

    pub(crate) async fn create(&self, account: Account) -> PolicyId {
        let accepted = self.ask(account, Ask::Create(None)).await.unwrap();
        self.created(account, accepted).await
    }

    pub(crate) async fn created(&self, account: Account, accepted: Accepted) -> PolicyId {
        let chain = &self.votes.tables().chain;
        let record = chain.record(account.user, accepted.seq).await.unwrap();
        record.unwrap().policy_created.unwrap()
    }

    /// What a page of a title begins with; its category is there.
    pub(crate) async fn new_page(&self, title: &str) -> NewPage {
        let health = Category {
            key: "health".to_owned(),
            name: "Health".to_owned(),
            description: String::new(),
            position: 1,
            is_active: true,
        };
        self.votes
            .put_category(By::Operator, &health)
            .await
            .unwrap();
        NewPage {
            text: PolicyText {
                title: title.to_owned(),
                description: format!("Why we want this: {title}."),
                links: vec!["https://example.org/more".to_owned()],
            },
            category: health.key,
            party: None,
        }
    }

    /// A policy of a user with a page of its own.
    pub(crate) async fn policy(&self, account: Account, title: &str) -> PolicyId {
        let page = self.new_page(title).await;
        let basis = self.votes.statement(account).await.unwrap().basis;
        self.wait(Duration::from_millis(1));
        let request = RequestId(self.ids.uuid());
        let created = self.votes.create_policy(account, request, basis, &page);
        created.await.unwrap().policy
    }

    pub(crate) async fn balance(&self, account: Account) -> i64 {
        self.votes.statement(account).await.unwrap().balance
    }

    pub(crate) async fn total(&self, policy: PolicyId) -> i64 {
        let total = self.votes.tables().counts.total(policy).await.unwrap();
        total.unwrap_or(0)
    }

    /// Everything that tasks do, until nothing is left to do.
    pub(crate) async fn rest(&self) {
        self.wait(Duration::from_secs(7_200));
        self.votes.drain().await.unwrap();
        self.votes.finish_merges().await.unwrap();
        self.votes.sweep_creations().await.unwrap();
        self.votes.drain().await.unwrap();
    }

    pub(crate) async fn assert_books_balance(&self) {
        let findings = self.votes.audit().await.unwrap();
        let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{findings:#?}");
    }
}

fn at_ten() -> Arc<ManualClock> {
    let ten = MONDAY.start_micros() + 10 * 3_600_000_000;
    Arc::new(ManualClock::at_micros(ten))
}

pub(crate) fn moves(moves: &[(PolicyId, i64)]) -> Ask {
    Ask::Move(moves.iter().copied().collect::<BTreeMap<_, _>>())
}

pub(crate) fn no_policy() -> PolicyId {
    PolicyId(Uuid::from_u128(404))
}

pub(crate) fn code(result: Result<Accepted, NotAccepted>) -> String {
    match result {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.code().to_owned(),
    }
}
