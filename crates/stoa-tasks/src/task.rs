//! What a background task is, for whoever writes one.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use stoa_session::Error;

/// A run to come.
pub type Work<'a> = Pin<Box<dyn Future<Output = Result<Done, TaskError>> + Send + 'a>>;

/// Something that is done again and again in the background.
///
/// The contract: a run may be repeated, may run on two instances at once, and may die anywhere. The
/// next run ends at the same. And a run ends: each of its statements has a deadline.
pub trait Task: Send + Sync + fmt::Debug {
    /// Its name: unique, and the same for ever, because its records are found by it.
    fn name(&self) -> &str;

    /// What it does, in one sentence.
    fn about(&self) -> &str;

    /// How often each shard is run.
    fn period(&self) -> Duration;

    /// In how many parts it is cut, which may run on different instances. At most
    /// [`MOST_SHARDS`](crate::runner::MOST_SHARDS).
    fn shards(&self) -> u32 {
        1
    }

    /// Whether every instance runs it for itself, as where it brings up to date what the instance
    /// remembers; otherwise one of them does for all.
    fn is_everywhere(&self) -> bool {
        false
    }

    /// Does the work of one shard.
    fn run(&self, shard: u32) -> Work<'_>;
}

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Done {
    /// In words, for those who look at the records; empty if there is nothing to tell.
    pub what: String,
}

impl Done {
    /// Nothing to tell.
    #[must_use]
    pub fn quietly() -> Self {
        Self::default()
    }

    /// Something to tell.
    #[must_use]
    pub fn told(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

/// Why a run failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TaskError {
    /// A statement was not answered.
    #[error(transparent)]
    Session(#[from] Error),
    /// The task found something that is not as it should be.
    #[error("{0}")]
    Wrong(String),
    /// The task looked for what is wrong, and found it.
    #[error("{what}")]
    Found {
        /// All of it in a few words.
        what: String,
        /// Each of it, for the log.
        findings: Vec<String>,
    },
}
