//! From a `SELECT` of the tree to one resolved against its table.

use std::sync::Arc;

use stoa_cql::ast::{self, OrderDirection, OrderExpression, Selection, Selector};
use stoa_session::Column as AnswerColumn;
use stoa_types::{ClusteringOrder, DataType};

use super::expression::Expression;
use super::selector::{self, Selecting};
use super::{Form, Grouping, Nearest, Order, Select, Way};
use crate::catalog::{Column, ColumnKind, IndexTarget, Table};
use crate::functions;
use crate::functions::{FunctionName, Monotonicity, OfType, Resolved};
use crate::refusal::Refusal;
use crate::restrict::plan::{About, Purpose, Where};
use crate::restrict::relation::{find_column, receiver_of};
use crate::terms::{self, Context, Receiver, Term, Variables};

/// The most items of a selection; each becomes a column of the answer.
const MOST_SELECTED: usize = 65_535;

/// Resolves a `SELECT`.
pub(crate) fn prepare(
    select: &ast::Select,
    table: &Arc<Table>,
    context: &Context<'_>,
    variables: &mut Variables,
) -> Result<Select, Refusal> {
    if let Selection::Items(items) = &select.selection
        && items.len() > MOST_SELECTED
    {
        return Err(Refusal::invalid(format!(
            "A selection of {} items is too long: the most are {MOST_SELECTED}",
            items.len()
        )));
    }
    let mut preparing = Preparing {
        select,
        table,
        context,
        variables,
    };
    preparing.run()
}

struct Preparing<'a, 's> {
    select: &'a ast::Select,
    table: &'a Arc<Table>,
    context: &'a Context<'s>,
    variables: &'a mut Variables,
}

/// What a selection was resolved to.
struct Selected {
    outputs: Vec<Expression>,
    columns: Vec<AnswerColumn>,
    aggregates: Vec<selector::Aggregate>,
}

impl Preparing<'_, '_> {
    fn run(&mut self) -> Result<Select, Refusal> {
        let selected = self.selection()?;
        let is_nearest = self.is_nearest();
        let about = About {
            purpose: Purpose::Select,
            only_static: self.selects_only_static(),
            allow_filtering: self.select.allow_filtering,
            is_nearest,
        };
        let relations = &self.select.relations;
        let rows = Where::new(relations, self.table, about, self.context, self.variables)?;
        let grouping = self.grouping(&rows, !selected.aggregates.is_empty())?;
        if self.select.is_distinct {
            self.check_distinct(&rows, &grouping)?;
        }
        let order = self.order(&rows, &grouping)?;
        let per_partition_limit = self.limit(
            self.select.per_partition_limit.as_ref(),
            "[per_partition_limit]",
        )?;
        let limit = self.limit(self.select.limit.as_ref(), "[limit]")?;
        if per_partition_limit.is_some() {
            if self.select.is_distinct {
                return Err(Refusal::invalid(
                    "PER PARTITION LIMIT is not allowed with SELECT DISTINCT queries",
                ));
            }
            if is_nearest {
                return Err(Refusal::invalid(
                    "Top-K queries do not support per-partition limits",
                ));
            }
            if matches!(grouping, Grouping::Everything) {
                return Err(Refusal::invalid(
                    "PER PARTITION LIMIT is not allowed with aggregate queries.",
                ));
            }
        }
        let may_filter = self.select.allow_filtering || rows.is_filtering_free(self.table);
        if !may_filter && !is_nearest && rows.needs_filtering(self.table) {
            return Err(rows.filtering_refused());
        }
        Ok(self.assemble(selected, rows, grouping, order, limit, per_partition_limit))
    }

