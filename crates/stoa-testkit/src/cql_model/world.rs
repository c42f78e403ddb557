//! Everything the model knows: keyspaces, their types, their tables, and what is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stoa_cql::ast::{CqlType, Name, QualifiedName};
use stoa_types::{ClusteringOrder, DataType, KeyColumn, UserType};

use super::failure::{Known, invalid, unknown};
use super::partition::Partition;
use super::row::NEVER;

/// Everything.
#[derive(Debug, Default)]
pub(super) struct World {
    /// By name.
    pub(super) keyspaces: BTreeMap<String, Keyspace>,
    /// Names of those that the model does not know.
    pub(super) strange: BTreeSet<String>,
    /// The one in use.
    pub(super) used: Option<String>,
    /// Tables that came into doubt by the last statement.
    pub(super) last_doubts: Vec<QualifiedName>,
    /// The last write time that was given out.
    pub(super) last_micros: i64,
    /// How many elements were added to lists.
    pub(super) list_elements: i64,
}

/// A keyspace.
#[derive(Debug, Default)]
pub(super) struct Keyspace {
    /// By name.
    pub(super) types: BTreeMap<String, UserType>,
    /// By name.
    pub(super) tables: BTreeMap<String, Table>,
    /// Names of views, and of tables that the model does not know.
    pub(super) strange: BTreeSet<String>,
}

/// A table and what is in it.
#[derive(Debug)]
pub(super) struct Table {
    /// Its keyspace.
    pub(super) keyspace: Arc<str>,
    /// Its name.
    pub(super) name: Arc<str>,
    /// Partition key, clustering columns, static columns by name, regular columns by name: the
    /// order of `SELECT *`.
    pub(super) columns: Vec<Column>,
    /// How many of them are the partition key.
    pub(super) partition_columns: usize,
    /// The clustering columns as keys.
    pub(super) clustering: Vec<KeyColumn>,
    /// The number of every name that ever was a column.
    pub(super) numbers: BTreeMap<String, u32>,
    /// Columns that were dropped: their last type, whether static, and the write time up to which
    /// they are gone.
    pub(super) dropped: BTreeMap<String, (DataType, bool, i64)>,
    /// Seconds that everything lives, if it does not say itself; 0 is for ever.
    pub(super) default_ttl: i32,
    /// Its indexes, by name.
    pub(super) indexes: BTreeMap<String, Index>,
    /// Names of its views.
    pub(super) views: BTreeSet<String>,
    /// Why what is in it is not known any more.
    pub(super) doubt: Option<String>,
    /// What is in it, by token and key.
    pub(super) partitions: BTreeMap<(i64, Vec<u8>), Partition>,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Index {
    /// The column.
    pub(super) column: String,
    /// Whether it is one of Cassandra's old indexes on the values of a regular column.
    pub(super) is_plain: bool,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    /// Its name.
    pub(super) name: String,
    /// Its number.
    pub(super) number: u32,
    /// Its type.
    pub(super) data_type: DataType,
    /// What it is.
    pub(super) kind: Kind,
    /// What was written up to this time is gone: the column was dropped then.
    pub(super) gone_until: i64,
}

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// This one of the partition key.
    Partition(usize),
    /// This one of the clustering columns.
    Clustering(usize),
    /// Static.
    Static,
    /// The rest.
    Regular,
}

impl Column {
    /// Whether it is of the primary key.
    pub(super) fn is_key(&self) -> bool {
        matches!(self.kind, Kind::Partition(_) | Kind::Clustering(_))
    }
}

impl World {
    /// The keyspace of a name that may say none.
    pub(super) fn keyspace_name(&self, keyspace: Option<&Name>) -> Known<String> {
        match (keyspace, &self.used) {
            (Some(name), _) => Ok(name.as_str().to_owned()),
            (None, Some(used)) => Ok(used.clone()),
            (None, None) => invalid("No keyspace has been specified"),
        }
    }

    /// A keyspace.
    pub(super) fn keyspace(&self, name: &str) -> Known<&Keyspace> {
        match self.keyspaces.get(name) {
            Some(keyspace) => Ok(keyspace),
            None if name.starts_with("system") || self.strange.contains(name) => {
                unknown("such keyspaces")
            }
            None => invalid(format!("Keyspace '{name}' does not exist")),
        }
    }

