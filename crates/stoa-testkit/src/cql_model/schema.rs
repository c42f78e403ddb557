//! Statements that change the schema: keyspaces, tables, indexes and what a table holds.

use stoa_cql::ast::{
    AlterTable, ColumnDefinition, CreateIndex, CreateKeyspace, CreateTable, CreateView,
    DropKeyspace, DropObject, IndexTargetKind, Name, OrderDirection, PrimaryKey, Properties,
    PropertyValue, QualifiedName, Rename, Statement, TableChange,
};
use stoa_types::{ClusteringOrder, DataType};

use super::failure::{Failure, Known, configuration, exists, invalid, unknown};
use super::world::{Index, Keyspace, Kind, Table, World, key_column};

/// The longest name of a keyspace or table.
const LONGEST_NAME: usize = 48;

/// The longest time to live, 20 years in seconds.
pub(super) const LONGEST_TTL: i32 = 630_720_000;

impl World {
    /// Executes a statement that changes the schema; `None` if it is none.
    pub(super) fn change_schema(&mut self, statement: &Statement) -> Option<Known<()>> {
        Some(match statement {
            Statement::CreateKeyspace(create) => self.create_keyspace(create),
            Statement::DropKeyspace(drop) => self.drop_keyspace(drop),
            Statement::CreateTable(create) => self.create_table(create),
            Statement::AlterTable(alter) => self.alter_table(alter),
            Statement::DropTable(drop) => self.drop_table(drop),
            Statement::CreateType(create) => self.create_type(create),
            Statement::AlterType(alter) => self.alter_type(alter),
            Statement::DropType(drop) => self.drop_type(drop),
            Statement::CreateIndex(create) => self.create_index(create),
            Statement::DropIndex(drop) => self.drop_index(drop),
            Statement::CreateView(create) => self.create_view(create),
            Statement::DropView(drop) => self.drop_view(drop),
            Statement::Truncate(name) => self.truncate(name),
            _ => return None,
        })
    }

    fn create_keyspace(&mut self, create: &CreateKeyspace) -> Known<()> {
        let name = create.name.as_str();
        check_name(name)?;
        if self.keyspaces.contains_key(name) {
            return if_missing(create.if_not_exists, || exists("keyspace exists"));
        }
        let replication = create.properties.get("replication");
        let mut entries: Vec<(&str, &str)> = replication
            .and_then(PropertyValue::map)
            .map(Iterator::collect)
            .unwrap_or_default();
        entries.sort_unstable();
        let is_plain = entries == [("class", "SimpleStrategy"), ("replication_factor", "1")];
        let is_system = name.starts_with("system");
        if !is_plain || create.properties.0.len() != 1 || is_system || self.strange.contains(name) {
            self.strange.insert(name.to_owned());
            return unknown("options of keyspaces");
        }
        self.keyspaces.insert(name.to_owned(), Keyspace::default());
        Ok(())
    }

    fn drop_keyspace(&mut self, drop: &DropKeyspace) -> Known<()> {
        let name = drop.name.as_str();
        if self.keyspaces.remove(name).is_none() {
            if name.starts_with("system") || self.strange.remove(name) {
                return unknown("such keyspaces");
            }
            return if_missing(drop.if_exists, || invalid("no such keyspace"));
        }
        Ok(())
    }

    fn create_table(&mut self, create: &CreateTable) -> Known<()> {
        let keyspace = self.keyspace_name(create.name.keyspace.as_ref())?;
        let name = create.name.name.as_str().to_owned();
        let there = self.keyspace(&keyspace)?;
        if there.strange.contains(&name) {
            return unknown("a table made again");
        }
        let is_there = there.tables.contains_key(&name);
        let made = self.new_table(&keyspace, create);
        if is_there {
            return match made {
                Ok(_) => if_missing(create.if_not_exists, || exists("table exists")),
                Err(_) => unknown("a wrong table made again"),
            };
        }
        match made {
            Ok(table) => {
                let there = self.keyspace_mut(&keyspace)?;
                there.tables.insert(name, table);
                Ok(())
            }
            Err(failure) => {
                if failure.is_unknown() {
                    self.keyspace_mut(&keyspace)?.strange.insert(name);
                }
                Err(failure)
            }
        }
    }

