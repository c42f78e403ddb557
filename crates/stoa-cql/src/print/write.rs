//! `INSERT`, `UPDATE`, `DELETE` and batches.

use std::fmt::{self, Display, Formatter};

use super::{Clause, IfNotExists, ListClause, conjunction, list};
use crate::ast::{
    Assignment, Batch, BatchKind, Delete, Deletion, Insert, InsertJson, JsonDefault, Modification,
    Operation, Update, Using, UsingOption,
};

impl Display for Modification {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insert(insert) => insert.fmt(formatter),
            Self::InsertJson(insert) => insert.fmt(formatter),
            Self::Update(update) => update.fmt(formatter),
            Self::Delete(delete) => delete.fmt(formatter),
        }
    }
}

impl Display for Insert {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "INSERT INTO {} ({}) VALUES ({})",
            self.table,
            list(&self.columns),
            list(&self.values),
        )?;
        write_if_not_exists(self.if_not_exists, formatter)?;
        self.using.fmt(formatter)
    }
}

impl Display for InsertJson {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "INSERT INTO {} JSON {}", self.table, self.value)?;
        if self.default == JsonDefault::Unset {
            formatter.write_str(" DEFAULT UNSET")?;
        }
        write_if_not_exists(self.if_not_exists, formatter)?;
        self.using.fmt(formatter)
    }
}

fn write_if_not_exists(if_not_exists: bool, formatter: &mut Formatter<'_>) -> fmt::Result {
    let words = IfNotExists(if_not_exists).to_string();
    match words.trim_end() {
        "" => Ok(()),
        words => write!(formatter, " {words}"),
    }
}

/// With a space before it, if there is anything.
impl Display for Using {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        ListClause(" USING ", conjunction(&self.0)).fmt(formatter)
    }
}

impl Display for UsingOption {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timestamp(micros) => write!(formatter, "TIMESTAMP {micros}"),
            Self::TimeToLive(seconds) => write!(formatter, "TTL {seconds}"),
        }
    }
}

impl Display for Update {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "UPDATE {}{} SET {} WHERE {}{}",
            self.table,
            self.using,
            list(&self.assignments),
            conjunction(&self.relations),
            Clause(" IF ", self.condition.as_ref()),
        )
    }
}

impl Display for Assignment {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let column = &self.column;
        match &self.operation {
            Operation::Set(value) => write!(formatter, "{column} = {value}"),
            Operation::SetElement { key, value } => {
                write!(formatter, "{column}[{key}] = {value}")
            }
            Operation::SetField { field, value } => {
                write!(formatter, "{column}.{field} = {value}")
            }
            Operation::Add(value) => write!(formatter, "{column} += {value}"),
            Operation::Subtract(value) => write!(formatter, "{column} -= {value}"),
            Operation::Prepend(value) => write!(formatter, "{column} = {value} + {column}"),
        }
    }
}

impl Display for Delete {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "DELETE{} FROM {}{} WHERE {}{}",
            ListClause(" ", list(&self.deletions)),
            self.table,
            Clause(" USING TIMESTAMP ", self.timestamp.as_ref()),
            conjunction(&self.relations),
            Clause(" IF ", self.condition.as_ref()),
        )
    }
}

impl Display for Deletion {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(column) => column.fmt(formatter),
            Self::Element(column, key) => write!(formatter, "{column}[{key}]"),
            Self::Field(column, field) => write!(formatter, "{column}.{field}"),
        }
    }
}

impl Display for Batch {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            BatchKind::Logged => "",
            BatchKind::Unlogged => "UNLOGGED ",
            BatchKind::Counter => "COUNTER ",
        };
        write!(formatter, "BEGIN {kind}BATCH{}", self.using)?;
        for statement in &self.statements {
            write!(formatter, " {statement};")?;
        }
        formatter.write_str(" APPLY BATCH")
    }
}
