//! The domain as a whole: its tables, its clock, its identifiers, and what it remembers between
//! calls. What it remembers may be old; nothing is decided by it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stoa_session::{Error, Session};
use stoa_types::write_time::RisingMicros;
use stoa_types::{Clock, Ids};
use tokio::sync::Semaphore;

use crate::model::{ConfigHistory, Day, PolicyId, Standing};
use crate::ops::rankings::BoardKeeper;
use crate::rules::clock_bound::ClockReading;
use crate::rules::named::{Rule, Rules};
use crate::rules::passwords::PasswordCost;
use crate::tables::Tables;
use crate::tables::intents::Spread;
use crate::tables::policies::Settles;
use crate::tasks::share::Share;
use crate::tasks::shared_recount::SharedRecounts;

/// How the domain runs.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How the intents of a day are spread over partitions. The same for all instances, always.
    pub spread: Spread,
    /// How long where a policy stands may be remembered.
    pub remember: Duration,
    /// How often a vote is begun anew when others came between.
    pub attempts: usize,
    /// The rules that hold: all of them, but in a simulation.
    pub rules: Rules,
    /// What hashing a password costs.
    pub passwords: PasswordCost,
    /// How many records are copied at once to where they are counted. What is decided waits for
    /// nothing that is copied, so few at once keep decisions quick on an embedded database; a
    /// cluster is waited for, and takes many.
    pub copies_at_once: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            spread: Spread::default(),
            remember: Duration::from_secs(60),
            attempts: 8,
            rules: Rules::ALL,
            passwords: PasswordCost::default(),
            copies_at_once: 256,
        }
    }
}

impl Settings {
    /// How the domain runs on an embedded database. So many copies at once keep both cores of a
    /// small machine at work, and more only make those wait whose votes are being decided.
    #[must_use]
    pub fn embedded() -> Self {
        Self {
            copies_at_once: 12,
            ..Self::default()
        }
    }
}

/// The voting domain of one instance.
#[derive(Debug)]
pub struct Votes {
    pub(crate) tables: Tables,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) settings: Settings,
    /// Moments at which recounts began; no two of one instance are the same.
    began: RisingMicros,
    memory: Mutex<Memory>,
    /// Who may copy a record now.
    pub(crate) copying: Semaphore,
    /// The recounts that copying waits for.
    pub(crate) recounts: SharedRecounts,
    /// The board of rankings.
    pub(crate) boards: BoardKeeper,
}

#[derive(Debug, Default)]
struct Memory {
    standings: BTreeMap<PolicyId, (Duration, Standing)>,
    closed_through: Option<Day>,
    config: Option<(Duration, ConfigHistory)>,
    measured_through_micros: BTreeMap<Share, i64>,
    ranked_through: Option<Day>,
    clock: Option<ClockReading>,
}

