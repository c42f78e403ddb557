//! A write: compiled, and turned into a mutation of one partition.

use std::sync::Arc;

use stoa_cql::ast::{Delete, Deletion, Insert, Operation, Term, Update, UpdateCondition, Using};
use stoa_session::Error;
use stoa_session::bind::Cell as Bound;
use stoa_types::DataType;

use super::compile::Variables;
use super::condition::Guard;
use super::elements::{self, Stamp};
use super::place::{Place, number as clause_number};
use super::table::{Kind, Table, TableColumn};
use super::term::{Source, Values, checked};
use super::view::number;
use super::{invalid, unsupported};
use crate::store::cell::{Bytes, Cell};
use crate::store::partition::{Extent, PartitionId, Slice};
use crate::store::replica::Mutation;
use crate::store::row::Row;

/// A compiled INSERT, UPDATE or DELETE.
#[derive(Debug)]
pub(crate) struct WritePlan {
    pub(crate) table: Arc<Table>,
    pub(crate) place: Place,
    pub(crate) guard: Guard,
    actions: Vec<(usize, Action)>,
    /// Whether rows get the mark of an INSERT.
    is_insert: bool,
    /// Whether whole rows are deleted.
    is_row_deletion: bool,
    pub(crate) timestamp: Option<Source>,
    ttl: Option<Source>,
}

/// What is done to a column.
#[derive(Debug)]
enum Action {
    Set(Source),
    Add(Source),
    Remove(Source),
    SetElement(Source, Source),
    DeleteElement(Source),
    Delete,
}

/// When a write happens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct When {
    /// The write time, unless the statement says one.
    pub(crate) timestamp: i64,
    /// The time by which time to live is counted.
    pub(crate) now_seconds: i64,
}

impl WritePlan {
    pub(crate) fn insert(
        table: &Arc<Table>,
        insert: &Insert,
        variables: &mut Variables,
    ) -> Result<Self, Error> {
        if insert.columns.len() != insert.values.len() {
            return Err(invalid("unmatched column names and values"));
        }
        let mut given = Vec::new();
        let mut actions = Vec::new();
        for (name, term) in insert.columns.iter().zip(&insert.values) {
            let (position, column) = table.find(name)?;
            let source = variables.source(table, term, &column.name, &column.data_type)?;
            match column.kind {
                Kind::Partition(index) => {
                    variables.note_key(index, &source);
                    given.push((position, source));
                }
                Kind::Clustering(_) => given.push((position, source)),
                Kind::Static | Kind::Regular => actions.push((position, Action::Set(source))),
            }
        }
        let value_of = |position: usize| {
            let found = given.iter().find(|(own, _)| *own == position);
            found.map(|(_, source)| source.clone())
        };
        let (timestamp, ttl) = using(table, &insert.using, variables)?;
        let guard = match insert.if_not_exists {
            true => Guard::NotExists,
            false => Guard::None,
        };
        let plan = Self {
            place: Place::of_values(table, value_of)?,
            table: Arc::clone(table),
            guard,
            actions,
            is_insert: true,
            is_row_deletion: false,
            timestamp,
            ttl,
        };
        plan.check()
    }

    pub(crate) fn update(
        table: &Arc<Table>,
        update: &Update,
        variables: &mut Variables,
    ) -> Result<Self, Error> {
        let (timestamp, ttl) = using(table, &update.using, variables)?;
        let mut actions = Vec::new();
        for assignment in &update.assignments {
            let (position, column) = table.find(&assignment.column)?;
            if column.is_key() {
                return Err(invalid(format!("{} is part of the key", column.name)));
            }
            let action = action(table, column, &assignment.operation, variables)?;
            actions.push((position, action));
        }
        let place = Place::compile(table, &update.relations, variables)?;
        let guard = guard(table, update.condition.as_ref(), variables)?;
        let plan = Self {
            table: Arc::clone(table),
            place,
            guard,
            actions,
            is_insert: false,
            is_row_deletion: false,
            timestamp,
            ttl,
        };
        plan.check()
    }

