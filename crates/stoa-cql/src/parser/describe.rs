//! `DESCRIBE`.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{Describe, DescribeTarget, Name, QualifiedName};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// After `DESCRIBE` or `DESC`.
    pub(super) fn describe(&mut self) -> Parsed<Describe> {
        let target = self.describe_target()?;
        let with_internals = self.take_keywords(Keyword::With, &[Keyword::Internals])?;
        Ok(Describe {
            target,
            with_internals,
        })
    }

    fn describe_target(&mut self) -> Parsed<DescribeTarget> {
        let TokenKind::Keyword(keyword) = self.peek() else {
            return self.any_object();
        };
        // Some of these words are names, too, if nothing is named behind them.
        let is_alone = matches!(
            self.peek_at(1),
            TokenKind::End | TokenKind::Semicolon | TokenKind::Dot
        ) || self.peek_at(1) == TokenKind::Keyword(Keyword::With);
        let target = match keyword {
            Keyword::Cluster => DescribeTarget::Cluster,
            Keyword::Keyspaces => DescribeTarget::Keyspaces,
            Keyword::Tables => DescribeTarget::Tables,
            Keyword::Types => DescribeTarget::Types,
            Keyword::Functions => DescribeTarget::Functions,
            Keyword::Aggregates => DescribeTarget::Aggregates,
            Keyword::Schema => DescribeTarget::Schema,
            Keyword::Only | Keyword::Type | Keyword::Function | Keyword::Aggregate if is_alone => {
                return self.any_object();
            }
            _ => return self.described_object(keyword),
        };
        self.advance();
        Ok(target)
    }

    /// What is described by its kind and name.
    fn described_object(&mut self, kind: Keyword) -> Parsed<DescribeTarget> {
        match kind {
            Keyword::Full => {
                self.take_keywords(Keyword::Full, &[Keyword::Schema])?;
                Ok(DescribeTarget::FullSchema)
            }
            Keyword::Only => {
                self.advance();
                if !self.take_keyword(Keyword::Keyspace) {
                    return self.unexpected();
                }
                Ok(DescribeTarget::OnlyKeyspace(self.optional_keyspace()?))
            }
            Keyword::Keyspace => {
                self.advance();
                Ok(DescribeTarget::Keyspace(self.optional_keyspace()?))
            }
            Keyword::Table => {
                self.advance();
                self.table_name().map(DescribeTarget::Table)
            }
            Keyword::Index => {
                self.advance();
                self.table_name().map(DescribeTarget::Index)
            }
            Keyword::Materialized => {
                self.take_keywords(Keyword::Materialized, &[Keyword::View])?;
                self.table_name().map(DescribeTarget::View)
            }
            Keyword::Type => {
                self.advance();
                self.type_name().map(DescribeTarget::Type)
            }
            Keyword::Function => {
                self.advance();
                self.function_name().map(DescribeTarget::Function)
            }
            Keyword::Aggregate => {
                self.advance();
                self.function_name().map(DescribeTarget::Aggregate)
            }
            _ => self.any_object(),
        }
    }

    fn optional_keyspace(&mut self) -> Parsed<Option<Name>> {
        if self.is_name_at(0) || self.at(TokenKind::QuestionMark) {
            return self.keyspace_name().map(Some);
        }
        Ok(None)
    }

    fn any_object(&mut self) -> Parsed<DescribeTarget> {
        let first = self.name()?;
        if !self.take(TokenKind::Dot) {
            return Ok(DescribeTarget::Any(QualifiedName::bare(first)));
        }
        let name = self.name()?;
        Ok(DescribeTarget::Any(QualifiedName {
            keyspace: Some(first),
            name,
        }))
    }
}
