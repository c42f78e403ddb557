//! `SELECT`: resolved once ([`prepare`]), then executed page by page ([`execute`]).

pub(crate) mod cursor;
mod descending;
pub(crate) mod execute;
pub(crate) mod expression;
pub(crate) mod gather;
mod plain_text;
pub(crate) mod prepare;
pub(crate) mod selector;
pub(crate) mod source;

use std::sync::Arc;

use stoa_session::Column as AnswerColumn;

use crate::catalog::Table;
use crate::restrict::plan::Where;
use crate::terms::Term;
use expression::Expression;
use selector::Aggregate;

/// A `SELECT`, resolved.
#[derive(Debug, Clone)]
pub(crate) struct Select {
    pub(crate) table: Arc<Table>,
    pub(crate) rows: Where,
    /// What is computed for each row or group.
    pub(crate) outputs: Vec<Expression>,
    /// The columns of the answer.
    pub(crate) columns: Arc<[AnswerColumn]>,
    pub(crate) aggregates: Vec<Aggregate>,
    /// What is computed of the first row of each group.
    pub(crate) leaves: Vec<Expression>,
    pub(crate) grouping: Grouping,
    pub(crate) form: Form,
    pub(crate) is_distinct: bool,
    pub(crate) order: Order,
    pub(crate) limit: Option<Term>,
    pub(crate) per_partition_limit: Option<Term>,
    pub(crate) warnings: Vec<String>,
}

/// Which rows make one row of the answer.
#[derive(Debug, Clone)]
pub(crate) enum Grouping {
    /// Each its own.
    None,
    /// All of them.
    Everything,
    /// Those of one partition with equal values of these.
    By(Vec<Expression>),
}

/// How a row of the answer is told.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// Column by column.
    Columns,
    /// As one JSON text; the names of its members, and the columns they are made of.
    Json(Vec<AnswerColumn>),
}

/// In which order rows come.
#[derive(Debug, Clone)]
pub(crate) enum Order {
    /// That of the table.
    Forward,
    /// The other way round.
    Backward,
    /// Sorted in memory by columns, each in its direction.
    Sorted(Vec<(Expression, stoa_types::DataType, Way)>),
    /// By nearness to a vector.
    Nearest(Nearest),
}

/// The direction of a sorted column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Ascending,
    Descending,
}

/// Nearness to a vector.
#[derive(Debug, Clone)]
pub(crate) struct Nearest {
    pub(crate) column: usize,
    pub(crate) to: Term,
    pub(crate) similarity: Box<crate::functions::ScalarFunction>,
}
