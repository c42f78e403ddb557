//! The schema and the compiled statements, shared by any number of clusters.
//!
//! A fresh cluster for every seed is cheap because of this: the texts are parsed and compiled
//! once for all of them.
//!
//! Invariants:
//! 1. A table is never changed or dropped, so a compiled statement stays right.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use stoa_cql::ast::{CreateTable, Modification, Name, QualifiedName, Statement as Tree};
use stoa_session::answer::{Change, SchemaChange, Target};
use stoa_session::statement::PreparedParts;
use stoa_session::{Answer, Body, Column, Error, ErrorKind, Prepared};
use stoa_types::DataType;

use crate::plan::compile::Variables;
use crate::plan::select::SelectPlan;
use crate::plan::table::Table;
use crate::plan::write::WritePlan;
use crate::plan::{invalid, unsupported};

/// The one question about the system that is known.
const TIME_QUESTION: &str = "SELECT totimestamp(now()) AS time FROM system.local";

/// Keyspaces, tables and compiled statements.
#[derive(Default)]
pub struct Catalog {
    schema: RwLock<Schema>,
    /// By the keyspace in use and the text.
    prepared: RwLock<HashMap<String, HashMap<String, Prepared>>>,
}

#[derive(Default)]
struct Schema {
    keyspaces: BTreeMap<String, BTreeMap<String, Arc<Table>>>,
    tables: Vec<Arc<Table>>,
}

/// A compiled statement.
#[derive(Debug, Clone)]
pub(crate) enum Plan {
    Select(Arc<SelectPlan>),
    Write(Arc<WritePlan>),
    /// The question for the time of the node that is asked.
    Time(Arc<[Column]>),
    /// A batch as one text, whose variables are numbered throughout.
    Batch(Arc<[Arc<WritePlan>]>),
}

impl Catalog {
    /// A catalogue without keyspaces.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A catalogue made by these CREATE statements.
    ///
    /// # Errors
    /// When one is refused.
    pub fn of(statements: &[&str]) -> Result<Arc<Self>, Error> {
        let catalog = Self::new();
        for text in statements {
            catalog.define(text, "")?;
        }
        Ok(Arc::new(catalog))
    }

    /// Executes a CREATE statement.
    ///
    /// # Errors
    /// When it is no CREATE KEYSPACE or CREATE TABLE, or cannot be executed.
    pub(crate) fn define(&self, text: &str, keyspace: &str) -> Result<Answer, Error> {
        match parse(text)?.0 {
            Tree::CreateKeyspace(create) => {
                let name = create.name.as_str().to_owned();
                let mut schema = self.schema.write().unwrap_or_else(PoisonError::into_inner);
                if schema.keyspaces.contains_key(&name) {
                    return exists(create.if_not_exists, &name);
                }
                schema.keyspaces.insert(name.clone(), BTreeMap::new());
                Ok(changed(Target::Keyspace, name, String::new()))
            }
            Tree::CreateTable(create) => self.create_table(&create, keyspace),
            _ => Err(unsupported("this statement without preparing it")),
        }
    }

    fn create_table(&self, create: &CreateTable, used: &str) -> Result<Answer, Error> {
        let keyspace = keyspace_of(&create.name, used)?.to_owned();
        let name = create.name.name.as_str().to_owned();
        let mut schema = self.schema.write().unwrap_or_else(PoisonError::into_inner);
        let number = schema.tables.len();
        let Some(tables) = schema.keyspaces.get_mut(&keyspace) else {
            return Err(invalid(format!("keyspace {keyspace} does not exist")));
        };
        if tables.contains_key(&name) {
            return exists(create.if_not_exists, &name);
        }
        let table = Table::create(number, Arc::from(keyspace.as_str()), create)?;
        let table = Arc::new(table);
        tables.insert(name.clone(), Arc::clone(&table));
        schema.tables.push(table);
        Ok(changed(Target::Table, keyspace, name))
    }

    /// Whether there is a keyspace.
    pub(crate) fn has_keyspace(&self, name: &str) -> bool {
        let schema = self.schema.read().unwrap_or_else(PoisonError::into_inner);
        schema.keyspaces.contains_key(name)
    }

    pub(crate) fn find(&self, name: &QualifiedName, used: &str) -> Result<Arc<Table>, Error> {
        let keyspace = keyspace_of(name, used)?;
        let schema = self.schema.read().unwrap_or_else(PoisonError::into_inner);
        let tables = schema.keyspaces.get(keyspace);
        let table = tables.and_then(|tables| tables.get(name.name.as_str()));
        table.cloned().ok_or_else(|| {
            invalid(format!(
                "table {keyspace}.{} does not exist",
                name.name.as_str()
            ))
        })
    }

