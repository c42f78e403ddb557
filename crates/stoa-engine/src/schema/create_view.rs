//! `CREATE MATERIALIZED VIEW`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stoa_cql::ast::{CreateView, OrderDirection, Selection, Selector};
use stoa_session::answer::{Change, SchemaChange, Target};
use stoa_store::cell::ColumnId;
use stoa_types::ClusteringOrder;

use super::alter_table::undefined_column;
use super::authority::{Level, refuse_system, refuse_unauthorized};
use super::change::{Draft, told};
use super::create_table::{self, number, refuse_type_of_key};
use super::{Build, Context, view_where};
use crate::catalog::options::properties::PropertyReader;
use crate::catalog::options::{TableOptions, read_id};
use crate::catalog::table::TableParts;
use crate::catalog::{Column, ColumnKind, Table, ViewDefinition};
use crate::refusal::Refusal;

/// What Cassandra tells whoever makes a view.
const WARNING: &str =
    "Materialized views are experimental and are not recommended for production use.";

pub(super) fn apply(
    statement: &CreateView,
    draft: &mut Draft<'_>,
    context: &Context<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let keyspace = context.keyspace_of(&statement.name)?.to_owned();
    let name = statement.name.name.as_str();
    let order = clustering_order(statement)?;
    let from = statement.from.keyspace.as_ref();
    if from.is_some_and(|it| it.as_str() != keyspace) {
        return Err(Refusal::invalid(
            "Cannot create a materialized view on a table in a different keyspace",
        ));
    }
    view_where::refuse_markers(&statement.relations)?;
    refuse_unauthorized(&keyspace, Level::Contents)?;
    refuse_system(&keyspace)?;
    let owner = draft.keyspace(&keyspace)?;
    let base_name = statement.from.name.as_str();
    let base = owner.tables.get(base_name).filter(|it| !it.is_view());
    let Some(base) = base.cloned() else {
        return Err(Refusal::invalid(format!(
            "Base table '{base_name}' doesn't exist"
        )));
    };
    if let Some(there) = owner.tables.get(name) {
        if there.is_view() && statement.if_not_exists {
            draft.warnings.push(WARNING.to_owned());
            return Ok(None);
        }
        return Err(taken(there));
    }
    refuse_base(&base, name)?;
    let columns = View {
        statement,
        base: &base,
        order,
    }
    .columns(&keyspace)?;
    view_where::validate(&statement.relations, &base, &columns)?;
    let options = read_options(statement)?;
    let id = read_id(&statement.properties)?;
    let table = Table::new(TableParts {
        keyspace: Arc::from(keyspace.as_str()),
        name: Arc::from(name),
        id: id.unwrap_or_else(|| context.ids.time_uuid()),
        store: draft.next_store(),
        next_column: u32::try_from(columns.len()).unwrap_or(u32::MAX),
        columns,
        options,
        indexes: Vec::new(),
        dropped: Vec::new(),
        view: Some(ViewDefinition {
            base: Arc::clone(&base.name),
            base_id: base.id,
            includes_all: statement.selection == Selection::All,
            where_clause: view_where::clause(&statement.relations),
        }),
    });
    create_table::validate(&table)?;
    draft.put_table(table);
    draft.warnings.push(WARNING.to_owned());
    draft.build(Build::View {
        keyspace: keyspace.clone(),
        table: base_name.to_owned(),
        view: name.to_owned(),
    });
    Ok(told(Change::Created, Target::Table, &keyspace, name))
}

/// The name is that of a view or table that is there.
fn taken(there: &Table) -> Refusal {
    match there.is_view() {
        true => create_table::already_exists(&there.keyspace, &there.name),
        false => Refusal::invalid(format!(
            "Cannot create materialized view '{}' - a table with the same name already exists",
            there.name
        )),
    }
}

fn clustering_order(statement: &CreateView) -> Result<BTreeMap<&str, ClusteringOrder>, Refusal> {
    let mut order = BTreeMap::new();
    for item in &statement.clustering_order {
        let direction = match item.direction {
            OrderDirection::Ascending => ClusteringOrder::Ascending,
            OrderDirection::Descending => ClusteringOrder::Descending,
        };
        if order.insert(item.name.as_str(), direction).is_some() {
            return Err(Refusal::invalid(format!(
                "Duplicate column '{}' in CLUSTERING ORDER BY clause for view '{}'",
                item.name.as_str(),
                statement.name.name.as_str()
            )));
        }
    }
    Ok(order)
}

fn refuse_base(base: &Table, name: &str) -> Result<(), Refusal> {
    if base.is_counter() {
        return Err(Refusal::invalid(
            "Materialized views are not supported on counter tables",
        ));
    }
    match base.options.gc_grace_seconds {
        0 => Err(Refusal::invalid(format!(
            "Cannot create materialized view '{name}' for base table '{}' with gc_grace_seconds of \
             0, since this value is used to TTL undelivered updates. Setting gc_grace_seconds too \
             low might cause undelivered updates to expire before being replayed.",
            base.name
        ))),
        _ => Ok(()),
    }
}

