//! Threads that may wait, so that async threads need not.
//!
//! A request is handed to a thread that is idle, or to a new one while there are few. Callers of a
//! commit group wait for each other, so there may be many more threads than processors. A thread
//! without work ends after a while.
//!
//! Invariants:
//! 1. What was handed over is executed, also when nobody waits for it any more.
//! 2. Whoever waits is woken: with the result, with the news that there will be none, or at the
//!    deadline of the call, whatever the thread is doing then.
//! 3. What waits for a thread is limited; more is refused, and not executed.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use crate::alarms::Alarms;
use crate::deadline::Limit;

/// The most threads at once.
const MOST_THREADS: usize = 128;
/// The most requests that wait for a thread at once.
const MOST_WAITING: usize = 100_000;
/// How long a thread waits for work before it ends.
const PATIENCE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

/// The threads of a database.
#[derive(Clone, Default)]
pub(crate) struct Workers {
    shared: Arc<Shared>,
    alarms: Alarms,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
    threads: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Workers {
    /// Executes `work` in a thread that may wait. If the work is not done by its limit, the future
    /// gives `late()`.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        limit: Option<&Limit>,
        late: impl FnOnce() -> T + Send + 'static,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Handed<T> {
        let slot = Arc::new(Mutex::new(Slot::Waiting(None)));
        let alarm = limit.map(|limit| {
            let slot = Arc::clone(&slot);
            let ring = move || fill(&slot, Slot::Done(late()));
            self.alarms.set(&limit.clock, limit.until, ring)
        });
        let finish = Finish(Arc::clone(&slot));
        let job: Job = Box::new(move || {
            let result = work();
            fill(&finish.0, Slot::Done(result));
            drop(alarm);
        });
        if let Err(refused) = self.submit(job, MOST_WAITING) {
            fill(&slot, Slot::NotDone(NotDone::Refused));
            drop(refused);
        }
        Handed(slot)
    }

    fn submit(&self, job: Job, most_waiting: usize) -> Result<(), Job> {
        let mut state = lock(&self.shared.state);
        if state.jobs.len() >= most_waiting {
            return Err(job);
        }
        state.jobs.push_back(job);
        if state.idle >= state.jobs.len() || state.threads >= MOST_THREADS {
            drop(state);
            self.shared.arrived.notify_one();
            return Ok(());
        }
        state.threads += 1;
        drop(state);
        let shared = Arc::clone(&self.shared);
        let started = thread::Builder::new()
            .name("stoa-engine".to_owned())
            .spawn(move || shared.work());
        if started.is_err() {
            let mut state = lock(&self.shared.state);
            state.threads -= 1;
            // Without any thread nobody would ever come for the job.
            if state.threads == 0 {
                state.jobs.clear();
            }
        }
        Ok(())
    }
}

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotDone {
    /// The work panicked, or no thread could be started for it.
    Lost,
    /// Too much waits for a thread already; this was not executed.
    Refused,
}

impl Shared {
    fn work(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                // A job that panics must not take the thread's place in the count with it.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                state = lock(&self.state);
                continue;
            }
            state.idle += 1;
            let (woken, timeout) = self
                .arrived
                .wait_timeout(state, PATIENCE)
                .unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if timeout.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }
}

enum Slot<T> {
    Waiting(Option<Waker>),
    Done(T),
    NotDone(NotDone),
}

/// Fills a slot, unless it was filled before.
fn fill<T>(slot: &Mutex<Slot<T>>, with: Slot<T>) {
    let mut slot = lock(slot);
    if !matches!(*slot, Slot::Waiting(_)) {
        return;
    }
    let before = std::mem::replace(&mut *slot, with);
    drop(slot);
    if let Slot::Waiting(Some(waker)) = before {
        waker.wake();
    }
}

/// Fills a slot at the latest when it is dropped.
struct Finish<T>(Arc<Mutex<Slot<T>>>);

