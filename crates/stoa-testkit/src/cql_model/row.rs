//! What is kept of a row: the winner of every cell, and the deletions over it.
//!
//! Which of two facts wins is said by [`rules`]. Of two facts about one cell
//! only the greater stays: whatever hides it hides the lesser one too.
//!
//! Deletions are write times here; [`NEVER`] is none.

use std::collections::BTreeMap;

use stoa_types::{DataType, compare, ordered};

use super::value;
use crate::facts::{Cell, CellState, Liveness};
use crate::model::rules;

/// The write time of a deletion that was never made.
pub(super) const NEVER: i64 = i64::MIN;

/// A row, or the static row of a partition.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// The mark of an INSERT.
    pub(super) liveness: Option<Liveness>,
    /// The deletion of the row.
    pub(super) deletion: i64,
    /// What was written to each column, by its number.
    pub(super) columns: BTreeMap<u32, Stored>,
}

/// What was written to a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stored {
    /// One value.
    One(Cell),
    /// A cell for each element or field.
    Many(Elements),
    /// A counter.
    Counter(Counter),
}

/// The elements of a collection, or the fields of a user-defined type.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Elements {
    /// The deletion of all of them.
    pub(super) deletion: i64,
    /// Each by its path, in the order of the paths.
    pub(super) cells: Vec<(Vec<u8>, Cell)>,
}

/// A counter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Counter {
    /// Its last write time and its sum.
    Total(i64, i64),
    /// Deleted, at this write time, for good.
    Deleted(i64),
}

/// One thing that happens to a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Change {
    /// The mark of an INSERT.
    Live(Liveness),
    /// The row is deleted.
    Delete(i64),
    /// A column gets a value, or loses it.
    Cell(u32, Cell),
    /// All elements of a column are deleted.
    DeleteElements(u32, i64),
    /// An element gets a value, or loses it.
    Element(u32, Vec<u8>, Cell),
    /// A counter counts.
    Count(u32, i64, i64),
    /// A counter is deleted.
    DeleteCounter(u32, i64),
}

impl Default for Row {
    fn default() -> Self {
        Self {
            liveness: None,
            deletion: NEVER,
            columns: BTreeMap::new(),
        }
    }
}

impl Row {
    /// Makes a change. `path_type` is the type of the paths of a column; `shadow` the write time
    /// up to which deletions around the row hide what is in it.
    pub(super) fn apply(
        &mut self,
        change: &Change,
        path_type: impl Fn(u32) -> DataType,
        shadow: i64,
    ) {
        match change {
            Change::Live(liveness) => {
                let both = self.liveness.into_iter().chain([*liveness]);
                self.liveness = rules::winning_liveness(both);
            }
            Change::Delete(at) => self.deletion = self.deletion.max(*at),
            Change::Cell(column, cell) => {
                let kept = self.columns.entry(*column);
                let kept = kept.or_insert_with(|| Stored::One(cell.clone()));
                if let Stored::One(kept) = kept {
                    win(kept, cell);
                }
            }
            Change::DeleteElements(column, at) => {
                let elements = self.elements(*column);
                if let Some(elements) = elements {
                    elements.deletion = elements.deletion.max(*at);
                }
            }
            Change::Element(column, path, cell) => {
                let path_type = path_type(*column);
                if let Some(elements) = self.elements(*column) {
                    elements.put(path, cell, &path_type);
                }
            }
            Change::Count(column, at, by) => self.count(*column, *at, *by, shadow),
            Change::DeleteCounter(column, at) => self.delete_counter(*column, *at, shadow),
        }
    }

    fn elements(&mut self, column: u32) -> Option<&mut Elements> {
        let none = || {
            Stored::Many(Elements {
                deletion: NEVER,
                cells: Vec::new(),
            })
        };
        match self.columns.entry(column).or_insert_with(none) {
            Stored::Many(elements) => Some(elements),
            Stored::One(_) | Stored::Counter(_) => None,
        }
    }

    fn count(&mut self, column: u32, at: i64, by: i64, shadow: i64) {
        let shadow = shadow.max(self.deletion);
        if at <= shadow {
            return;
        }
        let next = match self.columns.get(&column) {
            Some(Stored::Counter(Counter::Deleted(when))) if *when > shadow => return,
            Some(Stored::Counter(Counter::Total(when, sum))) if *when > shadow => {
                Counter::Total(at.max(*when), sum.wrapping_add(by))
            }
            _ => Counter::Total(at, by),
        };
        self.columns.insert(column, Stored::Counter(next));
    }

    fn delete_counter(&mut self, column: u32, at: i64, shadow: i64) {
        if at <= shadow.max(self.deletion) {
            return;
        }
        let next = match self.columns.get(&column) {
            Some(Stored::Counter(Counter::Deleted(when))) => at.max(*when),
            _ => at,
        };
        self.columns
            .insert(column, Stored::Counter(Counter::Deleted(next)));
    }
}

