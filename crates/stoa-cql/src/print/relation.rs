//! Relations and conditions.

use std::fmt::{self, Display, Formatter};

use super::{conjunction, list};
use crate::ast::{
    Comparison, Condition, ConditionTarget, ConditionTest, InValues, Relation, UpdateCondition,
};

impl Display for Comparison {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.sign())
    }
}

impl Display for InValues {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(values) => write!(formatter, "({})", list(values)),
            Self::Marker(marker) => marker.fmt(formatter),
        }
    }
}

impl Display for Relation {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column {
                column,
                comparison,
                value,
            } => write!(formatter, "{column} {comparison} {value}"),
            Self::In { column, values } => write!(formatter, "{column} IN {values}"),
            Self::Contains { column, value } => write!(formatter, "{column} CONTAINS {value}"),
            Self::ContainsKey { column, key } => {
                write!(formatter, "{column} CONTAINS KEY {key}")
            }
            Self::Like { column, pattern } => write!(formatter, "{column} LIKE {pattern}"),
            Self::IsNotNull(column) => write!(formatter, "{column} IS NOT NULL"),
            Self::Element {
                column,
                key,
                comparison,
                value,
            } => write!(formatter, "{column}[{key}] {comparison} {value}"),
            Self::Token {
                columns,
                comparison,
                value,
            } => write!(formatter, "token({}) {comparison} {value}", list(columns)),
            Self::Columns {
                columns,
                comparison,
                value,
            } => write!(formatter, "({}) {comparison} {value}", list(columns)),
            Self::ColumnsIn { columns, values } => {
                write!(formatter, "({}) IN {values}", list(columns))
            }
            Self::IndexExpression { index, value } => {
                write!(formatter, "expr({index}, {value})")
            }
        }
    }
}

impl Display for UpdateCondition {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists => formatter.write_str("EXISTS"),
            Self::All(conditions) => conjunction(conditions).fmt(formatter),
        }
    }
}

impl Display for Condition {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.column.fmt(formatter)?;
        match &self.target {
            ConditionTarget::Column => {}
            ConditionTarget::Element(key) => write!(formatter, "[{key}]")?,
            ConditionTarget::Field(field) => write!(formatter, ".{field}")?,
        }
        match &self.test {
            ConditionTest::Compare(comparison, value) => {
                write!(formatter, " {comparison} {value}")
            }
            ConditionTest::In(values) => write!(formatter, " IN {values}"),
            ConditionTest::Contains(value) => write!(formatter, " CONTAINS {value}"),
            ConditionTest::ContainsKey(key) => write!(formatter, " CONTAINS KEY {key}"),
        }
    }
}