    /// A keyspace, to be changed.
    pub(super) fn keyspace_mut(&mut self, name: &str) -> Known<&mut Keyspace> {
        self.keyspace(name)?;
        match self.keyspaces.get_mut(name) {
            Some(keyspace) => Ok(keyspace),
            None => unknown("a keyspace that went away"),
        }
    }

    /// A table.
    pub(super) fn table(&self, name: &QualifiedName) -> Known<&Table> {
        let keyspace = self.keyspace_name(name.keyspace.as_ref())?;
        let keyspace = self.keyspace(&keyspace)?;
        match keyspace.tables.get(name.name.as_str()) {
            Some(table) => Ok(table),
            None if keyspace.strange.contains(name.name.as_str()) => unknown("views"),
            None => invalid(format!("table {} does not exist", name.name.as_str())),
        }
    }

    /// A table, to be changed.
    pub(super) fn table_mut(&mut self, name: &QualifiedName) -> Known<&mut Table> {
        self.table(name)?;
        let keyspace = self.keyspace_name(name.keyspace.as_ref())?;
        let keyspace = self.keyspace_mut(&keyspace)?;
        match keyspace.tables.get_mut(name.name.as_str()) {
            Some(table) => Ok(table),
            None => unknown("a table that went away"),
        }
    }

    /// What a type of CQL is in a keyspace, as it stands in a definition.
    pub(super) fn data_type(&self, keyspace: &str, written: &CqlType) -> Known<DataType> {
        let inner = |written: &CqlType| {
            let inner = self.data_type(keyspace, written)?;
            match inner {
                DataType::Counter => invalid("Counters are not allowed inside collections"),
                DataType::Duration | DataType::Vector { .. } => Ok(inner),
                inner if inner.is_multi_cell() => {
                    invalid("Non-frozen types are not allowed inside collections")
                }
                inner => Ok(inner),
            }
        };
        Ok(match written {
            CqlType::Native(native) => native.data_type(),
            CqlType::List(element) => DataType::list(inner(element)?),
            CqlType::Set(element) => DataType::set(not_duration(inner(element)?)?),
            CqlType::Map(key, value) => DataType::map(not_duration(inner(key)?)?, inner(value)?),
            CqlType::Tuple(fields) => {
                let fields = fields.iter().map(|it| self.data_type(keyspace, it));
                DataType::tuple(not_counters(fields.collect::<Known<Vec<_>>>()?)?)
            }
            CqlType::Frozen(inner) => self.frozen(keyspace, inner)?,
            CqlType::UserType(name) => {
                let found = self.user_type(keyspace, name)?;
                DataType::UserDefined(Box::new(found))
            }
            CqlType::Vector(element, dimension) => {
                let element = self.data_type(keyspace, element)?;
                match u32::try_from(*dimension) {
                    Ok(dimension) if (1..=8192).contains(&dimension) => {
                        DataType::vector(element, dimension)
                    }
                    _ => return unknown("vectors of such a dimension"),
                }
            }
            CqlType::Custom(_) => return unknown("custom types"),
        })
    }

    /// A type inside `frozen`, where everything may nest.
    fn frozen(&self, keyspace: &str, written: &CqlType) -> Known<DataType> {
        let inner = |written: &CqlType| {
            let mut found = not_counters(vec![self.frozen(keyspace, written)?])?;
            match found.pop() {
                Some(found) => Ok(found),
                None => unknown("no type"),
            }
        };
        let frozen = match written {
            CqlType::List(element) => DataType::list(inner(element)?),
            CqlType::Set(element) => DataType::set(not_duration(inner(element)?)?),
            CqlType::Map(key, value) => DataType::map(not_duration(inner(key)?)?, inner(value)?),
            CqlType::Tuple(fields) => {
                DataType::tuple(fields.iter().map(inner).collect::<Known<Vec<_>>>()?)
            }
            other => self.data_type(keyspace, other)?,
        };
        Ok(frozen.frozen())
    }

    fn user_type(&self, keyspace: &str, name: &QualifiedName) -> Known<UserType> {
        if let Some(other) = &name.keyspace
            && *other != *keyspace
        {
            return invalid("Statement on keyspace cannot refer to a user type in another");
        }
        let types = &self.keyspace(keyspace)?.types;
        match types.get(name.name.as_str()) {
            Some(found) => Ok(found.clone()),
            None => invalid(format!("Unknown type {}", name.name.as_str())),
        }
    }
}

