//! Functions, aggregates and triggers.

use super::name::{Name, QualifiedName};
use super::schema::Field;
use super::term::Term;
use super::types::CqlType;

/// `CREATE FUNCTION`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateFunction {
    /// `OR REPLACE`
    pub or_replace: bool,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// Its name.
    pub name: QualifiedName,
    /// Its arguments.
    pub arguments: Vec<Field>,
    /// What becomes of null arguments.
    pub on_null_input: OnNullInput,
    /// What it returns.
    pub returns: CqlType,
    /// `LANGUAGE`, in lower case.
    pub language: Box<str>,
    /// `AS`
    pub body: Box<str>,
}

/// What a function does about null arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnNullInput {
    /// `CALLED ON NULL INPUT`
    Called,
    /// `RETURNS NULL ON NULL INPUT`
    ReturnsNull,
}

/// `DROP FUNCTION`, `DROP AGGREGATE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropFunction {
    /// `IF EXISTS`
    pub if_exists: bool,
    /// Its name.
    pub name: QualifiedName,
    /// Its arguments, if they were given at all.
    pub arguments: Option<Vec<CqlType>>,
}

/// `CREATE AGGREGATE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateAggregate {
    /// `OR REPLACE`
    pub or_replace: bool,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// Its name.
    pub name: QualifiedName,
    /// Its arguments.
    pub arguments: Vec<CqlType>,
    /// `SFUNC`
    pub state_function: Name,
    /// `STYPE`
    pub state_type: CqlType,
    /// `FINALFUNC`
    pub final_function: Option<Name>,
    /// `INITCOND`
    pub initial_state: Option<Term>,
}

/// `CREATE TRIGGER`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateTrigger {
    /// Its name.
    pub name: Name,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// The table.
    pub table: QualifiedName,
    /// `USING 'class'`
    pub using: Box<str>,
}

/// `DROP TRIGGER`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropTrigger {
    /// Its name.
    pub name: Name,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// The table.
    pub table: QualifiedName,
}
