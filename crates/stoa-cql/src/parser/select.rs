//! `SELECT`.

use super::Parser;
use super::failure::Parsed;
use crate::ast::{OrderBy, OrderDirection, OrderExpression, Select, Selection};
use crate::keyword::Keyword;

impl Parser<'_> {
    pub(super) fn select(&mut self) -> Parsed<Select> {
        self.expect_keyword(Keyword::Select)?;
        let (is_json, (is_distinct, selection)) = self.select_clause()?;
        self.expect_keyword(Keyword::From)?;
        let from = self.table_name()?;
        let relations = self.optional_relations()?;
        let group_by = if self.take_keywords(Keyword::Group, &[Keyword::By])? {
            self.list(Self::selector)?
        } else {
            Vec::new()
        };
        let order_by = if self.take_keywords(Keyword::Order, &[Keyword::By])? {
            self.list(Self::order_by)?
        } else {
            Vec::new()
        };
        let per_partition = [Keyword::Partition, Keyword::Limit];
        let per_partition_limit = if self.take_keywords(Keyword::Per, &per_partition)? {
            Some(self.integer_or_marker()?)
        } else {
            None
        };
        let limit = if self.take_keyword(Keyword::Limit) {
            Some(self.integer_or_marker()?)
        } else {
            None
        };
        let allow_filtering = self.take_keywords(Keyword::Allow, &[Keyword::Filtering])?;
        Ok(Select {
            is_json,
            is_distinct,
            selection,
            from,
            relations,
            group_by,
            order_by,
            per_partition_limit,
            limit,
            allow_filtering,
        })
    }

    /// `json` is a column, too: it is the keyword only if a selection follows.
    fn select_clause(&mut self) -> Parsed<(bool, (bool, Selection))> {
        if self.at_keyword(Keyword::Json) {
            let json = self.attempt(|parser| {
                parser.advance();
                parser.distinct_or_all()
            })?;
            if let Some(clause) = json {
                return Ok((true, clause));
            }
        }
        Ok((false, self.distinct_or_all()?))
    }

    /// And so is `distinct`.
    fn distinct_or_all(&mut self) -> Parsed<(bool, Selection)> {
        if self.at_keyword(Keyword::Distinct) {
            let distinct = self.attempt(|parser| {
                parser.advance();
                parser.selection()
            })?;
            if let Some(selection) = distinct {
                return Ok((true, selection));
            }
        }
        Ok((false, self.selection()?))
    }

    fn order_by(&mut self) -> Parsed<OrderBy> {
        let column = self.column_name()?;
        let expression = if self.take_keywords(Keyword::Ann, &[Keyword::Of])? {
            OrderExpression::NearestTo(self.term()?)
        } else {
            OrderExpression::Column
        };
        let direction = self.optional_direction().unwrap_or_default();
        Ok(OrderBy {
            column,
            expression,
            direction,
        })
    }

    /// `ASC` or `DESC`
    pub(super) fn optional_direction(&mut self) -> Option<OrderDirection> {
        if self.take_keyword(Keyword::Asc) {
            Some(OrderDirection::Ascending)
        } else if self.take_keyword(Keyword::Desc) {
            Some(OrderDirection::Descending)
        } else {
            None
        }
    }
}