    /// The prepared statement of a text; compiled only the first time.
    pub(crate) fn prepare(&self, text: &str, used: &str) -> Result<Prepared, Error> {
        {
            let known = self.prepared.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(prepared) = known.get(used).and_then(|texts| texts.get(text)) {
                return Ok(prepared.clone());
            }
        }
        let prepared = self.compile(text, used)?;
        let mut known = self
            .prepared
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let texts = known.entry(used.to_owned()).or_default();
        texts.insert(text.to_owned(), prepared.clone());
        Ok(prepared)
    }

    fn compile(&self, text: &str, used: &str) -> Result<Prepared, Error> {
        let (tree, markers) = parse(text)?;
        let mut variables = Variables::new(markers);
        let (plan, key_columns) = match &tree {
            Tree::Select(_) if text.eq_ignore_ascii_case(TIME_QUESTION) => {
                let time = Column::new("time", DataType::Timestamp);
                (Plan::Time(Arc::from([time])), usize::MAX)
            }
            Tree::Select(select) => {
                let table = self.find(&select.from, used)?;
                let plan = SelectPlan::compile(&table, select, &mut variables)?;
                (Plan::Select(Arc::new(plan)), table.partition_columns)
            }
            Tree::Batch(batch) => {
                if !batch.using.0.is_empty() {
                    return Err(unsupported("USING of a batch"));
                }
                let mut plans = Vec::new();
                for modification in &batch.statements {
                    let plan = self.modification(modification, used, &mut variables)?;
                    plans.push(Arc::new(plan));
                }
                (Plan::Batch(Arc::from(plans)), usize::MAX)
            }
            other => {
                let modification = modification(other)?;
                let plan = self.modification(&modification, used, &mut variables)?;
                let key_columns = plan.table.partition_columns;
                (Plan::Write(Arc::new(plan)), key_columns)
            }
        };
        let (variables, partition_key) = variables.finish(key_columns)?;
        let columns: Vec<Column> = match &plan {
            Plan::Select(select) => select.columns.to_vec(),
            Plan::Time(columns) => columns.to_vec(),
            Plan::Write(_) | Plan::Batch(_) => Vec::new(),
        };
        Ok(Prepared::new(PreparedParts {
            text: text.to_owned(),
            variables,
            partition_key,
            columns,
            handle: Box::new(plan),
        }))
    }

    fn modification(
        &self,
        modification: &Modification,
        used: &str,
        variables: &mut Variables,
    ) -> Result<WritePlan, Error> {
        match modification {
            Modification::Insert(insert) => {
                WritePlan::insert(&self.find(&insert.table, used)?, insert, variables)
            }
            Modification::Update(update) => {
                WritePlan::update(&self.find(&update.table, used)?, update, variables)
            }
            Modification::Delete(delete) => {
                WritePlan::delete(&self.find(&delete.table, used)?, delete, variables)
            }
            Modification::InsertJson(_) => Err(unsupported("INSERT JSON")),
        }
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.schema.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("Catalog")
            .field("tables", &schema.tables.len())
            .finish_non_exhaustive()
    }
}

/// The tree of a text, and how many markers it has.
pub(crate) fn parse(text: &str) -> Result<(Tree, usize), Error> {
    match stoa_cql::parse(text) {
        Ok(parsed) => Ok((parsed.statement, parsed.markers.len())),
        Err(problem) => Err(Error::not_applied(ErrorKind::Syntax, problem.to_string())),
    }
}

fn modification(tree: &Tree) -> Result<Modification, Error> {
    Ok(match tree {
        Tree::Insert(insert) => Modification::Insert(insert.clone()),
        Tree::Update(update) => Modification::Update(update.clone()),
        Tree::Delete(delete) => Modification::Delete(delete.clone()),
        _ => return Err(unsupported("preparing such a statement")),
    })
}

fn keyspace_of<'n>(name: &'n QualifiedName, used: &'n str) -> Result<&'n str, Error> {
    let given = name.keyspace.as_ref().map(Name::as_str);
    match given.unwrap_or(used) {
        "" => Err(invalid("no keyspace has been specified")),
        keyspace => Ok(keyspace),
    }
}

fn exists(is_allowed: bool, name: &str) -> Result<Answer, Error> {
    match is_allowed {
        true => Ok(Answer::default()),
        false => Err(Error::not_applied(
            ErrorKind::AlreadyExists,
            format!("{name} already exists"),
        )),
    }
}

fn changed(target: Target, keyspace: String, name: String) -> Answer {
    Answer {
        body: Body::ChangedSchema(SchemaChange {
            change: Change::Created,
            target,
            keyspace,
            name,
        }),
        ..Answer::default()
    }
}
