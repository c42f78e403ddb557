//! Which statement it is.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{Modification, Statement};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let TokenKind::Keyword(keyword) = self.peek() else {
            return self.unexpected();
        };
        match keyword {
            Keyword::Select => self.select().map(Statement::Select),
            Keyword::Insert => self.insert().map(Statement::from),
            Keyword::Update => self.update().map(Modification::Update).map(Statement::from),
            Keyword::Delete => self.delete().map(Modification::Delete).map(Statement::from),
            Keyword::Begin => self.batch().map(Statement::Batch),
            Keyword::Use => {
                self.advance();
                self.keyspace_name().map(Statement::Use)
            }
            Keyword::Truncate => {
                self.advance();
                self.take_keyword(Keyword::Table);
                self.table_name().map(Statement::Truncate)
            }
            Keyword::Create => self.create(),
            Keyword::Alter => self.alter(),
            Keyword::Drop => self.drop_statement(),
            Keyword::Add => {
                self.take_keywords(Keyword::Add, &[Keyword::Identity])?;
                self.add_identity().map(Statement::AddIdentity)
            }
            Keyword::Grant => self.grant(),
            Keyword::Revoke => self.revoke(),
            Keyword::List => self.list_statement(),
            Keyword::Describe | Keyword::Desc => {
                self.advance();
                self.describe().map(Statement::Describe)
            }
            _ => self.unexpected(),
        }
    }

    /// The keyword that says what is created, altered or dropped; passed over.
    fn object_keyword(&mut self) -> Parsed<Keyword> {
        let TokenKind::Keyword(keyword) = self.peek() else {
            return self.unexpected();
        };
        let is_object = matches!(
            keyword,
            Keyword::Keyspace
                | Keyword::Table
                | Keyword::Type
                | Keyword::Index
                | Keyword::Custom
                | Keyword::Materialized
                | Keyword::Function
                | Keyword::Aggregate
                | Keyword::Trigger
                | Keyword::Role
                | Keyword::User
                | Keyword::Identity
        );
        if !is_object {
            return self.unexpected();
        }
        self.advance();
        Ok(keyword)
    }

    /// The keyword just passed over does not fit.
    fn unexpected_object<T>(&mut self) -> Parsed<T> {
        self.position = self.position.saturating_sub(1);
        self.unexpected()
    }

    fn create(&mut self) -> Parsed<Statement> {
        self.expect_keyword(Keyword::Create)?;
        let or_replace = self.take_keywords(Keyword::Or, &[Keyword::Replace])?;
        let keyword = self.object_keyword()?;
        match keyword {
            Keyword::Function => self
                .create_function(or_replace)
                .map(Statement::CreateFunction),
            Keyword::Aggregate => {
                let aggregate = self.create_aggregate(or_replace)?;
                Ok(Statement::CreateAggregate(aggregate))
            }
            _ if or_replace => self.unexpected_object(),
            Keyword::Keyspace => self.create_keyspace().map(Statement::CreateKeyspace),
            Keyword::Table => self.create_table().map(Statement::CreateTable),
            Keyword::Type => self.create_type().map(Statement::CreateType),
            Keyword::Index | Keyword::Custom => {
                let is_custom = keyword == Keyword::Custom;
                if is_custom {
                    self.expect_keyword(Keyword::Index)?;
                }
                self.create_index(is_custom).map(Statement::CreateIndex)
            }
            Keyword::Materialized => {
                self.expect_keyword(Keyword::View)?;
                self.create_view().map(Statement::CreateView)
            }
            Keyword::Trigger => self.create_trigger().map(Statement::CreateTrigger),
            Keyword::Role => self.create_role().map(Statement::CreateRole),
            Keyword::User => self.create_user().map(Statement::CreateUser),
            _ => self.unexpected_object(),
        }
    }

    fn alter(&mut self) -> Parsed<Statement> {
        self.expect_keyword(Keyword::Alter)?;
        match self.object_keyword()? {
            Keyword::Keyspace => self.alter_keyspace().map(Statement::AlterKeyspace),
            Keyword::Table => self.alter_table().map(Statement::AlterTable),
            Keyword::Type => self.alter_type().map(Statement::AlterType),
            Keyword::Materialized => {
                self.expect_keyword(Keyword::View)?;
                self.alter_view().map(Statement::AlterView)
            }
            Keyword::Role => self.alter_role().map(Statement::AlterRole),
            Keyword::User => self.alter_user().map(Statement::AlterUser),
            _ => self.unexpected_object(),
        }
    }

    fn drop_statement(&mut self) -> Parsed<Statement> {
        self.expect_keyword(Keyword::Drop)?;
        match self.object_keyword()? {
            Keyword::Keyspace => self.drop_keyspace().map(Statement::DropKeyspace),
            Keyword::Table => self.drop_object(Self::table_name).map(Statement::DropTable),
            Keyword::Type => self.drop_object(Self::type_name).map(Statement::DropType),
            Keyword::Index => self.drop_object(Self::index_name).map(Statement::DropIndex),
            Keyword::Materialized => {
                self.expect_keyword(Keyword::View)?;
                self.drop_object(Self::table_name).map(Statement::DropView)
            }
            Keyword::Function => self.drop_function().map(Statement::DropFunction),
            Keyword::Aggregate => self.drop_function().map(Statement::DropAggregate),
            Keyword::Trigger => self.drop_trigger().map(Statement::DropTrigger),
            Keyword::Role => self.drop_role().map(Statement::DropRole),
            Keyword::User => self.drop_user().map(Statement::DropUser),
            Keyword::Identity => self.drop_identity().map(Statement::DropIdentity),
            _ => self.unexpected_object(),
        }
    }
}
