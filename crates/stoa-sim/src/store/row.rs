//! A row: the mark of an INSERT, a deletion, and cells.
//!
//! A column of many cells (a set or a map that is not frozen) has one entry for each element, by
//! its path, and one without a path: the deletion of all elements up to a time.
//!
//! Invariants:
//! 1. Entries rise by column and path, and none is there twice.

use std::cmp::Ordering;

use super::cell::{Bytes, Cell, NEVER};

/// What is kept of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// The mark that an INSERT leaves; its value is empty.
    pub(crate) mark: Option<Cell>,
    /// Up to which write time the row is deleted.
    pub(crate) deletion: i64,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    column: u16,
    path: Option<Bytes>,
    cell: Cell,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            mark: None,
            deletion: NEVER,
            entries: Vec::new(),
        }
    }
}

impl Row {
    /// A row that is deleted up to a write time.
    pub(crate) fn deleted(up_to: i64) -> Self {
        Self {
            deletion: up_to,
            ..Self::default()
        }
    }

    /// Adds a cell of a simple column, or the deletion of all elements of another.
    pub(crate) fn put(&mut self, column: u16, cell: Cell) {
        self.merge_entry(&Entry {
            column,
            path: None,
            cell,
        });
    }

    /// Adds an element of a column of many cells.
    pub(crate) fn put_element(&mut self, column: u16, path: Bytes, cell: Cell) {
        self.merge_entry(&Entry {
            column,
            path: Some(path),
            cell,
        });
    }

    /// Adds the mark of an INSERT.
    pub(crate) fn put_mark(&mut self, mark: Cell) {
        if self.mark.as_ref().is_none_or(|own| mark.beats(own)) {
            self.mark = Some(mark);
        }
    }

    /// Adds everything of another row.
    pub(crate) fn merge(&mut self, other: &Self) {
        if let Some(mark) = &other.mark {
            self.put_mark(mark.clone());
        }
        self.deletion = self.deletion.max(other.deletion);
        for entry in &other.entries {
            self.merge_entry(entry);
        }
    }

    /// Whether merging the other row would change nothing.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        let has_mark = match (&self.mark, &other.mark) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(mark)) => !mark.beats(own),
        };
        has_mark
            && self.deletion >= other.deletion
            && other.entries.iter().all(|entry| {
                let found = self.find(entry).ok().and_then(|at| self.entries.get(at));
                found.is_some_and(|own| !entry.cell.beats(&own.cell))
            })
    }

    fn merge_entry(&mut self, entry: &Entry) {
        match self.find(entry) {
            Ok(at) => {
                if let Some(own) = self.entries.get_mut(at)
                    && entry.cell.beats(&own.cell)
                {
                    own.cell = entry.cell.clone();
                }
            }
            Err(at) => self.entries.insert(at, entry.clone()),
        }
    }

    fn find(&self, entry: &Entry) -> Result<usize, usize> {
        // Rows are mostly built in order, so the last entry is the likely neighbour.
        if self
            .entries
            .last()
            .is_none_or(|last| order(last, entry).is_lt())
        {
            return Err(self.entries.len());
        }
        self.entries.binary_search_by(|own| order(own, entry))
    }

    /// The cell of a simple column, or the deletion of all elements of another.
    pub(crate) fn cell(&self, column: u16) -> Option<&Cell> {
        let entry = self.of_column(column).next()?;
        entry.path.is_none().then_some(&entry.cell)
    }

    /// The elements of a column of many cells that show at a moment, by path bytes.
    pub(crate) fn elements(
        &self,
        column: u16,
        shadow: i64,
        now_seconds: i64,
    ) -> impl Iterator<Item = (&Bytes, &Cell)> {
        let deleted = self.cell(column).map_or(NEVER, |cell| cell.timestamp);
        let shadow = shadow.max(deleted);
        self.of_column(column).filter_map(move |entry| {
            let path = entry.path.as_ref()?;
            entry.cell.live(shadow, now_seconds)?;
            Some((path, &entry.cell))
        })
    }

    fn of_column(&self, column: u16) -> impl Iterator<Item = &Entry> {
        let start = self.entries.partition_point(|entry| entry.column < column);
        let rest = self.entries.get(start..).unwrap_or_default();
        rest.iter().take_while(move |entry| entry.column == column)
    }

    /// Whether the mark or any cell shows at a moment.
    pub(crate) fn is_live(&self, shadow: i64, now_seconds: i64) -> bool {
        let mark = self.mark.as_ref();
        mark.is_some_and(|mark| mark.live(shadow, now_seconds).is_some())
            || self.entries.iter().any(|entry| {
                let deleted = match &entry.path {
                    Some(_) => self.cell(entry.column).map_or(NEVER, |cell| cell.timestamp),
                    None => NEVER,
                };
                let shadow = shadow.max(deleted);
                entry.cell.live(shadow, now_seconds).is_some()
            })
    }

    /// The latest write time of anything in it.
    pub(crate) fn latest(&self) -> i64 {
        let cells = self.entries.iter().map(|entry| entry.cell.timestamp);
        let mark = self.mark.as_ref().map_or(NEVER, |mark| mark.timestamp);
        cells.fold(mark.max(self.deletion), i64::max)
    }
}

fn order(left: &Entry, right: &Entry) -> Ordering {
    left.column
        .cmp(&right.column)
        .then_with(|| left.path.cmp(&right.path))
}
