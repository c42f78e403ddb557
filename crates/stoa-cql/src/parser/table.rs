//! Tables.

use super::Parser;
use super::failure::Parsed;
use super::property::PropertyNames;
use crate::ast::{
    AlterTable, ClusteringColumn, ColumnDefinition, ColumnMask, CreateTable, PrimaryKey,
    Properties, TableChange,
};
use crate::keyword::Keyword;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// After `CREATE TABLE`.
    pub(super) fn create_table(&mut self) -> Parsed<CreateTable> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.table_name()?;
        let mut table = CreateTable {
            name,
            if_not_exists,
            columns: Vec::new(),
            primary_keys: Vec::new(),
            clustering_order: Vec::new(),
            is_compact_storage: false,
            properties: Properties::default(),
        };
        self.expect(TokenKind::OpenParenthesis)?;
        self.table_item(&mut table)?;
        // Commas may stand there without anything between them.
        while self.take(TokenKind::Comma) {
            if self.is_name_at(0) || self.at_keyword(Keyword::Primary) {
                self.table_item(&mut table)?;
            }
        }
        self.expect(TokenKind::CloseParenthesis)?;
        if self.take_keyword(Keyword::With) {
            let mut names = PropertyNames::default();
            self.conjunction(|parser| parser.table_property(&mut table, &mut names))?;
        }
        Ok(table)
    }

    fn table_item(&mut self, table: &mut CreateTable) -> Parsed<()> {
        if self.at_keyword(Keyword::Primary) {
            table.primary_keys.push(self.primary_key()?);
            return Ok(());
        }
        let mut column = self.column_definition()?;
        column.is_primary_key = self.take_keywords(Keyword::Primary, &[Keyword::Key])?;
        table.columns.push(column);
        Ok(())
    }

    /// A column, without `PRIMARY KEY`.
    fn column_definition(&mut self) -> Parsed<ColumnDefinition> {
        let name = self.name()?;
        let cql_type = self.cql_type()?;
        let is_static = self.take_keyword(Keyword::Static);
        let mask = if self.at_keyword(Keyword::Masked) {
            Some(self.column_mask()?)
        } else {
            None
        };
        Ok(ColumnDefinition {
            name,
            cql_type,
            is_static,
            mask,
            is_primary_key: false,
        })
    }

    fn column_mask(&mut self) -> Parsed<ColumnMask> {
        self.expect_keyword(Keyword::Masked)?;
        self.expect_keyword(Keyword::With)?;
        // A function may be called default.
        let is_called = matches!(self.peek_at(1), TokenKind::OpenParenthesis | TokenKind::Dot);
        if self.at_keyword(Keyword::Default) && !is_called {
            self.advance();
            return Ok(ColumnMask::Default);
        }
        let name = self.function_name()?;
        self.expect(TokenKind::OpenParenthesis)?;
        let arguments = self.list_until(TokenKind::CloseParenthesis, Self::term)?;
        Ok(ColumnMask::Function { name, arguments })
    }

    /// `PRIMARY KEY ((a, b), c)`
    pub(super) fn primary_key(&mut self) -> Parsed<PrimaryKey> {
        self.expect_keyword(Keyword::Primary)?;
        self.expect_keyword(Keyword::Key)?;
        self.expect(TokenKind::OpenParenthesis)?;
        let partition = if self.at(TokenKind::OpenParenthesis) {
            self.parenthesized_list(Self::name)?
        } else {
            vec![self.name()?]
        };
        let mut clustering = Vec::new();
        while self.take(TokenKind::Comma) {
            clustering.push(self.name()?);
        }
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(PrimaryKey {
            partition,
            clustering,
        })
    }

    fn table_property(&mut self, table: &mut CreateTable, names: &mut PropertyNames) -> Parsed<()> {
        if self.at_keyword(Keyword::Compact) && self.peek_at(1) != TokenKind::Equal {
            table.is_compact_storage = self.take_keywords(Keyword::Compact, &[Keyword::Storage])?;
            return Ok(());
        }
        if self.is_clustering_order() {
            let order = self.clustering_order()?;
            table.clustering_order.extend(order);
            return Ok(());
        }
        self.property(&mut table.properties, names)
    }

    pub(super) fn is_clustering_order(&self) -> bool {
        self.at_keyword(Keyword::Clustering) && self.peek_at(1) != TokenKind::Equal
    }

    /// `CLUSTERING ORDER BY (a DESC)`
    pub(super) fn clustering_order(&mut self) -> Parsed<Vec<ClusteringColumn>> {
        self.expect_keyword(Keyword::Clustering)?;
        self.expect_keyword(Keyword::Order)?;
        self.expect_keyword(Keyword::By)?;
        self.parenthesized_list(|parser| {
            let name = parser.name()?;
            match parser.optional_direction() {
                Some(direction) => Ok(ClusteringColumn { name, direction }),
                None => parser.unexpected(),
            }
        })
    }

    /// After `ALTER TABLE`.
    pub(super) fn alter_table(&mut self) -> Parsed<AlterTable> {
        let if_exists = self.if_exists()?;
        let name = self.table_name()?;
        let change = match self.peek() {
            TokenKind::Keyword(Keyword::Alter) => self.altered_column()?,
            TokenKind::Keyword(Keyword::Add) => self.added_columns()?,
            TokenKind::Keyword(Keyword::Drop) => self.dropped_columns()?,
            TokenKind::Keyword(Keyword::Rename) => {
                self.advance();
                let if_exists = self.if_exists()?;
                let renames = self.conjunction(Self::rename)?;
                TableChange::Rename { if_exists, renames }
            }
            TokenKind::Keyword(Keyword::With) => TableChange::Properties(self.with_properties()?),
            _ => return self.unexpected(),
        };
        Ok(AlterTable {
            name,
            if_exists,
            change,
        })
    }

    fn altered_column(&mut self) -> Parsed<TableChange> {
        self.expect_keyword(Keyword::Alter)?;
        let if_exists = self.if_exists()?;
        let column = self.column_name()?;
        let mask = match self.peek() {
            TokenKind::Keyword(Keyword::Type) if !if_exists => {
                self.advance();
                let cql_type = self.cql_type()?;
                return Ok(TableChange::AlterType { column, cql_type });
            }
            TokenKind::Keyword(Keyword::Masked) => Some(self.column_mask()?),
            TokenKind::Keyword(Keyword::Drop) => {
                self.take_keywords(Keyword::Drop, &[Keyword::Masked])?;
                None
            }
            _ => return self.unexpected(),
        };
        Ok(TableChange::Mask {
            if_exists,
            column,
            mask,
        })
    }

    fn added_columns(&mut self) -> Parsed<TableChange> {
        self.expect_keyword(Keyword::Add)?;
        let if_not_exists = self.if_not_exists()?;
        let columns = if self.at(TokenKind::OpenParenthesis) {
            self.parenthesized_list(Self::column_definition)?
        } else {
            vec![self.column_definition()?]
        };
        Ok(TableChange::Add {
            if_not_exists,
            columns,
        })
    }

    fn dropped_columns(&mut self) -> Parsed<TableChange> {
        self.expect_keyword(Keyword::Drop)?;
        let is_storage = self.peek_at(1) == TokenKind::Keyword(Keyword::Storage);
        if self.at_keyword(Keyword::Compact) && is_storage {
            self.advance();
            self.advance();
            return Ok(TableChange::DropCompactStorage);
        }
        let if_exists = self.if_exists()?;
        let columns = if self.at(TokenKind::OpenParenthesis) {
            self.parenthesized_list(Self::name)?
        } else {
            vec![self.name()?]
        };
        let timestamp_micros = if self.take_keywords(Keyword::Using, &[Keyword::Timestamp])? {
            Some(self.timestamp_micros()?)
        } else {
            None
        };
        Ok(TableChange::Drop {
            if_exists,
            columns,
            timestamp_micros,
        })
    }

    fn timestamp_micros(&mut self) -> Parsed<i64> {
        let text = self.token_text();
        self.expect(TokenKind::Integer)?;
        match text.parse() {
            Ok(micros) => Ok(micros),
            Err(_) => self.refuse(format!("a timestamp cannot be {text}")),
        }
    }
}
