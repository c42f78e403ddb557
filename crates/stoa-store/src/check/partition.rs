//! Verifies the pairs of a table as they come: key by key, partition by partition.
//!
//! Keys of a partition come in the order record, range deletions, rows, spilled values, spilled
//! elements. So what a row says of its spilled parts is known before they come: it is written down
//! as *expected*, crossed out when met, and what is left at the end of the partition is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::{Finding, Part, Place, TableCounts};
use crate::cell::{
    CellRef, ColumnId, ColumnRef, Counter, CounterState, Elements, RowRef, ValueRef,
};
use crate::commit::spill::value_hash;
use crate::key::{KeyKind, PartitionKey, split};
use crate::record::Record;
use crate::row::packed;
use crate::table::TableId;
use crate::tombstone::RangeDeletion;

/// A spilled value that a row refers to.
struct Expected {
    clustering: Option<Vec<u8>>,
    length: u32,
    hash: u64,
}

/// What was seen of the partition the walk is in.
struct Seen {
    key: PartitionKey,
    has_ranges: bool,
    /// The end of the last range deletion.
    ranges_end: Option<Vec<u8>>,
    /// Spilled values by key, until they are met.
    values: BTreeMap<Vec<u8>, Expected>,
    /// What the keys of spilled elements begin with.
    collections: BTreeSet<Vec<u8>>,
    /// A row or the record cannot be read, so it is not known which parts it refers to.
    is_blind: bool,
}

impl Seen {
    fn new(key: PartitionKey) -> Self {
        Self {
            key,
            has_ranges: false,
            ranges_end: None,
            values: BTreeMap::new(),
            collections: BTreeSet::new(),
            is_blind: false,
        }
    }
}

/// A walk over the pairs of one table.
pub(super) struct Walk {
    table: TableId,
    seen: Option<Seen>,
    found: Vec<Finding>,
    pub(super) counts: TableCounts,
}

impl Walk {
    pub(super) fn new(table: TableId) -> Self {
        Self {
            table,
            seen: None,
            found: Vec::new(),
            counts: TableCounts::default(),
        }
    }

    pub(super) fn bytes(&mut self, bytes: usize) {
        self.counts.bytes += bytes as u64;
    }

    /// Verifies the next pair; `value` is unsealed, or the reason why it is not.
    pub(super) fn pair(&mut self, key: &[u8], value: Result<&[u8], String>) -> Vec<Finding> {
        let Some((partition, kind)) = split(key) else {
            self.report(key, None, None, "not a key of a partition");
            return std::mem::take(&mut self.found);
        };
        if self.seen.as_ref().is_none_or(|seen| seen.key != partition) {
            self.end_partition();
            self.begin_partition(key, &partition);
        }
        let clustering = match kind {
            KeyKind::Row(clustering) => Some(clustering),
            _ => None,
        };
        match value {
            Ok(value) => {
                if let Err(what) = self.value(key, kind, value) {
                    self.blind(kind);
                    self.report(key, Some(&partition), clustering, what);
                }
            }
            Err(what) => {
                self.blind(kind);
                self.forget_expected(key);
                self.report(key, Some(&partition), clustering, what);
            }
        }
        std::mem::take(&mut self.found)
    }

    /// Ends the walk.
    pub(super) fn finish(&mut self) -> Vec<Finding> {
        self.end_partition();
        std::mem::take(&mut self.found)
    }

    fn begin_partition(&mut self, key: &[u8], partition: &PartitionKey) {
        self.counts.partitions += 1;
        let made = PartitionKey::new(partition.bytes());
        if made.is_ok_and(|made| made != *partition) {
            self.report(
                key,
                Some(partition),
                None,
                "the token is not that of the key",
            );
        }
        self.seen = Some(Seen::new(partition.clone()));
    }

    fn end_partition(&mut self) {
        let Some(seen) = self.seen.take() else {
            return;
        };
        for (key, expected) in seen.values {
            let clustering = expected.clustering.as_deref();
            self.report(
                &key,
                Some(&seen.key),
                clustering,
                "spilled value is missing",
            );
        }
    }

    fn blind(&mut self, kind: KeyKind<'_>) {
        if let (Some(seen), KeyKind::Row(_) | KeyKind::Record) = (&mut self.seen, kind) {
            seen.is_blind = true;
        }
    }

    /// A damaged value is reported once, not as missing again.
    fn forget_expected(&mut self, key: &[u8]) {
        if let Some(seen) = &mut self.seen {
            seen.values.remove(key);
        }
    }