    pub(crate) fn delete(
        table: &Arc<Table>,
        delete: &Delete,
        variables: &mut Variables,
    ) -> Result<Self, Error> {
        let mut actions = Vec::new();
        for deletion in &delete.deletions {
            let (name, element) = match deletion {
                Deletion::Column(name) => (name, None),
                Deletion::Element(name, term) => (name, Some(term)),
                Deletion::Field(..) => return Err(unsupported("fields of user-defined types")),
            };
            let (position, column) = table.find(name)?;
            if column.is_key() {
                return Err(invalid(format!("{} is part of the key", column.name)));
            }
            let action = match element {
                None => Action::Delete,
                Some(term) => {
                    let path = path_type(column)?;
                    let name = match column.data_type {
                        DataType::Map { .. } => format!("key({})", column.name),
                        _ => format!("value({})", column.name),
                    };
                    let source = variables.source(table, term, &name, path)?;
                    Action::DeleteElement(source)
                }
            };
            actions.push((position, action));
        }
        let timestamp = delete.timestamp.as_ref();
        let timestamp = clause_number(
            table,
            timestamp,
            "[timestamp]",
            &DataType::BigInt,
            variables,
        )?;
        let place = Place::compile(table, &delete.relations, variables)?;
        let guard = guard(table, delete.condition.as_ref(), variables)?;
        let plan = Self {
            table: Arc::clone(table),
            place,
            guard,
            is_row_deletion: actions.is_empty(),
            actions,
            is_insert: false,
            timestamp,
            ttl: None,
        };
        plan.check()
    }

    fn check(self) -> Result<Self, Error> {
        if !self.place.is_one_partition() {
            return Err(unsupported("writes without exactly one partition"));
        }
        let is_conditional = !matches!(self.guard, Guard::None);
        if is_conditional && self.timestamp.is_some() {
            return Err(invalid(
                "cannot provide custom timestamp for conditional updates",
            ));
        }
        let is_full = self.place.clustering.len() == self.table.clustering.len();
        if !self.is_row_deletion && !is_full {
            let is_only_static = !self.actions.is_empty() && self.is_about_statics_only();
            if !is_only_static || !self.place.is_whole_partition() {
                return Err(invalid("some clustering keys are missing"));
            }
        }
        if is_conditional && !is_full && !self.place.is_whole_partition() {
            return Err(unsupported("conditions on a range of rows"));
        }
        let is_bare = !self.is_insert && !self.table.clustering.is_empty() && is_full;
        if is_bare && !self.actions.is_empty() && self.is_about_statics_only() {
            return Err(invalid(
                "clustering columns are restricted, but only static columns are written",
            ));
        }
        Ok(self)
    }

    /// Whether it writes, and asks for, static columns only.
    fn is_about_statics_only(&self) -> bool {
        let mut actions = self.actions.iter();
        actions.all(|(position, _)| self.kind(*position) == Some(Kind::Static))
            && self.guard.asks_statics_only(&self.table)
    }

    fn kind(&self, position: usize) -> Option<Kind> {
        self.table.columns.get(position).map(|column| column.kind)
    }

    /// Whether it writes static columns.
    pub(crate) fn writes_statics(&self) -> bool {
        let mut actions = self.actions.iter();
        actions.any(|(position, _)| self.kind(*position) == Some(Kind::Static))
    }

    /// Whether it writes rows.
    pub(crate) fn writes_rows(&self) -> bool {
        let mut actions = self.actions.iter();
        self.is_row_deletion
            || self.place.clustering.len() == self.table.clustering.len()
                && (self.is_insert
                    || actions.any(|(position, _)| self.kind(*position) == Some(Kind::Regular)))
    }

    /// The partition.
    pub(crate) fn partition(&self, values: &Values<'_>) -> Result<PartitionId, Error> {
        let ids = self.place.partitions(&self.table, values)?;
        let id = ids.into_iter().next();
        id.ok_or_else(|| invalid("a write without a partition"))
    }

