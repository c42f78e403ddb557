//! Conditional writes: tested on what is there, applied whole or not at all, and what they answer.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use stoa_session::bind::Cell as Bound;
use stoa_session::{Answer, BoundValues, Column, Error, Rows};
use stoa_types::DataType;

use super::condition::Guard;
use super::invalid;
use super::table::{Kind, Table};
use super::view::{RowView, View};
use super::write::{When, WritePlan};
use crate::store::cell::Bytes;
use crate::store::partition::{Extent, PartitionId, Slice};
use crate::store::replica::Mutation;

/// A conditional write, or a batch with one, to one partition.
#[derive(Debug)]
pub(crate) struct Conditional {
    pub(crate) table: Arc<Table>,
    pub(crate) id: PartitionId,
    parts: Vec<Part>,
    is_batch: bool,
}

#[derive(Debug)]
struct Part {
    plan: Arc<WritePlan>,
    values: BoundValues,
    key: Option<Bytes>,
}

/// A write with its values, as a batch or a single statement gives it.
pub(crate) type Statement = (Arc<WritePlan>, BoundValues);

static APPLIED: LazyLock<Arc<[Column]>> =
    LazyLock::new(|| Arc::from([Column::new("[applied]", DataType::Boolean)]));

/// The values one by one.
pub(crate) fn cells(values: &BoundValues) -> Vec<Bound<'_>> {
    values.cells().collect()
}

/// The answer that a conditional write was applied.
pub(crate) fn applied() -> Answer {
    let mut rows = Rows::with_columns(Arc::clone(&APPLIED));
    // One cell fits one column.
    let _ = rows.push([Some([1_u8].as_slice())]);
    Answer::of_rows(rows)
}

impl Conditional {
    /// Checks that all are about one partition.
    pub(crate) fn new(statements: Vec<Statement>, is_batch: bool) -> Result<Self, Error> {
        let mut target: Option<(Arc<Table>, PartitionId)> = None;
        let mut parts = Vec::new();
        for (plan, values) in statements {
            let bound = cells(&values);
            let id = plan.partition(&bound)?;
            let key = plan.row_key(&bound)?;
            match &target {
                None => target = Some((Arc::clone(&plan.table), id)),
                Some((table, _)) if table.number != plan.table.number => {
                    return Err(invalid("batch with conditions cannot span multiple tables"));
                }
                Some((_, other)) if *other != id => {
                    return Err(invalid(
                        "batch with conditions cannot span multiple partitions",
                    ));
                }
                Some(_) => {}
            }
            if is_batch && plan.timestamp.is_some() {
                return Err(invalid(
                    "cannot provide custom timestamp for conditional BATCH",
                ));
            }
            parts.push(Part { plan, values, key });
        }
        let (table, id) = target.ok_or_else(|| invalid("a batch of nothing"))?;
        Ok(Self {
            table,
            id,
            parts,
            is_batch,
        })
    }

    /// The rows that are read to decide.
    pub(crate) fn extent(&self) -> Extent {
        let keys = self.parts.iter().filter_map(|part| part.key.clone());
        let keys: BTreeSet<Bytes> = keys.collect();
        let is_wide = self
            .parts
            .iter()
            .any(|part| part.key.is_none() && part.plan.writes_rows());
        match is_wide {
            true => Extent::All,
            false => Extent::Rows(keys.into_iter().collect()),
        }
    }

    /// Whether a refusal shows some row of the partition, so that all must be read for it.
    pub(crate) fn shows_any_row(&self) -> bool {
        self.named().is_empty()
    }

