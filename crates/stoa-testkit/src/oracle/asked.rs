//! What a statement asks for, as far as the reviewed exceptions look at it.

use stoa_cql::ast::{
    Condition, Modification, QualifiedName, Relation, Select, Statement, UpdateCondition,
};
use stoa_cql::parse_statement;

use crate::conformance::Step;

use super::comparison::Given;
use super::tables::{Column, Index, Place, Table, Tables, table_of};

/// A statement beside the tables it is about.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    text: &'a str,
    statement: Option<Statement>,
    tables: &'a Tables,
}

/// Whether a text may change something: it is no SELECT.
#[must_use]
pub fn is_write(text: &str) -> bool {
    !matches!(parse_statement(text), Ok(Statement::Select(_)))
}

impl<'a> Asked<'a> {
    pub(super) fn new(step: &'a Step, tables: &'a Tables) -> Self {
        Self {
            text: &step.statement,
            statement: parse_statement(&step.statement).ok(),
            tables,
        }
    }

    pub(super) fn select(&self) -> Option<&Select> {
        match &self.statement {
            Some(Statement::Select(select)) => Some(select),
            _ => None,
        }
    }

    /// The table that is read.
    pub(super) fn table(&self) -> Option<&'a Table> {
        self.tables.get(&self.select()?.from)
    }

    /// The columns that WHERE names, by their names.
    pub(super) fn filtered(&self) -> Vec<(&str, &'a Column)> {
        let (Some(select), Some(table)) = (self.select(), self.table()) else {
            return Vec::new();
        };
        let relations = select.relations.iter();
        let relations = relations.filter(|it| !matches!(it, Relation::Token { .. }));
        let names = relations.flat_map(Relation::columns);
        let columns = names.filter_map(|name| {
            let column = table.columns.get(name.as_str())?;
            Some((name.as_str(), column))
        });
        columns.collect()
    }

    /// Whether WHERE names a column that fits.
    pub(super) fn filters(&self, fits: impl Fn(&Column) -> bool) -> bool {
        self.filtered().iter().any(|(_, column)| fits(column))
    }

    pub(super) fn filters_static(&self) -> bool {
        self.filters(|it| it.place == Place::Static)
    }

    /// Whether a column that WHERE names has an index that fits.
    pub(super) fn has_index(&self, fits: impl Fn(&Index, &Column) -> bool) -> bool {
        let filtered = self.filtered();
        let is_asked = |index: &Index| {
            let mut filtered = filtered.iter();
            filtered.any(|(name, column)| *name == index.column && fits(index, column))
        };
        let table = self.table();
        table.is_some_and(|it| it.indexes.iter().any(is_asked))
    }

    /// Whether CONTAINS or CONTAINS KEY asks for elements of a column that fits.
    pub(super) fn asks_element(&self, fits: impl Fn(&str, &Column) -> bool) -> bool {
        let (Some(select), Some(table)) = (self.select(), self.table()) else {
            return false;
        };
        let asked = select
            .relations
            .iter()
            .filter_map(|relation| match relation {
                Relation::Contains { column, .. } | Relation::ContainsKey { column, .. } => {
                    Some(column.as_str())
                }
                _ => None,
            });
        let mut asked = asked.filter_map(|name| Some((name, table.columns.get(name)?)));
        asked.any(|(name, column)| fits(name, column))
    }

    pub(super) fn has_groups(&self) -> bool {
        self.select().is_some_and(|it| !it.group_by.is_empty())
    }

    pub(super) fn has_limit(&self) -> bool {
        let limits = |it: &Select| it.limit.is_some() || it.per_partition_limit.is_some();
        self.select().is_some_and(limits)
    }

    /// Whether many rows become one.
    fn is_sum(&self) -> bool {
        let aggregates = ["count(", "min(", "max(", "sum(", "avg("];
        aggregates.iter().any(|it| self.text.contains(it))
    }

    /// Whether the judge found fewer rows: it answers fewer, or sums of them differ, or it does
    /// not agree with itself in pages.
    pub(super) fn has_fewer(&self, theirs: &Given, ours: &Given) -> bool {
        match (theirs.rows(), ours.rows()) {
            (Some(theirs), Some(ours)) => theirs < ours || self.is_sum() && theirs == ours,
            (None, Some(_)) => matches!(theirs, Given::Problem(_)),
            _ => false,
        }
    }

    /// The conditions of a write, or of a batch, each with its column.
    pub(super) fn conditions(&self) -> Vec<(&Condition, &'a Column)> {
        let guards: Vec<Guard<'_>> = match &self.statement {
            Some(Statement::Update(it)) => vec![(&it.table, it.condition.as_ref())],
            Some(Statement::Delete(it)) => vec![(&it.table, it.condition.as_ref())],
            Some(Statement::Batch(batch)) => batch.statements.iter().map(guard_of).collect(),
            _ => Vec::new(),
        };
        let mut found = Vec::new();
        for (table, guard) in guards {
            let (Some(table), Some(UpdateCondition::All(all))) = (self.tables.get(table), guard)
            else {
                continue;
            };
            for condition in all {
                if let Some(column) = table.columns.get(condition.column.as_str()) {
                    found.push((condition, column));
                }
            }
        }
        found
    }
}

/// A table and what a write to it is bound to.
type Guard<'a> = (&'a QualifiedName, Option<&'a UpdateCondition>);

fn guard_of(part: &Modification) -> Guard<'_> {
    let guard = match part {
        Modification::Update(it) => it.condition.as_ref(),
        Modification::Delete(it) => it.condition.as_ref(),
        Modification::Insert(_) | Modification::InsertJson(_) => None,
    };
    (table_of(part), guard)
}
