//! Terms.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{ArithmeticOperator, Literal, LiteralKind, Marker, Name, Term};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

/// A number of so many characters that has no exponent fits into a double.
const SURELY_FINITE: usize = 300;

impl Parser<'_> {
    /// Any term: a sum, in the widest sense.
    pub(super) fn term(&mut self) -> Parsed<Term> {
        if self.depth == 0 {
            self.operators = 0;
        }
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                TokenKind::Plus if !self.is_prepended_to_column() => ArithmeticOperator::Add,
                TokenKind::Minus => ArithmeticOperator::Subtract,
                _ => return Ok(left),
            };
            self.advance();
            self.count_operator()?;
            let right = self.product()?;
            left = arithmetic(operator, left, right);
        }
    }

    /// Whether the plus belongs to an assignment, as in `a = [1] + a`.
    ///
    /// ANTLR asks this of every plus, because it does not know in which rule it is.
    fn is_prepended_to_column(&self) -> bool {
        let is_end = |kind| matches!(kind, TokenKind::Comma | TokenKind::Keyword(Keyword::Where));
        self.peek_at(1) == TokenKind::EmptyQuotedName
            || (self.is_name_at(1) && is_end(self.peek_at(2)))
    }

    fn product(&mut self) -> Parsed<Term> {
        let mut left = self.signed_term()?;
        loop {
            let operator = match self.peek() {
                TokenKind::Star => ArithmeticOperator::Multiply,
                TokenKind::Slash => ArithmeticOperator::Divide,
                TokenKind::Percent => ArithmeticOperator::Remainder,
                _ => return Ok(left),
            };
            self.advance();
            self.count_operator()?;
            let right = self.signed_term()?;
            left = arithmetic(operator, left, right);
        }
    }

    fn signed_term(&mut self) -> Parsed<Term> {
        if self.take(TokenKind::Minus) {
            return Ok(Term::Negation(Box::new(self.simple_term()?)));
        }
        self.simple_term()
    }

    fn simple_term(&mut self) -> Parsed<Term> {
        if let Some(literal) = self.optional_literal()? {
            return Ok(Term::Literal(literal));
        }
        match self.peek() {
            TokenKind::Keyword(Keyword::Null) => {
                self.advance();
                Ok(Term::Null)
            }
            TokenKind::QuestionMark if self.peek_at(1) == TokenKind::Dot => {
                if !self.is_function_name_at(2) {
                    return self.unexpected_at(2);
                }
                self.nested(Self::function_call)
            }
            TokenKind::QuestionMark | TokenKind::Colon => self.marker_term(),
            TokenKind::OpenBracket => self.nested(Self::list_literal),
            TokenKind::OpenBrace => self.nested(Self::braces),
            TokenKind::OpenParenthesis => self.nested(Self::parentheses),
            TokenKind::Keyword(Keyword::Cast) if self.peek_at(1) == TokenKind::OpenParenthesis => {
                self.nested(Self::cast)
            }
            _ => self.nested(Self::function_call),
        }
    }

    fn marker_term(&mut self) -> Parsed<Term> {
        self.marker().map(Term::Marker)
    }

    fn list_literal(&mut self) -> Parsed<Term> {
        self.expect(TokenKind::OpenBracket)?;
        let elements = self.list_until(TokenKind::CloseBracket, Self::term)?;
        Ok(Term::ListOrVector(elements))
    }

    /// A set, a map, or a user-defined type.
    fn braces(&mut self) -> Parsed<Term> {
        self.expect(TokenKind::OpenBrace)?;
        if self.take(TokenKind::CloseBrace) {
            return Ok(Term::SetOrEmptyMap(Vec::new()));
        }
        if self.is_name_at(0) && self.peek_at(1) == TokenKind::Colon {
            let fields = self.list(Self::field_value)?;
            self.expect(TokenKind::CloseBrace)?;
            return Ok(Term::UserType(fields));
        }
        let first = self.term()?;
        let literal = if self.take(TokenKind::Colon) {
            let mut entries = vec![(first, self.term()?)];
            while self.take(TokenKind::Comma) {
                entries.push(self.map_entry()?);
            }
            Term::Map(entries)
        } else {
            let mut elements = vec![first];
            while self.take(TokenKind::Comma) {
                elements.push(self.term()?);
            }
            Term::SetOrEmptyMap(elements)
        };
        self.expect(TokenKind::CloseBrace)?;
        Ok(literal)
    }

    fn field_value(&mut self) -> Parsed<(Name, Term)> {
        let field = self.name()?;
        self.expect(TokenKind::Colon)?;
        Ok((field, self.term()?))
    }

    /// `key: value`
    pub(super) fn map_entry(&mut self) -> Parsed<(Term, Term)> {
        let key = self.term()?;
        self.expect(TokenKind::Colon)?;
        Ok((key, self.term()?))
    }

    /// A tuple, or a type before a term.
    fn parentheses(&mut self) -> Parsed<Term> {
        if !self.is_type_hint() {
            return self.tuple();
        }
        self.expect(TokenKind::OpenParenthesis)?;
        let cql_type = self.cql_type()?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(Term::TypeHint(cql_type, Box::new(self.simple_term()?)))
    }

    /// `(a, b)`
    pub(super) fn tuple(&mut self) -> Parsed<Term> {
        self.parenthesized_list(Self::term).map(Term::Tuple)
    }

    /// Whether a type stands in the parentheses that open here.
    fn is_type_hint(&self) -> bool {
        match (self.peek_at(1), self.peek_at(2)) {
            (TokenKind::String | TokenKind::DollarString, TokenKind::CloseParenthesis) => {
                self.is_simple_term_at(3)
            }
            (TokenKind::Keyword(Keyword::Set), _) => true,
            (_, TokenKind::CloseParenthesis | TokenKind::Less) => self.is_name_at(1),
            (_, TokenKind::Dot) => {
                self.is_name_at(1) && self.peek_at(4) == TokenKind::CloseParenthesis
            }
            _ => false,
        }
    }

    /// Whether a simple term begins at a token ahead, behind a string in parentheses.
    fn is_simple_term_at(&self, ahead: usize) -> bool {
        let is_call = |kind| matches!(kind, TokenKind::OpenParenthesis | TokenKind::Dot);
        match self.peek_at(ahead) {
            TokenKind::String
            | TokenKind::DollarString
            | TokenKind::Integer
            | TokenKind::Float
            | TokenKind::Boolean
            | TokenKind::Duration
            | TokenKind::Uuid
            | TokenKind::Hex
            | TokenKind::NegativeNan
            | TokenKind::NegativeInfinity
            | TokenKind::Keyword(Keyword::Nan | Keyword::Infinity | Keyword::Null)
            | TokenKind::QuestionMark
            | TokenKind::OpenBracket
            | TokenKind::OpenBrace
            | TokenKind::OpenParenthesis => true,
            // A marker, and not the colon behind a key.
            TokenKind::Colon => self.is_name_at(ahead + 1) && !is_call(self.peek_at(ahead + 2)),
            TokenKind::Keyword(Keyword::Cast) => is_call(self.peek_at(ahead + 1)),
            _ => match self.peek_at(ahead + 1) {
                TokenKind::OpenParenthesis => self.is_function_name_at(ahead),
                TokenKind::Dot => self.is_name_at(ahead),
                _ => false,
            },
        }
    }

    fn cast(&mut self) -> Parsed<Term> {
        self.expect_keyword(Keyword::Cast)?;
        self.expect(TokenKind::OpenParenthesis)?;
        let term = self.simple_term()?;
        self.expect_keyword(Keyword::As)?;
        let native_type = self.native_type()?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(Term::Cast(Box::new(term), native_type))
    }

    fn function_call(&mut self) -> Parsed<Term> {
        self.check_function_call()?;
        let name = self.function_name()?;
        self.expect(TokenKind::OpenParenthesis)?;
        let arguments = self.list_until(TokenKind::CloseParenthesis, Self::term)?;
        Ok(Term::Function { name, arguments })
    }

    /// ANTLR looks at the token behind a name before it decides for a function, so that one is
    /// the unexpected one.
    fn check_function_call(&self) -> Parsed<()> {
        let is_fitting = match self.peek_at(1) {
            TokenKind::OpenParenthesis => self.is_function_name_at(0),
            TokenKind::Dot => true,
            _ => false,
        };
        if self.is_name_at(0) && !is_fitting {
            return self.unexpected_at(1);
        }
        Ok(())
    }

    /// A constant, if there is one.
    pub(super) fn optional_literal(&mut self) -> Parsed<Option<Literal>> {
        let (kind, text) = match self.peek() {
            TokenKind::String | TokenKind::DollarString => (LiteralKind::String, None),
            TokenKind::Integer => (LiteralKind::Integer, None),
            TokenKind::Float => (LiteralKind::Float, None),
            TokenKind::Boolean => (LiteralKind::Boolean, None),
            TokenKind::Duration => (LiteralKind::Duration, None),
            TokenKind::Uuid => (LiteralKind::Uuid, None),
            TokenKind::Hex => (LiteralKind::Hex, None),
            TokenKind::NegativeNan | TokenKind::Keyword(Keyword::Nan) => {
                (LiteralKind::Float, Some("NaN"))
            }
            TokenKind::Keyword(Keyword::Infinity) => (LiteralKind::Float, Some("Infinity")),
            TokenKind::NegativeInfinity => (LiteralKind::Float, Some("-Infinity")),
            _ => return Ok(None),
        };
        if self.at(TokenKind::Float) {
            self.check_float()?;
        }
        let text = match text {
            Some(text) => text.into(),
            None => self.literal_text(),
        };
        self.advance();
        Ok(Some(Literal { kind, text }))
    }

    /// Cassandra's parser fails at numbers that a `double` cannot hold, whatever they are for.
    fn check_float(&mut self) -> Parsed<()> {
        let text = self.token_text();
        let may_be_large = text.len() > SURELY_FINITE || text.contains(['e', 'E']);
        if may_be_large && text.parse().is_ok_and(f64::is_infinite) {
            let message = format!("the number {text} is out of the range of a double");
            self.refuse_unless_abandoned(message)?;
        }
        Ok(())
    }

    /// What the next token says, without quotes.
    fn literal_text(&self) -> Box<str> {
        match self.peek() {
            TokenKind::String => self.unquoted('\'').into(),
            TokenKind::DollarString => {
                let text = self.token_text();
                text.get(2..text.len().saturating_sub(2))
                    .unwrap_or("")
                    .into()
            }
            _ => self.token_text().into(),
        }
    }

    /// `'text'` or `$$text$$`
    pub(super) fn string_literal(&mut self) -> Parsed<Box<str>> {
        if !matches!(self.peek(), TokenKind::String | TokenKind::DollarString) {
            return Err(super::Failure::Unexpected {
                token: self.position,
                expecting: Some(TokenKind::String),
            });
        }
        let text = self.literal_text();
        self.advance();
        Ok(text)
    }

    /// An integer or a marker.
    pub(super) fn integer_or_marker(&mut self) -> Parsed<Term> {
        match self.peek() {
            TokenKind::Integer => {
                let (kind, text) = (LiteralKind::Integer, self.token_text().into());
                self.advance();
                Ok(Term::Literal(Literal { kind, text }))
            }
            _ => self.marker_term(),
        }
    }

    /// `?` or `:name`
    pub(super) fn marker(&mut self) -> Parsed<Marker> {
        let name = match self.peek() {
            TokenKind::QuestionMark => {
                self.advance();
                None
            }
            TokenKind::Colon => {
                self.advance();
                Some(self.name()?)
            }
            _ => return self.unexpected(),
        };
        let index = self.markers.len();
        self.markers.push(name.clone());
        Ok(Marker { index, name })
    }
}

fn arithmetic(operator: ArithmeticOperator, left: Term, right: Term) -> Term {
    Term::Arithmetic {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    }
}
