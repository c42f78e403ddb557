//! Selectors without operators: columns, functions, literals.

use super::Parser;
use super::failure::Parsed;
use super::selector::modified;
use crate::ast::{CellFact, Selector, Term};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// A selector without sign, fields and elements.
    pub(super) fn selector_base(&mut self) -> Parsed<Selector> {
        if let Some(literal) = self.optional_literal()? {
            return Ok(Selector::Term(Term::Literal(literal)));
        }
        let is_called = self.peek_at(1) == TokenKind::OpenParenthesis;
        match self.peek() {
            TokenKind::Keyword(Keyword::Null) => {
                self.advance();
                Ok(Selector::Term(Term::Null))
            }
            TokenKind::QuestionMark => self.selected_question_mark(),
            TokenKind::Colon => Ok(Selector::Term(Term::Marker(self.marker()?))),
            TokenKind::OpenParenthesis => self.nested(Self::selector_in_parentheses),
            TokenKind::OpenBracket => self.nested(Self::selector_list),
            TokenKind::OpenBrace => self.nested(Self::selector_in_braces),
            TokenKind::Keyword(keyword) if is_called => {
                self.nested(|parser| parser.keyword_function(keyword))
            }
            _ => self.nested(Self::column_or_function),
        }
    }

    /// `(t) a`, or `(a, b)`
    fn selector_in_parentheses(&mut self) -> Parsed<Selector> {
        if let Some(hint) = self.attempt(Self::selector_type_hint)? {
            return Ok(hint);
        }
        let selectors = self.parenthesized_list(Self::selector)?;
        Ok(Selector::Parenthesized(selectors))
    }

    fn selector_type_hint(&mut self) -> Parsed<Selector> {
        self.expect(TokenKind::OpenParenthesis)?;
        let cql_type = self.cql_type()?;
        self.expect(TokenKind::CloseParenthesis)?;
        let selector = Box::new(self.selector_base()?);
        Ok(Selector::TypeHint(cql_type, selector))
    }

    fn selector_list(&mut self) -> Parsed<Selector> {
        self.expect(TokenKind::OpenBracket)?;
        let elements = self.list_until(TokenKind::CloseBracket, Self::selector)?;
        Ok(Selector::ListOrVector(elements))
    }

    /// A set, or what may be a map or a user-defined type.
    fn selector_in_braces(&mut self) -> Parsed<Selector> {
        self.expect(TokenKind::OpenBrace)?;
        if self.take(TokenKind::CloseBrace) {
            return Ok(Selector::SetOrEmptyMap(Vec::new()));
        }
        let first = self.selector()?;
        let literal = if self.take(TokenKind::Colon) {
            let mut entries = vec![(first, self.selector()?)];
            while self.take(TokenKind::Comma) {
                let key = self.selector()?;
                self.expect(TokenKind::Colon)?;
                entries.push((key, self.selector()?));
            }
            Selector::MapOrUserType(entries)
        } else {
            let mut elements = vec![first];
            while self.take(TokenKind::Comma) {
                elements.push(self.selector()?);
            }
            Selector::SetOrEmptyMap(elements)
        };
        self.expect(TokenKind::CloseBrace)?;
        Ok(literal)
    }

    /// A keyword before a parenthesis: a function with a grammar of its own, or one like others.
    fn keyword_function(&mut self, keyword: Keyword) -> Parsed<Selector> {
        match keyword {
            Keyword::Count if self.peek_at(2) == TokenKind::Star => {
                self.advance();
                self.advance();
                self.advance();
                self.expect(TokenKind::CloseParenthesis)?;
                Ok(Selector::CountRows)
            }
            Keyword::WriteTime => self.cell_fact(CellFact::WriteTime),
            Keyword::MaxWriteTime => self.cell_fact(CellFact::MaxWriteTime),
            Keyword::Ttl => self.cell_fact(CellFact::TimeToLive),
            Keyword::Cast => {
                self.advance();
                self.advance();
                let selector = Box::new(self.selector()?);
                self.expect_keyword(Keyword::As)?;
                let native_type = self.native_type()?;
                self.expect(TokenKind::CloseParenthesis)?;
                Ok(Selector::Cast(selector, native_type))
            }
            _ => self.column_or_function(),
        }
    }

    fn cell_fact(&mut self, fact: CellFact) -> Parsed<Selector> {
        self.advance();
        self.expect(TokenKind::OpenParenthesis)?;
        let column = Selector::Column(self.name()?);
        let of = Box::new(modified(column, self.modifiers()?));
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(Selector::CellFact(fact, of))
    }

    fn column_or_function(&mut self) -> Parsed<Selector> {
        if self.check_column_or_function()? == ColumnOrFunction::Function {
            let name = self.function_name()?;
            self.expect(TokenKind::OpenParenthesis)?;
            let arguments = self.list_until(TokenKind::CloseParenthesis, Self::selector)?;
            return Ok(Selector::Function { name, arguments });
        }
        self.name().map(Selector::Column)
    }

    /// A marker, or where Cassandra says that there is none.
    fn selected_question_mark(&mut self) -> Parsed<Selector> {
        match self.check_column_or_function()? {
            ColumnOrFunction::Function => self.keyspace_name().map(Selector::Column),
            ColumnOrFunction::Column => Ok(Selector::Term(Term::Marker(self.marker()?))),
        }
    }

    /// Looks at what follows a name, as far as ANTLR does before it decides what the name is.
    ///
    /// It matters where there are two readings: `SELECT DISTINCT a b` does not stop at `b`, but
    /// already at `a`, because with `a b` it cannot be the keyword.
    fn check_column_or_function(&self) -> Parsed<ColumnOrFunction> {
        let is_marker = self.at(TokenKind::QuestionMark);
        if self.peek_at(1) == TokenKind::Dot && (is_marker || self.is_name_at(0)) {
            let is_called = self.peek_at(3) == TokenKind::OpenParenthesis;
            return match (self.is_name_at(2), self.is_function_name_at(2)) {
                (_, true) if is_called => Ok(ColumnOrFunction::Function),
                (true, true) if self.is_after_column_at(3) => Ok(ColumnOrFunction::Column),
                (true, false) => Ok(ColumnOrFunction::Column),
                (false, false) => self.unexpected_at(2),
                (_, true) => self.unexpected_at(3),
            };
        }
        if self.peek_at(1) == TokenKind::OpenParenthesis && self.is_function_name_at(0) {
            return Ok(ColumnOrFunction::Function);
        }
        let is_name = is_marker || self.is_name_at(0) || self.at_keyword(Keyword::Token);
        match is_name {
            false => self.unexpected(),
            true if self.is_after_column_at(1) && !self.at_keyword(Keyword::Token) => {
                Ok(ColumnOrFunction::Column)
            }
            true => self.unexpected_at(1),
        }
    }

    /// Whether a token ahead can stand behind a column anywhere.
    pub(super) fn is_after_column_at(&self, ahead: usize) -> bool {
        matches!(
            self.peek_at(ahead),
            TokenKind::Comma
                | TokenKind::Plus
                | TokenKind::Minus
                | TokenKind::Star
                | TokenKind::Slash
                | TokenKind::Percent
                | TokenKind::Dot
                | TokenKind::OpenBracket
                | TokenKind::CloseParenthesis
                | TokenKind::CloseBracket
                | TokenKind::CloseBrace
                | TokenKind::Colon
                | TokenKind::Semicolon
                | TokenKind::End
                | TokenKind::Keyword(
                    Keyword::From
                        | Keyword::As
                        | Keyword::Order
                        | Keyword::Per
                        | Keyword::Limit
                        | Keyword::Allow
                )
        )
    }
}

/// What a name in a selector is.
#[derive(PartialEq, Eq)]
enum ColumnOrFunction {
    Column,
    Function,
}
