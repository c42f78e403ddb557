//! The database: a store, the schema of what is in it, and everything that executes statements.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, TryLockError};

use stoa_cql::ast;
use stoa_session::bind::{BoundValues, Cell};
use stoa_session::{Answer, Body, Consistency, PagingState, Rows};
use stoa_store::catalog::CatalogChange;
use stoa_store::table::TableId;
use stoa_store::{Store, StoreError};
use stoa_types::write_time::RisingMicros;
use stoa_types::{Clock, Ids, SystemClock, SystemIds, WriteTime};
use uuid::Uuid;

use crate::catalog::{Schema, records};
use crate::deadline::{Call, Effect};
use crate::derived::Plans;
use crate::derived::build::{self, Unfinished};
use crate::failure::Failure;
use crate::functions::Environment;
use crate::refusal::Refusal;
use crate::statement::{self, Plan, Statement};
use crate::statements::Statements;
use crate::terms::Values;
use crate::workers::Workers;
use crate::write::operation::Places;
use crate::{describe, schema, system};

#[cfg(test)]
mod tests;

/// The record of the node's id.
const HOST: &[u8] = b"node/host";

/// An embedded database. Clones share it.
#[derive(Clone)]
pub struct Database {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) store: Store,
    schema: RwLock<Arc<Schema>>,
    /// What is derived from the tables of that schema.
    plans: RwLock<Arc<Plans>>,
    /// Indexes and views that are not filled yet.
    building: RwLock<HashSet<TableId>>,
    /// Held while the schema changes.
    changing: Mutex<()>,
    /// Held by every writer from before it looks at the schema until its commit has ended, and
    /// alone while the schema is changed: so no writer commits by a schema that is not the current
    /// one.
    writing: RwLock<()>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    /// Timestamps of writes that bring none.
    pub(crate) timestamps: RisingMicros,
    /// Places of list elements.
    places: RisingMicros,
    node: system::Environment,
    statements: Statements,
    pub(crate) workers: Workers,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}

/// Keeps the schema as it is for as long as it is held. It must not be asked for twice by one
/// thread: who changes the schema may be waiting between the two.
pub(crate) type Gate<'g> = RwLockReadGuard<'g, ()>;

/// What a statement is executed with, beside its variables.
#[derive(Debug, Clone)]
pub(crate) struct Terms<'t> {
    pub(crate) call: &'t Call,
    /// The client's timestamp.
    pub(crate) timestamp: Option<i64>,
    pub(crate) consistency: Option<Consistency>,
    pub(crate) page_size: Option<u32>,
    pub(crate) at: Option<&'t PagingState>,
}

impl Database {
    /// Opens the database in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// When the store cannot be opened, or the schema in it cannot be read.
    pub fn open(folder: &Path, options: stoa_store::Options) -> Result<Self, Failure> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let store = Store::open(folder, options, Arc::clone(&clock))?;
        Self::with_store(store, clock, Arc::new(SystemIds::new()))
    }

    /// A database in memory, gone with its last clone.
    ///
    /// # Errors
    /// When the store cannot be made.
    pub fn memory() -> Result<Self, Failure> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let store = Store::memory(stoa_store::Options::default(), Arc::clone(&clock))?;
        Self::with_store(store, clock, Arc::new(SystemIds::new()))
    }

    /// The database in a store, with a clock and a source of ids of one's own.
    ///
    /// # Errors
    /// When the schema in it cannot be read.
    pub fn with_store(
        store: Store,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> Result<Self, Failure> {
        let host_id = host_id(&store, &*ids)?;
        let found = store.view()?.records(records::PREFIX)?;
        let found: Vec<(Vec<u8>, Vec<u8>)> = found.into_iter().collect();
        let initial = system::initial_schema(ids.uuid())?;
        let schema = records::decode(&found, &initial).map_err(|problem| StoreError::Damaged {
            place: "the schema".to_owned(),
            what: problem.to_string(),
        })?;
        let node = system::Environment {
            host_id,
            started_at_seconds: i32::try_from(clock.now_micros() / 1_000_000).unwrap_or(i32::MAX),
            ..system::Environment::default()
        };
        let environment = Environment {
            clock: &*clock,
            ids: &*ids,
        };
        let plans = Plans::new(&schema, environment)?;
        let latest = WriteTime::from_stored(latest_timestamp(&store)?);
        let inner = Inner {
            store,
            schema: RwLock::new(Arc::new(schema)),
            plans: RwLock::new(Arc::new(plans)),
            building: RwLock::default(),
            changing: Mutex::new(()),
            writing: RwLock::new(()),
            clock,
            ids,
            timestamps: RisingMicros::after(latest),
            places: RisingMicros::after(latest),
            node,
            statements: Statements::default(),
            workers: Workers::default(),
        };
        let inner = Arc::new(inner);
        let unfinished = inner.store.view()?.records(build::PREFIX)?;
        let unfinished = unfinished
            .iter()
            .map(|(name, value)| Unfinished::decode(name, value));
        inner.finish_builds(unfinished.collect::<Result<_, _>>()?)?;
        Ok(Self { inner })
    }

    /// Flushes and closes. Everything afterwards is refused.
    ///
    /// # Errors
    /// When what is in memory cannot be written.
    pub fn close(&self) -> Result<(), Failure> {
        let latest = self.inner.timestamps.last();
        let settled = self
            .inner
            .store
            .decide(move |group| group.settle_write_times(latest));
        self.inner.store.close()?;
        Ok(settled?)
    }

    /// The store below, for backups and figures.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.inner.store
    }
}

