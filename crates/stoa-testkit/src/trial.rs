//! A back end on trial: random scripts on it and on the model of CQL, compared statement by
//! statement.
//!
//! Both have one clock, which moves with every statement, so that times of expiry and of writing
//! are the same. The back end is upset at random: flushed, compacted, opened anew; its answers
//! must not change.
//!
//! Invariants:
//! 1. What the model does not know is counted and is neither agreement nor difference.
//! 2. The same seed and back end give the same trial.
//! 3. Answers that are made wrong on purpose are compared like all others, and each must be seen.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use stoa_session::{Reply, Session};
use stoa_types::{Clock, ManualClock};

use crate::conformance::expectation::Outcome;
use crate::conformance::{Expectation, Runner, Step, Waiter};
use crate::cql_model::{CqlModel, NOT_MODELLED};
use crate::oracle::{Given, Search, differ, given};
use crate::random::Case;
use crate::rng::Rng;

/// A back end on trial.
pub trait Rival {
    /// A session of its own, which uses no keyspace yet.
    fn session(&self) -> Box<dyn Session>;

    /// Upsets it; everything written stays.
    ///
    /// # Errors
    /// What went wrong.
    fn upset(&mut self, upset: Upset) -> Result<(), String>;
}

/// What is done to a back end that must not change its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upset {
    /// Everything is written to tables.
    Flush,
    /// Every table is compacted.
    Compact,
    /// It is closed and opened.
    Reopen,
}

/// What was tried so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Scripts, each with a schema of its own.
    pub schemas: usize,
    /// Statements that both answered.
    pub statements: usize,
    /// Those among them that the model does not know, by what it said.
    pub unknown: BTreeMap<String, usize>,
    /// Those among the others that both refused.
    pub refused: usize,
    /// Differences that were excused, by why.
    pub excused: BTreeMap<&'static str, usize>,
    /// How often the back end was upset.
    pub upsets: usize,
    /// Answers made wrong on purpose, by how.
    pub planted: BTreeMap<&'static str, usize>,
    /// Those among them that were not seen.
    pub unseen: usize,
}

impl Tally {
    /// How many statements the model does not know.
    #[must_use]
    pub fn not_modelled(&self) -> usize {
        self.unknown.values().sum()
    }

    /// Takes over what another one counted.
    pub fn add(&mut self, other: &Self) {
        self.schemas += other.schemas;
        self.statements += other.statements;
        self.refused += other.refused;
        self.upsets += other.upsets;
        self.unseen += other.unseen;
        for (reason, count) in &other.unknown {
            *self.unknown.entry(reason.clone()).or_default() += count;
        }
        for (reason, count) in &other.excused {
            *self.excused.entry(reason).or_default() += count;
        }
        for (kind, count) in &other.planted {
            *self.planted.entry(kind).or_default() += count;
        }
    }
}

/// A difference, with the fewest statements found that show it.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The seed of its script.
    pub seed: u64,
    /// Statements; the last one is answered differently.
    pub steps: Vec<Step>,
    /// What the model answered.
    pub model: Vec<String>,
    /// What the back end answered.
    pub rival: Vec<String>,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "seed {}", self.seed)?;
        for step in &self.steps {
            writeln!(formatter, "{}", step.text())?;
        }
        for line in &self.model {
            writeln!(formatter, "    model   {line}")?;
        }
        for line in &self.rival {
            writeln!(formatter, "    tried   {line}")?;
        }
        Ok(())
    }
}

/// A mistake of the back end that is known and not yet mended.
#[derive(Debug, Clone, Copy)]
pub struct Excuse {
    /// What it does wrong.
    pub reason: &'static str,
    /// Whether a difference shows it: the statement, what the model and what the back end gave.
    pub applies: fn(&Step, &Given, &Given) -> bool,
    /// Whether the two may hold other rows from then on, so that the script ends.
    pub ends_script: bool,
}

