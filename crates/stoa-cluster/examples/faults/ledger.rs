//! What clients did and were told, and whether the cluster kept its word.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use stoa_session::{Error, Outcome};
use stoa_testkit::history::order::{Operation, OrderFailure};
use stoa_testkit::history::register::{RegisterAction, check_register};
use stoa_testkit::nodes::Deed;
use stoa_types::clock::{Clock as _, SystemClock};

use crate::tables::Tables;
use crate::timeline::{Reason, Timeline, Unknown, Write};

/// Everything that was done, by all clients.
#[derive(Default)]
pub(crate) struct Ledger {
    /// One counter for the order of all calls and answers.
    moment: AtomicU64,
    saved: AtomicU64,
    notes: Mutex<Notes>,
    clock: SystemClock,
}

/// What is known about one write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was acknowledged, or a read has settled that it happened.
    Saved,
    /// It was said not to have happened.
    Refused,
    /// Nobody knows.
    Unknown,
}

/// What a read told about a write whose outcome was unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Settled {
    /// It had happened, or was done again where that is as good.
    There,
    /// It had not happened.
    NotThere,
    /// Another write came after it, if it happened.
    Overtaken,
    /// No read was answered.
    NoAnswer,
}

#[derive(Default)]
struct Notes {
    saves: BTreeMap<(i32, i32), Fate>,
    appends: BTreeMap<(i32, i64), Fate>,
    registers: BTreeMap<i32, Vec<Operation<RegisterAction>>>,
    phases: Vec<Phase>,
    unknown: Vec<Unknown>,
    settled: BTreeMap<(Write, Settled), u64>,
    timeline: Timeline,
}

/// What happened while the nodes were in one state.
#[derive(Debug, Default, Clone)]
pub(crate) struct Phase {
    /// What was done to them.
    pub(crate) deed: String,
    /// How long each answer took.
    pub(crate) times: Vec<Duration>,
    /// Errors whose outcome was unknown, by kind of write.
    pub(crate) unknown: BTreeMap<Write, u64>,
    /// Errors that said that nothing happened.
    pub(crate) refused: Vec<String>,
}

/// Whether the cluster kept its word.
pub(crate) struct Verdict {
    pub(crate) saved: u64,
    pub(crate) conditional: usize,
    pub(crate) unsettled: usize,
    /// Acknowledged and gone.
    pub(crate) lost: Vec<String>,
    /// There more than once, or there although it was said not to be.
    pub(crate) doubled: Vec<String>,
    /// Conditional writes that no order explains.
    pub(crate) disordered: Vec<String>,
    pub(crate) phases: Vec<Phase>,
    /// Every unknown outcome, and why.
    pub(crate) unknown: Vec<(Unknown, Reason)>,
    /// What reads told about them.
    pub(crate) settled: BTreeMap<(Write, Settled), u64>,
}

/// Enough for the histories of these runs.
const MOST_STATES: usize = 20_000_000;

impl Ledger {
    /// The next moment in the order of calls and answers.
    pub(crate) fn moment(&self) -> u64 {
        self.moment.fetch_add(1, Ordering::SeqCst)
    }

