//! Relations of a `WHERE` and conditions of an `IF`.

use super::name::Name;
use super::term::{Marker, Term};

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// Its sign.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

/// What stands after `IN`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InValues {
    /// `(a, b)`, maybe empty. For several columns each is a tuple or each is a marker.
    List(Vec<Term>),
    /// `?`: one marker for the whole list.
    Marker(Marker),
}

/// One relation of a `WHERE`; parentheses around it are not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// `a = 1`
    Column {
        /// The column.
        column: Name,
        /// How it is compared.
        comparison: Comparison,
        /// With what.
        value: Term,
    },
    /// `a IN (1, 2)`, `a IN ?`
    In {
        /// The column.
        column: Name,
        /// The values.
        values: InValues,
    },
    /// `a CONTAINS 1`
    Contains {
        /// The collection.
        column: Name,
        /// The element.
        value: Term,
    },
    /// `a CONTAINS KEY 1`
    ContainsKey {
        /// The map.
        column: Name,
        /// The key.
        key: Term,
    },
    /// `a LIKE 'x%'`
    Like {
        /// The column.
        column: Name,
        /// The pattern.
        pattern: Term,
    },
    /// `a IS NOT NULL`
    IsNotNull(Name),
    /// `m['k'] = 1`
    Element {
        /// The map.
        column: Name,
        /// The key.
        key: Term,
        /// How the element is compared.
        comparison: Comparison,
        /// With what.
        value: Term,
    },
    /// `token(a, b) > 0`
    Token {
        /// The columns.
        columns: Vec<Name>,
        /// How their token is compared.
        comparison: Comparison,
        /// With what.
        value: Term,
    },
    /// `(a, b) > (1, 2)`, `(a, b) > ?`
    Columns {
        /// The columns; one is possible.
        columns: Vec<Name>,
        /// How they are compared.
        comparison: Comparison,
        /// A tuple or a marker.
        value: Term,
    },
    /// `(a, b) IN ((1, 2), (3, 4))`, `(a, b) IN (?, ?)`, `(a, b) IN ?`
    ColumnsIn {
        /// The columns; one is possible.
        columns: Vec<Name>,
        /// The tuples.
        values: InValues,
    },
    /// `expr(index, 'x')`: what only a custom index understands.
    IndexExpression {
        /// The index.
        index: Name,
        /// What it is asked.
        value: Term,
    },
}

impl Relation {
    /// The columns that it names.
    #[must_use]
    pub fn columns(&self) -> &[Name] {
        match self {
            Self::Column { column, .. }
            | Self::In { column, .. }
            | Self::Contains { column, .. }
            | Self::ContainsKey { column, .. }
            | Self::Like { column, .. }
            | Self::IsNotNull(column)
            | Self::Element { column, .. } => std::slice::from_ref(column),
            Self::Token { columns, .. }
            | Self::Columns { columns, .. }
            | Self::ColumnsIn { columns, .. } => columns,
            Self::IndexExpression { .. } => &[],
        }
    }

    /// The columns that it names, to give them other names.
    pub fn columns_mut(&mut self) -> &mut [Name] {
        match self {
            Self::Column { column, .. }
            | Self::In { column, .. }
            | Self::Contains { column, .. }
            | Self::ContainsKey { column, .. }
            | Self::Like { column, .. }
            | Self::IsNotNull(column)
            | Self::Element { column, .. } => std::slice::from_mut(column),
            Self::Token { columns, .. }
            | Self::Columns { columns, .. }
            | Self::ColumnsIn { columns, .. } => columns,
            Self::IndexExpression { .. } => &mut [],
        }
    }
}

/// One condition of an `IF`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The column.
    pub column: Name,
    /// What of the column.
    pub target: ConditionTarget,
    /// What must hold.
    pub test: ConditionTest,
}

/// What of a column a condition is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionTarget {
    /// All of it.
    Column,
    /// `a[1]`: an element by index or key.
    Element(Term),
    /// `a.b`: a field.
    Field(Name),
}

/// What must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionTest {
    /// `= 1`
    Compare(Comparison, Term),
    /// `IN (1, 2)`, `IN ?`
    In(InValues),
    /// `CONTAINS 1`; only of a whole column.
    Contains(Term),
    /// `CONTAINS KEY 1`; only of a whole column.
    ContainsKey(Term),
}
