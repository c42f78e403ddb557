//! What a call touches: whether two calls can change places without a difference.

use stoa_session::bind::Cell;
use stoa_session::statement::BatchItem;
use stoa_session::{Batch, Bound};

/// What a step touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Footprint {
    /// Nothing but the clock: what a task does before its first call.
    Beginning,
    /// Whatever there is.
    Everything,
    /// A partition of a table, or all of them.
    Partition {
        table: String,
        key: Option<Vec<u8>>,
        writes: bool,
    },
}

impl Footprint {
    pub(super) fn of(bound: &Bound) -> Self {
        let prepared = bound.prepared();
        let places = prepared.partition_key();
        let mut key = Vec::new();
        for place in places {
            match bound.values().cells().nth(*place) {
                Some(Cell::Bytes(bytes)) => {
                    key.extend((bytes.len() as u64).to_be_bytes());
                    key.extend(bytes);
                }
                _ => return Self::Everything,
            }
        }
        Self::of_text(prepared.text(), (!places.is_empty()).then_some(key))
    }

    pub(super) fn of_batch(batch: &Batch) -> Vec<Self> {
        let items = batch.items().iter();
        let touched = items.map(|item| match item {
            BatchItem::Bound(bound) => Self::of(bound),
            BatchItem::Text(text) => Self::of_text(text, None),
        });
        touched.collect()
    }

    fn of_text(text: &str, key: Option<Vec<u8>>) -> Self {
        let mut words = text.split_whitespace();
        let writes = words.next() != Some("SELECT");
        match words.find(|word| word.contains('.')) {
            Some(table) => Self::Partition {
                table: table.to_owned(),
                key,
                writes,
            },
            None => Self::Everything,
        }
    }

    fn meets(&self, other: &Self) -> bool {
        let (
            Self::Partition { table, key, writes },
            Self::Partition {
                table: other_table,
                key: other_key,
                writes: other_writes,
            },
        ) = (self, other)
        else {
            return *self == Self::Everything || *other == Self::Everything;
        };
        let is_same = match (key, other_key) {
            (Some(key), Some(other)) => key == other,
            _ => true,
        };
        table == other_table && is_same && (*writes || *other_writes)
    }
}

/// Whether neither step can see the other.
pub(super) fn is_apart(one: &[Footprint], other: &[Footprint]) -> bool {
    !one.iter()
        .any(|it| other.iter().any(|other| it.meets(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_meet_where_one_writes_what_the_other_touches() {
        let of = |text: &str, key: Option<u8>| Footprint::of_text(text, key.map(|it| vec![it]));
        let read = |key| of("SELECT a FROM k.t WHERE b = ?", key);
        let write = |key| of("INSERT INTO k.t (b) VALUES (?)", key);
        let elsewhere = of("UPDATE k.u SET a = 1 WHERE b = ?", Some(1));
        assert!(!read(Some(1)).meets(&read(Some(1))));
        assert!(read(Some(1)).meets(&write(Some(1))));
        assert!(!read(Some(1)).meets(&write(Some(2))));
        assert!(read(None).meets(&write(Some(2))));
        assert!(write(Some(1)).meets(&write(None)));
        assert!(!write(Some(1)).meets(&elsewhere));
        assert!(elsewhere.meets(&Footprint::Everything));
        assert!(Footprint::Beginning.meets(&Footprint::Everything));
        assert!(!Footprint::Beginning.meets(&write(None)));
        assert!(is_apart(&[], &[Footprint::Everything]));
    }
}