    /// How many writes were acknowledged.
    pub(crate) fn saved(&self) -> u64 {
        self.saved.load(Ordering::Relaxed)
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time since the run began.
    pub(crate) fn now(&self) -> Duration {
        self.clock.monotonic()
    }

    /// Something is about to be done to a node: from now on they are in another state.
    pub(crate) fn begin(&self, deed: Deed) {
        let mut notes = self.notes();
        notes.timeline.begin(deed, self.now());
        notes.phases.push(Phase {
            deed: deed.to_string(),
            ..Phase::default()
        });
    }

    /// It has been done.
    pub(crate) fn end(&self, deed: Deed) {
        self.notes().timeline.end(deed, self.now());
    }

    /// Notes how an answer came to a write that was begun at `from`.
    pub(crate) fn answered<T>(&self, write: Write, from: Duration, answer: &Result<T, Error>) {
        let to = self.now();
        let notes = &mut *self.notes();
        if notes.phases.is_empty() {
            notes.phases.push(Phase {
                deed: "healthy".to_owned(),
                ..Phase::default()
            });
        }
        let Some(phase) = notes.phases.last_mut() else {
            return;
        };
        phase.times.push(to.saturating_sub(from));
        match answer {
            Ok(_) => {
                self.saved.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) if error.outcome() == Outcome::Unknown => {
                *phase.unknown.entry(write).or_default() += 1;
                notes.unknown.push(Unknown {
                    write,
                    error: error.clone(),
                    from,
                    to,
                });
            }
            Err(error) => phase.refused.push(format!("{:?}: {error}", error.kind())),
        }
    }

    /// Notes what a read told about a write whose outcome was unknown.
    pub(crate) fn settled(&self, write: Write, settled: Settled) {
        *self.notes().settled.entry((write, settled)).or_default() += 1;
    }

    pub(crate) fn note_save(&self, client: i32, number: i32, fate: Fate) {
        self.notes().saves.insert((client, number), fate);
    }

    pub(crate) fn note_append(&self, client: i32, tag: i64, fate: Fate) {
        self.notes().appends.insert((client, tag), fate);
    }

    pub(crate) fn note_register(&self, key: i32, operation: Operation<RegisterAction>) {
        self.notes()
            .registers
            .entry(key)
            .or_default()
            .push(operation);
    }

    /// Reads everything and compares.
    pub(crate) async fn judge(&self, tables: &Tables) -> Result<Verdict, Error> {
        let saves: BTreeSet<(i32, i32)> = tables.all_saves().await?.into_iter().collect();
        let mut lists: BTreeMap<(i32, i64), u64> = BTreeMap::new();
        for (client, tags) in tables.all_lists().await? {
            for tag in tags.unwrap_or_default() {
                *lists.entry((client, tag)).or_default() += 1;
            }
        }
        let notes = self.notes();
        let mut verdict = Verdict {
            saved: self.saved(),
            conditional: notes.registers.values().map(Vec::len).sum(),
            unsettled: notes
                .saves
                .values()
                .filter(|fate| **fate == Fate::Unknown)
                .count(),
            lost: Vec::new(),
            doubled: Vec::new(),
            disordered: Vec::new(),
            phases: notes.phases.clone(),
            unknown: notes
                .unknown
                .iter()
                .map(|unknown| (unknown.clone(), notes.timeline.reason(unknown)))
                .collect(),
            settled: notes.settled.clone(),
        };
        for (key, fate) in &notes.saves {
            verdict.compare(
                format!("save {key:?}"),
                *fate,
                u64::from(saves.contains(key)),
            );
        }
        for (key, fate) in &notes.appends {
            let times = lists.get(key).copied().unwrap_or_default();
            verdict.compare(format!("append {key:?}"), *fate, times);
        }
        for (key, operations) in &notes.registers {
            if let Err(failure) = check_register(operations, MOST_STATES) {
                verdict.disordered.push(explain(*key, operations, &failure));
            }
        }
        Ok(verdict)
    }
}

impl Verdict {
    fn compare(&mut self, what: String, fate: Fate, times: u64) {
        match (fate, times) {
            (Fate::Saved, 0) => self.lost.push(what),
            (Fate::Saved, 1) | (Fate::Refused, 0) | (Fate::Unknown, 0 | 1) => {}
            (_, times) => self
                .doubled
                .push(format!("{what}: {fate:?}, {times} times")),
        }
    }
}

fn explain(key: i32, operations: &[Operation<RegisterAction>], failure: &OrderFailure) -> String {
    let stuck = match failure {
        OrderFailure::Impossible { stuck, .. } => stuck.as_slice(),
        OrderFailure::Undecided { .. } => return format!("register {key}: not decided"),
    };
    let stuck: Vec<_> = stuck
        .iter()
        .filter_map(|place| operations.get(*place))
        .collect();
    format!("register {key}: none of these can come next: {stuck:?}")
}