    fn assemble(
        &self,
        selected: Selected,
        rows: Where,
        grouping: Grouping,
        order: Order,
        limit: Option<Term>,
        per_partition_limit: Option<Term>,
    ) -> Select {
        let Selected {
            mut outputs,
            columns,
            aggregates,
        } = selected;
        let mut leaves = Vec::new();
        if !matches!(grouping, Grouping::None) {
            outputs = outputs
                .into_iter()
                .map(|it| it.cut_leaves(&mut leaves))
                .collect();
        }
        let (columns, form) = match self.select.is_json {
            false => (columns, Form::Columns),
            true => {
                let json = AnswerColumn {
                    name: "[json]".to_owned(),
                    data_type: DataType::Text,
                    keyspace: Arc::clone(&self.table.keyspace),
                    table: Arc::clone(&self.table.name),
                };
                (vec![json], Form::Json(columns))
            }
        };
        let warnings = warnings(&rows, &grouping);
        Select {
            table: Arc::clone(self.table),
            rows,
            outputs,
            columns: Arc::from(columns),
            aggregates,
            leaves,
            grouping,
            form,
            is_distinct: self.select.is_distinct,
            order,
            limit,
            per_partition_limit,
            warnings,
        }
    }

    fn selection(&mut self) -> Result<Selected, Refusal> {
        let mut selecting = Selecting {
            table: self.table,
            context: self.context,
            variables: self.variables,
            aggregates: Vec::new(),
            is_inside_aggregate: false,
        };
        let (mut outputs, mut columns) = (Vec::new(), Vec::new());
        let mut add = |name: String, expression: Expression, data_type: DataType| {
            outputs.push(expression);
            columns.push(AnswerColumn {
                keyspace: Arc::clone(&self.table.keyspace),
                table: Arc::clone(&self.table.name),
                name,
                data_type: data_type.without_frozen(),
            });
        };
        match &self.select.selection {
            Selection::All => {
                for (at, column) in self.table.columns.iter().enumerate() {
                    if self.select.is_distinct && column.kind != ColumnKind::PartitionKey {
                        continue;
                    }
                    let name = column.name.to_string();
                    add(name, Expression::Column(at), column.data_type.clone());
                }
            }
            Selection::Items(items) => {
                for item in items {
                    let (expression, data_type) = selecting.expression(&item.selector, None)?;
                    let name = match &item.alias {
                        Some(alias) => alias.as_str().to_owned(),
                        None => selector::name(&item.selector, self.table, self.context),
                    };
                    add(name, expression, data_type);
                }
            }
        }
        let aggregates = selecting.aggregates;
        Ok(Selected {
            outputs,
            columns,
            aggregates,
        })
    }

    /// Whether only static columns, and no functions of others, are selected. A map that is written
    /// out counts as something else, whatever is in it.
    fn selects_only_static(&self) -> bool {
        let has_clustering = !self.table.clustering().is_empty();
        let Selection::Items(items) = &self.select.selection else {
            return false;
        };
        let mut statics = 0;
        for item in items {
            if has_map(&item.selector) {
                return false;
            }
            let mut columns = Vec::new();
            columns_of(&item.selector, &mut columns);
            for name in columns {
                match self.table.column(name.as_str()).map(|it| it.kind) {
                    Some(ColumnKind::Static) => statics += 1,
                    Some(ColumnKind::PartitionKey) => {}
                    _ => return false,
                }
            }
        }
        has_clustering && statics > 0
    }

    fn limit(&mut self, term: Option<&ast::Term>, name: &str) -> Result<Option<Term>, Refusal> {
        let receiver = Receiver::new(name, DataType::Int);
        let term = term.map(|it| terms::prepare(it, &receiver, self.context, self.variables));
        term.transpose()
    }

