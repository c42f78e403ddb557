//! Updates of base rows, with everything that is derived from them.
//!
//! Rows before an update are looked at as if nothing had expired, so that what was derived from
//! something that expired since is removed too. Rows after it are looked at as of now.
//!
//! A deletion may cover any number of rows. Above some it is done in steps, all in the one commit
//! that the deletion is: whatever is derived from the rows is removed, the deletion is applied, and
//! what is derived from what is left of them is written again. So only the keys of what changes are
//! held, not the rows, and no reader sees the table and its views disagree.

use std::collections::BTreeSet;

use stoa_store::StoreError;
use stoa_store::commit::group::Group;
use stoa_store::key::PartitionKey;
use stoa_store::kv::Direction;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::partition::{Partition, Slice};
use stoa_types::partition_key;

use super::indexed::Source;
use super::{Derived, DerivedRows, Plans, damaged};
use crate::rows::clustering_values;
use crate::terms::Values;

/// A second before which nothing has expired.
const NOTHING_EXPIRED: i64 = i64::MIN;

/// How many rows are looked at in one step.
const ROWS_AT_ONCE: usize = 1000;

/// The rows of a partition that an update may change.
#[derive(Debug, Default)]
pub(super) struct Affected {
    pub(super) has_static: bool,
    pub(super) clusterings: BTreeSet<Vec<u8>>,
}

/// The rows that an update names.
fn named(update: &PartitionUpdate) -> Affected {
    Affected {
        has_static: update.static_row.is_some() || update.deletion.is_some(),
        clusterings: update.rows.iter().map(|(it, _)| it.to_vec()).collect(),
    }
}

/// The slices that an update deletes.
fn deleted_slices(update: &PartitionUpdate) -> impl Iterator<Item = Slice> {
    let ranges = update.ranges.iter().map(|range| Slice {
        start: range.start.clone(),
        end: range.end.clone(),
    });
    ranges.chain(update.deletion.map(|_| Slice::all()))
}

impl Plans {
    /// Applies updates to a commit group, with everything that is derived from them. `now` is the
    /// second at which rows are looked at.
    pub(crate) fn apply(
        &self,
        group: &mut Group<'_>,
        updates: &[PartitionUpdate],
        values: &Values<'_>,
        now: i64,
    ) -> Result<(), StoreError> {
        for update in updates {
            match self.of(update.table) {
                Some(derived) => derived.apply(group, update, values, now)?,
                None => group.apply(std::slice::from_ref(update))?,
            }
        }
        Ok(())
    }
}

impl Derived {
    fn apply(
        &self,
        group: &mut Group<'_>,
        update: &PartitionUpdate,
        values: &Values<'_>,
        now: i64,
    ) -> Result<(), StoreError> {
        let affected = self.affected(group, update)?;
        if affected.clusterings.len() > ROWS_AT_ONCE {
            return self.apply_in_steps(group, update, values, now);
        }
        let key = &update.partition;
        let before = self.derive(group, key, &affected, values, NOTHING_EXPIRED)?;
        group.apply(std::slice::from_ref(update))?;
        let after = self.derive(group, key, &affected, values, now)?;
        for (table, partition, clustering) in before.keys().filter(|it| !after.contains_key(*it)) {
            group.replace_row(*table, partition, clustering, None)?;
        }
        for (place, row) in &after {
            if before.get(place) != Some(row) {
                let (table, partition, clustering) = place;
                group.replace_row(*table, partition, clustering, Some(row))?;
            }
        }
        Ok(())
    }

    /// Applies a deletion of many rows.
    fn apply_in_steps(
        &self,
        group: &mut Group<'_>,
        update: &PartitionUpdate,
        values: &Values<'_>,
        now: i64,
    ) -> Result<(), StoreError> {
        let key = &update.partition;
        self.in_steps(group, update, |group, affected| {
            let before = self.derive(group, key, affected, values, NOTHING_EXPIRED)?;
            for (table, partition, clustering) in before.keys() {
                group.replace_row(*table, partition, clustering, None)?;
            }
            Ok(())
        })?;
        group.apply(std::slice::from_ref(update))?;
        self.in_steps(group, update, |group, affected| {
            let after = self.derive(group, key, affected, values, now)?;
            for ((table, partition, clustering), row) in &after {
                group.replace_row(*table, partition, clustering, Some(row))?;
            }
            Ok(())
        })
    }

