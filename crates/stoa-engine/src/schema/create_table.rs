//! `CREATE TABLE`.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use stoa_cql::ast::{ColumnDefinition, CreateTable, Name, OrderDirection};
use stoa_session::answer::{Change, SchemaChange, Target};
use stoa_store::cell::ColumnId;
use stoa_store::table::TableId;
use stoa_types::{ClusteringOrder, DataType};
use uuid::Uuid;

use super::authority::{Level, is_word, refuse_system, refuse_unauthorized};
use super::change::{Draft, told};
use super::{Context, mask};
use crate::catalog::options::{TableOptions, read_id};
use crate::catalog::table::TableParts;
use crate::catalog::types::resolve;
use crate::catalog::{Column, ColumnKind, Table, UserTypes, resolve_type};
use crate::refusal::{Refusal, RefusalKind};

/// The longest name of a table: a file name must hold it and the table's id.
const NAME_LENGTH: usize = 222;

pub(super) fn apply(
    statement: &CreateTable,
    draft: &mut Draft<'_>,
    context: &Context<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let keyspace = context.keyspace_of(&statement.name)?.to_owned();
    let name = statement.name.name.as_str();
    let key = Key::of(statement)?;
    refuse_unauthorized(&keyspace, Level::Contents)?;
    TableOptions::read_new(&statement.properties)?;
    if statement.columns.iter().any(|column| column.mask.is_some()) {
        return Err(mask::disabled());
    }
    refuse_system(&keyspace)?;
    let found = draft.keyspace(&keyspace)?;
    if found.tables.contains_key(name) {
        return match statement.if_not_exists {
            true => Ok(None),
            false => Err(already_exists(&keyspace, name)),
        };
    }
    TableOptions::refuse_wrong(&statement.properties)?;
    let columns = key.columns(statement, &keyspace, &found.types)?;
    let id = match read_id(&statement.properties)? {
        Some(id) => id,
        None => context.ids.time_uuid(),
    };
    if found.tables.values().any(|it| it.id == id) {
        // Cassandra fails at it by itself.
        return Err(Refusal::server(format!(
            "Multiple entries with same key: {id}"
        )));
    }
    let place = Place {
        keyspace: &keyspace,
        id,
        store: draft.next_store(),
    };
    let table = assemble(statement, columns, &place)?;
    validate(&table)?;
    draft.put_table(table);
    Ok(told(Change::Created, Target::Table, &keyspace, name))
}

/// The table that a definition of ours makes, for the system's tables: they have ids in their
/// definitions and no place in the store.
///
/// # Errors
/// What is wrong with the definition.
pub fn define(statement: &CreateTable, keyspace: &str) -> Result<Table, Refusal> {
    let columns = Key::of(statement)?.columns(statement, keyspace, &UserTypes::new())?;
    let id = read_id(&statement.properties)?;
    let place = Place {
        keyspace,
        id: id.ok_or_else(|| Refusal::server("a table of the system has no id"))?,
        store: TableId(0),
    };
    assemble(statement, columns, &place)
}

/// What Cassandra says of a table or view that is there.
pub(super) fn already_exists(keyspace: &str, name: &str) -> Refusal {
    Refusal::new(
        RefusalKind::AlreadyExists,
        format!("Cannot add already existing table \"{name}\" to keyspace \"{keyspace}\""),
    )
}

/// Refuses what no table may be, as Cassandra's `TableMetadata.validate` does.
pub(super) fn validate(table: &Table) -> Result<(), Refusal> {
    let (keyspace, name) = (&table.keyspace, &table.name);
    if !is_word(name) {
        return Err(Refusal::configuration(format!(
            "{keyspace}.{name}: Table name must not be empty or not contain \
             non-alphanumeric-underscore characters (got \"{name}\")"
        )));
    }
    if name.len() > NAME_LENGTH {
        return Err(Refusal::configuration(format!(
            "{keyspace}.{name}: Table name must not be more than {NAME_LENGTH} characters long (got \
             {} characters for \"{name}\")",
            name.len()
        )));
    }
    Ok(())
}

struct Place<'a> {
    keyspace: &'a str,
    id: Uuid,
    store: TableId,
}

fn assemble(
    statement: &CreateTable,
    columns: Vec<Column>,
    place: &Place<'_>,
) -> Result<Table, Refusal> {
    let options = TableOptions::read_new(&statement.properties)?;
    let has_counters = statement
        .columns
        .iter()
        .any(|it| resolve::is_counter(&it.cql_type));
    if has_counters {
        let mut values = columns.iter().filter(|it| !it.is_key());
        if values.any(|it| it.data_type != DataType::Counter) {
            return Err(Refusal::invalid(
                "Cannot mix counter and non counter columns in the same table",
            ));
        }
        if options.default_time_to_live > 0 {
            return Err(Refusal::invalid(
                "Cannot set default_time_to_live on a table with counters",
            ));
        }
    } else if columns.iter().any(|it| it.data_type == DataType::Counter) {
        // It was given by the name of its class, which makes no table of counters.
        return Err(Refusal::configuration(
            "Cannot have a counter column in a non counter table",
        ));
    }
    Ok(Table::new(TableParts {
        keyspace: Arc::from(place.keyspace),
        name: Arc::from(statement.name.name.as_str()),
        id: place.id,
        store: place.store,
        next_column: u32::try_from(columns.len()).unwrap_or(u32::MAX),
        columns,
        options,
        indexes: Vec::new(),
        dropped: Vec::new(),
        view: None,
    }))
}

