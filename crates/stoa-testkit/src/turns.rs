//! The orders in which the store calls of a few tasks can take turns.
//!
//! A task runs until its next store call and then waits for its turn, so one step is one call and
//! what comes of it. The explorer runs a race again and again, each time by another order.
//!
//! 1. [`Orders::with_interruptions`] tries every order in which tasks are interrupted at most so many
//!    times. Tasks that end give their turn away, which does not count.
//! 2. [`Orders::all`] tries every order there is, but of those that differ only in calls that do not
//!    touch each other's partitions one alone ("sleep sets"): the others end the same. Writes are
//!    stamped in the order of the calls before them, so what comes of a write that is stamped before
//!    another and arrives after it is for the first way, and for simulations, to find.

mod footprint;

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use stoa_session::{Answer, Batch, Bound, Error, PagingState, Prepared, Reply, Session, Statement};
use stoa_types::ManualClock;

use footprint::{Footprint, is_apart};

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

    async fn turn(&self, touched: Vec<Footprint>) {
        NextTurn(Some(touched)).await;
        self.clock.advance(Duration::from_micros(1));
    }
}

thread_local! {
    /// What the task that is polled is about to touch, once it waits.
    static ABOUT_TO_TOUCH: RefCell<Vec<Footprint>> = const { RefCell::new(Vec::new()) };
}

/// Waits for a turn before what every other task may see, such as moving the clock.
pub async fn before_all_see() {
    NextTurn(Some(vec![Footprint::Everything])).await;
}

/// Waits for the next turn, having said what is touched then.
struct NextTurn(Option<Vec<Footprint>>);

impl Future for NextTurn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let Some(touched) = self.0.take() else {
            return Poll::Ready(());
        };
        ABOUT_TO_TOUCH.with_borrow_mut(|about| about.extend(touched));
        Poll::Pending
    }
}

