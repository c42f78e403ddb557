//! Names, and where they may be keywords.

use std::borrow::Cow;

use super::Parser;
use super::failure::Parsed;
use crate::ast::{Name, QualifiedName};
use crate::keyword::{Freedom, Keyword};
use crate::lexer::TokenKind;

impl<'a> Parser<'a> {
    /// Whether a token ahead is a name.
    pub(super) fn is_name_at(&self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            TokenKind::Identifier | TokenKind::QuotedName => true,
            TokenKind::Keyword(keyword) => keyword.is_name(),
            _ => false,
        }
    }

    /// Whether a token ahead is a name or `""`.
    pub(super) fn is_column_name_at(&self, ahead: usize) -> bool {
        self.peek_at(ahead) == TokenKind::EmptyQuotedName || self.is_name_at(ahead)
    }

    /// Any name but `""`.
    pub(super) fn name(&mut self) -> Parsed<Name> {
        if !self.is_name_at(0) {
            return self.unexpected();
        }
        let name = self.present_name();
        self.advance();
        Ok(name)
    }

    /// The name of a column where old tables may have one called `""`.
    pub(super) fn column_name(&mut self) -> Parsed<Name> {
        if self.take(TokenKind::EmptyQuotedName) {
            return Ok(Name::exact(""));
        }
        self.name()
    }

    /// The next token, which is known to be a name.
    fn present_name(&self) -> Name {
        match self.peek() {
            TokenKind::QuotedName => Name::exact(&self.unquoted('"')),
            _ => Name::folded(self.token_text()),
        }
    }

    /// What stands between the quotes of the next token.
    pub(super) fn unquoted(&self, quote: char) -> Cow<'a, str> {
        let text = self.token_text();
        let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        if inside.contains(quote) {
            let one = quote.to_string();
            inside.replace(&one.repeat(2), &one).into()
        } else {
            inside.into()
        }
    }

    /// A name for which Cassandra says why it cannot be a marker.
    pub(super) fn name_of(&mut self, what: &str) -> Parsed<Name> {
        if !self.at(TokenKind::QuestionMark) {
            return self.name();
        }
        self.advance();
        self.refuse(format!("Bind variables cannot be used for {what} names"))
    }

    pub(super) fn keyspace_name(&mut self) -> Parsed<Name> {
        self.name_of("keyspace")
    }

    /// `table` or `keyspace.table`
    pub(super) fn table_name(&mut self) -> Parsed<QualifiedName> {
        self.check_marker_alone()?;
        self.qualified(|parser| parser.name_of("table"))
    }

    /// `index` or `keyspace.index`
    pub(super) fn index_name(&mut self) -> Parsed<QualifiedName> {
        self.check_marker_alone()?;
        self.qualified(|parser| parser.name_of("index"))
    }

    /// ANTLR looks for a dot behind the first name, and finds first what cannot be there at all.
    fn check_marker_alone(&self) -> Parsed<()> {
        let is_misplaced = match self.peek_at(1) {
            TokenKind::String | TokenKind::Integer => true,
            TokenKind::Keyword(Keyword::Json) => false,
            TokenKind::Keyword(Keyword::If) => true,
            _ => self.is_name_at(1),
        };
        if self.at(TokenKind::QuestionMark) && is_misplaced {
            return self.unexpected_at(1);
        }
        Ok(())
    }

    fn qualified(&mut self, name: impl FnOnce(&mut Self) -> Parsed<Name>) -> Parsed<QualifiedName> {
        let keyspace = if self.peek_at(1) == TokenKind::Dot {
            let keyspace = self.keyspace_name()?;
            self.expect(TokenKind::Dot)?;
            Some(keyspace)
        } else {
            None
        };
        let name = name(self)?;
        Ok(QualifiedName { keyspace, name })
    }

    /// `f` or `keyspace.f`
    pub(super) fn function_name(&mut self) -> Parsed<QualifiedName> {
        let is_keyspace = self.is_name_at(0) && !self.is_function_name_at(0);
        if is_keyspace && self.peek_at(1) != TokenKind::Dot {
            return self.unexpected_at(1);
        }
        if self.at(TokenKind::QuestionMark) {
            return self.keyspace_name().map(QualifiedName::bare);
        }
        self.qualified(Self::bare_function_name)
    }

    /// The name of a function, without a keyspace.
    pub(super) fn bare_function_name(&mut self) -> Parsed<Name> {
        if !self.is_function_name_at(0) {
            return self.unexpected();
        }
        let name = self.present_name();
        self.advance();
        Ok(name)
    }

    /// Whether a token ahead is the name of a function.
    pub(super) fn is_function_name_at(&self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            TokenKind::Identifier | TokenKind::QuotedName => true,
            TokenKind::Keyword(Keyword::Token | Keyword::Count) => true,
            TokenKind::Keyword(keyword) => {
                matches!(keyword.freedom(), Freedom::Free | Freedom::NativeType)
            }
            _ => false,
        }
    }

    /// The name of a role, which may also stand in single quotes.
    pub(super) fn role_name(&mut self) -> Parsed<Name> {
        match self.peek() {
            TokenKind::String | TokenKind::DollarString => Ok(Name::exact(&self.string_literal()?)),
            _ => self.name_of("role"),
        }
    }
}
