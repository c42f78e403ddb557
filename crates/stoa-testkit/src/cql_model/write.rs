//! INSERT, UPDATE and DELETE: from a statement to what happens in which partition.

use stoa_cql::ast::{
    Delete, Deletion, Insert, Modification, Operation, QualifiedName, Term, Update,
    UpdateCondition, Using, UsingOption,
};
use stoa_types::DataType;

use super::assign::{Assigner, Moment};
use super::condition::{Check, Guard};
use super::failure::{Known, invalid, unknown};
use super::partition::{Clustering, Partition, Range};
use super::plan::{Key, place};
use super::restriction;
use super::row::Change;
use super::schema::LONGEST_TTL;
use super::target::Rows;
use super::terms::Terms;
use super::value::{self, Val};
use super::view::RowView;
use super::world::{Kind, Table, World};
use crate::facts::Liveness;

/// What one statement does.
#[derive(Debug)]
pub(super) struct Write {
    /// The table.
    pub(super) table: QualifiedName,
    /// What happens.
    pub(super) mutations: Vec<Mutation>,
    /// What must hold before.
    pub(super) guard: Option<Guard>,
    /// Whether the statement itself said its write time.
    pub(super) has_timestamp: bool,
    /// Whether the table is one of counters.
    pub(super) is_counter: bool,
    /// Whether it is about static columns.
    pub(super) updates_static: bool,
    /// Whether it is about rows.
    pub(super) updates_rows: bool,
    /// Why it is refused, if its condition holds.
    pub(super) late_refusal: Option<&'static str>,
}

/// What happens in one partition.
#[derive(Debug)]
pub(super) struct Mutation {
    /// The partition.
    pub(super) key: Key,
    /// What happens there.
    pub(super) what: What,
}

/// What happens in a partition.
#[derive(Debug)]
pub(super) enum What {
    /// All of it is deleted.
    DeletePartition(i64),
    /// A range of rows is deleted.
    DeleteRange(Range),
    /// The static row changes.
    Static(Vec<Change>),
    /// A row changes.
    Row(Clustering, Vec<Change>),
}

/// With what a statement is executed.
#[derive(Clone, Copy)]
pub(super) struct Circumstances<'a> {
    /// Its terms.
    pub(super) terms: Terms<'a>,
    /// The write time, unless the statement says one.
    pub(super) micros: i64,
    /// Now, in seconds.
    pub(super) now: i64,
    /// Whether it is executed under a condition, its own or its batch's.
    pub(super) is_conditional: bool,
}

/// Clustering values longer than this may be refused.
const LONGEST_MODELLED: usize = 30_000;

/// The time after which the end of a TTL is not modelled: what 31 bits of seconds hold.
const LAST_SECOND: i64 = 0x7FFF_FFFE;

impl World {
    /// Works out what a statement does.
    pub(super) fn write(
        &mut self,
        modification: &Modification,
        with: Circumstances<'_>,
    ) -> Known<Write> {
        let mut list_elements = self.list_elements;
        let written = match modification {
            Modification::Insert(insert) => self.insert(insert, with, &mut list_elements),
            Modification::Update(update) => self.update(update, with, &mut list_elements),
            Modification::Delete(delete) => self.delete(delete, with, &mut list_elements),
            Modification::InsertJson(_) => unknown("JSON"),
        };
        self.list_elements = list_elements;
        written
    }

    fn insert(&self, insert: &Insert, with: Circumstances<'_>, lists: &mut i64) -> Known<Write> {
        let table = self.table(&insert.table)?;
        if table.is_counter() {
            return invalid("INSERT statements are not allowed on counter tables");
        }
        if insert.columns.len() != insert.values.len() {
            return invalid("Unmatched column names/values");
        }
        let (moment, has_timestamp) = moment(table, &insert.using, with)?;
        let mut given: Vec<(usize, &Term)> = Vec::new();
        for (name, term) in insert.columns.iter().zip(&insert.values) {
            let position = table.position(name.as_str())?;
            if given.iter().any(|(other, _)| *other == position) {
                return invalid("The column names contains duplicates");
            }
            given.push((position, term));
        }
        let (key, clustering) = inserted_key(table, &given, with.terms)?;
        let (mut row, statics) = inserted(table, &given, with, moment, lists)?;
        let is_static = |(position, _): &(usize, &Term)| {
            table.at(*position).is_ok_and(|it| it.kind == Kind::Static)
        };
        let updates_static = given.iter().any(is_static);
        let updates_rows = clustering.is_some();
        let guard = insert.if_not_exists.then(|| Guard {
            key: key.clone(),
            clustering: clustering.clone(),
            check: Check::NotExists,
        });
        if guard.is_some() && has_timestamp {
            return invalid("Cannot provide custom timestamp for conditional updates");
        }
        let mut mutations = Vec::new();
        if let Some(clustering) = clustering {
            row.insert(
                0,
                Change::Live(Liveness {
                    timestamp_micros: moment.micros,
                    expiry: moment.expiry(),
                }),
            );
            mutations.push(Mutation {
                key: key.clone(),
                what: What::Row(clustering, row),
            });
        }
        mutations.push(Mutation {
            key,
            what: What::Static(statics),
        });
        Ok(Write {
            table: insert.table.clone(),
            mutations,
            guard,
            has_timestamp,
            is_counter: false,
            updates_static,
            updates_rows,
            late_refusal: moment.late_refusal(),
        })
    }