impl Session for TakingTurns {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        self.inner.prepare(text)
    }

    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        Box::pin(async move {
            self.turn(vec![Footprint::of(bound)]).await;
            finish(self.inner.execute(bound, at))
        })
    }

    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer> {
        Box::pin(async move {
            self.turn(Footprint::of_batch(batch)).await;
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
    /// Who sleeps when the last of these turns is taken: whatever begins with one of them was tried.
    sleeping: Vec<usize>,
}

/// Tries the orders of a race.
#[derive(Debug)]
pub struct Orders {
    /// The next orders to try, each only as far as it is decided.
    open: Vec<Order>,
    which: Which,
    tried: u64,
}

#[derive(Debug, Clone, Copy)]
enum Which {
    WithInterruptions(usize),
    All,
}

/// What came of a run.
#[derive(Debug, PartialEq, Eq)]
pub enum Run {
    /// All tasks ended; which had each turn.
    Ended(Vec<usize>),
    /// It was given up on the way: it would end as one that was tried.
    Same,
    /// All orders were tried; nothing was run.
    Over,
}

impl Orders {
    /// All orders with at most so many interruptions.
    #[must_use]
    pub fn with_interruptions(interruptions: usize) -> Self {
        Self::new(Which::WithInterruptions(interruptions))
    }

    /// All orders that can end differently.
    #[must_use]
    pub fn all() -> Self {
        Self::new(Which::All)
    }

    fn new(which: Which) -> Self {
        Self {
            open: vec![Order::default()],
            which,
            tried: 0,
        }
    }

    /// How many orders were tried to their end.
    #[must_use]
    pub fn tried(&self) -> u64 {
        self.tried
    }

    /// Runs the tasks by the next order.
    pub fn run(&mut self, tasks: Vec<Racer>) -> Run {
        let Some(decided) = self.open.pop() else {
            return Run::Over;
        };
        let mut race = Race::begin(tasks);
        while !race.alive.is_empty() {
            let step = race.turns.len();
            if step + 1 == decided.turns.len() {
                race.sleeping.clone_from(&decided.sleeping);
            }
            let turn = match decided.turns.get(step) {
                Some(turn) => *turn,
                None => match self.choose(&race) {
                    Some(turn) => turn,
                    None => return Run::Same,
                },
            };
            race.take(turn);
        }
        self.tried += 1;
        Run::Ended(race.turns)
    }

    /// Who goes on, unless all who could sleep. The others' turns are left for later.
    fn choose(&mut self, race: &Race) -> Option<usize> {
        let is_awake = |task: &usize| !race.sleeping.contains(task);
        let awake: Vec<usize> = race.alive.iter().copied().filter(is_awake).collect();
        let goes_on = race.last.filter(|task| race.alive.contains(task));
        let turn = goes_on.filter(is_awake).or(awake.first().copied())?;
        if let Which::WithInterruptions(most) = self.which
            && goes_on.is_some()
            && race.interrupted >= most
        {
            return Some(turn);
        }
        let mut sleeping = race.sleeping.clone();
        let mut tried = turn;
        for other in awake.into_iter().filter(|other| *other != turn) {
            if let Which::All = self.which {
                sleeping.push(tried);
                tried = other;
            }
            let mut turns = race.turns.clone();
            turns.push(other);
            let sleeping = sleeping.clone();
            self.open.push(Order { turns, sleeping });
        }
        Some(turn)
    }
}

/// A race that is run.
struct Race {
    tasks: Vec<Racer>,
    /// What each touches by its next step.
    next: Vec<Vec<Footprint>>,
    alive: Vec<usize>,
    sleeping: Vec<usize>,
    turns: Vec<usize>,
    last: Option<usize>,
    interrupted: usize,
}

impl Race {
    fn begin(tasks: Vec<Racer>) -> Self {
        Self {
            next: vec![vec![Footprint::Beginning]; tasks.len()],
            alive: (0..tasks.len()).collect(),
            tasks,
            sleeping: Vec::new(),
            turns: Vec::new(),
            last: None,
            interrupted: 0,
        }
    }

    /// One step of a task. Whoever sleeps is woken if it touches the same.
    fn take(&mut self, turn: usize) {
        let goes_on = self.last.filter(|task| self.alive.contains(task));
        self.interrupted += usize::from(goes_on.is_some_and(|task| task != turn));
        self.turns.push(turn);
        self.last = Some(turn);
        let mut context = Context::from_waker(Waker::noop());
        let Some(task) = self.tasks.get_mut(turn) else {
            return;
        };
        if task.as_mut().poll(&mut context).is_ready() {
            self.alive.retain(|it| *it != turn);
        }
        let about = ABOUT_TO_TOUCH.take();
        let touched = self
            .next
            .get_mut(turn)
            .map(|it| std::mem::replace(it, about));
        let (touched, next) = (touched.unwrap_or_default(), &self.next);
        self.sleeping
            .retain(|it| next.get(*it).is_some_and(|next| is_apart(next, &touched)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    /// What was done by each order: steps have a letter, and each touches what its letter says.
    fn orders_of(mut orders: Orders, racers: &[&'static str]) -> Vec<String> {
        let mut found = Vec::new();
        loop {
            let done = Arc::new(Mutex::new(String::new()));
            let racer = |steps: &&'static str| -> Racer {
                let (done, steps) = (Arc::clone(&done), *steps);
                Box::pin(async move {
                    for step in steps.chars() {
                        let partition = step.to_ascii_lowercase().to_string().into_bytes();
                        let touched = match step {
                            '*' => Footprint::Everything,
                            _ => Footprint::Partition {
                                table: "t".to_owned(),
                                key: Some(partition),
                                writes: step.is_ascii_uppercase(),
                            },
                        };
                        NextTurn(Some(vec![touched])).await;
                        done.lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push(step);
                    }
                })
            };
            match orders.run(racers.iter().map(racer).collect()) {
                Run::Over => break,
                Run::Same => {}
                Run::Ended(_) => {
                    let done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    found.push(done.clone());
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn every_order_is_tried() {
        let expected = ["aabb", "abab", "abba", "baab", "baba", "bbaa"];
        let orders = |racers, most| {
            let mut found = orders_of(Orders::with_interruptions(most), racers);
            found.dedup();
            found
        };
        assert_eq!(orders(&["aa", "bb"], 10), expected);
        assert_eq!(orders(&["aaa", "bbb"], 20).len(), 20);
        assert_eq!(orders(&["aa", "bb"], 0), ["aabb", "bbaa"]);
    }

    /// The order of the steps that touch what others write, seen by each partition.
    fn sense(order: &str) -> Vec<String> {
        let of = |letter: char| {
            order
                .chars()
                .filter(move |it| it.eq_ignore_ascii_case(&letter))
        };
        let mut letters: Vec<char> = order.to_ascii_lowercase().chars().collect();
        letters.sort_unstable();
        letters.dedup();
        letters.into_iter().map(|it| of(it).collect()).collect()
    }

    #[test]
    fn of_orders_that_end_the_same_one_is_tried_and_none_is_left_out() {
        // Nobody's steps touch another's.
        assert_eq!(orders_of(Orders::all(), &["AA", "BB"]).len(), 1);
        // Reads do not touch reads.
        assert_eq!(orders_of(Orders::all(), &["xa", "xb"]).len(), 1);
        assert_eq!(orders_of(Orders::all(), &["xa", "Xb"]).len(), 2);
        // A step that all see has a place among all the others, and among the beginnings.
        assert_eq!(orders_of(Orders::all(), &["*", "aa"]).len(), 4);
        for racers in [
            &["xYz", "Xyz"][..],
            &["xX", "Xx"],
            &["xYX", "yXY"],
            &["XYZ", "xyz", "yZ"],
        ] {
            let every = orders_of(Orders::with_interruptions(100), racers);
            let mut every: Vec<_> = every.iter().map(|order| sense(order)).collect();
            every.sort();
            every.dedup();
            let reduced = orders_of(Orders::all(), racers);
            let mut found: Vec<_> = reduced.iter().map(|order| sense(order)).collect();
            found.sort();
            found.dedup();
            assert_eq!(found, every, "{racers:?}");
        }
    }
}