/// A timestamp that all later ones must be above. It lies ahead of the clock if the clock was set
/// back, or after a crash: conditional writes have timestamps ahead of it then, and other writes
/// with them, so that none may begin at the clock again.
fn latest_timestamp(store: &Store) -> Result<i64, StoreError> {
    store.decide(|group| match group.last_write_time() > group.now_micros() {
        true => group.next_write_time(),
        false => Ok(i64::MIN),
    })
}

/// The id of this node, made at the first start.
fn host_id(store: &Store, ids: &dyn Ids) -> Result<Uuid, Failure> {
    if let Some(bytes) = store.view()?.record(HOST)? {
        let id = Uuid::from_slice(&bytes).map_err(|problem| StoreError::Damaged {
            place: "the id of the node".to_owned(),
            what: problem.to_string(),
        })?;
        return Ok(id);
    }
    let id = ids.uuid();
    store.change_catalog(CatalogChange {
        records: vec![(HOST.to_vec(), Some(id.as_bytes().to_vec()))],
        ..CatalogChange::default()
    })?;
    Ok(id)
}

impl Places for Inner {
    fn next(&self) -> i64 {
        self.places.next(&*self.clock)
    }
}

impl Inner {
    /// The schema as it is now.
    pub(crate) fn schema(&self) -> Arc<Schema> {
        let schema = self.schema.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&schema)
    }

    /// The version of that schema.
    pub(crate) fn version(&self) -> Uuid {
        let schema = self.schema.read().unwrap_or_else(PoisonError::into_inner);
        schema.version
    }

    /// What is derived from the tables of the schema as it is now.
    pub(crate) fn plans(&self) -> Arc<Plans> {
        let plans = self.plans.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&plans)
    }

    /// Looks at what is derived from the tables of the schema as it is now.
    pub(crate) fn with_plans<R>(&self, look: impl FnOnce(&Plans) -> R) -> R {
        look(&self.plans.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps the schema as it is for as long as the guard is held.
    pub(crate) fn begin_writing(&self) -> Gate<'_> {
        self.writing.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, unless the schema is being changed.
    pub(crate) fn try_begin_writing(&self) -> Option<Gate<'_>> {
        match self.writing.try_read() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Notes that an index or a view is being filled, or no longer.
    pub(crate) fn note_building(&self, table: TableId, is_building: bool) {
        let mut building = self
            .building
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        match is_building {
            true => building.insert(table),
            false => building.remove(&table),
        };
    }

    /// Whether an index or a view has everything that it should have.
    pub(crate) fn is_built(&self, table: TableId) -> bool {
        let building = self.building.read().unwrap_or_else(PoisonError::into_inner);
        !building.contains(&table)
    }

    pub(crate) fn environment(&self) -> Environment<'_> {
        Environment {
            clock: &*self.clock,
            ids: &*self.ids,
        }
    }

    /// The server's second.
    pub(crate) fn now_seconds(&self) -> i64 {
        self.clock.now_micros().div_euclid(1_000_000)
    }

    /// The resolved statement of a text, which is kept for the next time.
    pub(crate) fn prepare(
        &self,
        text: &str,
        keyspace: Option<&Arc<str>>,
    ) -> Result<Arc<Statement>, Refusal> {
        let schema = self.schema();
        if let Some(known) = self.statements.get(text, keyspace, schema.version) {
            return Ok(known);
        }
        let statement = statement::prepare(text, &schema, keyspace, self.environment())?;
        let statement = Arc::new(statement);
        self.statements.keep(&statement);
        Ok(statement)
    }

    /// The values of variables, for one execution.
    pub(crate) fn values<'v>(&'v self, bound: &'v BoundValues) -> Values<'v> {
        let mut cells: Vec<Cell<'v>> = Vec::with_capacity(bound.len());
        cells.extend(bound.cells());
        Values {
            cells,
            environment: self.environment(),
        }
    }

    /// Executes a statement. One that writes was resolved by the schema as it is within the gate.
    pub(crate) fn execute(
        self: &Arc<Self>,
        statement: &Statement,
        bound: &BoundValues,
        terms: &Terms<'_>,
        gate: Option<&Gate<'_>>,
    ) -> Result<Answer, Failure> {
        if bound.len() != statement.variables.len() {
            return Err(Refusal::invalid("Invalid amount of bind variables").into());
        }
        match (&statement.plan, gate) {
            (Plan::Write(write), Some(gate)) => self.write(write, bound, terms, gate),
            (Plan::Batch(batch), Some(gate)) => self.batch(batch, bound, terms, gate),
            (Plan::Write(_) | Plan::Batch(_), None) => {
                Err(Refusal::server("a write came without the gate of writers").into())
            }
            (Plan::Select(select), _) => self.select(select, bound, terms, None),
            (Plan::Use(name), _) => {
                let name = schema::use_keyspace(name, &self.schema())?;
                terms.call.begin_effect(Effect::Plain)?;
                Ok(Answer {
                    body: Body::UsedKeyspace(name.to_string()),
                    ..Answer::default()
                })
            }
            (Plan::Describe(it), _) => self.describe(it, statement.keyspace.as_deref(), terms),
            (Plan::Schema(it), _) => {
                self.change_schema(it, statement.keyspace.as_deref(), terms.call)
            }
        }
    }

    fn describe(
        &self,
        it: &ast::Describe,
        keyspace: Option<&str>,
        terms: &Terms<'_>,
    ) -> Result<Answer, Failure> {
        let told = describe::describe(it, &self.schema(), keyspace, &self.node)?;
        let start = terms.at.and_then(|it| it.as_bytes().first_chunk::<8>());
        let start = start.map_or(0, |it| u64::from_be_bytes(*it));
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let most = terms.page_size.and_then(|it| usize::try_from(it).ok());
        let mut rows = Rows::with_columns(Arc::clone(&told.columns));
        let page = told
            .rows
            .iter()
            .skip(start)
            .take(most.unwrap_or(usize::MAX));
        for row in page {
            rows.push(row.iter().map(Option::as_deref))
                .map_err(|problem| Refusal::invalid(problem.to_string()))?;
        }
        let end = start.saturating_add(rows.len());
        let mut answer = Answer::of_rows(rows);
        if end < told.rows.len() {
            let end = u64::try_from(end).unwrap_or(u64::MAX);
            answer.next = Some(PagingState::from_bytes(&end.to_be_bytes()));
        }
        Ok(answer)
    }

    /// The rows of a table of the system.
    pub(crate) fn system_rows(&self, keyspace: &str, table: &str) -> Vec<system::Row> {
        system::rows(&self.schema(), &self.node, keyspace, table)
    }

    fn change_schema(
        self: &Arc<Self>,
        statement: &ast::Statement,
        keyspace: Option<&str>,
        call: &Call,
    ) -> Result<Answer, Failure> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        // Alone before it takes its time: what is written before a column is dropped is older.
        let alone = self.writing.write().unwrap_or_else(PoisonError::into_inner);
        let before = self.schema();
        let context = schema::Context {
            keyspace,
            now_micros: self.timestamps.next(&*self.clock),
            ids: &*self.ids,
        };
        let mut change = schema::apply(statement, &before, &context)?;
        let builds = change.build.iter();
        let builds: Vec<Unfinished> = builds
            .filter_map(|it| Unfinished::new(it, &change.schema))
            .collect();
        if !change.is_empty() {
            let plans = Plans::new(&change.schema, self.environment())?;
            let records = &mut change.store.records;
            for table in &change.store.drop {
                records.push((Unfinished::name(*table), None));
            }
            for build in &builds {
                records.push((Unfinished::name(build.target), Some(build.encode())));
            }
            call.begin_effect(Effect::Plain)?;
            for build in &builds {
                self.note_building(build.target, true);
            }
            self.store.change_catalog(change.store)?;
            let mut current = self.schema.write().unwrap_or_else(PoisonError::into_inner);
            *current = Arc::new(change.schema);
            let mut current = self.plans.write().unwrap_or_else(PoisonError::into_inner);
            *current = Arc::new(plans);
        }
        drop(alone);
        self.finish_builds(builds)?;
        Ok(Answer {
            body: change.answer.map_or(Body::Done, Body::ChangedSchema),
            warnings: change.warnings,
            ..Answer::default()
        })
    }
}