    fn new_table(&self, keyspace: &str, create: &CreateTable) -> Known<Table> {
        check_name(create.name.name.as_str())?;
        if create.is_compact_storage {
            return unknown("compact storage");
        }
        let mut table = Table::empty(keyspace, create.name.name.as_str());
        let key = primary_key(create)?;
        let orders = clustering_orders(create, &key)?;
        for definition in &create.columns {
            if table.columns.iter().any(|it| definition.name == *it.name) {
                return invalid("Duplicate column declaration");
            }
            let kind = kind_of(definition, &key)?;
            let data_type = self.column_type(keyspace, definition)?;
            check_key_type(kind, &data_type)?;
            let column = table.new_column(definition.name.as_str(), data_type, kind);
            table.columns.push(column);
        }
        let names = key.partition.iter().chain(&key.clustering);
        for name in names {
            table.column(name.as_str())?;
        }
        table.sort_columns();
        let clustering = table.columns.iter().filter_map(|column| match column.kind {
            Kind::Clustering(index) => {
                let order = orders.get(index).copied().unwrap_or_default();
                Some(key_column(column.data_type.clone(), order))
            }
            _ => None,
        });
        table.clustering = clustering.collect();
        check_columns(&table)?;
        set_options(&mut table, &create.properties)?;
        Ok(table)
    }

    /// The type of a new column, which may be of many cells, but nothing in it.
    fn column_type(&self, keyspace: &str, definition: &ColumnDefinition) -> Known<DataType> {
        if definition.mask.is_some() {
            return unknown("masks");
        }
        let data_type = self.data_type(keyspace, &definition.cql_type)?;
        if let DataType::UserDefined(user) = &data_type
            && !user.is_frozen
        {
            let mut fields = user.fields.iter();
            if fields.any(|field| field.data_type.is_multi_cell()) {
                return invalid("Non-frozen UDTs with nested non-frozen types");
            }
        }
        Ok(data_type)
    }

    fn alter_table(&mut self, alter: &AlterTable) -> Known<()> {
        if self.table(&alter.name).is_err() && alter.if_exists {
            return Ok(());
        }
        let keyspace = self.table(&alter.name)?.keyspace.to_string();
        let result = match &alter.change {
            TableChange::Add {
                if_not_exists,
                columns,
            } => self.add_columns(&keyspace, &alter.name, columns, *if_not_exists),
            TableChange::Drop {
                if_exists,
                columns,
                timestamp_micros,
            } => self.drop_columns(&alter.name, columns, *if_exists, *timestamp_micros),
            TableChange::Rename { renames, .. } => self.rename(&alter.name, renames),
            TableChange::Properties(_) if self.table(&alter.name)?.has_views() => {
                unknown("options of a table with views")
            }
            TableChange::Properties(properties) => {
                set_options(self.table_mut(&alter.name)?, properties)
            }
            TableChange::AlterType { column, .. } => {
                self.table(&alter.name)?.column(column.as_str())?;
                invalid("Altering column types is no longer supported")
            }
            TableChange::Mask { .. } | TableChange::DropCompactStorage => unknown("such changes"),
        };
        if result.as_ref().is_err_and(Failure::is_unknown) {
            self.estrange(&alter.name);
        }
        result?;
        self.may_warn(&alter.name)
    }

    /// Whoever changes a table with indexes on vectors is warned of them, which is not modelled.
    fn may_warn(&self, name: &QualifiedName) -> Known<()> {
        let table = self.table(name)?;
        let is_on_vector = |index: &Index| {
            let column = table.column(&index.column);
            column.is_ok_and(|it| matches!(it.data_type, DataType::Vector { .. }))
        };
        match table.indexes.values().any(is_on_vector) {
            true => unknown("warnings about indexes on vectors"),
            false => Ok(()),
        }
    }

    /// From now on nothing is known of a table.
    pub(super) fn estrange(&mut self, name: &QualifiedName) {
        let Ok(keyspace) = self.keyspace_name(name.keyspace.as_ref()) else {
            return;
        };
        if let Some(keyspace) = self.keyspaces.get_mut(&keyspace) {
            keyspace.tables.remove(name.name.as_str());
            keyspace.strange.insert(name.name.as_str().to_owned());
        }
    }

