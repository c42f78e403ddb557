//! The rows of a dump on their way into a back end, many at a time.
//!
//! Their order does not matter: each cell has its timestamp, and what does depend on an order is
//! in one batch. Most statements are `INSERT`s of few kinds. Those are prepared, which spares the
//! back end the reading of each; the others are executed as they are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use stoa_session::retry::Retry;
use stoa_session::{Bound, Error, Options, Outcome, Prepared, Session, Statement as Text};
use stoa_types::{Clock, Value};
use tokio::task::JoinSet;

use super::adjust::Write;
use super::reader::Item;
use super::target::{Table, Tables};
use crate::command::term_value::value_of_term;

const MICROS: i64 = 1_000_000;
/// How many kinds of statements are kept prepared.
const MOST_PREPARED: usize = 1_000;
/// A back end counts a TTL from the second at which it executes the write. So late in a second,
/// that may be the next one.
const TOO_LATE_MICROS: i64 = 500_000;
/// Writing the same again changes nothing, so it may be tried for a while.
const PATIENCE: Retry = Retry {
    attempts: 10,
    first_pause: Duration::from_millis(100),
    longest_pause: Duration::from_secs(5),
};

/// The rows of a dump on their way.
pub(super) struct Writes {
    session: Arc<dyn Session>,
    clock: Arc<dyn Clock>,
    most: usize,
    prepared: Arc<Mutex<HashMap<String, Prepared>>>,
    under_way: JoinSet<Result<Written, Failed>>,
    pub(super) counts: Counts,
}

/// What has been done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    pub(super) written: u64,
    /// Writes whose TTL had passed.
    pub(super) gone: u64,
}

enum Written {
    Yes,
    Gone,
}

/// A write that failed, and in which line it stands.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) line: u64,
    pub(super) problem: anyhow::Error,
}

impl Writes {
    /// At most so many at a time.
    pub(super) fn new(session: Arc<dyn Session>, clock: Arc<dyn Clock>, most: usize) -> Self {
        Self {
            session,
            clock,
            most: most.max(1),
            prepared: Arc::default(),
            under_way: JoinSet::new(),
            counts: Counts::default(),
        }
    }

    /// Begins to write, when there is room.
    pub(super) async fn push(&mut self, item: Item, tables: &Arc<Tables>) -> Result<(), Failed> {
        while self.under_way.len() >= self.most {
            self.wait().await?;
        }
        let write = One {
            session: Arc::clone(&self.session),
            clock: Arc::clone(&self.clock),
            tables: Arc::clone(tables),
            prepared: Arc::clone(&self.prepared),
        };
        self.under_way.spawn(async move {
            let line = item.line;
            let done = write.execute(&item).await;
            done.map_err(|problem| Failed { line, problem })
        });
        Ok(())
    }

    /// Waits for all of them. If some failed, the first in the dump is told.
    pub(super) async fn finish(&mut self) -> Result<(), Failed> {
        let mut first: Option<Failed> = None;
        while !self.under_way.is_empty() {
            if let Err(failed) = self.wait().await
                && first.as_ref().is_none_or(|it| failed.line < it.line)
            {
                first = Some(failed);
            }
        }
        first.map_or(Ok(()), Err)
    }

    async fn wait(&mut self) -> Result<(), Failed> {
        match self.under_way.join_next().await {
            Some(Ok(Ok(Written::Yes))) => self.counts.written += 1,
            Some(Ok(Ok(Written::Gone))) => self.counts.gone += 1,
            Some(Ok(Err(failed))) => return Err(failed),
            Some(Err(broken)) => {
                return Err(Failed {
                    line: 0,
                    problem: anyhow!(broken).context("a write was broken off"),
                });
            }
            None => {}
        }
        Ok(())
    }
}

/// What is needed to execute one write.
struct One {
    session: Arc<dyn Session>,
    clock: Arc<dyn Clock>,
    tables: Arc<Tables>,
    prepared: Arc<Mutex<HashMap<String, Prepared>>>,
}

