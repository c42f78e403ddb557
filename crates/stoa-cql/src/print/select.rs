//! `SELECT`.

use std::fmt::{self, Display, Formatter};

use super::{Clause, Entries, ListClause, conjunction, list, name};
use crate::ast::{
    CellFact, OrderBy, OrderDirection, OrderExpression, Select, SelectedItem, Selection, Selector,
};

impl Display for Select {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("SELECT ")?;
        if self.is_json {
            formatter.write_str("JSON ")?;
        }
        if self.is_distinct {
            formatter.write_str("DISTINCT ")?;
        }
        write!(
            formatter,
            "{} FROM {}{}{}{}{}{}",
            self.selection,
            self.from,
            ListClause(" WHERE ", conjunction(&self.relations)),
            ListClause(" GROUP BY ", list(&self.group_by)),
            ListClause(" ORDER BY ", list(&self.order_by)),
            Clause(" PER PARTITION LIMIT ", self.per_partition_limit.as_ref()),
            Clause(" LIMIT ", self.limit.as_ref()),
        )?;
        if self.allow_filtering {
            formatter.write_str(" ALLOW FILTERING")?;
        }
        Ok(())
    }
}

impl Display for Selection {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => formatter.write_str("*"),
            Self::Items(items) => list(items).fmt(formatter),
        }
    }
}

impl Display for SelectedItem {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let alias = Clause(" AS ", self.alias.as_ref());
        write!(formatter, "{}{alias}", self.selector)
    }
}

impl Display for Selector {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(column) => name::SelectedColumn(column).fmt(formatter),
            Self::Term(term) => term.fmt(formatter),
            Self::CountRows => formatter.write_str("count(*)"),
            Self::Function { name, arguments } => {
                let name = name::FunctionName(name);
                write!(formatter, "{name}({})", list(arguments))
            }
            Self::Cast(selector, native_type) => {
                write!(formatter, "CAST({selector} AS {native_type})")
            }
            Self::CellFact(fact, of) => write!(formatter, "{fact}({of})"),
            // Without the space a number would take the dot.
            Self::Field(of, field) if ends_with_term(of) => write!(formatter, "{of} .{field}"),
            Self::Field(of, field) => write!(formatter, "{of}.{field}"),
            Self::Element(of, key) => write!(formatter, "{of}[{key}]"),
            Self::Slice { of, from, to } => {
                let (from, to) = (Clause("", from.as_ref()), Clause("", to.as_ref()));
                write!(formatter, "{of}[{from} .. {to}]")
            }
            // Without the space it might become a number, a comment or `-infinity`.
            Self::Negation(selector) => write!(formatter, "- {selector}"),
            Self::Arithmetic {
                operator,
                left,
                right,
            } => write!(formatter, "{left} {operator} {right}"),
            Self::TypeHint(cql_type, selector) => write!(formatter, "({cql_type}) {selector}"),
            Self::Parenthesized(selectors) => write!(formatter, "({})", list(selectors)),
            Self::ListOrVector(elements) => write!(formatter, "[{}]", list(elements)),
            Self::SetOrEmptyMap(elements) => write!(formatter, "{{{}}}", list(elements)),
            Self::MapOrUserType(entries) => write!(formatter, "{{{}}}", Entries(entries)),
        }
    }
}

fn ends_with_term(selector: &Selector) -> bool {
    match selector {
        Selector::Term(_) => true,
        Selector::TypeHint(_, inner) => ends_with_term(inner),
        _ => false,
    }
}

impl Display for CellFact {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::WriteTime => "writetime",
            Self::MaxWriteTime => "maxwritetime",
            Self::TimeToLive => "ttl",
        })
    }
}

impl Display for OrderBy {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.column.fmt(formatter)?;
        if let OrderExpression::NearestTo(term) = &self.expression {
            write!(formatter, " ANN OF {term}")?;
        }
        match self.direction {
            OrderDirection::Ascending => Ok(()),
            OrderDirection::Descending => formatter.write_str(" DESC"),
        }
    }
}
