//! From a write of the tree to one resolved against its table.

use std::sync::Arc;

use stoa_cql::ast;

use super::attributes::Attributes;
use super::condition::Condition;
use super::operation::Operation;
use super::{Kind, Modification};
use crate::catalog::{Column, ColumnKind, KeyspaceKind, Table};
use crate::refusal::{Refusal, RefusalKind};
use crate::restrict::plan::{About, Purpose, Where};
use crate::restrict::relation::{find_column, receiver_of};
use crate::terms::{self, Context, Variables};

/// Resolves writes.
pub(crate) struct Preparing<'a, 's> {
    pub(crate) table: &'a Arc<Table>,
    pub(crate) context: &'a Context<'s>,
    pub(crate) variables: &'a mut Variables,
}

impl Preparing<'_, '_> {
    /// Resolves an `INSERT`.
    pub(crate) fn insert(&mut self, insert: &ast::Insert) -> Result<Modification, Refusal> {
        check_writable(self.table)?;
        check_insertable(self.table)?;
        if insert.columns.len() != insert.values.len() {
            return Err(Refusal::invalid("Unmatched column names/values"));
        }
        if insert.columns.is_empty() {
            return Err(Refusal::invalid("No columns provided to INSERT"));
        }
        let mut seen: Vec<usize> = Vec::new();
        let (mut key, mut operations) = (Vec::new(), Vec::new());
        for (name, value) in insert.columns.iter().zip(&insert.values) {
            let (at, column) = find_column(self.table, name)?;
            if seen.contains(&at) {
                return Err(Refusal::invalid("The column names contains duplicates"));
            }
            seen.push(at);
            if let (ColumnKind::PartitionKey, ast::Term::Marker(marker)) = (column.kind, value) {
                self.variables
                    .note_partition_key(column.position, marker.index);
            }
            let term = terms::prepare(value, &receiver_of(column), self.context, self.variables)?;
            match column.is_key() {
                true => key.push((at, term)),
                false => operations.push((at, Operation::Set(term))),
            }
        }
        let names_clustering = key.iter().any(|(at, _)| is_clustering(self.table, *at));
        let only_static = !names_clustering && self.only_static(&operations);
        let attributes = self.using(&insert.using)?;
        let condition = match insert.if_not_exists {
            true => Condition::NotExists,
            false => Condition::None,
        };
        let rows = Where::of_key(key, self.table, only_static)?;
        self.finish(Modification {
            table: Arc::clone(self.table),
            kind: Kind::Insert,
            rows,
            operations,
            attributes,
            condition,
            only_static,
        })
    }

    /// Resolves an `UPDATE`.
    pub(crate) fn update(&mut self, update: &ast::Update) -> Result<Modification, Refusal> {
        check_writable(self.table)?;
        let attributes = self.using(&update.using)?;
        let reads_before = update.condition.is_some();
        let mut operations = Vec::with_capacity(update.assignments.len());
        for assignment in &update.assignments {
            let (at, column) = find_column(self.table, &assignment.column)?;
            if column.is_key() {
                return Err(Refusal::invalid(format!(
                    "PRIMARY KEY part {} found in SET part",
                    column.name
                )));
            }
            let operation = Operation::assignment(
                assignment,
                column,
                reads_before,
                self.context,
                self.variables,
            )?;
            operations.push((at, operation));
        }
        let (rows, condition, only_static) = self.rows(
            Purpose::Update,
            &update.relations,
            update.condition.as_ref(),
            &operations,
        )?;
        self.finish(Modification {
            table: Arc::clone(self.table),
            kind: Kind::Update,
            rows,
            operations,
            attributes,
            condition,
            only_static,
        })
    }

    /// Resolves a `DELETE`.
    pub(crate) fn delete(&mut self, delete: &ast::Delete) -> Result<Modification, Refusal> {
        check_writable(self.table)?;
        let mut operations = Vec::with_capacity(delete.deletions.len());
        for deletion in &delete.deletions {
            let name = match deletion {
                ast::Deletion::Column(name)
                | ast::Deletion::Element(name, _)
                | ast::Deletion::Field(name, _) => name,
            };
            let (at, column) = find_column(self.table, name)?;
            if column.is_key() {
                return Err(Refusal::invalid(format!(
                    "Invalid identifier {} for deletion (should not be a PRIMARY KEY part)",
                    column.name
                )));
            }
            let operation = Operation::deletion(deletion, column, self.context, self.variables)?;
            operations.push((at, operation));
        }
        let timestamp = delete.timestamp.as_ref();
        let attributes = Attributes::new(timestamp, None, self.context, self.variables)?;
        let (rows, condition, only_static) = self.rows(
            Purpose::Delete,
            &delete.relations,
            delete.condition.as_ref(),
            &operations,
        )?;
        let deletion = Modification {
            table: Arc::clone(self.table),
            kind: Kind::Delete,
            rows,
            operations,
            attributes,
            condition,
            only_static,
        };
        check_deletion(&deletion)?;
        self.finish(deletion)
    }