    /// Hands all rows that an update may change to `step`, some at a time.
    fn in_steps<'s>(
        &self,
        group: &mut Group<'s>,
        update: &PartitionUpdate,
        mut step: impl FnMut(&mut Group<'s>, &Affected) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        step(group, &named(update))?;
        for slice in deleted_slices(update) {
            let mut rest = slice;
            loop {
                let mut some = Affected::default();
                self.add_rows(group, update, &rest, ROWS_AT_ONCE, &mut some)?;
                let Some(last) = some.clusterings.last() else {
                    break;
                };
                rest = rest.after(last, Direction::Forward);
                step(group, &some)?;
            }
        }
        Ok(())
    }

    /// The rows that an update may change: those it names and those that its deletions cover, or
    /// more than a step of them.
    fn affected(
        &self,
        group: &Group<'_>,
        update: &PartitionUpdate,
    ) -> Result<Affected, StoreError> {
        let mut affected = named(update);
        if self.needs_rows() {
            for slice in deleted_slices(update) {
                let most = (ROWS_AT_ONCE + 1).saturating_sub(affected.clusterings.len());
                self.add_rows(group, update, &slice, most, &mut affected)?;
            }
        }
        Ok(affected)
    }

    /// Adds rows of a slice, at most so many.
    fn add_rows(
        &self,
        group: &Group<'_>,
        update: &PartitionUpdate,
        slice: &Slice,
        most: usize,
        affected: &mut Affected,
    ) -> Result<(), StoreError> {
        if slice.start >= slice.end || !self.needs_rows() {
            return Ok(());
        }
        let partition = group.partition(update.table, &update.partition)?;
        for row in partition.rows(slice, Direction::Forward)?.take(most) {
            affected.clusterings.insert(row?.clustering().to_vec());
        }
        Ok(())
    }

    /// Everything that is derived from these rows of a partition as a commit group has it.
    pub(super) fn derive(
        &self,
        group: &Group<'_>,
        key: &PartitionKey,
        affected: &Affected,
        values: &Values<'_>,
        now: i64,
    ) -> Result<DerivedRows, StoreError> {
        let mut out = DerivedRows::new();
        let partition = group.partition(self.table.store, key)?;
        let parts = partition_key::split(key.bytes(), self.table.partition_key().len());
        let parts = parts.map_err(damaged)?;
        if affected.has_static && self.needs_static() {
            self.derive_static(&partition, &parts, now, &mut out)?;
        }
        if !self.needs_rows() {
            return Ok(out);
        }
        for clustering in &affected.clusterings {
            let Some(stored) = partition.row(clustering)? else {
                continue;
            };
            let Some(row) = stored.visible(now)? else {
                continue;
            };
            let read = clustering_values(self.table.clustering_key(), clustering, &row)?;
            let source = Source {
                key,
                parts: &parts,
                clustering: Some((clustering, &read)),
                row: &row,
            };
            for index in &self.indexes {
                index.entries(&source, &mut out)?;
            }
            for view in &self.views {
                view.row(&self.table, &source, values, &mut out)?;
            }
        }
        Ok(out)
    }

    fn derive_static(
        &self,
        partition: &Partition<'_>,
        parts: &[&[u8]],
        now: i64,
        out: &mut DerivedRows,
    ) -> Result<(), StoreError> {
        let Some(stored) = partition.static_row()? else {
            return Ok(());
        };
        let Some(row) = stored.visible(now)? else {
            return Ok(());
        };
        let source = Source {
            key: partition.key(),
            parts,
            clustering: None,
            row: &row,
        };
        let mut indexes = self.indexes.iter().filter(|it| it.needs_static());
        indexes.try_for_each(|index| index.entries(&source, out))
    }
}
