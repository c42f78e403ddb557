//! [`Session`] for the embedded database.
//!
//! The store works in the calling thread, so requests are handed to threads that may wait: async
//! threads never do. Reads and writes of one row that wait for nobody are executed at once.
//!
//! A call with a deadline ends by then. One that has not begun to write is given up and never
//! writes; of a write that has begun the outcome is unknown, because its commit goes on.

use std::sync::{Arc, PoisonError, RwLock};

use stoa_cql::ast::BatchKind as Kind;
use stoa_session::bind::BoundValues;
use stoa_session::statement::{BatchItem, PreparedParts};
use stoa_session::{
    Answer, Batch, BatchKind, Body, Bound, Error, ErrorKind, Options, PagingState, Prepared, Reply,
    Session, Statement as Text,
};
use stoa_store::StoreError;
use stoa_types::WriteTime;

use crate::at_once::Turns;
use crate::database::{Database, Inner, Terms};
use crate::deadline::Call;
use crate::failure::Failure;
use crate::refusal::Refusal;
use crate::statement::{Plan, Statement};
use crate::workers::NotDone;

/// How often a read is resolved anew because its table was dropped under it.
const MOST_RENEWALS: usize = 8;
/// The native protocol's code for too many requests.
const OVERLOADED: u16 = 0x1001;

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
        self.session_with(None)
    }

    /// A new session with a keyspace in use. Statements that need it are refused if it is not there.
    #[must_use]
    pub fn session_in(&self, keyspace: &str) -> Embedded {
        self.session_with(Some(Arc::from(keyspace)))
    }

    fn session_with(&self, keyspace: Option<Arc<str>>) -> Embedded {
        Embedded {
            database: self.clone(),
            keyspace: Arc::new(RwLock::new(keyspace)),
            turns: Arc::default(),
        }
    }
}