    fn update(&self, update: &Update, with: Circumstances<'_>, lists: &mut i64) -> Known<Write> {
        let table = self.table(&update.table)?;
        let (moment, has_timestamp) = moment(table, &update.using, with)?;
        let mut operations = Vec::new();
        for assignment in &update.assignments {
            let position = table.position(assignment.column.as_str())?;
            if table.at(position)?.is_key() {
                return invalid("PRIMARY KEY part found in SET part");
            }
            operations.push((position, &assignment.operation));
        }
        check_repeated(table, &operations)?;
        let restrictions = restriction::resolve(table, &update.relations, with.terms)?;
        let rows = Rows::new(table, &restrictions)?;
        let check = check(table, update.condition.as_ref(), with.terms)?;
        let is_static = |(position, _): &(usize, &Operation)| {
            table.at(*position).is_ok_and(|it| it.kind == Kind::Static)
        };
        let only_static = operations.iter().all(is_static)
            && check.as_ref().is_none_or(|it| !it.is_about_rows(table));
        let is_row = target_is_row(table, &rows, only_static, "UPDATE")?;
        let reads = reads_lists(table, check.as_ref(), with.is_conditional);
        let guard = guard(check, &rows, is_row, has_timestamp, table)?;
        let mut mutations = Vec::new();
        for (key, clustering) in rows_of(&rows, is_row) {
            let (mut row, mut statics) = (Vec::new(), Vec::new());
            for (position, operation) in &operations {
                let column = table.at(*position)?;
                let mut assigner = Assigner {
                    table,
                    column,
                    terms: with.terms,
                    moment,
                    current: current(table, key, clustering, *position, with.now)?,
                    list_elements: lists,
                    is_conditional: with.is_conditional || update.condition.is_some(),
                    is_list_read: reads(column.kind),
                };
                let changes = assigner.operation(operation)?;
                match assigner.is_static() {
                    true => statics.extend(changes),
                    false => row.extend(changes),
                }
            }
            push(&mut mutations, key, clustering, row, statics);
        }
        Ok(Write {
            table: update.table.clone(),
            mutations,
            guard,
            has_timestamp,
            is_counter: table.is_counter(),
            updates_static: operations.iter().any(is_static),
            updates_rows: is_row,
            late_refusal: moment.late_refusal(),
        })
    }

    fn delete(&self, delete: &Delete, with: Circumstances<'_>, lists: &mut i64) -> Known<Write> {
        let table = self.table(&delete.table)?;
        let timestamp = delete.timestamp.iter().cloned();
        let using = Using(timestamp.map(UsingOption::Timestamp).collect());
        let (moment, has_timestamp) = moment(table, &using, with)?;
        let moment = Moment { ttl: 0, ..moment };
        let columns = deleted_columns(table, delete)?;
        let restrictions = restriction::resolve(table, &delete.relations, with.terms)?;
        let rows = Rows::new(table, &restrictions)?;
        let check = check(table, delete.condition.as_ref(), with.terms)?;
        if columns.is_empty() {
            return self.delete_rows(delete, table, &rows, check, moment, has_timestamp);
        }
        let is_static = |(position, _): &(usize, &Deletion)| {
            table.at(*position).is_ok_and(|it| it.kind == Kind::Static)
        };
        let only_static = columns.iter().all(is_static)
            && check.as_ref().is_none_or(|it| !it.is_about_rows(table));
        let is_row = target_is_row(table, &rows, only_static, "DELETE")?;
        let reads = reads_lists(table, check.as_ref(), with.is_conditional);
        let guard = guard(check, &rows, is_row, has_timestamp, table)?;
        let mut mutations = Vec::new();
        for (key, clustering) in rows_of(&rows, is_row) {
            let (mut row, mut statics) = (Vec::new(), Vec::new());
            for (position, deletion) in &columns {
                let assigner = Assigner {
                    table,
                    column: table.at(*position)?,
                    terms: with.terms,
                    moment,
                    current: current(table, key, clustering, *position, with.now)?,
                    list_elements: lists,
                    is_conditional: with.is_conditional,
                    is_list_read: reads(table.at(*position)?.kind),
                };
                let changes = match deletion {
                    Deletion::Column(_) => assigner.delete(),
                    Deletion::Element(_, key) => assigner.delete_element(key)?,
                    Deletion::Field(_, field) => assigner.delete_field(field.as_str())?,
                };
                match assigner.is_static() {
                    true => statics.extend(changes),
                    false => row.extend(changes),
                }
            }
            push(&mut mutations, key, clustering, row, statics);
        }
        Ok(Write {
            table: delete.table.clone(),
            mutations,
            guard,
            has_timestamp,
            is_counter: table.is_counter(),
            updates_static: columns.iter().any(is_static),
            updates_rows: is_row,
            late_refusal: None,
        })
    }