    fn check_distinct(&self, rows: &Where, grouping: &Grouping) -> Result<(), Refusal> {
        if rows.restricts_clustering() || rows.restricts_regular(self.table) {
            return Err(Refusal::invalid(
                "SELECT DISTINCT with WHERE clause only supports restriction by partition key and/or static columns.",
            ));
        }
        let mut named = Vec::new();
        match &self.select.selection {
            Selection::All => {
                let others = self.table.columns.iter();
                let mut others = others
                    .filter(|it| !matches!(it.kind, ColumnKind::PartitionKey | ColumnKind::Static));
                if let Some(column) = others.next() {
                    return Err(not_distinct(&column.name));
                }
                named.extend(
                    self.table
                        .partition_key()
                        .iter()
                        .map(|it| it.name.to_string()),
                );
            }
            Selection::Items(items) => {
                for item in items {
                    let mut columns = Vec::new();
                    columns_of(&item.selector, &mut columns);
                    named.extend(columns.into_iter().map(|it| it.as_str().to_owned()));
                }
            }
        }
        for name in &named {
            let kind = self.table.column(name).map(|it| it.kind);
            if !matches!(kind, Some(ColumnKind::PartitionKey | ColumnKind::Static)) {
                return Err(not_distinct(name));
            }
        }
        let is_missing = |it: &&Column| !named.iter().any(|name| **name == *it.name);
        // Partitions that are named need no keys in the answer to be told apart.
        if rows.is_range {
            let missing = self.table.partition_key().iter().find(is_missing);
            if let Some(column) = missing {
                return Err(Refusal::invalid(format!(
                    "SELECT DISTINCT queries must request all the partition key columns (missing {})",
                    column.name
                )));
            }
        }
        if let Grouping::By(keys) = grouping
            && !keys.is_empty()
        {
            return Err(Refusal::invalid(
                "Grouping on clustering columns is not allowed for SELECT DISTINCT queries",
            ));
        }
        Ok(())
    }

    fn grouping(&mut self, rows: &Where, has_aggregates: bool) -> Result<Grouping, Refusal> {
        if self.select.group_by.is_empty() {
            return Ok(match has_aggregates {
                true => Grouping::Everything,
                false => Grouping::None,
            });
        }
        let key = self.table.partition_key().len() + self.table.clustering().len();
        let disorder = || {
            Refusal::invalid(
                "Group by currently only support groups of columns following their declared order in the PRIMARY KEY",
            )
        };
        let mut next = 0;
        let mut keys = Vec::new();
        let mut had_function = false;
        for selector in &self.select.group_by {
            let (at, expression) = self.group_key(selector, had_function)?;
            had_function |= !matches!(expression, Expression::Column(_));
            loop {
                if next >= key {
                    return Err(disorder());
                }
                let column = next;
                next += 1;
                if column == at {
                    break;
                }
                if !rows.is_equal(column) {
                    return Err(disorder());
                }
            }
            if at >= self.table.partition_key().len() {
                keys.push(expression);
            }
        }
        if next < self.table.partition_key().len() {
            return Err(Refusal::invalid(
                "Group by is not supported on only a part of the partition key",
            ));
        }
        Ok(Grouping::By(keys))
    }

    fn group_key(
        &mut self,
        selector: &Selector,
        had_function: bool,
    ) -> Result<(usize, Expression), Refusal> {
        if let Selector::Column(name) = selector {
            let (at, column) = find_column(self.table, name)?;
            if !column.is_key() {
                return Err(Refusal::invalid(format!(
                    "Group by is currently only supported on the columns of the PRIMARY KEY, got {}",
                    column.name
                )));
            }
            if had_function {
                return Err(Refusal::invalid(
                    "Functions are only supported on the last element of the GROUP BY clause",
                ));
            }
            return Ok((at, Expression::Column(at)));
        }
        let mut selecting = Selecting {
            table: self.table,
            context: self.context,
            variables: self.variables,
            aggregates: Vec::new(),
            is_inside_aggregate: false,
        };
        let (expression, _) = selecting.expression(selector, None)?;
        let Expression::Call(function, arguments) = &expression else {
            return Err(Refusal::server(
                "GROUP BY is only supported on columns and functions of them",
            ));
        };
        let mut columns = Vec::new();
        columns_of(selector, &mut columns);
        let [only] = columns.as_slice() else {
            return Err(Refusal::invalid(
                "GROUP BY functions accept only one clustering column as parameter",
            ));
        };
        let (at, column) = find_column(self.table, only)?;
        if column.kind != ColumnKind::Clustering {
            return Err(Refusal::invalid(format!(
                "Group by functions are only supported on clustering columns, got {}",
                column.name
            )));
        }
        let rest_is_constant = arguments.iter().skip(1).all(
            |it| matches!(it, Expression::Term(term) if term.is_constant() || term.has_variable()),
        );
        let is_monotonic = match function.monotonicity() {
            Monotonicity::Always => true,
            Monotonicity::InFirstArgument => rest_is_constant,
            Monotonicity::None => false,
        };
        if !is_monotonic {
            return Err(Refusal::invalid(format!(
                "Only monotonic functions are supported in the GROUP BY clause. Got: {}",
                function.signature().name
            )));
        }
        Ok((at, expression))
    }

