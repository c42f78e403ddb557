//! The model as a session: what every back end can do, answered from plain maps.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use stoa_cql::ast::{BatchKind, Modification, QualifiedName, Statement, Using};
use stoa_session::answer::{Change, Target};
use stoa_session::bind::Cell;
use stoa_session::statement::{BatchItem, PreparedParts};
use stoa_session::{
    Answer, Batch, Body, Bound, Column, Error, ErrorKind, Options, PagingState, Prepared, Reply,
    Rows, SchemaChange, Session,
};
use stoa_types::{Clock, WriteTime};

use super::batch::{BatchTime, Member};
use super::failure::{Known, invalid, syntax, unknown};
use super::terms::Terms;
use super::value::{Val, validated};
use super::variables::variables;
use super::world::World;
use super::write::Circumstances;

/// A model of Cassandra that answers CQL, as far as it knows; see [the module](super).
pub struct CqlModel {
    world: Mutex<World>,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for CqlModel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CqlModel")
    }
}

/// How many rows a page has, if nobody says.
const PAGE: usize = 5_000;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// A parsed statement that was prepared.
struct Handle {
    statement: Statement,
    variables: Vec<Column>,
}

impl CqlModel {
    /// A model without keyspaces, whose time is the clock's.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            world: Mutex::default(),
            clock,
        }
    }

    /// Forgets the doubt that the last statement raised: it turned out to have no effect.
    pub fn forget_last_doubt(&self) {
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        for name in std::mem::take(&mut world.last_doubts) {
            if let Ok(table) = world.table_mut(&name) {
                table.doubt = None;
            }
        }
    }

    fn prepared(&self, text: &str) -> Known<Prepared> {
        let parsed = parse(text)?;
        let world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        let variables = variables(&world, &parsed.0, parsed.1);
        let variables = variables.inspect_err(|_| drop(world))?;
        Ok(Prepared::new(PreparedParts {
            text: text.to_owned(),
            variables: variables.clone(),
            partition_key: Vec::new(),
            columns: Vec::new(),
            handle: Box::new(Handle {
                statement: parsed.0,
                variables,
            }),
        }))
    }

    fn executed(&self, bound: &Bound, at: Option<&PagingState>) -> Known<Answer> {
        let Some(handle) = bound.prepared().handle::<Handle>() else {
            return unknown("a statement of another session");
        };
        let values = values(bound, &handle.variables);
        self.statement(&handle.statement, values, &bound.options, at)
    }

    fn statement(
        &self,
        statement: &Statement,
        values: Known<Vec<Val>>,
        options: &Options,
        at: Option<&PagingState>,
    ) -> Known<Answer> {
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = values.and_then(|values| {
            let request = Request {
                clock: self.clock.as_ref(),
                options,
                at,
                values: &values,
            };
            request.execute(&mut world, statement)
        });
        if let Err(failure) = &answer
            && failure.is_unknown()
        {
            world.doubt(statement);
        }
        answer
    }

    fn batched(&self, batch: &Batch) -> Known<Answer> {
        let mut parsed = Vec::new();
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        for item in batch.items() {
            let (statement, values) = match item {
                BatchItem::Text(text) => (parse(text)?.0, Ok(Vec::new())),
                BatchItem::Bound(bound) => match bound.prepared().handle::<Handle>() {
                    Some(handle) => (handle.statement.clone(), values(bound, &handle.variables)),
                    None => return unknown("a statement of another session"),
                },
            };
            let modification = match statement {
                Statement::Insert(insert) => Modification::Insert(insert),
                Statement::InsertJson(insert) => Modification::InsertJson(insert),
                Statement::Update(update) => Modification::Update(update),
                Statement::Delete(delete) => Modification::Delete(delete),
                _ => return invalid("Invalid statement in batch"),
            };
            parsed.push((modification, values?));
        }
        let kind = match batch.kind {
            stoa_session::BatchKind::Logged => BatchKind::Logged,
            stoa_session::BatchKind::Unlogged => BatchKind::Unlogged,
            stoa_session::BatchKind::Counter => BatchKind::Counter,
        };
        let members: Vec<(&Modification, &[Val])> = parsed
            .iter()
            .map(|(modification, values)| (modification, values.as_slice()))
            .collect();
        let request = Request {
            clock: self.clock.as_ref(),
            options: &batch.options,
            at: None,
            values: &[],
        };
        let answer = request.batch(&mut world, kind, &Using::default(), &members);
        if answer
            .as_ref()
            .is_err_and(super::failure::Failure::is_unknown)
        {
            for (modification, _) in &members {
                world.doubt(&Statement::from((*modification).clone()));
            }
        }
        answer
    }
}

