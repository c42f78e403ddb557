//! A statement resolved against a schema, ready to be executed any number of times.

use std::sync::Arc;

use stoa_cql::ast::{self, QualifiedName};
use stoa_session::Column;
use uuid::Uuid;

use crate::catalog::{KeyspaceKind, Schema, Table};
use crate::functions::Environment;
use crate::refusal::{Refusal, RefusalKind};
use crate::select::{Select, prepare as select};
use crate::terms::{Context, Variables};
use crate::write::attributes::Attributes;
use crate::write::json::JsonInsert;
use crate::write::prepare::Preparing;
use crate::write::{Modification, batch};

/// A statement resolved against a schema.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) text: String,
    /// The keyspace that was in use.
    pub(crate) keyspace: Option<Arc<str>>,
    /// The schema it was resolved against.
    pub(crate) version: Uuid,
    pub(crate) variables: Vec<Column>,
    /// The variables that make up the partition key.
    pub(crate) partition_key: Vec<usize>,
    pub(crate) plan: Plan,
}

/// What a statement does.
#[derive(Debug, Clone)]
pub(crate) enum Plan {
    Select(Arc<Select>),
    Write(Write),
    Batch(Arc<Batch>),
    Use(ast::Name),
    Describe(ast::Describe),
    /// Everything that changes the schema, and what is refused like that.
    Schema(Box<ast::Statement>),
}

impl Plan {
    /// Whether it writes rows. A text writes rows by every schema, or by none.
    pub(crate) fn is_write(&self) -> bool {
        matches!(self, Self::Write(_) | Self::Batch(_))
    }
}

/// One write.
#[derive(Debug, Clone)]
pub(crate) enum Write {
    Plain(Arc<Modification>),
    Json(Arc<JsonInsert>),
}

/// A batch in one statement.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) kind: ast::BatchKind,
    pub(crate) attributes: Attributes,
    pub(crate) writes: Vec<Write>,
}

/// Parses a text and resolves it.
pub(crate) fn prepare(
    text: &str,
    schema: &Schema,
    keyspace: Option<&Arc<str>>,
    environment: Environment<'_>,
) -> Result<Statement, Refusal> {
    let parsed = stoa_cql::parse(text)
        .map_err(|problem| Refusal::new(RefusalKind::Syntax, problem.to_string()))?;
    let resolving = Resolving {
        schema,
        keyspace: keyspace.map(|it| &**it),
        environment,
    };
    let mut variables = Variables::new("", "");
    let (plan, key_columns) = resolving.plan(parsed.statement, &mut variables)?;
    Ok(Statement {
        text: text.to_owned(),
        keyspace: keyspace.cloned(),
        version: schema.version,
        variables: variables.columns(parsed.markers.len()),
        partition_key: variables.partition_key(key_columns),
        plan,
    })
}

struct Resolving<'a> {
    schema: &'a Schema,
    keyspace: Option<&'a str>,
    environment: Environment<'a>,
}

