//! The commit queue: a leader and its followers.
//!
//! A caller queues its work. Whoever finds no leader becomes it, takes what is queued (bounded by
//! count and bytes), runs it as one group, hands the lead to the first of those who came meanwhile,
//! and wakes its followers with their answers. A lone caller pays no hand-over between
//! threads, and while one group is being synced the next one gathers.
//!
//! Invariants:
//! 1. Groups run one at a time, in the order of the queue: there is one order of commits.
//! 2. Every caller gets exactly one answer, after its group has ended, whatever happened: a panic
//!    in a group answers its callers with an error and passes the lead on.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::Thread;

use crate::error::{Outcome, StoreError};
use crate::lock::lock;

/// The most works in one group.
const GROUP_WORKS: usize = 1024;
/// About the most bytes in one group.
const GROUP_BYTES: usize = 4 << 20;

/// An answer to one caller.
pub(crate) type Answer = Result<(), StoreError>;

/// One work of a group, and its answer once the group has run.
pub(crate) struct Slot<W> {
    pub(crate) work: Option<W>,
    pub(crate) answer: Option<Answer>,
}

impl<W> Slot<W> {
    fn new(work: W) -> Self {
        Self {
            work: Some(work),
            answer: None,
        }
    }

    fn into_answer(self) -> Answer {
        let no_answer = || Err(StoreError::io("a commit ended without an answer"));
        self.answer.unwrap_or_else(no_answer)
    }
}

/// Runs the works of a group and answers them.
pub(crate) type RunGroup<'a, W> = dyn Fn(&mut [Slot<W>]) + 'a;

/// What a caller waits on.
struct Ticket {
    thread: Thread,
    woken: AtomicBool,
    answer: Mutex<Option<Answer>>,
}

impl Ticket {
    fn new() -> Self {
        Self {
            thread: std::thread::current(),
            woken: AtomicBool::new(false),
            answer: Mutex::new(None),
        }
    }
}

struct Entry<W> {
    work: W,
    size: usize,
    ticket: Arc<Ticket>,
}

struct Waiting<W> {
    entries: VecDeque<Entry<W>>,
    is_led: bool,
}

/// A queue of works of type `W`.
pub(crate) struct Queue<W> {
    waiting: Mutex<Waiting<W>>,
    group_works: usize,
}

impl<W> Queue<W> {
    /// A queue whose groups hold at most `group_works` works.
    pub(crate) fn new(group_works: Option<usize>) -> Self {
        let waiting = Waiting {
            entries: VecDeque::new(),
            is_led: false,
        };
        Self {
            waiting: Mutex::new(waiting),
            group_works: group_works.unwrap_or(GROUP_WORKS).max(1),
        }
    }

    /// Queues `work` of about `size` bytes and returns its answer. `run_group` answers one group;
    /// it is called on this thread if it leads, else the leader's is.
    pub(crate) fn submit(&self, work: W, size: usize, run_group: &RunGroup<'_, W>) -> Answer {
        let mut waiting = lock(&self.waiting);
        if waiting.is_led {
            let ticket = Arc::new(Ticket::new());
            let entry = Entry {
                work,
                size,
                ticket: Arc::clone(&ticket),
            };
            waiting.entries.push_back(entry);
            drop(waiting);
            return self.wait(&ticket, run_group);
        }
        // Nobody leads, so nobody waits.
        waiting.is_led = true;
        drop(waiting);
        self.lead_alone(work, run_group)
    }

    /// As [`Queue::submit`] if nobody leads; gives the work back otherwise, without waiting.
    pub(crate) fn try_submit(&self, work: W, run_group: &RunGroup<'_, W>) -> Result<Answer, W> {
        let mut waiting = lock(&self.waiting);
        if waiting.is_led {
            return Err(work);
        }
        waiting.is_led = true;
        drop(waiting);
        Ok(self.lead_alone(work, run_group))
    }

    /// Runs a group of one, without a ticket, by whoever has just taken the lead.
    fn lead_alone(&self, work: W, run_group: &RunGroup<'_, W>) -> Answer {
        let mut slot = Slot::new(work);
        run_caught(std::slice::from_mut(&mut slot), run_group);
        self.hand_over();
        slot.into_answer()
    }

    /// Waits for an answer, or for the lead.
    fn wait(&self, ticket: &Ticket, run_group: &RunGroup<'_, W>) -> Answer {
        while !ticket.woken.load(Ordering::Acquire) {
            std::thread::park();
        }
        if let Some(answer) = lock(&ticket.answer).take() {
            return answer;
        }
        // Woken without an answer: the lead was handed over.
        self.lead(run_group);
        let answer = lock(&ticket.answer).take();
        answer.unwrap_or_else(|| Err(StoreError::io("a leader left itself without an answer")))
    }

