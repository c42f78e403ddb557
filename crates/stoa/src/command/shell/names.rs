//! The names in the schema, for completion; asked of the back end, whichever it is.

use stoa_session::{Error, PagingState, Rows, Session, Statement};

/// The names in the schema, without quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) keyspaces: Vec<String>,
    /// Tables and views.
    pub(super) tables: Vec<InKeyspace>,
    pub(super) types: Vec<InKeyspace>,
    pub(super) indexes: Vec<InKeyspace>,
    pub(super) columns: Vec<ColumnName>,
}

/// Something in a keyspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InKeyspace {
    pub(super) keyspace: String,
    pub(super) name: String,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ColumnName {
    pub(super) keyspace: String,
    pub(super) table: String,
    pub(super) name: String,
}

impl Names {
    /// Reads all names.
    pub(super) async fn read(session: &dyn Session) -> Result<Self, Error> {
        let in_keyspace = |[keyspace, name, _]: [String; 3]| InKeyspace { keyspace, name };
        let names = |table: &'static str, column: &'static str| async move {
            let columns = format!("keyspace_name, {column}, {column}");
            let rows = all(session, &columns, table).await?;
            Ok::<_, Error>(rows.into_iter().map(in_keyspace).collect::<Vec<_>>())
        };
        let keyspaces = names("keyspaces", "keyspace_name").await?;
        let columns = all(session, "keyspace_name, table_name, column_name", "columns").await?;
        let columns = columns
            .into_iter()
            .map(|[keyspace, table, name]| ColumnName {
                keyspace,
                table,
                name,
            });
        let mut tables = names("tables", "table_name").await?;
        tables.extend(names("views", "view_name").await?);
        Ok(Self {
            keyspaces: keyspaces.into_iter().map(|it| it.name).collect(),
            tables,
            types: names("types", "type_name").await?,
            indexes: names("indexes", "index_name").await?,
            columns: columns.collect(),
        })
    }
}

/// Three columns of a table of the schema.
async fn all(session: &dyn Session, columns: &str, table: &str) -> Result<Vec<[String; 3]>, Error> {
    let statement = Statement::new(format!("SELECT {columns} FROM system_schema.{table}"));
    let mut found = Vec::new();
    let mut at: Option<PagingState> = None;
    loop {
        let answer = session.run(&statement, at.as_ref()).await?;
        at.clone_from(&answer.next);
        found.extend(triples(&answer.into_rows())?);
        if at.is_none() {
            return Ok(found);
        }
    }
}

fn triples(rows: &Rows) -> Result<Vec<[String; 3]>, Error> {
    let read = rows
        .iter()
        .map(|row| Ok([row.at(0)?, row.at(1)?, row.at(2)?]));
    read.collect()
}