/// How much is tried beside the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// What is known to be wrong.
    pub excuses: &'static [Excuse],
    /// One in so many statements comes after an upset; 0 for none.
    pub upset_every: u64,
    /// How many wrong answers are planted in each script at most.
    pub plant_most: usize,
    /// How often a failing script is run again to make it small.
    pub shrink_tries: usize,
}

/// How much time passes with every statement.
const TICK: Duration = Duration::from_millis(1);

/// The keyspace of every script.
const KEYSPACE: &str = "trial";

/// A back end, the clock it shares with the model, and what was tried so far.
pub struct Trial<'a> {
    rival: &'a mut dyn Rival,
    clock: Arc<ManualClock>,
    settings: Settings,
    /// What was tried so far.
    pub tally: Tally,
}

/// Time passes otherwise.
struct NoTime;

impl Waiter for NoTime {
    fn wait(&self, _: Duration) -> Reply<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// What two back ends answered otherwise.
struct Split {
    place: usize,
    model: Given,
    rival: Given,
}

impl<'a> Trial<'a> {
    /// A trial of a back end whose clock this is.
    pub fn new(rival: &'a mut dyn Rival, clock: Arc<ManualClock>, settings: Settings) -> Self {
        Self {
            rival,
            clock,
            settings,
            tally: Tally::default(),
        }
    }

    /// Runs a script on both, and answers the first difference, made small.
    ///
    /// # Errors
    /// When the back end cannot be prepared or upset.
    pub async fn case(&mut self, case: &Case) -> Result<Option<Finding>, String> {
        let mut counted = Tally {
            schemas: 1,
            ..Tally::default()
        };
        let upsets = Some(Rng::new(case.seed ^ 0x5EED));
        let split = self.run(&case.script.steps, upsets, &mut counted).await?;
        self.tally.add(&counted);
        let Some(split) = split else {
            return Ok(None);
        };
        let mut before = case.script.steps.clone();
        before.truncate(split.place + 1);
        let Some(last) = before.pop() else {
            return Err("a difference of no statement".to_owned());
        };
        let mut best = before.clone();
        best.push(last.clone());
        let mut found = split;
        let mut search = Search::new(before, last, self.settings.shrink_tries);
        while let Some(steps) = search.next_try() {
            let split = self.run(&steps, None, &mut Tally::default()).await?;
            let again = split.filter(|it| it.place + 1 == steps.len());
            search.tell(again.is_some());
            if let Some(split) = again {
                best = steps;
                found = split;
            }
        }
        Ok(Some(Finding {
            seed: case.seed,
            steps: best,
            model: found.model.lines(),
            rival: found.rival.lines(),
        }))
    }

    /// Runs statements on a new model and in a new keyspace, up to the first difference.
    async fn run(
        &mut self,
        steps: &[Step],
        mut upsets: Option<Rng>,
        counted: &mut Tally,
    ) -> Result<Option<Split>, String> {
        let shared: Arc<dyn Clock> = Arc::<ManualClock>::clone(&self.clock);
        let model = CqlModel::new(shared);
        let ours = Runner::new(&model, &NoTime, KEYSPACE);
        ours.begin().await.map_err(|error| error.to_string())?;
        let mut session = self.rival.session();
        let started = Runner::new(session.as_ref(), &NoTime, KEYSPACE)
            .begin()
            .await;
        started.map_err(|error| error.to_string())?;
        let mut planter = Planter::default();
        for (place, step) in steps.iter().enumerate() {
            if let Some(upset) = upsets.as_mut().and_then(|rng| self.next_upset(rng)) {
                drop(session);
                self.rival.upset(upset)?;
                counted.upsets += 1;
                session = self.rival.session();
                let resumed = Runner::new(session.as_ref(), &NoTime, KEYSPACE)
                    .resume()
                    .await;
                resumed.map_err(|error| format!("after {upset:?}: {error}"))?;
            }
            self.clock.advance(TICK + step.directives.wait);
            let theirs = given(ours.step(step).await);
            let runner = Runner::new(session.as_ref(), &NoTime, KEYSPACE);
            let tried = given(runner.step(step).await);
            counted.statements += 1;
            if let Some(reason) = unknown(&theirs, &tried) {
                *counted.unknown.entry(reason).or_default() += 1;
                if tried.code().is_some() {
                    model.forget_last_doubt();
                }
                continue;
            }
            if differ(step, &theirs, &tried) {
                let mut excuses = self.settings.excuses.iter();
                if let Some(excuse) = excuses.find(|it| (it.applies)(step, &theirs, &tried)) {
                    *counted.excused.entry(excuse.reason).or_default() += 1;
                    match excuse.ends_script {
                        true => return Ok(None),
                        false => continue,
                    }
                }
                let (model, rival) = (theirs, tried);
                return Ok(Some(Split {
                    place,
                    model,
                    rival,
                }));
            }
            counted.refused += usize::from(tried.code().is_some());
            if planter.count < self.settings.plant_most && upsets.is_some() {
                planter.plant(step, &theirs, &tried, counted);
            }
        }
        Ok(None)
    }