    fn add_columns(
        &mut self,
        keyspace: &str,
        name: &QualifiedName,
        columns: &[ColumnDefinition],
        if_not_exists: bool,
    ) -> Known<()> {
        let mut added = Vec::new();
        let table = self.table(name)?;
        for definition in columns {
            let column = definition.name.as_str();
            let is_there = table.columns.iter().any(|it| it.name == column);
            if is_there || added.iter().any(|(it, _, _)| it == column) {
                if if_not_exists {
                    continue;
                }
                return invalid(format!("Column with name '{column}' already exists"));
            }
            let data_type = self.column_type(keyspace, definition)?;
            if definition.is_static && table.clustering.is_empty() {
                return invalid("Static columns need clustering columns");
            }
            if let Some((old, is_static, _)) = table.dropped.get(column) {
                let is_counter = *old == DataType::Counter;
                if (is_counter && data_type == *old) || *is_static != definition.is_static {
                    return invalid("Cannot re-add previously dropped column");
                }
                if *old != data_type && table.is_counter() {
                    return invalid("incompatible with a previously dropped column");
                }
                if has_user_type(&data_type) {
                    return unknown("a column with a user type added again");
                }
                if *old != data_type {
                    return unknown("a column added again with another type");
                }
            }
            let is_counter = data_type == DataType::Counter;
            if is_counter != table.is_counter() {
                return if table.columns.iter().all(super::world::Column::is_key) {
                    unknown("a first column added")
                } else {
                    configuration("Cannot mix counters and others")
                };
            }
            let kind = match definition.is_static {
                true => Kind::Static,
                false => Kind::Regular,
            };
            added.push((column.to_owned(), data_type, kind));
        }
        if self.table(name)?.has_views() {
            return unknown("new columns of a table with views");
        }
        let table = self.table_mut(name)?;
        for (column, data_type, kind) in added {
            let column = table.new_column(&column, data_type, kind);
            table.columns.push(column);
        }
        table.sort_columns();
        Ok(())
    }

    fn drop_columns(
        &mut self,
        name: &QualifiedName,
        columns: &[Name],
        if_exists: bool,
        timestamp: Option<i64>,
    ) -> Known<()> {
        let now = self.last_micros;
        let table = self.table(name)?;
        let mut dropped = Vec::new();
        for column in columns {
            let position = table.columns.iter().position(|it| *column == *it.name);
            match position {
                None if if_exists => continue,
                None => return invalid("Column was not found in table"),
                Some(position) => dropped.push(table.at(position)?.clone()),
            }
        }
        if dropped.iter().any(super::world::Column::is_key) {
            return invalid("Cannot drop PRIMARY KEY column");
        }
        let is_indexed = |column: &super::world::Column| {
            table.indexes.values().any(|it| it.column == column.name)
        };
        if dropped.iter().any(is_indexed) {
            return invalid("Cannot drop column because it has dependent secondary indexes");
        }
        let is_loose = |column: &super::world::Column| {
            matches!(column.data_type, DataType::UserDefined(_)) && column.data_type.is_multi_cell()
        };
        if dropped.iter().any(is_loose) {
            return invalid("Cannot drop non-frozen column of user type");
        }
        if table.has_views() && !dropped.is_empty() {
            return unknown("columns dropped under views");
        }
        let table = self.table_mut(name)?;
        for column in dropped {
            table.columns.retain(|it| it.name != column.name);
            let is_static = column.kind == Kind::Static;
            let fact = (column.data_type, is_static, timestamp.unwrap_or(now));
            table.dropped.insert(column.name, fact);
        }
        Ok(())
    }

    fn rename(&mut self, name: &QualifiedName, renames: &[Rename]) -> Known<()> {
        let table = self.table(name)?;
        if table.has_views() || !table.indexes.is_empty() || renames.len() != 1 {
            return unknown("such renames");
        }
        let Some(rename) = renames.first() else {
            return unknown("no rename");
        };
        let position = table.position(rename.from.as_str())?;
        if table.position(rename.to.as_str()).is_ok() {
            return invalid("another column of that name already exists");
        }
        if !table.at(position)?.is_key() {
            return invalid("Cannot rename non PRIMARY KEY column");
        }
        let table = self.table_mut(name)?;
        let number = table.number(rename.to.as_str());
        if let Some(column) = table.columns.get_mut(position) {
            rename.to.as_str().clone_into(&mut column.name);
            column.number = number;
        }
        Ok(())
    }

