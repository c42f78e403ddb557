//! Keyspaces, types, indexes and views.

use super::name::{Name, QualifiedName};
use super::property::Properties;
use super::relation::Relation;
use super::select::Selection;
use super::table::{ClusteringColumn, PrimaryKey, Rename};
use super::types::CqlType;

/// `CREATE KEYSPACE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateKeyspace {
    /// Its name.
    pub name: Name,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// `WITH`; never empty.
    pub properties: Properties,
}

/// `ALTER KEYSPACE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlterKeyspace {
    /// Its name.
    pub name: Name,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// `WITH`; never empty.
    pub properties: Properties,
}

/// `DROP KEYSPACE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropKeyspace {
    /// Its name.
    pub name: Name,
    /// `IF EXISTS`
    pub if_exists: bool,
}

/// `DROP TABLE`, `DROP TYPE`, `DROP INDEX`, `DROP MATERIALIZED VIEW`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropObject {
    /// Its name.
    pub name: QualifiedName,
    /// `IF EXISTS`
    pub if_exists: bool,
}

/// `CREATE TYPE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateType {
    /// Its name.
    pub name: QualifiedName,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// Its fields; never empty.
    pub fields: Vec<Field>,
}

/// A field of a user-defined type, or an argument of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub cql_type: CqlType,
}

/// `ALTER TYPE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlterType {
    /// Its name.
    pub name: QualifiedName,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// What changes.
    pub change: TypeChange,
}

/// What changes of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeChange {
    /// `ALTER field TYPE t`
    Alter(Field),
    /// `ADD field t`
    Add {
        /// `IF NOT EXISTS`
        if_not_exists: bool,
        /// The new field.
        field: Field,
    },
    /// `RENAME a TO b AND ...`
    Rename {
        /// `IF EXISTS`
        if_exists: bool,
        /// Old and new names; never empty.
        renames: Vec<Rename>,
    },
}

/// `CREATE INDEX`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateIndex {
    /// Its name, if it was given one.
    pub name: Option<Name>,
    /// `CREATE CUSTOM INDEX`
    pub is_custom: bool,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// The table.
    pub table: QualifiedName,
    /// What is indexed; maybe nothing.
    pub targets: Vec<IndexTarget>,
    /// `USING 'class'`
    pub using: Option<Box<str>>,
    /// `WITH`
    pub properties: Properties,
}

/// What is indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexTarget {
    /// Of which column.
    pub column: Name,
    /// What of it.
    pub kind: IndexTargetKind,
}

/// What of a column is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IndexTargetKind {
    /// `a`
    Simple,
    /// `values(a)`
    Values,
    /// `keys(a)`
    Keys,
    /// `entries(a)`
    Entries,
    /// `full(a)`
    Full,
}

/// `CREATE MATERIALIZED VIEW`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateView {
    /// Its name.
    pub name: QualifiedName,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// What is selected.
    pub selection: Selection,
    /// The table.
    pub from: QualifiedName,
    /// `WHERE`; empty if there is none.
    pub relations: Vec<Relation>,
    /// `PRIMARY KEY`
    pub primary_key: PrimaryKey,
    /// `CLUSTERING ORDER BY`
    pub clustering_order: Vec<ClusteringColumn>,
    /// The rest of `WITH`
    pub properties: Properties,
}

/// `ALTER MATERIALIZED VIEW`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlterView {
    /// Its name.
    pub name: QualifiedName,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// `WITH`; never empty.
    pub properties: Properties,
}
