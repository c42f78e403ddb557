//! The tables of background tasks: what is prepared when they are opened.

use std::sync::Arc;

use stoa_session::{Consistency, Error, Options, Prepared, Session, Statement, ToValues};
use stoa_types::WriteTime;

use crate::log::LogTable;
use crate::registry::InstanceTable;
use crate::runs::RunTable;

/// The only partition of tables that are read as a whole.
pub(crate) const SCOPE: i8 = 0;

/// Every table.
#[derive(Debug)]
pub struct Tables {
    /// Who lives.
    pub instances: InstanceTable,
    /// What ran last.
    pub runs: RunTable,
    /// What instances tell.
    pub log: LogTable,
}

impl Tables {
    /// Creates what is missing in a keyspace that exists, and prepares what is asked of it.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn open(session: Arc<dyn Session>, keyspace: &str) -> Result<Self, Error> {
        for statement in schema(keyspace) {
            session.run(&Statement::new(statement), None).await?;
        }
        Self::prepare(session, keyspace).await
    }

    /// Prepares what is asked of tables that exist.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn prepare(session: Arc<dyn Session>, keyspace: &str) -> Result<Self, Error> {
        let base = Base { session, keyspace };
        Ok(Self {
            instances: InstanceTable::prepare(&base).await?,
            runs: RunTable::prepare(&base).await?,
            log: LogTable::prepare(&base).await?,
        })
    }
}

/// The statements that create every table of a keyspace.
#[must_use]
pub fn schema(keyspace: &str) -> Vec<String> {
    let text = include_str!("tables/schema.cql");
    let lines = text.lines().filter(|line| !line.starts_with("--"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let statements = text.split(';').map(str::trim);
    let statements = statements.filter(|statement| !statement.is_empty());
    statements
        .map(|statement| statement.replace("{ks}", keyspace))
        .collect()
}

/// What tables are prepared with.
pub(crate) struct Base<'a> {
    session: Arc<dyn Session>,
    keyspace: &'a str,
}

impl Base<'_> {
    pub(crate) async fn prepare(&self, text: &str) -> Result<Prepared, Error> {
        let text = text.replace("{ks}", self.keyspace);
        self.session.prepare(&text).await
    }

    pub(crate) fn session(&self) -> Arc<dyn Session> {
        Arc::clone(&self.session)
    }
}

/// A read that sees every acknowledged write.
pub(crate) fn quorum() -> Options {
    Options::new().consistency(Consistency::Quorum).idempotent()
}

/// Executes a plain write of a given time, which may be repeated.
pub(crate) async fn write(
    session: &dyn Session,
    prepared: &Prepared,
    values: impl ToValues,
    at_micros: i64,
) -> Result<(), Error> {
    let options = match WriteTime::from_micros(at_micros) {
        Some(time) => quorum().timestamp(time),
        None => quorum(),
    };
    let bound = prepared.bind(values)?.with(options);
    session.execute(&bound, None).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_one_statement_for_each_table_and_type() {
        let statements = schema("tasks");
        assert_eq!(statements.len(), 5);
        for statement in statements {
            let is_table = statement.starts_with("CREATE TABLE IF NOT EXISTS tasks.");
            let is_type = statement.starts_with("CREATE TYPE IF NOT EXISTS tasks.");
            assert!(is_table || is_type, "{statement}");
        }
    }
}
