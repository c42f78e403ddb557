//! Conditional writes: tested on what is there, applied whole or not at all, and what they answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use stoa_session::{Column as AnswerColumn, Rows};
use stoa_types::DataType;

use super::condition::{Check, Guard};
use super::failure::{Known, invalid, unknown};
use super::partition::{Clustering, Partition, compare_prefix};
use super::plan::place;
use super::view::RowView;
use super::world::{Kind, Table, World};
use super::write::Write;

/// The column that says whether a write was applied.
const APPLIED: &str = "[applied]";

impl World {
    /// Tests the guards of writes to one partition, and lets all happen if they hold.
    pub(super) fn compare_and_set(
        &mut self,
        writes: &[Write],
        now: i64,
        is_batch: bool,
    ) -> Known<Rows> {
        let guards: Vec<&Guard> = writes.iter().filter_map(|it| it.guard.as_ref()).collect();
        let Some(first) = writes.first() else {
            return unknown("no write");
        };
        check_one_partition(self, writes)?;
        let table = self.table(&first.table)?;
        check_kinds(table, &guards)?;
        table.trusted()?;
        let Some(guard) = guards.first() else {
            return unknown("no condition");
        };
        let at = place(&guard.key)?;
        let nothing = Partition::new(guard.key.clone());
        let partition = table.partitions.get(&at).unwrap_or(&nothing);
        let judge = Judge {
            table,
            alone: RowView::of_static(table, partition, at.0, now),
            partition,
            updates_static: writes
                .iter()
                .any(|it| it.updates_static && it.guard.is_some()),
            updates_rows: writes.iter().any(|it| it.updates_rows),
        };
        let mut holds = true;
        for guard in &guards {
            holds = judge.holds(guard)? && holds;
        }
        if !holds {
            return judge.refusal(&guards, is_batch);
        }
        if let Some(words) = writes.iter().find_map(|it| it.late_refusal) {
            return invalid(words);
        }
        for write in writes {
            self.apply(write)?;
        }
        let mut rows = Rows::with_columns(Arc::from([applied_column()]));
        match rows.push([Some([1_u8].as_slice())]) {
            Ok(()) => Ok(rows),
            Err(error) => unknown(error.to_string()),
        }
    }
}

fn applied_column() -> AnswerColumn {
    AnswerColumn::new(APPLIED, DataType::Boolean)
}

fn check_one_partition(world: &World, writes: &[Write]) -> Known<()> {
    let mut tables = BTreeSet::new();
    let mut keys = BTreeSet::new();
    for write in writes {
        let table = world.table(&write.table)?;
        tables.insert((Arc::clone(&table.keyspace), Arc::clone(&table.name)));
        keys.extend(write.mutations.iter().map(|it| &it.key));
    }
    if tables.len() > 1 {
        return invalid("Batch with conditions cannot span multiple tables");
    }
    match keys.len() > 1 {
        true => invalid("Batch with conditions cannot span multiple partitions"),
        false => Ok(()),
    }
}

/// Conditions of one row must be of one kind.
fn check_kinds(table: &Table, guards: &[&Guard]) -> Known<()> {
    for (index, left) in guards.iter().enumerate() {
        for right in guards.iter().skip(index + 1) {
            let is_same_row = match (&left.clustering, &right.clustering) {
                (None, None) => true,
                (Some(left), Some(right)) => compare_prefix(&table.clustering, left, right).is_eq(),
                (None, Some(_)) => right.check.asks_statics(table),
                (Some(_), None) => left.check.asks_statics(table),
            };
            let is_same_kind =
                std::mem::discriminant(&left.check) == std::mem::discriminant(&right.check);
            if is_same_row && !is_same_kind {
                // Refused, unless the conditions are about static columns.
                return unknown("kinds of conditions mixed for one row");
            }
        }
    }
    Ok(())
}

struct Judge<'a> {
    table: &'a Table,
    alone: RowView<'a>,
    partition: &'a Partition,
    /// Whether any of the writes with a condition is about static columns.
    updates_static: bool,
    /// Whether any of the writes is about rows.
    updates_rows: bool,
}

