//! Terms.

use std::fmt::{self, Display, Formatter};

use super::{Entries, Quoted, list, name};
use crate::ast::{ArithmeticOperator, Literal, LiteralKind, Marker, Term};

impl Display for Term {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(literal) => literal.fmt(formatter),
            Self::Null => formatter.write_str("null"),
            Self::Marker(marker) => marker.fmt(formatter),
            Self::ListOrVector(elements) => write!(formatter, "[{}]", list(elements)),
            Self::SetOrEmptyMap(elements) => write!(formatter, "{{{}}}", list(elements)),
            Self::Map(entries) => write!(formatter, "{{{}}}", Entries(entries)),
            Self::UserType(fields) => write!(formatter, "{{{}}}", Entries(fields)),
            Self::Tuple(fields) => write!(formatter, "({})", list(fields)),
            Self::Function { name, arguments } => {
                let name = name::FunctionName(name);
                write!(formatter, "{name}({})", list(arguments))
            }
            Self::Cast(term, native_type) => write!(formatter, "CAST({term} AS {native_type})"),
            Self::TypeHint(cql_type, term) => write!(formatter, "({cql_type}) {term}"),
            // Without the space it might become a number, a comment or `-infinity`.
            Self::Negation(term) => write!(formatter, "- {term}"),
            Self::Arithmetic {
                operator,
                left,
                right,
            } => write!(formatter, "{left} {operator} {right}"),
        }
    }
}

impl Display for Literal {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.kind {
            LiteralKind::String => Quoted(&self.text).fmt(formatter),
            _ => formatter.write_str(&self.text),
        }
    }
}

impl Display for Marker {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(formatter, ":{name}"),
            None => formatter.write_str("?"),
        }
    }
}

impl Display for ArithmeticOperator {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.sign())
    }
}