fn read_options(statement: &CreateView) -> Result<TableOptions, Refusal> {
    TableOptions::refuse_wrong(&statement.properties)?;
    let given = PropertyReader(&statement.properties);
    match given.integer("default_time_to_live")? {
        Some(seconds) if seconds != 0 => Err(Refusal::invalid(
            "Cannot set default_time_to_live for a materialized view. Data in a materialized view \
             always expire at the same time than the corresponding data in the parent table.",
        )),
        _ => TableOptions::read_new(&statement.properties),
    }
}

struct View<'a> {
    statement: &'a CreateView,
    base: &'a Table,
    order: BTreeMap<&'a str, ClusteringOrder>,
}

impl View<'_> {
    fn columns(&self, keyspace: &str) -> Result<Vec<Column>, Refusal> {
        let name = self.statement.name.name.as_str();
        let selected = self.selected()?;
        let key = &self.statement.primary_key;
        let kinds = [
            (ColumnKind::PartitionKey, &key.partition),
            (ColumnKind::Clustering, &key.clustering),
        ];
        let mut columns: Vec<Column> = Vec::new();
        for (kind, names) in kinds {
            for (position, column) in names.iter().enumerate() {
                let column = column.as_str();
                let Some(base) = self
                    .base
                    .column(column)
                    .filter(|_| selected.contains(column))
                else {
                    return Err(Refusal::invalid(format!(
                        "Unknown column '{column}' referenced in PRIMARY KEY for materialized view \
                         '{name}'"
                    )));
                };
                if columns.iter().any(|it| *it.name == *column) {
                    return Err(Refusal::invalid(format!(
                        "Duplicate column '{column}' in PRIMARY KEY clause for materialized view \
                         '{name}'"
                    )));
                }
                refuse_type_of_key(column, &base.data_type, keyspace)?;
                columns.push(self.column(base, kind, position));
            }
        }
        self.refuse_order()?;
        self.refuse_key(&columns)?;
        for column in selected {
            if columns.iter().any(|it| *it.name == *column) {
                continue;
            }
            if let Some(base) = self.base.column(column) {
                columns.push(self.column(base, ColumnKind::Regular, 0));
            }
        }
        number(&mut columns);
        Ok(columns)
    }

    /// The selected columns, none of them static.
    fn selected(&self) -> Result<BTreeSet<&str>, Refusal> {
        let mut selected = BTreeSet::new();
        match &self.statement.selection {
            Selection::All => selected.extend(self.base.columns.iter().map(|it| &*it.name)),
            Selection::Items(items) => {
                for item in items {
                    if item.alias.is_some() {
                        return Err(Refusal::invalid(
                            "Cannot use aliases when defining a materialized view",
                        ));
                    }
                    let Selector::Column(column) = &item.selector else {
                        return Err(Refusal::invalid(
                            "Can only select columns by name when defining a materialized view",
                        ));
                    };
                    let name = column.as_str();
                    match self.base.column(name) {
                        Some(_) => selected.insert(name),
                        None => return Err(undefined_column(self.base, name)),
                    };
                }
            }
        }
        let is_static = |name: &&&str| self.base.column(name).is_some_and(Column::is_static);
        match selected.iter().find(is_static) {
            Some(column) => Err(Refusal::invalid(format!(
                "Cannot include static column '{column}' in materialized view '{}'",
                self.statement.name.name.as_str()
            ))),
            None => Ok(selected),
        }
    }

    /// A column of the view. A clustering column keeps the direction it has in the table unless the
    /// view says another.
    fn column(&self, base: &Column, kind: ColumnKind, position: usize) -> Column {
        let order = match kind {
            ColumnKind::Clustering => {
                let given = self.order.get(&*base.name).copied();
                given.unwrap_or(base.order)
            }
            _ => ClusteringOrder::Ascending,
        };
        Column {
            id: ColumnId(0),
            kind,
            position,
            order,
            ..base.clone()
        }
    }

    fn refuse_order(&self) -> Result<(), Refusal> {
        let given = self.statement.clustering_order.iter().map(|it| &it.name);
        let is_same = given.eq(self.statement.primary_key.clustering.iter());
        match self.order.is_empty() || is_same {
            true => Ok(()),
            false => Err(Refusal::invalid(
                "Clustering key columns must exactly match columns in CLUSTERING ORDER BY directive",
            )),
        }
    }

    /// All key columns of the table must be in the key of the view, and one other may be.
    fn refuse_key(&self, key: &[Column]) -> Result<(), Refusal> {
        let is_in_key = |name: &str| key.iter().any(|it| *it.name == *name);
        let base_key = self.base.columns.iter().filter(|it| it.is_key());
        let missing: Vec<_> = base_key
            .map(|it| &*it.name)
            .filter(|it| !is_in_key(it))
            .collect();
        if !missing.is_empty() {
            return Err(Refusal::invalid(format!(
                "Cannot create materialized view '{}' without primary key columns {} from base \
                 table '{}'",
                self.statement.name.name.as_str(),
                missing.join(", "),
                self.base.name
            )));
        }
        let is_value = |it: &&Column| self.base.column(&it.name).is_some_and(|it| !it.is_key());
        let others: Vec<_> = key.iter().filter(is_value).map(|it| &*it.name).collect();
        match others.len() > 1 {
            true => Err(Refusal::invalid(format!(
                "Cannot include more than one non-primary key column in materialized view primary \
                 key (got {})",
                others.join(", ")
            ))),
            false => Ok(()),
        }
    }
}
