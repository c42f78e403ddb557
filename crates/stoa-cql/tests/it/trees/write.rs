//! Random inserts, updates, deletions and batches.

use std::collections::HashSet;

use stoa_cql::ast::{
    Assignment, Batch, BatchKind, Condition, ConditionTarget, ConditionTest, Delete, Deletion,
    Insert, InsertJson, JsonDefault, Literal, LiteralKind, Modification, Operation, Statement,
    Term, Update, UpdateCondition, Using, UsingOption,
};

use super::term::{comparison, in_values, integer_or_marker, marker, relation, term};
use super::{column, name, qualified, text};
use crate::choices::Choices;

pub(crate) fn statement(choices: &mut Choices) -> Statement {
    match choices.below(5) {
        4 => Statement::Batch(Batch {
            kind: choices.one_of(&[BatchKind::Logged, BatchKind::Unlogged, BatchKind::Counter]),
            using: using(choices),
            statements: choices.list(0, modification),
        }),
        _ => modification(choices).into(),
    }
}

fn modification(choices: &mut Choices) -> Modification {
    match choices.below(4) {
        0 => Modification::Insert(Insert {
            table: qualified(choices),
            columns: choices.list(1, column),
            values: choices.list(1, term),
            if_not_exists: choices.yes(),
            using: using(choices),
        }),
        1 => Modification::InsertJson(InsertJson {
            table: qualified(choices),
            value: match choices.yes() {
                true => Term::Marker(marker(choices)),
                false => Term::Literal(Literal {
                    kind: LiteralKind::String,
                    text: text(choices),
                }),
            },
            default: choices.one_of(&[JsonDefault::Null, JsonDefault::Unset]),
            if_not_exists: choices.yes(),
            using: using(choices),
        }),
        2 => Modification::Update(Update {
            table: qualified(choices),
            using: using(choices),
            assignments: assignments(choices),
            relations: choices.list(1, relation),
            condition: choices.maybe(condition),
        }),
        _ => Modification::Delete(Delete {
            deletions: choices.list(0, deletion),
            table: qualified(choices),
            timestamp: choices.maybe(integer_or_marker),
            relations: choices.list(1, relation),
            condition: choices.maybe(condition),
        }),
    }
}

fn using(choices: &mut Choices) -> Using {
    Using(choices.list(0, |choices| match choices.yes() {
        true => UsingOption::Timestamp(integer_or_marker(choices)),
        false => UsingOption::TimeToLive(integer_or_marker(choices)),
    }))
}

/// Assignments to different columns, so that none contradicts another.
fn assignments(choices: &mut Choices) -> Vec<Assignment> {
    let mut assignments = choices.list(1, assignment);
    let mut seen = HashSet::new();
    assignments.retain(|assignment| seen.insert(assignment.column.clone()));
    assignments
}

fn assignment(choices: &mut Choices) -> Assignment {
    let operation = match choices.below(6) {
        0 => Operation::Set(term(choices)),
        1 => Operation::SetElement {
            key: term(choices),
            value: term(choices),
        },
        2 => Operation::SetField {
            field: name(choices),
            value: term(choices),
        },
        3 => Operation::Add(term(choices)),
        4 => Operation::Subtract(term(choices)),
        _ => Operation::Prepend(term(choices)),
    };
    Assignment {
        column: column(choices),
        operation,
    }
}

fn deletion(choices: &mut Choices) -> Deletion {
    match choices.below(3) {
        0 => Deletion::Column(column(choices)),
        1 => Deletion::Element(column(choices), term(choices)),
        _ => Deletion::Field(column(choices), name(choices)),
    }
}

fn condition(choices: &mut Choices) -> UpdateCondition {
    if choices.yes() {
        return UpdateCondition::Exists;
    }
    UpdateCondition::All(choices.list(1, |choices| {
        let target = match choices.below(3) {
            0 => ConditionTarget::Column,
            1 => ConditionTarget::Element(term(choices)),
            _ => ConditionTarget::Field(name(choices)),
        };
        let ways = if target == ConditionTarget::Column {
            4
        } else {
            2
        };
        let test = match choices.below(ways) {
            0 => ConditionTest::Compare(comparison(choices), term(choices)),
            1 => ConditionTest::In(in_values(choices)),
            2 => ConditionTest::Contains(term(choices)),
            _ => ConditionTest::ContainsKey(term(choices)),
        };
        Condition {
            column: column(choices),
            target,
            test,
        }
    }))
}
