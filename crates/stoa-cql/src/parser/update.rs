//! `UPDATE`.

use std::collections::{HashMap, HashSet};

use super::Parser;
use super::failure::Parsed;
use crate::ast::{Assignment, Literal, LiteralKind, Name, Operation, Term, Update};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn update(&mut self) -> Parsed<Update> {
        self.expect_keyword(Keyword::Update)?;
        let table = self.table_name()?;
        let using = self.optional_using()?;
        self.expect_keyword(Keyword::Set)?;
        let assignments = self.list(Self::assignment)?;
        if let Some(column) = first_contradiction(&assignments)
            && !self.is_name_at(0)
        {
            return self.refuse(format!(
                "Multiple incompatible setting of column {}",
                column.as_str()
            ));
        }
        let relations = self.relations()?;
        let condition = self.optional_update_condition()?;
        Ok(Update {
            table,
            using,
            assignments,
            relations,
            condition,
        })
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let column = self.column_name()?;
        let operation = match self.peek() {
            TokenKind::Equal => {
                self.advance();
                self.right_side(&column)?
            }
            TokenKind::PlusEqual => {
                self.advance();
                Operation::Add(self.term()?)
            }
            TokenKind::MinusEqual => {
                self.advance();
                Operation::Subtract(self.term()?)
            }
            TokenKind::OpenBracket => {
                let key = self.element_key()?;
                self.expect(TokenKind::Equal)?;
                let value = self.term()?;
                Operation::SetElement { key, value }
            }
            TokenKind::Dot => {
                self.advance();
                let field = self.name()?;
                self.expect(TokenKind::Equal)?;
                let value = self.term()?;
                Operation::SetField { field, value }
            }
            _ => return self.unexpected(),
        };
        Ok(Assignment { column, operation })
    }

    /// What stands behind `column =`.
    fn right_side(&mut self, column: &Name) -> Parsed<Operation> {
        if !self.is_column_name_at(0) {
            return self.value_or_prepend(column);
        }
        match self.peek_at(1) {
            TokenKind::OpenParenthesis | TokenKind::Dot => self.value_or_prepend(column),
            TokenKind::Plus => {
                let named = self.column_name()?;
                self.advance();
                let term = self.term()?;
                self.check_same(column, &named, "X = X +<value>")?;
                Ok(Operation::Add(term))
            }
            TokenKind::Minus => {
                let named = self.column_name()?;
                self.advance();
                let term = self.term()?;
                self.check_same(column, &named, "X = X -<value>")?;
                Ok(Operation::Subtract(term))
            }
            TokenKind::Integer => {
                let named = self.column_name()?;
                self.added_integer(column, &named)
            }
            _ => self.unexpected_at(1),
        }
    }

    /// `a = a -3` has no minus: the lexer gives `-3`, which is added.
    fn added_integer(&mut self, column: &Name, named: &Name) -> Parsed<Operation> {
        let text = self.token_text();
        self.advance();
        let form = if text.starts_with('-') {
            "X = X - <value>"
        } else {
            "X = X + <value>"
        };
        self.check_same(column, named, form)?;
        Ok(Operation::Add(Term::Literal(Literal {
            kind: LiteralKind::Integer,
            text: text.into(),
        })))
    }

    fn value_or_prepend(&mut self, column: &Name) -> Parsed<Operation> {
        let term = self.term()?;
        if !self.take(TokenKind::Plus) {
            return Ok(Operation::Set(term));
        }
        let named = self.column_name()?;
        self.check_same(column, &named, "X = <value> + X")?;
        Ok(Operation::Prepend(term))
    }

    fn check_same(&self, column: &Name, named: &Name, form: &str) -> Parsed<()> {
        if column == named {
            return Ok(());
        }
        if self.is_name_at(0) {
            return self.unexpected();
        }
        self.refuse(format!(
            "Only expressions of the form {form} are supported."
        ))
    }
}

/// The first column for which two assignments contradict each other, as `Operation.java` has it:
/// a column that is set as a whole stands alone, and a field is set once.
fn first_contradiction(assignments: &[Assignment]) -> Option<&Name> {
    if assignments.len() < 2 {
        return None;
    }
    let mut is_set: HashMap<&Name, bool> = HashMap::with_capacity(assignments.len());
    let mut fields = HashSet::new();
    for Assignment { column, operation } in assignments {
        let is_whole = matches!(operation, Operation::Set(_));
        let before = is_set.insert(column, is_whole);
        let is_second_setting = before.is_some_and(|was_whole| was_whole || is_whole);
        let is_second_field = match operation {
            Operation::SetField { field, .. } => !fields.insert((column, field)),
            _ => false,
        };
        if is_second_setting || is_second_field {
            return Some(column);
        }
    }
    None
}