    /// Runs one group and answers it. The lead goes on first, so that the next group is under way
    /// while this one is being woken.
    fn lead(&self, run_group: &RunGroup<'_, W>) {
        let (mut slots, tickets) = self.take_group();
        run_caught(&mut slots, run_group);
        self.hand_over();
        let me = std::thread::current().id();
        for (ticket, slot) in tickets.into_iter().zip(slots) {
            *lock(&ticket.answer) = Some(slot.into_answer());
            wake(&ticket, me);
        }
    }

    fn hand_over(&self) {
        let next = {
            let mut waiting = lock(&self.waiting);
            waiting.is_led = !waiting.entries.is_empty();
            waiting
                .entries
                .front()
                .map(|entry| Arc::clone(&entry.ticket))
        };
        if let Some(next) = next {
            wake(&next, std::thread::current().id());
        }
    }

    fn take_group(&self) -> (Vec<Slot<W>>, Vec<Arc<Ticket>>) {
        let mut waiting = lock(&self.waiting);
        let (mut slots, mut tickets, mut bytes) = (Vec::new(), Vec::new(), 0);
        while let Some(entry) = waiting.entries.pop_front() {
            slots.push(Slot::new(entry.work));
            tickets.push(entry.ticket);
            bytes += entry.size;
            if slots.len() >= self.group_works || bytes >= GROUP_BYTES {
                break;
            }
        }
        (slots, tickets)
    }
}

/// Runs a group; a panic answers it with errors.
fn run_caught<W>(slots: &mut [Slot<W>], run_group: &RunGroup<'_, W>) {
    let run = catch_unwind(AssertUnwindSafe(|| run_group(slots)));
    if run.is_err() {
        for slot in slots {
            let what = "a commit group panicked".to_owned();
            slot.answer = Some(Err(StoreError::Io {
                what,
                outcome: Outcome::Unknown,
            }));
        }
    }
}

fn wake(ticket: &Ticket, me: std::thread::ThreadId) {
    ticket.woken.store(true, Ordering::Release);
    if ticket.thread.id() != me {
        ticket.thread.unpark();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn everybody_is_answered_once_and_in_order() {
        let queue = Queue::<usize>::new(None);
        let log = Mutex::new(Vec::new());
        let groups = AtomicUsize::new(0);
        let run = |slots: &mut [Slot<usize>]| {
            groups.fetch_add(1, Ordering::Relaxed);
            for slot in slots {
                let work = slot.work.take().unwrap();
                slot.answer = Some(match work % 7 {
                    0 => Err(StoreError::Closed),
                    _ => Ok(()),
                });
                lock(&log).push(work);
            }
        };
        std::thread::scope(|scope| {
            for caller in 0..16 {
                let (queue, run) = (&queue, &run);
                scope.spawn(move || {
                    for i in 0..200 {
                        let work = caller * 1000 + i;
                        let answer = queue.submit(work, 1, run);
                        assert_eq!(answer.is_err(), work % 7 == 0);
                    }
                });
            }
        });
        let mut log = log.into_inner().unwrap();
        for caller in 0..16 {
            let own: Vec<_> = log.iter().filter(|work| **work / 1000 == caller).collect();
            assert!(own.is_sorted(), "a caller's works run in its order");
        }
        log.sort_unstable();
        log.dedup();
        assert_eq!(log.len(), 16 * 200);
        assert!(groups.into_inner() <= 16 * 200);
    }

    #[test]
    fn who_does_not_wait_gets_its_work_back_while_another_leads() {
        let queue = Queue::<usize>::new(None);
        let answer = |slots: &mut [Slot<usize>]| slots[0].answer = Some(Ok(()));
        let run = |slots: &mut [Slot<usize>]| {
            assert_eq!(queue.try_submit(7, &answer).unwrap_err(), 7);
            answer(slots);
        };
        assert!(queue.submit(1, 1, &run).is_ok());
        assert!(queue.try_submit(2, &answer).unwrap().is_ok());
    }

    #[test]
    fn a_panic_answers_its_group_and_the_queue_goes_on() {
        let queue = Queue::<bool>::new(None);
        let run = |slots: &mut [Slot<bool>]| {
            for slot in slots {
                assert!(slot.work.unwrap(), "planted");
                slot.answer = Some(Ok(()));
            }
        };
        let answer = queue.submit(false, 1, &run);
        assert_eq!(answer.unwrap_err().outcome(), Outcome::Unknown);
        assert!(queue.submit(true, 1, &run).is_ok());
    }

    #[test]
    fn a_work_that_a_group_forgets_gets_an_error() {
        let queue = Queue::<usize>::new(None);
        assert!(queue.submit(1, 1, &|_| {}).is_err());
    }

    #[test]
    fn groups_keep_their_limits() {
        let queue = Queue::<usize>::new(Some(1));
        let run = |slots: &mut [Slot<usize>]| {
            assert_eq!(slots.len(), 1);
            slots[0].answer = Some(Ok(()));
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..50).for_each(|i| assert!(queue.submit(i, 1, &run).is_ok())));
            }
        });
    }
}