/// The primary key of a statement, and the order of its clustering columns.
struct Key<'a> {
    partition: Vec<&'a Name>,
    clustering: Vec<&'a Name>,
    order: BTreeMap<&'a str, ClusteringOrder>,
}

impl<'a> Key<'a> {
    /// Refuses what the statement alone shows: no or several keys, names given twice.
    fn of(statement: &'a CreateTable) -> Result<Self, Refusal> {
        let table = statement.name.name.as_str();
        let mut seen = HashSet::new();
        for column in &statement.columns {
            if !seen.insert(column.name.as_str()) {
                return Err(Refusal::invalid(format!(
                    "Duplicate column '{}' declaration for table '{table}'",
                    column.name.as_str()
                )));
            }
        }
        let marked = statement.columns.iter().filter(|it| it.is_primary_key);
        let mut keys: Vec<(Vec<&Name>, Vec<&Name>)> =
            marked.map(|it| (vec![&it.name], Vec::new())).collect();
        for key in &statement.primary_keys {
            keys.push((
                key.partition.iter().collect(),
                key.clustering.iter().collect(),
            ));
        }
        let wrong = match keys.len() {
            0 => "No PRIMARY KEY specifed",
            1 => "",
            _ => "Multiple PRIMARY KEY specified",
        };
        let Some((partition, clustering)) = keys.pop().filter(|_| wrong.is_empty()) else {
            return Err(Refusal::invalid(format!(
                "{wrong} for table '{table}' (exactly one required)"
            )));
        };
        let mut order = BTreeMap::new();
        for item in &statement.clustering_order {
            let direction = match item.direction {
                OrderDirection::Ascending => ClusteringOrder::Ascending,
                OrderDirection::Descending => ClusteringOrder::Descending,
            };
            if order.insert(item.name.as_str(), direction).is_some() {
                return Err(Refusal::invalid(format!(
                    "Duplicate column '{}' in CLUSTERING ORDER BY clause for table '{table}'",
                    item.name.as_str()
                )));
            }
        }
        if statement.is_compact_storage {
            return Err(Refusal::invalid("COMPACT STORAGE tables are not supported"));
        }
        Ok(Self {
            partition,
            clustering,
            order,
        })
    }

    /// The columns of the table, numbered in the order of `SELECT *`.
    fn columns(
        &self,
        statement: &CreateTable,
        keyspace: &str,
        types: &UserTypes,
    ) -> Result<Vec<Column>, Refusal> {
        let mut resolved = BTreeMap::new();
        for column in &statement.columns {
            let data_type = resolve_type(&column.cql_type, keyspace, types)?;
            refuse_thawed_fields(&data_type)?;
            resolved.insert(column.name.as_str(), (column, data_type));
        }
        let table = statement.name.name.as_str();
        let mut columns = Vec::new();
        let kinds = [
            (ColumnKind::PartitionKey, &self.partition),
            (ColumnKind::Clustering, &self.clustering),
        ];
        for (kind, names) in kinds {
            for (position, name) in names.iter().enumerate() {
                let is_first = !columns.iter().any(|it: &Column| *it.name == *name.as_str());
                let (column, data_type) = match resolved.get(name.as_str()) {
                    Some(found) if is_first => found,
                    Some(_) => return Err(duplicate_in_key(name, table)),
                    None => return Err(unknown_in_key(name, table)),
                };
                refuse_as_key(column, data_type, keyspace)?;
                let order = self.order.get(name.as_str()).copied();
                columns.push(Column {
                    id: ColumnId(0),
                    name: Arc::from(name.as_str()),
                    kind,
                    position,
                    data_type: data_type.clone(),
                    order: order.unwrap_or_default(),
                    mask: None,
                });
            }
        }
        self.refuse_wrong_order(statement)?;
        let has_static = statement.columns.iter().any(|it| it.is_static);
        if has_static && self.clustering.is_empty() {
            return Err(static_without_clustering());
        }
        for (column, data_type) in resolved.into_values() {
            if !columns.iter().any(|it| *it.name == *column.name.as_str()) {
                columns.push(value_column(column, data_type));
            }
        }
        number(&mut columns);
        Ok(columns)
    }

