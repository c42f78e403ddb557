//! SELECT: rows found, ordered, grouped, limited and shown.

use stoa_cql::ast::{OrderDirection, OrderExpression, Select, Selector, Term};
use stoa_session::Rows;
use stoa_types::{ClusteringOrder, DataType};

use super::failure::{Known, invalid, unknown};
use super::plan::{Plan, place};
use super::restriction;
use super::selector::{self, Item};
use super::terms::Terms;
use super::value::{self, Val};
use super::view::RowView;
use super::world::{Kind, Table, World};

/// The whole answer of a SELECT.
#[derive(Debug)]
pub(super) struct Selected {
    /// All rows.
    pub(super) rows: Rows,
    /// What Cassandra warns of.
    pub(super) warnings: Vec<String>,
}

impl World {
    /// Executes a SELECT.
    pub(super) fn select(
        &self,
        select: &Select,
        terms: Terms<'_>,
        now: i64,
        is_paged: bool,
    ) -> Known<Selected> {
        if select.is_json {
            return unknown("JSON");
        }
        let table = self.table(&select.from)?;
        let items = selector::items(table, select, terms)?;
        let restrictions = restriction::resolve(table, &select.relations, terms)?;
        let plan = Plan::new(table, restrictions)?;
        let group = group_columns(table, select, &plan)?;
        let is_grouped = group.is_some();
        let aggregates = is_grouped || items.iter().any(Item::aggregates);
        check_distinct(table, select, &items, &plan, group)?;
        check_static_only(table, select, &items, &plan)?;
        let limit = limit(select.limit.as_ref(), terms)?;
        let per_partition = limit_of_partition(select, terms, aggregates && !is_grouped)?;
        let is_reversed = is_reversed(table, select, &plan)?;
        plan.check_filtering(table, select.allow_filtering, !select.order_by.is_empty())?;
        if plan.has_key_in && !select.order_by.is_empty() {
            return match is_paged {
                // Nothing is paged, and nothing refused, where the clusterings exclude each other.
                true if plan.restricts_clustering => unknown("pages of clusterings in order"),
                true => invalid("Cannot page queries with both ORDER BY and a IN restriction"),
                false => unknown("rows of several partitions in order"),
            };
        }
        table.trusted()?;
        let reader = Reader {
            table,
            plan: &plan,
            now,
            is_reversed,
            is_distinct: select.is_distinct,
        };
        let partitions = reader.partitions()?;
        let columns = selector::answer_columns(table, &items);
        let mut rows = Rows::with_columns(columns);
        match (aggregates, group) {
            (false, _) => plain(&items, &partitions, per_partition, limit, &mut rows)?,
            (true, None) => {
                let all: Vec<RowView<'_>> = partitions.into_iter().flatten().collect();
                push(
                    &mut rows,
                    items.iter().map(|item| item.value_of_group(&all)),
                )?;
            }
            (true, Some(prefix)) => {
                grouped(&items, &partitions, prefix, per_partition, limit, &mut rows)?;
            }
        }
        let warnings = match (aggregates, plan.restricts_partition, plan.has_key_in) {
            (true, false, _) => vec!["Aggregation query used without partition key".to_owned()],
            (true, true, true) => vec![
                "Aggregation query used on multiple partition keys (IN restriction)".to_owned(),
            ],
            _ => Vec::new(),
        };
        Ok(Selected { rows, warnings })
    }
}

fn push(rows: &mut Rows, cells: impl Iterator<Item = Known<Option<Vec<u8>>>>) -> Known<()> {
    let cells = cells.collect::<Known<Vec<_>>>()?;
    match rows.push(cells.iter().map(Option::as_deref)) {
        Ok(()) => Ok(()),
        Err(error) => unknown(error.to_string()),
    }
}

type Partitions<'a> = Vec<Vec<RowView<'a>>>;

fn plain(
    items: &[Item],
    partitions: &Partitions<'_>,
    per_partition: usize,
    limit: usize,
    rows: &mut Rows,
) -> Known<()> {
    let shown = partitions
        .iter()
        .flat_map(|it| it.iter().take(per_partition));
    for row in shown.take(limit) {
        push(rows, items.iter().map(|item| item.value(row)))?;
    }
    Ok(())
}

