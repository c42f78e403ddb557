//! A SELECT: compiled, and answered from slices.

use std::borrow::Cow;
use std::sync::Arc;

use stoa_cql::ast::{
    CellFact, OrderBy, OrderDirection, OrderExpression, Select, Selection, Selector,
};
use stoa_session::{Answer, Column, Error, PagingState, Rows};
use stoa_types::{ClusteringOrder, DataType};

use super::compile::Variables;
use super::place::{Place, number};
use super::table::{Kind, Table};
use super::term::{Source, Values};
use super::view::{RowView, View};
use super::{invalid, unsupported};
use crate::store::partition::{Extent, PartitionId};
use crate::store::replica::Slices;

/// A compiled SELECT.
#[derive(Debug)]
pub(crate) struct SelectPlan {
    pub(crate) table: Arc<Table>,
    pub(crate) place: Place,
    pub(crate) columns: Arc<[Column]>,
    items: Vec<Item>,
    is_reversed: bool,
    is_distinct: bool,
    limit: Option<Source>,
    per_partition_limit: Option<Source>,
}

#[derive(Debug, Clone, Copy)]
enum Item {
    Column(usize),
    WriteTime(usize),
    TimeToLive(usize),
    Count,
}

/// One execution of a SELECT.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) plan: Arc<SelectPlan>,
    /// The partitions; `None` for all.
    pub(crate) ids: Option<Vec<PartitionId>>,
    pub(crate) extent: Extent,
    limit: u64,
    per_partition_limit: u64,
    page_size: u64,
    after: Option<Position>,
}

/// The last row of a page, and how much of the limits is used up.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Position {
    key: Vec<u8>,
    clustering: Vec<u8>,
    taken: u64,
    taken_in_partition: u64,
}

impl SelectPlan {
    pub(crate) fn compile(
        table: &Arc<Table>,
        select: &Select,
        variables: &mut Variables,
    ) -> Result<Self, Error> {
        if select.is_json || !select.group_by.is_empty() {
            return Err(unsupported("SELECT JSON and GROUP BY"));
        }
        let (items, columns) = items(table, &select.selection)?;
        let place = Place::compile(table, &select.relations, variables)?;
        let int = &DataType::Int;
        let per_partition = select.per_partition_limit.as_ref();
        let per_partition_limit = number(
            table,
            per_partition,
            "[per_partition_limit]",
            int,
            variables,
        )?;
        let limit = number(table, select.limit.as_ref(), "[limit]", int, variables)?;
        let is_reversed = is_reversed(table, &select.order_by)?;
        if !select.order_by.is_empty() && !place.is_one_partition() {
            return Err(unsupported("ORDER BY over several partitions"));
        }
        if is_static_only(table, &items) && !place.is_whole_partition() {
            return Err(invalid(
                "cannot restrict clustering columns when selecting only static columns",
            ));
        }
        Ok(Self {
            table: Arc::clone(table),
            place,
            columns: Arc::from(columns),
            items,
            is_reversed,
            is_distinct: select.is_distinct,
            limit,
            per_partition_limit,
        })
    }

    /// Binds one execution.
    pub(crate) fn bind(
        self: &Arc<Self>,
        values: &Values<'_>,
        page_size: Option<u32>,
        at: Option<&PagingState>,
    ) -> Result<Reading, Error> {
        let limit = |source: &Option<Source>| match source {
            None => Ok(u64::MAX),
            Some(source) => match source.number(values)?.map(u64::try_from) {
                Some(Ok(limit)) if limit > 0 => Ok(limit),
                None => Ok(u64::MAX),
                Some(_) => Err(invalid("LIMIT must be strictly positive")),
            },
        };
        let ids = match self.place.is_scan() {
            true => None,
            false => Some(self.place.partitions(&self.table, values)?),
        };
        let is_counted = self.items.iter().any(|item| matches!(item, Item::Count));
        Ok(Reading {
            plan: Arc::clone(self),
            ids,
            extent: self.place.extent(&self.table, values)?,
            limit: limit(&self.limit)?,
            per_partition_limit: limit(&self.per_partition_limit)?,
            page_size: match page_size {
                Some(size) if !is_counted => u64::from(size),
                _ => u64::MAX,
            },
            after: at.map(decode_position).transpose()?,
        })
    }
}