impl Resolving<'_> {
    /// The plan, and how many columns the partition key of its table has.
    fn plan(
        &self,
        statement: ast::Statement,
        variables: &mut Variables,
    ) -> Result<(Plan, usize), Refusal> {
        match statement {
            ast::Statement::Select(it) => {
                let table = self.table(&it.from)?;
                variables.set_table(&table.keyspace, &table.name);
                let context = self.context(&table);
                let select = select::prepare(&it, &table, &context, variables)?;
                Ok((Plan::Select(Arc::new(select)), table.partition_key().len()))
            }
            ast::Statement::Insert(it) => self.one(&ast::Modification::Insert(it), variables),
            ast::Statement::InsertJson(it) => {
                self.one(&ast::Modification::InsertJson(it), variables)
            }
            ast::Statement::Update(it) => self.one(&ast::Modification::Update(it), variables),
            ast::Statement::Delete(it) => self.one(&ast::Modification::Delete(it), variables),
            ast::Statement::Batch(it) => {
                let batch = self.batch(&it, variables)?;
                Ok((Plan::Batch(Arc::new(batch)), 0))
            }
            ast::Statement::Use(name) => Ok((Plan::Use(name), 0)),
            ast::Statement::Describe(it) => Ok((Plan::Describe(it), 0)),
            other => Ok((Plan::Schema(Box::new(other)), 0)),
        }
    }

    fn one(
        &self,
        write: &ast::Modification,
        variables: &mut Variables,
    ) -> Result<(Plan, usize), Refusal> {
        let (write, table) = self.write(write, variables)?;
        Ok((Plan::Write(write), table.partition_key().len()))
    }

    fn write(
        &self,
        write: &ast::Modification,
        variables: &mut Variables,
    ) -> Result<(Write, Arc<Table>), Refusal> {
        let name = match write {
            ast::Modification::Insert(it) => &it.table,
            ast::Modification::InsertJson(it) => &it.table,
            ast::Modification::Update(it) => &it.table,
            ast::Modification::Delete(it) => &it.table,
        };
        let table = self.table(name)?;
        variables.set_table(&table.keyspace, &table.name);
        let context = self.context(&table);
        let mut preparing = Preparing {
            table: &table,
            context: &context,
            variables,
        };
        let write = match write {
            ast::Modification::Insert(it) => Write::Plain(Arc::new(preparing.insert(it)?)),
            ast::Modification::Update(it) => Write::Plain(Arc::new(preparing.update(it)?)),
            ast::Modification::Delete(it) => Write::Plain(Arc::new(preparing.delete(it)?)),
            ast::Modification::InsertJson(it) => {
                let insert = JsonInsert::new(it, &table, &context, variables)?;
                Write::Json(Arc::new(insert))
            }
        };
        Ok((write, table))
    }

    fn batch(&self, it: &ast::Batch, variables: &mut Variables) -> Result<Batch, Refusal> {
        let context = Context {
            schema: self.schema,
            keyspace: "",
            table: None,
            environment: self.environment,
        };
        if it.using.time_to_live().is_some() {
            return Err(Refusal::invalid(
                "Global TTL on the BATCH statement is not supported.",
            ));
        }
        let timestamp = it.using.timestamp();
        let attributes = Attributes::new(timestamp, None, &context, variables)?;
        let mut writes = Vec::with_capacity(it.statements.len());
        for statement in &it.statements {
            writes.push(self.write(statement, variables)?.0);
        }
        let plain: Vec<&Modification> = writes
            .iter()
            .filter_map(|it| match it {
                Write::Plain(it) => Some(&**it),
                Write::Json(_) => None,
            })
            .collect();
        batch::check(it.kind, &plain)?;
        if attributes.has_timestamp() {
            batch::check_timestamp(&plain, it.kind)?;
            let is_stamped = |it: &Write| matches!(it, Write::Json(it) if it.has_timestamp());
            if writes.iter().any(is_stamped) {
                return Err(Refusal::invalid(
                    "Timestamp must be set either on BATCH or individual statements",
                ));
            }
        }
        Ok(Batch {
            kind: it.kind,
            attributes,
            writes,
        })
    }

    fn context<'c>(&'c self, table: &'c Table) -> Context<'c> {
        Context {
            schema: self.schema,
            keyspace: &table.keyspace,
            table: Some(table),
            environment: self.environment,
        }
    }

    /// The table with a name.
    fn table(&self, name: &QualifiedName) -> Result<Arc<Table>, Refusal> {
        let keyspace = match (&name.keyspace, self.keyspace) {
            (Some(keyspace), _) => keyspace.as_str(),
            (None, Some(keyspace)) => keyspace,
            (None, None) => {
                return Err(Refusal::invalid(
                    "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename",
                ));
            }
        };
        let Some(found) = self.schema.keyspace(keyspace) else {
            return Err(Refusal::invalid(format!(
                "keyspace {keyspace} does not exist"
            )));
        };
        let found = found.tables.get(name.name.as_str());
        found
            .cloned()
            .ok_or_else(|| Refusal::invalid(format!("table {} does not exist", name.name.as_str())))
    }
}

/// Whether the rows of a table are computed when it is read.
pub(crate) fn is_computed(table: &Table) -> bool {
    KeyspaceKind::of(&table.keyspace).is_system()
}
