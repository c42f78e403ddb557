//! Terms: what may stand where a value is expected.

use super::name::{Name, QualifiedName};
use super::types::{CqlType, NativeType};

/// Something that will be a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// A constant.
    Literal(Literal),
    /// `null`
    Null,
    /// `?` or `:name`
    Marker(Marker),
    /// `[a, b]`: a list or a vector, by the type it is for.
    ListOrVector(Vec<Term>),
    /// `{a, b}`: a set. `{}`, without elements, is also a map.
    SetOrEmptyMap(Vec<Term>),
    /// `{k: v}` with terms as keys; never empty.
    Map(Vec<(Term, Term)>),
    /// `{field: value}`: a user-defined type; never empty. A field may be given twice, the last
    /// one counts.
    UserType(Vec<(Name, Term)>),
    /// `(a, b)`: a tuple. `(a)` is a tuple too, there are no mere parentheses around terms.
    Tuple(Vec<Term>),
    /// `f(a, b)`
    Function {
        /// Its name.
        name: QualifiedName,
        /// What it is given.
        arguments: Vec<Term>,
    },
    /// `CAST(a AS t)`
    Cast(Box<Term>, NativeType),
    /// `(t) a`: says of which type a term is.
    TypeHint(CqlType, Box<Term>),
    /// `-a`, where `a` is no number: `-1` is a literal.
    Negation(Box<Term>),
    /// `a + b` and the like.
    Arithmetic {
        /// What is done.
        operator: ArithmeticOperator,
        /// On the left.
        left: Box<Term>,
        /// On the right.
        right: Box<Term>,
    },
}

/// A bind marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// How many markers stand before it in the text.
    pub index: usize,
    /// `name` of `:name`; none for `?`.
    pub name: Option<Name>,
}

/// A constant: its kind, and what was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Literal {
    /// What it looks like.
    pub kind: LiteralKind,
    /// A string without quotes and with its quotes undoubled; everything else as it was written,
    /// but `NaN`, `Infinity` and `-Infinity` always in these letters.
    pub text: Box<str>,
}

/// What a literal looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LiteralKind {
    /// `'text'` or `$$text$$`
    String,
    /// `-12`
    Integer,
    /// `1.5`, `1e3`, `NaN`, `-Infinity`
    Float,
    /// `c0ffee00-c0ff-eec0-ffee-c0ffeec0ffee`
    Uuid,
    /// `true`, `FALSE`
    Boolean,
    /// `0xcafe`
    Hex,
    /// `1y2mo`, `P1Y`, `P0001-01-01T00:00:00`
    Duration,
}

/// What is done with two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArithmeticOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

impl ArithmeticOperator {
    /// Its sign.
    #[must_use]
    pub const fn sign(self) -> char {
        match self {
            Self::Add => '+',
            Self::Subtract => '-',
            Self::Multiply => '*',
            Self::Divide => '/',
            Self::Remainder => '%',
        }
    }
}
