//! The voting domain under faults: real code, from one seed.
//!
//! A seed draws a small community: a few users with several windows each, moderators who merge and
//! release, background workers, all with clocks, memories and habits of their own, on a cluster
//! where everything goes wrong. They act for about three days of virtual time, mostly around
//! midnight. Then the faults end, the tasks run, and the books are audited.
//!
//! Invariants:
//! 1. The seed is the whole input: the same seed gives the same events, whatever ran before.
//! 2. What is judged at the end are the tables and what clients were told, nothing else.

mod actors;
mod check;
mod cuts;
mod failure;
mod happenings;
mod journal;
mod judge;
mod linear;
pub mod many;
pub mod needed;
mod plan;
mod watch;

use std::sync::Arc;

use stoa_session::Error;
use stoa_votes::rules::audit::Finding;
use stoa_votes::rules::named::{Rule, Rules};
use stoa_votes::tables::schema;

pub use cuts::{Cut, Cuts, NoSuchCut};
pub use failure::Failure;
pub use happenings::Happenings;

use crate::catalog::Catalog;
use crate::cluster::SimCluster;
use crate::executor::Executor;
use crate::swarm::Counters;
use plan::Plan;

/// The keyspace of the simulated tables.
pub(crate) const KEYSPACE: &str = "votes";
/// Lines of the trace that a failure shows.
const TRACE_LINES: usize = 20_000;

/// What one seed came to.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The seed.
    pub seed: u64,
    /// What is wrong; nothing, if the rules are right.
    pub findings: Vec<Finding>,
    /// Which faults happened.
    pub faults: Counters,
    /// What happened in the domain.
    pub happenings: Happenings,
    /// A hash of everything that happened, in its order.
    pub event_hash: u64,
    /// What happened last, if that was asked for.
    pub trace: Vec<String>,
}

/// The vote simulation, ready for any number of seeds.
#[derive(Debug)]
pub struct VoteSimulation {
    catalog: Arc<Catalog>,
    rules: Rules,
    without: Option<Rule>,
    clocks: Clocks,
    cuts: Cuts,
}

/// How far the clocks of clients are off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clocks {
    /// By less than the five minutes that are allowed, or not at all; nobody measures.
    #[default]
    Near,
    /// By up to ten minutes, and every window measures: those off by more than five are refused.
    Far,
}

/// Whether a run keeps what happened last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trace {
    /// Yes.
    Kept,
    /// No; faster.
    Dropped,
}

impl VoteSimulation {
    /// The simulation by all rules, or by all but one.
    ///
    /// # Errors
    /// When the domain's schema is not understood.
    pub fn new(without: Option<Rule>) -> Result<Self, Error> {
        let keyspace = format!(
            "CREATE KEYSPACE {KEYSPACE} WITH replication = \
             {{'class': 'SimpleStrategy', 'replication_factor': 3}}"
        );
        let tables = schema(KEYSPACE);
        let mut statements = vec![keyspace.as_str()];
        statements.extend(tables.iter().map(String::as_str));
        Ok(Self {
            catalog: Catalog::of(&statements)?,
            rules: without.map_or(Rules::ALL, Rules::without),
            without,
            clocks: Clocks::Near,
            cuts: Cuts::default(),
        })
    }

    /// The same with clocks that are off by as much.
    #[must_use]
    pub fn with_clocks(mut self, clocks: Clocks) -> Self {
        self.clocks = clocks;
        self
    }

    /// The same without some people or kinds of faults.
    #[must_use]
    pub fn with_cuts(mut self, cuts: Cuts) -> Self {
        self.cuts = cuts;
        self
    }

    /// The rule that is left out.
    #[must_use]
    pub fn without(&self) -> Option<Rule> {
        self.without
    }

    /// Runs one seed.
    #[must_use]
    pub fn run(&self, seed: u64, trace: Trace) -> Outcome {
        self.run_with(seed, &self.cuts, trace)
    }

    fn run_with(&self, seed: u64, cuts: &Cuts, trace: Trace) -> Outcome {
        let plan = Plan::of_seed(seed, self.rules, self.clocks).cut(cuts);
        let mut executor = Executor::new();
        let faults = cuts.faults(plan::faults(seed, self.clocks));
        let catalog = Arc::clone(&self.catalog);
        let cluster = SimCluster::new(&mut executor, catalog, faults.clone(), seed);
        if trace == Trace::Kept {
            cluster.trace(TRACE_LINES);
        }
        let journal = actors::act(&mut executor, &cluster, &plan);
        let is_skewed = faults.clock_offset_micros != 0;
        let findings = check::check(&mut executor, &cluster, &plan, &journal, is_skewed);
        Outcome {
            seed,
            findings,
            faults: cluster.counters(),
            happenings: journal.happenings(),
            event_hash: executor.event_hash(),
            trace: cluster.trace_lines(),
        }
    }
}