impl One {
    async fn execute(&self, item: &Item) -> anyhow::Result<Written> {
        let statement = stoa_cql::parse(&item.text)?.statement;
        let write = Write::of(statement);
        let mut write = write.context("this belongs in no dump, and was not executed")?;
        let (keyspace, name) = write.table().context("the table has no keyspace")?;
        let table = self.tables.get(&(keyspace.to_owned(), name.to_owned()));
        let table = table.context("a row comes before the CREATE TABLE of its table")?;
        let mut is_changed = false;
        if let Some(base) = item.ttl_base.filter(|_| write.has_ttl()) {
            write.count_from(base, self.early_second().await);
            is_changed = true;
        }
        if write.is_gone() {
            return Ok(Written::Gone);
        }
        let text = match is_changed {
            true => write.text(),
            false => item.text.clone(),
        };
        let done = match table.shape.is_counter {
            true => self.count(&text, table).await,
            false => self.write(text, write, table).await,
        };
        done.map(|()| Written::Yes)
    }

    /// Now, in seconds; early enough in the second that a write will be executed within it.
    async fn early_second(&self) -> i64 {
        let now = self.clock.now_micros();
        if now.rem_euclid(MICROS) < TOO_LATE_MICROS {
            return now.div_euclid(MICROS);
        }
        let left = u64::try_from(MICROS - now.rem_euclid(MICROS)).unwrap_or(0);
        tokio::time::sleep(Duration::from_micros(left)).await;
        self.clock.now_micros().div_euclid(MICROS)
    }

    /// The write as a prepared statement; `None` if it is none that is worth preparing, or has
    /// terms that only the back end understands.
    async fn bind(&self, write: &Write) -> Option<Bound> {
        let (text, terms) = write.with_markers()?;
        let prepared = self.prepare(text).await?;
        let variables = prepared.variables().iter().zip(terms);
        let values = variables
            .map(|(variable, term)| value_of_term(&variable.data_type, term, &*self.clock));
        let values: Vec<Value> = values.collect::<Option<_>>()?;
        prepared.bind(values.as_slice()).ok()
    }

    async fn prepare(&self, text: String) -> Option<Prepared> {
        let known = self.prepared.lock();
        let known = known
            .unwrap_or_else(PoisonError::into_inner)
            .get(&text)
            .cloned();
        if known.is_some() {
            return known;
        }
        let prepared = self.session.prepare(&text).await.ok()?;
        let mut all = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_PREPARED {
            all.clear();
        }
        all.insert(text, prepared.clone());
        Some(prepared)
    }

    async fn run(&self, text: &str, is_idempotent: bool) -> Result<(), Error> {
        let options = Options {
            is_idempotent,
            ..Options::new()
        };
        let statement = Text::new(text).with(options);
        let run = || self.session.run(&statement, None);
        PATIENCE.run(run, tokio::time::sleep).await.map(|_| ())
    }

    async fn write(&self, text: String, mut write: Write, table: &Table) -> anyhow::Result<()> {
        if !write.adds_to_lists(&table.shape) {
            let Some(bound) = self.bind(&write).await else {
                return Ok(self.run(&text, true).await?);
            };
            let bound = bound.with(Options::new().idempotent());
            let execute = || self.session.execute(&bound, None);
            PATIENCE.run(execute, tokio::time::sleep).await?;
            return Ok(());
        }
        if !table.had_rows {
            match self.run(&text, false).await {
                Err(problem) if problem.kind().is_transient() => {}
                done => return Ok(done?),
            }
        }
        // It may have been executed before.
        write.discard_first(&table.shape);
        Ok(self.run(&write.text(), true).await?)
    }

    async fn count(&self, text: &str, table: &Table) -> anyhow::Result<()> {
        let Err(problem) = self.run(text, false).await else {
            return Ok(());
        };
        let advice = match problem.outcome() {
            Outcome::NotApplied => "was not executed",
            Outcome::Unknown => "may have been executed or not",
        };
        Err(anyhow!(problem).context(format!(
            "a change of a counter {advice}; TRUNCATE {} before loading again",
            table.shape.table
        )))
    }
}
