//! Virtual time and what is planned in it: the part of the executor that tasks may hold.
//!
//! Invariants:
//! 1. Events of one time come in the order in which they were planned.
//! 2. A task that is planned to be polled now is not planned a second time.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake};
use std::time::Duration;

use crate::executor::{Executor, TaskId};

/// Virtual time, shared by an executor and all that runs on it. Cheap to clone.
#[derive(Clone)]
pub struct Timeline {
    inner: Arc<Inner>,
}

struct Inner {
    now: AtomicU64,
    plans: Mutex<Plans>,
}

#[derive(Default)]
struct Plans {
    heap: BinaryHeap<Reverse<Planned>>,
    sequence: u64,
    /// How many events are planned that do not go on for ever by themselves.
    wanted: usize,
    /// Tasks that are to be polled at the present time.
    woken: BTreeSet<TaskId>,
    polled: Option<TaskId>,
    is_polled_doomed: bool,
}

/// Something that will happen.
pub(crate) enum Event {
    /// A task is polled.
    Wake(TaskId),
    /// A receiver gets one of its messages.
    Deliver { receiver: u32, token: u64 },
    /// A call is made.
    Call(Box<dyn FnOnce(&mut Executor) + Send>),
}

impl Event {
    /// A kind and a number that tell events apart in a hash.
    pub(crate) fn fingerprint(&self) -> (u64, u64) {
        match self {
            Self::Wake(id) => (1, u64::from(id.0)),
            Self::Deliver { receiver, token } => (2, u64::from(*receiver) ^ (token << 4)),
            Self::Call(_) => (3, 0),
        }
    }
}

struct Planned {
    at: u64,
    sequence: u64,
    is_background: bool,
    event: Event,
}

impl PartialEq for Planned {
    fn eq(&self, other: &Self) -> bool {
        self.sequence == other.sequence
    }
}

impl Eq for Planned {}

impl PartialOrd for Planned {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Planned {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}

impl Timeline {
    pub(crate) fn new() -> Self {
        Self {
            inner: Arc::new(Inner {
                now: AtomicU64::new(0),
                plans: Mutex::default(),
            }),
        }
    }

    /// Virtual microseconds since the start.
    #[must_use]
    pub fn now_micros(&self) -> u64 {
        self.inner.now.load(Ordering::Relaxed)
    }

    /// Waits in virtual time.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        Sleep {
            until: self.now_micros().saturating_add(micros),
            timeline: self.clone(),
            is_planned: false,
        }
    }

    pub(crate) fn plan(&self, at: u64, event: Event) {
        self.push(at, event, false);
    }

    /// Plans what goes on for ever by itself, and so keeps nobody waiting.
    pub(crate) fn plan_background(&self, at: u64, event: Event) {
        self.push(at, event, true);
    }

    fn push(&self, at: u64, event: Event, is_background: bool) {
        let at = at.max(self.now_micros());
        let mut plans = self.plans();
        plans.push(at, event, is_background);
    }

    pub(crate) fn wake(&self, id: TaskId) {
        let now = self.now_micros();
        let mut plans = self.plans();
        if plans.woken.insert(id) {
            plans.push(now, Event::Wake(id), false);
        }
    }

    /// Takes the next event if it is not later than a time, which it then is.
    pub(crate) fn pop_until(&self, micros: u64) -> Option<(u64, Event)> {
        let mut plans = self.plans();
        if plans.heap.peek()?.0.at > micros {
            return None;
        }
        self.pop(&mut plans)
    }

    /// Takes the next event if some planned event does not go on for ever by itself.
    pub(crate) fn pop_wanted(&self) -> Option<(u64, Event)> {
        let mut plans = self.plans();
        if plans.wanted == 0 {
            return None;
        }
        self.pop(&mut plans)
    }

    fn pop(&self, plans: &mut Plans) -> Option<(u64, Event)> {
        let Reverse(next) = plans.heap.pop()?;
        if !next.is_background {
            plans.wanted = plans.wanted.saturating_sub(1);
        }
        if let Event::Wake(id) = &next.event {
            plans.woken.remove(id);
        }
        self.inner.now.store(next.at, Ordering::Relaxed);
        Some((next.at, next.event))
    }

    pub(crate) fn advance(&self, micros: u64) {
        self.inner.now.fetch_max(micros, Ordering::Relaxed);
    }

    pub(crate) fn begin_poll(&self, id: TaskId) {
        let mut plans = self.plans();
        plans.polled = Some(id);
        plans.is_polled_doomed = false;
    }

    /// Whether the task that was polled is to die.
    pub(crate) fn end_poll(&self) -> bool {
        let mut plans = self.plans();
        plans.polled = None;
        std::mem::take(&mut plans.is_polled_doomed)
    }

    /// Lets the task that is being polled die after this poll.
    pub(crate) fn doom_current(&self) {
        self.plans().is_polled_doomed = true;
    }

    pub(crate) fn clear(&self) {
        let heap = {
            let mut plans = self.plans();
            plans.wanted = 0;
            std::mem::take(&mut plans.heap)
        };
        // What is dropped here may come back to the time line.
        drop(heap);
    }

    fn plans(&self) -> MutexGuard<'_, Plans> {
        self.inner
            .plans
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Plans {
    fn push(&mut self, at: u64, event: Event, is_background: bool) {
        self.sequence += 1;
        if !is_background {
            self.wanted += 1;
        }
        self.heap.push(Reverse(Planned {
            at,
            sequence: self.sequence,
            is_background,
            event,
        }));
    }
}

impl fmt::Debug for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timeline({} us)", self.now_micros())
    }
}

/// Wakes a task by planning its poll.
pub(crate) struct TaskWaker {
    timeline: Timeline,
    id: TaskId,
}

impl TaskWaker {
    pub(crate) fn new(timeline: Timeline, id: TaskId) -> Self {
        Self { timeline, id }
    }
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.timeline.wake(self.id);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.timeline.wake(self.id);
    }
}

/// A wait in virtual time; see [`Timeline::sleep`].
#[derive(Debug)]
pub struct Sleep {
    timeline: Timeline,
    until: u64,
    is_planned: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.timeline.now_micros() >= self.until {
            return Poll::Ready(());
        }
        if !self.is_planned {
            self.is_planned = true;
            let waker = context.waker().clone();
            let wake = Event::Call(Box::new(move |_| waker.wake()));
            self.timeline.plan(self.until, wake);
        }
        Poll::Pending
    }
}