    fn drop_table(&mut self, drop: &DropObject) -> Known<()> {
        let table = match self.table(&drop.name) {
            Ok(table) => table,
            Err(failure) if failure.is_unknown() => return Err(failure),
            Err(failure) => return if_missing(drop.if_exists, || Err(failure)),
        };
        if table.has_views() {
            self.estrange(&drop.name);
            return unknown("a table dropped under its views");
        }
        let keyspace = self.keyspace_name(drop.name.keyspace.as_ref())?;
        let keyspace = self.keyspace_mut(&keyspace)?;
        keyspace.tables.remove(drop.name.name.as_str());
        Ok(())
    }

    fn drop_view(&mut self, drop: &DropObject) -> Known<()> {
        let keyspace = self.keyspace_name(drop.name.keyspace.as_ref())?;
        if !self.keyspaces.contains_key(&keyspace) {
            return unknown("a view of no keyspace");
        }
        let keyspace = self.keyspace_mut(&keyspace)?;
        let name = drop.name.name.as_str();
        let mut is_known = false;
        for table in keyspace.tables.values_mut() {
            is_known |= table.views.remove(name);
        }
        if is_known {
            keyspace.strange.remove(name);
        }
        unknown("views")
    }

    fn truncate(&mut self, name: &QualifiedName) -> Known<()> {
        let table = self.table_mut(name)?;
        table.partitions.clear();
        table.doubt = None;
        Ok(())
    }

    fn create_index(&mut self, create: &CreateIndex) -> Known<()> {
        let [target] = create.targets.as_slice() else {
            return unknown("indexes on several columns");
        };
        let column = target.column.as_str();
        let found = self.table(&create.table)?.column(column)?.clone();
        let name = create.name.as_ref().map_or_else(
            || format!("{}_{column}_idx", create.table.name.as_str()),
            |name| name.as_str().to_owned(),
        );
        let keyspace = self.keyspace_name(create.table.keyspace.as_ref())?;
        let mut tables = self.keyspace(&keyspace)?.tables.values();
        let is_new =
            check_name(&name).is_ok() && !tables.any(|table| table.indexes.contains_key(&name));
        let table = self.table_mut(&create.table)?;
        let is_new = is_new && !table.indexes.values().any(|it| it.column == column);
        let is_plain = matches!(found.kind, Kind::Regular)
            && target.kind == IndexTargetKind::Simple
            && found.data_type.native_name().is_some()
            && !matches!(found.data_type, DataType::Counter | DataType::Duration)
            && !create.is_custom
            && create.using.is_none()
            && create.properties.is_empty();
        let index = Index {
            column: column.to_owned(),
            is_plain,
        };
        table.indexes.insert(name, index);
        match is_new && is_plain {
            true => self.may_warn(&create.table),
            false => unknown("such indexes"),
        }
    }

    fn drop_index(&mut self, drop: &DropObject) -> Known<()> {
        let keyspace = self.keyspace_name(drop.name.keyspace.as_ref())?;
        if drop.if_exists && !self.keyspaces.contains_key(&keyspace) {
            return unknown("an index of no keyspace");
        }
        let keyspace = self.keyspace_mut(&keyspace)?;
        let name = drop.name.name.as_str();
        let mut tables = keyspace.tables.values_mut();
        match tables.find_map(|table| table.indexes.remove(name)) {
            Some(_) => Ok(()),
            None => unknown("an index that the model does not know"),
        }
    }

    fn create_view(&mut self, create: &CreateView) -> Known<()> {
        let keyspace = self.keyspace_name(create.name.keyspace.as_ref())?;
        let name = create.name.name.as_str().to_owned();
        self.table_mut(&create.from)?.views.insert(name.clone());
        self.keyspace_mut(&keyspace)?.strange.insert(name);
        unknown("views")
    }
}

/// Nothing happens if that was allowed, and else this.
pub(super) fn if_missing<T: Default>(
    is_allowed: bool,
    otherwise: impl FnOnce() -> Known<T>,
) -> Known<T> {
    match is_allowed {
        true => Ok(T::default()),
        false => otherwise(),
    }
}