impl Votes {
    /// The domain on a keyspace that exists; tables that are missing are created.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn open(
        session: Arc<dyn Session>,
        keyspace: &str,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        settings: Settings,
    ) -> Result<Self, Error> {
        let tables = Tables::open(session, keyspace).await?;
        Ok(Self::on(tables, clock, ids, settings))
    }

    /// The domain on tables that exist.
    #[must_use]
    pub fn on(
        tables: Tables,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        settings: Settings,
    ) -> Self {
        Self {
            tables,
            clock,
            ids,
            settings,
            began: RisingMicros::new(),
            memory: Mutex::default(),
            copying: Semaphore::new(settings.copies_at_once.clamp(1, Semaphore::MAX_PERMITS)),
            recounts: SharedRecounts::default(),
            boards: BoardKeeper::default(),
        }
    }

    /// The tables, for those who look.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    pub(crate) fn holds(&self, rule: Rule) -> bool {
        self.settings.rules.hold(rule)
    }

    /// Rule settle-unknown.
    pub(crate) fn settles(&self) -> Settles {
        match self.holds(Rule::SettleUnknown) {
            true => Settles::Yes,
            false => Settles::No,
        }
    }

    pub(crate) fn today(&self) -> Day {
        Day::of_micros(self.clock.now_micros())
    }

    /// Now, and later than whatever this gave before.
    pub(crate) fn begin_micros(&self) -> i64 {
        self.began.next(&*self.clock)
    }

    fn with_memory<T>(&self, work: impl FnOnce(&mut Memory) -> T) -> T {
        work(&mut self.memory.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Where a policy stood not long ago, if that is remembered.
    pub(crate) fn remembered(&self, policy: PolicyId) -> Option<Standing> {
        let now = self.clock.monotonic();
        self.with_memory(|memory| {
            let (at, standing) = memory.standings.get(&policy)?;
            (now.saturating_sub(*at) < self.settings.remember).then(|| standing.clone())
        })
    }

    pub(crate) fn remember(&self, policy: PolicyId, standing: &Standing) {
        let now = self.clock.monotonic();
        self.with_memory(|memory| {
            memory.standings.insert(policy, (now, standing.clone()));
        });
    }

    /// Forgets where a policy stood, after it was changed.
    pub(crate) fn forget(&self, policy: PolicyId) {
        self.with_memory(|memory| memory.standings.remove(&policy));
    }

    pub(crate) fn remember_clock(&self, reading: ClockReading) {
        self.with_memory(|memory| memory.clock = Some(reading));
    }

    /// How far the clock was off, when it was last measured.
    pub(crate) fn remembered_clock(&self) -> Option<ClockReading> {
        self.with_memory(|memory| memory.clock)
    }

    /// The last day up to which all are closed. It never goes back, so it is remembered.
    pub(crate) async fn closed_through(&self) -> Result<Day, Error> {
        let known = self.with_memory(|memory| memory.closed_through);
        let known = match known {
            Some(day) => day,
            None => self.tables.days.first(self.today()).await?.previous(),
        };
        let through = self.tables.days.closed_through(known).await?;
        self.with_memory(|memory| {
            memory.closed_through = memory.closed_through.max(Some(through));
        });
        Ok(through)
    }

    /// Until when changes of a share were looked at for measuring, by this instance.
    pub(crate) fn measured_through(&self, share: Share) -> Option<i64> {
        self.with_memory(|memory| memory.measured_through_micros.get(&share).copied())
    }

    pub(crate) fn remember_measured(&self, share: Share, micros: i64) {
        self.with_memory(|memory| memory.measured_through_micros.insert(share, micros));
    }

    /// The last day up to which all are ranked. It never goes back.
    pub(crate) fn remembered_ranked(&self) -> Option<Day> {
        self.with_memory(|memory| memory.ranked_through)
    }

    pub(crate) fn remember_ranked(&self, day: Day) {
        self.with_memory(|memory| memory.ranked_through = memory.ranked_through.max(Some(day)));
    }

    /// The earliest day that a vote can be counted for, as far as is remembered: a clock that is
    /// behind may show a day before the first.
    pub(crate) async fn earliest_day(&self) -> Result<Day, Error> {
        let known = self.with_memory(|memory| memory.closed_through);
        let closed_through = match known {
            Some(day) => day,
            None => self.closed_through().await?,
        };
        Ok(self.today().max(closed_through.next()))
    }

    /// What was ever decided about votes as money. A decision is dated in the future, so it may be
    /// remembered for a while.
    pub(crate) async fn config(&self) -> Result<ConfigHistory, Error> {
        let now = self.clock.monotonic();
        let known = self.with_memory(|memory| memory.config.clone());
        if let Some((at, config)) = known
            && now.saturating_sub(at) < self.settings.remember
        {
            return Ok(config);
        }
        let config = self.tables.money.config().await?;
        self.with_memory(|memory| memory.config = Some((now, config.clone())));
        Ok(config)
    }
}