    /// The row, if it is about one.
    pub(crate) fn row_key(&self, values: &Values<'_>) -> Result<Option<Bytes>, Error> {
        if self.place.clustering.len() != self.table.clustering.len() {
            return Ok(None);
        }
        match self.place.extent(&self.table, values)? {
            Extent::Rows(keys) => match keys.as_slice() {
                [key] => Ok(Some(Arc::clone(key))),
                _ => Err(unsupported("IN in a write")),
            },
            Extent::All | Extent::Range(..) => Ok(None),
        }
    }

    /// What is written.
    pub(crate) fn mutation(&self, values: &Values<'_>, when: When) -> Result<Mutation, Error> {
        let own = self.timestamp.as_ref().map(|it| it.number(values));
        let timestamp = own.transpose()?.flatten().unwrap_or(when.timestamp);
        let stamp = Stamp {
            timestamp,
            expires_at: self.expiry(values, when.now_seconds)?,
        };
        let mut slice = Slice::default();
        let key = self.row_key(values)?;
        if self.is_row_deletion {
            self.delete_rows(&mut slice, key.as_ref(), values, timestamp)?;
        }
        let mut row = Row::default();
        let mut statics = Row::default();
        for (position, action) in &self.actions {
            let Some(column) = self.table.columns.get(*position) else {
                continue;
            };
            let target = match column.kind {
                Kind::Static => &mut statics,
                _ => &mut row,
            };
            act(target, number(*position), column, action, values, stamp)?;
        }
        let has_row = key.is_some() && !self.is_row_deletion;
        if has_row && self.is_insert {
            row.put_mark(stamp.cell(Arc::from([])));
        }
        if statics != Row::default() {
            slice.statics = Arc::new(statics);
        }
        if let Some(key) = key.filter(|_| has_row)
            && row != Row::default()
        {
            slice.rows.push((key, Arc::new(row)));
        }
        Ok(Mutation {
            table: self.table.number,
            id: self.partition(values)?,
            slice,
        })
    }

    fn delete_rows(
        &self,
        slice: &mut Slice,
        key: Option<&Bytes>,
        values: &Values<'_>,
        timestamp: i64,
    ) -> Result<(), Error> {
        match key {
            _ if self.place.is_whole_partition() => slice.deletion = timestamp,
            Some(key) => {
                let row = Arc::new(Row::deleted(timestamp));
                slice.rows.push((Arc::clone(key), row));
            }
            None => {
                if let Extent::Range(from, before) = self.place.extent(&self.table, values)?
                    && from < before
                {
                    let range = (Arc::from(from), Arc::from(before), timestamp);
                    slice.ranges.push(range);
                }
            }
        }
        Ok(())
    }

    fn expiry(&self, values: &Values<'_>, now_seconds: i64) -> Result<Option<i64>, Error> {
        let own = self.ttl.as_ref().map(|source| source.number(values));
        let ttl = match own.transpose()? {
            Some(ttl) => ttl.unwrap_or(0),
            None => self.table.default_ttl,
        };
        match ttl {
            0 => Ok(None),
            1.. => Ok(Some(now_seconds + ttl)),
            _ => Err(invalid("a TTL must be greater or equal to 0")),
        }
    }
}

