//! Functions, aggregates and triggers.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{
    CqlType, CreateAggregate, CreateFunction, CreateTrigger, DropFunction, DropTrigger, OnNullInput,
};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// After `CREATE FUNCTION`.
    pub(super) fn create_function(&mut self, or_replace: bool) -> Parsed<CreateFunction> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.function_name()?;
        self.expect(TokenKind::OpenParenthesis)?;
        let arguments = self.list_until(TokenKind::CloseParenthesis, Self::field)?;
        let on_null_input = self.on_null_input()?;
        self.expect_keyword(Keyword::Returns)?;
        let returns = self.cql_type()?;
        self.expect_keyword(Keyword::Language)?;
        let language = self.token_text().to_ascii_lowercase();
        self.expect(TokenKind::Identifier)?;
        self.expect_keyword(Keyword::As)?;
        let body = self.string_literal()?;
        Ok(CreateFunction {
            or_replace,
            if_not_exists,
            name,
            arguments,
            on_null_input,
            returns,
            language: language.into(),
            body,
        })
    }

    fn on_null_input(&mut self) -> Parsed<OnNullInput> {
        let on_null_input = if self.take_keywords(Keyword::Returns, &[Keyword::Null])? {
            OnNullInput::ReturnsNull
        } else if self.take_keyword(Keyword::Called) {
            OnNullInput::Called
        } else {
            return self.unexpected();
        };
        self.expect_keyword(Keyword::On)?;
        self.expect_keyword(Keyword::Null)?;
        self.expect_keyword(Keyword::Input)?;
        Ok(on_null_input)
    }

    /// After `CREATE AGGREGATE`.
    pub(super) fn create_aggregate(&mut self, or_replace: bool) -> Parsed<CreateAggregate> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.function_name()?;
        let arguments = self.argument_types()?;
        self.expect_keyword(Keyword::Sfunc)?;
        let state_function = self.bare_function_name()?;
        self.expect_keyword(Keyword::Stype)?;
        let state_type = self.cql_type()?;
        let final_function = if self.take_keyword(Keyword::Finalfunc) {
            Some(self.bare_function_name()?)
        } else {
            None
        };
        let initial_state = if self.take_keyword(Keyword::Initcond) {
            Some(self.term()?)
        } else {
            None
        };
        Ok(CreateAggregate {
            or_replace,
            if_not_exists,
            name,
            arguments,
            state_function,
            state_type,
            final_function,
            initial_state,
        })
    }

    /// `(t, t)`
    pub(super) fn argument_types(&mut self) -> Parsed<Vec<CqlType>> {
        self.expect(TokenKind::OpenParenthesis)?;
        self.list_until(TokenKind::CloseParenthesis, Self::cql_type)
    }

    /// After `DROP FUNCTION` or `DROP AGGREGATE`.
    pub(super) fn drop_function(&mut self) -> Parsed<DropFunction> {
        let if_exists = self.if_exists()?;
        let name = self.function_name()?;
        let arguments = if self.at(TokenKind::OpenParenthesis) {
            Some(self.argument_types()?)
        } else {
            None
        };
        Ok(DropFunction {
            if_exists,
            name,
            arguments,
        })
    }

    /// After `CREATE TRIGGER`.
    pub(super) fn create_trigger(&mut self) -> Parsed<CreateTrigger> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.name()?;
        self.expect_keyword(Keyword::On)?;
        let table = self.table_name()?;
        self.expect_keyword(Keyword::Using)?;
        let using = self.string_literal()?;
        Ok(CreateTrigger {
            name,
            if_not_exists,
            table,
            using,
        })
    }

    /// After `DROP TRIGGER`.
    pub(super) fn drop_trigger(&mut self) -> Parsed<DropTrigger> {
        let if_exists = self.if_exists()?;
        let name = self.name()?;
        self.expect_keyword(Keyword::On)?;
        let table = self.table_name()?;
        Ok(DropTrigger {
            name,
            if_exists,
            table,
        })
    }
}
