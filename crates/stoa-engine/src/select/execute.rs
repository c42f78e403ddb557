//! One page of a `SELECT`.

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;

use stoa_session::rows::PushError;
use stoa_session::{Answer, PagingState, Rows};
use stoa_store::View;
use stoa_store::kv::Direction;
use stoa_types::{DataType, compare};

use super::cursor::Cursor;
use super::expression::{Expression, Gathered};
use super::gather::{Group, computed};
use super::source::{Place, Taken, Taker, Walk};
use super::{Form, Grouping, Order, Select, Way};
use crate::deadline::{Call, Looks};
use crate::derived::lookup::Lookup;
use crate::failure::Failure;
use crate::json;
use crate::refusal::Refusal;
use crate::restrict::clusterings::Selected;
use crate::restrict::filter::Filter;
use crate::restrict::plan::Partitions;
use crate::rows::{GivenRow, Row};
use crate::terms::{Given, Term, Values};

/// What an execution is given beside the values of its variables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'r> {
    pub(crate) call: &'r Call,
    /// The second at which rows are looked at.
    pub(crate) now: i64,
    /// Whether a row is there only while its own mark is.
    pub(crate) needs_mark: bool,
    /// How many rows a page may have.
    pub(crate) page_size: Option<u32>,
    /// How many rows may be read, if not all that are needed.
    pub(crate) most_rows: Option<u32>,
    /// Where the last page ended.
    pub(crate) at: Option<&'r PagingState>,
}

impl Select {
    /// The next page, of rows of the store; `lookup` proposes some of them, among which are all
    /// that are wanted.
    pub(crate) fn execute(
        &self,
        view: &View,
        values: &Values<'_>,
        request: Request<'_>,
        lookup: Option<Lookup>,
    ) -> Result<Answer, Failure> {
        let filter = self.rows.filter(&self.table, values)?;
        let mut page = self.page(values, &filter, request)?;
        let selected = self.rows.selected(&self.table, values)?;
        let partitions = match selected.is_nothing() {
            true => Partitions::None,
            false => self.rows.partitions(&self.table, values)?,
        };
        // Cassandra has no pages of what it knows to be nothing, unless groups are made of it.
        let is_nothing = selected.is_nothing() || partitions.is_nothing();
        if !is_nothing || !matches!(self.grouping, Grouping::None) {
            self.check_order(page.limit, request)?;
        }
        let lookup = lookup.filter(|it| self.is_worth(it, &partitions, &selected));
        let walk = Walk {
            view,
            table: &self.table,
            partitions,
            selected,
            lookup,
            direction: match self.order {
                Order::Backward => Direction::Backward,
                Order::Forward | Order::Sorted(_) | Order::Nearest(_) => Direction::Forward,
            },
            shows_static_alone: self.rows.shows_static_alone(&self.table),
            needs_mark: request.needs_mark,
            now: request.now,
            looks: Looks::at(request.call, request.most_rows),
        };
        let after = self.cursor(request)?;
        if !walk.selected.is_nothing() && page.is_wanted() {
            walk.run(after.as_ref(), &mut page)?;
        }
        page.finish()
    }

    /// Whether an index saves reading: not where rows or one partition are named anyway. Nearness
    /// is found by looking at all.
    fn is_worth(&self, lookup: &Lookup, partitions: &Partitions, selected: &Selected) -> bool {
        let is_named = match partitions {
            Partitions::Keys(_) => lookup.is_range() || matches!(selected, Selected::Rows(_)),
            Partitions::Between(..) | Partitions::None => false,
        };
        !is_named && matches!(self.order, Order::Forward)
    }

    /// The next page, of rows that were computed: in order, and all of the table.
    pub(crate) fn execute_computed(
        &self,
        rows: &[Vec<Option<Vec<u8>>>],
        values: &Values<'_>,
        request: Request<'_>,
    ) -> Result<Answer, Failure> {
        let filter = self.rows.whole_filter(&self.table, values)?;
        let mut page = self.page(values, &filter, request)?;
        let passed = self.cursor(request)?.map_or(0, |it| it.offset);
        page.last.offset = passed;
        let mut key: Option<Vec<u8>> = None;
        for row in rows
            .iter()
            .skip(usize::try_from(passed).unwrap_or(usize::MAX))
        {
            let row = GivenRow(row);
            let partition = self.computed_key(&row);
            if key.as_ref() != Some(&partition) {
                let _ = page.begin_partition(&partition)?;
                key = Some(partition.clone());
            }
            let place = Place {
                key: &partition,
                clustering: None,
            };
            if page.take(&row, place)? == Taken::Enough {
                break;
            }
            page.last.offset += 1;
        }
        page.finish()
    }

