//! The task that brings an instance's search index up to date; apart from the catalogue, because only
//! an instance that has an index can run it. Each runs it for itself.

use std::sync::Arc;
use std::time::Duration;

use stoa_tasks::{Done, Task, TaskError, Work};

use super::catalog::Described;
use crate::ops::search::{NotRefreshed, SearchIndex};
use crate::votes::Votes;

/// The task, as people know it.
pub(super) const DESCRIBED: Described = Described {
    name: "votes.refresh_search",
    every: Duration::from_secs(60),
    about: "Brings the index of words up to date, on each instance.",
    serves: &["search refresh"],
};

/// The task.
#[must_use]
pub fn search_task(votes: &Arc<Votes>, index: Arc<SearchIndex>) -> Arc<dyn Task> {
    let votes = Arc::clone(votes);
    Arc::new(SearchTask { votes, index })
}

#[derive(Debug)]
struct SearchTask {
    votes: Arc<Votes>,
    index: Arc<SearchIndex>,
}

impl SearchTask {
    async fn refresh(&self) -> Result<Done, TaskError> {
        match self.votes.refresh_search(&self.index).await {
            Ok(0) => Ok(Done::quietly()),
            Ok(changed) => Ok(Done::told(format!("{changed} documents changed"))),
            Err(NotRefreshed::Session(error)) => Err(error.into()),
            Err(NotRefreshed::Index(error)) => Err(TaskError::Wrong(error.to_string())),
        }
    }
}

impl Task for SearchTask {
    fn name(&self) -> &str {
        DESCRIBED.name
    }

    fn about(&self) -> &str {
        DESCRIBED.about
    }

    fn period(&self) -> Duration {
        DESCRIBED.every
    }

    fn is_everywhere(&self) -> bool {
        true
    }

    fn run(&self, _shard: u32) -> Work<'_> {
        Box::pin(self.refresh())
    }
}
