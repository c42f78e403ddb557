//! Random conditional writes.

use crate::facts::Liveness;
use crate::operations::{Change, CompareAndSet, Condition, ModelMutation, RowKey, RowUpdate};
use crate::workload::shape::{ColumnKind, ColumnPlace, TableKind, TableShape};
use crate::workload::writes::Writer;

impl Writer<'_> {
    /// A conditional write to one row of a table of cells, with the server's write time.
    pub(crate) fn compare_and_set(&mut self) -> Option<CompareAndSet> {
        let is_regular = |table: &&TableShape| table.kind == TableKind::Regular;
        let tables: Vec<&TableShape> = self.shape.tables.iter().filter(is_regular).collect();
        let table = *self.rng.pick(&tables)?;
        let partition = self.rng.pick(&self.shape.partitions)?.clone();
        let place = if self.rng.chance(15) {
            ColumnPlace::Static
        } else {
            ColumnPlace::Row
        };
        let row = match place {
            ColumnPlace::Static => RowKey::Static,
            ColumnPlace::Row => self.clustering()?,
        };
        let condition = match self.rng.below(10) {
            0..3 => Condition::RowExists,
            3..6 => Condition::RowAbsent,
            _ => {
                let column = *self.rng.pick(&table.columns(ColumnKind::Simple, place))?;
                let value = if self.rng.chance(50) {
                    None
                } else {
                    Some(self.value())
                };
                Condition::ColumnIs { column, value }
            }
        };
        let timestamp_micros = self.server_timestamp();
        let expiry = self.expiry();
        let mut update = RowUpdate::new(row.clone());
        if place == ColumnPlace::Row && self.rng.chance(20) {
            update.deletion = Some(self.deletion(timestamp_micros));
        } else {
            let insert = place == ColumnPlace::Row && self.rng.chance(50);
            update.liveness = insert.then_some(Liveness {
                timestamp_micros,
                expiry,
            });
            update.cells = self.cells(table, place, timestamp_micros, expiry);
        }
        let changes = vec![Change::UpdateRow(update)];
        let mutation = ModelMutation {
            table: table.id,
            partition,
            changes,
        };
        Some(CompareAndSet {
            row,
            condition,
            now_seconds: self.now_seconds,
            mutation,
        })
    }
}
