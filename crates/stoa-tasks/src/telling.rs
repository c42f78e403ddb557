//! What a runner tells of failures: a line of the log for each, kept until it is written.
//!
//! The first failure in a row is a warning, since it may pass; the next ones are errors, for somebody
//! to look at now. Each finding of a task that looks for what is wrong has a line of its own.

use std::collections::VecDeque;

use stoa_session::Error;
use stoa_types::time_uuid::{TimeUuidGenerator, clock_seq_and_node};
use stoa_types::{Clock, Ids};
use uuid::Uuid;

use crate::log::{Level, Line, LogTable};
use crate::runs::{Run, kept_text};

/// Findings of one run that are told.
pub const MOST_FINDINGS: usize = 100;

/// Lines that wait for a store that does not answer; then the oldest are dropped.
const MOST_WAITING: usize = 1_000;

/// The lines of one instance.
#[derive(Debug)]
pub(crate) struct Telling {
    instance: Uuid,
    moments: TimeUuidGenerator,
    waiting: VecDeque<Line>,
}

impl Telling {
    pub(crate) fn new(ids: &dyn Ids, instance: Uuid) -> Self {
        Self {
            instance,
            moments: TimeUuidGenerator::new(clock_seq_and_node(ids.random_u64())),
            waiting: VecDeque::new(),
        }
    }

    /// Tells of a run that failed; of one that went well there is nothing to tell.
    pub(crate) fn of_run(
        &mut self,
        clock: &dyn Clock,
        task: &str,
        shard: u32,
        run: &Run,
        findings: &[String],
    ) {
        let level = match run.failures {
            ..=0 => return,
            1 => Level::Warning,
            _ => Level::Error,
        };
        let error = run.error.as_deref().unwrap_or_default();
        let mut texts = vec![("a task failed", "error", kept_text(error))];
        let told = findings.iter().take(MOST_FINDINGS);
        texts.extend(told.map(|it| ("a task found something", "finding", kept_text(it))));
        for (what, name, text) in texts {
            let line = Line {
                instance: self.instance,
                at: self.moments.next(clock),
                level,
                what: what.to_owned(),
                fields: [
                    ("task".to_owned(), task.to_owned()),
                    ("shard".to_owned(), shard.to_string()),
                    ("failures".to_owned(), run.failures.to_string()),
                    (name.to_owned(), text),
                ]
                .into(),
            };
            self.waiting.push_back(line);
        }
        while self.waiting.len() > MOST_WAITING {
            self.waiting.pop_front();
        }
    }

    /// Writes what waits.
    pub(crate) async fn write(&mut self, log: &LogTable) -> Result<(), Error> {
        while let Some(line) = self.waiting.front() {
            log.write(line).await?;
            self.waiting.pop_front();
        }
        Ok(())
    }
}