    fn computed_key(&self, row: &dyn Row) -> Vec<u8> {
        let key = 0..self.table.partition_key().len();
        key.flat_map(|at| row.value(at).unwrap_or_default().into_owned())
            .collect()
    }

    fn cursor(&self, request: Request<'_>) -> Result<Option<Cursor>, Refusal> {
        let at = request.at.map(PagingState::as_bytes);
        at.map(|it| Cursor::decode(it, &self.table)).transpose()
    }

    fn page<'p>(
        &'p self,
        values: &'p Values<'p>,
        filter: &'p Filter<'p>,
        request: Request<'_>,
    ) -> Result<Page<'p>, Refusal> {
        let cursor = self.cursor(request)?;
        let limit = limit(self.limit.as_ref(), values, "LIMIT", "limit")?;
        let per_partition = limit_per_partition(self, values)?;
        let is_paged = matches!(self.order, Order::Forward | Order::Backward)
            && !matches!(self.grouping, Grouping::Everything);
        Ok(Page {
            select: self,
            values,
            filter,
            rows: Rows::with_columns(Arc::clone(&self.columns)),
            limit: match &cursor {
                Some(cursor) => cursor.remaining.or(limit),
                None => limit,
            },
            per_partition,
            page_size: request.page_size.filter(|_| is_paged),
            in_partition: cursor.as_ref().map_or(0, |it| it.in_partition),
            group: None,
            held: Vec::new(),
            last: cursor.unwrap_or_default(),
            has_more: false,
            target: self.target(values)?,
        })
    }

    fn check_order(&self, limit: Option<u32>, request: Request<'_>) -> Result<(), Refusal> {
        match &self.order {
            Order::Forward | Order::Backward => Ok(()),
            Order::Sorted(_) if request.page_size.is_none() => Ok(()),
            Order::Sorted(_) => Err(Refusal::invalid(
                "Cannot page queries with both ORDER BY and a IN restriction on the partition key; you must either remove the ORDER BY or the IN and sort client side, or disable paging for this query",
            )),
            Order::Nearest(_) if limit.is_some_and(|it| it <= MOST_NEAREST) => Ok(()),
            Order::Nearest(_) => {
                let given = limit.map_or("NO LIMIT".to_owned(), |it| it.to_string());
                Err(Refusal::invalid(format!(
                    "Use of ANN OF in an ORDER BY clause requires a LIMIT that is not greater than {MOST_NEAREST}. LIMIT was {given}"
                )))
            }
        }
    }

    /// The vector to be near to.
    fn target(&self, values: &Values<'_>) -> Result<Option<Vec<u8>>, Refusal> {
        let Order::Nearest(nearest) = &self.order else {
            return Ok(None);
        };
        match nearest.to.give(values)? {
            Given::Bytes(bytes) => Ok(Some(bytes.into_owned())),
            Given::Null => Err(Refusal::invalid("Invalid null value for ANN OF")),
            Given::Unset => Err(Refusal::invalid("Invalid unset value for ANN OF")),
        }
    }
}

/// The most rows that may be asked for by nearness.
const MOST_NEAREST: u32 = 1000;

fn limit(
    term: Option<&Term>,
    values: &Values<'_>,
    clause: &str,
    name: &str,
) -> Result<Option<u32>, Refusal> {
    let Some(term) = term else {
        return Ok(None);
    };
    let bytes = match term.give(values)? {
        Given::Bytes(bytes) => bytes,
        Given::Null => return Err(Refusal::invalid(format!("Invalid null value of {name}"))),
        Given::Unset => return Ok(None),
    };
    let number = bytes.first_chunk::<4>().copied().map(i32::from_be_bytes);
    let number = number.ok_or_else(|| Refusal::invalid(format!("Invalid {clause} value")))?;
    match u32::try_from(number) {
        Ok(number) if number > 0 => Ok(Some(number)),
        _ => Err(Refusal::invalid(format!(
            "{clause} must be strictly positive"
        ))),
    }
}

fn limit_per_partition(select: &Select, values: &Values<'_>) -> Result<Option<u32>, Refusal> {
    let term = select.per_partition_limit.as_ref();
    limit(term, values, "PER PARTITION LIMIT", "per partition limit")
}

