//! Watching the store calls of a client, to count what the domain does in between and tells nobody.
//!
//! It looks at what is asked and answered, and at the tables as they are, and changes nothing. What
//! statements there are it knows from their texts; if those change, a count ends at 0, and a long
//! run says so.

mod old_tab;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stoa_session::bind::Cell;
use stoa_session::shortcuts::applied;
use stoa_session::statement::BatchItem;
use stoa_session::{Answer, Batch, Bound, Error, PagingState, Prepared, Reply, Session, Statement};
use stoa_votes::model::{Day, PolicyId};
use stoa_votes::ops::submit::{Accepted, Ask, NotAccepted, Request};
use uuid::Uuid;

use super::KEYSPACE;
use super::journal::Journal;
use crate::cluster::SimCluster;
use crate::session::SimSession;

/// A client's session, watched.
pub(super) struct Watched {
    inner: Arc<SimSession>,
    cluster: SimCluster,
    journal: Journal,
    attempt: Mutex<Attempt>,
    /// Whether it is that of a background worker.
    is_worker: bool,
}

/// What was sent of the request that is under way.
#[derive(Default)]
struct Attempt {
    /// The days that intents were written for.
    days: BTreeSet<Day>,
    /// The records that were sent, and whether one of each was answered as applied.
    records: Vec<(Uuid, bool)>,
    /// The policies that get votes by it.
    raised: BTreeSet<PolicyId>,
    /// Those of which was read where they stand.
    fresh: BTreeSet<PolicyId>,
}

/// A statement that is counted.
enum Seen {
    Intent(Day),
    Record(Uuid),
    Fence,
    Close { day: Day, snapshot: Uuid },
    Merge { source: PolicyId, target: PolicyId },
    Standing(PolicyId),
    Forgets(Uuid),
    Pays,
    Paid(Uuid),
    Total { policy: PolicyId, as_of_micros: i64 },
    DayOfPolicy(Day),
    Ranks { day: Day, snapshot: Uuid },
}

impl Watched {
    pub(super) fn new(inner: &Arc<SimSession>, cluster: &SimCluster, journal: &Journal) -> Self {
        Self {
            inner: Arc::clone(inner),
            cluster: cluster.clone(),
            journal: journal.clone(),
            attempt: Mutex::default(),
            is_worker: false,
        }
    }

    /// The same of a background worker.
    pub(super) fn of_worker(self) -> Self {
        Self {
            is_worker: true,
            ..self
        }
    }

    fn attempt(&self) -> MutexGuard<'_, Attempt> {
        self.attempt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request is sent.
    pub(super) fn begin(&self) {
        *self.attempt() = Attempt::default();
    }

    /// A request is sent whose policies are named.
    pub(super) fn begin_request(&self, request: &Request) {
        self.begin();
        if let Ask::Move(moves) = &request.ask {
            let raised = moves.iter().filter(|(_, votes)| **votes > 0);
            let raised = raised.map(|(policy, _)| *policy).collect();
            self.attempt().raised = raised;
        }
    }

    /// A request was answered.
    pub(super) fn end(&self, answer: &Result<Accepted, NotAccepted>) {
        let attempt = std::mem::take(&mut *self.attempt());
        let mut pages = self.journal.pages();
        match answer {
            Ok(accepted) => {
                let mut records = attempt.records.iter();
                match records.find(|(version, _)| *version == accepted.version.0) {
                    Some((_, is_applied)) => pages.happenings.found_own += u64::from(!is_applied),
                    None => pages.happenings.answered_again += 1,
                }
            }
            Err(NotAccepted::RefusedBefore { .. }) => pages.happenings.answered_again += 1,
            Err(_) => {}
        }
    }

    /// What is about to be asked.
    fn note_before(&self, seen: &Seen) {
        match seen {
            Seen::Standing(policy) => {
                self.attempt().fresh.insert(*policy);
            }
            // Only a policy that takes votes gets some; of one that was not read, that is memory.
            Seen::Record(_) => {
                let remembered: Vec<PolicyId> = {
                    let attempt = self.attempt();
                    attempt.raised.difference(&attempt.fresh).copied().collect()
                };
                let is_old = |policy: &&PolicyId| !self.takes_votes(**policy);
                let count = remembered.iter().filter(is_old).count();
                self.journal.pages().happenings.old_memory += count as u64;
            }
            _ => {}
        }
    }