    fn refuse_wrong_order(&self, statement: &CreateTable) -> Result<(), Refusal> {
        let given: Vec<&str> = statement
            .clustering_order
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        let is_clustering = |name: &str| self.clustering.iter().any(|it| it.as_str() == name);
        let others: Vec<_> = given
            .iter()
            .copied()
            .filter(|it| !is_clustering(it))
            .collect();
        if !others.is_empty() {
            return Err(Refusal::invalid(format!(
                "Only clustering key columns can be defined in CLUSTERING ORDER directive: [{}] \
                 are not clustering columns",
                others.join(", ")
            )));
        }
        for (name, expected) in given.iter().zip(&self.clustering) {
            let expected = expected.as_str();
            if *name == expected {
                continue;
            }
            return Err(Refusal::invalid(match self.order.contains_key(expected) {
                true => format!(
                    "The order of columns in the CLUSTERING ORDER directive must match that of the \
                     clustering columns ({expected} must appear before {name})"
                ),
                false => format!("Missing CLUSTERING ORDER for column {expected}"),
            }));
        }
        Ok(())
    }
}

/// A static or regular column; its number comes later.
pub(super) fn value_column(column: &ColumnDefinition, data_type: DataType) -> Column {
    Column {
        id: ColumnId(0),
        name: Arc::from(column.name.as_str()),
        kind: match column.is_static {
            true => ColumnKind::Static,
            false => ColumnKind::Regular,
        },
        position: 0,
        data_type,
        order: ClusteringOrder::Ascending,
        mask: None,
    }
}

/// Numbers columns in the order of `SELECT *`.
pub(super) fn number(columns: &mut [Column]) {
    columns.sort_by(|left, right| {
        (left.kind, left.position, &left.name).cmp(&(right.kind, right.position, &right.name))
    });
    for (column, id) in columns.iter_mut().zip(0..) {
        column.id = ColumnId(id);
    }
}

/// What Cassandra says of static columns in a table with one row a partition.
pub(super) fn static_without_clustering() -> Refusal {
    Refusal::invalid(
        "Static columns are only useful (and thus allowed) if the table has at least one \
         clustering column",
    )
}

/// Refuses a user type that is not frozen and holds collections that are not.
pub(super) fn refuse_thawed_fields(data_type: &DataType) -> Result<(), Refusal> {
    let DataType::UserDefined(user) = data_type else {
        return Ok(());
    };
    let mut fields = user.fields.iter();
    match !user.is_frozen && fields.any(|it| it.data_type.is_multi_cell()) {
        true => Err(Refusal::invalid(
            "Non-frozen UDTs with nested non-frozen collections are not supported",
        )),
        false => Ok(()),
    }
}

/// Refuses types that no key column may have.
pub(super) fn refuse_type_of_key(
    name: &str,
    data_type: &DataType,
    keyspace: &str,
) -> Result<(), Refusal> {
    let problem = match data_type {
        DataType::UserDefined(user) if !user.is_frozen => format!(
            "Invalid non-frozen user-defined type \"{keyspace}.{}\"",
            user.name
        ),
        _ if data_type.is_multi_cell() => {
            format!("Invalid non-frozen collection type {data_type}")
        }
        DataType::Counter => "counter type is not supported".to_owned(),
        _ if refers_to_duration(data_type) => "duration type is not supported".to_owned(),
        _ => return Ok(()),
    };
    Err(Refusal::invalid(format!(
        "{problem} for PRIMARY KEY column '{name}'"
    )))
}

/// Whether Cassandra sees a duration in a type. It looks neither into vectors and sets nor at the
/// keys of maps.
pub(super) fn refers_to_duration(data_type: &DataType) -> bool {
    match data_type {
        DataType::Duration => true,
        DataType::List { element, .. } => refers_to_duration(element),
        DataType::Map { value, .. } => refers_to_duration(value),
        DataType::Tuple(_) | DataType::UserDefined(_) => {
            data_type.inner().into_iter().any(refers_to_duration)
        }
        _ => false,
    }
}

fn refuse_as_key(
    column: &ColumnDefinition,
    data_type: &DataType,
    keyspace: &str,
) -> Result<(), Refusal> {
    let name = column.name.as_str();
    refuse_type_of_key(name, data_type, keyspace)?;
    match column.is_static {
        true => Err(Refusal::invalid(format!(
            "Static column '{name}' cannot be part of the PRIMARY KEY"
        ))),
        false => Ok(()),
    }
}

fn unknown_in_key(name: &Name, table: &str) -> Refusal {
    Refusal::invalid(format!(
        "Unknown column '{}' referenced in PRIMARY KEY for table '{table}'",
        name.as_str()
    ))
}

fn duplicate_in_key(name: &Name, table: &str) -> Refusal {
    Refusal::invalid(format!(
        "Duplicate column '{}' in PRIMARY KEY clause for table '{table}'",
        name.as_str()
    ))
}
