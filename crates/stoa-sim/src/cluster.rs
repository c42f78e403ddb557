//! A simulated cluster: three replicas, coordinators without a fault of their own, and messages
//! that take time.
//!
//! A plain write is sent to all replicas and acknowledged when enough have it. A read asks as many
//! replicas, at different moments, merges what they say cell by cell, and makes them equal before
//! it answers. A conditional write is one atomic step at some moment of its call: it reads a
//! quorum, decides, and writes a quorum, later than every conditional write before it. The answer
//! may be lost, and the step may come long after the client has given up, or never.
//!
//! Invariants:
//! 1. What was acknowledged at QUORUM is seen by every later read at QUORUM.
//! 2. What a read at QUORUM answered is seen by every later one.
//! 3. Conditional writes and reads at SERIAL of one partition are linearizable.
//! 4. An error that says `NotApplied` is about a call that has no effect and never will.

mod conditional;
mod life;
mod message;
mod read;
mod state;
mod ticket;
mod write;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stoa_session::{Error, Rows, ToValues};
use stoa_testkit::rng::Rng;

pub(crate) use conditional::begin_conditional;
pub(crate) use read::{begin_read, begin_serial_read};
pub(crate) use state::{Call, CallKind, State};
pub(crate) use ticket::{Ticket, Waiting};
pub(crate) use write::begin_write;

use crate::catalog::{Catalog, Plan};
use crate::clock::{SimClock, SimIds, wall_micros};
use crate::executor::{Executor, Receiver};
use crate::plan::refusal::cells;
use crate::plan::unsupported;
use crate::session::{Habits, SimSession};
use crate::store::replica::Slices;
use crate::swarm::{Counters, Faults, happens};
use crate::timeline::Timeline;

/// A cluster of three replicas; see [the module](self). Cheap to clone.
#[derive(Clone)]
pub struct SimCluster {
    shared: Arc<Shared>,
}

struct Shared {
    catalog: Arc<Catalog>,
    timeline: Timeline,
    seed: u64,
    state: Mutex<State>,
}

impl Receiver for Shared {
    fn receive(&self, token: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.receive(token);
    }
}

impl SimCluster {
    /// An empty cluster on an executor.
    pub fn new(executor: &mut Executor, catalog: Arc<Catalog>, faults: Faults, seed: u64) -> Self {
        let timeline = executor.timeline().clone();
        let state = State::new(timeline.clone(), faults, seed);
        let shared = Arc::new(Shared {
            catalog,
            timeline,
            seed,
            state: Mutex::new(state),
        });
        let receiver: Arc<dyn Receiver> = Arc::<Shared>::clone(&shared);
        let number = executor.register(receiver);
        let cluster = Self { shared };
        cluster.state().begin(number);
        cluster
    }

    /// A client with a clock and habits drawn from the faults.
    #[must_use]
    pub fn client(&self, name: &str) -> Arc<SimSession> {
        let habits = {
            let mut state = self.state();
            let faults = state.faults.clone();
            let dies = happens(&mut state.rng, faults.death);
            let call = 1 + state.rng.below(60);
            let is_suspended = happens(&mut state.rng, faults.suspended);
            let suspended_at = 1 + u32::try_from(state.rng.below(120)).unwrap_or(0);
            let suspended_micros = 1 + state.rng.below(faults.longest_suspended_micros + 1);
            let suspended = is_suspended.then_some((suspended_at, suspended_micros));
            Habits {
                dies_at_call: dies.then(|| u32::try_from(call).unwrap_or(1)),
                nap_chance: faults.nap,
                longest_nap_micros: faults.longest_nap_micros,
                naps: suspended.into_iter().collect(),
            }
        };
        self.client_with(name, habits)
    }

