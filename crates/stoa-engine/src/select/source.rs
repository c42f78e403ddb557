//! Where the rows of a `SELECT` come from: partitions of the store, one row after another.

use std::ops::ControlFlow;

use stoa_store::cell::RowRef;
use stoa_store::key::PartitionKey;
use stoa_store::kv::Direction;
use stoa_store::partition::{Partition, Slice};
use stoa_store::{StoreError, View};
use stoa_types::{Token, ordered, partition_key};

use super::cursor::Cursor;
use crate::catalog::Table;
use crate::deadline::Looks;
use crate::derived::lookup::Lookup;
use crate::failure::Failure;
use crate::refusal::Refusal;
use crate::restrict::clusterings::Selected;
use crate::restrict::plan::Partitions;
use crate::rows::{Row, StoredRow, clustering_values};

/// Where a row is.
#[derive(Clone, Copy)]
pub(crate) struct Place<'r> {
    pub(crate) key: &'r [u8],
    /// The clustering values; `None` for a static row alone.
    pub(crate) clustering: Option<&'r [Option<Vec<u8>>]>,
}

/// Takes rows, until it has enough.
pub(crate) trait Taker {
    /// A partition begins.
    fn begin_partition(&mut self, key: &[u8]) -> Result<ControlFlow<()>, Failure>;

    /// The next row of it.
    fn take(&mut self, row: &dyn Row, place: Place<'_>) -> Result<Taken, Failure>;
}

/// What to do after a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// Go on with the next row; this one counts.
    Kept,
    /// Go on with the next row; this one was left out.
    LeftOut,
    /// Go on with the next partition.
    EnoughOfPartition,
    /// That was all.
    Enough,
}

/// Which rows to walk over.
pub(crate) struct Walk<'w> {
    pub(crate) view: &'w View,
    pub(crate) table: &'w Table,
    pub(crate) partitions: Partitions,
    pub(crate) selected: Selected,
    /// What proposes rows; without, all are walked over.
    pub(crate) lookup: Option<Lookup>,
    pub(crate) direction: Direction,
    /// Whether a partition without rows shows its static row.
    pub(crate) shows_static_alone: bool,
    /// Whether a row is there only while its own mark is.
    pub(crate) needs_mark: bool,
    /// The second at which rows are looked at.
    pub(crate) now: i64,
    pub(crate) looks: Looks<'w>,
}

impl Walk<'_> {
    /// Hands all rows after the cursor to `taker`.
    pub(crate) fn run(&self, after: Option<&Cursor>, taker: &mut dyn Taker) -> Result<(), Failure> {
        if let Some(lookup) = &self.lookup {
            return lookup.run(self, after, taker);
        }
        match &self.partitions {
            Partitions::None => Ok(()),
            Partitions::Keys(keys) => {
                let resume = after.and_then(|it| it.key.as_ref());
                let start = resume.and_then(|key| keys.iter().position(|it| it == key));
                for (at, key) in keys.iter().enumerate().skip(start.unwrap_or(0)) {
                    let cursor = after.filter(|_| start == Some(at));
                    let key = PartitionKey::new(key)?;
                    if self
                        .partition(&key, self.part(cursor), cursor, taker)?
                        .is_break()
                    {
                        break;
                    }
                }
                Ok(())
            }
            Partitions::Between(first, last) => self.range(*first, *last, after, taker),
        }
    }

    fn range(
        &self,
        first: Token,
        last: Token,
        after: Option<&Cursor>,
        taker: &mut dyn Taker,
    ) -> Result<(), Failure> {
        let store = self.table.store;
        let resume = after.and_then(|it| it.key.as_ref());
        let walk = match resume {
            Some(key) => {
                let key = PartitionKey::new(key)?;
                if self
                    .partition(&key, self.part(after), after, taker)?
                    .is_break()
                {
                    return Ok(());
                }
                self.view.partitions_after(store, &key)?
            }
            None => self.view.partitions(store, first)?,
        };
        for key in walk {
            let key = key?;
            if key.token() > last
                || self
                    .partition(&key, self.part(None), None, taker)?
                    .is_break()
            {
                break;
            }
        }
        Ok(())
    }

    /// All that is wanted of a partition, after a cursor in it.
    fn part(&self, after: Option<&Cursor>) -> Part<'_> {
        Part {
            selected: &self.selected,
            is_begun: after.is_some(),
        }
    }

    /// Hands rows of a partition to `taker`: those of `part` after the cursor.
    pub(crate) fn partition(
        &self,
        key: &PartitionKey,
        part: Part<'_>,
        after: Option<&Cursor>,
        taker: &mut dyn Taker,
    ) -> Result<ControlFlow<()>, Failure> {
        if after.is_some_and(|it| it.clustering.is_none()) {
            return Ok(ControlFlow::Continue(()));
        }
        self.looks.row()?;
        let partition = self.view.partition(self.table.store, key.clone())?;
        let parts = partition_key::split(key.bytes(), self.table.partition_key().len());
        let parts = parts.map_err(|problem| StoreError::Damaged {
            place: "a partition key".to_owned(),
            what: problem.to_string(),
        })?;
        if !part.is_begun && taker.begin_partition(key.bytes())?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let stored = partition.static_row()?;
        let static_row = match &stored {
            Some(row) => row.visible(self.now)?,
            None => None,
        };
        let mut reading = Reading {
            walk: self,
            partition: &partition,
            key: key.bytes(),
            parts: &parts,
            static_row: static_row.as_ref(),
            selected: part.selected,
            seen: part.is_begun,
            taker,
        };
        reading.run(after)
    }
}

