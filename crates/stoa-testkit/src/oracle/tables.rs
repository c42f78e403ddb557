//! What the statements of a script have said of its tables: as much as the reviewed exceptions
//! ask for.

use std::collections::BTreeMap;

use stoa_cql::ast::{
    AlterTable, ColumnDefinition, CqlType, CreateIndex, CreateTable, CreateView, Modification,
    NativeType, PrimaryKey, QualifiedName, Selection, Selector, Statement, TableChange,
};
use stoa_cql::parse_statement;

/// The tables and views of a script, by name.
#[derive(Debug, Clone, Default)]
pub struct Tables(BTreeMap<String, Table>);

/// A table or a view.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub(super) columns: BTreeMap<String, Column>,
    pub(super) indexes: Vec<Index>,
    /// Whether anything was written to it.
    is_written: bool,
    pub(super) was_truncated: bool,
}

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) cql_type: CqlType,
    pub(super) place: Place,
}

/// Where a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Partition,
    Clustering,
    Static,
    Regular,
}

impl Place {
    pub(super) fn is_key(self) -> bool {
        matches!(self, Self::Partition | Self::Clustering)
    }
}

/// An index.
#[derive(Debug, Clone)]
pub(super) struct Index {
    name: String,
    pub(super) column: String,
    /// Whether it is storage-attached.
    pub(super) is_attached: bool,
    /// Whether it was made when there were rows, and another storage-attached index of them.
    pub(super) is_late: bool,
}

impl Tables {
    /// Takes note of a statement that was accepted.
    pub fn follow(&mut self, statement: &str) {
        let Ok(statement) = parse_statement(statement) else {
            return;
        };
        match &statement {
            Statement::CreateTable(create) => self.create(create),
            Statement::CreateView(create) => self.create_view(create),
            Statement::AlterTable(alter) => self.alter(alter),
            Statement::CreateIndex(create) => self.create_index(create),
            Statement::DropIndex(drop) => {
                for table in self.0.values_mut() {
                    table.indexes.retain(|it| drop.name.name != *it.name);
                }
            }
            Statement::DropTable(drop) | Statement::DropView(drop) => {
                self.0.remove(drop.name.name.as_str());
            }
            Statement::Truncate(name) => {
                if let Some(table) = self.0.get_mut(name.name.as_str()) {
                    table.is_written = false;
                    table.was_truncated = true;
                    table.indexes.iter_mut().for_each(|it| it.is_late = false);
                }
            }
            Statement::Insert(it) => self.write(&it.table),
            Statement::InsertJson(it) => self.write(&it.table),
            Statement::Update(it) => self.write(&it.table),
            Statement::Delete(it) => self.write(&it.table),
            Statement::Batch(batch) => {
                for one in &batch.statements {
                    self.write(table_of(one));
                }
            }
            _ => {}
        }
    }

    /// A table by its name.
    pub(super) fn get(&self, name: &QualifiedName) -> Option<&Table> {
        self.0.get(name.name.as_str())
    }

    fn write(&mut self, name: &QualifiedName) {
        if let Some(table) = self.0.get_mut(name.name.as_str()) {
            table.is_written = true;
        }
    }

    fn create(&mut self, create: &CreateTable) {
        let mut table = Table::default();
        for definition in &create.columns {
            table.add(definition);
        }
        for key in &create.primary_keys {
            table.set_key(key);
        }
        self.0.insert(create.name.name.clone().into(), table);
    }

    /// A view has the columns it selects.
    fn create_view(&mut self, create: &CreateView) {
        let Some(base) = self.get(&create.from) else {
            return;
        };
        let mut view = Table::default();
        let is_selected = |name: &str| match &create.selection {
            Selection::All => true,
            Selection::Items(items) => items
                .iter()
                .any(|it| matches!(&it.selector, Selector::Column(column) if *column == *name)),
        };
        for (name, column) in &base.columns {
            if is_selected(name) {
                let (cql_type, place) = (column.cql_type.clone(), Place::Regular);
                view.columns
                    .insert(name.clone(), Column { cql_type, place });
            }
        }
        view.set_key(&create.primary_key);
        self.0.insert(create.name.name.clone().into(), view);
    }

    fn alter(&mut self, alter: &AlterTable) {
        let Some(table) = self.0.get_mut(alter.name.name.as_str()) else {
            return;
        };
        match &alter.change {
            TableChange::Add { columns, .. } => columns.iter().for_each(|it| table.add(it)),
            TableChange::Drop { columns, .. } => {
                for column in columns {
                    table.columns.remove(column.as_str());
                }
            }
            TableChange::Rename { renames, .. } => {
                for rename in renames {
                    if let Some(column) = table.columns.remove(rename.from.as_str()) {
                        table.columns.insert(rename.to.clone().into(), column);
                    }
                }
            }
            _ => {}
        }
    }

    fn create_index(&mut self, create: &CreateIndex) {
        let (Some(table), Some(target)) = (
            self.0.get_mut(create.table.name.as_str()),
            create.targets.first(),
        ) else {
            return;
        };
        let has_attached = table.indexes.iter().any(|it| it.is_attached);
        table.indexes.push(Index {
            name: create.name.clone().map(String::from).unwrap_or_default(),
            column: target.column.clone().into(),
            is_attached: create.using.is_some(),
            is_late: table.is_written && has_attached,
        });
    }
}

impl Table {
    /// Whether some column is static.
    pub(super) fn has_static(&self) -> bool {
        self.columns.values().any(|it| it.place == Place::Static)
    }

    fn add(&mut self, definition: &ColumnDefinition) {
        let place = match (definition.is_primary_key, definition.is_static) {
            (true, _) => Place::Partition,
            (_, true) => Place::Static,
            _ => Place::Regular,
        };
        let cql_type = definition.cql_type.clone();
        let name = definition.name.clone().into();
        self.columns.insert(name, Column { cql_type, place });
    }

    fn set_key(&mut self, key: &PrimaryKey) {
        let partition = key.partition.iter().map(|it| (it, Place::Partition));
        let clustering = key.clustering.iter().map(|it| (it, Place::Clustering));
        for (name, place) in partition.chain(clustering) {
            if let Some(column) = self.columns.get_mut(name.as_str()) {
                column.place = place;
            }
        }
    }
}

impl Column {
    pub(super) fn is_frozen(&self) -> bool {
        matches!(self.cql_type, CqlType::Frozen(_))
    }

    pub(super) fn is_map(&self) -> bool {
        match &self.cql_type {
            CqlType::Frozen(inner) => matches!(**inner, CqlType::Map(..)),
            other => matches!(other, CqlType::Map(..)),
        }
    }

    pub(super) fn is_address(&self) -> bool {
        matches!(self.cql_type, CqlType::Native(NativeType::Inet))
    }

    pub(super) fn is_vector(&self) -> bool {
        matches!(self.cql_type, CqlType::Vector(..))
    }
}

/// The table that a part of a batch writes to.
pub(super) fn table_of(modification: &Modification) -> &QualifiedName {
    match modification {
        Modification::Insert(it) => &it.table,
        Modification::InsertJson(it) => &it.table,
        Modification::Update(it) => &it.table,
        Modification::Delete(it) => &it.table,
    }
}