impl Reading {
    /// The answer from what replicas gave.
    pub(crate) fn answer(&self, slices: &Slices, now_seconds: i64) -> Result<Answer, Error> {
        let plan = &*self.plan;
        let mut page = Page {
            reading: self,
            rows: Rows::with_columns(Arc::clone(&plan.columns)),
            taken: self.after.as_ref().map_or(0, |after| after.taken),
            in_page: 0,
            count: 0,
            last: None,
        };
        let mut is_found = self.after.is_none();
        for (id, slice) in slices {
            let view = View {
                table: &plan.table,
                id,
                slice,
                now_seconds,
            };
            let after = match &self.after {
                Some(after) if !is_found => {
                    is_found = *id.key == *after.key;
                    match is_found {
                        true => Some(after),
                        false => continue,
                    }
                }
                _ => None,
            };
            if page.partition(view, after)? {
                break;
            }
        }
        page.finish(now_seconds)
    }
}

struct Page<'r> {
    reading: &'r Reading,
    rows: Rows,
    taken: u64,
    in_page: u64,
    count: i64,
    last: Option<Position>,
}

impl Page<'_> {
    /// Adds the rows of a partition; says whether the page or the answer is full.
    fn partition(&mut self, view: View<'_>, after: Option<&Position>) -> Result<bool, Error> {
        let plan = &*self.reading.plan;
        let mut in_partition = after.map_or(0, |after| after.taken_in_partition);
        let is_behind = |row: &RowView<'_>| match (after, row.key()) {
            (Some(after), Some(key)) if plan.is_reversed => **key < *after.clustering,
            (Some(after), Some(key)) => **key > *after.clustering,
            _ => after.is_none(),
        };
        let mut forth = view.rows();
        let mut next = || match plan.is_reversed {
            true => forth.next_back(),
            false => forth.next(),
        };
        let mut has_rows = after.is_some();
        while let Some(row) = next() {
            has_rows = true;
            if plan.is_distinct {
                break;
            }
            if !is_behind(&row) {
                continue;
            }
            if in_partition >= self.reading.per_partition_limit {
                return Ok(false);
            }
            in_partition += 1;
            if self.row(view, &row, in_partition)? {
                return Ok(true);
            }
        }
        let is_alone = !has_rows && plan.place.is_whole_partition() && view.has_statics();
        let is_one = plan.is_distinct && after.is_none() && (has_rows || view.has_statics());
        if is_one || (is_alone && !plan.is_distinct) {
            return self.row(view, &view.statics(), 1);
        }
        Ok(false)
    }

    fn row(
        &mut self,
        view: View<'_>,
        row: &RowView<'_>,
        taken_in_partition: u64,
    ) -> Result<bool, Error> {
        let plan = &*self.reading.plan;
        self.taken += 1;
        self.in_page += 1;
        self.count += 1;
        if !plan.items.iter().any(|item| matches!(item, Item::Count)) {
            let mut new = self.rows.begin();
            for item in &plan.items {
                let value = item.value(row, view.now_seconds);
                new.push(value.as_deref())
                    .map_err(|it| invalid(it.to_string()))?;
            }
            new.end().map_err(|it| invalid(it.to_string()))?;
        }
        let is_last = self.taken >= self.reading.limit;
        if !is_last && self.in_page >= self.reading.page_size {
            self.last = Some(Position {
                key: view.id.key.to_vec(),
                clustering: row.key().map(|key| key.to_vec()).unwrap_or_default(),
                taken: self.taken,
                taken_in_partition,
            });
            return Ok(true);
        }
        Ok(is_last)
    }

    fn finish(mut self, _now_seconds: i64) -> Result<Answer, Error> {
        let items = &self.reading.plan.items;
        if items.iter().any(|item| matches!(item, Item::Count)) {
            let count = self.count.to_be_bytes();
            let cells = items.iter().map(|item| match item {
                Item::Count => Some(count.as_slice()),
                Item::Column(_) | Item::WriteTime(_) | Item::TimeToLive(_) => None,
            });
            self.rows
                .push(cells)
                .map_err(|it| invalid(it.to_string()))?;
        }
        Ok(Answer {
            next: self.last.as_ref().map(encode_position),
            ..Answer::of_rows(self.rows)
        })
    }
}

impl Item {
    fn value<'v>(self, row: &RowView<'v>, now_seconds: i64) -> Option<Cow<'v, [u8]>> {
        match self {
            Self::Column(position) => row.value(position),
            Self::WriteTime(position) => {
                let timestamp = row.cell(position)?.timestamp;
                Some(Cow::Owned(timestamp.to_be_bytes().to_vec()))
            }
            Self::TimeToLive(position) => {
                let left = row.cell(position)?.expires_at? - now_seconds;
                let left = i32::try_from(left).unwrap_or(i32::MAX);
                Some(Cow::Owned(left.to_be_bytes().to_vec()))
            }
            Self::Count => None,
        }
    }
}

