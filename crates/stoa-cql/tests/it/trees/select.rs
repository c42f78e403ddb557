//! Random selections.

use stoa_cql::ast::{
    ArithmeticOperator, CellFact, NativeType, OrderBy, OrderDirection, OrderExpression, Select,
    SelectedItem, Selection, Selector, Term,
};

use super::term::{cql_type, integer_or_marker, literal, marker, relation, term};
use super::{column, name, qualified};
use crate::choices::Choices;

pub(crate) fn select(choices: &mut Choices) -> Select {
    Select {
        is_json: choices.yes(),
        is_distinct: choices.yes(),
        selection: selection(choices),
        from: qualified(choices),
        relations: choices.list(0, relation),
        group_by: choices.list(0, selector),
        order_by: choices.list(0, order_by),
        per_partition_limit: choices.maybe(integer_or_marker),
        limit: choices.maybe(integer_or_marker),
        allow_filtering: choices.yes(),
    }
}

pub(crate) fn selection(choices: &mut Choices) -> Selection {
    if choices.yes() {
        return Selection::All;
    }
    Selection::Items(choices.list(1, |choices| SelectedItem {
        selector: selector(choices),
        alias: choices.maybe(name),
    }))
}

fn order_by(choices: &mut Choices) -> OrderBy {
    OrderBy {
        column: column(choices),
        expression: match choices.yes() {
            true => OrderExpression::NearestTo(term(choices)),
            false => OrderExpression::Column,
        },
        direction: match choices.yes() {
            true => OrderDirection::Ascending,
            false => OrderDirection::Descending,
        },
    }
}

/// A sum, in the widest sense.
fn selector(choices: &mut Choices) -> Selector {
    choices.inside(|choices| match choices.way(1, 3) {
        1 => arithmetic(
            choices.one_of(&[ArithmeticOperator::Add, ArithmeticOperator::Subtract]),
            selector(choices),
            product(choices),
        ),
        _ => product(choices),
    })
}

fn product(choices: &mut Choices) -> Selector {
    choices.inside(|choices| match choices.way(1, 3) {
        1 => arithmetic(
            choices.one_of(&[
                ArithmeticOperator::Multiply,
                ArithmeticOperator::Divide,
                ArithmeticOperator::Remainder,
            ]),
            product(choices),
            group(choices),
        ),
        _ => group(choices),
    })
}

fn arithmetic(operator: ArithmeticOperator, left: Selector, right: Selector) -> Selector {
    Selector::Arithmetic {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    }
}

fn group(choices: &mut Choices) -> Selector {
    choices.inside(|choices| match choices.way(1, 4) {
        1 => Selector::Negation(Box::new(group(choices))),
        2 => {
            let base = base(choices);
            modified(base, choices)
        }
        _ => base(choices),
    })
}

fn modified(base: Selector, choices: &mut Choices) -> Selector {
    (0..choices.below(3)).fold(base, |of, _| {
        let of = Box::new(of);
        match choices.below(3) {
            0 => Selector::Field(of, name(choices)),
            1 => Selector::Element(of, term(choices)),
            _ => {
                let (from, to) = match choices.below(3) {
                    0 => (Some(term(choices)), None),
                    1 => (None, Some(term(choices))),
                    _ => (Some(term(choices)), Some(term(choices))),
                };
                Selector::Slice { of, from, to }
            }
        }
    })
}

fn base(choices: &mut Choices) -> Selector {
    choices.inside(|choices| match choices.way(5, 13) {
        0 => Selector::Column(name(choices)),
        1 => Selector::Term(Term::Literal(literal(choices))),
        2 => Selector::Term(Term::Null),
        3 => Selector::Term(Term::Marker(marker(choices))),
        4 => Selector::CountRows,
        5 => Selector::Function {
            name: qualified(choices),
            arguments: choices.list(0, selector),
        },
        6 => Selector::Cast(
            Box::new(selector(choices)),
            choices.one_of(&NativeType::ALL),
        ),
        7 => {
            let fact = choices.one_of(&[
                CellFact::WriteTime,
                CellFact::MaxWriteTime,
                CellFact::TimeToLive,
            ]);
            let column = Selector::Column(name(choices));
            Selector::CellFact(fact, Box::new(modified(column, choices)))
        }
        8 => Selector::TypeHint(cql_type(choices), Box::new(base(choices))),
        9 => Selector::Parenthesized(choices.list(1, selector)),
        10 => Selector::ListOrVector(choices.list(0, selector)),
        11 => Selector::SetOrEmptyMap(choices.list(0, selector)),
        _ => Selector::MapOrUserType(
            choices.list(1, |choices| (selector(choices), selector(choices))),
        ),
    })
}
