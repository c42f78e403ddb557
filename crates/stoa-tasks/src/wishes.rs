//! Tasks that somebody wishes to be run at once, whenever they are due.
//!
//! Whoever wishes does not wait: a wish is a name, heard by the runner the next time it looks what is
//! due. Wishing the same again before that is the same wish, so there are never more wishes than
//! tasks.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What is wished of one runner.
#[derive(Debug)]
pub struct Wishes {
    known: BTreeSet<String>,
    wished: Mutex<BTreeSet<String>>,
}

impl Wishes {
    /// Wishes for tasks of these names alone.
    pub(crate) fn of(known: BTreeSet<String>) -> Self {
        Self {
            known,
            wished: Mutex::default(),
        }
    }

    /// The names of the tasks that can be wished for.
    #[must_use]
    pub fn known(&self) -> &BTreeSet<String> {
        &self.known
    }

    /// Wishes that a task be run; whether there is one of that name.
    pub fn ask(&self, name: &str) -> bool {
        let is_known = self.known.contains(name);
        if is_known {
            let mut wished = self.wished.lock().unwrap_or_else(PoisonError::into_inner);
            wished.insert(name.to_owned());
        }
        is_known
    }

    /// Whether something was wished for since the last time.
    pub(crate) fn are_waiting(&self) -> bool {
        let wished = self.wished.lock().unwrap_or_else(PoisonError::into_inner);
        !wished.is_empty()
    }

    /// What was wished for since the last time.
    pub(crate) fn hear(&self) -> BTreeSet<String> {
        let mut wished = self.wished.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut wished)
    }
}