/// A row held back until all are known, with what it is sorted by.
struct Held {
    keys: Vec<Option<Vec<u8>>>,
    cells: Vec<Option<Vec<u8>>>,
}

/// A page being filled.
struct Page<'p> {
    select: &'p Select,
    values: &'p Values<'p>,
    filter: &'p Filter<'p>,
    rows: Rows,
    /// How many rows the limit still allows.
    limit: Option<u32>,
    per_partition: Option<u32>,
    page_size: Option<u32>,
    /// How many rows of this partition were told.
    in_partition: u32,
    group: Option<Group>,
    held: Vec<Held>,
    /// The last row that counts.
    last: Cursor,
    has_more: bool,
    /// The vector to be near to.
    target: Option<Vec<u8>>,
}

impl Page<'_> {
    /// Whether any row is wanted at all.
    fn is_wanted(&self) -> bool {
        self.limit != Some(0)
    }

    fn is_full(&self) -> bool {
        let count = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        self.page_size.is_some_and(|it| count >= it)
    }

    fn is_partition_full(&self) -> bool {
        self.per_partition.is_some_and(|it| self.in_partition >= it)
    }

    /// Counts a row of the answer.
    fn count(&mut self) -> Taken {
        self.in_partition += 1;
        if let Some(limit) = &mut self.limit {
            *limit = limit.saturating_sub(1);
            if *limit == 0 {
                return Taken::Enough;
            }
        }
        match self.is_partition_full() {
            true => Taken::EnoughOfPartition,
            false => Taken::Kept,
        }
    }

    fn remember(&mut self, place: Place<'_>) {
        let key = self.last.key.get_or_insert_with(Vec::new);
        key.clear();
        key.extend_from_slice(place.key);
        self.last.clustering = match self.select.is_distinct {
            true => None,
            false => place.clustering.map(<[_]>::to_vec),
        };
        self.last.in_partition = self.in_partition;
    }

    fn plain(&mut self, row: &dyn Row, place: Place<'_>) -> Result<Taken, Failure> {
        if self.is_partition_full() {
            return Ok(Taken::EnoughOfPartition);
        }
        if self.is_full() {
            self.has_more = true;
            return Ok(Taken::Enough);
        }
        match &self.select.form {
            Form::Columns => {
                let gathered = Gathered::default();
                let refused = |problem: PushError| Refusal::invalid(problem.to_string());
                let mut told = self.rows.begin();
                for output in &self.select.outputs {
                    let value = output.compute(row, self.values, &gathered)?;
                    told.push(value.as_deref()).map_err(refused)?;
                }
                told.end().map_err(refused)?;
            }
            Form::Json(_) => {
                let cells = computed(&self.select.outputs, row, self.values)?;
                self.push(&cells)?;
            }
        }
        let taken = self.count();
        // The next page, if there is one, begins after the row that fills this one.
        if self.is_full() {
            self.remember(place);
        }
        Ok(match taken {
            Taken::Kept if self.select.is_distinct => Taken::EnoughOfPartition,
            other => other,
        })
    }

    fn push(&mut self, cells: &[Option<Vec<u8>>]) -> Result<(), Refusal> {
        let pushed = match &self.select.form {
            Form::Columns => self.rows.push(cells.iter().map(Option::as_deref)),
            Form::Json(columns) => {
                let cells = columns.iter().zip(cells);
                let cells =
                    cells.map(|(it, cell)| (it.name.as_str(), &it.data_type, cell.as_deref()));
                let text = json::row_text(cells)?;
                self.rows.push([Some(text.as_bytes())])
            }
        };
        pushed.map_err(|problem| Refusal::invalid(problem.to_string()))
    }

    /// Holds a row back until all are known.
    fn hold(&mut self, row: &dyn Row) -> Result<Taken, Failure> {
        if self.is_partition_full() {
            return Ok(Taken::EnoughOfPartition);
        }
        let keys = match &self.select.order {
            Order::Sorted(ways) => {
                let keys: Vec<Expression> = ways.iter().map(|(it, _, _)| it.clone()).collect();
                computed(&keys, row, self.values)?
            }
            Order::Nearest(nearest) => {
                let Some(vector) = row.value(nearest.column) else {
                    return Ok(Taken::LeftOut);
                };
                let arguments = [Some(&*vector), self.target.as_deref()];
                let environment = &self.values.environment;
                vec![nearest.similarity.call(&arguments, environment)?]
            }
            Order::Forward | Order::Backward => Vec::new(),
        };
        let cells = computed(&self.select.outputs, row, self.values)?;
        self.held.push(Held { keys, cells });
        self.in_partition += 1;
        Ok(Taken::Kept)
    }

    /// Adds a row to its group, after closing the one before.
    fn gather(&mut self, row: &dyn Row, place: Place<'_>) -> Result<Taken, Failure> {
        let key = match &self.select.grouping {
            Grouping::By(keys) => computed(keys, row, self.values)?,
            Grouping::None | Grouping::Everything => Vec::new(),
        };
        let is_next = self.group.as_ref().is_some_and(|it| !it.has_key(&key));
        if is_next {
            match self.close()? {
                Taken::Kept => {}
                done => return Ok(done),
            }
        }
        if self.is_partition_full() {
            return Ok(Taken::EnoughOfPartition);
        }
        if self.group.is_none() && self.is_full() {
            self.has_more = true;
            return Ok(Taken::Enough);
        }
        let select = self.select;
        let mut group = match self.group.take() {
            Some(group) => group,
            None => Group::new(select, key),
        };
        group.add(select, row, self.values)?;
        self.group = Some(group);
        self.remember(place);
        Ok(match self.select.is_distinct {
            true => Taken::EnoughOfPartition,
            false => Taken::Kept,
        })
    }

    /// Tells the group that is open.
    fn close(&mut self) -> Result<Taken, Failure> {
        let Some(group) = self.group.take() else {
            return Ok(Taken::Kept);
        };
        let cells = group.finish(self.select, self.values)?;
        self.push(&cells)?;
        let taken = self.count();
        self.last.in_partition = self.in_partition;
        Ok(taken)
    }

    /// The answer.
    fn finish(mut self) -> Result<Answer, Failure> {
        let is_open = self.group.is_some();
        if matches!(self.select.grouping, Grouping::Everything) && !is_open {
            self.group = Some(Group::new(self.select, Vec::new()));
        }
        if self.group.is_some() {
            self.close()?;
        }
        self.tell_held()?;
        let next = self.has_more.then(|| {
            let cursor = Cursor {
                remaining: self.limit,
                ..self.last.clone()
            };
            PagingState::from_bytes(&cursor.encode(&self.select.table))
        });
        let mut answer = Answer::of_rows(self.rows);
        answer.next = next;
        answer.warnings.clone_from(&self.select.warnings);
        Ok(answer)
    }

    fn tell_held(&mut self) -> Result<(), Refusal> {
        let mut held = std::mem::take(&mut self.held);
        match &self.select.order {
            Order::Sorted(ways) => held.sort_by(|left, right| {
                let keys = ways.iter().zip(left.keys.iter().zip(&right.keys));
                for ((_, data_type, way), (left, right)) in keys {
                    let order = compare_options(data_type, left.as_deref(), right.as_deref());
                    let order = match way {
                        Way::Ascending => order,
                        Way::Descending => order.reverse(),
                    };
                    if order.is_ne() {
                        return order;
                    }
                }
                Ordering::Equal
            }),
            Order::Nearest(_) => held.sort_by(|left, right| {
                let key = |held: &Held| held.keys.first().cloned().flatten();
                compare_options(
                    &DataType::Float,
                    key(right).as_deref(),
                    key(left).as_deref(),
                )
            }),
            Order::Forward | Order::Backward => {}
        }
        let most = self
            .limit
            .map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(usize::MAX));
        for row in held.into_iter().take(most) {
            self.push(&row.cells)?;
        }
        Ok(())
    }
}

fn compare_options(data_type: &DataType, left: Option<&[u8]>, right: Option<&[u8]>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => compare::compare(data_type, left, right),
        (left, right) => left.is_some().cmp(&right.is_some()),
    }
}

impl Taker for Page<'_> {
    fn begin_partition(&mut self, _: &[u8]) -> Result<ControlFlow<()>, Failure> {
        if matches!(self.select.grouping, Grouping::By(_)) {
            let taken = self.close()?;
            self.in_partition = 0;
            return Ok(match taken {
                Taken::Enough => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            });
        }
        self.in_partition = 0;
        Ok(ControlFlow::Continue(()))
    }

    fn take(&mut self, row: &dyn Row, place: Place<'_>) -> Result<Taken, Failure> {
        if !self.filter.passes(row) {
            return Ok(Taken::LeftOut);
        }
        match (&self.select.grouping, &self.select.order) {
            (Grouping::None, Order::Forward | Order::Backward) => self.plain(row, place),
            (Grouping::None, _) => self.hold(row),
            _ => self.gather(row, place),
        }
    }
}
