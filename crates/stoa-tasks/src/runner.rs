//! The runner of one instance: says what is due here, runs it, and writes down how it went.
//!
//! It is driven from outside: it never sleeps, sets no timer and spawns nothing. Whoever drives it
//! calls [`Runner::run_due`] every second or so; or, to run jobs side by side, calls
//! [`Runner::keep_up`], [`Runner::look`] and [`Runner::tick`], spawns the jobs, and hands what comes
//! of them to [`Runner::finish`].
//!
//! Invariants:
//! 1. Who else lives and what ran last is read before anything is run. Where that cannot be read,
//!    what was known last is good enough: at worst something runs twice.
//! 2. One job that fails keeps no other from running.
//! 3. A shard is not handed out again before it ends, or before its job was dropped, which counts
//!    as a failure.
//! 4. A record that could not be written is written at the next chance, and so is a line of the log;
//!    every failure has one.
//! 5. What somebody wishes for is due at once, here, whoever else would run it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use stoa_session::Error;
use stoa_types::{Clock, Ids, Timestamp};
use uuid::Uuid;

use crate::registry::{Instance, REFRESHED};
use crate::rendezvous;
use crate::runs::{Record, Run, kept_text};
use crate::schedule::{SOON, Seat, due_at_micros};
use crate::tables::Tables;
use crate::task::{Task, TaskError};
use crate::telling::Telling;
use crate::wishes::Wishes;

/// How many shards a task has at most.
pub const MOST_SHARDS: u32 = 1_024;

/// How many jobs of one runner are under way at once.
pub const MOST_JOBS: usize = 64;

/// Why tasks cannot be run together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotATaskList {
    /// Two have one name, and would take each other's records for their own.
    #[error("two tasks are called {0:?}")]
    SameName(String),
    /// One has too many shards, or none.
    #[error("the task {0:?} has {1} shards, and 1 to {MOST_SHARDS} are possible")]
    Shards(String, u32),
}

/// A task and one of its shards.
type Key = (String, u32);

/// Runs the tasks of one instance.
#[derive(Debug)]
pub struct Runner {
    tables: Arc<Tables>,
    tasks: Vec<Arc<dyn Task>>,
    clock: Arc<dyn Clock>,
    instance: Instance,
    started_micros: i64,
    /// When the instance last said that it lives.
    registered: Option<Duration>,
    registered_micros: i64,
    live: Vec<Uuid>,
    known: BTreeMap<Key, Record>,
    unsaved: BTreeSet<Key>,
    under_way: BTreeMap<Key, HandedOut>,
    telling: Telling,
    wishes: Arc<Wishes>,
    /// What was wished for and is not handed out yet.
    wished: BTreeSet<Key>,
}

/// A job that was handed out.
#[derive(Debug)]
struct HandedOut {
    /// Gone when the job was dropped.
    token: Weak<()>,
    /// What is remembered then.
    if_dropped: Run,
}

/// A shard that is to be run now.
#[derive(Debug)]
pub struct Job {
    task: Arc<dyn Task>,
    shard: u32,
    number: i64,
    failures_before: i32,
    instance: Uuid,
    clock: Arc<dyn Clock>,
    token: Arc<()>,
}

/// A shard that was run.
#[derive(Debug)]
pub struct Ran {
    /// The name of the task.
    pub task: String,
    /// Its shard.
    pub shard: u32,
    /// How it went.
    pub run: Run,
    /// What it found to be wrong, each of it.
    pub findings: Vec<String>,
    /// Keeps the shard from being handed out until this is handed back.
    _token: Arc<()>,
}

/// What came of [`Runner::run_due`].
#[derive(Debug, Default)]
pub struct Round {
    /// What was run.
    pub ran: Vec<Ran>,
    /// What went wrong at the tables of the runner itself. It is tried again the next time.
    pub troubles: Vec<Error>,
}

