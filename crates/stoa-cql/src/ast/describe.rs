//! `DESCRIBE`, which servers answer themselves.

use super::name::{Name, QualifiedName};

/// `DESCRIBE ...`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Describe {
    /// What is described.
    pub target: DescribeTarget,
    /// `WITH INTERNALS`
    pub with_internals: bool,
}

/// What is described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DescribeTarget {
    /// `CLUSTER`
    Cluster,
    /// `SCHEMA`: all but system keyspaces.
    Schema,
    /// `FULL SCHEMA`
    FullSchema,
    /// `KEYSPACES`: names only.
    Keyspaces,
    /// `KEYSPACE ks`, or the one in use
    Keyspace(Option<Name>),
    /// `ONLY KEYSPACE ks`: without what is in it.
    OnlyKeyspace(Option<Name>),
    /// `TABLES`: names only.
    Tables,
    /// `TABLE t`
    Table(QualifiedName),
    /// `INDEX i`
    Index(QualifiedName),
    /// `MATERIALIZED VIEW v`
    View(QualifiedName),
    /// `TYPES`: names only.
    Types,
    /// `TYPE t`
    Type(QualifiedName),
    /// `FUNCTIONS`: names only.
    Functions,
    /// `FUNCTION f`
    Function(QualifiedName),
    /// `AGGREGATES`: names only.
    Aggregates,
    /// `AGGREGATE a`
    Aggregate(QualifiedName),
    /// A bare name: a keyspace, table, view or index.
    Any(QualifiedName),
}
