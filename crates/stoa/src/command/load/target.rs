//! What a dump is loaded into: the statements of its schema executed there, and what is known of
//! its tables.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use stoa_cql::ast::{CreateTable, Name, QualifiedName, Statement};
use stoa_session::{Answer, Options, Session, Shortcuts as _, Statement as Text};
use stoa_types::text::identifier::quoted;

use crate::command::dump::schema::describe;
use crate::command::dump::shape::Shape;
use crate::command::replication::Replication;

/// How long a change of the schema may take.
const DEADLINE: Duration = Duration::from_secs(120);

/// A table that rows are loaded into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) shape: Shape,
    /// Whether it had rows before the first was loaded.
    pub(super) had_rows: bool,
}

/// The tables of a dump by their keyspaces and names.
pub(super) type Tables = HashMap<(String, String), Arc<Table>>;

/// What came of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Made {
    /// It was executed.
    Yes,
    /// The back end does not have such things; rows do without.
    Refused(String),
}

/// What a dump is loaded into.
pub(super) struct Target {
    pub(super) session: Arc<dyn Session>,
    pub(super) replication: Option<Replication>,
    /// Whether counters are added to those that are there.
    pub(super) may_add_counters: bool,
    pub(super) tables: Tables,
}

impl Target {
    /// Executes a statement of the schema.
    ///
    /// # Errors
    /// When it belongs in no dump, is refused, or something else of that name is there.
    pub(super) async fn make(&mut self, statement: Statement, text: &str) -> anyhow::Result<Made> {
        match statement {
            Statement::CreateKeyspace(_) => {
                let text = match &self.replication {
                    Some(replication) => replication.put_into(text)?,
                    None => text.to_owned(),
                };
                self.execute(&text).await?;
            }
            Statement::CreateType(_) => {
                self.execute(text).await?;
            }
            Statement::CreateTable(table) => self.make_table(&table, text).await?,
            Statement::CreateFunction(_)
            | Statement::CreateAggregate(_)
            | Statement::CreateIndex(_)
            | Statement::CreateView(_) => {
                if let Err(problem) = self.execute(text).await {
                    return Ok(Made::Refused(format!("{problem:#}")));
                }
            }
            _ => bail!(
                "this belongs in no dump, and was not executed; `stoa shell -f` runs other scripts"
            ),
        }
        Ok(Made::Yes)
    }

    async fn execute(&self, text: &str) -> anyhow::Result<Answer> {
        let statement = Text::new(text).with(Options::new().deadline(DEADLINE));
        Ok(self.session.run(&statement, None).await?)
    }

    async fn make_table(&mut self, table: &CreateTable, text: &str) -> anyhow::Result<()> {
        let keyspace = table.name.keyspace.as_ref().map(Name::as_str);
        let keyspace = keyspace.context("the table has no keyspace")?;
        let name = table.name.name.as_str();
        let was_there = self.exists(keyspace, name).await?;
        self.execute(text).await?;
        let shape = Shape::of(table);
        let mut had_rows = false;
        if was_there {
            self.compare(table).await?;
            let first = format!("SELECT * FROM {} LIMIT 1", shape.table);
            had_rows = !self.execute(&first).await?.into_rows().is_empty();
        }
        if shape.is_counter && had_rows && !self.may_add_counters {
            bail!(
                "{0} has counters already, and loading would add to them; TRUNCATE {0} first, or \
                 add to them with --add-counters",
                shape.table
            );
        }
        let key = (keyspace.to_owned(), name.to_owned());
        self.tables.insert(key, Arc::new(Table { shape, had_rows }));
        Ok(())
    }

    async fn exists(&self, keyspace: &str, table: &str) -> anyhow::Result<bool> {
        let text = "SELECT table_name FROM system_schema.tables \
                    WHERE keyspace_name = ? AND table_name = ?";
        let answer = self.session.query(text, (keyspace, table)).await?;
        Ok(!answer.into_rows().is_empty())
    }

    /// Compares a table of the dump with the one that was there before.
    async fn compare(&self, table: &CreateTable) -> anyhow::Result<()> {
        let title = title(&table.name);
        let described = describe(&*self.session, &format!("DESCRIBE TABLE {title}")).await?;
        let there = described.first().context("a table has no description")?;
        let there = stoa_cql::parse(there)?.statement;
        let is_same = match &there {
            Statement::CreateTable(there) => layout(there) == layout(table),
            _ => false,
        };
        if !is_same {
            bail!("{title} is there already with other columns; drop it, or load somewhere else");
        }
        Ok(())
    }
}

fn title(name: &QualifiedName) -> String {
    let keyspace = name.keyspace.as_ref().map_or("", Name::as_str);
    format!("{}.{}", quoted(keyspace), quoted(name.name.as_str()))
}

/// What must be the same for rows to be the same: a table without its options.
fn layout(table: &CreateTable) -> impl PartialEq + '_ {
    let mut columns: Vec<_> = table.columns.iter().collect();
    columns.sort_by(|left, right| left.name.cmp(&right.name));
    (columns, &table.primary_keys, &table.clustering_order)
}
