//! The statements that were resolved lately, by their text.
//!
//! Invariants:
//! 1. A statement is given only to callers with the same keyspace in use and the same schema.
//! 2. There are never more than [`MOST`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use crate::statement::{Plan, Statement};

/// The most statements that are kept.
const MOST: usize = 2_048;

/// The longest text that is kept, in bytes.
const LONGEST: usize = 16 * 1024;

/// The statements that were resolved lately.
#[derive(Default)]
pub(crate) struct Statements {
    by_text: Mutex<HashMap<String, Arc<Statement>>>,
}

impl Statements {
    /// The statement of a text, if it is known.
    pub(crate) fn get(
        &self,
        text: &str,
        keyspace: Option<&Arc<str>>,
        version: Uuid,
    ) -> Option<Arc<Statement>> {
        let by_text = self.by_text.lock().unwrap_or_else(PoisonError::into_inner);
        let found = by_text.get(text)?;
        let is_same = found.version == version && found.keyspace.as_ref() == keyspace;
        is_same.then(|| Arc::clone(found))
    }

    /// Keeps a statement; those that change the schema are not worth it.
    pub(crate) fn keep(&self, statement: &Arc<Statement>) {
        if matches!(statement.plan, Plan::Schema(_)) || statement.text.len() > LONGEST {
            return;
        }
        let mut by_text = self.by_text.lock().unwrap_or_else(PoisonError::into_inner);
        if by_text.len() >= MOST {
            by_text.clear();
        }
        by_text.insert(statement.text.clone(), Arc::clone(statement));
    }
}