/// What is kept of a path beside the representative of all that are equal to it.
fn form<'a>(path_type: &DataType, path: &'a [u8]) -> Option<&'a [u8]> {
    (!ordered::restores(path_type, path)).then_some(path)
}

fn win(kept: &mut Cell, other: &Cell) {
    if rules::cell_rank(other) > rules::cell_rank(kept) {
        kept.clone_from(other);
    }
}

impl Elements {
    fn put(&mut self, path: &[u8], cell: &Cell, path_type: &DataType) {
        let place = self
            .cells
            .binary_search_by(|(other, _)| compare::compare(path_type, other, path));
        match place {
            Ok(place) => {
                // The path goes with the cell that wins: two may be equal and not the same bytes.
                // Cassandra shows either of two such paths with equal cells; the engine the
                // greater, the representative of both being the least.
                if let Some((kept_path, kept)) = self.cells.get_mut(place)
                    && (rules::cell_rank(cell), form(path_type, path))
                        > (rules::cell_rank(kept), form(path_type, kept_path))
                {
                    path.clone_into(kept_path);
                    kept.clone_from(cell);
                }
            }
            Err(place) => self.cells.insert(place, (path.to_vec(), cell.clone())),
        }
    }

    /// The elements that are not deleted and not expired.
    pub(super) fn live(
        &self,
        shadow: i64,
        now: i64,
    ) -> impl Iterator<Item = (&[u8], &Cell, &[u8])> {
        let shadow = shadow.max(self.deletion);
        self.cells.iter().filter_map(move |(path, cell)| {
            let value = live_value(cell, shadow, now)?;
            Some((path.as_slice(), cell, value))
        })
    }
}

/// The value of a cell that is not hidden, deleted or expired.
pub(super) fn live_value(cell: &Cell, shadow: i64, now: i64) -> Option<&[u8]> {
    (cell.timestamp_micros > shadow)
        .then(|| rules::live_value(cell, now))
        .flatten()
}

impl Stored {
    /// The value that is shown.
    pub(super) fn value(&self, data_type: &DataType, shadow: i64, now: i64) -> Option<Vec<u8>> {
        match self {
            Self::One(cell) => live_value(cell, shadow, now).map(<[u8]>::to_vec),
            Self::Counter(Counter::Total(when, sum)) => {
                (*when > shadow).then(|| sum.to_be_bytes().to_vec())
            }
            Self::Counter(Counter::Deleted(_)) => None,
            Self::Many(elements) => {
                let live: Vec<_> = elements.live(shadow, now).collect();
                (!live.is_empty()).then(|| whole(data_type, &live))
            }
        }
    }

    /// Whether anything is shown.
    pub(super) fn is_live(&self, shadow: i64, now: i64) -> bool {
        match self {
            Self::One(cell) => live_value(cell, shadow, now).is_some(),
            Self::Counter(Counter::Total(when, _)) => *when > shadow,
            Self::Counter(Counter::Deleted(_)) => false,
            Self::Many(elements) => elements.live(shadow, now).next().is_some(),
        }
    }
}

/// One value of all elements.
fn whole(data_type: &DataType, live: &[(&[u8], &Cell, &[u8])]) -> Vec<u8> {
    match data_type {
        DataType::Set { .. } => value::collection(live.len(), live.iter().map(|it| it.0)),
        DataType::Map { .. } => {
            let parts = live.iter().flat_map(|(path, _, value)| [*path, *value]);
            value::collection(live.len(), parts)
        }
        DataType::UserDefined(user) => {
            let field = |index: usize| {
                let path = field_path(index);
                let found = live.iter().find(|(other, _, _)| *other == path.as_slice());
                found.map(|(_, _, value)| value.to_vec())
            };
            let fields: Vec<_> = (0..user.fields.len()).map(field).collect();
            value::tuple(&fields)
        }
        _ => value::collection(live.len(), live.iter().map(|it| it.2)),
    }
}

/// The path of a field of a user-defined type.
pub(super) fn field_path(index: usize) -> Vec<u8> {
    u16::try_from(index)
        .unwrap_or(u16::MAX)
        .to_be_bytes()
        .to_vec()
}

/// The write time of a cell.
pub(super) fn write_time(cell: &Cell) -> i64 {
    cell.timestamp_micros
}

/// For how many seconds more a cell lives, if it expires.
pub(super) fn time_to_live(cell: &Cell, now: i64) -> Option<i32> {
    match &cell.state {
        CellState::Expiring { expiry, .. } => {
            i32::try_from(expiry.expires_at_seconds.saturating_sub(now)).ok()
        }
        CellState::Live(_) | CellState::Tombstone { .. } => None,
    }
}
