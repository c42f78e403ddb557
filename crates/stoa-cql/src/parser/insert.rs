//! `INSERT`, and `USING`.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{
    Insert, InsertJson, JsonDefault, Literal, LiteralKind, Modification, QualifiedName, Term,
    Using, UsingOption,
};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn insert(&mut self) -> Parsed<Modification> {
        self.expect_keyword(Keyword::Insert)?;
        self.expect_keyword(Keyword::Into)?;
        let table = self.table_name()?;
        if self.take_keyword(Keyword::Json) {
            return self.insert_json(table).map(Modification::InsertJson);
        }
        if !self.at(TokenKind::OpenParenthesis) {
            return self.unexpected();
        }
        self.insert_values(table).map(Modification::Insert)
    }

    fn insert_values(&mut self, table: QualifiedName) -> Parsed<Insert> {
        let columns = self.parenthesized_list(Self::column_name)?;
        self.expect_keyword(Keyword::Values)?;
        let values = self.parenthesized_list(Self::term)?;
        let if_not_exists = self.if_not_exists()?;
        let using = self.optional_using()?;
        Ok(Insert {
            table,
            columns,
            values,
            if_not_exists,
            using,
        })
    }

    fn insert_json(&mut self, table: QualifiedName) -> Parsed<InsertJson> {
        let value = match self.peek() {
            TokenKind::String | TokenKind::DollarString => Term::Literal(Literal {
                kind: LiteralKind::String,
                text: self.string_literal()?,
            }),
            _ => Term::Marker(self.marker()?),
        };
        let default = if self.take_keyword(Keyword::Default) {
            self.json_default()?
        } else {
            JsonDefault::Null
        };
        let if_not_exists = self.if_not_exists()?;
        let using = self.optional_using()?;
        Ok(InsertJson {
            table,
            value,
            default,
            if_not_exists,
            using,
        })
    }

    fn json_default(&mut self) -> Parsed<JsonDefault> {
        if self.take_keyword(Keyword::Null) {
            Ok(JsonDefault::Null)
        } else if self.take_keyword(Keyword::Unset) {
            Ok(JsonDefault::Unset)
        } else {
            self.unexpected()
        }
    }

    /// `USING ...`, if it is there.
    pub(super) fn optional_using(&mut self) -> Parsed<Using> {
        if !self.take_keyword(Keyword::Using) {
            return Ok(Using::default());
        }
        self.conjunction(Self::using_option).map(Using)
    }

    fn using_option(&mut self) -> Parsed<UsingOption> {
        if self.take_keyword(Keyword::Timestamp) {
            self.integer_or_marker().map(UsingOption::Timestamp)
        } else if self.take_keyword(Keyword::Ttl) {
            self.integer_or_marker().map(UsingOption::TimeToLive)
        } else {
            self.unexpected()
        }
    }
}