    fn value(&mut self, key: &[u8], kind: KeyKind<'_>, value: &[u8]) -> Result<(), String> {
        let Some(seen) = &mut self.seen else {
            return Ok(());
        };
        let counts = &mut self.counts;
        match kind {
            KeyKind::Record => seen.record(counts, value),
            KeyKind::Range(start) => seen.range(counts, start, value),
            KeyKind::Row(clustering) => {
                let row = packed::decode(value).map_err(|error| error.to_string())?;
                if row.is_empty() {
                    return Err("an empty row is stored".to_owned());
                }
                seen.row(counts, Some(clustering), &row)
            }
            KeyKind::SpilledValue => seen.spilled_value(counts, key, value),
            KeyKind::SpilledElement => seen.spilled_element(counts, key, value),
        }
    }

    fn report(
        &mut self,
        key: &[u8],
        partition: Option<&PartitionKey>,
        clustering: Option<&[u8]>,
        what: impl Into<String>,
    ) {
        self.found.push(Finding {
            place: Place {
                part: Part::Table(self.table),
                partition: partition.map(|it| it.bytes().to_vec()),
                clustering: clustering.map(<[u8]>::to_vec),
                key: key.to_vec(),
            },
            what: what.into(),
        });
    }
}

impl Seen {
    fn record(&mut self, counts: &mut TableCounts, value: &[u8]) -> Result<(), String> {
        let record = Record::decode(value).map_err(|error| error.to_string())?;
        self.has_ranges = record.has_ranges;
        if record.is_empty() {
            return Err("an empty partition record is stored".to_owned());
        }
        if record.static_row.is_empty() {
            return Ok(());
        }
        let row =
            packed::decode(record.static_row).map_err(|error| format!("static row: {error}"))?;
        self.row(counts, None, &row)
    }

    fn range(
        &mut self,
        counts: &mut TableCounts,
        start: &[u8],
        value: &[u8],
    ) -> Result<(), String> {
        counts.ranges += 1;
        let range = RangeDeletion::decode(start, value).map_err(|error| error.to_string())?;
        let overlaps = self
            .ranges_end
            .as_ref()
            .is_some_and(|end| *end > range.start);
        let is_empty = range.start >= range.end;
        self.ranges_end = Some(range.end);
        if overlaps {
            return Err("range deletion overlaps the one before it".to_owned());
        }
        if is_empty {
            return Err("range deletion covers nothing".to_owned());
        }
        if !self.has_ranges && !self.is_blind {
            return Err("range deletion is unknown to the partition record".to_owned());
        }
        Ok(())
    }

    fn row(
        &mut self,
        counts: &mut TableCounts,
        clustering: Option<&[u8]>,
        row: &RowRef<'_>,
    ) -> Result<(), String> {
        counts.rows += 1;
        for (id, column) in &row.columns {
            match column {
                ColumnRef::Cell(cell) => {
                    counts.cells += 1;
                    self.expect_value(clustering, *id, cell);
                }
                ColumnRef::Counter(Counter { state, .. }) => {
                    counts.cells += 1;
                    if matches!(state, CounterState::Add(_)) {
                        return Err(format!("column {} holds a change of a counter", id.0));
                    }
                }
                ColumnRef::Complex(complex) => match &complex.elements {
                    Elements::Inline(elements) => counts.cells += elements.len() as u64,
                    Elements::Spilled => {
                        self.collections
                            .insert(self.key.spilled_column(clustering, *id));
                    }
                },
            }
        }
        Ok(())
    }

    fn expect_value(&mut self, clustering: Option<&[u8]>, column: ColumnId, cell: &CellRef<'_>) {
        if let Some(ValueRef::Spilled { length, hash }) = cell.value() {
            let expected = Expected {
                clustering: clustering.map(<[u8]>::to_vec),
                length,
                hash,
            };
            let key = self.key.spilled_value(clustering, column);
            self.values.insert(key, expected);
        }
    }

    fn spilled_value(
        &mut self,
        counts: &mut TableCounts,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), String> {
        counts.spilled += 1;
        match self.values.remove(key) {
            Some(it) if value.len() != it.length as usize => Err(format!(
                "spilled value has {} bytes, its row says {}",
                value.len(),
                it.length
            )),
            Some(it) if value_hash(value) != it.hash => {
                Err("spilled value is not the one its row refers to".to_owned())
            }
            None if !self.is_blind => Err("no row refers to this spilled value".to_owned()),
            Some(_) | None => Ok(()),
        }
    }

    fn spilled_element(
        &mut self,
        counts: &mut TableCounts,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), String> {
        counts.spilled += 1;
        counts.cells += 1;
        packed::read_single_cell(value).map_err(|error| error.to_string())?;
        // The clustering in the key is prefix-free, so the collection is the last at or below it.
        let until = (Bound::Unbounded, Bound::Included(key));
        let nearest = self.collections.range::<[u8], _>(until).next_back();
        let is_known = nearest.is_some_and(|prefix| key.starts_with(prefix));
        if is_known || self.is_blind {
            Ok(())
        } else {
            Err("no row refers to this spilled element".to_owned())
        }
    }
}
