//! Conditional writes: the conditions of one or more writes to one partition are looked at
//! together, and the writes happen together or not at all.
//!
//! ```text
//! applied       [applied] = true
//! not applied   [applied] = false, beside what stood against it, if there is anything: the columns
//!               of the conditions, or whole rows where existence was asked for
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use stoa_session::{Column as AnswerColumn, Rows};
use stoa_store::StoreError;
use stoa_store::cell::{ColumnId, RowRef};
use stoa_store::kv::Direction;
use stoa_store::partition::{Partition, Slice};
use stoa_types::{DataType, partition_key};

use super::Modification;
use super::condition::Condition;
use crate::catalog::{ColumnKind, Table};
use crate::failure::Failure;
use crate::refusal::Refusal;
use crate::restrict::clusterings::Selected;
use crate::rows::{Row, StoredRow, clustering_values};
use crate::terms::Values;

/// A write of a conditional statement or batch, with the values of its variables.
pub(crate) type Item<'a> = (&'a Modification, &'a Values<'a>);

/// Whether a statement stands alone or in a batch, which shapes the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Single,
    Batch,
}

/// What became of the conditions.
pub(crate) enum Verdict {
    /// All hold.
    Holds,
    /// One does not; this is the answer.
    Fails(Rows),
}

/// The name of the column that tells whether a conditional write happened.
const APPLIED: &str = "[applied]";

/// The answer of a conditional write that happened.
pub(crate) fn applied() -> Result<Rows, Failure> {
    let columns = [AnswerColumn::new(APPLIED, DataType::Boolean)];
    let mut rows = Rows::with_columns(Arc::from(columns));
    push(&mut rows, &[Some(&[1][..])])?;
    Ok(rows)
}

/// Which row a write is about; `None` for the static row.
fn place(item: Item<'_>) -> Result<Option<Vec<u8>>, Refusal> {
    let (write, values) = item;
    if write.only_static && !write.rows.restricts_clustering() {
        return Ok(None);
    }
    Ok(match write.rows.selected(&write.table, values)? {
        Selected::Rows(mut rows) => rows.pop(),
        Selected::All | Selected::Slices(_) => Some(Vec::new()),
    })
}

/// Judges the conditions of all items on a partition as it is.
pub(crate) fn judge(
    items: &[Item<'_>],
    partition: &Partition<'_>,
    now: i64,
    form: Form,
) -> Result<Verdict, Failure> {
    let Some((first, _)) = items.first() else {
        return Ok(Verdict::Holds);
    };
    let looking = Looking {
        table: &first.table,
        partition,
        now,
    };
    check_mix(items)?;
    match looking.all_hold(items)? {
        true => Ok(Verdict::Holds),
        false => Ok(Verdict::Fails(looking.answer(items, form)?)),
    }
}

/// What Cassandra reads for conditions, and so all that it knows of lists when it then writes.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The rows that conditions are about, or without any the first one.
    rows: BTreeSet<Vec<u8>>,
    statics: BTreeSet<ColumnId>,
}