fn act(
    row: &mut Row,
    column: u16,
    told: &TableColumn,
    action: &Action,
    values: &Values<'_>,
    stamp: Stamp,
) -> Result<(), Error> {
    let data_type = &told.data_type;
    let is_many = data_type.is_multi_cell();
    let deletion = Cell::tombstone(stamp.timestamp);
    let before = stamp.timestamp.saturating_sub(1);
    match action {
        Action::Delete => row.put(column, deletion),
        Action::Set(source) => match source.get(values)? {
            Bound::Unset => {}
            // What another statement of the same batch adds stays, as in `Sets.Setter`.
            Bound::Null if is_many => row.put(column, Cell::tombstone(before)),
            Bound::Null => row.put(column, deletion),
            Bound::Bytes(bytes) if is_many => {
                let value = checked(data_type, bytes)?;
                row.put(column, Cell::tombstone(before));
                elements::add(row, column, data_type, &value, stamp)?;
            }
            Bound::Bytes(bytes) => row.put(column, stamp.cell(checked(data_type, bytes)?)),
        },
        Action::Add(source) => {
            if let Bound::Bytes(bytes) = source.get(values)? {
                let value = checked(data_type, bytes)?;
                elements::add(row, column, data_type, &value, stamp)?;
            }
        }
        Action::Remove(source) => {
            if let Bound::Bytes(bytes) = source.get(values)? {
                elements::remove(row, column, bytes, stamp.timestamp)?;
            }
        }
        Action::SetElement(path, value) => {
            let path = Arc::from(path.key(values)?);
            match value.get(values)? {
                Bound::Unset => {}
                Bound::Null => row.put_element(column, path, deletion),
                Bound::Bytes(bytes) => {
                    row.put_element(column, path, stamp.cell(Arc::from(bytes)));
                }
            }
        }
        Action::DeleteElement(path) => {
            row.put_element(column, Arc::from(path.key(values)?), deletion);
        }
    }
    Ok(())
}

fn action(
    table: &Table,
    column: &TableColumn,
    operation: &Operation,
    variables: &mut Variables,
) -> Result<Action, Error> {
    let (name, data_type) = (column.name.as_str(), &column.data_type);
    let mut named = |term: &Term, name: &str, data_type: &DataType| {
        variables.source(table, term, name, data_type)
    };
    let mut source = |term: &Term, data_type: &DataType| named(term, name, data_type);
    match operation {
        Operation::Set(term) => Ok(Action::Set(source(term, data_type)?)),
        Operation::Add(term) if data_type.is_multi_cell() => {
            Ok(Action::Add(source(term, data_type)?))
        }
        Operation::Subtract(term) if data_type.is_multi_cell() => {
            let paths = DataType::set(path_type(column)?.clone());
            Ok(Action::Remove(source(term, &paths)?))
        }
        Operation::SetElement { key, value } => match data_type {
            DataType::Map {
                key: key_type,
                value: value_type,
                is_frozen: false,
            } => Ok(Action::SetElement(
                named(key, &format!("key({name})"), key_type)?,
                named(value, &format!("value({name})"), value_type)?,
            )),
            _ => Err(unsupported("elements of such a column")),
        },
        _ => Err(unsupported(format!("such an assignment to {name}"))),
    }
}

/// The type of the elements or keys of a column of many cells.
fn path_type(column: &TableColumn) -> Result<&DataType, Error> {
    match &column.data_type {
        DataType::Set {
            element,
            is_frozen: false,
        } => Ok(element),
        DataType::Map {
            key,
            is_frozen: false,
            ..
        } => Ok(key),
        other => Err(invalid(format!("{other} has no elements to delete"))),
    }
}

fn guard(
    table: &Table,
    condition: Option<&UpdateCondition>,
    variables: &mut Variables,
) -> Result<Guard, Error> {
    match condition {
        None => Ok(Guard::None),
        Some(UpdateCondition::Exists) => Ok(Guard::Exists),
        Some(UpdateCondition::All(conditions)) => Guard::all(table, conditions, variables),
    }
}

fn using(
    table: &Table,
    using: &Using,
    variables: &mut Variables,
) -> Result<(Option<Source>, Option<Source>), Error> {
    let timestamp = using.timestamp();
    let timestamp = clause_number(
        table,
        timestamp,
        "[timestamp]",
        &DataType::BigInt,
        variables,
    )?;
    let ttl = clause_number(
        table,
        using.time_to_live(),
        "[ttl]",
        &DataType::Int,
        variables,
    )?;
    Ok((timestamp, ttl))
}
