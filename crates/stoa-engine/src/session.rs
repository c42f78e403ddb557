//! [`Session`] for the embedded database.
//!
//! The store works in the calling thread, so requests are handed to threads that may wait: async
//! threads never do. Reads and writes of one row that wait for nobody are executed at once.

use std::sync::{Arc, PoisonError, RwLock};

use stoa_cql::ast::BatchKind as Kind;
use stoa_session::bind::BoundValues;
use stoa_session::statement::{BatchItem, PreparedParts};
use stoa_session::{
    Answer, Batch, BatchKind, Body, Bound, Error, ErrorKind, Options, PagingState, Prepared, Reply,
    Session, Statement as Text,
};

use stoa_types::WriteTime;

use crate::at_once::Turns;
use crate::database::{Database, Inner, Terms};
use crate::failure::Failure;
use crate::refusal::Refusal;
use crate::statement::{Plan, Statement};

/// What a prepared statement keeps: the statement as it was resolved last.
type Handle = RwLock<Arc<Statement>>;

/// A session on an embedded database, with a keyspace in use of its own.
#[derive(Debug, Clone)]
pub struct Embedded {
    database: Database,
    keyspace: Arc<RwLock<Option<Arc<str>>>>,
    turns: Arc<Turns>,
}

impl Database {
    /// A new session, with no keyspace in use.
    #[must_use]
    pub fn session(&self) -> Embedded {
        Embedded {
            database: self.clone(),
            keyspace: Arc::default(),
            turns: Arc::default(),
        }
    }
}

