//! `task_runs`: the last run of each shard of each task.
//!
//! The newest write time wins, in the table and in memory alike. It is the moment of the end by the
//! clock of whoever ran it, or one more than that of the run it follows: so a clock that was ahead
//! once does not hide what comes after.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::{Error, FromCql, FromRow, Prepared, Session, Shortcuts, ToCql};
use stoa_types::Timestamp;
use uuid::Uuid;

use crate::schedule::Last;
use crate::tables::{Base, SCOPE, quorum, write};

/// How long the record of a run is kept: long enough for every period that makes sense, and short
/// enough for tasks that are no more to vanish.
pub const KEPT: Duration = Duration::from_secs(90 * 86_400);

/// How many characters of what was done, or of an error, are kept.
pub const LONGEST_TEXT: usize = 2_000;

/// One run of a shard.
#[derive(Debug, Clone, PartialEq, Eq, FromCql, ToCql)]
pub struct Run {
    /// Who ran it.
    pub instance: Uuid,
    /// How many runs there were, this one included; duplicates may share a number.
    pub number: i64,
    /// When it began.
    pub began: Timestamp,
    /// How long it took.
    pub took_millis: i64,
    /// How many in a row failed, this one included; 0 if it went well.
    pub failures: i32,
    /// What it did, if it went well.
    pub done: Option<String>,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

impl Run {
    /// Whether it went well.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.failures == 0
    }

    /// What matters for the next run.
    #[must_use]
    pub fn last(&self) -> Last {
        let took_millis = u64::try_from(self.took_millis).unwrap_or(0);
        Last {
            number: self.number,
            began_micros: self.began.0.saturating_mul(1_000),
            took: Duration::from_millis(took_millis),
            failures: u32::try_from(self.failures).unwrap_or(0),
        }
    }
}

/// The last run of a shard, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The name of the task.
    pub task: String,
    /// Its shard.
    pub shard: u32,
    /// The run.
    pub run: Run,
    /// Its write time: the greatest is the newest.
    pub written_micros: i64,
}

#[derive(FromRow)]
struct RecordRow {
    task: String,
    shard: i32,
    run: Option<Run>,
    written: Option<i64>,
}

/// The table.
#[derive(Debug)]
pub struct RunTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    all: Prepared,
}

impl RunTable {
    pub(crate) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let insert = format!(
            "INSERT INTO {{ks}}.task_runs (scope, task, shard, run) VALUES (?, ?, ?, ?) \
             USING TTL {}",
            KEPT.as_secs()
        );
        Ok(Self {
            session: base.session(),
            insert: base.prepare(&insert).await?,
            all: base
                .prepare(
                    "SELECT task, shard, run, WRITETIME(run) AS written FROM {ks}.task_runs \
                     WHERE scope = ?",
                )
                .await?,
        })
    }

    /// Writes what ran last. Writing it again, or after a newer one, changes nothing.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, record: &Record) -> Result<(), Error> {
        let shard = i32::try_from(record.shard).unwrap_or(i32::MAX);
        let values = (SCOPE, &record.task, shard, &record.run);
        write(&*self.session, &self.insert, values, record.written_micros).await
    }

    /// Every record, by task and shard.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn list(&self) -> Result<Vec<Record>, Error> {
        let bound = self.all.bind((SCOPE,))?.with(quorum());
        let rows = self.session.all::<RecordRow>(&bound).await?;
        let records = rows.into_iter().filter_map(|row| {
            Some(Record {
                task: row.task,
                shard: u32::try_from(row.shard).ok()?,
                run: row.run?,
                written_micros: row.written?,
            })
        });
        Ok(records.collect())
    }
}

/// A text, cut to what is kept of it.
pub(crate) fn kept_text(text: &str) -> String {
    text.chars().take(LONGEST_TEXT).collect()
}
