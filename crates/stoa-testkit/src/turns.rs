//! Every order in which the store calls of a few tasks can take turns.
//!
//! A task runs until its next store call and then waits for its turn, so one step is one call and
//! what comes of it. The explorer runs a race again and again, each time by another order, until it
//! has tried all orders in which a task is interrupted at most so many times. Tasks that end give
//! their turn away, which does not count.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use stoa_session::{Answer, Batch, Bound, Error, PagingState, Prepared, Reply, Session, Statement};
use stoa_types::ManualClock;

/// A task of a race.
pub type Racer = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A session that gives every other task a turn before each of its calls. A call takes a
/// microsecond of a clock that is moved by hand.
#[derive(Debug)]
pub struct TakingTurns {
    inner: Arc<dyn Session>,
    clock: Arc<ManualClock>,
}

impl TakingTurns {
    /// A session on another one.
    #[must_use]
    pub fn new(inner: Arc<dyn Session>, clock: Arc<ManualClock>) -> Self {
        Self { inner, clock }
    }

    async fn turn(&self) {
        NextTurn(false).await;
        self.clock.advance(Duration::from_micros(1));
    }
}

/// Waits for the next turn.
struct NextTurn(bool);

impl Future for NextTurn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match std::mem::replace(&mut self.0, true) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

impl Session for TakingTurns {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        self.inner.prepare(text)
    }

    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        Box::pin(async move {
            self.turn().await;
            finish(self.inner.execute(bound, at))
        })
    }

    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer> {
        Box::pin(async move {
            self.turn().await;
            finish(self.inner.batch(batch))
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

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for an answer in the calling thread: a call is one step, whoever executes it.
fn finish(mut reply: Reply<'_, Answer>) -> Result<Answer, Error> {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match reply.as_mut().poll(&mut context) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// An order of turns: at which steps who goes on instead of who would have.
#[derive(Debug, Clone, Default)]
struct Order {
    /// Which task has each turn, counted from 0.
    turns: Vec<usize>,
}

/// Tries the orders of a race.
#[derive(Debug)]
pub struct Orders {
    /// The next orders to try, each only as far as it is decided.
    open: Vec<Order>,
    interruptions: usize,
    tried: u64,
}

impl Orders {
    /// All orders with at most so many interruptions.
    #[must_use]
    pub fn with_interruptions(interruptions: usize) -> Self {
        Self {
            open: vec![Order::default()],
            interruptions,
            tried: 0,
        }
    }

    /// How many orders were tried.
    #[must_use]
    pub fn tried(&self) -> u64 {
        self.tried
    }

    /// Runs the tasks by the next order; `None` when all were tried. Gives the order.
    pub fn run(&mut self, mut tasks: Vec<Racer>) -> Option<Vec<usize>> {
        let decided = self.open.pop()?;
        self.tried += 1;
        let mut order = Order::default();
        let mut alive: Vec<usize> = (0..tasks.len()).collect();
        let mut last = None;
        let mut interrupted = 0;
        while !alive.is_empty() {
            let step = order.turns.len();
            let goes_on = last.filter(|task| alive.contains(task));
            let by_itself = goes_on.or(alive.first().copied())?;
            let chosen = decided.turns.get(step).copied();
            let turn = chosen.unwrap_or(by_itself);
            if chosen.is_none() && (goes_on.is_none() || interrupted < self.interruptions) {
                for other in alive.iter().filter(|other| **other != turn) {
                    let mut alternative = order.clone();
                    alternative.turns.push(*other);
                    self.open.push(alternative);
                }
            }
            interrupted += usize::from(goes_on.is_some_and(|task| task != turn));
            order.turns.push(turn);
            last = Some(turn);
            if let Some(task) = tasks.get_mut(turn)
                && step_of(task)
            {
                alive.retain(|it| *it != turn);
            }
        }
        Some(order.turns)
    }
}

/// One step of a task; whether it has ended.
fn step_of(task: &mut Racer) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    task.as_mut().poll(&mut context).is_ready()
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    fn orders_of(steps: [usize; 2], interruptions: usize) -> Vec<String> {
        let mut orders = Orders::with_interruptions(interruptions);
        let mut found = Vec::new();
        loop {
            let done = Arc::new(Mutex::new(String::new()));
            let racer = |name: char, steps: usize| -> Racer {
                let done = Arc::clone(&done);
                Box::pin(async move {
                    for _ in 0..steps {
                        NextTurn(false).await;
                        done.lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push(name);
                    }
                })
            };
            let [first, second] = steps;
            if orders
                .run(vec![racer('a', first), racer('b', second)])
                .is_none()
            {
                break;
            }
            let done = done.lock().unwrap_or_else(PoisonError::into_inner);
            found.push(done.clone());
        }
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn every_order_is_tried() {
        let expected = ["aabb", "abab", "abba", "baab", "baba", "bbaa"];
        assert_eq!(orders_of([2, 2], 10), expected);
        assert_eq!(orders_of([3, 3], 20).len(), 20);
        assert_eq!(orders_of([2, 2], 0), ["aabb", "bbaa"]);
    }
}
