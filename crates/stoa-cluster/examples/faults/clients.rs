//! Clients that write all the while: plain saves, appends to lists, compare-and-set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use stoa_session::{Error, Outcome};
use stoa_testkit::history::order::Operation;
use stoa_testkit::history::register::{RegisterAction, SetOutcome};
use tokio::task::JoinSet;

use crate::ledger::{Fate, Ledger, Settled};
use crate::tables::Tables;
use crate::timeline::Write;

const CLIENTS: i32 = 12;
/// Registers that all clients set, and where those begin that each has for itself.
const SHARED_REGISTERS: i32 = 16;
const OWN_REGISTERS: i32 = 1_000;

/// Between the turns of a client: nodes need the processor, too, and most while one starts.
const BREATH: Duration = Duration::from_millis(25);
const LONG_BREATH: Duration = Duration::from_millis(250);
/// Between looks at the count, and between attempts to settle.
const PAUSE: Duration = Duration::from_millis(50);
/// How long the count may stand still: the cluster has stopped answering then.
const STANDSTILL: Duration = Duration::from_secs(120);
/// How often a read may fail before a write stays unsettled.
const SETTLING_ATTEMPTS: u32 = 200;

/// How fast clients write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// With a short breath between turns.
    Brisk,
    /// With a long one.
    Slow,
}

/// Clients at work.
pub(crate) struct Clients {
    tasks: JoinSet<()>,
    should_stop: Arc<AtomicBool>,
    is_slow: Arc<AtomicBool>,
    ledger: Arc<Ledger>,
}

/// Starts them.
pub(crate) fn start(tables: &Arc<Tables>, ledger: &Arc<Ledger>) -> Clients {
    let should_stop = Arc::new(AtomicBool::new(false));
    let is_slow = Arc::new(AtomicBool::new(false));
    let mut tasks = JoinSet::new();
    for number in 0..CLIENTS {
        let client = Client {
            number,
            tables: Arc::clone(tables),
            ledger: Arc::clone(ledger),
        };
        let (should_stop, is_slow) = (Arc::clone(&should_stop), Arc::clone(&is_slow));
        tasks.spawn(async move {
            let mut turn = 0;
            while !should_stop.load(Ordering::Relaxed) {
                client.turn(turn).await;
                turn += 1;
                let breath = match is_slow.load(Ordering::Relaxed) {
                    true => LONG_BREATH,
                    false => BREATH,
                };
                tokio::time::sleep(breath).await;
            }
        });
    }
    Clients {
        tasks,
        should_stop,
        is_slow,
        ledger: Arc::clone(ledger),
    }
}

impl Clients {
    /// Has clients write at this pace from now on.
    pub(crate) fn set_pace(&self, pace: Pace) {
        self.is_slow.store(pace == Pace::Slow, Ordering::Relaxed);
    }

    /// Waits until this many more writes were acknowledged.
    pub(crate) async fn add(&self, more: u64) -> Result<(), String> {
        let mut last = self.ledger.saved();
        let count = last + more;
        let mut still = Duration::ZERO;
        while self.ledger.saved() < count {
            tokio::time::sleep(PAUSE).await;
            still += PAUSE;
            let now = self.ledger.saved();
            if now > last {
                (last, still) = (now, Duration::ZERO);
            }
            if still > STANDSTILL {
                return Err(format!(
                    "no write was acknowledged for {STANDSTILL:?}, after {now}"
                ));
            }
        }
        Ok(())
    }

    /// Lets each finish what it is doing.
    pub(crate) async fn stop(mut self) {
        self.should_stop.store(true, Ordering::Relaxed);
        while self.tasks.join_next().await.is_some() {}
    }
}

/// One client.
struct Client {
    number: i32,
    tables: Arc<Tables>,
    ledger: Arc<Ledger>,
}

impl Client {
    async fn turn(&self, turn: i32) {
        match turn % 4 {
            0 => self.save(turn).await,
            1 => self.append(turn).await,
            2 => {
                let own = OWN_REGISTERS + self.number;
                self.compare_and_set(turn, own, Write::Conditional).await;
            }
            _ => {
                let shared = (self.number + turn) % SHARED_REGISTERS;
                self.compare_and_set(turn, shared, Write::Contended).await;
            }
        }
    }

