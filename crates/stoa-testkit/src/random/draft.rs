//! A statement while it is written: its text, its values, how it is to be executed.

use crate::rng::Rng;

use super::term::Term;

/// How values stand in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// In its text.
    Literal,
    /// Mostly bound to variables.
    Bound,
}

/// A statement while it is written.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) text: String,
    bound: Vec<String>,
    values: Values,
    /// Lines after the statement, without their `@`.
    pub(super) directives: Vec<String>,
}

/// How often of a hundred times a value of a statement with variables is bound.
const BOUND_PERCENT: u32 = 80;

impl Draft {
    pub(super) fn new(values: Values) -> Self {
        Self {
            text: String::new(),
            bound: Vec::new(),
            values,
            directives: Vec::new(),
        }
    }

    /// Adds words.
    pub(super) fn add(&mut self, words: &str) {
        self.text.push_str(words);
    }

    /// Adds a value, as a literal or a variable.
    pub(super) fn value(&mut self, rng: &mut Rng, term: &Term) {
        match self.values == Values::Bound && rng.chance(BOUND_PERCENT) {
            true => self.bind(&term.bound()),
            false => self.add(&term.literal()),
        }
    }

    /// Adds a variable with what is bound to it; whether there may be variables.
    pub(super) fn try_bind(&mut self, term: &str) -> bool {
        let may_bind = self.values == Values::Bound;
        if may_bind {
            self.bind(term);
        }
        may_bind
    }

    fn bind(&mut self, term: &str) {
        self.add("?");
        self.bound.push(term.to_owned());
    }

    /// Adds several values in brackets, or as one variable.
    pub(super) fn several(&mut self, rng: &mut Rng, terms: &[Term]) {
        if self.values == Values::Bound && rng.chance(40) {
            self.bind(&Term::Sequence(terms.to_vec()).bound());
            return;
        }
        self.add("(");
        self.listed(rng, terms);
        self.add(")");
    }

    /// Adds several values with commas between.
    pub(super) fn listed(&mut self, rng: &mut Rng, terms: &[Term]) {
        for (position, term) in terms.iter().enumerate() {
            if position > 0 {
                self.add(", ");
            }
            self.value(rng, term);
        }
    }

    /// Adds another statement, values and all.
    pub(super) fn append(&mut self, other: &Self) {
        self.add(&other.text);
        self.bound.extend(other.bound.iter().cloned());
    }

    pub(super) fn direct(&mut self, line: String) {
        self.directives.push(line);
    }

    /// The line that binds its variables, if it has any, and the others.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.bound.is_empty() {
            lines.push(format!("bind {}", self.bound.join(", ")));
        }
        lines.extend(self.directives.iter().cloned());
        lines
    }

    pub(super) fn is_bound(&self) -> bool {
        !self.bound.is_empty()
    }
}
