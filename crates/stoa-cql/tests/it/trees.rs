//! Random trees that a text could have, of every kind of statement.

mod role;
mod schema;
mod select;
mod term;
mod write;

use stoa_cql::ast::{Name, QualifiedName, Statement};

use crate::choices::Choices;

/// Names with and without a need for quotes, and keywords of every sort.
const NAMES: [&str; 30] = [
    "a",
    "b_1",
    "A",
    "a b",
    "é",
    "\"",
    "1a",
    "_a",
    "expr",
    "json",
    "distinct",
    "key",
    "ttl",
    "count",
    "cast",
    "token",
    "writetime",
    "int",
    "date",
    "map",
    "frozen",
    "select",
    "true",
    "nan",
    "exists",
    "values",
    "byte",
    "default",
    "all",
    "p1y",
];

pub(crate) fn name(choices: &mut Choices) -> Name {
    Name::exact(choices.one_of(&NAMES))
}

/// A name that may be empty.
pub(crate) fn column(choices: &mut Choices) -> Name {
    match choices.below(8) {
        7 => Name::exact(""),
        _ => name(choices),
    }
}

pub(crate) fn qualified(choices: &mut Choices) -> QualifiedName {
    QualifiedName {
        keyspace: choices.maybe(name),
        name: name(choices),
    }
}

/// Text of strings.
pub(crate) fn text(choices: &mut Choices) -> Box<str> {
    choices
        .one_of(&["", "x", "it's", "$$", "--", "a\nb", "é;", "\"", "\0"])
        .into()
}

/// A statement of any kind.
pub(crate) fn statement(choices: &mut Choices) -> Statement {
    match choices.below(4) {
        0 => Statement::Select(select::select(choices)),
        1 => write::statement(choices),
        2 => schema::statement(choices),
        _ => role::statement(choices),
    }
}
