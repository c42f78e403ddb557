//! A key-value store that fails on command: it keeps what is written and what is durable apart.
//!
//! Commits with [`Durability::ToDisk`] become durable at once; others wait for the next sync. A *crash*
//! leaves the durable commits and any number of the waiting ones, oldest first. Faults are named by
//! the number of the operation they strike, so a test can strike every one of them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use super::memory::MemoryKv;
use super::{Change, CompactionRule, Durability, Figures, Kv, Snapshot, SpaceId};
use crate::error::{Outcome, StoreError};
use crate::lock::lock;

/// What a commit that is struck leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The disk is full: nothing of the commit is there afterwards.
    Full,
    /// The sync failed: the commit is not acknowledged and must not appear.
    SyncFailed,
    /// The answer was lost: the commit is durable, though the caller is told of an error.
    AnswerLost,
}

#[derive(Debug, Default)]
struct State {
    durable: Vec<Vec<Change>>,
    waiting: Vec<Vec<Change>>,
    spaces: Vec<SpaceId>,
    /// Faults for the coming commits; `None` lets one pass.
    plan: VecDeque<Option<Fault>>,
    failed: bool,
    /// So many of the coming tries to reopen fail.
    failing_reopens: u32,
    /// Whether the last try failed: then nothing can be read.
    is_let_go: bool,
}

/// The failing store.
#[derive(Debug)]
pub struct FaultyKv {
    rule: Arc<dyn CompactionRule>,
    state: Mutex<State>,
    shown: Mutex<MemoryKv>,
}

impl FaultyKv {
    /// An empty store without faults planned.
    #[must_use]
    pub fn new(rule: Arc<dyn CompactionRule>) -> Self {
        let shown = Mutex::new(MemoryKv::new(Arc::clone(&rule)));
        Self {
            rule,
            state: Mutex::default(),
            shown,
        }
    }

    /// Plans the fates of the coming commits, in order.
    pub fn plan(&self, fates: impl IntoIterator<Item = Option<Fault>>) {
        lock(&self.state).plan.extend(fates);
    }

    /// Lets so many of the coming tries to reopen fail after the old files were let go of.
    pub fn fail_reopens(&self, tries: u32) {
        lock(&self.state).failing_reopens = tries;
    }

    /// The store that a power cut leaves: all durable commits and the first `kept` waiting ones.
    pub fn after_crash(&self, kept: usize) -> Result<Self, StoreError> {
        let state = lock(&self.state);
        let mut durable = state.durable.clone();
        durable.extend(state.waiting.iter().take(kept).cloned());
        let after = Self::new(Arc::clone(&self.rule));
        *lock(&after.state) = State {
            durable,
            spaces: state.spaces.clone(),
            ..State::default()
        };
        after.rebuild()?;
        Ok(after)
    }

    /// How many commits wait for a sync.
    #[must_use]
    pub fn waiting(&self) -> usize {
        lock(&self.state).waiting.len()
    }

    fn rebuild(&self) -> Result<(), StoreError> {
        let state = lock(&self.state);
        let fresh = MemoryKv::new(Arc::clone(&self.rule));
        for space in &state.spaces {
            fresh.create_space(*space)?;
        }
        for changes in state.durable.iter().chain(&state.waiting) {
            let mut kept: Vec<Change> = changes
                .iter()
                .filter(|it| state.spaces.contains(&it.space))
                .cloned()
                .collect();
            fresh.commit(&mut kept, Durability::ToDisk)?;
        }
        *lock(&self.shown) = fresh;
        Ok(())
    }

    fn shown(&self) -> MemoryKv {
        lock(&self.shown).clone()
    }
}

impl Kv for FaultyKv {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        if lock(&self.state).is_let_go {
            return Err(StoreError::Closed);
        }
        self.shown().snapshot()
    }

    fn commit(&self, changes: &mut Vec<Change>, durability: Durability) -> Result<(), StoreError> {
        let fail = |what: &str, outcome| StoreError::Io {
            what: what.to_owned(),
            outcome,
        };
        let mut state = lock(&self.state);
        if state.failed {
            return Err(fail("the store has failed", Outcome::NotApplied));
        }
        let fault = state.plan.pop_front().flatten();
        if let Some(fault) = fault {
            state.failed = true;
            if fault == Fault::AnswerLost {
                let waiting = std::mem::take(&mut state.waiting);
                state.durable.extend(waiting);
                state.durable.push(changes.to_vec());
            }
            return Err(fail("a planned fault", Outcome::Unknown));
        }
        match durability {
            Durability::ToDisk => {
                let waiting = std::mem::take(&mut state.waiting);
                state.durable.extend(waiting);
                state.durable.push(changes.to_vec());
            }
            Durability::ToSystem => state.waiting.push(changes.to_vec()),
        }
        self.shown().commit(changes, durability)
    }

    fn create_space(&self, space: SpaceId) -> Result<(), StoreError> {
        let mut state = lock(&self.state);
        if !state.spaces.contains(&space) {
            state.spaces.push(space);
        }
        self.shown().create_space(space)
    }

    fn drop_space(&self, space: SpaceId) -> Result<(), StoreError> {
        lock(&self.state).spaces.retain(|it| *it != space);
        self.shown().drop_space(space)
    }

    fn spaces(&self) -> Result<Vec<SpaceId>, StoreError> {
        self.shown().spaces()
    }

    fn sync(&self) -> Result<(), StoreError> {
        let mut state = lock(&self.state);
        let waiting = std::mem::take(&mut state.waiting);
        state.durable.extend(waiting);
        Ok(())
    }

    fn flush(&self) -> Result<(), StoreError> {
        self.sync()
    }

    fn compact(&self, space: SpaceId) -> Result<(), StoreError> {
        self.shown().compact(space)
    }

    fn housekeep(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn is_failed(&self) -> bool {
        lock(&self.state).failed
    }

    fn reopen(&self) -> Result<(), StoreError> {
        {
            let mut state = lock(&self.state);
            state.is_let_go = state.failing_reopens > 0;
            if state.is_let_go {
                state.failing_reopens -= 1;
                return Err(StoreError::io("a planned failure to reopen"));
            }
            state.failed = false;
        }
        self.rebuild()
    }

    fn close(&self) -> Result<(), StoreError> {
        self.sync()?;
        self.shown().close()
    }

    fn figures(&self) -> Figures {
        self.shown().figures()
    }
}
