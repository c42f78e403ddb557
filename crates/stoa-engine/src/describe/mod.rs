//! `DESCRIBE`: the statements that would make what is there, as rows.
//!
//! Cassandra answers DESCRIBE itself since 4.0, and cqlsh shows what the server says, so the texts
//! are the same to the letter. The rules are those of `DescribeStatement.java` and of the
//! `appendCqlTo` of each part of the schema.

mod cluster;
mod index;
mod keyspace;
mod table;
mod text;
mod user_type;
mod view;

use std::sync::Arc;

use stoa_cql::ast::{Describe, DescribeTarget, Name, QualifiedName};
use stoa_session::Column;
use stoa_types::DataType;
use stoa_types::text::identifier::quoted;

use crate::catalog::types::references::in_order_of_use;
use crate::catalog::{Keyspace, Schema, Table};
use crate::refusal::Refusal;
use crate::system::Environment;

/// What DESCRIBE answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The columns.
    pub columns: Arc<[Column]>,
    /// The rows, as native bytes; none of the values is null.
    pub rows: Vec<Vec<Option<Vec<u8>>>>,
}

/// Answers a DESCRIBE; `keyspace` is the one in use.
///
/// # Errors
/// When something of that name is not there.
pub fn describe(
    statement: &Describe,
    schema: &Schema,
    keyspace: Option<&str>,
    environment: &Environment,
) -> Result<Description, Refusal> {
    let describer = Describer {
        schema,
        keyspace,
        with_internals: statement.with_internals,
    };
    match &statement.target {
        DescribeTarget::Cluster => Ok(cluster::describe(keyspace, environment)),
        DescribeTarget::Keyspaces => Ok(names(describer.all_keyspaces())),
        DescribeTarget::Tables => describer.list(tables_of),
        DescribeTarget::Types => describer.list(types_of),
        DescribeTarget::Functions | DescribeTarget::Aggregates => describer.list(|_| Vec::new()),
        target => Ok(statements(describer.elements(target)?)),
    }
}

/// One part of the schema.
#[derive(Debug, Clone)]
struct Element {
    keyspace: String,
    kind: &'static str,
    name: String,
    statement: String,
}

struct Describer<'a> {
    schema: &'a Schema,
    keyspace: Option<&'a str>,
    with_internals: bool,
}

