//! Tokens to trees, by recursive descent over Cassandra's grammar.
//!
//! One file for each family of statements; this one has what they all use. The reference is
//! `Parser.g` of Cassandra 5.0, and where it matters which of two readings ANTLR takes, a comment
//! names it.
//!
//! 1. Time is linear in the text. Where ANTLR reads ahead without a limit, we look at a fixed
//!    number of tokens, or read once and go back; what is read twice is never nested.
//! 2. The stack is bounded: brackets nest at most [`DEEPEST_NESTING`] levels, and an expression
//!    has at most [`MOST_OPERATORS`] operators. Trees are dropped and printed recursively, so the
//!    second limit is one of depth, too.

mod batch;
mod class_name;
mod delete;
mod describe;
mod failure;
mod function;
mod insert;
mod name;
mod object_name;
mod permission;
mod property;
mod relation;
mod role;
mod schema;
mod select;
mod selector;
mod selector_base;
mod statement;
mod table;
mod term;
#[cfg(test)]
mod tests;
mod types;
mod update;
mod view;

use failure::{Failure, Parsed};
pub(crate) use types::is_kept_type_name;

use crate::ast::{CqlType, Name, Statement, Term};
use crate::error::SyntaxError;
use crate::keyword::Keyword;
use crate::lexer::{Lexer, LexicalError, Token, TokenKind};

/// How deep brackets may nest.
const DEEPEST_NESTING: usize = 200;

/// How many operators an expression may have, brackets in it included.
const MOST_OPERATORS: usize = 2_000;

/// A statement and its bind markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedStatement {
    /// The statement.
    pub statement: Statement,
    /// The names of its markers, in the order of their indexes; none for `?`.
    pub markers: Vec<Option<Name>>,
}

/// Parses one statement; semicolons may follow it.
///
/// # Errors
/// When the text is not one CQL statement, or nests deeper than 200 levels.
pub fn parse(text: &str) -> Result<ParsedStatement, SyntaxError> {
    let mut parser = Parser::new(text);
    let statement = parser.whole(Parser::statement_and_semicolons)?;
    Ok(ParsedStatement {
        statement,
        markers: parser.markers,
    })
}

/// Parses one statement as [`parse`] does, for callers that do not need its markers.
///
/// # Errors
/// As [`parse`].
pub fn parse_statement(text: &str) -> Result<Statement, SyntaxError> {
    parse(text).map(|parsed| parsed.statement)
}

/// Parses a type, such as `map<text, frozen<list<int>>>`.
///
/// # Errors
/// When the text is not a type.
pub fn parse_type(text: &str) -> Result<CqlType, SyntaxError> {
    Parser::new(text).whole(Parser::cql_type)
}

/// Parses a term, such as `{'a': 1}` or `now()`.
///
/// # Errors
/// When the text is not a term.
pub fn parse_term(text: &str) -> Result<Term, SyntaxError> {
    Parser::new(text).whole(Parser::term)
}

