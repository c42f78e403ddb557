//! What an instance has: the domain, what it is called, what it counts, what it remembers of today.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use stoa_types::{Clock, Ids};
use stoa_votes::Votes;
use stoa_votes::model::{ConfigHistory, Day, Role};
use stoa_votes::ops::configure::VotingRules;
use stoa_votes::ops::search::SearchIndex;
use stoa_votes::rules::public_ledger::LedgerHash;
use stoa_votes::rules::salary::period_of;
use stoa_votes::rules::secrets::Secret;

use crate::background::Background;
use crate::error::Failure;
use crate::health::Health;
use crate::live::Live;
use crate::login::hashing::Slots;
use crate::login::limits::Limits;
use crate::login::staff::StaffMemory;
use crate::metrics::Metrics;
use crate::parts::moves::KnownMoves;

/// How long what holds today is remembered. Decisions are dated in the future.
const REMEMBER: Duration = Duration::from_secs(20);

/// What whoever runs an instance decides about it.
#[derive(Debug, Clone, Default)]
pub struct SiteSettings {
    /// What the community is called, beside the mark; may be empty.
    pub community: String,
    /// The address that people use, such as `https://votes.example.org`; what they asked for, if
    /// nothing is said. Cookies are for https alone if it begins with that.
    pub site: Option<String>,
    /// Whether a proxy in front of it says in `X-Forwarded-For` who asks.
    pub is_behind_proxy: bool,
    /// Somebody whom everybody may sign in as, of a demonstration: name and password.
    pub demo: Option<(String, String)>,
    /// The folder that the public ledger is kept in, as `ledger.jsonl`, if it is.
    pub ledger: Option<PathBuf>,
    /// What others than this machine must bring to read what is counted.
    pub metrics_token: Option<String>,
    /// How long at least it takes to answer what could tell who has an account; nothing in tests.
    pub alike: Duration,
}

impl SiteSettings {
    /// Whether people come by https.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.site
            .as_ref()
            .is_some_and(|it| it.starts_with("https://"))
    }
}

/// What holds today, for every page.
#[derive(Debug, Clone)]
pub struct Notice {
    /// What the community decided.
    pub rules: VotingRules,
    /// The last closed day and its hash in the public ledger.
    pub closed: Option<(Day, LedgerHash)>,
}

impl Notice {
    /// The day of the next payment after a day, and how many votes it brings.
    #[must_use]
    pub fn next_pay(&self, today: Day) -> Option<(Day, i64)> {
        let history = ConfigHistory::new(self.rules.today, self.rules.coming.iter().copied());
        let mut days = today.next().through(today.plus(400));
        let next = days.find(|day| period_of(*day, history.on(*day).period) == *day);
        next.map(|day| (day, history.on(day).salary))
    }
}

/// An instance.
#[derive(Debug)]
pub struct App {
    /// The domain.
    pub votes: Arc<Votes>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Names of requests, secrets of visitors.
    pub ids: Arc<dyn Ids>,
    /// What was decided about it.
    pub settings: SiteSettings,
    /// The index of words, if there is one.
    pub search: Option<Arc<SearchIndex>>,
    /// Slots for hashing passwords.
    pub slots: Slots,
    /// How often who may try what.
    pub limits: Limits,
    /// What is counted.
    pub metrics: Metrics,
    /// Whether it is well.
    pub health: Health,
    /// Who listens to totals.
    pub live: Arc<Live>,
    /// How places in rankings changed.
    pub moves: KnownMoves,
    /// Who has which role.
    pub staff: StaffMemory,
    /// The secret by which the first admin registers, while there is no admin.
    welcome: Mutex<Option<Secret>>,
    notice: Mutex<Option<(Duration, Arc<Notice>)>>,
    background: OnceLock<Background>,
}

impl App {
    /// An instance on a domain.
    #[must_use]
    pub fn new(
        votes: Arc<Votes>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        settings: SiteSettings,
        search: Option<Arc<SearchIndex>>,
    ) -> Self {
        Self {
            votes,
            clock,
            ids,
            settings,
            search,
            slots: Slots::default(),
            limits: Limits::default(),
            metrics: Metrics::default(),
            health: Health::default(),
            live: Arc::default(),
            moves: KnownMoves::default(),
            staff: StaffMemory::default(),
            welcome: Mutex::default(),
            notice: Mutex::default(),
            background: OnceLock::new(),
        }
    }

    /// Tells it what it does in the background. The first holds.
    pub fn begin_background(&self, background: Background) {
        let _ = self.background.set(background);
    }

    /// What it does in the background, if it does anything.
    #[must_use]
    pub fn background(&self) -> Option<&Background> {
        self.background.get()
    }

    /// Whether there is an admin.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn has_admin(&self) -> Result<bool, Failure> {
        Ok(!self.votes.grants(Role::Admin).await?.is_empty())
    }

    /// A secret by which somebody becomes the first admin; none if there is one already. It is good
    /// until then, or until another one is made.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn welcome_admin(&self) -> Result<Option<Secret>, Failure> {
        if self.has_admin().await? {
            return Ok(None);
        }
        let secret = self.new_secret();
        *self.welcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(secret.clone());
        Ok(Some(secret))
    }

    /// Whether a secret is that of the first admin. The one that holds is compared by its digest.
    #[must_use]
    pub fn is_welcome(&self, shown: &str) -> bool {
        let welcome = self.welcome.lock().unwrap_or_else(PoisonError::into_inner);
        let digest = Secret::shown(shown).digest();
        welcome.as_ref().is_some_and(|it| it.digest() == digest)
    }

    /// Takes the secret of the first admin, if it is the one that is shown: nobody else can then.
    #[must_use]
    pub fn take_welcome(&self, shown: &str) -> Option<Secret> {
        let mut welcome = self.welcome.lock().unwrap_or_else(PoisonError::into_inner);
        let digest = Secret::shown(shown).digest();
        welcome.take_if(|it| it.digest() == digest)
    }

    /// Gives it back where nobody became an admin by it.
    pub fn give_welcome_back(&self, secret: Secret) {
        *self.welcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(secret);
    }

    /// A new secret, of 256 random bits.
    #[must_use]
    pub fn new_secret(&self) -> Secret {
        Secret::of_random([(); 4].map(|()| self.ids.random_u64()))
    }

    /// Forgets what holds today, so that a decision that was taken here is seen at once.
    pub fn forget_notice(&self) {
        *self.notice.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What holds today, as it was a few seconds ago.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn notice(&self) -> Result<Arc<Notice>, Failure> {
        let now = self.clock.monotonic();
        let known = self
            .notice
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some((at, notice)) = known
            && now.saturating_sub(at) < REMEMBER
        {
            return Ok(notice);
        }
        let rules = self.votes.voting_rules().await?;
        let day = self.votes.board().await?.closed_through();
        let closed = self.votes.tables().days.closed(day).await?;
        let closed = closed.map(|(_, hash)| (day, hash));
        let notice = Arc::new(Notice { rules, closed });
        let remembered = Some((now, Arc::clone(&notice)));
        *self.notice.lock().unwrap_or_else(PoisonError::into_inner) = remembered;
        Ok(notice)
    }
}