fn check_name(name: &str) -> Known<()> {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    match !name.is_empty() && name.chars().all(is_word) && name.len() <= LONGEST_NAME {
        true => Ok(()),
        false => unknown("names of keyspaces and tables"),
    }
}

/// The one primary key of a new table.
fn primary_key(create: &CreateTable) -> Known<PrimaryKey> {
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
        Some(_) => invalid("Multiple PRIMARY KEYs specified"),
        None => invalid("No PRIMARY KEY specified"),
    }
}

fn clustering_orders(create: &CreateTable, key: &PrimaryKey) -> Known<Vec<ClusteringOrder>> {
    if create.clustering_order.is_empty() {
        return Ok(vec![ClusteringOrder::Ascending; key.clustering.len()]);
    }
    let names = create.clustering_order.iter().map(|it| &it.name);
    if !names.eq(key.clustering.iter().take(create.clustering_order.len())) {
        return invalid("Clustering key columns must exactly match columns in CLUSTERING ORDER BY");
    }
    let orders = create.clustering_order.iter().map(|it| match it.direction {
        OrderDirection::Ascending => ClusteringOrder::Ascending,
        OrderDirection::Descending => ClusteringOrder::Descending,
    });
    Ok(orders.collect())
}

fn kind_of(definition: &ColumnDefinition, key: &PrimaryKey) -> Known<Kind> {
    let place = |names: &[Name]| names.iter().position(|name| *name == definition.name);
    let kind = match (place(&key.partition), place(&key.clustering)) {
        (Some(_), Some(_)) => return invalid("Duplicate column in the PRIMARY KEY"),
        (Some(index), None) => Kind::Partition(index),
        (None, Some(index)) => Kind::Clustering(index),
        (None, None) if definition.is_static => Kind::Static,
        (None, None) => Kind::Regular,
    };
    match definition.is_static && kind != Kind::Static {
        true => invalid("Static column cannot be part of the PRIMARY KEY"),
        false => Ok(kind),
    }
}

fn check_key_type(kind: Kind, data_type: &DataType) -> Known<()> {
    if matches!(kind, Kind::Static | Kind::Regular) {
        return Ok(());
    }
    if *data_type == DataType::Counter || data_type.is_multi_cell() {
        return invalid("Invalid type for PRIMARY KEY column");
    }
    match data_type.contains_duration() {
        true if has_vector(data_type) => unknown("vectors in keys"),
        true => invalid("duration type is not supported for PRIMARY KEY column"),
        false => Ok(()),
    }
}

fn has_vector(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Vector { .. }) || data_type.inner().into_iter().any(has_vector)
}

fn check_columns(table: &Table) -> Known<()> {
    let others = || table.columns.iter().filter(|it| !it.is_key());
    let counters = others().filter(|it| it.data_type == DataType::Counter);
    let counters = counters.count();
    if counters > 0 && counters != others().count() {
        return invalid("Cannot mix counter and non counter columns in the same table");
    }
    match table.clustering.is_empty() && table.has_static() {
        true => invalid("Static columns are only useful with clustering columns"),
        false => Ok(()),
    }
}

fn set_options(table: &mut Table, properties: &Properties) -> Known<()> {
    for property in &properties.0 {
        match property.name.as_str() {
            "comment" if property.value.text().is_some() => {}
            "gc_grace_seconds" => {
                let Some(seconds) = integer(&property.value) else {
                    return unknown("such a value of gc_grace_seconds");
                };
                if seconds < 0 {
                    return configuration("gc_grace_seconds must be greater than or equal to 0");
                }
            }
            "default_time_to_live" => {
                let Some(seconds) = integer(&property.value) else {
                    return unknown("such a value of default_time_to_live");
                };
                if !(0..=LONGEST_TTL).contains(&seconds) {
                    return configuration("default_time_to_live must be between 0 and 20 years");
                }
                if seconds > 0 && table.is_counter() {
                    return invalid("Cannot set default_time_to_live on a table with counters");
                }
                table.default_ttl = seconds;
            }
            other => return unknown(format!("the option {other}")),
        }
    }
    Ok(())
}

fn integer(value: &PropertyValue) -> Option<i32> {
    value.text()?.parse().ok()
}

fn has_user_type(data_type: &DataType) -> bool {
    let is_it = matches!(data_type, DataType::UserDefined(_));
    is_it || data_type.inner().into_iter().any(has_user_type)
}