fn parse(text: &str) -> Known<(Statement, usize)> {
    match stoa_cql::parse(text) {
        Ok(parsed) => Ok((parsed.statement, parsed.markers.len())),
        Err(error) => syntax(error.to_string()),
    }
}

/// The bound values, checked against the types of their variables.
fn values(bound: &Bound, variables: &[Column]) -> Known<Vec<Val>> {
    let value = |(cell, variable): (Cell<'_>, &Column)| match cell {
        Cell::Null => Ok(Val::Null),
        Cell::Unset => Ok(Val::Unset),
        Cell::Bytes(bytes) => validated(&variable.data_type, bytes).map(Val::Bytes),
    };
    bound.values().cells().zip(variables).map(value).collect()
}

struct Request<'a> {
    clock: &'a dyn Clock,
    options: &'a Options,
    at: Option<&'a PagingState>,
    values: &'a [Val],
}

impl<'a> Request<'a> {
    fn now(&self) -> i64 {
        self.clock.now_micros().div_euclid(MICROS_PER_SECOND)
    }

    fn terms(&self) -> Terms<'a> {
        Terms {
            values: self.values,
            clock: self.clock,
        }
    }

    /// The server's next write time, always later than all before.
    fn next_micros(&self, world: &mut World) -> i64 {
        world.last_micros = self.clock.now_micros().max(world.last_micros + 1);
        world.last_micros
    }

    /// The write time of a statement that says none.
    fn micros(&self, world: &mut World) -> i64 {
        let own = self.next_micros(world);
        self.options.timestamp.map_or(own, WriteTime::as_micros)
    }

    /// Some levels need more nodes than one, or are not for every statement.
    fn check_level(&self, is_read: bool) -> Known<()> {
        use stoa_session::Consistency as Level;
        match self.options.consistency {
            Some(Level::Serial | Level::LocalSerial) if is_read => Ok(()),
            Some(Level::Any | Level::Two | Level::Three | Level::Serial | Level::LocalSerial) => {
                unknown("such a consistency level")
            }
            _ => Ok(()),
        }
    }

    fn execute(&self, world: &mut World, statement: &Statement) -> Known<Answer> {
        self.check_level(matches!(statement, Statement::Select(_)))?;
        let single =
            |modification: Modification, world: &mut World| self.single(world, &modification);
        match statement {
            Statement::Select(select) => {
                let is_paged = self.options.page_size.is_some();
                let selected = world.select(select, self.terms(), self.now(), is_paged)?;
                let mut answer = self.page(&selected.rows)?;
                answer.warnings = selected.warnings;
                Ok(answer)
            }
            Statement::Insert(it) => single(Modification::Insert(it.clone()), world),
            Statement::InsertJson(it) => single(Modification::InsertJson(it.clone()), world),
            Statement::Update(it) => single(Modification::Update(it.clone()), world),
            Statement::Delete(it) => single(Modification::Delete(it.clone()), world),
            Statement::Batch(batch) => {
                let members: Vec<(&Modification, &[Val])> = batch
                    .statements
                    .iter()
                    .map(|modification| (modification, self.values))
                    .collect();
                self.batch(world, batch.kind, &batch.using, &members)
            }
            Statement::Use(name) => {
                world.keyspace(name.as_str())?;
                world.used = Some(name.as_str().to_owned());
                Ok(Answer {
                    body: Body::UsedKeyspace(name.as_str().to_owned()),
                    ..Answer::default()
                })
            }
            other => {
                self.next_micros(world);
                match world.change_schema(other) {
                    Some(changed) => changed.map(|()| schema_changed()),
                    None => unknown("such statements"),
                }
            }
        }
    }

    fn single(&self, world: &mut World, modification: &Modification) -> Known<Answer> {
        let is_conditional = super::batch::has_condition(modification);
        let micros = match is_conditional {
            true => self.next_micros(world),
            false => self.micros(world),
        };
        let with = Circumstances {
            terms: self.terms(),
            micros,
            now: self.now(),
            is_conditional,
        };
        let write = world.write(modification, with)?;
        if write.guard.is_some() {
            let rows = world.compare_and_set(&[write], self.now(), false)?;
            return Ok(Answer::of_rows(rows));
        }
        world.apply(&write)?;
        Ok(Answer::default())
    }

    fn batch(
        &self,
        world: &mut World,
        kind: BatchKind,
        using: &Using,
        members: &[(&Modification, &[Val])],
    ) -> Known<Answer> {
        self.check_level(false)?;
        let mut conditional = members
            .iter()
            .map(|(it, _)| super::batch::has_condition(it));
        let micros = match conditional.any(|it| it) {
            true => self.next_micros(world),
            false => self.micros(world),
        };
        let clock = self.clock;
        let members: Vec<Member<'_>> = members
            .iter()
            .map(|(modification, values)| Member {
                modification,
                terms: Terms { values, clock },
            })
            .collect();
        let time = BatchTime {
            micros,
            now: self.now(),
            using,
            terms: self.terms(),
        };
        let answer = world.batch(kind, &members, time)?;
        Ok(answer.map_or_else(Answer::default, Answer::of_rows))
    }

    /// One page of rows; the place of a page is the number of rows before it.
    fn page(&self, rows: &Rows) -> Known<Answer> {
        let size = self.options.page_size.map_or(PAGE, |size| {
            usize::try_from(size.get()).unwrap_or(usize::MAX)
        });
        let start = match self.at {
            None => 0,
            Some(at) => match <[u8; 8]>::try_from(at.as_bytes()) {
                Ok(bytes) => usize::try_from(u64::from_be_bytes(bytes)).unwrap_or(usize::MAX),
                Err(_) => return invalid("Invalid value for the paging state"),
            },
        };
        if start == 0 && rows.len() <= size {
            return Ok(Answer::of_rows(rows.clone()));
        }
        let mut page = Rows::with_columns(Arc::from(rows.columns()));
        for row in rows.iter().skip(start).take(size) {
            if let Err(error) = page.push(row.cells().iter().copied()) {
                return unknown(error.to_string());
            }
        }
        let end = start + page.len();
        let mut answer = Answer::of_rows(page);
        if end < rows.len() {
            let place = u64::try_from(end).unwrap_or(u64::MAX).to_be_bytes();
            answer.next = Some(PagingState::from_bytes(&place));
        }
        Ok(answer)
    }
}