    fn note(&self, seen: &Seen, answer: &Result<Answer, Error>) {
        let is_applied = answer.as_ref().ok().map(is_applied);
        match seen {
            Seen::Intent(day) if answer.is_ok() => {
                let is_another = {
                    let days = &mut self.attempt().days;
                    days.insert(*day) && days.len() > 1
                };
                let is_late = self.is_over(*day);
                let mut pages = self.journal.pages();
                pages.happenings.start_overs += u64::from(is_another);
                pages.happenings.late_intents += u64::from(is_late);
            }
            Seen::Record(version) => {
                let now = is_applied == Some(true);
                let records = &mut self.attempt().records;
                match records.iter_mut().find(|(it, _)| it == version) {
                    Some((_, is_applied)) => *is_applied |= now,
                    None => records.push((*version, now)),
                }
            }
            Seen::Fence if is_applied == Some(true) => {
                self.journal.pages().happenings.fences += 1;
            }
            Seen::Close { .. } if is_applied == Some(false) => {
                self.journal.pages().happenings.second_closers += 1;
            }
            Seen::Close { day, snapshot } if is_applied == Some(true) => {
                self.journal.pages().closed_as.push((*day, *snapshot));
            }
            Seen::Merge { source, target } if is_applied == Some(false) => {
                let other = self.target_of(*source).filter(|it| it != target);
                self.journal.pages().happenings.lost_sources += u64::from(other.is_some());
            }
            _ => self.note_more(seen, answer, is_applied),
        }
    }

    fn note_more(&self, seen: &Seen, answer: &Result<Answer, Error>, is_applied: Option<bool>) {
        match seen {
            Seen::Merge { source, target } if is_applied == Some(true) => {
                let mut pages = self.journal.pages();
                let is_target = pages.targets.contains(source);
                pages.happenings.merged_again += u64::from(is_target);
                pages.targets.insert(*target);
            }
            Seen::Pays if is_applied == Some(false) => {
                self.journal.pages().happenings.second_payers += 1;
            }
            Seen::Paid(user) => self.note_payments(*user, answer),
            Seen::Total {
                policy,
                as_of_micros,
            } if answer.is_ok() => {
                let is_later = self.counted_as_of(*policy) > Some(*as_of_micros);
                self.journal.pages().happenings.overtaken_recounts += u64::from(is_later);
            }
            Seen::DayOfPolicy(day) if answer.is_ok() => {
                let is_late = self.state_of(*day).as_deref() == Some("closed");
                self.journal.pages().happenings.overtaken_closers += u64::from(is_late);
            }
            Seen::Ranks { day, snapshot } if is_applied == Some(true) => {
                let mut pages = self.journal.pages();
                pages.happenings.ranked_days += 1;
                pages.ranked_as.push((*day, *snapshot));
            }
            Seen::Forgets(version) if answer.is_ok() && self.is_worker => {
                let mut pages = self.journal.pages();
                let workers = pages.drained.entry(*version).or_default();
                let is_another = workers.insert(self.inner.name().into()) && workers.len() > 1;
                pages.happenings.met_drains += u64::from(is_another);
            }
            _ => {}
        }
    }

    fn note_payments(&self, user: Uuid, answer: &Result<Answer, Error>) {
        let Some(rows) = answer.as_ref().ok().and_then(Answer::rows) else {
            return;
        };
        let mut pages = self.journal.pages();
        for row in rows.iter() {
            if let (Ok(period), Ok(amount)) = (row.get("period"), row.get("amount")) {
                pages.read_payment((user, period), amount);
            }
        }
    }

    /// Whether a day takes no votes any more, as all replicas together know.
    fn is_over(&self, day: Day) -> bool {
        self.state_of(day).is_some()
    }

    /// The state of a day that is not open, as all replicas together know.
    fn state_of(&self, day: Day) -> Option<String> {
        let text = format!("SELECT state FROM {KEYSPACE}.days WHERE year = ? AND day = ?");
        let year = i32::try_from(day.civil().year).unwrap_or(i32::MAX);
        let rows = self.cluster.inspect(&text, (year, day)).ok()?;
        rows.first()?.get::<Option<String>>("state").ok()?
    }

    /// Whether a policy takes votes, as all replicas together know.
    fn takes_votes(&self, policy: PolicyId) -> bool {
        let text = format!("SELECT state FROM {KEYSPACE}.policies WHERE policy = ?");
        let rows = self.cluster.inspect(&text, (policy,));
        let state = rows.ok().and_then(|rows| {
            let row = rows.first()?;
            row.get::<Option<String>>("state").ok()?
        });
        state.as_deref() == Some("active")
    }

    /// As of when a policy was counted, as all replicas together know.
    fn counted_as_of(&self, policy: PolicyId) -> Option<i64> {
        let text =
            format!("SELECT writetime(total) AS at FROM {KEYSPACE}.policy_total WHERE policy = ?");
        let rows = self.cluster.inspect(&text, (policy,)).ok()?;
        rows.first()?.get::<Option<i64>>("at").ok()?
    }

