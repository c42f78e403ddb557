//! Materialized views.

use super::Parser;
use super::failure::Parsed;
use super::property::PropertyNames;
use crate::ast::{AlterView, CreateView, Properties};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// After `CREATE MATERIALIZED VIEW`.
    pub(super) fn create_view(&mut self) -> Parsed<CreateView> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.table_name()?;
        self.expect_keyword(Keyword::As)?;
        self.expect_keyword(Keyword::Select)?;
        let selection = self.selection()?;
        self.expect_keyword(Keyword::From)?;
        let from = self.table_name()?;
        let relations = self.optional_relations()?;
        let primary_key = self.primary_key()?;
        let mut view = CreateView {
            name,
            if_not_exists,
            selection,
            from,
            relations,
            primary_key,
            clustering_order: Vec::new(),
            properties: Properties::default(),
        };
        if self.take_keyword(Keyword::With) {
            let mut names = PropertyNames::default();
            self.conjunction(|parser| parser.view_property(&mut view, &mut names))?;
        }
        Ok(view)
    }

    fn view_property(&mut self, view: &mut CreateView, names: &mut PropertyNames) -> Parsed<()> {
        if self.at_keyword(Keyword::Compact) && self.peek_at(1) != TokenKind::Equal {
            self.take_keywords(Keyword::Compact, &[Keyword::Storage])?;
            return self.refuse("COMPACT STORAGE tables are not allowed starting with version 4.0");
        }
        if self.is_clustering_order() {
            let order = self.clustering_order()?;
            view.clustering_order.extend(order);
            return Ok(());
        }
        self.property(&mut view.properties, names)
    }

    /// After `ALTER MATERIALIZED VIEW`.
    pub(super) fn alter_view(&mut self) -> Parsed<AlterView> {
        let if_exists = self.if_exists()?;
        let name = self.table_name()?;
        let properties = self.with_properties()?;
        Ok(AlterView {
            name,
            if_exists,
            properties,
        })
    }
}
