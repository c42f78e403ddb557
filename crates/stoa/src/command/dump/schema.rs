//! What is dumped: the statements of the schema before the rows, the tables, and the statements
//! after them.
//!
//! Indexes and views come after the rows, so that they are built from them. What is in a view is
//! never dumped.

use std::collections::BTreeSet;

use anyhow::{Context as _, bail};
use stoa_cql::ast::{Name, QualifiedName, Statement};
use stoa_session::{Session, Shortcuts as _, Statement as Text};
use stoa_types::text::identifier::quoted;

use super::shape::Shape;
use crate::command::replication::Replication;

/// What is dumped.
#[derive(Debug, Default)]
pub(super) struct Schema {
    /// Keyspaces, types, functions and tables.
    pub(super) before: Vec<String>,
    pub(super) tables: Vec<Shape>,
    /// Indexes and views.
    pub(super) after: Vec<String>,
    /// What cannot be dumped, in words.
    pub(super) left_out: Vec<String>,
}

/// Which part of a database is dumped; all of it, if nothing is named.
#[derive(Debug, Default)]
pub(super) struct Filter {
    pub(super) keyspaces: BTreeSet<Name>,
    pub(super) tables: BTreeSet<QualifiedName>,
}

impl Filter {
    /// Reads the names of keyspaces and tables as CQL writes them.
    pub(super) fn new(keyspaces: &[String], tables: &[String]) -> anyhow::Result<Self> {
        let mut filter = Self::default();
        for name in keyspaces {
            match stoa_cql::parse(&format!("USE {name}")).map(|it| it.statement) {
                Ok(Statement::Use(name)) => filter.keyspaces.insert(name),
                _ => {
                    bail!("{name:?} is no name of a keyspace; quotes are part of CQL's: '\"Name\"'")
                }
            };
        }
        for name in tables {
            match stoa_cql::parse(&format!("TRUNCATE {name}")).map(|it| it.statement) {
                Ok(Statement::Truncate(name)) if name.keyspace.is_some() => {
                    filter.tables.insert(name)
                }
                _ => bail!("{name:?} is no table with its keyspace, such as votes.users"),
            };
        }
        Ok(filter)
    }

    fn takes_all(&self) -> bool {
        self.keyspaces.is_empty() && self.tables.is_empty()
    }

    /// Whether anything of a keyspace is wanted.
    fn takes_some_of(&self, keyspace: &Name) -> bool {
        let has = |it: &QualifiedName| it.keyspace.as_ref() == Some(keyspace);
        self.takes_all() || self.keyspaces.contains(keyspace) || self.tables.iter().any(has)
    }

    fn takes(&self, table: &QualifiedName) -> bool {
        let whole = table.keyspace.as_ref();
        self.takes_all()
            || whole.is_some_and(|it| self.keyspaces.contains(it))
            || self.tables.contains(table)
    }
}

/// Asks a back end for all that is wanted.
///
/// # Errors
/// When something that is named is not there.
pub(super) async fn read(
    session: &dyn Session,
    filter: &Filter,
    replication: Option<&Replication>,
) -> anyhow::Result<Schema> {
    let described = describe(session, "DESCRIBE SCHEMA").await?;
    let mut sorter = Sorter {
        schema: Schema::default(),
        filter,
        replication,
        seen: Filter::default(),
    };
    for statement in &described {
        let taken = sorter.take(statement);
        taken.with_context(|| format!("what is described so cannot be read: {statement}"))?;
    }
    sorter.complain()?;
    Ok(sorter.schema)
}

/// The statements that a `DESCRIBE` answers.
pub(crate) async fn describe(session: &dyn Session, text: &str) -> anyhow::Result<Vec<String>> {
    let mut statements = Vec::new();
    let mut answer = session.run_text(text).await?;
    loop {
        let next = answer.next.take();
        for row in answer.into_rows().iter() {
            statements.push(row.get("create_statement")?);
        }
        match next {
            Some(next) => answer = session.run(&Text::new(text), Some(&next)).await?,
            None => return Ok(statements),
        }
    }
}

struct Sorter<'a> {
    schema: Schema,
    filter: &'a Filter,
    replication: Option<&'a Replication>,
    seen: Filter,
}

