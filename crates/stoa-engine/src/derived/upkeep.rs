//! Updates of base rows, with everything that is derived from them.
//!
//! Rows before an update are looked at as if nothing had expired, so that what was derived from
//! something that expired since is removed too. Rows after it are looked at as of now.

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

/// The rows of a partition that an update may change.
#[derive(Debug, Default)]
pub(super) struct Affected {
    pub(super) has_static: bool,
    pub(super) clusterings: BTreeSet<Vec<u8>>,
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

    /// The rows that an update may change: those it names and those that its deletions cover.
    fn affected(
        &self,
        group: &Group<'_>,
        update: &PartitionUpdate,
    ) -> Result<Affected, StoreError> {
        let mut affected = Affected {
            has_static: update.static_row.is_some() || update.deletion.is_some(),
            clusterings: update.rows.iter().map(|(it, _)| it.to_vec()).collect(),
        };
        let ranges = update.ranges.iter().map(|range| Slice {
            start: range.start.clone(),
            end: range.end.clone(),
        });
        let mut slices: Vec<Slice> = ranges.collect();
        slices.extend(update.deletion.map(|_| Slice::all()));
        if !slices.is_empty() && self.needs_rows() {
            let partition = group.partition(update.table, &update.partition)?;
            for slice in slices.iter().filter(|it| it.start < it.end) {
                for row in partition.rows(slice, Direction::Forward)? {
                    affected.clusterings.insert(row?.clustering().to_vec());
                }
            }
        }
        Ok(affected)
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
