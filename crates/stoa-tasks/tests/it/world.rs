//! A database whose clock is moved by hand, and tasks that tell what they did.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use stoa_engine::Database;
use stoa_session::{Session, Shortcuts};
use stoa_store::Store;
use stoa_tasks::{Done, Runner, Tables, Task, TaskError, Work};
use stoa_types::{Clock, ManualClock, SeededIds};

/// 2026-11-16T00:00:00Z.
pub(crate) const MIDNIGHT: i64 = 1_794_787_200_000_000;
pub(crate) const SECOND: i64 = 1_000_000;

pub(crate) struct World {
    pub(crate) session: Arc<dyn Session>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) ids: Arc<SeededIds>,
    pub(crate) tables: Arc<Tables>,
}

impl World {
    pub(crate) async fn new() -> Self {
        let clock = Arc::new(ManualClock::at_micros(MIDNIGHT));
        let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let store = Store::memory(stoa_store::Options::default(), Arc::clone(&by)).unwrap();
        let ids = Arc::new(SeededIds::with_clock(1, Arc::clone(&by)));
        let database = Database::with_store(store, by, Arc::<SeededIds>::clone(&ids)).unwrap();
        let session: Arc<dyn Session> = Arc::new(database.session());
        let keyspace = "CREATE KEYSPACE tasks WITH replication = \
            {'class': 'SimpleStrategy', 'replication_factor': 1}";
        session.run_text(keyspace).await.unwrap();
        let tables = Tables::open(Arc::clone(&session), "tasks").await.unwrap();
        Self {
            session,
            clock,
            ids,
            tables: Arc::new(tables),
        }
    }

    pub(crate) fn runner(&self, tasks: &[Arc<dyn Task>]) -> Runner {
        self.runner_on(&self.tables, tasks)
    }

    pub(crate) fn runner_on(&self, tables: &Arc<Tables>, tasks: &[Arc<dyn Task>]) -> Runner {
        let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&self.clock);
        Runner::new(Arc::clone(tables), tasks.to_vec(), by, &*self.ids, "1.0").unwrap()
    }

    pub(crate) fn wait(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.now_micros()
    }
}

/// A task that remembers when each of its shards ran, and may fail.
#[derive(Debug)]
pub(crate) struct Diary {
    name: &'static str,
    period_seconds: u64,
    shards: u32,
    clock: Arc<ManualClock>,
    runs: Mutex<BTreeMap<u32, Vec<i64>>>,
    fails: Mutex<Option<&'static str>>,
}

impl Diary {
    pub(crate) fn new(
        world: &World,
        name: &'static str,
        period_seconds: u64,
        shards: u32,
    ) -> Arc<Self> {
        Arc::new(Self {
            name,
            period_seconds,
            shards,
            clock: Arc::clone(&world.clock),
            runs: Mutex::default(),
            fails: Mutex::default(),
        })
    }

    /// When each shard ran, those that never did included.
    pub(crate) fn runs(&self) -> Vec<Vec<i64>> {
        let runs = self.runs.lock().unwrap();
        let of = |shard| runs.get(&shard).cloned().unwrap_or_default();
        (0..self.shards).map(of).collect()
    }

    pub(crate) fn fail(&self, why: Option<&'static str>) {
        *self.fails.lock().unwrap() = why;
    }

    /// The longest time in seconds in which a shard did not run, up to a moment.
    pub(crate) fn longest_pause(&self, from: i64, until: i64) -> i64 {
        let pause = |moments: Vec<i64>| {
            let moments: Vec<i64> = [from].into_iter().chain(moments).chain([until]).collect();
            let pauses = moments.iter().zip(moments.iter().skip(1));
            pauses.map(|(before, after)| after - before).max().unwrap()
        };
        self.runs().into_iter().map(pause).max().unwrap() / SECOND
    }
}

impl Task for Diary {
    fn name(&self) -> &str {
        self.name
    }

    fn about(&self) -> &str {
        "Remembers when it ran."
    }

    fn period(&self) -> Duration {
        Duration::from_secs(self.period_seconds)
    }

    fn shards(&self) -> u32 {
        self.shards
    }

    fn run(&self, shard: u32) -> Work<'_> {
        Box::pin(async move {
            let now = self.clock.now_micros();
            self.runs
                .lock()
                .unwrap()
                .entry(shard)
                .or_default()
                .push(now);
            match *self.fails.lock().unwrap() {
                Some(why) => Err(TaskError::Wrong(why.to_owned())),
                None => Ok(Done::told(format!("part {shard}"))),
            }
        })
    }
}