    /// `DELETE FROM t WHERE ...`: rows, ranges, partitions.
    fn delete_rows(
        &self,
        delete: &Delete,
        table: &Table,
        rows: &Rows,
        check: Option<Check>,
        moment: Moment,
        has_timestamp: bool,
    ) -> Known<Write> {
        if check.is_some() && !rows.is_whole {
            return invalid("DELETE statements must restrict all PRIMARY KEY columns");
        }
        let guard = guard(check, rows, true, has_timestamp, table)?;
        let mut mutations = Vec::new();
        let range_time = moment.range_micros;
        for key in &rows.keys {
            let key = || key.clone();
            if !rows.names_clustering {
                let what = What::DeletePartition(moment.micros);
                mutations.push(Mutation { key: key(), what });
            } else if rows.is_whole {
                mutations.extend(rows.prefixes.iter().map(|clustering| Mutation {
                    key: key(),
                    what: What::Row(clustering.clone(), vec![Change::Delete(moment.micros)]),
                }));
            } else {
                mutations.extend(rows.ranges(range_time).into_iter().map(|it| Mutation {
                    key: key(),
                    what: What::DeleteRange(it),
                }));
            }
        }
        Ok(Write {
            table: delete.table.clone(),
            mutations,
            guard,
            has_timestamp,
            is_counter: table.is_counter(),
            updates_static: false,
            updates_rows: true,
            late_refusal: None,
        })
    }

    /// Lets a write happen.
    pub(super) fn apply(&mut self, write: &Write) -> Known<()> {
        let places = write.mutations.iter().map(|it| place(&it.key));
        let places = places.collect::<Known<Vec<_>>>()?;
        let table = self.table_mut(&write.table)?;
        let clustering_columns = std::mem::take(&mut table.clustering);
        let mut doubt = table.doubt.take();
        for (mutation, at) in write.mutations.iter().zip(places) {
            let mut partitions = std::mem::take(&mut table.partitions);
            let partition = partitions
                .entry(at)
                .or_insert_with(|| Partition::new(mutation.key.clone()));
            let path_type = |number| table.path_type(number);
            match &mutation.what {
                What::DeletePartition(at) => partition.deletion = partition.deletion.max(*at),
                What::DeleteRange(range) => partition.ranges.push(range.clone()),
                What::Static(changes) => partition.change_static(changes, path_type),
                What::Row(clustering, changes) => {
                    if partition.has_other_form(&clustering_columns, clustering) {
                        doubt = Some("two forms of one key".to_owned());
                    }
                    partition.change_row(&clustering_columns, clustering, changes, path_type);
                }
            }
            table.partitions = partitions;
        }
        table.clustering = clustering_columns;
        table.doubt = doubt;
        Ok(())
    }
}

/// The columns that a DELETE names.
fn deleted_columns<'a>(table: &Table, delete: &'a Delete) -> Known<Vec<(usize, &'a Deletion)>> {
    let mut columns = Vec::new();
    for deletion in &delete.deletions {
        let (Deletion::Column(name) | Deletion::Element(name, _) | Deletion::Field(name, _)) =
            deletion;
        let position = table.position(name.as_str())?;
        if table.at(position)?.is_key() {
            return invalid("Invalid identifier for deletion (should not be a PRIMARY KEY part)");
        }
        columns.push((position, deletion));
    }
    Ok(columns)
}