/// Whether nothing of rows is selected, and something of statics.
fn is_static_only(table: &Table, items: &[Item]) -> bool {
    let mut has_static = false;
    for item in items {
        let (Item::Column(position) | Item::WriteTime(position) | Item::TimeToLive(position)) =
            item
        else {
            return false;
        };
        match table.columns.get(*position).map(|column| column.kind) {
            Some(Kind::Static) => has_static = true,
            Some(Kind::Partition(_)) => {}
            Some(Kind::Clustering(_) | Kind::Regular) | None => return false,
        }
    }
    has_static
}

fn items(table: &Table, selection: &Selection) -> Result<(Vec<Item>, Vec<Column>), Error> {
    let mut items = Vec::new();
    let mut columns = Vec::new();
    let Selection::Items(selected) = selection else {
        for (position, column) in table.columns.iter().enumerate() {
            items.push(Item::Column(position));
            columns.push(table.told(&column.name, &column.data_type));
        }
        return Ok((items, columns));
    };
    for one in selected {
        let (item, name, data_type) = item(table, &one.selector)?;
        let name = one.alias.as_ref().map_or(name, |it| it.as_str().to_owned());
        items.push(item);
        columns.push(table.told(&name, &data_type));
    }
    let counts = items.iter().filter(|item| matches!(item, Item::Count));
    match counts.count() {
        0 | 1 if items.len() == 1 => Ok((items, columns)),
        0 => Ok((items, columns)),
        _ => Err(unsupported("COUNT(*) beside others")),
    }
}

fn item(table: &Table, selector: &Selector) -> Result<(Item, String, DataType), Error> {
    match selector {
        Selector::Column(name) => {
            let (position, column) = table.find(name)?;
            let name = column.name.clone();
            Ok((Item::Column(position), name, column.data_type.clone()))
        }
        Selector::CountRows => Ok((Item::Count, "count".to_owned(), DataType::BigInt)),
        Selector::CellFact(fact, inner) => {
            let Selector::Column(name) = &**inner else {
                return Err(unsupported("such a selection"));
            };
            let (position, column) = table.find(name)?;
            if column.is_key() || column.data_type.is_multi_cell() {
                return Err(unsupported("writetime of such a column"));
            }
            match fact {
                CellFact::WriteTime => {
                    let told = format!("writetime({})", column.name);
                    Ok((Item::WriteTime(position), told, DataType::BigInt))
                }
                CellFact::TimeToLive => {
                    let told = format!("ttl({})", column.name);
                    Ok((Item::TimeToLive(position), told, DataType::Int))
                }
                CellFact::MaxWriteTime => Err(unsupported("maxwritetime")),
            }
        }
        _ => Err(unsupported("such a selection")),
    }
}

/// Whether rows are wanted in the reverse of the table's order.
fn is_reversed(table: &Table, order_by: &[OrderBy]) -> Result<bool, Error> {
    let mut reversed = None;
    for (index, order) in order_by.iter().enumerate() {
        let (_, column) = table.find(&order.column)?;
        let key = table.clustering.get(index);
        let (OrderExpression::Column, Kind::Clustering(position), Some(key)) =
            (&order.expression, column.kind, key)
        else {
            return Err(invalid("ORDER BY is only supported on clustering columns"));
        };
        if position != index {
            return Err(invalid(
                "ORDER BY in another order than the clustering columns",
            ));
        }
        let wanted = match order.direction {
            OrderDirection::Ascending => ClusteringOrder::Ascending,
            OrderDirection::Descending => ClusteringOrder::Descending,
        };
        let is_other = wanted != key.order;
        if reversed.is_some_and(|reversed| reversed != is_other) {
            return Err(invalid("unsupported order of clustering columns"));
        }
        reversed = Some(is_other);
    }
    Ok(reversed.unwrap_or(false))
}

fn encode_position(position: &Position) -> PagingState {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&position.taken.to_be_bytes());
    bytes.extend_from_slice(&position.taken_in_partition.to_be_bytes());
    let length = u64::try_from(position.key.len()).unwrap_or(u64::MAX);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(&position.key);
    bytes.extend_from_slice(&position.clustering);
    PagingState::from_bytes(&bytes)
}

fn decode_position(state: &PagingState) -> Result<Position, Error> {
    let read = || {
        let (taken, rest) = state.as_bytes().split_first_chunk::<8>()?;
        let (in_partition, rest) = rest.split_first_chunk::<8>()?;
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_be_bytes(*length)).ok()?;
        let (key, clustering) = rest.split_at_checked(length)?;
        Some(Position {
            key: key.to_vec(),
            clustering: clustering.to_vec(),
            taken: u64::from_be_bytes(*taken),
            taken_in_partition: u64::from_be_bytes(*in_partition),
        })
    };
    read().ok_or_else(|| invalid("a paging state of another back end"))
}