/// Groups have the same partition and the same first clustering columns.
fn grouped(
    items: &[Item],
    partitions: &Partitions<'_>,
    prefix: usize,
    per_partition: usize,
    limit: usize,
    rows: &mut Rows,
) -> Known<()> {
    for partition in partitions {
        let same = |left: &RowView<'_>, right: &RowView<'_>| {
            let first = |row: &RowView<'_>| {
                let clustering = row.clustering.map(|it| it.iter().take(prefix).cloned());
                clustering.map(Iterator::collect::<Vec<_>>)
            };
            first(left) == first(right)
        };
        for group in partition.chunk_by(same).take(per_partition) {
            if rows.len() >= limit {
                return Ok(());
            }
            push(rows, items.iter().map(|item| item.value_of_group(group)))?;
        }
    }
    Ok(())
}

struct Reader<'a> {
    table: &'a Table,
    plan: &'a Plan,
    now: i64,
    is_reversed: bool,
    is_distinct: bool,
}

impl<'a> Reader<'a> {
    /// The rows of each partition that has any.
    fn partitions(&self) -> Known<Partitions<'a>> {
        let mut found = Vec::new();
        match &self.plan.keys {
            Some(keys) => {
                for key in keys {
                    let at = place(key)?;
                    if let Some(partition) = self.table.partitions.get(&at) {
                        found.push(self.rows(at.0, partition)?);
                    }
                }
            }
            None => {
                for ((token, _), partition) in &self.table.partitions {
                    found.push(self.rows(*token, partition)?);
                }
            }
        }
        found.retain(|rows| !rows.is_empty());
        Ok(found)
    }

    fn rows(
        &self,
        token: i64,
        partition: &'a super::partition::Partition,
    ) -> Known<Vec<RowView<'a>>> {
        let alone = RowView::of_static(self.table, partition, token, self.now);
        let live = |(clustering, row)| {
            let view = alone.with_row(clustering, row);
            view.is_live().then_some(view)
        };
        let all = partition
            .rows
            .iter()
            .map(|(clustering, row)| (clustering, row));
        let mut rows: Vec<RowView<'a>> = all.filter_map(live).collect();
        if self.is_reversed {
            rows.reverse();
        }
        let shows_static_alone = !self.plan.restricts_clustering
            && !self.plan.restricts_regular
            && alone.is_static_live();
        if rows.is_empty() && shows_static_alone {
            rows.push(alone);
        }
        let mut kept = Vec::new();
        for row in rows {
            let mut holds = true;
            for restriction in &self.plan.restrictions {
                holds = holds && restriction.holds(&row)?;
            }
            if holds {
                kept.push(row);
                if self.is_distinct {
                    break;
                }
            }
        }
        Ok(kept)
    }
}

/// A LIMIT; none if it is null or unset.
fn limit(term: Option<&Term>, terms: Terms<'_>) -> Known<usize> {
    let Some(term) = term else {
        return Ok(usize::MAX);
    };
    match terms.eval(term, &DataType::Int)? {
        Val::Unset => Ok(usize::MAX),
        Val::Null => invalid("Invalid null value of limit"),
        Val::Bytes(bytes) => match usize::try_from(value::int(&bytes)?) {
            Ok(limit) if limit > 0 => Ok(limit),
            _ => invalid("LIMIT must be strictly positive"),
        },
    }
}

fn limit_of_partition(select: &Select, terms: Terms<'_>, is_one_group: bool) -> Known<usize> {
    if select.per_partition_limit.is_some() {
        if select.is_distinct {
            return invalid("PER PARTITION LIMIT is not allowed with SELECT DISTINCT queries");
        }
        if is_one_group {
            return invalid("PER PARTITION LIMIT is not allowed with aggregate queries.");
        }
    }
    limit(select.per_partition_limit.as_ref(), terms)
}