impl Sorter<'_> {
    fn take(&mut self, text: &str) -> anyhow::Result<()> {
        // What CQL cannot make is described in a comment.
        if text.trim_start().starts_with("/*") {
            self.schema.left_out.push(text.to_owned());
            return Ok(());
        }
        let text = text.trim_end().trim_end_matches(';');
        let statement = stoa_cql::parse(text)?.statement;
        let made = if_not_exists(text);
        let filter = self.filter;
        let of_keyspace = |name: &QualifiedName| {
            name.keyspace
                .as_ref()
                .is_none_or(|it| filter.takes_some_of(it))
        };
        match statement {
            Statement::CreateKeyspace(keyspace) if filter.takes_some_of(&keyspace.name) => {
                self.seen.keyspaces.insert(keyspace.name);
                let text = match self.replication {
                    Some(replication) => replication.put_into(&made)?,
                    None => made,
                };
                self.schema.before.push(text);
            }
            Statement::CreateType(made_type) if of_keyspace(&made_type.name) => {
                self.schema.before.push(made);
            }
            Statement::CreateFunction(function) if of_keyspace(&function.name) => {
                self.schema.before.push(made);
            }
            Statement::CreateAggregate(aggregate) if of_keyspace(&aggregate.name) => {
                self.schema.before.push(made);
            }
            Statement::CreateTable(table) if filter.takes(&table.name) => {
                self.seen.tables.insert(table.name.clone());
                self.schema.before.push(made);
                self.schema.tables.push(Shape::of(&table));
            }
            Statement::CreateIndex(index) if filter.takes(&index.table) => {
                self.schema.after.push(made);
            }
            Statement::CreateView(view) if filter.takes(&view.from) => {
                self.schema.after.push(made);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether all that was named is there.
    fn complain(&self) -> anyhow::Result<()> {
        let missing = self.filter.keyspaces.difference(&self.seen.keyspaces);
        if let Some(name) = missing.into_iter().next() {
            bail!("there is no keyspace {}", quoted(name.as_str()));
        }
        let missing = self.filter.tables.difference(&self.seen.tables);
        if let Some(table) = missing.into_iter().next() {
            let keyspace = table.keyspace.as_ref().map_or("", Name::as_str);
            let name = quoted(table.name.as_str());
            bail!("there is no table {}.{name}", quoted(keyspace));
        }
        Ok(())
    }
}

/// A statement that makes something, so that it may be executed again.
fn if_not_exists(text: &str) -> String {
    let kinds = [
        "CREATE KEYSPACE ",
        "CREATE TYPE ",
        "CREATE FUNCTION ",
        "CREATE AGGREGATE ",
        "CREATE TABLE ",
        "CREATE INDEX ",
        "CREATE CUSTOM INDEX ",
        "CREATE MATERIALIZED VIEW ",
    ];
    for kind in kinds {
        if let Some(rest) = text.strip_prefix(kind) {
            return format!("{kind}IF NOT EXISTS {rest}");
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_cql_writes_them() {
        let filter = Filter::new(&["Votes".to_owned()], &["\"A\".b".to_owned()]).unwrap();
        assert!(filter.takes_some_of(&Name::exact("votes")));
        assert!(filter.takes_some_of(&Name::exact("A")));
        assert!(!filter.takes_some_of(&Name::exact("a")));
        let table = |keyspace: &str, name: &str| QualifiedName {
            keyspace: Some(Name::exact(keyspace)),
            name: Name::exact(name),
        };
        assert!(filter.takes(&table("votes", "any")));
        assert!(filter.takes(&table("A", "b")) && !filter.takes(&table("A", "c")));
        assert!(Filter::new(&[], &["users".to_owned()]).is_err());
        assert!(Filter::new(&["a b".to_owned()], &[]).is_err());
    }

    #[test]
    fn what_is_made_may_be_there() {
        assert_eq!(
            if_not_exists("CREATE CUSTOM INDEX i ON a.b (c) USING 'sai'"),
            "CREATE CUSTOM INDEX IF NOT EXISTS i ON a.b (c) USING 'sai'"
        );
    }
}