impl<'a> Judge<'a> {
    /// The row of a clustering, if it is there.
    fn row(&self, clustering: &Clustering) -> Option<RowView<'a>> {
        let place = self
            .partition
            .place(&self.table.clustering, clustering)
            .ok()?;
        let (clustering, row) = self.partition.rows.get(place)?;
        let view = self.alone.with_row(clustering, row);
        view.is_live().then_some(view)
    }

    fn holds(&self, guard: &Guard) -> Known<bool> {
        let row = match &guard.clustering {
            Some(clustering) => self.row(clustering),
            None => self.alone.is_static_live().then_some(self.alone),
        };
        match &guard.check {
            Check::Exists => Ok(row.is_some()),
            Check::NotExists => Ok(row.is_none()),
            Check::Columns(checks) => {
                let seen = row.unwrap_or(self.alone);
                let mut holds = true;
                for check in checks {
                    holds = check.holds(Some(&seen))? && holds;
                }
                Ok(holds)
            }
        }
    }

    /// What a write that was not applied answers: the rows it was tested on, as far as its
    /// conditions read them.
    fn refusal(&self, guards: &[&Guard], is_batch: bool) -> Known<Rows> {
        let read = self.columns_read(guards);
        let shown = self.columns_shown(guards, is_batch);
        let rows = self.rows_read(guards, &read);
        let is_static_read = read.iter().any(|it| self.is_static(*it));
        let has_static = is_static_read && {
            let mut columns = read.iter().filter(|it| self.is_static(**it));
            columns.any(|it| self.table.at(*it).is_ok_and(|it| self.alone.shows(it)))
        };
        let rows = match rows.is_empty() && has_static {
            true => vec![self.alone],
            false => rows,
        };
        if rows.is_empty() {
            return answer(&[applied_column()], &[vec![Some(vec![0])]]);
        }
        let mut columns = vec![applied_column()];
        for position in &shown {
            let column = self.table.at(*position)?;
            let data_type = column.data_type.clone().without_frozen();
            columns.push(AnswerColumn::new(&column.name, data_type));
        }
        let mut cells = Vec::new();
        for row in rows {
            let mut values = vec![Some(vec![0])];
            for position in &shown {
                let is_key = self.table.at(*position)?.is_key();
                values.push(match is_key || read.contains(position) {
                    true => row.value(*position)?,
                    false => None,
                });
            }
            cells.push(values);
        }
        answer(&columns, &cells)
    }

    fn is_static(&self, position: usize) -> bool {
        self.table
            .at(position)
            .is_ok_and(|it| it.kind == Kind::Static)
    }

    /// The columns that are read: those of the conditions, and all of the kinds that are written
    /// (`CQL3CasRequest.columnsToRead`).
    fn columns_read(&self, guards: &[&Guard]) -> BTreeSet<usize> {
        let mut read = BTreeSet::new();
        for guard in guards {
            if let Check::Columns(checks) = &guard.check {
                read.extend(checks.iter().map(|it| it.position));
            }
        }
        for (position, column) in self.table.columns.iter().enumerate() {
            let is_read = match column.kind {
                Kind::Static => self.updates_static,
                Kind::Regular => self.updates_rows,
                Kind::Partition(_) | Kind::Clustering(_) => false,
            };
            if is_read {
                read.insert(position);
            }
        }
        read
    }

    /// The columns of the answer.
    fn columns_shown(&self, guards: &[&Guard], is_batch: bool) -> Vec<usize> {
        let is_existence = |it: &&Guard| !matches!(it.check, Check::Columns(_));
        if guards.iter().any(is_existence) {
            return (0..self.table.columns.len()).collect();
        }
        let keys = self.table.partition_columns + self.table.clustering.len();
        let mut shown: Vec<usize> = match is_batch {
            true => (0..keys).collect(),
            false => Vec::new(),
        };
        for guard in guards {
            let Check::Columns(checks) = &guard.check else {
                continue;
            };
            let positions = || checks.iter().map(|it| it.position);
            let regular = positions().filter(|it| !self.is_static(*it));
            let statics = positions().filter(|it| self.is_static(*it));
            for position in regular.chain(statics) {
                if !shown.contains(&position) {
                    shown.push(position);
                }
            }
        }
        shown
    }

    /// The rows that conditions are about; where they are about static columns only, the first
    /// row of the partition that shows by what is read.
    fn rows_read(&self, guards: &[&Guard], read: &BTreeSet<usize>) -> Vec<RowView<'a>> {
        let is_about_row = |it: &&&Guard| match &it.check {
            Check::Exists | Check::NotExists => true,
            check @ Check::Columns(_) => check.is_about_rows(self.table),
        };
        let about_rows = guards.iter().filter(is_about_row);
        let named: Vec<&Clustering> = about_rows.filter_map(|it| it.clustering.as_ref()).collect();
        let is_named = |clustering: &Clustering| {
            let mut named = named.iter();
            named.any(|it| compare_prefix(&self.table.clustering, it, clustering).is_eq())
        };
        let mut found = Vec::new();
        for (clustering, row) in &self.partition.rows {
            let view = self.alone.with_row(clustering, row);
            let mut columns = read.iter().filter_map(|it| self.table.at(*it).ok());
            let is_shown =
                view.is_marked() || columns.any(|it| it.kind == Kind::Regular && view.shows(it));
            if is_shown && (named.is_empty() || is_named(clustering)) {
                found.push(view);
                if named.is_empty() {
                    break;
                }
            }
        }
        found
    }
}

fn answer(columns: &[AnswerColumn], cells: &[Vec<Option<Vec<u8>>>]) -> Known<Rows> {
    let mut rows = Rows::with_columns(Arc::from(columns));
    for row in cells {
        if let Err(error) = rows.push(row.iter().map(Option::as_deref)) {
            return unknown(error.to_string());
        }
    }
    Ok(rows)
}
