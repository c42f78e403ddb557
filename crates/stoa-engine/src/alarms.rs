//! A thread that does something at a point in time, for deadlines of calls.
//!
//! It is started with the first alarm and ends after a while without any. It waits in real time and
//! judges by the clock of each alarm, so an alarm never rings before its clock says so.
//!
//! Invariants:
//! 1. An alarm rings once at most, and not after it was dropped.
//! 2. There are never more alarms than calls that are under way.
//! 3. The thread is woken only for an alarm that rings before it would wake by itself. Calls that
//!    all have the same time cost it nothing: it wakes for the first, and finds it gone.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use stoa_types::Clock;

/// How long the thread waits for an alarm before it ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// When an alarm rings, and which of those that ring then.
type Point = (Duration, u64);

/// The alarms of a database.
#[derive(Clone, Default)]
pub(crate) struct Alarms {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: BTreeMap<Point, Ringing>,
    count: u64,
    is_watched: bool,
    /// Until when the thread sleeps, unless it sleeps without an alarm.
    sleeps_until: Option<Duration>,
}

struct Ringing {
    clock: Arc<dyn Clock>,
    ring: Box<dyn FnOnce() + Send>,
}

/// An alarm that is set; dropping it stops it.
pub(crate) struct Alarm {
    shared: Arc<Shared>,
    point: Point,
}

impl Drop for Alarm {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        let stopped = state.waiting.remove(&self.point);
        drop(state);
        // What it would have done may own anything, so it is not dropped under the lock.
        drop(stopped);
    }
}

impl Alarms {
    /// Sets an alarm to a point in the monotonic time of a clock. All alarms of one `Alarms` must
    /// go by the same clock. Without a thread for it, it does not ring.
    pub(crate) fn set(
        &self,
        clock: &Arc<dyn Clock>,
        at: Duration,
        ring: impl FnOnce() + Send + 'static,
    ) -> Alarm {
        let mut state = self.shared.lock();
        let point = (at, state.count);
        state.count = state.count.wrapping_add(1);
        let comes_in_time = state.sleeps_until.is_some_and(|until| until <= at);
        let ringing = Ringing {
            clock: Arc::clone(clock),
            ring: Box::new(ring),
        };
        state.waiting.insert(point, ringing);
        if !state.is_watched {
            let shared = Arc::clone(&self.shared);
            let started = thread::Builder::new()
                .name("stoa-deadlines".to_owned())
                .spawn(move || shared.watch());
            state.is_watched = started.is_ok();
        } else if !comes_in_time {
            self.shared.changed.notify_one();
        }
        drop(state);
        Alarm {
            shared: Arc::clone(&self.shared),
            point,
        }
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self) {
        let mut state = self.lock();
        loop {
            let next = state.waiting.first_key_value();
            let next = next.map(|((at, _), it)| at.saturating_sub(it.clock.monotonic()));
            let wait = match next {
                Some(Duration::ZERO) => {
                    let due = state.waiting.pop_first();
                    drop(state);
                    if let Some((_, due)) = due {
                        // One that panics must not silence the others.
                        let ring = std::panic::AssertUnwindSafe(due.ring);
                        let _ = std::panic::catch_unwind(ring);
                    }
                    state = self.lock();
                    continue;
                }
                Some(left) => left,
                None => PATIENCE,
            };
            state.sleeps_until = state.waiting.keys().next().map(|(at, _)| *at);
            let woken = self.changed.wait_timeout(state, wait);
            let (woken, timeout) = woken.unwrap_or_else(PoisonError::into_inner);
            state = woken;
            if next.is_none() && timeout.timed_out() && state.waiting.is_empty() {
                state.is_watched = false;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use stoa_types::{ManualClock, SystemClock};

    use super::*;

    #[test]
    fn alarms_ring_in_their_order() {
        let alarms = Alarms::default();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let (sender, receiver) = mpsc::channel();
        let set = |milliseconds: u64| {
            let sender = sender.clone();
            let at = Duration::from_millis(milliseconds);
            alarms.set(&clock, at, move || sender.send(milliseconds).unwrap())
        };
        let _all = [set(60), set(1), set(30)];
        assert_eq!(receiver.iter().take(3).collect::<Vec<_>>(), [1, 30, 60]);
    }

    #[test]
    fn a_dropped_alarm_does_not_ring() {
        let alarms = Alarms::default();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let (sender, receiver) = mpsc::channel();
        let other = sender.clone();
        let late = Duration::from_millis(5);
        drop(alarms.set(&clock, late, move || other.send("dropped").unwrap()));
        let kept = alarms.set(&clock, late * 2, move || sender.send("kept").unwrap());
        assert_eq!(receiver.recv(), Ok("kept"));
        drop(kept);
        assert!(receiver.recv().is_err());
    }

    #[test]
    fn the_clock_decides_when_it_rings() {
        let alarms = Alarms::default();
        let manual = Arc::new(ManualClock::at_micros(0));
        let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(&manual);
        let (sender, receiver) = mpsc::channel();
        let seen = Arc::clone(&clock);
        let at = Duration::from_millis(1);
        let alarm = alarms.set(&clock, at, move || sender.send(seen.monotonic()).unwrap());
        manual.advance(Duration::from_secs(7));
        assert_eq!(receiver.recv(), Ok(Duration::from_secs(7)));
        drop(alarm);
    }
}