    /// Whether every condition holds.
    pub(crate) fn holds(&self, slice: &Slice, now_seconds: i64) -> Result<bool, Error> {
        let view = self.view(slice, now_seconds);
        for part in &self.parts {
            let values = cells(&part.values);
            if !part.plan.guard.holds(view, part.key.as_ref(), &values)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What is written.
    pub(crate) fn mutation(&self, when: When) -> Result<Mutation, Error> {
        let mut all = Mutation {
            table: self.table.number,
            id: self.id.clone(),
            slice: Slice::default(),
        };
        for part in &self.parts {
            let one = part.plan.mutation(&cells(&part.values), when)?;
            all.slice.absorb(&one.slice);
        }
        Ok(all)
    }

    fn view<'v>(&'v self, slice: &'v Slice, now_seconds: i64) -> View<'v> {
        View {
            table: &self.table,
            id: &self.id,
            slice,
            now_seconds,
        }
    }

    /// What a write that was not applied answers: the rows it was tested on, as far as its
    /// conditions read them.
    pub(crate) fn refusal(&self, slice: &Slice, now_seconds: i64) -> Result<Answer, Error> {
        let view = self.view(slice, now_seconds);
        let read = self.columns_read();
        let mut rows = self.rows_read(view, &read);
        let statics = view.statics();
        let mut static_columns = read
            .iter()
            .filter(|it| self.kind(**it) == Some(Kind::Static));
        if rows.is_empty() && static_columns.any(|it| statics.value(*it).is_some()) {
            rows.push(statics);
        }
        let shown = self.columns_shown();
        let mut columns: Vec<Column> = APPLIED.to_vec();
        if !rows.is_empty() {
            let told = shown.iter().filter_map(|it| self.table.columns.get(*it));
            columns.extend(told.map(|it| self.table.told(&it.name, &it.data_type)));
        }
        let mut answer = Rows::with_columns(Arc::from(columns));
        let too_large = |problem: stoa_session::rows::PushError| invalid(problem.to_string());
        let no = Some([0_u8].as_slice());
        if rows.is_empty() {
            answer.push([no]).map_err(too_large)?;
        }
        for row in &rows {
            let mut new = answer.begin();
            new.push(no).map_err(too_large)?;
            for position in &shown {
                let value = match self.is_key(*position) || read.contains(position) {
                    true => row.value(*position),
                    false => None,
                };
                new.push(value.as_deref()).map_err(too_large)?;
            }
            new.end().map_err(too_large)?;
        }
        Ok(Answer::of_rows(answer))
    }

    fn kind(&self, position: usize) -> Option<Kind> {
        self.table.columns.get(position).map(|column| column.kind)
    }

    fn is_key(&self, position: usize) -> bool {
        let column = self.table.columns.get(position);
        column.is_some_and(super::table::TableColumn::is_key)
    }

    fn guarded(&self) -> impl Iterator<Item = &Part> {
        let parts = self.parts.iter();
        parts.filter(|part| !matches!(part.plan.guard, Guard::None))
    }

    /// The columns that are read: those of the conditions, and all of the kinds that are written
    /// (`CQL3CasRequest.columnsToRead`).
    fn columns_read(&self) -> BTreeSet<usize> {
        let checks = self.guarded().flat_map(|part| part.plan.guard.checks());
        let mut read: BTreeSet<usize> = checks.map(|check| check.position).collect();
        let has_statics = self.guarded().any(|part| part.plan.writes_statics());
        let has_rows = self.parts.iter().any(|part| part.plan.writes_rows());
        for (position, column) in self.table.columns.iter().enumerate() {
            let is_read = match column.kind {
                Kind::Static => has_statics,
                Kind::Regular => has_rows,
                Kind::Partition(_) | Kind::Clustering(_) => false,
            };
            if is_read {
                read.insert(position);
            }
        }
        read
    }

    /// The columns of the answer.
    fn columns_shown(&self) -> Vec<usize> {
        let is_existence = |part: &Part| part.plan.guard.checks().is_empty();
        if self.guarded().any(is_existence) {
            return (0..self.table.columns.len()).collect();
        }
        let keys = self.table.partition_columns + self.table.clustering.len();
        let mut shown: Vec<usize> = match self.is_batch {
            true => (0..keys).collect(),
            false => Vec::new(),
        };
        for part in self.guarded() {
            let checks = || part.plan.guard.checks().iter().map(|check| check.position);
            let regular = checks().filter(|it| self.kind(*it) != Some(Kind::Static));
            let statics = checks().filter(|it| self.kind(*it) == Some(Kind::Static));
            for position in regular.chain(statics) {
                if !shown.contains(&position) {
                    shown.push(position);
                }
            }
        }
        shown
    }

    /// The rows that conditions are about.
    fn named(&self) -> Vec<&Bytes> {
        let parts = self.guarded();
        parts
            .filter(|part| part.plan.guard.is_about_row(&self.table))
            .filter_map(|part| part.key.as_ref())
            .collect()
    }

    /// The rows that conditions are about; where they are about static columns only, the first
    /// row of the partition that shows by what is read.
    fn rows_read<'v>(&self, view: View<'v>, read: &BTreeSet<usize>) -> Vec<RowView<'v>> {
        let named = self.named();
        let mut found = Vec::new();
        for row in view.rows() {
            let mut regular = read
                .iter()
                .filter(|it| self.kind(**it) == Some(Kind::Regular));
            let is_shown = row.is_marked() || regular.any(|it| row.value(*it).is_some());
            let is_named = row.key().is_some_and(|key| named.contains(&key));
            if is_shown && (named.is_empty() || is_named) {
                found.push(row);
                if named.is_empty() {
                    break;
                }
            }
        }
        found
    }
}
