//! What an instance does in the background, as far as pages show it and ask for it.

use std::sync::Arc;

use stoa_tasks::{Runner, Tables, Wishes};
use uuid::Uuid;

/// The background of an instance.
#[derive(Debug)]
pub struct Background {
    /// What ran, who lives, what was told: of all instances.
    pub tables: Arc<Tables>,
    /// Where this instance is asked to run something now.
    pub wishes: Arc<Wishes>,
    /// This instance, among those that live.
    pub instance: Uuid,
}

impl Background {
    /// What a runner does, and the tables that it writes.
    #[must_use]
    pub fn of(runner: &Runner, tables: Arc<Tables>) -> Self {
        Self {
            tables,
            wishes: runner.wishes(),
            instance: runner.instance().id,
        }
    }
}
