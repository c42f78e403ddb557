//! `Session` over a driver of a real Cassandra cluster.
//!
//! Invariants:
//! 1. Every call ends within its deadline: one timer goes around the whole of it, schema agreement
//!    and preparing again included.
//! 2. Nothing is decoded: values go in and rows come out as native bytes.
//! 3. What a failed statement did is told by all of its attempts, not by the last one.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use scylla::client::session::Session as Driver;
use scylla::response::query_result::QueryResult;
use scylla::response::{PagingState as TheirPagingState, PagingStateResponse};
use scylla::statement::batch::{Batch as TheirBatch, BatchType};
use scylla::statement::prepared::PreparedStatement;
use scylla::statement::unprepared::Statement as TheirStatement;
use stoa_session::statement::{BatchItem, PreparedParts};
use stoa_session::uri::ClusterAddress;
use stoa_session::{
    Answer, Batch, BatchKind, Body, Bound, BoundValues, Consistency, Error, ErrorKind, Options,
    Outcome, PagingState, Prepared, Reply, Session, Statement,
};

use crate::attempts::Attempts;
use crate::cache::Cache;
use crate::columns::{Known, columns};
use crate::connect;
use crate::failure::{self, Cause};
use crate::nature::Nature;
use crate::options::{configure, is_serial};
use crate::password::Password;
use crate::retries::Retries;
use crate::rows::answer;
use crate::values::Values;
use crate::words::words;

/// How many prepared statements are kept.
const CACHE_LIMIT: usize = 1000;

/// A session on a Cassandra cluster. It needs a tokio runtime with I/O and time enabled.
pub struct Cluster {
    driver: Driver,
    consistency: Consistency,
    deadline: Duration,
    cache: Cache,
    /// For statements whose refusals do not prove that nothing was applied.
    careful: Arc<Retries>,
}

/// What [`Prepared`] holds for us.
#[derive(Debug)]
struct Ready {
    statement: PreparedStatement,
    nature: Nature,
    known: Known,
}

/// How one statement is executed.
struct Plan<'a> {
    attempts: Arc<Attempts>,
    retries: Option<&'a Arc<Retries>>,
    /// Whether the driver may execute it twice.
    may_repeat: bool,
    /// Whether twice is as good as once, as far as the caller should know.
    is_idempotent: bool,
    deadline: Duration,
}

impl Cluster {
    /// Connects to a cluster, and uses the address's keyspace, if it has one.
    ///
    /// # Errors
    /// `Unreachable` when nothing answers, `Credentials` when the login is wrong or missing,
    /// `Configuration` when the address does not fit the cluster, `Invalid` when there is no such
    /// keyspace and the address has no `rf`.
    pub async fn connect(
        address: &ClusterAddress,
        password: Option<&Password>,
    ) -> Result<Self, Error> {
        Ok(Self {
            driver: connect::driver(address, password).await?,
            consistency: connect::consistency(address),
            deadline: connect::deadline(address),
            cache: Cache::with_limit(CACHE_LIMIT),
            careful: Arc::new(Retries {
                nature: Nature {
                    is_conditional: true,
                    ..Nature::default()
                },
            }),
        })
    }

    /// The driver, for who asks nodes one by one.
    pub(crate) fn driver(&self) -> &Driver {
        &self.driver
    }

