//! Random terms, types and relations.

use stoa_cql::ast::{
    ArithmeticOperator, Comparison, CqlType, InValues, Literal, LiteralKind, Marker, NativeType,
    Relation, Term,
};

use super::{column, name, qualified, text};
use crate::choices::Choices;

pub(crate) fn literal(choices: &mut Choices) -> Literal {
    let (kind, text) = match choices.below(14) {
        0 => (LiteralKind::Integer, "1"),
        1 => (LiteralKind::Integer, "-12345678901234567890123"),
        2 => (LiteralKind::Float, "1."),
        3 => (LiteralKind::Float, "-1.5e-3"),
        4 => (LiteralKind::Float, "NaN"),
        5 => (LiteralKind::Float, "-Infinity"),
        6 => (LiteralKind::Boolean, "TRUE"),
        7 => (LiteralKind::Hex, "0x"),
        8 => (LiteralKind::Hex, "0xCAfe"),
        9 => (LiteralKind::Uuid, "C0ffee00-c0ff-eec0-ffee-c0ffeec0ffee"),
        10 => (LiteralKind::Duration, "-1y2mo"),
        11 => (LiteralKind::Duration, "P0001-02-03T04:05:06"),
        _ => {
            return Literal {
                kind: LiteralKind::String,
                text: text(choices),
            };
        }
    };
    Literal {
        kind,
        text: text.into(),
    }
}

/// A marker whose index is not yet known.
pub(crate) fn marker(choices: &mut Choices) -> Marker {
    Marker {
        index: 0,
        name: choices.maybe(name),
    }
}

pub(crate) fn integer_or_marker(choices: &mut Choices) -> Term {
    if choices.yes() {
        return Term::Marker(marker(choices));
    }
    Term::Literal(Literal {
        kind: LiteralKind::Integer,
        text: "7".into(),
    })
}

/// A sum, in the widest sense.
pub(crate) fn term(choices: &mut Choices) -> Term {
    choices.inside(|choices| match choices.way(1, 3) {
        0 => product(choices),
        1 => arithmetic(
            choices.one_of(&[ArithmeticOperator::Add, ArithmeticOperator::Subtract]),
            term(choices),
            product(choices),
        ),
        _ => simple(choices),
    })
}

fn product(choices: &mut Choices) -> Term {
    choices.inside(|choices| match choices.way(2, 4) {
        0 => simple(choices),
        1 => Term::Negation(Box::new(simple(choices))),
        2 => simple(choices),
        _ => arithmetic(
            choices.one_of(&[
                ArithmeticOperator::Multiply,
                ArithmeticOperator::Divide,
                ArithmeticOperator::Remainder,
            ]),
            product(choices),
            simple(choices),
        ),
    })
}

fn arithmetic(operator: ArithmeticOperator, left: Term, right: Term) -> Term {
    Term::Arithmetic {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    }
}

fn simple(choices: &mut Choices) -> Term {
    choices.inside(|choices| match choices.way(3, 12) {
        0 => Term::Literal(literal(choices)),
        1 => Term::Null,
        2 => Term::Marker(marker(choices)),
        3 => Term::ListOrVector(choices.list(0, term)),
        4 => Term::SetOrEmptyMap(choices.list(0, term)),
        5 => Term::Map(choices.list(1, |choices| (term(choices), term(choices)))),
        6 => Term::UserType(choices.list(1, |choices| (name(choices), term(choices)))),
        7 | 8 => Term::Tuple(choices.list(1, term)),
        9 => Term::Function {
            name: qualified(choices),
            arguments: choices.list(0, term),
        },
        10 => Term::Cast(Box::new(simple(choices)), choices.one_of(&NativeType::ALL)),
        _ => Term::TypeHint(cql_type(choices), Box::new(simple(choices))),
    })
}

pub(crate) fn cql_type(choices: &mut Choices) -> CqlType {
    choices.inside(|choices| match choices.way(3, 9) {
        0 => CqlType::Native(choices.one_of(&NativeType::ALL)),
        1 => CqlType::Custom("org.apache.cassandra.db.marshal.Int32Type".to_owned()),
        2 => CqlType::UserType(qualified(choices)),
        3 => CqlType::List(Box::new(cql_type(choices))),
        4 => CqlType::Set(Box::new(cql_type(choices))),
        5 => CqlType::Map(Box::new(cql_type(choices)), Box::new(cql_type(choices))),
        6 => CqlType::Tuple(choices.list(1, cql_type)),
        7 => CqlType::Vector(Box::new(cql_type(choices)), 3),
        _ => CqlType::Frozen(Box::new(CqlType::Tuple(choices.list(1, cql_type)))),
    })
}

pub(crate) fn comparison(choices: &mut Choices) -> Comparison {
    choices.one_of(&[
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ])
}

pub(crate) fn in_values(choices: &mut Choices) -> InValues {
    if choices.yes() {
        InValues::List(choices.list(0, term))
    } else {
        InValues::Marker(marker(choices))
    }
}

fn tuple(choices: &mut Choices) -> Term {
    Term::Tuple(choices.list(1, term))
}

pub(crate) fn relation(choices: &mut Choices) -> Relation {
    match choices.below(12) {
        0 => Relation::Column {
            column: column(choices),
            comparison: comparison(choices),
            value: term(choices),
        },
        1 => Relation::In {
            column: column(choices),
            values: in_values(choices),
        },
        2 => Relation::Contains {
            column: column(choices),
            value: term(choices),
        },
        3 => Relation::ContainsKey {
            column: column(choices),
            key: term(choices),
        },
        4 => Relation::Like {
            column: column(choices),
            pattern: term(choices),
        },
        5 => Relation::IsNotNull(column(choices)),
        6 => Relation::Element {
            column: column(choices),
            key: term(choices),
            comparison: comparison(choices),
            value: term(choices),
        },
        7 => Relation::Token {
            columns: choices.list(1, column),
            comparison: comparison(choices),
            value: term(choices),
        },
        8 => Relation::IndexExpression {
            index: name(choices),
            value: term(choices),
        },
        9 => Relation::Columns {
            columns: choices.list(1, column),
            comparison: comparison(choices),
            value: match choices.yes() {
                true => tuple(choices),
                false => Term::Marker(marker(choices)),
            },
        },
        10 => Relation::ColumnsIn {
            columns: choices.list(1, column),
            values: InValues::List(choices.list(0, tuple)),
        },
        _ => Relation::ColumnsIn {
            columns: choices.list(1, column),
            values: match choices.yes() {
                true => InValues::List(choices.list(0, |choices| Term::Marker(marker(choices)))),
                false => InValues::Marker(marker(choices)),
            },
        },
    }
}