    fn is_nearest(&self) -> bool {
        let mut items = self.select.order_by.iter();
        items.any(|it| matches!(it.expression, OrderExpression::NearestTo(_)))
    }

    fn order(&mut self, rows: &Where, grouping: &Grouping) -> Result<Order, Refusal> {
        if self.select.order_by.is_empty() {
            return Ok(Order::Forward);
        }
        if self.is_nearest() {
            return self.nearest(rows, grouping);
        }
        if rows.uses_index {
            return Err(Refusal::invalid(
                "ORDER BY with 2ndary indexes is not supported, except for ANN queries.",
            ));
        }
        if rows.is_range {
            return Err(Refusal::invalid(
                "ORDER BY is only supported when the partition key is restricted by an EQ or an IN.",
            ));
        }
        let ways = self.ways(rows)?;
        let direction = self.direction(&ways)?;
        Ok(match rows.has_partition_in() {
            true => Order::Sorted(ways),
            false => direction,
        })
    }

    /// The direction of the rows in which they are in this order; no other order is to be had.
    fn direction(&self, ways: &[(Expression, DataType, Way)]) -> Result<Order, Refusal> {
        let start = self.table.partition_key().len();
        let mut is_backward = None;
        for (expression, _, way) in ways {
            let Expression::Column(at) = expression else {
                continue;
            };
            let natural = self.table.clustering().get(at - start).map(|it| it.order);
            let turned = match (natural, way) {
                (Some(ClusteringOrder::Descending), Way::Ascending) => true,
                (Some(ClusteringOrder::Descending), Way::Descending) => false,
                (_, way) => *way == Way::Descending,
            };
            if is_backward.is_some_and(|it| it != turned) {
                return Err(Refusal::invalid("Unsupported order by relation"));
            }
            is_backward = Some(turned);
        }
        Ok(match is_backward {
            Some(true) => Order::Backward,
            _ => Order::Forward,
        })
    }

    /// The clustering columns to order by, checked to be in the order of the key.
    fn ways(&self, rows: &Where) -> Result<Vec<(Expression, DataType, Way)>, Refusal> {
        let start = self.table.partition_key().len();
        let end = start + self.table.clustering().len();
        let mut next = start;
        let mut ways = Vec::new();
        for item in &self.select.order_by {
            let (at, column) = find_column(self.table, &item.column)?;
            if column.kind != ColumnKind::Clustering {
                return Err(Refusal::invalid(format!(
                    "Order by is currently only supported on the clustered columns of the PRIMARY KEY, got {}",
                    column.name
                )));
            }
            let is_again = |(it, _, _): &(Expression, DataType, Way)| matches!(it, Expression::Column(other) if *other == at);
            if ways.iter().any(is_again) {
                continue;
            }
            while next != at {
                if next >= end || !rows.is_equal(next) {
                    return Err(Refusal::invalid(
                        "Order by currently only supports the ordering of columns following their declared order in the PRIMARY KEY",
                    ));
                }
                next += 1;
            }
            next += 1;
            let way = match item.direction {
                OrderDirection::Ascending => Way::Ascending,
                OrderDirection::Descending => Way::Descending,
            };
            ways.push((Expression::Column(at), column.data_type.clone(), way));
        }
        Ok(ways)
    }

