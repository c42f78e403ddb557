//! Selectors: what may be selected, and grouped by.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{ArithmeticOperator, Name, SelectedItem, Selection, Selector, Term};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `*`, or a list.
    pub(super) fn selection(&mut self) -> Parsed<Selection> {
        if self.take(TokenKind::Star) {
            return Ok(Selection::All);
        }
        self.list(Self::selected_item).map(Selection::Items)
    }

    fn selected_item(&mut self) -> Parsed<SelectedItem> {
        let selector = self.selector()?;
        let alias = if self.take_keyword(Keyword::As) {
            Some(self.name()?)
        } else {
            None
        };
        Ok(SelectedItem { selector, alias })
    }

    /// Any selector: a sum, in the widest sense.
    pub(super) fn selector(&mut self) -> Parsed<Selector> {
        if self.depth == 0 {
            self.operators = 0;
        }
        let mut left = self.selector_product()?;
        loop {
            let operator = match self.peek() {
                TokenKind::Plus => ArithmeticOperator::Add,
                TokenKind::Minus => ArithmeticOperator::Subtract,
                _ => return Ok(left),
            };
            self.advance();
            self.count_operator()?;
            let right = self.selector_product()?;
            left = arithmetic(operator, left, right);
        }
    }

    fn selector_product(&mut self) -> Parsed<Selector> {
        let mut left = self.selector_group()?;
        loop {
            let operator = match self.peek() {
                TokenKind::Star => ArithmeticOperator::Multiply,
                TokenKind::Slash => ArithmeticOperator::Divide,
                TokenKind::Percent => ArithmeticOperator::Remainder,
                _ => return Ok(left),
            };
            self.advance();
            self.count_operator()?;
            let right = self.selector_group()?;
            left = arithmetic(operator, left, right);
        }
    }

    /// A selector with its sign, fields and elements.
    fn selector_group(&mut self) -> Parsed<Selector> {
        if self.take(TokenKind::Minus) {
            let negated = self.nested(Self::selector_group)?;
            return Ok(Selector::Negation(Box::new(negated)));
        }
        let base = self.selector_base()?;
        if !matches!(self.peek(), TokenKind::Dot | TokenKind::OpenBracket) {
            return Ok(base);
        }
        // Where a field or an element does not fit, ANTLR takes the selector without it, and then
        // stumbles over the dot or bracket.
        let modifiers = self.attempt(|parser| {
            let modifiers = parser.modifiers()?;
            if parser.is_after_modifiers() {
                Ok(modifiers)
            } else {
                parser.unexpected()
            }
        })?;
        Ok(modified(base, modifiers.unwrap_or_default()))
    }

    /// Fields and elements, as many as there are.
    pub(super) fn modifiers(&mut self) -> Parsed<Vec<Modifier>> {
        let mut modifiers = Vec::new();
        loop {
            match self.peek() {
                TokenKind::Dot => {
                    self.advance();
                    modifiers.push(Modifier::Field(self.name()?));
                }
                TokenKind::OpenBracket => {
                    self.advance();
                    modifiers.push(self.nested(Self::element_or_slice)?);
                    self.expect(TokenKind::CloseBracket)?;
                }
                _ => return Ok(modifiers),
            }
            self.count_operator()?;
        }
    }

    /// What stands between the brackets.
    fn element_or_slice(&mut self) -> Parsed<Modifier> {
        if self.take(TokenKind::Range) {
            let to = Some(self.term()?);
            return Ok(Modifier::Slice { from: None, to });
        }
        let from = self.term()?;
        if !self.take(TokenKind::Range) {
            return Ok(Modifier::Element(from));
        }
        let to = match self.peek() {
            TokenKind::CloseBracket => None,
            _ => Some(self.term()?),
        };
        Ok(Modifier::Slice {
            from: Some(from),
            to,
        })
    }

    /// Whether the next token can stand behind a field or an element anywhere.
    ///
    /// A semicolon cannot: Cassandra's grammar has `GROUP BY a.b` but not `GROUP BY a.b;`.
    fn is_after_modifiers(&self) -> bool {
        self.is_after_column_at(0) && !self.at(TokenKind::Semicolon)
    }
}

/// A field, element or slice of what stands before it.
pub(super) enum Modifier {
    Field(Name),
    Element(Term),
    Slice {
        from: Option<Term>,
        to: Option<Term>,
    },
}

/// A selector with its fields and elements.
pub(super) fn modified(base: Selector, modifiers: Vec<Modifier>) -> Selector {
    modifiers.into_iter().fold(base, |of, modifier| {
        let of = Box::new(of);
        match modifier {
            Modifier::Field(name) => Selector::Field(of, name),
            Modifier::Element(key) => Selector::Element(of, key),
            Modifier::Slice { from, to } => Selector::Slice { of, from, to },
        }
    })
}

fn arithmetic(operator: ArithmeticOperator, left: Selector, right: Selector) -> Selector {
    Selector::Arithmetic {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    }
}
