//! A single-threaded executor with virtual time.
//!
//! Everything that will happen is an event in one heap, ordered by time and then by the order in
//! which it was planned. Time jumps from event to event, so a year costs no more than its events.
//!
//! Invariants:
//! 1. Nothing depends on the machine: the same program and the same seeds give the same events in
//!    the same order, which [`Executor::event_hash`] shows.
//! 2. Virtual time never goes back.
//! 3. A killed task is dropped at once, or, if it is being polled, right after that poll.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::timeline::{Event, TaskWaker, Timeline};

/// A task's future.
pub type TaskFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Names a task of one executor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub(crate) u32);

/// What became of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// It goes on.
    Running,
    /// It came to its end.
    Finished,
    /// It was killed, or died by its session's habits.
    Killed,
}

/// Takes what it planned itself; how a cluster gets its messages.
pub(crate) trait Receiver: Send + Sync {
    /// The time of the message with this number has come.
    fn receive(&self, token: u64);
}

struct Task {
    label: String,
    future: Option<TaskFuture>,
    waker: Waker,
    state: TaskState,
}

/// Runs tasks in virtual time; see [the module](self).
pub struct Executor {
    timeline: Timeline,
    tasks: Vec<Task>,
    receivers: Vec<Arc<dyn Receiver>>,
    event_hash: u64,
    events: u64,
}

impl Default for Executor {
    fn default() -> Self {
        Self::new()
    }
}

impl Executor {
    /// An executor without tasks, at time zero.
    #[must_use]
    pub fn new() -> Self {
        Self {
            timeline: Timeline::new(),
            tasks: Vec::new(),
            receivers: Vec::new(),
            event_hash: 0,
            events: 0,
        }
    }

    /// The time line, for who sleeps or plans from inside a task.
    #[must_use]
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Virtual microseconds since the start.
    #[must_use]
    pub fn now_micros(&self) -> u64 {
        self.timeline.now_micros()
    }

    /// Starts a task, which is polled first when the executor runs.
    pub fn spawn(&mut self, label: impl Into<String>, future: TaskFuture) -> TaskId {
        let id = TaskId(u32::try_from(self.tasks.len()).unwrap_or(u32::MAX));
        let waker = Waker::from(Arc::new(TaskWaker::new(self.timeline.clone(), id)));
        self.tasks.push(Task {
            label: label.into(),
            future: Some(future),
            waker,
            state: TaskState::Running,
        });
        self.timeline.wake(id);
        id
    }

    /// Drops a task's future, as when its process dies; what it asked for may still happen.
    pub fn kill(&mut self, id: TaskId) {
        if let Some(task) = self.task_mut(id)
            && task.state == TaskState::Running
        {
            task.future = None;
            task.state = TaskState::Killed;
        }
    }

    /// What became of a task; `None` for an id of another executor.
    #[must_use]
    pub fn state(&self, id: TaskId) -> Option<TaskState> {
        self.tasks.get(position(id)).map(|task| task.state)
    }

    /// The label of a task.
    #[must_use]
    pub fn label(&self, id: TaskId) -> Option<&str> {
        let task = self.tasks.get(position(id));
        task.map(|task| task.label.as_str())
    }

    /// How many tasks go on.
    #[must_use]
    pub fn running(&self) -> usize {
        let tasks = self.tasks.iter();
        tasks
            .filter(|task| task.state == TaskState::Running)
            .count()
    }

    /// Plans a call at a virtual time, or now if that is past.
    pub fn at(&mut self, micros: u64, call: impl FnOnce(&mut Self) + Send + 'static) {
        self.timeline.plan(micros, Event::Call(Box::new(call)));
    }

    /// Handles every event up to and including a virtual time, which it then is.
    pub fn run_until(&mut self, micros: u64) {
        while let Some((at, event)) = self.timeline.pop_until(micros) {
            self.handle(at, event);
        }
        self.timeline.advance(micros);
    }

    /// Handles events until nothing is planned but what goes on for ever by itself, such as the
    /// down times of replicas. It does not return while a task never ends.
    pub fn run_until_idle(&mut self) {
        while let Some((at, event)) = self.timeline.pop_wanted() {
            self.handle(at, event);
        }
    }

    /// Handles events until a task has ended or nothing is planned; says what became of it.
    pub fn run_until_ended(&mut self, id: TaskId) -> Option<TaskState> {
        while self.state(id) == Some(TaskState::Running) {
            let Some((at, event)) = self.timeline.pop_wanted() else {
                break;
            };
            self.handle(at, event);
        }
        self.state(id)
    }

    /// A hash of every event so far: equal for two runs that did the same.
    #[must_use]
    pub fn event_hash(&self) -> u64 {
        self.event_hash
    }

    /// How many events there were.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    pub(crate) fn register(&mut self, receiver: Arc<dyn Receiver>) -> u32 {
        let index = u32::try_from(self.receivers.len()).unwrap_or(u32::MAX);
        self.receivers.push(receiver);
        index
    }

    fn task_mut(&mut self, id: TaskId) -> Option<&mut Task> {
        self.tasks.get_mut(position(id))
    }

    fn handle(&mut self, at: u64, event: Event) {
        self.events += 1;
        let (kind, detail) = event.fingerprint();
        self.event_hash = fold(fold(self.event_hash, at), (detail << 3) ^ kind);
        match event {
            Event::Wake(id) => self.poll(id),
            Event::Deliver { receiver, token } => {
                let index = usize::try_from(receiver).unwrap_or(usize::MAX);
                if let Some(receiver) = self.receivers.get(index) {
                    receiver.receive(token);
                }
            }
            Event::Call(call) => call(self),
        }
    }

    fn poll(&mut self, id: TaskId) {
        let Some(task) = self.tasks.get_mut(position(id)) else {
            return;
        };
        let Some(future) = task.future.as_mut() else {
            return;
        };
        self.timeline.begin_poll(id);
        let mut context = Context::from_waker(&task.waker);
        let poll = future.as_mut().poll(&mut context);
        let is_doomed = self.timeline.end_poll();
        match poll {
            Poll::Ready(()) => task.state = TaskState::Finished,
            Poll::Pending if is_doomed => task.state = TaskState::Killed,
            Poll::Pending => return,
        }
        task.future = None;
    }
}

impl Drop for Executor {
    /// Calls that are planned may hold what holds the time line.
    fn drop(&mut self) {
        self.tasks.clear();
        self.timeline.clear();
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("now_micros", &self.now_micros())
            .field("tasks", &self.tasks.len())
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}

fn position(id: TaskId) -> usize {
    usize::try_from(id.0).unwrap_or(usize::MAX)
}

/// Mixes a number into a hash.
fn fold(hash: u64, number: u64) -> u64 {
    let mixed = (hash ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}
