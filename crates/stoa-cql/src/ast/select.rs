//! `SELECT`: what is selected, from where, in which order.

use super::name::{Name, QualifiedName};
use super::relation::Relation;
use super::term::{ArithmeticOperator, Term};
use super::types::{CqlType, NativeType};

/// `SELECT ... FROM ...`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Select {
    /// `SELECT JSON`
    pub is_json: bool,
    /// `SELECT DISTINCT`
    pub is_distinct: bool,
    /// What is selected.
    pub selection: Selection,
    /// The table or view.
    pub from: QualifiedName,
    /// `WHERE`; empty if there is none.
    pub relations: Vec<Relation>,
    /// `GROUP BY`; empty if there is none.
    pub group_by: Vec<Selector>,
    /// `ORDER BY`; empty if there is none.
    pub order_by: Vec<OrderBy>,
    /// `PER PARTITION LIMIT`: an integer or a marker.
    pub per_partition_limit: Option<Term>,
    /// `LIMIT`: an integer or a marker.
    pub limit: Option<Term>,
    /// `ALLOW FILTERING`
    pub allow_filtering: bool,
}

/// What is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// `*`
    All,
    /// What is listed; never empty.
    Items(Vec<SelectedItem>),
}

/// One item of a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedItem {
    /// What it is.
    pub selector: Selector,
    /// `AS name`
    pub alias: Option<Name>,
}

/// Something that can be selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// A column. Where a map-like literal stands, it may be the field of a user-defined type.
    Column(Name),
    /// A literal, `null`, or a marker; no other term.
    Term(Term),
    /// `count(*)`
    CountRows,
    /// `f(a, b)`
    Function {
        /// Its name.
        name: QualifiedName,
        /// What it is given.
        arguments: Vec<Selector>,
    },
    /// `CAST(a AS t)`
    Cast(Box<Selector>, NativeType),
    /// `writetime(a)` and its like: of a column, or of a field, element or slice of a column.
    CellFact(CellFact, Box<Selector>),
    /// `a.b`
    Field(Box<Selector>, Name),
    /// `a[1]`
    Element(Box<Selector>, Term),
    /// `a[1..2]`, `a[1..]`, `a[..2]`
    Slice {
        /// Of which collection.
        of: Box<Selector>,
        /// The first element or key.
        from: Option<Term>,
        /// The last one, included.
        to: Option<Term>,
    },
    /// `-a`
    Negation(Box<Selector>),
    /// `a + b` and the like.
    Arithmetic {
        /// What is done.
        operator: ArithmeticOperator,
        /// On the left.
        left: Box<Selector>,
        /// On the right.
        right: Box<Selector>,
    },
    /// `(t) a`: says of which type it is.
    TypeHint(CqlType, Box<Selector>),
    /// `(a)` or `(a, b)`: parentheses around one, a tuple of several.
    Parenthesized(Vec<Selector>),
    /// `[a, b]`: a list or a vector.
    ListOrVector(Vec<Selector>),
    /// `{a, b}`: a set. `{}`, without elements, is also a map.
    SetOrEmptyMap(Vec<Selector>),
    /// `{a: b}`: a map, or a user-defined type if the keys are its fields; never empty.
    MapOrUserType(Vec<(Selector, Selector)>),
}

/// What can be asked of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellFact {
    /// `writetime(a)`
    WriteTime,
    /// `maxwritetime(a)`
    MaxWriteTime,
    /// `ttl(a)`
    TimeToLive,
}

/// One item of an `ORDER BY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderBy {
    /// The column.
    pub column: Name,
    /// By its order, or by closeness to a vector.
    pub expression: OrderExpression,
    /// The direction; ascending if none was said.
    pub direction: OrderDirection,
}

/// By what rows are ordered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderExpression {
    /// By the column's values.
    Column,
    /// `ANN OF term`: nearest first.
    NearestTo(Term),
}

/// In which direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OrderDirection {
    /// `ASC`, or nothing.
    #[default]
    Ascending,
    /// `DESC`
    Descending,
}