impl Embedded {
    /// Hands work to a thread that may wait.
    fn hand_over<'a, T: Send + 'static>(
        &'a self,
        options: &Options,
        work: impl FnOnce(&Self, &Call) -> Result<T, Failure> + Send + 'static,
    ) -> Reply<'a, T> {
        let session = self.clone();
        let call = Arc::new(self.call(options));
        let (is_idempotent, own) = (options.is_idempotent, Arc::clone(&call));
        let late = Arc::clone(&call);
        let workers = &self.inner().workers;
        let handed = workers.run(
            call.limit(),
            move || Err(late.give_up()),
            move || {
                own.check()?;
                work(&session, &own)
            },
        );
        Box::pin(async move {
            let failed = match handed.await {
                Ok(Ok(result)) => return Ok(result),
                Ok(Err(failure)) => Error::from(failure),
                Err(NotDone::Lost) => {
                    Error::unknown(ErrorKind::Server, "the request ended without an answer")
                }
                Err(NotDone::Refused) => {
                    let what = "too many requests are waiting; try again later";
                    Error::not_applied(ErrorKind::Unavailable, what).with_code(OVERLOADED)
                }
            };
            Err(failed.of_idempotent(is_idempotent && !call.is_conditional()))
        })
    }

    /// A call that begins now.
    fn call(&self, options: &Options) -> Call {
        Call::new(&self.inner().clock, options.deadline)
    }

    /// Executes a statement in the calling thread if that takes little and waits for nobody.
    pub(crate) fn execute_at_once(
        &self,
        bound: &Bound,
        at: Option<&PagingState>,
    ) -> Option<Result<Answer, Failure>> {
        let statement = known(bound.prepared()).ok()?;
        let call = self.call(&bound.options);
        let terms = terms(&bound.options, at, &call);
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

    /// Executes a prepared statement in the calling thread. Its deadline ends a read, and a write
    /// that has not begun; a write that has begun is waited for.
    ///
    /// # Errors
    /// When it is refused, the store fails, or it takes too long.
    pub fn execute_now(&self, bound: &Bound, at: Option<&PagingState>) -> Result<Answer, Failure> {
        self.execute_call(bound, at, &self.call(&bound.options))
    }

    fn execute_call(
        &self,
        bound: &Bound,
        at: Option<&PagingState>,
        call: &Call,
    ) -> Result<Answer, Failure> {
        let terms = terms(&bound.options, at, call);
        let known = known(bound.prepared())?;
        self.execute_current(bound.values(), &terms, &known, |known| {
            self.current(bound.prepared(), known)
        })
    }

    /// Executes a statement by the schema as it is now, which `renew` resolves it by. Only a write
    /// keeps the schema so; a read whose table was dropped meanwhile is resolved once more.
    fn execute_current(
        &self,
        bound: &BoundValues,
        terms: &Terms<'_>,
        known: &Arc<Statement>,
        renew: impl Fn(&Arc<Statement>) -> Result<Arc<Statement>, Failure>,
    ) -> Result<Answer, Failure> {
        let inner = self.inner();
        // Resolved within the gate, a write cannot run by a schema of a moment ago.
        let gate = known.plan.is_write().then(|| inner.begin_writing());
        let mut statement = renew(known)?;
        let mut answer = inner.execute(&statement, bound, terms, gate.as_ref());
        for _ in 0..MOST_RENEWALS {
            let is_gone = matches!(answer, Err(Failure::Store(StoreError::NoSuchTable(_))));
            if !is_gone || gate.is_some() {
                break;
            }
            // The schema says so only after the change of it has ended.
            drop(inner.begin_writing());
            statement = renew(&statement)?;
            answer = inner.execute(&statement, bound, terms, None);
        }
        let answer = answer?;
        self.note(&answer);
        Ok(answer)
    }

    /// A statement, resolved anew if the schema has changed since.
    fn renewed(&self, statement: &Arc<Statement>) -> Result<Arc<Statement>, Failure> {
        if statement.version == self.inner().version() {
            return Ok(Arc::clone(statement));
        }
        let keyspace = statement.keyspace.as_ref();
        Ok(self.inner().prepare(&statement.text, keyspace)?)
    }

    /// The statement of a handle, which knows it as `known`, by the schema as it is now.
    fn current(
        &self,
        prepared: &Prepared,
        known: &Arc<Statement>,
    ) -> Result<Arc<Statement>, Failure> {
        let renewed = self.renewed(known)?;
        if !Arc::ptr_eq(&renewed, known) {
            let handle = handle(prepared)?;
            *handle.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&renewed);
        }
        Ok(renewed)
    }

    /// Executes a text in the calling thread, as [`Embedded::execute_now`] does.
    ///
    /// # Errors
    /// When it is refused, the store fails, or it takes too long.
    pub fn run_now(&self, text: &Text, at: Option<&PagingState>) -> Result<Answer, Failure> {
        self.run_call(text, at, &self.call(&text.options))
    }

    fn run_call(
        &self,
        text: &Text,
        at: Option<&PagingState>,
        call: &Call,
    ) -> Result<Answer, Failure> {
        let terms = terms(&text.options, at, call);
        let nothing = BoundValues::default();
        let known = self.prepared(&text.text)?;
        self.execute_current(&nothing, &terms, &known, |known| self.renewed(known))
    }

    /// Executes a batch in the calling thread, as [`Embedded::execute_now`] does.
    ///
    /// # Errors
    /// When it is refused, the store fails, or it takes too long.
    pub fn batch_now(&self, batch: &Batch) -> Result<Answer, Failure> {
        self.batch_call(batch, &self.call(&batch.options))
    }

    fn batch_call(&self, batch: &Batch, call: &Call) -> Result<Answer, Failure> {
        let gate = self.inner().begin_writing();
        let mut writes = Vec::with_capacity(batch.items().len());
        for item in batch.items() {
            let (statement, bound) = match item {
                BatchItem::Bound(bound) => {
                    let known = known(bound.prepared())?;
                    let statement = self.current(bound.prepared(), &known)?;
                    (statement, bound.values().clone())
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
            .batch_of(kind, writes, &terms(&batch.options, None, call), &gate)
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

/// What the engine keeps with a prepared statement.
fn handle(prepared: &Prepared) -> Result<&RwLock<Arc<Statement>>, Refusal> {
    let handle = prepared.handle();
    handle.ok_or_else(|| Refusal::invalid("the statement was prepared by another back end"))
}

/// A prepared statement by the schema of when it was executed last.
fn known(prepared: &Prepared) -> Result<Arc<Statement>, Refusal> {
    let handle = handle(prepared)?;
    let known = handle.read().unwrap_or_else(PoisonError::into_inner);
    Ok(Arc::clone(&known))
}

fn terms<'t>(options: &Options, at: Option<&'t PagingState>, call: &'t Call) -> Terms<'t> {
    Terms {
        call,
        timestamp: options.timestamp.map(WriteTime::as_micros),
        consistency: options.consistency,
        page_size: options.page_size.map(std::num::NonZeroU32::get),
        at,
    }
}

impl Session for Embedded {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        let text = text.to_owned();
        self.hand_over(&Options::new(), move |session, _| {
            session.prepare_now(&text)
        })
    }

    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        if let Some(answer) = self.execute_at_once(bound, at) {
            let is_idempotent = bound.options.is_idempotent;
            let failed = |failure| Error::from(failure).of_idempotent(is_idempotent);
            return Box::pin(self.turns.give(answer.map_err(failed)));
        }
        let (own, at) = (bound.clone(), at.cloned());
        self.hand_over(&bound.options, move |session, call| {
            session.execute_call(&own, at.as_ref(), call)
        })
    }

    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer> {
        let own = batch.clone();
        self.hand_over(&batch.options, move |session, call| {
            session.batch_call(&own, call)
        })
    }

    fn run<'a>(&'a self, statement: &'a Text, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        let (own, at) = (statement.clone(), at.cloned());
        self.hand_over(&statement.options, move |session, call| {
            session.run_call(&own, at.as_ref(), call)
        })
    }
}