/// Of columns of which kind the lists are read, where writes are conditional: of rows that a
/// condition is about, and of static ones if the statement has one.
fn reads_lists(
    table: &Table,
    check: Option<&Check>,
    is_conditional: bool,
) -> impl Fn(Kind) -> bool + use<> {
    let has_own = check.is_some();
    let is_about_row = check.is_some_and(|it| match it {
        Check::Columns(_) => it.is_about_rows(table),
        Check::Exists | Check::NotExists => true,
    });
    move |kind| match kind {
        _ if !is_conditional => true,
        Kind::Static => has_own,
        _ => is_about_row,
    }
}

/// What becomes of the columns of an INSERT: those of the row, and the static ones.
fn inserted(
    table: &Table,
    given: &[(usize, &Term)],
    with: Circumstances<'_>,
    moment: Moment,
    lists: &mut i64,
) -> Known<(Vec<Change>, Vec<Change>)> {
    let (mut row, mut statics) = (Vec::new(), Vec::new());
    for (position, term) in given {
        let column = table.at(*position)?;
        if column.is_key() {
            continue;
        }
        let mut assigner = Assigner {
            table,
            column,
            terms: with.terms,
            moment,
            current: None,
            list_elements: lists,
            is_conditional: with.is_conditional,
            is_list_read: true,
        };
        let changes = assigner.set(term)?;
        match column.kind {
            Kind::Static => statics.extend(changes),
            _ => row.extend(changes),
        }
    }
    Ok((row, statics))
}

/// A column may be changed twice only by its elements. Of lists, whose changes may need those
/// before them, that is not modelled.
fn check_repeated(table: &Table, operations: &[(usize, &Operation)]) -> Known<()> {
    for (index, (position, operation)) in operations.iter().enumerate() {
        let others = || {
            let before = operations.iter().take(index);
            before.filter(|(other, _)| other == position)
        };
        let is_whole = |operation: &Operation| matches!(operation, Operation::Set(_));
        if others().any(|(_, other)| is_whole(other) || is_whole(operation)) {
            return invalid("Multiple incompatible setting of a column");
        }
        let is_list = matches!(table.at(*position)?.data_type, DataType::List { .. });
        if is_list && others().next().is_some() {
            return unknown("a list changed twice");
        }
    }
    Ok(())
}

/// The key of an inserted row; without a clustering only static columns are inserted.
fn inserted_key(
    table: &Table,
    given: &[(usize, &Term)],
    terms: Terms<'_>,
) -> Known<(Key, Option<Clustering>)> {
    let mut key = Vec::new();
    let mut clustering = Vec::new();
    let mut has_static = false;
    let mut has_regular = false;
    for (position, _) in given {
        match table.at(*position)?.kind {
            Kind::Static => has_static = true,
            Kind::Regular => has_regular = true,
            Kind::Partition(_) | Kind::Clustering(_) => {}
        }
    }
    let columns = table
        .partition_key()
        .iter()
        .chain(table.clustering_columns());
    for (position, column) in columns.enumerate() {
        let Some((_, term)) = given.iter().find(|(other, _)| *other == position) else {
            match column.kind {
                Kind::Partition(_) => return invalid("Some partition key parts are missing"),
                _ => continue,
            }
        };
        let value = terms.eval(term, &column.data_type)?.required("a key")?;
        match column.kind {
            Kind::Partition(_) => key.push(value),
            _ => clustering.push(value),
        }
    }
    restriction::joined(&key)?;
    if clustering
        .iter()
        .any(|value| value.len() > LONGEST_MODELLED)
    {
        return unknown("very long keys");
    }
    if clustering.len() == table.clustering.len() {
        return Ok((key, Some(clustering)));
    }
    match clustering.is_empty() && has_static && !has_regular {
        true => Ok((key, None)),
        false => invalid("Some clustering keys are missing"),
    }
}