impl<T> Drop for Finish<T> {
    fn drop(&mut self) {
        fill(&self.0, Slot::NotDone(NotDone::Lost));
    }
}

/// Work that was handed over.
pub(crate) struct Handed<T>(Arc<Mutex<Slot<T>>>);

impl<T> Future for Handed<T> {
    type Output = Result<T, NotDone>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut slot = lock(&self.0);
        match &mut *slot {
            Slot::Waiting(waker) => {
                *waker = Some(context.waker().clone());
                Poll::Pending
            }
            Slot::NotDone(why) => Poll::Ready(Err(*why)),
            Slot::Done(_) => {
                let taken = std::mem::replace(&mut *slot, Slot::NotDone(NotDone::Lost));
                Poll::Ready(match taken {
                    Slot::Done(result) => Ok(result),
                    Slot::Waiting(_) | Slot::NotDone(_) => Err(NotDone::Lost),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::task::{Wake, Waker};

    use stoa_types::{Clock, SystemClock};

    use super::*;
    use crate::deadline::Call;

    struct Unpark(thread::Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    fn wait<T>(mut future: impl Future<Output = T> + Unpin) -> T {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match Pin::new(&mut future).poll(&mut context) {
                Poll::Ready(result) => return result,
                Poll::Pending => thread::park(),
            }
        }
    }

    #[test]
    fn work_that_waits_for_other_work_is_not_stuck() {
        let workers = Workers::default();
        let (sender, receiver) = mpsc::channel();
        let waiting = workers.run(None, || 0, move || receiver.recv().unwrap_or(0));
        let sending = workers.run(None, || false, move || sender.send(7).is_ok());
        assert_eq!(wait(sending), Ok(true));
        assert_eq!(wait(waiting), Ok(7));
    }

    #[test]
    fn all_work_is_done_though_nobody_waits() {
        let workers = Workers::default();
        let count = Arc::new(AtomicUsize::new(0));
        for _ in 0..1_000 {
            let count = Arc::clone(&count);
            drop(workers.run(None, || 0, move || count.fetch_add(1, Ordering::SeqCst)));
        }
        while count.load(Ordering::SeqCst) < 1_000 {
            thread::yield_now();
        }
    }

    #[test]
    fn who_waits_for_work_that_hangs_is_woken_at_the_limit() {
        let workers = Workers::default();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let call = Call::new(&clock, Some(Duration::from_millis(5)));
        let (sender, receiver) = mpsc::channel::<()>();
        let (ended, end) = mpsc::channel();
        let hanging = workers.run(
            call.limit(),
            || "late",
            move || {
                let _ = receiver.recv();
                let _ = ended.send(());
                "done"
            },
        );
        assert_eq!(wait(hanging), Ok("late"));
        drop(sender);
        assert_eq!(end.recv(), Ok(()), "the work goes on");
    }

    #[test]
    fn who_waits_for_a_panic_is_told() {
        let workers = Workers::default();
        let lost = workers.run(None, || (), || std::panic::resume_unwind(Box::new(())));
        assert_eq!(wait(lost), Err::<(), _>(NotDone::Lost));
        assert_eq!(wait(workers.run(None, || 0, || 1)), Ok(1));
    }

    #[test]
    fn what_is_too_much_to_wait_is_refused_and_not_executed() {
        let workers = Workers::default();
        let done = Arc::new(AtomicUsize::new(0));
        let job = || -> Job {
            let done = Arc::clone(&done);
            Box::new(move || {
                done.fetch_add(1, Ordering::SeqCst);
            })
        };
        assert!(workers.submit(job(), 0).is_err());
        assert!(workers.submit(job(), 1).is_ok());
        while done.load(Ordering::SeqCst) < 1 {
            thread::yield_now();
        }
        assert_eq!(wait(workers.run(None, || 0, || 1)), Ok(1));
        assert_eq!(done.load(Ordering::SeqCst), 1);
    }
}