    fn next_upset(&self, rng: &mut Rng) -> Option<Upset> {
        let every = self.settings.upset_every;
        if every == 0 || rng.below(every) != 0 {
            return None;
        }
        Some(match rng.below(3) {
            0 => Upset::Flush,
            1 => Upset::Compact,
            _ => Upset::Reopen,
        })
    }
}

/// What the model says it does not know. It looks at a statement when it has its values; where
/// they cannot be bound, a refusal of the statement itself comes before that.
fn unknown(given: &Given, tried: &Given) -> Option<String> {
    match given {
        Given::Problem(_) if tried.code().is_some() => {
            Some("refused before its values were bound".to_owned())
        }
        Given::Answer(Expectation {
            outcome: Outcome::Error { code, message },
            ..
        }) if *code == NOT_MODELLED => Some(message.clone()),
        _ => None,
    }
}

/// Makes answers wrong on purpose.
#[derive(Default)]
struct Planter {
    count: usize,
    /// Rows seen before, by the columns of their answer.
    seen: BTreeMap<Vec<String>, Vec<Vec<String>>>,
}

impl Planter {
    /// Compares answers made wrong with the model's.
    fn plant(&mut self, step: &Step, theirs: &Given, tried: &Given, counted: &mut Tally) {
        let Given::Answer(right) = tried else {
            return;
        };
        let Outcome::Rows { columns, rows } = &right.outcome else {
            return;
        };
        for (kind, wrong) in self.wrongs(columns, rows) {
            let wrong = Given::Answer(Expectation {
                outcome: Outcome::Rows {
                    columns: columns.clone(),
                    rows: wrong,
                },
                warnings: right.warnings.clone(),
            });
            self.count += 1;
            *counted.planted.entry(kind).or_default() += 1;
            counted.unseen += usize::from(!differ(step, theirs, &wrong));
        }
        self.seen.insert(columns.clone(), rows.clone());
    }

    /// One wrong list of rows of each kind that is possible.
    fn wrongs(
        &self,
        columns: &[String],
        rows: &[Vec<String>],
    ) -> Vec<(&'static str, Vec<Vec<String>>)> {
        let mut wrongs = Vec::new();
        let place = self.count.checked_rem(rows.len()).unwrap_or(0);
        if let Some(row) = rows.get(place) {
            let mut hidden = rows.to_vec();
            hidden.remove(place);
            wrongs.push(("a row hidden", hidden));
            let mut added = rows.to_vec();
            added.insert(place, row.clone());
            wrongs.push(("a row added", added));
            let mut changed = rows.to_vec();
            let cell = self.count.checked_rem(row.len()).unwrap_or(0);
            let cells = changed.get_mut(place);
            if let Some(cell) = cells.and_then(|row| row.get_mut(cell)) {
                "'planted'".clone_into(cell);
                wrongs.push(("a value changed", changed));
            }
        }
        let gone = self.seen.get(columns).into_iter().flatten();
        if let Some(row) = gone.into_iter().find(|row| !rows.contains(row)) {
            let mut shown = rows.to_vec();
            shown.push(row.clone());
            wrongs.push(("a row of before shown", shown));
        }
        wrongs
    }
}
