//! A client of the cluster: its session, its clock, and its bad habits.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use stoa_cql::ast::Statement as Tree;
use stoa_session::statement::BatchItem;
use stoa_session::{
    Answer, Batch, BatchKind, Body, Bound, BoundValues, Column, Consistency, Error, Options,
    PagingState, Prepared, Reply, Rows, Session, Statement,
};
use stoa_testkit::rng::Rng;
use stoa_types::write_time::RisingMicros;

use crate::catalog::{Plan, parse};
use crate::clock::{SimClock, SimIds, wall_micros};
use crate::cluster::{
    Call, CallKind, SimCluster, Ticket, Waiting, begin_conditional, begin_read, begin_serial_read,
    begin_write,
};
use crate::plan::condition::Guard;
use crate::plan::refusal::{Conditional, Statement as Write, cells};
use crate::plan::select::SelectPlan;
use crate::plan::table::Table;
use crate::plan::write::When;
use crate::plan::{invalid, unsupported};
use crate::store::cell::Bytes;
use crate::store::replica::Mutation;
use crate::swarm::happens;
use crate::trace::What;

/// What a client does besides its work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Habits {
    /// At which of its calls, counted from 1, the client dies: before it is sent, or after. Its
    /// task is dropped, and so is every other task that calls its session afterwards.
    pub dies_at_call: Option<u32>,
    /// The chance in 1,000 that it naps before a call.
    pub nap_chance: u32,
    /// How long such a nap is at most.
    pub longest_nap_micros: u64,
    /// Naps at certain calls: which, counted from 1, and how many microseconds.
    pub naps: Vec<(u32, u64)>,
}

/// A client's session; see [the module](self).
pub struct SimSession {
    cluster: SimCluster,
    name: Arc<str>,
    clock: Arc<SimClock>,
    ids: Arc<SimIds>,
    timestamps: RisingMicros,
    life: Mutex<Life>,
}

struct Life {
    habits: Habits,
    rng: Rng,
    calls: u32,
    is_dead: bool,
    keyspace: Arc<str>,
}

/// What a client does before a call.
enum Mood {
    Works,
    Naps(u64),
    IsSuspended(u64),
    DiesBefore,
    DiesAfter,
}

/// What a call asks for.
enum Request<'a> {
    Read(
        &'a Arc<SelectPlan>,
        &'a BoundValues,
        Option<&'a PagingState>,
    ),
    Write(Vec<Write>, BatchShape),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BatchShape {
    Single,
    Logged,
    Unlogged,
}

impl SimSession {
    pub(crate) fn new(
        cluster: SimCluster,
        name: Arc<str>,
        clock: Arc<SimClock>,
        ids: Arc<SimIds>,
        habits: Habits,
        rng: Rng,
    ) -> Self {
        Self {
            cluster,
            name,
            clock,
            ids,
            timestamps: RisingMicros::new(),
            life: Mutex::new(Life {
                habits,
                rng,
                calls: 0,
                is_dead: false,
                keyspace: Arc::from(""),
            }),
        }
    }

    /// The client's clock.
    #[must_use]
    pub fn clock(&self) -> Arc<SimClock> {
        Arc::clone(&self.clock)
    }

    /// The client's ids.
    #[must_use]
    pub fn ids(&self) -> Arc<SimIds> {
        Arc::clone(&self.ids)
    }

    /// The client's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many calls it has made.
    #[must_use]
    pub fn calls(&self) -> u32 {
        self.life().calls
    }

