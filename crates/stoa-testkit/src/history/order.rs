//! Looks for an order in which concurrent operations could have happened one by one.
//!
//! The search of Wing and Gong (1993) with Lowe's memo (2017): take any operation that no
//! other one ended before, apply it to the state, go on; step back where nothing fits. The
//! same set of operations done and the same state are never tried twice. An operation
//! without an end may have happened at any time after its begin, or never.
//!
//! The problem is NP-complete, so the search has a limit. It is fast where few operations
//! overlap; many operations without an end make it slow.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;

/// What one operation does to a state, when nothing else happens meanwhile.
pub trait Specification {
    /// The state.
    type State: Clone + Eq + Hash;
    /// An operation together with what it answered.
    type Action;

    /// The state before anything happened.
    fn initial(&self) -> Self::State;

    /// The state after an action, or `None` if it could not have answered so.
    fn apply(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;
}

/// An operation of a client. The two order numbers come from one counter that all clients
/// share: taken just before the call, and just after the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation<A> {
    /// What was done.
    pub action: A,
    /// The number at its begin.
    pub invoked: u64,
    /// The number at its end; `None` if nobody knows whether it happened.
    pub returned: Option<u64>,
}

impl<A> Operation<A> {
    /// An operation that was answered.
    pub fn new(invoked: u64, returned: u64, action: A) -> Self {
        Self {
            action,
            invoked,
            returned: Some(returned),
        }
    }

    /// An operation of which nobody knows whether it happened.
    pub fn unknown(invoked: u64, action: A) -> Self {
        Self {
            action,
            invoked,
            returned: None,
        }
    }
}

/// Why no order was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderFailure {
    /// There is none.
    Impossible {
        /// The longest order found: positions in the list of operations.
        longest: Vec<usize>,
        /// The operations of which none could come next.
        stuck: Vec<usize>,
    },
    /// The limit was reached first.
    Undecided {
        /// The limit.
        max_states: usize,
    },
}

impl fmt::Display for OrderFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Impossible { longest, stuck } => {
                let done = longest.len();
                write!(
                    f,
                    "no order: after {done} operations none of {stuck:?} fits"
                )
            }
            Self::Undecided { max_states } => write!(f, "undecided after {max_states} states"),
        }
    }
}

impl std::error::Error for OrderFailure {}

/// Finds an order that explains all answers and in which no operation comes before one that
/// had ended when it began: positions in the list of operations.
///
/// # Errors
///
/// There is no such order, or `max_states` were looked at without finding one.
pub fn find_order<S: Specification>(
    specification: &S,
    operations: &[Operation<S::Action>],
    max_states: usize,
) -> Result<Vec<usize>, OrderFailure> {
    let mut by_begin: Vec<(usize, &Operation<S::Action>)> = operations.iter().enumerate().collect();
    by_begin.sort_by_key(|(_, operation)| operation.invoked);
    let mut search = Search {
        specification,
        open: operations.iter().filter(|it| it.returned.is_some()).count(),
        by_begin,
        done: vec![false; operations.len()],
        order: Vec::new(),
        longest: Vec::new(),
        stuck: Vec::new(),
        seen: HashSet::new(),
        max_states,
    };
    let found = search.run()?;
    let named = |places: &[usize]| -> Vec<usize> {
        places
            .iter()
            .filter_map(|place| search.by_begin.get(*place))
            .map(|(at, _)| *at)
            .collect()
    };
    if found {
        return Ok(named(&search.order));
    }
    Err(OrderFailure::Impossible {
        longest: named(&search.longest),
        stuck: named(&search.stuck),
    })
}

struct Search<'history, S: Specification> {
    specification: &'history S,
    /// The operations by their begin, each with its position in the given list. All places
    /// below are places in here.
    by_begin: Vec<(usize, &'history Operation<S::Action>)>,
    /// How many operations with an end are still to be done.
    open: usize,
    done: Vec<bool>,
    order: Vec<usize>,
    longest: Vec<usize>,
    stuck: Vec<usize>,
    seen: HashSet<(Vec<u64>, S::State)>,
    max_states: usize,
}

/// A state on the path, with what may come next.
struct Frame<State> {
    state: State,
    candidates: std::vec::IntoIter<usize>,
}

impl<S: Specification> Search<'_, S> {
    /// Whether an order was found; it is in `order` then.
    fn run(&mut self) -> Result<bool, OrderFailure> {
        let mut path = vec![self.frame(self.specification.initial())];
        while self.open > 0 {
            let Some(frame) = path.last_mut() else {
                return Ok(false);
            };
            let Some(place) = frame.candidates.next() else {
                path.pop();
                if let Some(undone) = self.order.pop() {
                    self.mark(undone, false);
                }
                continue;
            };
            let Some((_, operation)) = self.by_begin.get(place) else {
                continue;
            };
            let next = self.specification.apply(&frame.state, &operation.action);
            let Some(next) = next else { continue };
            self.mark(place, true);
            if self.seen.len() >= self.max_states {
                return Err(OrderFailure::Undecided {
                    max_states: self.max_states,
                });
            }
            if self.seen.insert((self.done_bits(), next.clone())) {
                self.order.push(place);
                path.push(self.frame(next));
            } else {
                self.mark(place, false);
            }
        }
        Ok(true)
    }

    fn frame(&mut self, state: S::State) -> Frame<S::State> {
        let candidates = self.candidates();
        if self.order.len() > self.longest.len() || self.stuck.is_empty() {
            self.longest.clone_from(&self.order);
            self.stuck.clone_from(&candidates);
        }
        Frame {
            state,
            candidates: candidates.into_iter(),
        }
    }

    /// The operations not done that began before any other one not done had ended.
    fn candidates(&self) -> Vec<usize> {
        let mut candidates = Vec::new();
        let mut first_end = u64::MAX;
        for (place, ((_, operation), done)) in self.by_begin.iter().zip(&self.done).enumerate() {
            if operation.invoked > first_end {
                break;
            }
            if !done {
                candidates.push(place);
                first_end = first_end.min(operation.returned.unwrap_or(u64::MAX));
            }
        }
        candidates
    }

    fn mark(&mut self, place: usize, is_done: bool) {
        if let Some(done) = self.done.get_mut(place) {
            *done = is_done;
        }
        let has_end = self
            .by_begin
            .get(place)
            .is_some_and(|(_, it)| it.returned.is_some());
        match (has_end, is_done) {
            (true, true) => self.open -= 1,
            (true, false) => self.open += 1,
            (false, _) => {}
        }
    }

    fn done_bits(&self) -> Vec<u64> {
        let bits = |chunk: &[bool]| {
            chunk
                .iter()
                .rev()
                .fold(0, |bits, done| bits << 1 | u64::from(*done))
        };
        self.done.chunks(64).map(bits).collect()
    }
}