fn schema_changed() -> Answer {
    Answer {
        body: Body::ChangedSchema(SchemaChange {
            change: Change::Updated,
            target: Target::Keyspace,
            keyspace: String::new(),
            name: String::new(),
        }),
        ..Answer::default()
    }
}

impl World {
    /// From now on it is not known what is in the tables that a statement writes to.
    fn doubt(&mut self, statement: &Statement) {
        self.last_doubts.clear();
        let table_of = |statement: &Statement| match statement {
            Statement::Insert(it) => Some(it.table.clone()),
            Statement::InsertJson(it) => Some(it.table.clone()),
            Statement::Update(it) => Some(it.table.clone()),
            Statement::Delete(it) => Some(it.table.clone()),
            _ => None,
        };
        let mut names: Vec<QualifiedName> = table_of(statement).into_iter().collect();
        if let Statement::Batch(batch) = statement {
            for modification in &batch.statements {
                names.extend(table_of(&Statement::from(modification.clone())));
            }
        }
        for name in names {
            if let Ok(table) = self.table_mut(&name)
                && table.doubt.is_none()
            {
                table.doubt = Some("a write that is not modelled".to_owned());
                self.last_doubts.push(name);
            }
        }
    }
}

fn reply<'a, T: Send + 'a>(known: Known<T>) -> Reply<'a, T> {
    let answer = known.map_err(Error::from);
    Box::pin(async move { answer })
}

impl Session for CqlModel {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        let prepared = self.prepared(text);
        if prepared
            .as_ref()
            .is_err_and(super::failure::Failure::is_unknown)
            && let Ok((statement, _)) = parse(text)
        {
            let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
            world.doubt(&statement);
        }
        reply(prepared)
    }

    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        reply(self.executed(bound, at))
    }

    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer> {
        reply(self.batched(batch))
    }

    fn run<'a>(
        &'a self,
        statement: &'a stoa_session::Statement,
        at: Option<&'a PagingState>,
    ) -> Reply<'a, Answer> {
        let answer = parse(&statement.text).and_then(|(parsed, markers)| match markers {
            0 => self.statement(&parsed, Ok(Vec::new()), &statement.options, at),
            _ => invalid("Invalid amount of bind variables"),
        });
        reply(answer)
    }
}

/// Whether an error says that the model does not know.
#[must_use]
pub fn is_not_modelled(error: &Error) -> bool {
    error.code() == Some(super::failure::NOT_MODELLED) && error.kind() == ErrorKind::Server
}
