//! What people were told, to be compared with what is there in the end.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use stoa_votes::model::UserId;
use stoa_votes::ops::submit::Accepted;

/// What people were told.
#[derive(Debug, Default)]
pub(crate) struct Journal(Mutex<Told>);

/// All of it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Told {
    /// Who was told that which record was accepted.
    pub(crate) accepted: Vec<(UserId, Accepted)>,
    /// How often which refusal was told.
    pub(crate) refused: BTreeMap<String, u64>,
    /// Requests whose outcome was unknown at first.
    pub(crate) unknown: u64,
    /// Requests whose outcome never became known.
    pub(crate) unsettled: u64,
    /// Tasks that failed, and copies that were left to them.
    pub(crate) failed_tasks: u64,
    /// Policies that were merged.
    pub(crate) merges: u64,
}

impl Journal {
    pub(crate) fn note(&self, write: impl FnOnce(&mut Told)) {
        write(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn told(&self) -> Told {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn accepted(&self) -> u64 {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.accepted.len() as u64
    }
}
