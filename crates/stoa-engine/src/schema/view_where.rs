//! The `WHERE` of a materialized view: which rows of its table it shows.
//!
//! Every key column of the view must be restricted, if only by `IS NOT NULL`; other columns by
//! `IS NOT NULL` at most. The clause is kept as text, as `system_schema.views` shows it.

use std::collections::BTreeSet;

use stoa_cql::ast::{
    Comparison, InValues, Literal, LiteralKind, Name, Relation, Select, Statement, Term,
};
use stoa_types::{DataType, ManualClock, text};

use super::alter_table::undefined_column;
use crate::catalog::{Column, ColumnKind, Table};
use crate::refusal::Refusal;
use crate::terms::literal_fits;

/// The clause as text.
pub(super) fn clause(relations: &[Relation]) -> String {
    let relations: Vec<_> = relations.iter().map(ToString::to_string).collect();
    relations.join(" AND ")
}

/// The relations of a clause that was kept as text.
///
/// # Errors
/// A clause that is no CQL: it was not written by us, or our language changed.
pub fn parse(clause: &str) -> Result<Vec<Relation>, Refusal> {
    if clause.is_empty() {
        return Ok(Vec::new());
    }
    let parsed = stoa_cql::parse_statement(&format!("SELECT * FROM t WHERE {clause}"));
    match parsed {
        Ok(Statement::Select(Select { relations, .. })) => Ok(relations),
        _ => Err(Refusal::server(format!(
            "the condition of a materialized view cannot be read: {clause}"
        ))),
    }
}

/// The clause with a column renamed.
pub(super) fn renamed(old: &str, from: &str, to: &str) -> Result<String, Refusal> {
    let mut relations = parse(old)?;
    for relation in &mut relations {
        for column in relation.columns_mut() {
            if column.as_str() == from {
                *column = Name::exact(to);
            }
        }
    }
    Ok(clause(&relations))
}

/// Refuses bind markers.
pub(super) fn refuse_markers(relations: &[Relation]) -> Result<(), Refusal> {
    let has_marker = relations.iter().any(|relation| match relation {
        Relation::In {
            values: InValues::Marker(_),
            ..
        }
        | Relation::ColumnsIn {
            values: InValues::Marker(_),
            ..
        } => true,
        _ => terms(relation).into_iter().any(is_or_has_marker),
    });
    match has_marker {
        true => Err(Refusal::invalid(
            "Bind variables are not allowed in CREATE MATERIALIZED VIEW statements",
        )),
        false => Ok(()),
    }
}

/// Refuses what the clause of a view must not say; `columns` are those of the view.
pub(super) fn validate(
    relations: &[Relation],
    base: &Table,
    columns: &[Column],
) -> Result<(), Refusal> {
    let mut restricted = BTreeSet::new();
    let mut compared = Vec::new();
    if relations
        .iter()
        .any(|it| matches!(it, Relation::Token { .. }))
    {
        return Err(Refusal::invalid(
            "Cannot use token relation when defining a materialized view",
        ));
    }
    for relation in relations {
        if matches!(relation, Relation::IndexExpression { .. }) {
            return Err(Refusal::invalid(
                "WHERE clause for materialized view cannot contain custom index expressions",
            ));
        }
        for name in relation.columns().iter().map(Name::as_str) {
            let Some(column) = base.column(name) else {
                return Err(undefined_column(base, name));
            };
            restricted.insert(name);
            if !matches!(relation, Relation::IsNotNull(_)) {
                refuse_relation(relation, column)?;
                refuse_twice(relations, name)?;
                compared.push(column);
            }
        }
    }
    let open: Vec<_> = columns
        .iter()
        .filter(|it| it.is_key() && !restricted.contains(&*it.name))
        .map(|it| &*it.name)
        .collect();
    if !open.is_empty() {
        return Err(Refusal::invalid(format!(
            "Primary key columns {} must be restricted with 'IS NOT NULL' or otherwise",
            open.join(", ")
        )));
    }
    let others: Vec<_> = compared
        .iter()
        .filter(|it| !it.is_key())
        .map(|it| &*it.name)
        .collect();
    match others.is_empty() {
        true => Ok(()),
        false => Err(Refusal::invalid(format!(
            "Non-primary key columns can only be restricted with 'IS NOT NULL' (got: {} restricted \
             illegally)",
            others.join(",")
        ))),
    }
}

