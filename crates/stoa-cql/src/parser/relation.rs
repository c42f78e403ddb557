//! Relations of a `WHERE`, conditions of an `IF`.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{
    Comparison, Condition, ConditionTarget, ConditionTest, InValues, Name, Relation, Term,
    UpdateCondition,
};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `WHERE ...`, if it is there.
    pub(super) fn optional_relations(&mut self) -> Parsed<Vec<Relation>> {
        if !self.at_keyword(Keyword::Where) {
            return Ok(Vec::new());
        }
        self.relations()
    }

    /// `WHERE ...`
    pub(super) fn relations(&mut self) -> Parsed<Vec<Relation>> {
        self.expect_keyword(Keyword::Where)?;
        self.conjunction(|parser| {
            if parser.at(TokenKind::ExpressionOpen) {
                parser.index_expression()
            } else {
                parser.relation()
            }
        })
    }

    fn index_expression(&mut self) -> Parsed<Relation> {
        self.expect(TokenKind::ExpressionOpen)?;
        let index = self.name_of("index")?;
        self.expect(TokenKind::Comma)?;
        let value = self.term()?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(Relation::IndexExpression { index, value })
    }

    fn relation(&mut self) -> Parsed<Relation> {
        match self.peek() {
            TokenKind::Keyword(Keyword::Token) => self.token_relation(),
            TokenKind::OpenParenthesis if self.is_tuple_of_names() => self.columns_relation(),
            TokenKind::OpenParenthesis => self.nested(|parser| {
                parser.expect(TokenKind::OpenParenthesis)?;
                let relation = parser.relation()?;
                parser.expect(TokenKind::CloseParenthesis)?;
                Ok(relation)
            }),
            _ => self.column_relation(),
        }
    }

    /// Whether the parenthesis that opens here holds names and not a relation.
    fn is_tuple_of_names(&self) -> bool {
        let is_end = matches!(
            self.peek_at(2),
            TokenKind::Comma | TokenKind::CloseParenthesis
        );
        self.is_column_name_at(1) && is_end
    }

    fn token_relation(&mut self) -> Parsed<Relation> {
        self.expect_keyword(Keyword::Token)?;
        let columns = self.parenthesized_list(Self::column_name)?;
        let comparison = self.comparison()?;
        let value = self.term()?;
        Ok(Relation::Token {
            columns,
            comparison,
            value,
        })
    }

    fn columns_relation(&mut self) -> Parsed<Relation> {
        let columns = self.parenthesized_list(Self::column_name)?;
        if self.take_keyword(Keyword::In) {
            let values = self.tuples()?;
            return Ok(Relation::ColumnsIn { columns, values });
        }
        let comparison = self.comparison()?;
        let value = match self.peek() {
            TokenKind::OpenParenthesis => self.nested(Self::tuple)?,
            _ => Term::Marker(self.marker()?),
        };
        Ok(Relation::Columns {
            columns,
            comparison,
            value,
        })
    }

    /// Tuples or markers in parentheses, but not both; or one marker for all.
    fn tuples(&mut self) -> Parsed<InValues> {
        if !self.at(TokenKind::OpenParenthesis) {
            return self.marker().map(InValues::Marker);
        }
        self.expect(TokenKind::OpenParenthesis)?;
        let is_tuple = self.at(TokenKind::OpenParenthesis);
        let values = self.list_until(TokenKind::CloseParenthesis, |parser| {
            if is_tuple {
                parser.nested(Self::tuple)
            } else {
                parser.marker().map(Term::Marker)
            }
        })?;
        Ok(InValues::List(values))
    }

    fn column_relation(&mut self) -> Parsed<Relation> {
        let column = self.column_name()?;
        match self.peek() {
            TokenKind::Keyword(Keyword::Like) => {
                self.advance();
                let pattern = self.term()?;
                Ok(Relation::Like { column, pattern })
            }
            TokenKind::Keyword(Keyword::Is) => {
                self.take_keywords(Keyword::Is, &[Keyword::Not, Keyword::Null])?;
                Ok(Relation::IsNotNull(column))
            }
            TokenKind::Keyword(Keyword::In) => {
                self.advance();
                let values = self.in_values()?;
                Ok(Relation::In { column, values })
            }
            TokenKind::Keyword(Keyword::Contains) => self.contains_relation(column),
            TokenKind::OpenBracket => self.element_relation(column),
            _ => {
                let comparison = self.comparison()?;
                let value = self.term()?;
                Ok(Relation::Column {
                    column,
                    comparison,
                    value,
                })
            }
        }
    }

    fn contains_relation(&mut self, column: Name) -> Parsed<Relation> {
        Ok(match self.contains()? {
            (ContainsWhat::Key, key) => Relation::ContainsKey { column, key },
            (ContainsWhat::Value, value) => Relation::Contains { column, value },
        })
    }

    /// `CONTAINS a` or `CONTAINS KEY a`
    fn contains(&mut self) -> Parsed<(ContainsWhat, Term)> {
        self.expect_keyword(Keyword::Contains)?;
        // A function may not be called key, but a keyspace may.
        let is_keyspace = self.peek_at(1) == TokenKind::Dot;
        let what = if !is_keyspace && self.take_keyword(Keyword::Key) {
            ContainsWhat::Key
        } else {
            ContainsWhat::Value
        };
        Ok((what, self.term()?))
    }

    fn element_relation(&mut self, column: Name) -> Parsed<Relation> {
        let key = self.element_key()?;
        let comparison = self.comparison()?;
        let value = self.term()?;
        Ok(Relation::Element {
            column,
            key,
            comparison,
            value,
        })
    }

    /// `[a]`
    pub(super) fn element_key(&mut self) -> Parsed<Term> {
        self.expect(TokenKind::OpenBracket)?;
        let key = self.term()?;
        self.expect(TokenKind::CloseBracket)?;
        Ok(key)
    }

    fn comparison(&mut self) -> Parsed<Comparison> {
        let comparison = match self.peek() {
            TokenKind::Equal => Comparison::Equal,
            TokenKind::NotEqual => Comparison::NotEqual,
            TokenKind::Less => Comparison::Less,
            TokenKind::LessOrEqual => Comparison::LessOrEqual,
            TokenKind::Greater => Comparison::Greater,
            TokenKind::GreaterOrEqual => Comparison::GreaterOrEqual,
            _ => return self.unexpected(),
        };
        self.advance();
        Ok(comparison)
    }

    /// Terms in parentheses, maybe none; or one marker for all.
    fn in_values(&mut self) -> Parsed<InValues> {
        if !self.take(TokenKind::OpenParenthesis) {
            return self.marker().map(InValues::Marker);
        }
        let values = self.list_until(TokenKind::CloseParenthesis, Self::term)?;
        Ok(InValues::List(values))
    }

    /// `IF ...`, if it is there.
    pub(super) fn optional_update_condition(&mut self) -> Parsed<Option<UpdateCondition>> {
        if !self.take_keyword(Keyword::If) {
            return Ok(None);
        }
        // A column may be called exists.
        let is_column = matches!(
            self.peek_at(1),
            TokenKind::Equal
                | TokenKind::NotEqual
                | TokenKind::Less
                | TokenKind::LessOrEqual
                | TokenKind::Greater
                | TokenKind::GreaterOrEqual
                | TokenKind::OpenBracket
                | TokenKind::Dot
                | TokenKind::Keyword(Keyword::In | Keyword::Contains)
        );
        if self.at_keyword(Keyword::Exists) && !is_column {
            self.advance();
            return Ok(Some(UpdateCondition::Exists));
        }
        let conditions = self.conjunction(Self::condition)?;
        Ok(Some(UpdateCondition::All(conditions)))
    }

    fn condition(&mut self) -> Parsed<Condition> {
        let column = self.column_name()?;
        let target = match self.peek() {
            TokenKind::OpenBracket => ConditionTarget::Element(self.element_key()?),
            TokenKind::Dot => {
                self.advance();
                ConditionTarget::Field(self.name()?)
            }
            _ => ConditionTarget::Column,
        };
        let test = match self.peek() {
            TokenKind::Keyword(Keyword::In) => {
                self.advance();
                ConditionTest::In(self.in_values()?)
            }
            TokenKind::Keyword(Keyword::Contains) if target == ConditionTarget::Column => {
                match self.contains()? {
                    (ContainsWhat::Key, key) => ConditionTest::ContainsKey(key),
                    (ContainsWhat::Value, value) => ConditionTest::Contains(value),
                }
            }
            _ => ConditionTest::Compare(self.comparison()?, self.term()?),
        };
        Ok(Condition {
            column,
            target,
            test,
        })
    }
}

/// What a collection is asked to contain.
enum ContainsWhat {
    Key,
    Value,
}
