//! `INSERT`, `UPDATE`, `DELETE` and batches of them.

use super::name::{Name, QualifiedName};
use super::relation::{Condition, Relation};
use super::term::Term;

/// A statement that may stand in a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Modification {
    /// `INSERT INTO t (...) VALUES (...)`
    Insert(Insert),
    /// `INSERT INTO t JSON ...`
    InsertJson(InsertJson),
    /// `UPDATE t SET ... WHERE ...`
    Update(Update),
    /// `DELETE ... FROM t WHERE ...`
    Delete(Delete),
}

/// `INSERT INTO t (...) VALUES (...)`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insert {
    /// The table.
    pub table: QualifiedName,
    /// The columns.
    pub columns: Vec<Name>,
    /// The values; maybe not as many as there are columns.
    pub values: Vec<Term>,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// `USING`
    pub using: Using,
}

/// `INSERT INTO t JSON ...`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsertJson {
    /// The table.
    pub table: QualifiedName,
    /// A string literal or a marker.
    pub value: Term,
    /// What becomes of columns that the JSON does not mention.
    pub default: JsonDefault,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// `USING`
    pub using: Using,
}

/// What becomes of columns that a JSON does not mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum JsonDefault {
    /// `DEFAULT NULL`, or nothing: they are deleted.
    #[default]
    Null,
    /// `DEFAULT UNSET`: they stay as they are.
    Unset,
}

/// `UPDATE t SET ... WHERE ...`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The table.
    pub table: QualifiedName,
    /// `USING`
    pub using: Using,
    /// `SET`; never empty.
    pub assignments: Vec<Assignment>,
    /// `WHERE`; never empty.
    pub relations: Vec<Relation>,
    /// `IF`
    pub condition: Option<UpdateCondition>,
}

/// What must hold before an update or a deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateCondition {
    /// `IF EXISTS`
    Exists,
    /// `IF a = 1 AND ...`; never empty.
    All(Vec<Condition>),
}

/// One item of a `SET`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The column.
    pub column: Name,
    /// What is done to it.
    pub operation: Operation,
}

/// What is done to a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// `a = 1`
    Set(Term),
    /// `a[1] = 2`: an element by index or key.
    SetElement {
        /// The index or key.
        key: Term,
        /// The new value.
        value: Term,
    },
    /// `a.b = 1`
    SetField {
        /// The field.
        field: Name,
        /// The new value.
        value: Term,
    },
    /// `a = a + x`, `a += x`; also `a = a -3`, which adds -3.
    Add(Term),
    /// `a = a - x`, `a -= x`
    Subtract(Term),
    /// `a = x + a`
    Prepend(Term),
}

/// `DELETE ... FROM t WHERE ...`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    /// What of the rows; everything if empty.
    pub deletions: Vec<Deletion>,
    /// The table.
    pub table: QualifiedName,
    /// `USING TIMESTAMP`: an integer or a marker.
    pub timestamp: Option<Term>,
    /// `WHERE`; never empty.
    pub relations: Vec<Relation>,
    /// `IF`
    pub condition: Option<UpdateCondition>,
}

/// What of a row is deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deletion {
    /// `a`
    Column(Name),
    /// `a[1]`
    Element(Name, Term),
    /// `a.b`
    Field(Name, Name),
}

/// `USING ...`: its options in the order they were given, which is the order of their markers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Using(pub Vec<UsingOption>);

/// One option of a `USING`: an integer or a marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UsingOption {
    /// `TIMESTAMP`, in microseconds.
    Timestamp(Term),
    /// `TTL`, in seconds.
    TimeToLive(Term),
}

impl Using {
    /// The timestamp; the last one, if it was given twice.
    #[must_use]
    pub fn timestamp(&self) -> Option<&Term> {
        self.0.iter().rev().find_map(|option| match option {
            UsingOption::Timestamp(term) => Some(term),
            UsingOption::TimeToLive(_) => None,
        })
    }

    /// The time to live; the last one, if it was given twice.
    #[must_use]
    pub fn time_to_live(&self) -> Option<&Term> {
        self.0.iter().rev().find_map(|option| match option {
            UsingOption::TimeToLive(term) => Some(term),
            UsingOption::Timestamp(_) => None,
        })
    }
}

/// `BEGIN BATCH ... APPLY BATCH`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Which kind.
    pub kind: BatchKind,
    /// `USING`
    pub using: Using,
    /// The statements; maybe none.
    pub statements: Vec<Modification>,
}

/// Which kind of batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BatchKind {
    /// `BEGIN BATCH`
    #[default]
    Logged,
    /// `BEGIN UNLOGGED BATCH`
    Unlogged,
    /// `BEGIN COUNTER BATCH`
    Counter,
}