impl Runner {
    /// A runner of a new instance, which is not registered yet.
    ///
    /// # Errors
    /// When two tasks have one name, or the number of shards is not possible.
    pub fn new(
        tables: Arc<Tables>,
        tasks: Vec<Arc<dyn Task>>,
        clock: Arc<dyn Clock>,
        ids: &dyn Ids,
        version: impl Into<String>,
    ) -> Result<Self, NotATaskList> {
        let mut names = BTreeSet::new();
        for task in &tasks {
            let (name, shards) = (task.name(), task.shards());
            if !names.insert(name) {
                return Err(NotATaskList::SameName(name.to_owned()));
            }
            if shards == 0 || shards > MOST_SHARDS {
                return Err(NotATaskList::Shards(name.to_owned(), shards));
            }
        }
        let started_micros = clock.now_micros();
        let instance = Instance {
            id: ids.uuid(),
            version: version.into(),
            started: Some(Timestamp(started_micros.div_euclid(1_000))),
            load: 0.0,
        };
        let telling = Telling::new(ids, instance.id);
        let wishes = Wishes::of(names.into_iter().map(str::to_owned).collect());
        Ok(Self {
            tables,
            tasks,
            clock,
            instance,
            started_micros,
            registered: None,
            registered_micros: i64::MIN,
            live: Vec::new(),
            known: BTreeMap::new(),
            unsaved: BTreeSet::new(),
            under_way: BTreeMap::new(),
            telling,
            wishes: Arc::new(wishes),
            wished: BTreeSet::new(),
        })
    }

    /// The instance it runs for.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Where others wish for runs of its tasks.
    #[must_use]
    pub fn wishes(&self) -> Arc<Wishes> {
        Arc::clone(&self.wishes)
    }

    /// Does not wait with what never ran, as an instance does that has just started: for a command
    /// that runs what is due and ends.
    pub fn hurry(&mut self) {
        let soon = i64::try_from(SOON.as_micros()).unwrap_or(i64::MAX);
        self.started_micros = self.started_micros.saturating_sub(soon);
    }

    /// Sets how busy the instance is; it is told with the next refresh.
    pub fn set_load(&mut self, load: f64) {
        self.instance.load = load;
    }

    /// Runs everything that is due here, one after the other.
    pub async fn run_due(&mut self) -> Round {
        let mut troubles = Vec::new();
        let mut ran = Vec::new();
        troubles.extend(self.keep_up().await.err());
        self.hear_wishes();
        if self.due(self.clock.now_micros()).next().is_some() {
            troubles.extend(self.look().await.err());
            for job in self.tick(self.clock.now_micros()) {
                let done = job.run().await;
                let record = self.remember(&done);
                troubles.extend(self.save(record).await.err());
                ran.push(done);
                troubles.extend(self.keep_up().await.err());
            }
        }
        Round { ran, troubles }
    }

    /// Says that the instance lives, if that was long ago, and writes the records that could not be
    /// written before.
    ///
    /// # Errors
    /// Those of the session. It is tried again by the next call.
    pub async fn keep_up(&mut self) -> Result<(), Error> {
        let now = self.clock.monotonic();
        let is_fresh = |at: Duration| now.saturating_sub(at) < REFRESHED;
        if !self.registered.is_some_and(is_fresh) {
            let at_micros = self.next_registration_micros();
            let instances = &self.tables.instances;
            instances.register(&self.instance, at_micros).await?;
            self.registered = Some(now);
        }
        for key in self.unsaved.clone() {
            self.save(key).await?;
        }
        self.telling.write(&self.tables.log).await
    }

    /// Reads who lives and what ran last.
    ///
    /// # Errors
    /// Those of the session. What was known before stays.
    pub async fn look(&mut self) -> Result<(), Error> {
        let live = self.tables.instances.live().await?;
        self.live = live.iter().map(|instance| instance.id).collect();
        for record in self.tables.runs.list().await? {
            let is_own = record.run.instance == self.instance.id;
            if !is_own && self.is_everywhere(&record.task) {
                continue;
            }
            let key = (record.task.clone(), record.shard);
            let known = self.known.get(&key);
            if known.is_none_or(|known| known.written_micros < record.written_micros) {
                self.unsaved.remove(&key);
                self.known.insert(key, record);
            }
        }
        Ok(())
    }

