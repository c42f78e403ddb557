//! Tables: made and altered.

use super::name::{Name, QualifiedName};
use super::property::Properties;
use super::select::OrderDirection;
use super::term::Term;
use super::types::CqlType;

/// `CREATE TABLE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateTable {
    /// Its name.
    pub name: QualifiedName,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// Its columns in the order they were given; a name may stand there twice.
    pub columns: Vec<ColumnDefinition>,
    /// Every `PRIMARY KEY (...)`. A table needs exactly one, here or at a column, but the grammar
    /// does not say so.
    pub primary_keys: Vec<PrimaryKey>,
    /// `CLUSTERING ORDER BY`
    pub clustering_order: Vec<ClusteringColumn>,
    /// `COMPACT STORAGE`
    pub is_compact_storage: bool,
    /// The rest of `WITH`, among it `id`.
    pub properties: Properties,
}

/// A column of a new table, or a new column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnDefinition {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub cql_type: CqlType,
    /// `STATIC`
    pub is_static: bool,
    /// `MASKED WITH`
    pub mask: Option<ColumnMask>,
    /// `PRIMARY KEY` behind it; never for a column that is added to a table.
    pub is_primary_key: bool,
}

/// `MASKED WITH ...`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnMask {
    /// `MASKED WITH DEFAULT`
    Default,
    /// `MASKED WITH f(a, b)`: a function, and what it is given after the value.
    Function {
        /// Its name.
        name: QualifiedName,
        /// What it is given.
        arguments: Vec<Term>,
    },
}

/// `PRIMARY KEY ((a, b), c)`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimaryKey {
    /// The columns of the partition key; never empty.
    pub partition: Vec<Name>,
    /// The clustering columns.
    pub clustering: Vec<Name>,
}

/// One item of a `CLUSTERING ORDER BY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusteringColumn {
    /// The column.
    pub name: Name,
    /// Its direction.
    pub direction: OrderDirection,
}

/// `ALTER TABLE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlterTable {
    /// Its name.
    pub name: QualifiedName,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// What changes.
    pub change: TableChange,
}

/// What changes of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableChange {
    /// `ALTER column TYPE t`
    AlterType {
        /// The column.
        column: Name,
        /// Its new type.
        cql_type: CqlType,
    },
    /// `ALTER column MASKED WITH ...`, or `ALTER column DROP MASKED`
    Mask {
        /// `IF EXISTS` of the column.
        if_exists: bool,
        /// The column.
        column: Name,
        /// Its new mask.
        mask: Option<ColumnMask>,
    },
    /// `ADD column t`
    Add {
        /// `IF NOT EXISTS` of the columns.
        if_not_exists: bool,
        /// The new columns; never empty.
        columns: Vec<ColumnDefinition>,
    },
    /// `DROP column`
    Drop {
        /// `IF EXISTS` of the columns.
        if_exists: bool,
        /// The columns; never empty.
        columns: Vec<Name>,
        /// `USING TIMESTAMP`
        timestamp_micros: Option<i64>,
    },
    /// `RENAME a TO b AND ...`
    Rename {
        /// `IF EXISTS` of the columns.
        if_exists: bool,
        /// Old and new names; never empty.
        renames: Vec<Rename>,
    },
    /// `DROP COMPACT STORAGE`
    DropCompactStorage,
    /// `WITH`; never empty.
    Properties(Properties),
}

/// `a TO b`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The old name.
    pub from: Name,
    /// The new name.
    pub to: Name,
}