impl Describer<'_> {
    fn find(&self, name: &str) -> Result<&Arc<Keyspace>, Refusal> {
        let found = self.schema.keyspace(name);
        found.ok_or_else(|| Refusal::invalid(format!("'{name}' not found in keyspaces")))
    }

    /// The keyspace of this name, or the one in use.
    fn keyspace(&self, name: Option<&Name>) -> Result<&Arc<Keyspace>, Refusal> {
        match name.map(Name::as_str).or(self.keyspace) {
            Some(name) => self.find(name),
            None => Err(Refusal::invalid(
                "No keyspace specified and no current keyspace",
            )),
        }
    }

    fn sorted_keyspaces(&self) -> Vec<&Arc<Keyspace>> {
        by_name(self.schema.keyspaces.values().collect(), |it| &it.name)
    }

    fn all_keyspaces(&self) -> Vec<Element> {
        let keyspaces = self.sorted_keyspaces();
        keyspaces
            .into_iter()
            .map(|it| keyspace::element(it))
            .collect()
    }

    /// The names of something in the keyspace in use, or in all of them.
    fn list(&self, of: impl Fn(&Keyspace) -> Vec<Element>) -> Result<Description, Refusal> {
        let keyspaces = match self.keyspace {
            Some(name) => vec![self.find(name)?],
            None => self.sorted_keyspaces(),
        };
        Ok(names(keyspaces.into_iter().flat_map(|it| of(it)).collect()))
    }

    fn elements(&self, target: &DescribeTarget) -> Result<Vec<Element>, Refusal> {
        let contents = |keyspaces: Vec<&Arc<Keyspace>>| {
            let all = keyspaces.into_iter();
            all.flat_map(|it| self.contents(it)).collect()
        };
        match target {
            DescribeTarget::Schema => {
                let mut keyspaces = self.sorted_keyspaces();
                keyspaces.retain(|it| !it.kind().is_system());
                Ok(contents(keyspaces))
            }
            DescribeTarget::FullSchema => Ok(contents(self.sorted_keyspaces())),
            DescribeTarget::Keyspace(name) => Ok(self.contents(self.keyspace(name.as_ref())?)),
            DescribeTarget::OnlyKeyspace(name) => {
                Ok(vec![keyspace::element(self.keyspace(name.as_ref())?)])
            }
            DescribeTarget::Table(name) => self.table(name),
            DescribeTarget::Index(name) => self.index(name),
            DescribeTarget::View(name) => self.view(name),
            DescribeTarget::Type(name) => self.user_type(name),
            DescribeTarget::Function(name) => self.missing(name, "User defined function"),
            DescribeTarget::Aggregate(name) => self.missing(name, "User defined aggregate"),
            DescribeTarget::Any(name) => self.any(name),
            DescribeTarget::Cluster
            | DescribeTarget::Keyspaces
            | DescribeTarget::Tables
            | DescribeTarget::Types
            | DescribeTarget::Functions
            | DescribeTarget::Aggregates => Ok(Vec::new()),
        }
    }

    /// A keyspace and all that is in it.
    fn contents(&self, keyspace: &Keyspace) -> Vec<Element> {
        let mut elements = vec![keyspace::element(keyspace)];
        let types = in_order_of_use(&keyspace.types);
        elements.extend(types.iter().map(|it| user_type::element(it)));
        for table in plain_tables(keyspace) {
            elements.extend(self.table_and_its_own(keyspace, table));
        }
        elements
    }

    /// A table, its indexes and its views.
    fn table_and_its_own(&self, keyspace: &Keyspace, table: &Table) -> Vec<Element> {
        let mut elements = vec![table::element(table, self.with_internals)];
        let indexes = by_name(table.indexes.iter().collect(), |it| &it.name);
        elements.extend(indexes.into_iter().map(|it| index::element(table, it)));
        let views = by_name(keyspace.views_of(&table.name).collect(), |it| &it.name);
        let views = views.into_iter();
        elements.extend(views.filter_map(|it| view::element(it, self.with_internals)));
        elements
    }

    fn table(&self, name: &QualifiedName) -> Result<Vec<Element>, Refusal> {
        let keyspace = self.keyspace(name.keyspace.as_ref())?;
        let found = keyspace
            .tables
            .get(name.name.as_str())
            .filter(|it| !it.is_view());
        match found {
            Some(table) => Ok(self.table_and_its_own(keyspace, table)),
            None => Err(Refusal::invalid(format!(
                "Table '{}' not found in keyspace '{}'",
                name.name.as_str(),
                keyspace.name
            ))),
        }
    }

    fn index(&self, name: &QualifiedName) -> Result<Vec<Element>, Refusal> {
        let keyspace = self.keyspace(name.keyspace.as_ref())?;
        match keyspace.index(name.name.as_str()) {
            Some((table, index)) => Ok(vec![index::element(table, index)]),
            None => Err(Refusal::invalid(format!(
                "Table for existing index '{}' not found in '{}'",
                name.name.as_str(),
                keyspace.name
            ))),
        }
    }

    fn view(&self, name: &QualifiedName) -> Result<Vec<Element>, Refusal> {
        let keyspace = self.keyspace(name.keyspace.as_ref())?;
        let found = keyspace.tables.get(name.name.as_str());
        let found = found.and_then(|it| view::element(it, self.with_internals));
        match found {
            Some(element) => Ok(vec![element]),
            None => self.missing(name, "Materialized view"),
        }
    }

    fn user_type(&self, name: &QualifiedName) -> Result<Vec<Element>, Refusal> {
        let keyspace = self.keyspace(name.keyspace.as_ref())?;
        match keyspace.types.get(name.name.as_str()) {
            Some(user) => Ok(vec![user_type::element(user)]),
            None => self.missing(name, "User defined type"),
        }
    }

    fn missing(&self, name: &QualifiedName, kind: &str) -> Result<Vec<Element>, Refusal> {
        let keyspace = self.keyspace(name.keyspace.as_ref())?;
        Err(Refusal::invalid(format!(
            "{kind} '{}' not found in '{}'",
            name.name.as_str(),
            keyspace.name
        )))
    }

    /// A bare name: a keyspace, or a table, an index or a view, in this order.
    fn any(&self, name: &QualifiedName) -> Result<Vec<Element>, Refusal> {
        let bare = name.name.as_str();
        if let (None, Some(keyspace)) = (&name.keyspace, self.schema.keyspace(bare)) {
            return Ok(self.contents(keyspace));
        }
        let keyspace = match (&name.keyspace, self.keyspace) {
            (Some(given), _) => self.find(given.as_str())?,
            (None, Some(used)) => self.find(used)?,
            (None, None) => self.find(bare)?,
        };
        let qualified = QualifiedName {
            keyspace: Some(Name::exact(&keyspace.name)),
            name: name.name.clone(),
        };
        match keyspace.tables.get(bare) {
            Some(table) if !table.is_view() => self.table(&qualified),
            _ if keyspace.index(bare).is_some() => self.index(&qualified),
            Some(_) => self.view(&qualified),
            None => Err(Refusal::invalid(format!(
                "'{bare}' not found in keyspace '{}'",
                keyspace.name
            ))),
        }
    }
}