    /// What is to be run here now, the longest overdue first, and at most [`MOST_JOBS`] at once.
    /// Each job is to be run and handed to [`finish`](Runner::finish).
    pub fn tick(&mut self, now_micros: i64) -> Vec<Job> {
        self.notice_dropped(now_micros);
        self.hear_wishes();
        let room = MOST_JOBS.saturating_sub(self.under_way.len());
        let mut due: Vec<_> = self
            .due(now_micros)
            .map(|(at, task, shard)| (at, Arc::clone(task), shard))
            .collect();
        due.sort_by_key(|(at, _, _)| *at);
        due.truncate(room);
        due.into_iter()
            .map(|(_, task, shard)| self.hand_out(task, shard, now_micros))
            .collect()
    }

    /// When the next shard is due here by what is known now; none where there are no tasks. Whoever
    /// drives the runner need not call it earlier, but for [`keep_up`](Runner::keep_up).
    #[must_use]
    pub fn next_due_micros(&self) -> Option<i64> {
        let now_micros = self.clock.now_micros();
        if self.wishes.are_waiting() {
            return Some(now_micros);
        }
        self.all(now_micros).map(|(at, _, _)| at).min()
    }

    /// Takes back what was run, and writes it down.
    ///
    /// # Errors
    /// Those of the session. The record is written by the next [`keep_up`](Runner::keep_up).
    pub async fn finish(&mut self, ran: Ran) -> Result<(), Error> {
        let key = self.remember(&ran);
        self.save(key).await
    }

    /// Says that the instance lives no more, so that others need not wait.
    ///
    /// # Errors
    /// Those of the session. Its row vanishes by itself.
    pub async fn leave(mut self) -> Result<(), Error> {
        let at_micros = self.next_registration_micros();
        let instances = &self.tables.instances;
        instances.leave(self.instance.id, at_micros).await
    }

    /// Makes due whatever was wished for, in all its parts.
    fn hear_wishes(&mut self) {
        let heard = self.wishes.hear();
        let wished = self.tasks.iter().filter(|it| heard.contains(it.name()));
        let parts =
            wished.flat_map(|task| (0..task.shards()).map(|shard| (task.name().to_owned(), shard)));
        self.wished.extend(parts);
    }

    /// Whether a task is one that every instance runs for itself.
    fn is_everywhere(&self, name: &str) -> bool {
        let task = self.tasks.iter().find(|task| task.name() == name);
        task.is_some_and(|task| task.is_everywhere())
    }

    /// Rises even if the clock is set back, so that the newest row always wins.
    fn next_registration_micros(&mut self) -> i64 {
        let next = self.registered_micros.saturating_add(1);
        self.registered_micros = self.clock.now_micros().max(next);
        self.registered_micros
    }

    /// What is due at a moment and not under way.
    fn due(&self, now_micros: i64) -> impl Iterator<Item = (i64, &Arc<dyn Task>, u32)> {
        self.all(now_micros)
            .filter(move |(at, _, _)| *at <= now_micros)
    }

    /// Every shard that is not under way, and when it is due.
    fn all(&self, now_micros: i64) -> impl Iterator<Item = (i64, &Arc<dyn Task>, u32)> {
        let shards = self
            .tasks
            .iter()
            .flat_map(|task| (0..task.shards()).map(move |shard| (task, shard)));
        shards.filter_map(move |(task, shard)| {
            let key = (task.name().to_owned(), shard);
            let handed_out = self.under_way.get(&key);
            if handed_out.is_some_and(|it| it.token.strong_count() > 0) {
                return None;
            }
            if self.wished.contains(&key) {
                return Some((now_micros, task, shard));
            }
            let id = self.instance.id;
            let rank = match task.is_everywhere() {
                true => 0,
                false => rendezvous::rank(task.name(), shard, id, &self.live),
            };
            let seat = Seat {
                task: task.name(),
                shard,
                instance: id,
                rank,
            };
            let last = self.known.get(&key).map(|record| record.run.last());
            let (period, started) = (task.period(), self.started_micros);
            let at = due_at_micros(period, &seat, last.as_ref(), started, now_micros);
            Some((at, task, shard))
        })
    }