    fn using(&mut self, using: &ast::Using) -> Result<Attributes, Refusal> {
        let (timestamp, ttl) = (using.timestamp(), using.time_to_live());
        Attributes::new(timestamp, ttl, self.context, self.variables)
    }

    /// Which rows an update or deletion is about, and on which condition.
    fn rows(
        &mut self,
        purpose: Purpose,
        relations: &[ast::Relation],
        condition: Option<&ast::UpdateCondition>,
        operations: &[(usize, Operation)],
    ) -> Result<(Where, Condition, bool), Refusal> {
        let condition = Condition::new(condition, self.table, self.context, self.variables)?;
        let is_static = |at: usize| self.table.columns.get(at).is_some_and(Column::is_static);
        let only_static = self.only_static(operations)
            && condition.columns().iter().all(|it| is_static(it.column));
        let about = About {
            purpose,
            only_static,
            allow_filtering: false,
            is_nearest: false,
        };
        let rows = Where::new(relations, self.table, about, self.context, self.variables)?;
        Ok((rows, condition, only_static))
    }

    fn only_static(&self, operations: &[(usize, Operation)]) -> bool {
        let is_static = |at: usize| self.table.columns.get(at).is_some_and(Column::is_static);
        !operations.is_empty() && operations.iter().all(|(at, _)| is_static(*at))
    }

    /// What is refused in every kind of write.
    fn finish(&self, write: Modification) -> Result<Modification, Refusal> {
        check(&write)?;
        Ok(write)
    }
}

/// What is refused in every kind of write.
pub(crate) fn check(write: &Modification) -> Result<(), Refusal> {
    if write.table.is_counter() {
        if write.attributes.has_timestamp() {
            return Err(Refusal::invalid(
                "Cannot provide custom timestamp for counter updates",
            ));
        }
        if write.attributes.has_ttl() {
            return Err(Refusal::invalid(
                "Cannot provide custom TTL for counter updates",
            ));
        }
        if write.is_conditional() {
            return Err(Refusal::invalid(
                "Conditional updates are not supported on counter tables",
            ));
        }
    }
    if !write.is_conditional() {
        return Ok(());
    }
    if write.attributes.has_timestamp() {
        return Err(Refusal::invalid(
            "Cannot provide custom timestamp for conditional updates",
        ));
    }
    let what = match write.kind {
        Kind::Delete => "deletions",
        Kind::Insert | Kind::Update => "updates",
    };
    if write.rows.has_partition_in() {
        return Err(Refusal::invalid(format!(
            "IN on the partition key is not supported with conditional {what}"
        )));
    }
    if write.rows.has_clustering_in() {
        return Err(Refusal::invalid(format!(
            "IN on the clustering key columns is not supported with conditional {what}"
        )));
    }
    Ok(())
}

/// A deletion of columns, or on a condition, names whole rows.
fn check_deletion(deletion: &Modification) -> Result<(), Refusal> {
    let table = &deletion.table;
    if deletion.rows.is_whole_key(table) {
        return Ok(());
    }
    let is_regular = |at: usize| {
        let column = table.columns.get(at);
        column.is_some_and(|it| it.kind == ColumnKind::Regular)
    };
    let deletes_regular = deletion.operations.iter().any(|(at, _)| is_regular(*at));
    if deletion.is_conditional() {
        if deletion.operations.is_empty() || deletes_regular {
            return Err(Refusal::invalid(
                "DELETE statements must restrict all PRIMARY KEY columns with equality relations in order to delete non static columns",
            ));
        }
        if deletion
            .condition
            .columns()
            .iter()
            .any(|it| is_regular(it.column))
        {
            return Err(Refusal::invalid(
                "DELETE statements must restrict all PRIMARY KEY columns with equality relations in order to use IF condition on non static columns",
            ));
        }
    }
    if deletes_regular {
        return Err(Refusal::invalid(
            "Range deletions are not supported for specific columns",
        ));
    }
    Ok(())
}

fn is_clustering(table: &Table, at: usize) -> bool {
    let column = table.columns.get(at);
    column.is_some_and(|it| it.kind == ColumnKind::Clustering)
}

/// Refuses writes to what is not made by writing to it.
pub(crate) fn check_writable(table: &Table) -> Result<(), Refusal> {
    match KeyspaceKind::of(&table.keyspace) {
        KeyspaceKind::Virtual => Err(Refusal::invalid(format!(
            "Modification is not supported by table {}.{}",
            table.keyspace, table.name
        ))),
        KeyspaceKind::Local => Err(Refusal::new(
            RefusalKind::Unauthorized,
            format!("{} keyspace is not user-modifiable.", table.keyspace),
        )),
        KeyspaceKind::User | KeyspaceKind::Replicated if table.is_view() => Err(Refusal::invalid(
            "Cannot directly modify a materialized view",
        )),
        KeyspaceKind::User | KeyspaceKind::Replicated => Ok(()),
    }
}

/// Counters are not inserted.
pub(crate) fn check_insertable(table: &Table) -> Result<(), Refusal> {
    match table.is_counter() {
        true => Err(Refusal::invalid(
            "INSERT statements are not allowed on counter tables, use UPDATE instead",
        )),
        false => Ok(()),
    }
}