/// Reads trees off a list of tokens.
struct Parser<'a> {
    text: &'a str,
    /// All tokens; the last one is [`TokenKind::End`] or [`TokenKind::Invalid`].
    tokens: Vec<Token>,
    /// Why the last token is invalid, if it is.
    lexical_error: Option<LexicalError>,
    /// The next token.
    position: usize,
    markers: Vec<Option<Name>>,
    depth: usize,
    /// Operators of the outermost expression so far.
    operators: usize,
    /// How many attempts are under way, one in another.
    attempts: usize,
    /// A rule that is broken if the present attempt succeeds.
    pending: Option<Failure>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::with_capacity(text.len() / 4 + 8);
        let lexical_error = loop {
            match lexer.next_token() {
                Ok(token) => {
                    tokens.push(token);
                    if token.kind == TokenKind::End {
                        break None;
                    }
                }
                Err(error) => break Some(error),
            }
        };
        if let Some(error) = lexical_error {
            let offset = u32::try_from(error.offset).unwrap_or(u32::MAX);
            tokens.push(Token {
                kind: TokenKind::Invalid,
                start: offset,
                end: offset,
            });
        }
        Self {
            text,
            tokens,
            lexical_error,
            position: 0,
            markers: Vec::new(),
            depth: 0,
            operators: 0,
            attempts: 0,
            pending: None,
        }
    }

    /// Parses all of the text.
    fn whole<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Result<T, SyntaxError> {
        let parsed = parse(self).and_then(|parsed| {
            self.expect(TokenKind::End)?;
            Ok(parsed)
        });
        parsed.map_err(|failure| self.syntax_error(failure))
    }

    fn statement_and_semicolons(&mut self) -> Parsed<Statement> {
        let statement = self.statement()?;
        while self.take(TokenKind::Semicolon) {}
        Ok(statement)
    }

    /// The kind of the next token.
    fn peek(&self) -> TokenKind {
        self.peek_at(0)
    }

    /// The kind of a token further ahead; the last one goes on forever.
    fn peek_at(&self, ahead: usize) -> TokenKind {
        match self.tokens.get(self.position + ahead) {
            Some(token) => token.kind,
            None => self
                .tokens
                .last()
                .map_or(TokenKind::End, |token| token.kind),
        }
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.peek() == kind
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.peek() == TokenKind::Keyword(keyword)
    }

    /// Passes over the next token; never over the last one.
    fn advance(&mut self) {
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
    }

    /// Passes over the next token if it is of that kind.
    fn take(&mut self, kind: TokenKind) -> bool {
        let is_there = self.at(kind);
        if is_there {
            self.advance();
        }
        is_there
    }

    fn take_keyword(&mut self, keyword: Keyword) -> bool {
        self.take(TokenKind::Keyword(keyword))
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<()> {
        if self.take(kind) {
            return Ok(());
        }
        Err(Failure::Unexpected {
            token: self.position,
            expecting: Some(kind),
        })
    }

    fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<()> {
        self.expect(TokenKind::Keyword(keyword))
    }

    /// Passes over several keywords if the first one is there.
    fn take_keywords(&mut self, first: Keyword, others: &[Keyword]) -> Parsed<bool> {
        if !self.take_keyword(first) {
            return Ok(false);
        }
        for other in others {
            self.expect_keyword(*other)?;
        }
        Ok(true)
    }

    fn if_not_exists(&mut self) -> Parsed<bool> {
        self.take_keywords(Keyword::If, &[Keyword::Not, Keyword::Exists])
    }

    fn if_exists(&mut self) -> Parsed<bool> {
        self.take_keywords(Keyword::If, &[Keyword::Exists])
    }

    /// The text of the next token.
    fn token_text(&self) -> &'a str {
        let Some(token) = self.tokens.get(self.position) else {
            return "";
        };
        let range = token.start as usize..token.end as usize;
        self.text.get(range).unwrap_or("")
    }

    /// Nothing fits the next token.
    fn unexpected<T>(&self) -> Parsed<T> {
        self.unexpected_at(0)
    }

    /// Nothing fits a token further ahead.
    fn unexpected_at<T>(&self, ahead: usize) -> Parsed<T> {
        Err(Failure::Unexpected {
            token: self.position + ahead,
            expecting: None,
        })
    }

    /// A rule is broken just before the next token.
    fn refuse<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(Failure::Refused {
            token: self.position.saturating_sub(1),
            message: message.into(),
        })
    }

    /// A rule is broken, unless what we try here turns out not to fit anyway.
    ///
    /// ANTLR checks rules only after it has decided for a reading: `('a') 1` is refused because
    /// there is no type `'a'`, but `('a')` is a string in parentheses.
    fn refuse_unless_abandoned(&mut self, message: String) -> Parsed<()> {
        if self.attempts == 0 {
            return self.refuse(message);
        }
        if self.pending.is_none() {
            self.pending = self.refuse::<()>(message).err();
        }
        Ok(())
    }

    /// Tries one reading; none, and nothing has happened, if it does not fit.
    fn attempt<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<Option<T>> {
        let (position, markers) = (self.position, self.markers.len());
        let was_pending = self.pending.is_some();
        self.attempts += 1;
        let parsed = parse(self);
        self.attempts -= 1;
        match parsed {
            Ok(parsed) if self.attempts > 0 => Ok(Some(parsed)),
            Ok(parsed) => match self.pending.take() {
                Some(refused) => Err(refused),
                None => Ok(Some(parsed)),
            },
            // What is no token at all was an error before anyone asked what it is for.
            Err(Failure::Unexpected { token, .. }) if !self.is_invalid(token) => {
                self.position = position;
                self.markers.truncate(markers);
                if !was_pending {
                    self.pending = None;
                }
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    fn is_invalid(&self, token: usize) -> bool {
        let last = self.tokens.len().saturating_sub(1);
        token >= last && self.lexical_error.is_some()
    }

    /// Parses something inside brackets.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST_NESTING {
            return self.refuse(format!("nested deeper than {DEEPEST_NESTING} levels"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// One more operator in the present expression.
    fn count_operator(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators > MOST_OPERATORS {
            return self.refuse(format!(
                "an expression with more than {MOST_OPERATORS} operators"
            ));
        }
        Ok(())
    }

    /// `item, item, ...`: at least one.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take(TokenKind::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `item AND item ...`: at least one.
    fn conjunction<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take_keyword(Keyword::And) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `item, item, ...` and a closing bracket; maybe none.
    fn list_until<T>(
        &mut self,
        close: TokenKind,
        item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        if self.take(close) {
            return Ok(Vec::new());
        }
        let items = self.list(item)?;
        self.expect(close)?;
        Ok(items)
    }

    /// `(item, item, ...)`: at least one.
    fn parenthesized_list<T>(
        &mut self,
        item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.expect(TokenKind::OpenParenthesis)?;
        let items = self.list(item)?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(items)
    }
}
