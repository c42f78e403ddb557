//! A community of many policies, and people who are signed in.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use stoa_engine::Database;
use stoa_session::{Session, Shortcuts as _};
use stoa_store::{CommitMode, Options};
use stoa_types::{Clock, Ids, SystemClock, SystemIds};
use stoa_votes::model::{
    By, Category, NewPage, PolicyId, PolicyState, PolicyText, RequestId, TextVersion, UserId,
    VoteVersion,
};
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::sign_in::Origin;
use stoa_votes::rules::passwords::PasswordCost;
use stoa_votes::tables::pages::Owners;
use stoa_votes::tables::policies::{Creation, Settles};
use stoa_votes::{Settings, Votes};

const KEYSPACE: &str = "CREATE KEYSPACE IF NOT EXISTS stoa_votes WITH replication = \
    {'class': 'SimpleStrategy', 'replication_factor': 1}";
const PASSWORD: &str = "correct horse battery";
const TEXT: &str = "**Why.** Many of us have asked for this for years.\n\n\
    - it costs less than it seems\n- it helps most where help is rare\n\nMore in the *minutes*.";

/// What was filled.
pub(super) struct Community {
    pub(super) policies: Vec<PolicyId>,
    /// The cookies of people who are signed in, as browsers send them.
    pub(super) cookies: Vec<String>,
}

impl Community {
    /// Fills a folder, without syncing each write.
    pub(super) async fn fill(data: &Path, policies: usize, people: usize) -> Result<Self> {
        let options = Options {
            commit_mode: CommitMode::Periodic {
                every: Duration::from_secs(1),
            },
            ..Options::default()
        };
        let database = Database::open(data, options)?;
        let session: Arc<dyn Session> = Arc::new(database.session());
        session.run_text(KEYSPACE).await?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let ids: Arc<dyn Ids> = Arc::new(SystemIds::new());
        let settings = Settings {
            // Nobody's password is worth anything here.
            passwords: PasswordCost::LEAST,
            ..Settings::embedded()
        };
        let names = Arc::clone(&ids);
        let votes = Votes::open(session, "stoa_votes", clock, names, settings).await?;
        let category = Category {
            key: "town".to_owned(),
            name: "Town".to_owned(),
            description: String::new(),
            position: 1,
            is_active: true,
        };
        votes.put_category(By::Operator, &category).await?;
        let filling = Filling { votes, ids };
        let mut filled = Self {
            policies: Vec::with_capacity(policies),
            cookies: Vec::with_capacity(people),
        };
        for number in 0..policies {
            filled.policies.push(filling.policy(number).await?);
        }
        for number in 0..people {
            filled.cookies.push(filling.person(number).await?);
        }
        drop(filling);
        database.close()?;
        Ok(filled)
    }
}

struct Filling {
    votes: Votes,
    ids: Arc<dyn Ids>,
}

impl Filling {
    /// A policy with its page, and a total of its own.
    async fn policy(&self, number: usize) -> Result<PolicyId> {
        let (policy, owner) = (PolicyId(self.ids.time_uuid()), UserId(self.ids.uuid()));
        let at = self.ids.time_uuid();
        let by = Creation {
            user: owner,
            seq: 1,
            version: VoteVersion(at),
        };
        let tables = self.votes.tables();
        tables.policies.write_created(policy, &by).await?;
        let page = NewPage {
            text: PolicyText {
                title: format!("Something that neighbourhood {number} wishes for"),
                description: TEXT.to_owned(),
                links: Vec::new(),
            },
            category: "town".to_owned(),
            party: None,
        };
        let owners = Owners {
            owner,
            co_owners: BTreeSet::new(),
        };
        let first = TextVersion {
            version: 1,
            text: page.text.clone(),
            author: owner,
            at,
            request: RequestId(self.ids.uuid()),
            note: String::new(),
        };
        tables.pages.begin(policy, &page, &owners, &first).await?;
        let (from, to) = (PolicyState::Creating, PolicyState::Active);
        let policies = &tables.policies;
        policies
            .change_state(policy, from, to, Settles::Yes)
            .await?;
        Ok(policy)
    }

    /// Somebody who confirmed the address and signed in; the cookie.
    async fn person(&self, number: usize) -> Result<String> {
        let name = format!("neighbour-{number}");
        let registration = Registration {
            request: RequestId(self.ids.uuid()),
            name: name.clone(),
            email: format!("{name}@example.org"),
            password: PASSWORD.to_owned(),
            origin: None,
        };
        let user = self.votes.register(&registration).await?;
        let users = &self.votes.tables().users;
        let known = users.read(user).await?.context("nobody registered")?;
        users.verify(user, &known.email_key).await?;
        let origin = Origin {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            agent: String::new(),
        };
        let (_, secret) = self.votes.sign_in(&name, PASSWORD, &origin).await?;
        Ok(format!("stoa_login={}", secret.reveal()))
    }
}