    /// A client with a clock drawn from the faults and habits of its own.
    #[must_use]
    pub fn client_with(&self, name: &str, habits: Habits) -> Arc<SimSession> {
        let (number, offset, rng) = {
            let mut state = self.state();
            let faults = state.faults.clone();
            let offset = faults.clock_offset(&mut state.rng);
            state.counters.skewed_clocks += u64::from(offset != 0);
            state.clients += 1;
            (state.clients, offset, state.rng.fork())
        };
        let clock = Arc::new(SimClock::new(self.shared.timeline.clone(), offset));
        let own: Arc<SimClock> = Arc::clone(&clock);
        let ids = Arc::new(SimIds::new(self.shared.seed, number, own));
        Arc::new(SimSession::new(
            self.clone(),
            Arc::from(name),
            clock,
            ids,
            habits,
            rng,
        ))
    }

    /// A client with the right time and without habits.
    #[must_use]
    pub fn punctual(&self, name: &str) -> Arc<SimSession> {
        let session = self.client_with(name, Habits::default());
        let clock = session.clock();
        clock.jump_micros(-clock.offset_micros());
        session
    }

    /// Takes a replica down, counted from 0, until it is brought up.
    pub fn take_down(&self, replica: usize) {
        self.state().take_down(replica);
    }

    /// Brings a replica up, which then gets its hints.
    pub fn bring_up(&self, replica: usize) {
        self.state().bring_up(replica);
    }

    /// Ends all faults: replicas are up, and every write and decision that was on its way happens
    /// now. Clients neither die nor nap from now on. What replicas missed for good they still miss.
    pub fn heal(&self) {
        self.state().heal();
    }

    /// Makes all replicas equal, as anti-entropy repair does.
    pub fn repair(&self) {
        self.state().repair();
    }

    /// Whether all replicas keep the same.
    #[must_use]
    pub fn replicas_equal(&self) -> bool {
        self.state().replicas_equal()
    }

    /// How many rows each replica keeps, deleted ones too.
    #[must_use]
    pub fn row_counts(&self) -> [usize; 3] {
        self.state().row_counts()
    }

    /// What a SELECT would answer if every replica were asked at this moment. It takes no time,
    /// knows no faults and repairs nothing.
    ///
    /// # Errors
    /// When the text is no SELECT that can be executed, or the values do not fit.
    pub fn inspect(&self, text: &str, values: impl ToValues) -> Result<Rows, Error> {
        let prepared = self.shared.catalog.prepare(text, "")?;
        let bound = prepared.bind(values)?;
        let Some(Plan::Select(plan)) = prepared.handle::<Plan>() else {
            return Err(unsupported("inspecting what is no SELECT"));
        };
        let reading = plan.bind(&cells(bound.values()), None, None)?;
        let state = self.state();
        let mut merged: Option<Slices> = None;
        for replica in 0..state::REPLICAS {
            let sample = state.sample(replica, &reading);
            merged = Some(match merged {
                None => sample,
                Some(merged) => read::merge(&reading, &merged, &sample),
            });
        }
        let answer = reading.answer(&merged.unwrap_or_default(), self.now_seconds())?;
        Ok(answer.into_rows())
    }

    /// How often each kind of fault has happened so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.state().counters
    }

    /// Keeps the last so many lines of what happens; 0 for none.
    pub fn trace(&self, lines: usize) {
        self.state().trace.keep(lines);
    }

    /// The lines that were kept, oldest first.
    #[must_use]
    pub fn trace_lines(&self) -> Vec<String> {
        self.state().trace.lines()
    }

    /// The schema and the compiled statements.
    #[must_use]
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.shared.catalog
    }

    /// Virtual time.
    #[must_use]
    pub fn timeline(&self) -> &Timeline {
        &self.shared.timeline
    }

    /// A generator of its own, for a test that wants to draw from the same seed.
    #[must_use]
    pub fn rng(&self) -> Rng {
        self.state().rng.fork()
    }

    pub(crate) fn now_seconds(&self) -> i64 {
        wall_micros(&self.shared.timeline).div_euclid(1_000_000)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        let state = self.shared.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SimCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimCluster")
            .field("seed", &self.shared.seed)
            .finish_non_exhaustive()
    }
}