fn not_counters(types: Vec<DataType>) -> Known<Vec<DataType>> {
    match types.contains(&DataType::Counter) {
        true => invalid("Counters are not allowed inside tuples and collections"),
        false => Ok(types),
    }
}

fn not_duration(data_type: DataType) -> Known<DataType> {
    match data_type == DataType::Duration {
        true => invalid("Durations are not allowed as map keys or in sets"),
        false => Ok(data_type),
    }
}

impl Table {
    /// Where a column is in the order of `SELECT *`.
    pub(super) fn position(&self, name: &str) -> Known<usize> {
        match self.columns.iter().position(|column| column.name == name) {
            Some(position) => Ok(position),
            None => invalid(format!(
                "Undefined column name {name} in table {}",
                self.name
            )),
        }
    }

    /// A column by name.
    pub(super) fn column(&self, name: &str) -> Known<&Column> {
        let position = self.position(name)?;
        self.at(position)
    }

    /// A column by position.
    pub(super) fn at(&self, position: usize) -> Known<&Column> {
        match self.columns.get(position) {
            Some(column) => Ok(column),
            None => unknown("a column that is not there"),
        }
    }

    /// The columns of the partition key.
    pub(super) fn partition_key(&self) -> &[Column] {
        self.columns
            .get(..self.partition_columns)
            .unwrap_or_default()
    }

    /// The clustering columns.
    pub(super) fn clustering_columns(&self) -> &[Column] {
        let end = self.partition_columns + self.clustering.len();
        self.columns
            .get(self.partition_columns..end)
            .unwrap_or_default()
    }

    /// Whether it is a table of counters.
    pub(super) fn is_counter(&self) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| column.data_type == DataType::Counter)
    }

    /// Whether a column is a clustering column that sorts descending.
    pub(super) fn is_descending(&self, position: usize) -> bool {
        let index = position.checked_sub(self.partition_columns);
        let key = index.and_then(|index| self.clustering.get(index));
        key.is_some_and(|key| key.order == ClusteringOrder::Descending)
    }

    /// Whether it has views.
    pub(super) fn has_views(&self) -> bool {
        !self.views.is_empty()
    }

    /// Whether it has static columns.
    pub(super) fn has_static(&self) -> bool {
        self.columns
            .iter()
            .any(|column| column.kind == Kind::Static)
    }

    /// The number of a name, the same for ever.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(name.to_owned()).or_insert(next)
    }

    /// Puts the columns into the order of `SELECT *`.
    pub(super) fn sort_columns(&mut self) {
        self.columns
            .sort_by(|left, right| (left.kind, &left.name).cmp(&(right.kind, &right.name)));
        let is_partition = |column: &&Column| matches!(column.kind, Kind::Partition(_));
        self.partition_columns = self.columns.iter().filter(is_partition).count();
    }

    /// The type of the paths of a column's elements.
    pub(super) fn path_type(&self, number: u32) -> DataType {
        let column = self.columns.iter().find(|column| column.number == number);
        match column.map(|column| &column.data_type) {
            Some(DataType::Set { element, .. }) => (**element).clone(),
            Some(DataType::Map { key, .. }) => (**key).clone(),
            _ => DataType::Blob,
        }
    }

    /// A column that was never dropped.
    pub(super) fn new_column(&mut self, name: &str, data_type: DataType, kind: Kind) -> Column {
        let gone_until = self.dropped.get(name).map_or(NEVER, |it| it.2);
        Column {
            name: name.to_owned(),
            number: self.number(name),
            data_type,
            kind,
            gone_until,
        }
    }

    /// A table without columns.
    pub(super) fn empty(keyspace: &str, name: &str) -> Self {
        Self {
            keyspace: Arc::from(keyspace),
            name: Arc::from(name),
            columns: Vec::new(),
            partition_columns: 0,
            clustering: Vec::new(),
            numbers: BTreeMap::new(),
            dropped: BTreeMap::new(),
            default_ttl: 0,
            indexes: BTreeMap::new(),
            views: BTreeSet::new(),
            doubt: None,
            partitions: BTreeMap::new(),
        }
    }

    /// Fails if what is in the table is not known.
    pub(super) fn trusted(&self) -> Known<()> {
        match &self.doubt {
            Some(reason) => unknown(format!("the table after: {reason}")),
            None => Ok(()),
        }
    }
}

/// A clustering column as a key.
pub(super) fn key_column(data_type: DataType, order: ClusteringOrder) -> KeyColumn {
    KeyColumn { data_type, order }
}