    fn plan(&self, nature: Nature, options: &Options) -> Plan<'_> {
        let is_idempotent = nature.is_idempotent(options);
        // Serial reads take turns with conditional writes: a copy would slow both down.
        let level = options.consistency.unwrap_or(self.consistency);
        Plan {
            attempts: Arc::new(Attempts::at(nature)),
            retries: (nature.is_conditional || nature.is_partial).then_some(&self.careful),
            may_repeat: is_idempotent && !is_serial(level),
            is_idempotent,
            deadline: options.deadline.unwrap_or(self.deadline),
        }
    }

    async fn prepare_text(&self, text: &str) -> Result<Prepared, Error> {
        let era = match self.cache.find(text) {
            Ok(prepared) => return Ok(prepared),
            Err(era) => era,
        };
        let refuse = |cause: Cause| cause.with(Outcome::NotApplied);
        let asking = tokio::time::timeout(self.deadline, self.driver.prepare(text));
        let statement = match asking.await {
            Ok(Ok(statement)) => statement,
            Ok(Err(error)) => return Err(refuse(failure::of_prepare(&error))),
            Err(_) => return Err(refuse(failure::past_deadline(self.deadline))),
        };
        let prepared = ready(text, statement);
        self.cache.add(prepared.clone(), era);
        Ok(prepared)
    }

    async fn execute_page(&self, bound: &Bound, at: Option<&PagingState>) -> Result<Answer, Error> {
        let ready: &Ready = bound.prepared().handle().ok_or_else(foreign)?;
        let plan = self.plan(ready.nature, &bound.options);
        let mut statement = ready.statement.clone();
        configure!(statement, bound.options, plan);
        if let Some(rows) = bound.options.page_size {
            statement.set_page_size(i32::try_from(rows.get()).unwrap_or(i32::MAX));
        }
        let values = Values(bound.values());
        let call = self
            .driver
            .execute_single_page(&statement, values, page(at));
        plan.finish(call, &ready.known).await
    }

    async fn execute_batch(&self, batch: &Batch) -> Result<Answer, Error> {
        let of_item = |item: &BatchItem| match item {
            BatchItem::Bound(bound) => {
                let ready = bound.prepared().handle::<Ready>();
                ready.map_or_else(Nature::default, |ready| ready.nature)
            }
            BatchItem::Text(text) => Nature::of_text(text),
        };
        let plan = self.plan(Nature::of_batch(batch, of_item), &batch.options);
        let mut theirs = TheirBatch::new(match batch.kind {
            BatchKind::Logged => BatchType::Logged,
            BatchKind::Unlogged => BatchType::Unlogged,
            BatchKind::Counter => BatchType::Counter,
        });
        let none = BoundValues::default();
        let mut values = Vec::with_capacity(batch.items().len());
        for item in batch.items() {
            match item {
                BatchItem::Bound(bound) => {
                    let ready: &Ready = bound.prepared().handle().ok_or_else(foreign)?;
                    theirs.append_statement(ready.statement.clone());
                    values.push(Values(bound.values()));
                }
                BatchItem::Text(text) => {
                    theirs.append_statement(TheirStatement::new(text));
                    values.push(Values(&none));
                }
            }
        }
        configure!(theirs, batch.options, plan);
        let call = async {
            let result = self.driver.batch(&theirs, values).await?;
            Ok((result, PagingStateResponse::NoMorePages))
        };
        plan.finish(call, &Known::default()).await
    }

    async fn run_page(
        &self,
        statement: &Statement,
        at: Option<&PagingState>,
    ) -> Result<Answer, Error> {
        let plan = self.plan(Nature::of_text(&statement.text), &statement.options);
        let mut theirs = TheirStatement::new(&statement.text);
        configure!(theirs, statement.options, plan);
        if let Some(rows) = statement.options.page_size {
            theirs.set_page_size(i32::try_from(rows.get()).unwrap_or(i32::MAX));
        }
        let call = self.driver.query_single_page(theirs, (), page(at));
        let answer = plan.finish(call, &Known::default()).await;
        if !is_use(&statement.text) {
            return answer;
        }
        // The driver has told every connection. After an error some may know and some may not, so
        // nothing that was prepared before is trusted.
        self.cache.begin_era();
        let used = self.driver.get_keyspace();
        answer.map(|answer| Answer {
            body: Body::UsedKeyspace(used.map(|name| name.to_string()).unwrap_or_default()),
            ..answer
        })
    }
}

impl fmt::Debug for Cluster {
    /// Without the driver, which knows the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("keyspace", &self.driver.get_keyspace())
            .field("consistency", &self.consistency)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

impl Plan<'_> {
    /// Waits for the answer, but not longer than the deadline.
    async fn finish(
        &self,
        call: impl Future<
            Output = Result<(QueryResult, PagingStateResponse), scylla::errors::ExecutionError>,
        >,
        known: &Known,
    ) -> Result<Answer, Error> {
        let answered = match tokio::time::timeout(self.deadline, call).await {
            Ok(Ok((result, next))) => answer(result, next, known),
            Ok(Err(error)) => Err(failure::of_execution(&error)),
            Err(_) => Err(failure::past_deadline(self.deadline)),
        };
        answered.map_err(|cause| {
            let error = cause.with(self.attempts.outcome());
            error
                .of_idempotent(self.is_idempotent)
                .asked_of(self.attempts.nodes())
        })
    }
}

impl Session for Cluster {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        Box::pin(self.prepare_text(text))
    }

    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        Box::pin(self.execute_page(bound, at))
    }

    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer> {
        Box::pin(self.execute_batch(batch))
    }

    fn run<'a>(
        &'a self,
        statement: &'a Statement,
        at: Option<&'a PagingState>,
    ) -> Reply<'a, Answer> {
        Box::pin(self.run_page(statement, at))
    }
}

/// What the waist wants to know about a statement that the driver has prepared.
fn ready(text: &str, statement: PreparedStatement) -> Prepared {
    let variables = columns(statement.get_variable_col_specs().as_slice());
    let answered = columns(
        statement
            .get_current_result_set_col_specs()
            .get()
            .as_slice(),
    );
    let mut key = statement.get_variable_pk_indexes().to_vec();
    key.sort_by_key(|part| part.sequence);
    Prepared::new(PreparedParts {
        text: text.to_owned(),
        partition_key: key.iter().map(|part| usize::from(part.index)).collect(),
        columns: answered.clone(),
        handle: Box::new(Ready {
            nature: Nature::of_prepared(text, &variables),
            known: Known::new(answered),
            statement,
        }),
        variables,
    })
}

fn page(at: Option<&PagingState>) -> TheirPagingState {
    at.map_or_else(TheirPagingState::start, |at| {
        TheirPagingState::new_from_raw_bytes(at.as_bytes())
    })
}

fn is_use(text: &str) -> bool {
    words(text)
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("USE"))
}

fn foreign() -> Error {
    Error::not_applied(
        ErrorKind::Invalid,
        "the statement was prepared by another kind of session",
    )
}
