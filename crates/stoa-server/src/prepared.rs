//! What was prepared, by id, for all connections.
//!
//! Invariants:
//! 1. There are never more than [`MOST`]; the oldest goes, and its clients are told that it is not
//!    prepared, upon which they prepare it again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use stoa_session::Prepared;
use stoa_wire::prepared_id::Id;

/// The most statements that are kept.
const MOST: usize = 10_000;

/// A statement that was prepared.
pub(crate) struct Known {
    /// What executes it.
    pub(crate) prepared: Prepared,
    /// The id of its result's columns when it was prepared.
    pub(crate) metadata_id: Id,
}

/// What was prepared.
#[derive(Default)]
pub(crate) struct PreparedStatements {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    by_id: HashMap<Id, Arc<Known>>,
    by_age: VecDeque<Id>,
}

impl PreparedStatements {
    /// The statement of this id, if it is known.
    pub(crate) fn get(&self, id: &[u8]) -> Option<Arc<Known>> {
        let id = Id::try_from(id).ok()?;
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.by_id.get(&id).cloned()
    }

    /// Keeps a statement, in the place of the one of this id.
    pub(crate) fn keep(&self, id: Id, known: Arc<Known>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.by_id.insert(id, known).is_some() {
            return;
        }
        state.by_age.push_back(id);
        if state.by_age.len() > MOST
            && let Some(oldest) = state.by_age.pop_front()
        {
            state.by_id.remove(&oldest);
        }
    }
}