impl Known {
    /// Of conditional writes to a partition.
    pub(crate) fn of(
        items: &[Item<'_>],
        partition: &Partition<'_>,
        now: i64,
        form: Form,
    ) -> Result<Self, Failure> {
        let Some((first, _)) = items.first() else {
            return Ok(Self::default());
        };
        let table = &first.table;
        let looking = Looking {
            table,
            partition,
            now,
        };
        let told = Told::of(items, table, form);
        let mut rows = Looking::places(items)?;
        if rows.is_empty() {
            rows.extend(looking.first_row(told.reads_rows)?);
        }
        let statics = told.read_static.iter();
        let statics = statics.filter_map(|at| table.columns.get(*at));
        Ok(Self {
            rows,
            statics: statics.map(|it| it.id).collect(),
        })
    }

    pub(crate) fn has_row(&self, clustering: &[u8]) -> bool {
        self.rows.contains(clustering)
    }

    pub(crate) fn has_static(&self, column: ColumnId) -> bool {
        self.statics.contains(&column)
    }
}

/// One row cannot be asked both to be there and not to be there.
fn check_mix(items: &[Item<'_>]) -> Result<(), Refusal> {
    let mut kinds: Vec<(Option<Vec<u8>>, &Condition)> = Vec::new();
    for item in items {
        let condition = &item.0.condition;
        if matches!(condition, Condition::None) {
            continue;
        }
        let (of_statics, of_others) = asks_for(item.0);
        let row = if of_others { Some(place(*item)?) } else { None };
        for place in of_statics.then_some(None).into_iter().chain(row) {
            let is_other_kind = |before: &Condition| {
                std::mem::discriminant(before) != std::mem::discriminant(condition)
            };
            let mut others = kinds.iter();
            if others.any(|(other, before)| *other == place && is_other_kind(before)) {
                return Err(Refusal::invalid(
                    "Cannot mix IF conditions, IF EXISTS and IF NOT EXISTS for the same row",
                ));
            }
            kinds.push((place, condition));
        }
    }
    Ok(())
}

/// Whether a condition asks for static columns, and whether it asks for others, or for the row.
fn asks_for(write: &Modification) -> (bool, bool) {
    let Condition::Columns(all) = &write.condition else {
        return (false, true);
    };
    let kind = |at: usize| write.table.columns.get(at).map(|it| it.kind);
    let is_static = |at: usize| kind(at) == Some(ColumnKind::Static);
    (
        all.iter().any(|it| is_static(it.column)),
        all.iter().any(|it| !is_static(it.column)),
    )
}

struct Looking<'l> {
    table: &'l Table,
    partition: &'l Partition<'l>,
    now: i64,
}

impl Looking<'_> {
    /// Whether all conditions hold: first those on static columns, and then those on each row, in
    /// the order of the rows. Those on one row are all looked at, and may be refused though another
    /// has failed; rows after one that fails are not.
    fn all_hold(&self, items: &[Item<'_>]) -> Result<bool, Failure> {
        let mut rows: BTreeMap<Option<Vec<u8>>, Vec<Item<'_>>> = BTreeMap::new();
        let mut statics_hold = true;
        for item in items {
            if matches!(item.0.condition, Condition::None) {
                continue;
            }
            let (of_statics, of_others) = asks_for(item.0);
            if of_statics {
                statics_hold &= self.holds(*item, None, |at| self.is_static(at))?;
            }
            if of_others {
                rows.entry(place(*item)?).or_default().push(*item);
            }
        }
        if !statics_hold {
            return Ok(false);
        }
        for (place, items) in rows {
            let mut row_holds = true;
            for item in items {
                row_holds &= self.holds(item, place.as_deref(), |at| !self.is_static(at))?;
            }
            if !row_holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether what is asked of a row holds, as far as it is about the columns that are meant.
    fn holds(
        &self,
        item: Item<'_>,
        place: Option<&[u8]>,
        is_meant: impl Fn(usize) -> bool,
    ) -> Result<bool, Failure> {
        let (write, values) = item;
        self.look(place, |row, is_there| match &write.condition {
            Condition::None => Ok(true),
            Condition::NotExists => Ok(!is_there),
            Condition::Exists => Ok(is_there),
            Condition::Columns(all) => {
                let mut holds = true;
                for condition in all.iter().filter(|it| is_meant(it.column)) {
                    holds &= condition.holds(self.table, Some(row), values)?;
                }
                Ok(holds)
            }
        })
    }

    /// Looks at a row, or at the static row alone, and says whether it is there.
    fn look<R>(
        &self,
        place: Option<&[u8]>,
        see: impl FnOnce(&dyn Row, bool) -> Result<R, Refusal>,
    ) -> Result<R, Failure> {
        let stored_static = self.partition.static_row()?;
        let static_row = match &stored_static {
            Some(row) => row.visible(self.now)?,
            None => None,
        };
        let stored = match place {
            Some(clustering) => self.partition.row(clustering)?,
            None => None,
        };
        let row = match &stored {
            Some(row) => row.visible(self.now)?,
            None => None,
        };
        let key = self.key()?;
        let clustering = self.clustering(place, row.as_ref())?;
        let is_there = match place {
            Some(_) => row.is_some(),
            None => static_row.is_some(),
        };
        let seen = StoredRow {
            table: self.table,
            key: &key,
            clustering: clustering.as_deref(),
            static_row: static_row.as_ref(),
            row: row.as_ref(),
            now: self.now,
        };
        Ok(see(&seen, is_there)?)
    }

    fn key(&self) -> Result<Vec<&[u8]>, StoreError> {
        let columns = self.table.partition_key().len();
        partition_key::split(self.partition.key().bytes(), columns).map_err(|problem| {
            StoreError::Damaged {
                place: "a partition key".to_owned(),
                what: problem.to_string(),
            }
        })
    }

    fn clustering(
        &self,
        place: Option<&[u8]>,
        row: Option<&RowRef<'_>>,
    ) -> Result<Option<Vec<Option<Vec<u8>>>>, StoreError> {
        match (place, row) {
            (Some(place), Some(row)) => {
                clustering_values(self.table.clustering_key(), place, row).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The answer when not all conditions hold.
    fn answer(&self, items: &[Item<'_>], form: Form) -> Result<Rows, Failure> {
        let told = Told::of(items, self.table, form);
        let mut places = Self::places(items)?;
        if places.is_empty() {
            places.extend(self.first_row(told.reads_rows)?);
        }
        let mut rows = Rows::with_columns(told.answer_columns(self.table));
        for place in &places {
            self.look(Some(place), |row, is_there| match is_there {
                true => Ok(told.push(row, &mut rows)),
                false => Ok(Ok(())),
            })??;
        }
        if rows.is_empty() {
            self.look(None, |row, _| {
                let has_any = told.read_static.iter().any(|at| row.value(*at).is_some());
                match has_any {
                    true => Ok(told.push(row, &mut rows)),
                    false => Ok(Ok(())),
                }
            })??;
        }
        if rows.is_empty() {
            let columns = [AnswerColumn::new(APPLIED, DataType::Boolean)];
            rows = Rows::with_columns(Arc::from(columns));
            push(&mut rows, &[Some(&[0][..])])?;
        }
        Ok(rows)
    }

    /// The rows that conditions are about. The keys of the other statements must be right, too.
    fn places(items: &[Item<'_>]) -> Result<BTreeSet<Vec<u8>>, Refusal> {
        let mut places = BTreeSet::new();
        for item in items {
            let place = place(*item)?;
            let (_, of_others) = asks_for(item.0);
            if item.0.is_conditional() && of_others {
                places.extend(place);
            }
        }
        Ok(places)
    }

    fn is_static(&self, at: usize) -> bool {
        let column = self.table.columns.get(at);
        column.is_some_and(|it| it.kind == ColumnKind::Static)
    }

    /// The clustering of the first row of the partition. Where no columns of rows are read, only a
    /// row with a mark of its own is seen.
    fn first_row(&self, reads_rows: bool) -> Result<Option<Vec<u8>>, StoreError> {
        let mut first = None;
        let rows = self.partition.rows(&Slice::all(), Direction::Forward)?;
        rows.visit_visible(self.now, |clustering, row| {
            if !reads_rows && row.liveness.is_none() {
                return ControlFlow::Continue(());
            }
            first = Some(clustering.to_vec());
            ControlFlow::Break(())
        })?;
        Ok(first)
    }
}

/// What a refusal tells.
struct Told {
    /// The places of the columns in the answer, and whether their values are read.
    columns: Vec<(usize, bool)>,
    /// The static columns that are read.
    read_static: Vec<usize>,
    /// Whether columns of rows are read.
    reads_rows: bool,
}

impl Told {
    fn of(items: &[Item<'_>], table: &Table, form: Form) -> Self {
        let asks_existence = items
            .iter()
            .any(|(it, _)| matches!(it.condition, Condition::Exists | Condition::NotExists));
        let kind = |at: usize| table.columns.get(at).map(|it| it.kind);
        // Of a batch only statements with a condition say what static columns are read, but all of
        // them whether those of rows are.
        let conditional = || {
            let all = items.iter().map(|(it, _)| it);
            all.filter(|it| !matches!(it.condition, Condition::None))
        };
        let writes_static = conditional().any(|it| writes(it, ColumnKind::Static));
        let writes_rows = items.iter().any(|(it, _)| !it.only_static);
        if asks_existence {
            let is_asked = |at: usize| {
                let mut columns = conditional().flat_map(|it| it.condition.columns());
                columns.any(|it| it.column == at)
            };
            let columns: Vec<(usize, bool)> = (0..table.columns.len())
                .map(|at| match kind(at) {
                    Some(ColumnKind::Static) => (at, writes_static || is_asked(at)),
                    Some(ColumnKind::Regular) => (at, writes_rows || is_asked(at)),
                    _ => (at, true),
                })
                .collect();
            let told = Self::new(columns, table);
            return Self {
                reads_rows: told.reads_rows || writes_rows,
                ..told
            };
        }
        let mut columns: Vec<(usize, bool)> = Vec::new();
        if form == Form::Batch {
            let key = table.partition_key().len() + table.clustering().len();
            columns.extend((0..key).map(|at| (at, true)));
        }
        let mut add = |at: usize| {
            if !columns.iter().any(|(it, _)| *it == at) {
                columns.push((at, true));
            }
        };
        for (write, _) in items {
            let conditions = write.condition.columns();
            let is_static = |at: usize| kind(at) == Some(ColumnKind::Static);
            let regular = conditions.iter().filter(|it| !is_static(it.column));
            regular.for_each(|it| add(it.column));
            let statics = conditions.iter().filter(|it| is_static(it.column));
            statics.for_each(|it| add(it.column));
        }
        let mut told = Self::new(columns, table);
        told.reads_rows |= writes_rows;
        if writes_static {
            let all = 0..table.columns.len();
            told.read_static = all
                .filter(|at| kind(*at) == Some(ColumnKind::Static))
                .collect();
        }
        told
    }

    fn new(columns: Vec<(usize, bool)>, table: &Table) -> Self {
        let of_kind = |kind: ColumnKind| {
            let read = columns.iter().filter(|(_, is_read)| *is_read);
            let places = read.map(|(at, _)| *at);
            let is_of_kind = move |at: &usize| {
                let column = table.columns.get(*at);
                column.is_some_and(|it| it.kind == kind)
            };
            places.filter(is_of_kind).collect::<Vec<usize>>()
        };
        Self {
            read_static: of_kind(ColumnKind::Static),
            reads_rows: !of_kind(ColumnKind::Regular).is_empty(),
            columns,
        }
    }

    fn answer_columns(&self, table: &Table) -> Arc<[AnswerColumn]> {
        let (keyspace, name) = (Arc::clone(&table.keyspace), Arc::clone(&table.name));
        let mut columns = vec![AnswerColumn {
            keyspace: Arc::clone(&keyspace),
            table: Arc::clone(&name),
            name: APPLIED.to_owned(),
            data_type: DataType::Boolean,
        }];
        let told = self
            .columns
            .iter()
            .filter_map(|(at, _)| table.columns.get(*at));
        columns.extend(told.map(|column| AnswerColumn {
            keyspace: Arc::clone(&keyspace),
            table: Arc::clone(&name),
            name: column.name.to_string(),
            data_type: column.data_type.clone().without_frozen(),
        }));
        Arc::from(columns)
    }

    fn push(&self, row: &dyn Row, rows: &mut Rows) -> Result<(), Failure> {
        let values: Vec<_> = self
            .columns
            .iter()
            .map(|(at, is_read)| row.value(*at).filter(|_| *is_read))
            .collect();
        let mut cells: Vec<Option<&[u8]>> = vec![Some(&[0])];
        cells.extend(values.iter().map(Option::as_deref));
        push(rows, &cells)
    }
}

fn writes(write: &Modification, kind: ColumnKind) -> bool {
    let columns = write.operations.iter();
    let mut columns = columns.filter_map(|(at, _)| write.table.columns.get(*at));
    columns.any(|it| it.kind == kind)
}

fn push(rows: &mut Rows, cells: &[Option<&[u8]>]) -> Result<(), Failure> {
    let pushed = rows.push(cells.iter().copied());
    Ok(pushed.map_err(|problem| Refusal::invalid(problem.to_string()))?)
}
