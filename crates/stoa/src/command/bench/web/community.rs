//! A community of many policies, and people who are signed in.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use stoa_engine::Database;
use stoa_session::{Session, Shortcuts as _};
use stoa_store::{CommitMode, Options};
use stoa_types::{Clock, Ids, SystemClock, SystemIds};
use stoa_votes::model::{By, Category, PolicyId, RequestId};
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::sign_in::Origin;
use stoa_votes::rules::passwords::PasswordCost;
use stoa_votes::{Settings, Votes};

use crate::command::bench::page;

const KEYSPACE: &str = "CREATE KEYSPACE IF NOT EXISTS stoa_votes WITH replication = \
    {'class': 'SimpleStrategy', 'replication_factor': 1}";
/// Everybody's password.
pub(super) const PASSWORD: &str = "correct horse battery";

/// What was filled.
pub(super) struct Community {
    pub(super) policies: Vec<PolicyId>,
    /// The cookies of people who are signed in, as browsers send them.
    pub(super) cookies: Vec<String>,
    /// Names of people whose passwords are hashed as those of a real site are.
    pub(super) guests: Vec<String>,
}

impl Community {
    /// Fills a folder, without syncing each write.
    pub(super) async fn fill(
        data: &Path,
        policies: usize,
        people: usize,
        guests: usize,
    ) -> Result<Self> {
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
        let opened = |settings| {
            let (session, clock, ids) =
                (Arc::clone(&session), Arc::clone(&clock), Arc::clone(&ids));
            Votes::open(session, "stoa_votes", clock, ids, settings)
        };
        let votes = opened(settings).await?;
        let category = Category {
            key: "town".to_owned(),
            name: "Town".to_owned(),
            description: String::new(),
            position: 1,
            is_active: true,
        };
        votes.put_category(By::Operator, &category).await?;
        let filling = Filling {
            votes,
            ids: Arc::clone(&ids),
        };
        let mut filled = Self {
            policies: Vec::with_capacity(policies),
            cookies: Vec::with_capacity(people),
            guests: Vec::with_capacity(guests),
        };
        for number in 0..policies {
            let title = format!("Something that neighbourhood {number} wishes for");
            let made = page::new_policy(&filling.votes, &*filling.ids, title, "town").await?;
            filled.policies.push(made);
        }
        for number in 0..people {
            let name = format!("neighbour-{number}");
            filled.cookies.push(filling.person(&name).await?);
        }
        drop(filling);
        let votes = opened(Settings::embedded()).await?;
        let filling = Filling { votes, ids };
        for number in 0..guests {
            let name = format!("guest-{number}");
            filling.person(&name).await?;
            filled.guests.push(name);
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
    /// Somebody who confirmed the address and signed in; the cookie.
    async fn person(&self, name: &str) -> Result<String> {
        let registration = Registration {
            request: RequestId(self.ids.uuid()),
            name: name.to_owned(),
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
        let (_, secret) = self.votes.sign_in(name, PASSWORD, &origin).await?;
        Ok(format!("stoa_login={}", secret.reveal()))
    }
}