/// What to read of a partition.
#[derive(Clone, Copy)]
pub(crate) struct Part<'p> {
    pub(crate) selected: &'p Selected,
    /// Whether rows of the partition were handed over before.
    pub(crate) is_begun: bool,
}

/// A partition being read.
struct Reading<'r, 't> {
    walk: &'r Walk<'r>,
    partition: &'r Partition<'r>,
    key: &'r [u8],
    parts: &'r [&'r [u8]],
    static_row: Option<&'r RowRef<'r>>,
    selected: &'r Selected,
    /// Whether there was a row.
    seen: bool,
    taker: &'t mut dyn Taker,
}

impl Reading<'_, '_> {
    fn run(&mut self, after: Option<&Cursor>) -> Result<ControlFlow<()>, Failure> {
        let after = match after.and_then(|it| it.clustering.as_deref()) {
            Some(values) => {
                let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
                let key = self.walk.table.clustering_key();
                let encoded = ordered::encode_clustering(key, &values).map_err(|_| {
                    Refusal::invalid("Invalid value for the paging state: the key has changed")
                })?;
                Some(encoded)
            }
            None => None,
        };
        let taken = match self.selected {
            Selected::Rows(rows) => self.points(rows, after.as_deref())?,
            other => self.slices(other.clone().into_slices(), after.as_deref())?,
        };
        if taken == Taken::Enough {
            return Ok(ControlFlow::Break(()));
        }
        if !self.seen && self.walk.shows_static_alone && self.static_row.is_some() {
            let row = StoredRow {
                table: self.walk.table,
                key: self.parts,
                clustering: None,
                static_row: self.static_row,
                row: None,
                now: self.walk.now,
            };
            let place = Place {
                key: self.key,
                clustering: None,
            };
            if self.taker.take(&row, place)? == Taken::Enough {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn points(&mut self, rows: &[Vec<u8>], after: Option<&[u8]>) -> Result<Taken, Failure> {
        let is_backward = self.walk.direction == Direction::Backward;
        let mut order: Vec<&Vec<u8>> = rows.iter().collect();
        if is_backward {
            order.reverse();
        }
        for clustering in order {
            let is_passed = after.is_some_and(|after| match is_backward {
                true => clustering.as_slice() >= after,
                false => clustering.as_slice() <= after,
            });
            if is_passed {
                continue;
            }
            let stored = self.partition.row(clustering)?;
            let row = match &stored {
                Some(stored) => stored.visible(self.walk.now)?,
                None => None,
            };
            let Some(row) = row else {
                self.walk.looks.row()?;
                continue;
            };
            match self.row(clustering, &row)? {
                Taken::Kept | Taken::LeftOut => {}
                done => return Ok(done),
            }
        }
        Ok(Taken::Kept)
    }

    fn slices(&mut self, mut slices: Vec<Slice>, after: Option<&[u8]>) -> Result<Taken, Failure> {
        let direction = self.walk.direction;
        if direction == Direction::Backward {
            slices.reverse();
        }
        for slice in slices {
            let slice = match after {
                Some(after) => slice.after(after, direction),
                None => slice,
            };
            if slice.start >= slice.end {
                continue;
            }
            let mut outcome: Result<Taken, Failure> = Ok(Taken::Kept);
            let rows = self.partition.rows(&slice, direction)?;
            let now = self.walk.now;
            rows.visit(now, |clustering, row| {
                outcome = match row {
                    Some(row) => self.row(clustering, row),
                    None => self.walk.looks.row().map(|()| Taken::LeftOut),
                };
                match outcome {
                    Ok(Taken::Kept | Taken::LeftOut) => ControlFlow::Continue(()),
                    _ => ControlFlow::Break(()),
                }
            })?;
            match outcome? {
                Taken::Kept | Taken::LeftOut => {}
                done => return Ok(done),
            }
        }
        Ok(Taken::Kept)
    }

    fn row(&mut self, clustering: &[u8], row: &RowRef<'_>) -> Result<Taken, Failure> {
        let table = self.walk.table;
        self.walk.looks.row()?;
        if self.walk.needs_mark && row.liveness.is_none() {
            return Ok(Taken::LeftOut);
        }
        let values = clustering_values(table.clustering_key(), clustering, row)?;
        let seen = StoredRow {
            table,
            key: self.parts,
            clustering: Some(&values),
            static_row: self.static_row,
            row: Some(row),
            now: self.walk.now,
        };
        let place = Place {
            key: self.key,
            clustering: Some(&values),
        };
        let taken = self.taker.take(&seen, place)?;
        self.seen |= taken != Taken::LeftOut;
        Ok(taken)
    }
}