    fn nearest(&mut self, rows: &Where, grouping: &Grouping) -> Result<Order, Refusal> {
        let [item] = self.select.order_by.as_slice() else {
            return Err(Refusal::invalid(
                "ANN ordering does not support any other ordering",
            ));
        };
        let (at, column) = find_column(self.table, &item.column)?;
        let DataType::Vector { .. } = column.data_type else {
            return Err(Refusal::invalid(
                "ANN ordering is only supported on float vector indexes",
            ));
        };
        let OrderExpression::NearestTo(term) = &item.expression else {
            return Ok(Order::Forward);
        };
        let receiver = receiver_of(column);
        let to = terms::prepare(term, &receiver, self.context, self.variables)?;
        if item.direction == OrderDirection::Descending {
            return Err(Refusal::invalid("Descending ANN ordering is not supported"));
        }
        let mut indexes = self.table.indexes.iter();
        let index = indexes.find(|it| {
            it.column == column.name && it.is_storage_attached() && it.target == IndexTarget::Simple
        });
        let index = index.ok_or_else(|| {
            Refusal::invalid("ANN ordering by vector requires the column to be indexed using SAI")
        })?;
        if !matches!(grouping, Grouping::None) {
            return Err(Refusal::invalid(
                "Top-K queries can not be run with aggregation",
            ));
        }
        if rows.filters_without_index(self.table) {
            return Err(Refusal::invalid(
                "ANN ordering by vector requires all restricted column(s) to be indexed",
            ));
        }
        let function = match index.option("similarity_function") {
            Some(name) => format!("similarity_{}", name.to_ascii_lowercase()),
            None => "similarity_cosine".to_owned(),
        };
        let vector = OfType(&column.data_type);
        let name = FunctionName::unqualified(&function);
        let context = functions::Context {
            partition_key: None,
        };
        let found = functions::resolve(&name, &[&vector, &vector], None, &context)?;
        match found {
            Some(Resolved::Scalar(similarity)) => Ok(Order::Nearest(Nearest {
                column: at,
                to,
                similarity: Box::new(similarity),
            })),
            _ => Err(Refusal::invalid(format!("Unknown function '{function}'"))),
        }
    }
}

fn not_distinct(column: &str) -> Refusal {
    Refusal::invalid(format!(
        "SELECT DISTINCT queries must only request partition key columns and/or static columns (not {column})"
    ))
}

fn warnings(rows: &Where, grouping: &Grouping) -> Vec<String> {
    if matches!(grouping, Grouping::None) {
        return Vec::new();
    }
    if !rows.restricts_partition() {
        vec!["Aggregation query used without partition key".to_owned()]
    } else if rows.has_partition_in() {
        vec!["Aggregation query used on multiple partition keys (IN restriction)".to_owned()]
    } else {
        Vec::new()
    }
}

/// The columns that a selector names.
fn columns_of<'s>(selector: &'s Selector, out: &mut Vec<&'s ast::Name>) {
    visit(selector, &mut |part| {
        if let Selector::Column(name) = part {
            out.push(name);
        }
    });
}

/// Whether there is a map or a user-defined type in it that is written out.
fn has_map(selector: &Selector) -> bool {
    let mut has_map = false;
    visit(selector, &mut |part| {
        has_map |= matches!(part, Selector::MapOrUserType(_));
    });
    has_map
}

/// Shows a selector and its parts, from left to right.
fn visit<'s>(selector: &'s Selector, see: &mut dyn FnMut(&'s Selector)) {
    see(selector);
    match selector {
        Selector::Column(_) | Selector::Term(_) | Selector::CountRows => {}
        Selector::Cast(inner, _)
        | Selector::CellFact(_, inner)
        | Selector::Field(inner, _)
        | Selector::Element(inner, _)
        | Selector::Slice { of: inner, .. }
        | Selector::Negation(inner)
        | Selector::TypeHint(_, inner) => visit(inner, see),
        Selector::Arithmetic { left, right, .. } => {
            visit(left, see);
            visit(right, see);
        }
        Selector::Function {
            arguments: parts, ..
        }
        | Selector::Parenthesized(parts)
        | Selector::ListOrVector(parts)
        | Selector::SetOrEmptyMap(parts) => parts.iter().for_each(|it| visit(it, see)),
        Selector::MapOrUserType(pairs) => {
            for (key, value) in pairs {
                visit(key, see);
                visit(value, see);
            }
        }
    }
}