/// The tables of a keyspace that are no views, by name.
fn plain_tables(keyspace: &Keyspace) -> Vec<&Arc<Table>> {
    let tables = keyspace.tables.values().filter(|it| !it.is_view());
    by_name(tables.collect(), |it| &it.name)
}

fn tables_of(keyspace: &Keyspace) -> Vec<Element> {
    let tables = plain_tables(keyspace).into_iter();
    tables
        .map(|it| text::named(&it.keyspace, "table", &it.name))
        .collect()
}

fn types_of(keyspace: &Keyspace) -> Vec<Element> {
    let types = by_name(keyspace.types.values().collect(), |it| it.name.as_str());
    let types = types.into_iter();
    types
        .map(|it| text::named(&it.keyspace, "type", &it.name))
        .collect()
}

/// Sorted by name without regard to case, as Cassandra sorts what it describes.
fn by_name<T>(mut all: Vec<T>, name: impl Fn(&T) -> &str) -> Vec<T> {
    all.sort_by_key(|it| name(it).to_lowercase());
    all
}

fn columns(names: &[&str]) -> Arc<[Column]> {
    names
        .iter()
        .map(|name| column(name, DataType::Text))
        .collect()
}

/// A column of an answer.
fn column(name: &str, data_type: DataType) -> Column {
    Column {
        keyspace: Arc::from("system"),
        table: Arc::from("describe"),
        name: name.to_owned(),
        data_type,
    }
}

fn names(elements: Vec<Element>) -> Description {
    let rows = elements.into_iter().map(|it| {
        let cells = [quoted(&it.keyspace), it.kind.to_owned(), quoted(&it.name)];
        cells.map(|cell| Some(cell.into_bytes())).to_vec()
    });
    Description {
        columns: columns(&["keyspace_name", "type", "name"]),
        rows: rows.collect(),
    }
}

fn statements(elements: Vec<Element>) -> Description {
    let rows = elements.into_iter().map(|it| {
        let names = [quoted(&it.keyspace), it.kind.to_owned(), quoted(&it.name)];
        let cells = names.into_iter().chain([it.statement]);
        cells.map(|cell| Some(cell.into_bytes())).collect()
    });
    Description {
        columns: columns(&["keyspace_name", "type", "name", "create_statement"]),
        rows: rows.collect(),
    }
}