/// How many clustering columns groups share; `None` without GROUP BY.
fn group_columns(table: &Table, select: &Select, plan: &Plan) -> Known<Option<usize>> {
    if select.group_by.is_empty() {
        return Ok(None);
    }
    let mut next = 0;
    for selector in &select.group_by {
        let Selector::Column(name) = selector else {
            return unknown("groups by functions");
        };
        let position = table.position(name.as_str())?;
        if !table.at(position)?.is_key() {
            return invalid(
                "Group by is currently only supported on the columns of the PRIMARY KEY",
            );
        }
        while next < position && plan.is_equality_on(next) {
            next += 1;
        }
        if next != position {
            return invalid("Group by currently only support groups of columns in their order");
        }
        next += 1;
    }
    match next < table.partition_columns {
        true if (next..table.partition_columns).all(|it| plan.is_equality_on(it)) => {
            unknown("groups by a part of the partition key")
        }
        true => invalid("Group by is not supported on only a part of the partition key"),
        false => Ok(Some(next - table.partition_columns)),
    }
}

fn check_distinct(
    table: &Table,
    select: &Select,
    items: &[Item],
    plan: &Plan,
    group: Option<usize>,
) -> Known<()> {
    if !select.is_distinct {
        return Ok(());
    }
    if plan.restricts_clustering || plan.restricts_regular {
        return invalid("SELECT DISTINCT only supports restriction by partition key and statics");
    }
    if group.is_some_and(|prefix| prefix > 0) {
        return invalid("Grouping on clustering columns is not allowed for SELECT DISTINCT");
    }
    if items
        .iter()
        .any(|item| matches!(item.what, selector::What::Token))
    {
        return unknown("tokens of distinct partitions");
    }
    let mut has_key = vec![plan.keys.is_some(); table.partition_columns];
    for position in items.iter().flat_map(Item::columns) {
        match table.at(position)?.kind {
            Kind::Partition(index) => {
                if let Some(has) = has_key.get_mut(index) {
                    *has = true;
                }
            }
            Kind::Static => {}
            Kind::Clustering(_) | Kind::Regular => {
                return invalid("SELECT DISTINCT queries must only request keys and statics");
            }
        }
    }
    match has_key.iter().all(|has| *has) {
        true => Ok(()),
        false => invalid("SELECT DISTINCT queries must request all the partition key columns"),
    }
}

/// Who selects static columns only may not restrict clustering columns.
fn check_static_only(table: &Table, select: &Select, items: &[Item], plan: &Plan) -> Known<()> {
    let is_all = matches!(select.selection, stoa_cql::ast::Selection::All);
    if !plan.restricts_clustering || !table.has_static() || is_all {
        return Ok(());
    }
    let mut has_static = false;
    for position in items.iter().flat_map(Item::columns) {
        match table.at(position)?.kind {
            Kind::Clustering(_) | Kind::Regular => return Ok(()),
            Kind::Static => has_static = true,
            Kind::Partition(_) => {}
        }
    }
    match has_static {
        true => invalid("Cannot restrict clustering columns when selecting only static columns"),
        false => Ok(()),
    }
}

/// Whether rows come in the order opposite to the table's.
fn is_reversed(table: &Table, select: &Select, plan: &Plan) -> Known<bool> {
    if select.order_by.is_empty() {
        return Ok(false);
    }
    let mut asked = Vec::new();
    for order in &select.order_by {
        if order.expression != OrderExpression::Column {
            return unknown("orders by closeness");
        }
        let position = table.position(order.column.as_str())?;
        match table.at(position)?.kind {
            Kind::Clustering(index) => asked.push((position, index, order.direction)),
            _ => return invalid("Order by is currently only supported on the clustered columns"),
        }
    }
    if plan.keys.is_none() {
        return invalid("ORDER BY is only supported when the partition key is restricted");
    }
    let mut reversed = None;
    let mut next = table.partition_columns;
    let mut seen = Vec::new();
    for (position, index, direction) in asked {
        if seen.contains(&position) {
            return unknown("a column twice in an ORDER BY");
        }
        seen.push(position);
        while next < position && plan.is_equality_on(next) {
            next += 1;
        }
        if next != position {
            return invalid("Order by only supports the ordering of columns in their order");
        }
        next += 1;
        let own = table.clustering.get(index).map(|key| key.order);
        let is_descending = direction == OrderDirection::Descending;
        let is_reversed = is_descending != (own == Some(ClusteringOrder::Descending));
        if reversed.is_some_and(|other| other != is_reversed) {
            return invalid("Unsupported order by relation");
        }
        reversed = Some(is_reversed);
    }
    Ok(reversed.unwrap_or(false))
}
