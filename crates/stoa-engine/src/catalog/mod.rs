//! What there is: keyspaces, tables, types, indexes and views, as of one schema change.
//!
//! A [`Schema`] is never changed: a schema statement makes a new one, and statements in flight keep
//! the one they were resolved with.

pub mod column;
pub mod keyspace;
pub mod options;
pub mod records;
pub mod replication;
pub mod table;
pub mod types;

pub use column::{Column, ColumnKind, ColumnMask};
pub use keyspace::{Keyspace, KeyspaceKind, Schema};
pub use options::TableOptions;
pub use table::{DroppedColumn, Index, IndexTarget, Table, TableParts, ViewDefinition};
pub use types::{UserTypes, resolve_type};
