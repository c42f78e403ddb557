//! A table: its columns in the order of `SELECT *`, and how CREATE TABLE makes one.
//!
//! Invariants:
//! 1. Columns stand as partition key, clustering, static, regular; the last two rise by name.

use std::sync::Arc;

use stoa_cql::ast::{CqlType, CreateTable, Name, OrderDirection, PrimaryKey};
use stoa_session::{Column, Error};
use stoa_types::{ClusteringOrder, DataType, KeyColumn};

use super::{invalid, unsupported};

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    /// Its number, by which replicas know it.
    pub(crate) number: usize,
    pub(crate) keyspace: Arc<str>,
    pub(crate) name: Arc<str>,
    pub(crate) columns: Vec<TableColumn>,
    /// How many columns the partition key has.
    pub(crate) partition_columns: usize,
    /// The clustering columns' types and directions.
    pub(crate) clustering: Vec<KeyColumn>,
    /// Seconds; 0 for none.
    pub(crate) default_ttl: i64,
}

/// A column.
#[derive(Debug, Clone)]
pub(crate) struct TableColumn {
    pub(crate) name: String,
    pub(crate) data_type: DataType,
    pub(crate) kind: Kind,
}

/// Which part of a table a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Partition(usize),
    Clustering(usize),
    Static,
    Regular,
}

impl TableColumn {
    pub(crate) fn is_key(&self) -> bool {
        matches!(self.kind, Kind::Partition(_) | Kind::Clustering(_))
    }
}

impl Table {
    /// The position of a column and the column.
    pub(crate) fn find(&self, name: &Name) -> Result<(usize, &TableColumn), Error> {
        let mut columns = self.columns.iter().enumerate();
        columns
            .find(|(_, column)| *name == *column.name)
            .ok_or_else(|| invalid(format!("undefined column name {}", name.as_str())))
    }

    /// The columns of the partition key.
    pub(crate) fn partition_key(&self) -> impl Iterator<Item = &TableColumn> {
        self.columns.iter().take(self.partition_columns)
    }

    /// A column as answers tell it.
    pub(crate) fn told(&self, name: &str, data_type: &DataType) -> Column {
        Column {
            keyspace: Arc::clone(&self.keyspace),
            table: Arc::clone(&self.name),
            name: name.to_owned(),
            data_type: data_type.clone().without_frozen(),
        }
    }

    /// The table of a CREATE TABLE.
    pub(crate) fn create(
        number: usize,
        keyspace: Arc<str>,
        create: &CreateTable,
    ) -> Result<Self, Error> {
        let key = primary_key(create)?;
        let mut columns = Vec::new();
        for definition in &create.columns {
            let data_type = data_type(&definition.cql_type)?;
            let place = |names: &[Name]| names.iter().position(|name| *name == definition.name);
            let kind = match (place(&key.partition), place(&key.clustering)) {
                (Some(index), _) => Kind::Partition(index),
                (None, Some(index)) => Kind::Clustering(index),
                (None, None) if definition.is_static => Kind::Static,
                (None, None) => Kind::Regular,
            };
            check_type(kind, &data_type, definition.name.as_str())?;
            columns.push(TableColumn {
                name: definition.name.as_str().to_owned(),
                data_type,
                kind,
            });
        }
        columns.sort_by(|left, right| (left.kind, &left.name).cmp(&(right.kind, &right.name)));
        let partition = columns.iter();
        let partition = partition.filter(|it| matches!(it.kind, Kind::Partition(_)));
        if partition.count() != key.partition.len() {
            return Err(invalid("a column of the primary key is not defined"));
        }
        let clustering = clustering(create, &key, &columns)?;
        Ok(Self {
            number,
            keyspace,
            name: Arc::from(create.name.name.as_str()),
            columns,
            partition_columns: key.partition.len(),
            clustering,
            default_ttl: default_ttl(create),
        })
    }
}

fn primary_key(create: &CreateTable) -> Result<PrimaryKey, Error> {
    let marked = create.columns.iter().filter(|it| it.is_primary_key);
    let mut keys: Vec<PrimaryKey> = marked
        .map(|it| PrimaryKey {
            partition: vec![it.name.clone()],
            clustering: Vec::new(),
        })
        .collect();
    keys.extend(create.primary_keys.iter().cloned());
    match keys.pop() {
        Some(key) if keys.is_empty() => Ok(key),
        _ => Err(invalid("a table needs exactly one PRIMARY KEY")),
    }
}

fn clustering(
    create: &CreateTable,
    key: &PrimaryKey,
    columns: &[TableColumn],
) -> Result<Vec<KeyColumn>, Error> {
    let mut clustering = Vec::new();
    for name in &key.clustering {
        let ordered = create.clustering_order.iter().find(|it| it.name == *name);
        let order = match ordered.map(|it| it.direction) {
            Some(OrderDirection::Descending) => ClusteringOrder::Descending,
            Some(OrderDirection::Ascending) | None => ClusteringOrder::Ascending,
        };
        let column = columns.iter().find(|it| *name == *it.name);
        let Some(column) = column else {
            return Err(invalid("a clustering column is not defined"));
        };
        clustering.push(KeyColumn {
            data_type: column.data_type.clone(),
            order,
        });
    }
    Ok(clustering)
}

fn default_ttl(create: &CreateTable) -> i64 {
    let value = create.properties.get("default_time_to_live");
    let text = value.and_then(|value| value.text());
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn check_type(kind: Kind, data_type: &DataType, name: &str) -> Result<(), Error> {
    let is_key = matches!(kind, Kind::Partition(_) | Kind::Clustering(_));
    if is_key && data_type.is_multi_cell() {
        return Err(invalid(format!("the key column {name} must be frozen")));
    }
    match data_type {
        DataType::Counter => Err(unsupported("counters")),
        DataType::List {
            is_frozen: false, ..
        } => Err(unsupported(format!("lists that are not frozen ({name})"))),
        _ => Ok(()),
    }
}

/// The type that was written.
pub(crate) fn data_type(written: &CqlType) -> Result<DataType, Error> {
    Ok(match written {
        CqlType::Native(native) => native.data_type(),
        CqlType::List(element) => DataType::list(data_type(element)?),
        CqlType::Set(element) => DataType::set(data_type(element)?),
        CqlType::Map(key, value) => DataType::map(data_type(key)?, data_type(value)?),
        CqlType::Tuple(fields) => {
            let fields = fields.iter().map(data_type);
            DataType::tuple(fields.collect::<Result<_, _>>()?)
        }
        CqlType::Frozen(inner) => data_type(inner)?.frozen(),
        CqlType::Vector(element, dimension) => match u32::try_from(*dimension) {
            Ok(dimension) if dimension > 0 => DataType::vector(data_type(element)?, dimension),
            _ => return Err(invalid("a vector needs a dimension")),
        },
        CqlType::Custom(_) => return Err(unsupported("types that are Java classes")),
        CqlType::UserType(_) => return Err(unsupported("user-defined types")),
    })
}