    /// Times an answer and notes it.
    async fn timed<T>(
        &self,
        write: Write,
        answer: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let from = self.ledger.now();
        let answer = answer.await;
        self.ledger.answered(write, from, &answer);
        answer
    }

    /// A save is settled before the user is answered: where its outcome is unknown, by a read,
    /// and by saving again what is not there.
    async fn save(&self, turn: i32) {
        let saving = self.timed(Write::Save, self.tables.save(self.number, turn));
        let fate = match saving.await {
            Ok(()) => Fate::Saved,
            Err(error) if error.outcome() == Outcome::NotApplied => Fate::Refused,
            Err(_) => self.settle(turn).await,
        };
        self.ledger.note_save(self.number, turn, fate);
    }

    async fn settle(&self, turn: i32) -> Fate {
        let settle = || async {
            let is_there = self.tables.has_saved(self.number, turn).await;
            let is_saved =
                matches!(is_there, Ok(true)) || self.tables.save(self.number, turn).await.is_ok();
            is_saved.then_some(())
        };
        let (settled, fate) = match insist(settle).await {
            Some(()) => (Settled::There, Fate::Saved),
            None => (Settled::NoAnswer, Fate::Unknown),
        };
        self.ledger.settled(Write::Save, settled);
        fate
    }

    /// An append whose outcome is unknown is looked for; where it is not there, it may still come.
    async fn append(&self, turn: i32) {
        let tag = i64::from(turn);
        let appending = self.timed(Write::Append, self.tables.append(self.number, tag));
        let fate = match appending.await {
            Ok(()) => Fate::Saved,
            Err(error) if error.outcome() == Outcome::NotApplied => Fate::Refused,
            Err(_) => self.find(tag).await,
        };
        self.ledger.note_append(self.number, tag, fate);
    }

    async fn find(&self, tag: i64) -> Fate {
        let list = || async { self.tables.list(self.number).await.ok() };
        let tags = insist(list).await;
        let (settled, fate) = match tags {
            Some(tags) if tags.contains(&tag) => (Settled::There, Fate::Saved),
            Some(_) => (Settled::NotThere, Fate::Unknown),
            None => (Settled::NoAnswer, Fate::Unknown),
        };
        self.ledger.settled(Write::Append, settled);
        fate
    }

    async fn compare_and_set(&self, turn: i32, key: i32, write: Write) {
        let Some(expected) = self.register(key).await else {
            return;
        };
        let new = u64::from(turn.unsigned_abs()) << 8 | u64::from(self.number.unsigned_abs());
        let invoked = self.ledger.moment();
        let setting = self.timed(write, self.tables.set(key, expected, new));
        let answer = setting.await;
        let returned = self.ledger.moment();
        let action = |outcome| RegisterAction::CompareAndSet {
            expected,
            new,
            outcome,
        };
        let operation = match answer {
            Ok(outcome) => Operation::new(invoked, returned, action(outcome)),
            Err(error) if error.outcome() == Outcome::NotApplied => return,
            Err(_) => {
                self.look_again(key, expected, new, write).await;
                Operation::unknown(invoked, action(SetOutcome::Unknown))
            }
        };
        self.ledger.note_register(key, operation);
    }

    /// Reads a register once, and notes it.
    async fn register(&self, key: i32) -> Option<Option<u64>> {
        let invoked = self.ledger.moment();
        let value = self.tables.get(key).await.ok()?;
        let read = RegisterAction::Read(value);
        self.ledger
            .note_register(key, Operation::new(invoked, self.ledger.moment(), read));
        Some(value)
    }

    /// A serial read ends whatever round is under way. Every value is written once, so it tells
    /// what became of a conditional write unless another one came after it.
    async fn look_again(&self, key: i32, expected: Option<u64>, new: u64, write: Write) {
        let seen = insist(|| self.register(key)).await;
        let settled = match seen {
            Some(Some(value)) if value == new => Settled::There,
            Some(value) if value == expected => Settled::NotThere,
            Some(_) => Settled::Overtaken,
            None => Settled::NoAnswer,
        };
        self.ledger.settled(write, settled);
    }
}

/// Asks until there is an answer.
async fn insist<T, F: Future<Output = Option<T>>>(ask: impl Fn() -> F) -> Option<T> {
    for _ in 0..SETTLING_ATTEMPTS {
        if let Some(answer) = ask().await {
            return Some(answer);
        }
        tokio::time::sleep(PAUSE).await;
    }
    None
}