    /// Whether the client has died.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.life().is_dead
    }

    /// Gives the client other habits.
    pub fn set_habits(&self, habits: Habits) {
        self.life().habits = habits;
    }

    /// Waits in virtual time.
    pub fn sleep(&self, duration: Duration) -> crate::timeline::Sleep {
        self.cluster.timeline().sleep(duration)
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keyspace(&self) -> Arc<str> {
        Arc::clone(&self.life().keyspace)
    }

    /// Counts a call and decides what the client does.
    fn mood(&self, is_healed: bool) -> (u32, Mood) {
        let mut life = self.life();
        life.calls += 1;
        let number = life.calls;
        if is_healed && !life.is_dead {
            return (number, Mood::Works);
        }
        if life.is_dead {
            return (number, Mood::DiesBefore);
        }
        if life.habits.dies_at_call.is_some_and(|at| at <= number) {
            life.is_dead = true;
            let is_before = life.rng.chance(50);
            return match is_before {
                true => (number, Mood::DiesBefore),
                false => (number, Mood::DiesAfter),
            };
        }
        let planned = life.habits.naps.iter().find(|(at, _)| *at == number);
        if let Some((_, micros)) = planned {
            return (number, Mood::IsSuspended(*micros));
        }
        let chance = life.habits.nap_chance;
        if chance > 0 && happens(&mut life.rng, chance) {
            let most = life.habits.longest_nap_micros;
            return (number, Mood::Naps(life.rng.below(most + 1)));
        }
        (number, Mood::Works)
    }

    /// Makes a call: naps or dies if it must, asks, waits.
    async fn call(&self, request: Request<'_>, options: &Options) -> Result<Answer, Error> {
        let is_healed = self.cluster.state().is_healed;
        let (number, mood) = self.mood(is_healed);
        match mood {
            Mood::Works => {}
            Mood::Naps(micros) => {
                self.cluster.state().counters.naps += 1;
                self.sleep(Duration::from_micros(micros)).await;
            }
            Mood::IsSuspended(micros) => {
                {
                    let counters = &mut self.cluster.state().counters;
                    counters.naps += 1;
                    counters.suspended += 1;
                }
                self.sleep(Duration::from_micros(micros)).await;
            }
            Mood::DiesBefore => return self.die().await,
            Mood::DiesAfter => {
                self.begin(request, options, number)?;
                return self.die().await;
            }
        }
        let ticket = self.begin(request, options, number)?;
        Waiting(ticket).await
    }

    /// Asks a node for its time, which is the right one.
    async fn ask_time(&self, columns: &Arc<[Column]>) -> Result<Answer, Error> {
        let is_healed = self.cluster.state().is_healed;
        match self.mood(is_healed).1 {
            Mood::Works => {}
            Mood::Naps(micros) | Mood::IsSuspended(micros) => {
                self.sleep(Duration::from_micros(micros)).await;
            }
            Mood::DiesBefore | Mood::DiesAfter => return self.die().await,
        }
        self.message().await;
        let millis = wall_micros(self.cluster.timeline()).div_euclid(1_000);
        self.message().await;
        let mut rows = Rows::with_columns(Arc::clone(columns));
        let bytes = millis.to_be_bytes();
        rows.push([Some(bytes.as_slice())])
            .map_err(|it| invalid(it.to_string()))?;
        Ok(Answer::of_rows(rows))
    }

    /// Waits as long as a message takes.
    async fn message(&self) {
        let micros = {
            let mut state = self.cluster.state();
            let faults = state.faults.clone();
            faults.message(&mut state.rng)
        };
        self.sleep(Duration::from_micros(micros)).await;
    }

    /// The task that calls ends here.
    async fn die<T>(&self) -> T {
        {
            let mut state = self.cluster.state();
            state.counters.deaths += 1;
            if state.trace.is_on() {
                let now = state.timeline.now_micros();
                state.trace.note(now, What::Died(Arc::clone(&self.name)));
            }
        }
        self.cluster.timeline().doom_current();
        std::future::pending().await
    }

    fn begin(
        &self,
        request: Request<'_>,
        options: &Options,
        number: u32,
    ) -> Result<Arc<Ticket>, Error> {
        match request {
            Request::Read(plan, values, at) => {
                let size = options.page_size.map(std::num::NonZeroU32::get);
                let reading = plan.bind(&cells(values), size, at)?;
                let is_serial = matches!(
                    options.consistency,
                    Some(Consistency::Serial | Consistency::LocalSerial)
                );
                let ids = reading.ids.as_deref();
                let key = ids.and_then(|ids| match ids {
                    [one] => Some(Arc::clone(&one.key)),
                    _ => None,
                });
                if is_serial && key.is_none() {
                    return Err(invalid("SERIAL may only read one partition at a time"));
                }
                let call = self.noted(CallKind::Read, options, number, &plan.table, key);
                let mut state = self.cluster.state();
                Ok(match is_serial {
                    true => begin_serial_read(&mut state, &call, reading),
                    false => begin_read(&mut state, &call, reading, needed(options)),
                })
            }
            Request::Write(writes, shape) => self.begin_writes(writes, shape, options, number),
        }
    }

    fn begin_writes(
        &self,
        writes: Vec<Write>,
        shape: BatchShape,
        options: &Options,
        number: u32,
    ) -> Result<Arc<Ticket>, Error> {
        let is_conditional = |write: &Write| !matches!(write.0.guard, Guard::None);
        if writes.iter().any(is_conditional) {
            let conditional = Conditional::new(writes, shape != BatchShape::Single)?;
            let table = Arc::clone(&conditional.table);
            let key = Arc::clone(&conditional.id.key);
            let call = self.noted(CallKind::Conditional, options, number, &table, Some(key));
            let mut state = self.cluster.state();
            return Ok(begin_conditional(&mut state, &call, conditional));
        }
        let when = When {
            timestamp: match options.timestamp {
                Some(given) => given.as_micros(),
                None => self.timestamps.next(&*self.clock),
            },
            now_seconds: self.cluster.now_seconds(),
        };
        let mut mutations: Vec<Mutation> = Vec::new();
        let mut table = None;
        for (plan, values) in &writes {
            let new = plan.mutation(&cells(values), when)?;
            table.get_or_insert(&plan.table);
            let is_same = |it: &&mut Mutation| it.table == new.table && it.id == new.id;
            match mutations.iter_mut().find(is_same) {
                Some(known) => known.slice.absorb(&new.slice),
                None => mutations.push(new),
            }
        }
        let table = table.ok_or_else(|| unsupported("a batch of nothing"))?;
        let key = match mutations.as_slice() {
            [one] => Some(Arc::clone(&one.id.key)),
            _ => None,
        };
        let call = self.noted(CallKind::Write, options, number, table, key);
        let mut state = self.cluster.state();
        let is_logged = shape == BatchShape::Logged;
        let needed = needed(options);
        Ok(begin_write(&mut state, &call, mutations, needed, is_logged))
    }

    fn noted(
        &self,
        kind: CallKind,
        options: &Options,
        number: u32,
        table: &Arc<Table>,
        key: Option<Bytes>,
    ) -> Call {
        let mut state = self.cluster.state();
        state.counters.calls += 1;
        let timeout = state.faults.timeout_micros;
        let given = options.deadline.map(|it| it.as_micros());
        let given = given.map(|micros| u64::try_from(micros).unwrap_or(u64::MAX));
        let call = Call {
            client: Arc::clone(&self.name),
            number: u64::from(number),
            kind,
            is_idempotent: options.is_idempotent,
            patience: match given {
                Some(given) if given < timeout => (given, true),
                _ => (timeout, false),
            },
        };
        if state.trace.is_on() {
            let now = state.timeline.now_micros();
            let what = What::Asked {
                call: call.clone(),
                table: Arc::clone(table),
                key,
            };
            state.trace.note(now, what);
        }
        call
    }

    fn writes_of(&self, item: &BatchItem) -> Result<Write, Error> {
        let (prepared, values) = match item {
            BatchItem::Bound(bound) => (bound.prepared().clone(), bound.values().clone()),
            BatchItem::Text(text) => {
                let prepared = self.cluster.catalog().prepare(text, &self.keyspace())?;
                let bound = prepared.bind(())?;
                (prepared, bound.values().clone())
            }
        };
        match plan_of(&prepared)? {
            Plan::Write(plan) => Ok((Arc::clone(plan), values)),
            Plan::Select(_) | Plan::Batch(_) | Plan::Time(_) => {
                Err(invalid("invalid statement in batch"))
            }
        }
    }

    async fn execute_bound(
        &self,
        bound: &Bound,
        at: Option<&PagingState>,
    ) -> Result<Answer, Error> {
        let values = bound.values();
        let request = match plan_of(bound.prepared())? {
            Plan::Select(plan) => Request::Read(plan, values, at),
            Plan::Time(columns) => return self.ask_time(columns).await,
            Plan::Write(plan) => {
                Request::Write(vec![(Arc::clone(plan), values.clone())], BatchShape::Single)
            }
            Plan::Batch(plans) => {
                let plans = plans.iter();
                let writes = plans.map(|plan| (Arc::clone(plan), values.clone()));
                Request::Write(writes.collect(), BatchShape::Logged)
            }
        };
        self.call(request, &bound.options).await
    }

    async fn execute_batch(&self, batch: &Batch) -> Result<Answer, Error> {
        let shape = match batch.kind {
            BatchKind::Logged => BatchShape::Logged,
            BatchKind::Unlogged => BatchShape::Unlogged,
            BatchKind::Counter => return Err(unsupported("counters")),
        };
        if batch.items().is_empty() {
            return Ok(Answer::default());
        }
        let writes = batch.items().iter().map(|item| self.writes_of(item));
        let writes = writes.collect::<Result<Vec<_>, _>>()?;
        self.call(Request::Write(writes, shape), &batch.options)
            .await
    }

    async fn run_text(
        &self,
        statement: &Statement,
        at: Option<&PagingState>,
    ) -> Result<Answer, Error> {
        let keyspace = self.keyspace();
        match parse(&statement.text)?.0 {
            Tree::CreateKeyspace(_) | Tree::CreateTable(_) => {
                self.cluster.catalog().define(&statement.text, &keyspace)
            }
            Tree::Use(name) => {
                if !self.cluster.catalog().has_keyspace(name.as_str()) {
                    let message = format!("keyspace {} does not exist", name.as_str());
                    return Err(invalid(message));
                }
                self.life().keyspace = Arc::from(name.as_str());
                Ok(Answer {
                    body: Body::UsedKeyspace(name.as_str().to_owned()),
                    ..Answer::default()
                })
            }
            _ => {
                let prepared = self.cluster.catalog().prepare(&statement.text, &keyspace)?;
                let bound = prepared.bind(())?.with(statement.options.clone());
                self.execute_bound(&bound, at).await
            }
        }
    }
}

fn plan_of(prepared: &Prepared) -> Result<&Plan, Error> {
    let plan = prepared.handle::<Plan>();
    plan.ok_or_else(|| invalid("a statement that another session prepared"))
}

/// How many replicas must answer.
fn needed(options: &Options) -> usize {
    match options.consistency {
        Some(Consistency::Any | Consistency::One | Consistency::LocalOne) => 1,
        Some(Consistency::Three | Consistency::All) => 3,
        _ => 2,
    }
}

impl Session for SimSession {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        let prepared = self.cluster.catalog().prepare(text, &self.keyspace());
        Box::pin(std::future::ready(prepared))
    }

    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        Box::pin(self.execute_bound(bound, at))
    }

    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer> {
        Box::pin(self.execute_batch(batch))
    }

    fn run<'a>(
        &'a self,
        statement: &'a Statement,
        at: Option<&'a PagingState>,
    ) -> Reply<'a, Answer> {
        Box::pin(self.run_text(statement, at))
    }
}

impl fmt::Debug for SimSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimSession")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
