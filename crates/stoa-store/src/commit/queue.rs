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
    pub(crate) fn submit(
        &self,
        work: W,
        size: usize,
        run_group: &dyn Fn(Vec<W>) -> Vec<Answer>,
    ) -> Answer {
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
        // Nobody leads, so nobody waits: alone, without a ticket.
        waiting.is_led = true;
        drop(waiting);
        let mut answers = run_caught(vec![work], run_group);
        self.hand_over();
        answers.pop().unwrap_or_else(no_answer)
    }

    /// Waits for an answer, or for the lead.
    fn wait(&self, ticket: &Ticket, run_group: &dyn Fn(Vec<W>) -> Vec<Answer>) -> Answer {
        while !ticket.woken.load(Ordering::Acquire) {
            std::thread::park();
        }
        if let Some(answer) = lock(&ticket.answer).take() {
            return answer;
        }
        // Woken without an answer: the lead was handed over.
        self.lead(run_group);
        let answer = lock(&ticket.answer).take();
        answer.unwrap_or_else(no_answer)
    }

    /// Runs one group and answers it. The lead goes on first, so that the next group is under way
    /// while this one is being woken.
    fn lead(&self, run_group: &dyn Fn(Vec<W>) -> Vec<Answer>) {
        let (works, tickets) = self.take_group();
        let answers = run_caught(works, run_group);
        self.hand_over();
        let me = std::thread::current().id();
        for (ticket, answer) in tickets.into_iter().zip(answers) {
            *lock(&ticket.answer) = Some(answer);
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

    fn take_group(&self) -> (Vec<W>, Vec<Arc<Ticket>>) {
        let mut waiting = lock(&self.waiting);
        let (mut works, mut tickets, mut bytes) = (Vec::new(), Vec::new(), 0);
        while let Some(entry) = waiting.entries.pop_front() {
            works.push(entry.work);
            tickets.push(entry.ticket);
            bytes += entry.size;
            if works.len() >= self.group_works || bytes >= GROUP_BYTES {
                break;
            }
        }
        (works, tickets)
    }
}

/// Runs a group; a panic answers it with errors.
fn run_caught<W>(works: Vec<W>, run_group: &dyn Fn(Vec<W>) -> Vec<Answer>) -> Vec<Answer> {
    let count = works.len();
    catch_unwind(AssertUnwindSafe(|| run_group(works))).unwrap_or_else(|_| {
        let what = "a commit group panicked".to_owned();
        let error = StoreError::Io {
            what,
            outcome: Outcome::Unknown,
        };
        std::iter::repeat_n(Err(error), count).collect()
    })
}

fn no_answer() -> Answer {
    Err(StoreError::io("a commit ended without an answer"))
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
        let run = |works: Vec<usize>| {
            groups.fetch_add(1, Ordering::Relaxed);
            let answers = works
                .iter()
                .map(|work| {
                    if work % 7 == 0 {
                        Err(StoreError::Closed)
                    } else {
                        Ok(())
                    }
                })
                .collect();
            lock(&log).extend(works);
            answers
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
    fn a_panic_answers_its_group_and_the_queue_goes_on() {
        let queue = Queue::<bool>::new(None);
        let run = |works: Vec<bool>| {
            assert!(works.iter().all(|work| *work), "planted");
            vec![Ok(()); works.len()]
        };
        let answer = queue.submit(false, 1, &run);
        assert_eq!(answer.unwrap_err().outcome(), Outcome::Unknown);
        assert!(queue.submit(true, 1, &run).is_ok());
    }

    #[test]
    fn groups_keep_their_limits() {
        let queue = Queue::<usize>::new(Some(1));
        let run = |works: Vec<usize>| {
            assert_eq!(works.len(), 1);
            vec![Ok(())]
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..50).for_each(|i| assert!(queue.submit(i, 1, &run).is_ok())));
            }
        });
    }
}
