//! The domain on a folder that nobody serves: what communities of tests are made of, and what no page
//! does.

use std::path::Path;
use std::sync::Arc;

use stoa_engine::Database;
use stoa_session::{Session, Shortcuts as _};
use stoa_types::{Clock, Ids, ManualClock, SeededIds, SystemClock};
use stoa_votes::model::{
    By, Category, Day, NewPage, PeriodLength, PolicyId, PolicyText, RequestId, VotingConfig,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::write_comment::NewComment;
use stoa_votes::rules::passwords::PasswordCost;
use stoa_votes::rules::salary::period_of;
use stoa_votes::rules::secrets::Secret;
use stoa_votes::{Settings, Votes};

/// Everybody's password.
pub(super) const PASSWORD: &str = "correct horse battery";

/// The domain.
pub(super) struct People {
    pub(super) votes: Votes,
    pub(super) clock: Arc<ManualClock>,
    pub(super) ids: Arc<dyn Ids>,
}

/// Does something in a community that is not served, so many days ago.
pub(super) fn days_ago<T>(days: i32, data: &Path, act: impl AsyncFnOnce(&People) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async {
        let database = Database::open(data, stoa_store::Options::default()).unwrap();
        let session: Arc<dyn Session> = Arc::new(database.session());
        let keyspace = "CREATE KEYSPACE IF NOT EXISTS stoa_votes WITH replication = \
            {'class': 'SimpleStrategy', 'replication_factor': 1}";
        session.run_text(keyspace).await.unwrap();
        let then = SystemClock::new().now_micros() - i64::from(days) * 86_400_000_000;
        let clock = Arc::new(ManualClock::at_micros(then));
        let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let seed = u64::try_from(then).unwrap();
        let ids: Arc<dyn Ids> = Arc::new(SeededIds::with_clock(seed, Arc::clone(&by)));
        let settings = Settings {
            passwords: PasswordCost::LEAST,
            ..Settings::embedded()
        };
        let votes = Votes::open(session, "stoa_votes", by, Arc::clone(&ids), settings);
        let people = People {
            votes: votes.await.unwrap(),
            clock,
            ids,
        };
        let done = act(&people).await;
        drop(people);
        database.close().unwrap();
        done
    })
}

impl People {
    pub(super) fn today(&self) -> Day {
        Day::of_micros(self.clock.now_micros())
    }

    pub(super) fn request(&self) -> RequestId {
        RequestId(self.ids.uuid())
    }

    /// Decides that so many votes are paid from the next Monday on.
    pub(super) async fn pay(&self, salary: i64) {
        let mut days = self.today().next().through(self.today().plus(7));
        let monday = days.find(|day| period_of(*day, PeriodLength::Week) == *day);
        let config = VotingConfig {
            salary,
            ..VotingConfig::initial(monday.unwrap())
        };
        self.votes
            .decide_config(By::Operator, &config)
            .await
            .unwrap();
    }

    /// Somebody by name.
    pub(super) async fn named(&self, name: &str) -> Account {
        let everybody = self.votes.tables().users.people().await.unwrap();
        let user = everybody
            .into_iter()
            .find(|it| it.name == name)
            .unwrap()
            .user;
        self.votes.account(user).await.unwrap()
    }

    /// Somebody new, who confirmed the address.
    pub(super) async fn join(&self, name: &str) -> Account {
        let registration = Registration {
            request: self.request(),
            email: format!("{name}@example.org"),
            name: name.to_owned(),
            password: PASSWORD.to_owned(),
            origin: None,
        };
        let user = self.votes.register(&registration).await.unwrap();
        let token = self.mailed(&registration.email).await;
        let secret = Secret::shown(&token);
        self.votes
            .verify_email(&secret, self.request())
            .await
            .unwrap();
        self.votes.account(user).await.unwrap()
    }

    /// The secret in a mail that waits for somebody.
    pub(super) async fn mailed(&self, to: &str) -> String {
        let pending = self
            .votes
            .tables()
            .outbox
            .pending(self.today())
            .await
            .unwrap();
        let mail = pending.into_iter().find(|mail| mail.recipient == to);
        mail.unwrap_or_else(|| panic!("no mail to {to}")).fields["token"].clone()
    }

    /// A category that is there from the beginning.
    pub(super) async fn open_category(&self, key: &str, name: &str, description: &str) {
        let category = Category {
            key: key.to_owned(),
            name: name.to_owned(),
            description: description.to_owned(),
            position: 1,
            is_active: true,
        };
        self.votes
            .put_category(By::Operator, &category)
            .await
            .unwrap();
    }

    /// A policy of somebody who has enough votes.
    pub(super) async fn create(
        &self,
        account: Account,
        category: &str,
        text: PolicyText,
    ) -> PolicyId {
        let basis = self.votes.statement(account).await.unwrap().basis;
        let page = NewPage {
            text,
            category: category.to_owned(),
            party: None,
        };
        let created = self
            .votes
            .create_policy(account, self.request(), basis, &page);
        created.await.unwrap().policy
    }

    /// Says something about a policy.
    pub(super) async fn say(&self, account: Account, policy: PolicyId, body: &str) {
        let comment = NewComment {
            request: self.request(),
            policy,
            answers: None,
            subject: String::new(),
            body: body.to_owned(),
        };
        self.votes
            .write_comment(account.user, &comment)
            .await
            .unwrap();
    }

    /// Does what is done in the background.
    pub(super) async fn settle(&self) {
        self.votes.close_days().await.unwrap();
        self.votes.drain().await.unwrap();
        self.votes.recount_all().await.unwrap();
        self.votes.rank_days().await.unwrap();
        self.votes.count_tags().await.unwrap();
    }
}
