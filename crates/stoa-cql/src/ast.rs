//! The tree of a CQL statement, as it was written and before anything is resolved.
//!
//! 1. No node carries a position: two texts that differ in spaces, comments or letter case give
//!    equal trees, and what [prints](std::fmt::Display) from a tree parses to an equal tree.
//! 2. Names are folded: lower case unless they were quoted.
//! 3. Bind markers are numbered from 0 in the order in which they stand in the text, over a whole
//!    batch too.
//! 4. Nothing is looked up. Whether a column exists, whether a literal fits its type, whether an
//!    option is known: all that is the engine's.
//! 5. What the grammar allows is here even where Cassandra refuses it afterwards, so that the
//!    refusal can be of the right class.

mod describe;
mod function;
mod name;
mod property;
mod relation;
mod role;
mod schema;
mod select;
mod table;
mod term;
mod types;
mod write;

pub use describe::{Describe, DescribeTarget};
pub use function::{
    CreateAggregate, CreateFunction, CreateTrigger, DropFunction, DropTrigger, OnNullInput,
};
pub use name::{Name, QualifiedName};
pub use property::{Properties, Property, PropertyValue};
pub use relation::{Comparison, Condition, ConditionTarget, ConditionTest, InValues, Relation};
pub use role::{
    AddIdentity, AlterRole, AlterUser, CreateRole, CreateUser, DropIdentity, DropRole, DropUser,
    Grant, GrantRole, ListPermissions, ListRoles, Permission, Permissions, Resource, Revoke,
    RevokeRole, RoleOption, UserPassword,
};
pub use schema::{
    AlterKeyspace, AlterType, AlterView, CreateIndex, CreateKeyspace, CreateType, CreateView,
    DropKeyspace, DropObject, Field, IndexTarget, IndexTargetKind, TypeChange,
};
pub use select::{
    CellFact, OrderBy, OrderDirection, OrderExpression, Select, SelectedItem, Selection, Selector,
};
pub use table::{
    AlterTable, ClusteringColumn, ColumnDefinition, ColumnMask, CreateTable, PrimaryKey, Rename,
    TableChange,
};
pub use term::{ArithmeticOperator, Literal, LiteralKind, Marker, Term};
pub use types::{CqlType, NativeType};
pub use write::{
    Assignment, Batch, BatchKind, Delete, Deletion, Insert, InsertJson, JsonDefault, Modification,
    Operation, Update, UpdateCondition, Using, UsingOption,
};

/// One CQL statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// `SELECT ... FROM ...`
    Select(Select),
    /// `INSERT INTO t (...) VALUES (...)`
    Insert(Insert),
    /// `INSERT INTO t JSON ...`
    InsertJson(InsertJson),
    /// `UPDATE t SET ... WHERE ...`
    Update(Update),
    /// `DELETE ... FROM t WHERE ...`
    Delete(Delete),
    /// `BEGIN BATCH ... APPLY BATCH`
    Batch(Batch),
    /// `USE ks`
    Use(Name),
    /// `TRUNCATE t`
    Truncate(QualifiedName),
    /// `CREATE KEYSPACE`
    CreateKeyspace(CreateKeyspace),
    /// `ALTER KEYSPACE`
    AlterKeyspace(AlterKeyspace),
    /// `DROP KEYSPACE`
    DropKeyspace(DropKeyspace),
    /// `CREATE TABLE`
    CreateTable(CreateTable),
    /// `ALTER TABLE`
    AlterTable(AlterTable),
    /// `DROP TABLE`
    DropTable(DropObject),
    /// `CREATE TYPE`
    CreateType(CreateType),
    /// `ALTER TYPE`
    AlterType(AlterType),
    /// `DROP TYPE`
    DropType(DropObject),
    /// `CREATE INDEX`, `CREATE CUSTOM INDEX`
    CreateIndex(CreateIndex),
    /// `DROP INDEX`
    DropIndex(DropObject),
    /// `CREATE MATERIALIZED VIEW`
    CreateView(CreateView),
    /// `ALTER MATERIALIZED VIEW`
    AlterView(AlterView),
    /// `DROP MATERIALIZED VIEW`
    DropView(DropObject),
    /// `CREATE FUNCTION`
    CreateFunction(CreateFunction),
    /// `DROP FUNCTION`
    DropFunction(DropFunction),
    /// `CREATE AGGREGATE`
    CreateAggregate(CreateAggregate),
    /// `DROP AGGREGATE`
    DropAggregate(DropFunction),
    /// `CREATE TRIGGER`
    CreateTrigger(CreateTrigger),
    /// `DROP TRIGGER`
    DropTrigger(DropTrigger),
    /// `CREATE ROLE`
    CreateRole(CreateRole),
    /// `ALTER ROLE`
    AlterRole(AlterRole),
    /// `DROP ROLE`
    DropRole(DropRole),
    /// `CREATE USER`
    CreateUser(CreateUser),
    /// `ALTER USER`
    AlterUser(AlterUser),
    /// `DROP USER`
    DropUser(DropUser),
    /// `GRANT permissions ON resource TO role`
    Grant(Grant),
    /// `REVOKE permissions ON resource FROM role`
    Revoke(Revoke),
    /// `GRANT role TO role`
    GrantRole(GrantRole),
    /// `REVOKE role FROM role`
    RevokeRole(RevokeRole),
    /// `LIST permissions`
    ListPermissions(ListPermissions),
    /// `LIST ROLES`
    ListRoles(ListRoles),
    /// `LIST USERS`
    ListUsers,
    /// `ADD IDENTITY`
    AddIdentity(AddIdentity),
    /// `DROP IDENTITY`
    DropIdentity(DropIdentity),
    /// `DESCRIBE`
    Describe(Describe),
}

impl From<Modification> for Statement {
    fn from(modification: Modification) -> Self {
        match modification {
            Modification::Insert(insert) => Self::Insert(insert),
            Modification::InsertJson(insert) => Self::InsertJson(insert),
            Modification::Update(update) => Self::Update(update),
            Modification::Delete(delete) => Self::Delete(delete),
        }
    }
}