/// Refuses relations that a column cannot have, and constants that are of no use for it.
fn refuse_relation(relation: &Relation, column: &Column) -> Result<(), Refusal> {
    let values: &[Term] = match relation {
        Relation::Column {
            comparison: Comparison::NotEqual,
            ..
        } => {
            return Err(Refusal::invalid(format!(
                "Unsupported \"!=\" relation: {relation}"
            )));
        }
        Relation::Like { .. } => {
            return Err(Refusal::invalid(
                "LIKE restriction is only supported on properly indexed columns",
            ));
        }
        Relation::Columns { .. } | Relation::ColumnsIn { .. }
            if column.kind != ColumnKind::Clustering =>
        {
            return Err(Refusal::invalid(format!(
                "Multi-column relations can only be applied to clustering columns but was applied \
                 to: {}",
                column.name
            )));
        }
        Relation::Column { value, .. } => std::slice::from_ref(value),
        Relation::In {
            values: InValues::List(values),
            ..
        } => values,
        _ => return Ok(()),
    };
    let wrong = values.iter().find_map(|value| match value {
        Term::Literal(literal) if !is_value(literal, &column.data_type) => Some(literal),
        _ => None,
    });
    match wrong {
        Some(literal) => Err(Refusal::invalid(format!(
            "Invalid constant ({}) for \"{}\" of type {}",
            literal.text, column.name, column.data_type
        ))),
        None => Ok(()),
    }
}

/// Refuses a column that is compared twice, but for one bound on either side.
fn refuse_twice(relations: &[Relation], column: &str) -> Result<(), Refusal> {
    let (mut equal, mut lower, mut upper) = (0, 0, 0);
    for relation in relations
        .iter()
        .filter(|it| it.columns().iter().any(|it| *it == *column))
    {
        let comparison = match relation {
            Relation::Column { comparison, .. } | Relation::Columns { comparison, .. } => {
                *comparison
            }
            Relation::In { .. } | Relation::ColumnsIn { .. } => Comparison::Equal,
            _ => continue,
        };
        match comparison {
            Comparison::Equal | Comparison::NotEqual => equal += 1,
            Comparison::Greater | Comparison::GreaterOrEqual => lower += 1,
            Comparison::Less | Comparison::LessOrEqual => upper += 1,
        }
    }
    if equal > 0 && equal + lower + upper > 1 {
        return Err(Refusal::invalid(format!(
            "{column} cannot be restricted by more than one relation if it includes an Equal"
        )));
    }
    match lower > 1 || upper > 1 {
        true => Err(Refusal::invalid(format!(
            "More than one restriction was found for a bound on {column}"
        ))),
        false => Ok(()),
    }
}

/// Whether a constant is a value of a type. What only a wider language can tell is passed.
fn is_value(literal: &Literal, data_type: &DataType) -> bool {
    let is_number_or_text = matches!(
        literal.kind,
        LiteralKind::String | LiteralKind::Integer | LiteralKind::Float
    );
    let is_custom = matches!(data_type, DataType::Custom(_));
    // Texts such as 'now' are read against a clock, whose time does not matter here.
    let clock = ManualClock::at_micros(0);
    literal_fits(literal, data_type).is_assignable()
        && (is_custom
            || !is_number_or_text
            || text::parse(data_type, &literal.text, &clock).is_ok())
}

/// The terms of a relation.
fn terms(relation: &Relation) -> Vec<&Term> {
    match relation {
        Relation::Column { value, .. }
        | Relation::Contains { value, .. }
        | Relation::ContainsKey { key: value, .. }
        | Relation::Like { pattern: value, .. }
        | Relation::Token { value, .. }
        | Relation::Columns { value, .. }
        | Relation::IndexExpression { value, .. } => vec![value],
        Relation::Element { key, value, .. } => vec![key, value],
        Relation::In { values, .. } | Relation::ColumnsIn { values, .. } => match values {
            InValues::List(terms) => terms.iter().collect(),
            InValues::Marker(_) => Vec::new(),
        },
        Relation::IsNotNull(_) => Vec::new(),
    }
}

fn is_or_has_marker(term: &Term) -> bool {
    match term {
        Term::Marker(_) => true,
        Term::Literal(_) | Term::Null => false,
        Term::ListOrVector(terms) | Term::SetOrEmptyMap(terms) | Term::Tuple(terms) => {
            terms.iter().any(is_or_has_marker)
        }
        Term::Function { arguments, .. } => arguments.iter().any(is_or_has_marker),
        Term::Map(pairs) => {
            let mut pairs = pairs.iter();
            pairs.any(|(key, value)| is_or_has_marker(key) || is_or_has_marker(value))
        }
        Term::UserType(fields) => fields.iter().any(|(_, value)| is_or_has_marker(value)),
        Term::Cast(term, _) | Term::TypeHint(_, term) | Term::Negation(term) => {
            is_or_has_marker(term)
        }
        Term::Arithmetic { left, right, .. } => is_or_has_marker(left) || is_or_has_marker(right),
    }
}
