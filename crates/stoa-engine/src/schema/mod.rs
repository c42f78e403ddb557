//! Schema statements: from one schema to the next, and what the store has to do for it.
//!
//! [`apply`] is a pure function. The engine commits [`Change::store`] in one commit, swaps the
//! schema and then does what [`Change::build`] leaves to it.
//!
//! A statement is checked in Cassandra's order, because the first thing that is wrong decides the
//! class of the error: what the statement alone shows, who may change the keyspace, the values of
//! options, whether things exist, and all the rest.
//!
//! Invariants:
//! 1. A statement that changes nothing makes no commit: no new version, no records, no answer.
//! 2. What the store has to do is derived from the two schemas, never told twice.
//! 3. Numbers of store tables and columns are never reused; only a column that is added again
//!    takes its old number back, so that values newer than its drop are seen again.

mod alter_table;
mod alter_type;
mod alter_view;
mod authority;
mod change;
mod create_index;
mod create_table;
mod create_type;
mod create_view;
mod drop_index;
mod drop_table;
mod drop_type;
mod drop_view;
mod keyspace;
mod mask;
mod storage_attached;
#[cfg(test)]
mod tests;
mod truncate;
mod unsupported;
mod use_keyspace;
mod view_where;

use stoa_cql::ast::{QualifiedName, Statement};
use stoa_session::answer::SchemaChange;
use stoa_store::catalog::CatalogChange;
use stoa_types::Ids;

pub use authority::refuse_system;
pub use create_table::define;
pub use use_keyspace::use_keyspace;
pub use view_where::parse as parse_view_where;

use crate::catalog::Schema;
use crate::refusal::Refusal;
use change::Draft;

/// What a statement is executed with.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The keyspace in use, if there is one.
    pub keyspace: Option<&'a str>,
    /// The time, in microseconds since 1970.
    pub now_micros: i64,
    /// Where new ids come from.
    pub ids: &'a dyn Ids,
}

impl Context<'_> {
    /// The keyspace of a name: its own, or the one in use.
    ///
    /// # Errors
    /// When there is neither.
    pub fn keyspace_of<'n>(&'n self, name: &'n QualifiedName) -> Result<&'n str, Refusal> {
        match (&name.keyspace, self.keyspace) {
            (Some(keyspace), _) => Ok(keyspace.as_str()),
            (None, Some(keyspace)) => Ok(keyspace),
            (None, None) => Err(Refusal::invalid(
                "No keyspace has been specified. USE a keyspace, or explicitly specify \
                 keyspace.tablename",
            )),
        }
    }
}

/// What a schema statement does.
#[derive(Debug, Clone)]
pub struct Change {
    /// The schema after it.
    pub schema: Schema,
    /// What the store has to do, in one commit.
    pub store: CatalogChange,
    /// What is answered and told to clients; `None` when nothing changed.
    pub answer: Option<SchemaChange>,
    /// What the author of the statement should know.
    pub warnings: Vec<String>,
    /// What is left to do after the commit.
    pub build: Vec<Build>,
}

impl Change {
    /// Whether there is nothing to commit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let store = &self.store;
        store.create.is_empty()
            && store.alter.is_empty()
            && store.drop.is_empty()
            && store.truncate.is_empty()
            && store.records.is_empty()
    }
}

/// Something that was made over rows that are there already, and has to be filled from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Build {
    /// An index.
    Index {
        /// The keyspace.
        keyspace: String,
        /// The table that it is on.
        table: String,
        /// Its name.
        index: String,
    },
    /// A materialized view.
    View {
        /// The keyspace.
        keyspace: String,
        /// The table that it is made from.
        table: String,
        /// Its name.
        view: String,
    },
}

/// Whether [`apply`] executes a statement.
#[must_use]
pub fn is_schema_statement(statement: &Statement) -> bool {
    !matches!(
        statement,
        Statement::Select(_)
            | Statement::Insert(_)
            | Statement::InsertJson(_)
            | Statement::Update(_)
            | Statement::Delete(_)
            | Statement::Batch(_)
            | Statement::Use(_)
            | Statement::Describe(_)
    )
}

/// Executes a schema statement, or refuses it. Statements on functions, triggers, roles and
/// permissions come here too.
///
/// # Errors
/// Why it is refused; also for every statement that [`is_schema_statement`] denies.
pub fn apply(
    statement: &Statement,
    schema: &Schema,
    context: &Context<'_>,
) -> Result<Change, Refusal> {
    let mut draft = Draft::new(schema);
    let answer = match statement {
        Statement::Truncate(table) => return truncate::apply(table, schema, context),
        Statement::CreateKeyspace(it) => keyspace::create(it, &mut draft)?,
        Statement::AlterKeyspace(it) => keyspace::alter(it, &mut draft)?,
        Statement::DropKeyspace(it) => keyspace::drop(it, &mut draft)?,
        Statement::CreateTable(it) => create_table::apply(it, &mut draft, context)?,
        Statement::AlterTable(it) => alter_table::apply(it, &mut draft, context)?,
        Statement::DropTable(it) => drop_table::apply(it, &mut draft, context)?,
        Statement::CreateType(it) => create_type::apply(it, &mut draft, context)?,
        Statement::AlterType(it) => alter_type::apply(it, &mut draft, context)?,
        Statement::DropType(it) => drop_type::apply(it, &mut draft, context)?,
        Statement::CreateIndex(it) => create_index::apply(it, &mut draft, context)?,
        Statement::DropIndex(it) => drop_index::apply(it, &mut draft, context)?,
        Statement::CreateView(it) => create_view::apply(it, &mut draft, context)?,
        Statement::AlterView(it) => alter_view::apply(it, &mut draft, context)?,
        Statement::DropView(it) => drop_view::apply(it, &mut draft, context)?,
        other => {
            unsupported::refuse(other, schema, context)?;
            None
        }
    };
    Ok(draft.finish(answer, context))
}
