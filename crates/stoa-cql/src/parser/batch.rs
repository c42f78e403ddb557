//! Batches.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{Batch, BatchKind, Modification};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn batch(&mut self) -> Parsed<Batch> {
        self.expect_keyword(Keyword::Begin)?;
        let kind = if self.take_keyword(Keyword::Unlogged) {
            BatchKind::Unlogged
        } else if self.take_keyword(Keyword::Counter) {
            BatchKind::Counter
        } else {
            BatchKind::Logged
        };
        self.expect_keyword(Keyword::Batch)?;
        let using = self.optional_using()?;
        let mut statements = Vec::new();
        while let Some(statement) = self.optional_modification()? {
            statements.push(statement);
            self.take(TokenKind::Semicolon);
        }
        self.expect_keyword(Keyword::Apply)?;
        self.expect_keyword(Keyword::Batch)?;
        Ok(Batch {
            kind,
            using,
            statements,
        })
    }

    fn optional_modification(&mut self) -> Parsed<Option<Modification>> {
        Ok(Some(match self.peek() {
            TokenKind::Keyword(Keyword::Insert) => self.insert()?,
            TokenKind::Keyword(Keyword::Update) => Modification::Update(self.update()?),
            TokenKind::Keyword(Keyword::Delete) => Modification::Delete(self.delete()?),
            _ => return Ok(None),
        }))
    }
}