impl Embedded {
    /// Hands work to a thread that may wait.
    fn hand_over<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Self) -> Result<T, Failure> + Send + 'static,
    ) -> Reply<'a, T> {
        let session = self.clone();
        let handed = self.inner().workers.run(move || work(&session));
        Box::pin(async move {
            match handed.await {
                Some(result) => result.map_err(Error::from),
                None => Err(Error::unknown(
                    ErrorKind::Server,
                    "the request ended without an answer",
                )),
            }
        })
    }

    /// Executes a statement in the calling thread if that takes little and waits for nobody.
    pub(crate) fn execute_at_once(
        &self,
        bound: &Bound,
        at: Option<&PagingState>,
    ) -> Option<Result<Answer, Failure>> {
        let statement = self.known(bound.prepared())?;
        let terms = terms(&bound.options, at);
        let inner = self.inner();
        inner.execute_at_once(&statement, bound.values(), &terms)
    }

    fn inner(&self) -> &Arc<Inner> {
        &self.database.inner
    }

    /// The keyspace in use.
    #[must_use]
    pub fn keyspace(&self) -> Option<Arc<str>> {
        let keyspace = self.keyspace.read().unwrap_or_else(PoisonError::into_inner);
        keyspace.clone()
    }

    fn prepared(&self, text: &str) -> Result<Arc<Statement>, Failure> {
        Ok(self.inner().prepare(text, self.keyspace().as_ref())?)
    }

    /// Prepares a statement in the calling thread.
    ///
    /// # Errors
    /// When it is refused.
    pub fn prepare_now(&self, text: &str) -> Result<Prepared, Failure> {
        let statement = self.prepared(text)?;
        let columns = match &statement.plan {
            Plan::Select(select) => select.columns.to_vec(),
            _ => Vec::new(),
        };
        Ok(Prepared::new(PreparedParts {
            text: text.to_owned(),
            variables: statement.variables.clone(),
            partition_key: statement.partition_key.clone(),
            columns,
            handle: Box::new(RwLock::new(statement)),
        }))
    }

    /// Executes a prepared statement in the calling thread.
    ///
    /// # Errors
    /// When it is refused, or the store fails.
    pub fn execute_now(&self, bound: &Bound, at: Option<&PagingState>) -> Result<Answer, Failure> {
        let statement = self.current(bound.prepared())?;
        let terms = terms(&bound.options, at);
        let answer = self.inner().execute(&statement, bound.values(), &terms)?;
        self.note(&answer);
        Ok(answer)
    }

    /// The statement of a handle, if the schema has not changed since.
    fn known(&self, prepared: &Prepared) -> Option<Arc<Statement>> {
        let handle: &Handle = prepared.handle()?;
        let statement = handle.read().unwrap_or_else(PoisonError::into_inner);
        let is_known = statement.version == self.inner().version();
        is_known.then(|| Arc::clone(&statement))
    }

    /// The statement of a handle, resolved anew if the schema has changed since.
    fn current(&self, prepared: &Prepared) -> Result<Arc<Statement>, Failure> {
        if let Some(statement) = self.known(prepared) {
            return Ok(statement);
        }
        let handle: Option<&Handle> = prepared.handle();
        let handle = handle
            .ok_or_else(|| Refusal::invalid("the statement was prepared by another back end"))?;
        let statement = Arc::clone(&handle.read().unwrap_or_else(PoisonError::into_inner));
        let keyspace = statement.keyspace.as_ref();
        let renewed = self.inner().prepare(&statement.text, keyspace)?;
        *handle.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&renewed);
        Ok(renewed)
    }

    /// Executes a text in the calling thread.
    ///
    /// # Errors
    /// When it is refused, or the store fails.
    pub fn run_now(&self, text: &Text, at: Option<&PagingState>) -> Result<Answer, Failure> {
        let statement = self.prepared(&text.text)?;
        let terms = terms(&text.options, at);
        let nothing = BoundValues::default();
        let answer = self.inner().execute(&statement, &nothing, &terms)?;
        self.note(&answer);
        Ok(answer)
    }

    /// Executes a batch in the calling thread.
    ///
    /// # Errors
    /// When it is refused, or the store fails.
    pub fn batch_now(&self, batch: &Batch) -> Result<Answer, Failure> {
        let mut writes = Vec::with_capacity(batch.items().len());
        for item in batch.items() {
            let (statement, bound) = match item {
                BatchItem::Bound(bound) => {
                    (self.current(bound.prepared())?, bound.values().clone())
                }
                BatchItem::Text(text) => (self.prepared(text)?, BoundValues::default()),
            };
            if bound.len() != statement.variables.len() {
                return Err(Refusal::invalid("Invalid amount of bind variables").into());
            }
            let Plan::Write(write) = &statement.plan else {
                return Err(Refusal::invalid(
                    "Invalid statement in batch: only UPDATE, INSERT and DELETE statements are allowed.",
                )
                .into());
            };
            writes.push((self.inner().plain(write, &bound)?, bound));
        }
        let kind = match batch.kind {
            BatchKind::Logged => Kind::Logged,
            BatchKind::Unlogged => Kind::Unlogged,
            BatchKind::Counter => Kind::Counter,
        };
        self.inner()
            .batch_of(kind, writes, &terms(&batch.options, None))
    }

    fn note(&self, answer: &Answer) {
        if let Body::UsedKeyspace(name) = &answer.body {
            let mut keyspace = self
                .keyspace
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            *keyspace = Some(Arc::from(name.as_str()));
        }
    }
}

fn terms<'t>(options: &Options, at: Option<&'t PagingState>) -> Terms<'t> {
    Terms {
        timestamp: options.timestamp.map(WriteTime::as_micros),
        consistency: options.consistency,
        page_size: options.page_size.map(std::num::NonZeroU32::get),
        at,
    }
}

impl Session for Embedded {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        let text = text.to_owned();
        self.hand_over(move |session| session.prepare_now(&text))
    }

    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        if let Some(answer) = self.execute_at_once(bound, at) {
            return Box::pin(self.turns.give(answer.map_err(Error::from)));
        }
        let (bound, at) = (bound.clone(), at.cloned());
        self.hand_over(move |session| session.execute_now(&bound, at.as_ref()))
    }

    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer> {
        let batch = batch.clone();
        self.hand_over(move |session| session.batch_now(&batch))
    }

    fn run<'a>(&'a self, statement: &'a Text, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        let (statement, at) = (statement.clone(), at.cloned());
        self.hand_over(move |session| session.run_now(&statement, at.as_ref()))
    }
}