    fn hand_out(&mut self, task: Arc<dyn Task>, shard: u32, now_micros: i64) -> Job {
        let key = (task.name().to_owned(), shard);
        let last = self.known.get(&key).map(|record| &record.run);
        let token = Arc::new(());
        let job = Job {
            shard,
            number: last.map_or(0, |run| run.number).saturating_add(1),
            failures_before: last.map_or(0, |run| run.failures),
            instance: self.instance.id,
            clock: Arc::clone(&self.clock),
            token: Arc::clone(&token),
            task,
        };
        let handed_out = HandedOut {
            token: Arc::downgrade(&token),
            if_dropped: job.outcome(
                now_micros,
                Duration::ZERO,
                Err("it was dropped before it ended".to_owned()),
            ),
        };
        self.wished.remove(&key);
        self.under_way.insert(key, handed_out);
        job
    }

    fn notice_dropped(&mut self, now_micros: i64) {
        let is_dropped = |it: &HandedOut| it.token.strong_count() == 0;
        let dropped = self.under_way.iter().filter(|(_, it)| is_dropped(it));
        let dropped: Vec<Key> = dropped.map(|(key, _)| key.clone()).collect();
        for key in dropped {
            if let Some(handed_out) = self.under_way.remove(&key) {
                let run = &handed_out.if_dropped;
                self.telling.of_run(&*self.clock, &key.0, key.1, run, &[]);
                self.learn(key, handed_out.if_dropped, now_micros);
            }
        }
    }

    fn remember(&mut self, ran: &Ran) -> Key {
        let key = (ran.task.clone(), ran.shard);
        self.under_way.remove(&key);
        let (clock, findings) = (&*self.clock, &ran.findings);
        self.telling
            .of_run(clock, &ran.task, ran.shard, &ran.run, findings);
        self.learn(key.clone(), ran.run.clone(), self.clock.now_micros());
        key
    }

    fn learn(&mut self, key: Key, run: Run, now_micros: i64) {
        let before = self.known.get(&key).map(|known| known.written_micros);
        let next = before.map_or(i64::MIN, |before| before.saturating_add(1));
        let record = Record {
            task: key.0.clone(),
            shard: key.1,
            run,
            written_micros: now_micros.max(next),
        };
        self.known.insert(key.clone(), record);
        self.unsaved.insert(key);
    }

    async fn save(&mut self, key: Key) -> Result<(), Error> {
        if let Some(record) = self.known.get(&key) {
            self.tables.runs.write(record).await?;
        }
        self.unsaved.remove(&key);
        self.telling.write(&self.tables.log).await
    }
}

impl Job {
    /// The task.
    #[must_use]
    pub fn task(&self) -> &Arc<dyn Task> {
        &self.task
    }

    /// Its shard.
    #[must_use]
    pub fn shard(&self) -> u32 {
        self.shard
    }

    /// Does the work.
    pub async fn run(self) -> Ran {
        let began_micros = self.clock.now_micros();
        let began = self.clock.monotonic();
        let result = self.task.run(self.shard).await;
        let took = self.clock.monotonic().saturating_sub(began);
        let (result, findings) = match result {
            Ok(done) => (Ok(done.what), Vec::new()),
            Err(TaskError::Found { what, findings }) => (Err(what), findings),
            Err(error) => (Err(error.to_string()), Vec::new()),
        };
        let run = self.outcome(began_micros, took, result);
        Ran {
            task: self.task.name().to_owned(),
            shard: self.shard,
            run,
            findings,
            _token: self.token,
        }
    }

    fn outcome(&self, began_micros: i64, took: Duration, result: Result<String, String>) -> Run {
        let failures = match &result {
            Ok(_) => 0,
            Err(_) => self.failures_before.max(0).saturating_add(1),
        };
        Run {
            instance: self.instance,
            number: self.number,
            began: Timestamp(began_micros.div_euclid(1_000)),
            took_millis: i64::try_from(took.as_millis()).unwrap_or(i64::MAX),
            failures,
            done: result.as_ref().ok().map(|text| kept_text(text)),
            error: result.err().map(|text| kept_text(&text)),
        }
    }
}
