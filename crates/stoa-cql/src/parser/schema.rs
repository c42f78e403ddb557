//! Keyspaces, types, indexes, and dropping things.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{
    AlterKeyspace, AlterType, CreateIndex, CreateKeyspace, CreateType, DropKeyspace, DropObject,
    Field, IndexTarget, IndexTargetKind, QualifiedName, Rename, TypeChange,
};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// After `CREATE KEYSPACE`.
    pub(super) fn create_keyspace(&mut self) -> Parsed<CreateKeyspace> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.keyspace_name()?;
        let properties = self.with_properties()?;
        Ok(CreateKeyspace {
            name,
            if_not_exists,
            properties,
        })
    }

    /// After `ALTER KEYSPACE`.
    pub(super) fn alter_keyspace(&mut self) -> Parsed<AlterKeyspace> {
        let if_exists = self.if_exists()?;
        let name = self.keyspace_name()?;
        let properties = self.with_properties()?;
        Ok(AlterKeyspace {
            name,
            if_exists,
            properties,
        })
    }

    /// After `DROP KEYSPACE`.
    pub(super) fn drop_keyspace(&mut self) -> Parsed<DropKeyspace> {
        let if_exists = self.if_exists()?;
        let name = self.keyspace_name()?;
        Ok(DropKeyspace { name, if_exists })
    }

    /// After `DROP TABLE` and the like.
    pub(super) fn drop_object(
        &mut self,
        name: impl FnOnce(&mut Self) -> Parsed<QualifiedName>,
    ) -> Parsed<DropObject> {
        let if_exists = self.if_exists()?;
        let name = name(self)?;
        Ok(DropObject { name, if_exists })
    }

    /// After `CREATE TYPE`.
    pub(super) fn create_type(&mut self) -> Parsed<CreateType> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.type_name()?;
        self.expect(TokenKind::OpenParenthesis)?;
        let mut fields = vec![self.field()?];
        // Commas may stand there without anything between them.
        while self.take(TokenKind::Comma) {
            if self.is_name_at(0) {
                fields.push(self.field()?);
            }
        }
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(CreateType {
            name,
            if_not_exists,
            fields,
        })
    }

    /// A name and its type.
    pub(super) fn field(&mut self) -> Parsed<Field> {
        let name = self.name()?;
        let cql_type = self.cql_type()?;
        Ok(Field { name, cql_type })
    }

    /// After `ALTER TYPE`.
    pub(super) fn alter_type(&mut self) -> Parsed<AlterType> {
        let if_exists = self.if_exists()?;
        let name = self.type_name()?;
        let change = match self.peek() {
            TokenKind::Keyword(Keyword::Alter) => {
                self.advance();
                let name = self.name()?;
                self.expect_keyword(Keyword::Type)?;
                let cql_type = self.cql_type()?;
                TypeChange::Alter(Field { name, cql_type })
            }
            TokenKind::Keyword(Keyword::Add) => {
                self.advance();
                let if_not_exists = self.if_not_exists()?;
                let field = self.field()?;
                TypeChange::Add {
                    if_not_exists,
                    field,
                }
            }
            TokenKind::Keyword(Keyword::Rename) => {
                self.advance();
                let if_exists = self.if_exists()?;
                let renames = self.conjunction(Self::rename)?;
                TypeChange::Rename { if_exists, renames }
            }
            _ => return self.unexpected(),
        };
        Ok(AlterType {
            name,
            if_exists,
            change,
        })
    }

    /// `a TO b`
    pub(super) fn rename(&mut self) -> Parsed<Rename> {
        let from = self.name()?;
        self.expect_keyword(Keyword::To)?;
        let to = self.name()?;
        Ok(Rename { from, to })
    }

    /// After `CREATE INDEX` or `CREATE CUSTOM INDEX`.
    pub(super) fn create_index(&mut self, is_custom: bool) -> Parsed<CreateIndex> {
        let if_not_exists = self.if_not_exists()?;
        let name = if self.at_keyword(Keyword::On) {
            None
        } else {
            Some(self.name_of("index")?)
        };
        self.expect_keyword(Keyword::On)?;
        let table = self.table_name()?;
        self.expect(TokenKind::OpenParenthesis)?;
        let targets = self.list_until(TokenKind::CloseParenthesis, Self::index_target)?;
        let using = if self.take_keyword(Keyword::Using) {
            Some(self.string_literal()?)
        } else {
            None
        };
        let properties = self.optional_properties()?;
        Ok(CreateIndex {
            name,
            is_custom,
            if_not_exists,
            table,
            targets,
            using,
            properties,
        })
    }

    fn index_target(&mut self) -> Parsed<IndexTarget> {
        let is_called = self.peek_at(1) == TokenKind::OpenParenthesis;
        let kind = match self.peek() {
            TokenKind::Keyword(Keyword::Values) if is_called => IndexTargetKind::Values,
            TokenKind::Keyword(Keyword::Keys) if is_called => IndexTargetKind::Keys,
            TokenKind::Keyword(Keyword::Entries) => IndexTargetKind::Entries,
            TokenKind::Keyword(Keyword::Full) => IndexTargetKind::Full,
            _ => {
                let column = self.column_name()?;
                return Ok(IndexTarget {
                    column,
                    kind: IndexTargetKind::Simple,
                });
            }
        };
        self.advance();
        self.expect(TokenKind::OpenParenthesis)?;
        let column = self.column_name()?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(IndexTarget { column, kind })
    }
}