/// The time of a write, and whether the statement says it.
fn moment(table: &Table, using: &Using, with: Circumstances<'_>) -> Known<(Moment, bool)> {
    let mut micros = with.micros;
    if let Some(term) = using.timestamp() {
        if table.is_counter() {
            return invalid("Cannot provide custom timestamp for counter updates");
        }
        match with.terms.eval(term, &DataType::BigInt)? {
            Val::Null => return invalid("Invalid null value of timestamp"),
            Val::Unset => {}
            Val::Bytes(bytes) => {
                let given = value::long(&bytes)?;
                if given == i64::MIN {
                    return unknown("the least timestamp");
                }
                // A conditional batch gives all its statements one time of its own.
                micros = if with.is_conditional { micros } else { given };
            }
        }
    }
    let mut ttl = table.default_ttl;
    if let Some(term) = using.time_to_live() {
        if table.is_counter() {
            return invalid("Cannot provide custom TTL for counter updates");
        }
        match with.terms.eval(term, &DataType::Int)? {
            Val::Null => ttl = 0,
            Val::Unset => {}
            Val::Bytes(bytes) => ttl = value::int(&bytes)?,
        }
        if !(0..=LONGEST_TTL).contains(&ttl) {
            // What a condition guards is worked out only where the condition holds.
            return match with.is_conditional {
                true => Ok((
                    Moment::refused(micros, with.now),
                    using.timestamp().is_some(),
                )),
                false => invalid(super::assign::WRONG_TTL),
            };
        }
    }
    if with.now.saturating_add(i64::from(ttl)) > LAST_SECOND {
        return unknown("an expiry beyond 2038");
    }
    // In a conditional batch a deletion of a range comes before all else.
    let range_micros = match with.is_conditional {
        true => micros.saturating_sub(1),
        false => micros,
    };
    let moment = Moment {
        micros,
        range_micros,
        now: with.now,
        ttl,
    };
    Ok((moment, using.timestamp().is_some()))
}

fn check(
    table: &Table,
    condition: Option<&UpdateCondition>,
    terms: Terms<'_>,
) -> Known<Option<Check>> {
    match condition {
        None => Ok(None),
        Some(UpdateCondition::Exists) => Ok(Some(Check::Exists)),
        Some(UpdateCondition::All(conditions)) => {
            let checks = conditions
                .iter()
                .map(|condition| super::condition::resolve(table, condition, terms));
            Ok(Some(Check::Columns(checks.collect::<Known<Vec<_>>>()?)))
        }
    }
}

fn guard(
    check: Option<Check>,
    rows: &Rows,
    is_row: bool,
    has_timestamp: bool,
    table: &Table,
) -> Known<Option<Guard>> {
    let Some(check) = check else {
        return Ok(None);
    };
    if table.is_counter() {
        return invalid("Conditional updates are not supported on counter tables");
    }
    if has_timestamp {
        return invalid("Cannot provide custom timestamp for conditional updates");
    }
    if rows.has_key_in || rows.has_clustering_in {
        return invalid("IN is not supported with conditional updates");
    }
    let Some(key) = rows.keys.first() else {
        return unknown("a condition on nothing");
    };
    let clustering = match is_row {
        true => rows.prefixes.first().cloned(),
        false => None,
    };
    Ok(Some(Guard {
        key: key.clone(),
        clustering,
        check,
    }))
}

/// Whether rows are written, rather than static columns only.
fn target_is_row(table: &Table, rows: &Rows, only_static: bool, verb: &str) -> Known<bool> {
    if only_static {
        return match rows.names_clustering {
            true => invalid(format!("{verb} modifies only static columns")),
            false => Ok(table.clustering.is_empty()),
        };
    }
    match rows.is_whole {
        true => Ok(true),
        false => invalid("Some clustering keys are missing"),
    }
}

/// The rows that are written: partition, and clustering if there is one.
fn rows_of(rows: &Rows, is_row: bool) -> Vec<(&Key, Option<&Clustering>)> {
    let of_key = |key| -> Vec<(&Key, Option<&Clustering>)> {
        match is_row {
            true => rows.prefixes.iter().map(|it| (key, Some(it))).collect(),
            false => vec![(key, None)],
        }
    };
    rows.keys.iter().flat_map(of_key).collect()
}

fn push(
    mutations: &mut Vec<Mutation>,
    key: &Key,
    clustering: Option<&Clustering>,
    row: Vec<Change>,
    statics: Vec<Change>,
) {
    if let Some(clustering) = clustering {
        mutations.push(Mutation {
            key: key.clone(),
            what: What::Row(clustering.clone(), row),
        });
    }
    mutations.push(Mutation {
        key: key.clone(),
        what: What::Static(statics),
    });
}

/// What is kept of a column, and up to which time it is hidden.
fn current<'a>(
    table: &'a Table,
    key: &Key,
    clustering: Option<&'a Clustering>,
    position: usize,
    now: i64,
) -> Known<Option<(&'a super::row::Stored, i64)>> {
    let at = place(key)?;
    let Some(partition) = table.partitions.get(&at) else {
        return Ok(None);
    };
    let mut view = RowView::of_static(table, partition, at.0, now);
    if let Some(clustering) = clustering
        && let Some(row) = partition.row(&table.clustering, clustering)
    {
        view = view.with_row(clustering, row);
    }
    Ok(view.stored(table.at(position)?))
}