    /// Where the votes of a policy count, as all replicas together know.
    fn target_of(&self, policy: PolicyId) -> Option<PolicyId> {
        let text = format!("SELECT merged_to FROM {KEYSPACE}.policies WHERE policy = ?");
        let rows = self.cluster.inspect(&text, (policy,)).ok()?;
        let row = rows.first()?;
        row.get::<Option<PolicyId>>("merged_to").ok()?
    }
}

fn is_applied(answer: &Answer) -> bool {
    applied(answer.clone()).is_ok_and(|it| it.is_yes())
}

impl Seen {
    fn of(bound: &Bound, is_batch: bool) -> Option<Self> {
        let prepared = bound.prepared();
        let mut words = prepared.text().split_whitespace();
        let verb = words.next()?;
        let table = words.find_map(|word| word.strip_prefix(KEYSPACE)?.strip_prefix('.'))?;
        let has = |text: &str| prepared.text().contains(text);
        match (verb, table) {
            ("INSERT", "vote_intent") => Some(Self::Intent(day_of(value(bound, "day")?)?)),
            ("INSERT", "vote_chain") if has("previous") => {
                Some(Self::Record(uuid_of(value(bound, "version")?)?))
            }
            ("UPDATE", "vote_chain") if has("SET epoch") && !is_batch => Some(Self::Fence),
            ("UPDATE", "days") if has("'closed'") => Some(Self::Close {
                day: day_of(value(bound, "day")?)?,
                snapshot: uuid_of(value(bound, "snapshot")?)?,
            }),
            ("UPDATE", "policies") if has("merged_to") => Some(Self::Merge {
                source: PolicyId(uuid_of(value(bound, "policy")?)?),
                target: PolicyId(uuid_of(value(bound, "merged_to")?)?),
            }),
            ("SELECT", "policies") if has("WHERE policy") => {
                Some(Self::Standing(PolicyId(uuid_of(value(bound, "policy")?)?)))
            }
            ("DELETE", "vote_intent") => Some(Self::Forgets(uuid_of(value(bound, "version")?)?)),
            ("INSERT", "salary") if has("IF NOT EXISTS") => Some(Self::Pays),
            ("SELECT", "salary") => Some(Self::Paid(uuid_of(value(bound, "user")?)?)),
            ("INSERT", "policy_total") => Some(Self::Total {
                policy: PolicyId(uuid_of(value(bound, "policy")?)?),
                as_of_micros: bound.options.timestamp?.as_micros(),
            }),
            ("INSERT", "policy_day") => Some(Self::DayOfPolicy(day_of(value(bound, "day")?)?)),
            ("INSERT", "ranked_days") => Some(Self::Ranks {
                day: day_of(value(bound, "day")?)?,
                snapshot: uuid_of(value(bound, "snapshot")?)?,
            }),
            _ => None,
        }
    }
}

/// The value of a variable.
fn value<'a>(bound: &'a Bound, name: &str) -> Option<&'a [u8]> {
    let variables = bound.prepared().variables();
    let at = variables.iter().position(|it| it.name == name)?;
    match bound.values().cells().nth(at)? {
        Cell::Bytes(bytes) => Some(bytes),
        Cell::Null | Cell::Unset => None,
    }
}

fn uuid_of(bytes: &[u8]) -> Option<Uuid> {
    Uuid::from_slice(bytes).ok()
}

/// A date is its number of days, 2^31 being 1970-01-01.
fn day_of(bytes: &[u8]) -> Option<Day> {
    let number = u32::from_be_bytes(bytes.try_into().ok()?);
    let days = i64::from(number) - (1 << 31);
    Some(Day(i32::try_from(days).ok()?))
}

impl Session for Watched {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        self.inner.prepare(text)
    }

    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        let Some(seen) = Seen::of(bound, false) else {
            return self.inner.execute(bound, at);
        };
        Box::pin(async move {
            self.note_before(&seen);
            let answer = self.inner.execute(bound, at).await;
            self.note(&seen, &answer);
            answer
        })
    }

    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer> {
        let items = batch.items().iter().filter_map(|item| match item {
            BatchItem::Bound(bound) => Seen::of(bound, true),
            BatchItem::Text(_) => None,
        });
        let seen: Vec<Seen> = items.collect();
        Box::pin(async move {
            seen.iter().for_each(|seen| self.note_before(seen));
            let answer = self.inner.batch(batch).await;
            for seen in &seen {
                self.note(seen, &answer);
            }
            answer
        })
    }

    fn run<'a>(
        &'a self,
        statement: &'a Statement,
        at: Option<&'a PagingState>,
    ) -> Reply<'a, Answer> {
        self.inner.run(statement, at)
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watched").field(&self.inner).finish()
    }
}
