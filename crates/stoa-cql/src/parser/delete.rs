//! `DELETE`.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{Delete, Deletion};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn delete(&mut self) -> Parsed<Delete> {
        self.expect_keyword(Keyword::Delete)?;
        let deletions = if self.is_column_name_at(0) {
            self.list(Self::deletion)?
        } else {
            Vec::new()
        };
        self.expect_keyword(Keyword::From)?;
        let table = self.table_name()?;
        let timestamp = if self.take_keywords(Keyword::Using, &[Keyword::Timestamp])? {
            Some(self.integer_or_marker()?)
        } else {
            None
        };
        let relations = self.relations()?;
        let condition = self.optional_update_condition()?;
        Ok(Delete {
            deletions,
            table,
            timestamp,
            relations,
            condition,
        })
    }

    fn deletion(&mut self) -> Parsed<Deletion> {
        let column = self.column_name()?;
        Ok(match self.peek() {
            TokenKind::OpenBracket => Deletion::Element(column, self.element_key()?),
            TokenKind::Dot => {
                self.advance();
                Deletion::Field(column, self.name()?)
            }
            _ => Deletion::Column(column),
        })
    }
}
