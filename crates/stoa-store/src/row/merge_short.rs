//! A stored row and an update become one row, bytes to bytes: the common case of [`super::merge`].
//!
//! Two short rows (see `short.rs`) are merged in one walk over their packed bytes, without taking
//! them apart first.
//!
//! Invariants:
//! 1. What is appended is exactly what decoding both, merging and encoding again would append.
//! 2. Bytes that a decoder would refuse are not merged.

use std::cmp::Ordering;
use std::ops::Range;

use super::packed::{BASE_TIMESTAMP, HAS_LIVENESS, LIVE, VERSION};
use super::short::{MOST_COLUMNS, ShortCell, ShortCells};
use crate::cell::{CellRef, CellState, ValueRef};
use crate::codec::{put_bytes, put_timestamp, put_unsigned};
use crate::reconcile::{self, Winner};
use crate::seal::CHECK_BYTES;

/// What a cell may take in the result beyond what it takes now: a timestamp.
const LONGEST_GROWTH: usize = 16;

/// Appends the merge of two packed rows to `out`. `None` if one of them is not short: then `out`
/// holds any part of the result.
#[must_use]
pub fn merge_short(stored: &[u8], update: &[u8], out: &mut Vec<u8>) -> Option<()> {
    if replace_one(stored, update, out).is_some() {
        return Some(());
    }
    let (mut stored_cells, mut update_cells) = (ShortCells::new(stored)?, ShortCells::new(update)?);
    let liveness = reconcile::liveness(stored_cells.liveness, update_cells.liveness);
    out.reserve(stored.len() + update.len() + LONGEST_GROWTH + CHECK_BYTES);
    let base = liveness.map(|it| it.timestamp);
    match base {
        Some(timestamp) => {
            out.push(VERSION | HAS_LIVENESS);
            put_timestamp(out, timestamp);
        }
        None => out.push(VERSION),
    }
    let count_at = out.len();
    out.push(0);
    let mut merged = Merged {
        out,
        base,
        stored,
        run: 0..0,
        previous: 0,
        count: 0,
    };
    let (mut left, mut right) = (stored_cells.next()?, update_cells.next()?);
    loop {
        let order = match (&left, &right) {
            (Some(a), Some(b)) => a.id.cmp(&b.id),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        match (&left, &right) {
            (Some(a), Some(b)) if order.is_eq() => match winner(a, b) {
                Side::Stored => merged.keep(a, stored_cells.remaining()),
                Side::Update => merged.put(b),
            },
            (Some(a), _) if order.is_lt() => merged.keep(a, stored_cells.remaining()),
            (_, Some(b)) => merged.put(b),
            (_, None) => return None,
        }
        if merged.count > MOST_COLUMNS {
            return None;
        }
        if order.is_le() {
            left = stored_cells.next()?;
        }
        if order.is_ge() {
            right = update_cells.next()?;
        }
    }
    if merged.count == 0 && liveness.is_none() {
        return None;
    }
    let count = merged.finish();
    *out.get_mut(count_at)? = count;
    Some(())
}

/// The commonest update: one cell of a column that the stored row has, and that row has a liveness.
/// Everything but that cell keeps its bytes. `None`, with nothing appended, for all others and where
/// a number takes more than one byte.
#[inline]
fn replace_one(stored: &[u8], update: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let [VERSION, 1, id, LIVE, new @ ..] = update else {
        return None;
    };
    let (new_timestamp, new_value) = new.split_first_chunk::<8>()?;
    let (new_timestamp, new_value) = (i64::from_le_bytes(*new_timestamp), short_bytes(new_value)?);
    if *id >= 0x80 || !new_value.1.is_empty() {
        return None;
    }
    let place = find(stored, u32::from(*id))?;
    let cell = |timestamp, value| CellRef {
        timestamp,
        state: CellState::Live(ValueRef::Inline(value)),
    };
    let (old, new) = (
        cell(place.timestamp, place.value),
        cell(new_timestamp, new_value.0),
    );
    out.reserve(stored.len() + update.len() + LONGEST_GROWTH + CHECK_BYTES);
    match reconcile::cells(&old, &new) {
        Winner::Left => out.extend_from_slice(stored),
        Winner::Right => {
            let (length, value) = (new_value.0.len() as u8, new_value.0);
            out.extend_from_slice(place.before);
            if new_timestamp == place.base {
                out.extend_from_slice(&[place.step, LIVE | BASE_TIMESTAMP, length]);
            } else {
                out.extend_from_slice(&[place.step, LIVE]);
                put_timestamp(out, new_timestamp);
                out.push(length);
            }
            out.extend_from_slice(value);
            out.extend_from_slice(place.after);
        }
        Winner::GreaterValue => return None,
    }
    Some(())
}

/// Where a cell is in a stored row.
struct Place<'a> {
    base: i64,
    before: &'a [u8],
    step: u8,
    timestamp: i64,
    value: &'a [u8],
    after: &'a [u8],
}

/// Finds the cell of a column in a row with a liveness, all of whose cells are short, and which is
/// written as it is always written.
#[inline]
fn find(row: &[u8], id: u32) -> Option<Place<'_>> {
    const HEAD: u8 = VERSION | HAS_LIVENESS;
    let [HEAD, rest @ ..] = row else {
        return None;
    };
    let (base, rest) = rest.split_first_chunk::<8>()?;
    let base = i64::from_le_bytes(*base);
    let (count, mut rest) = rest.split_first()?;
    if *count > MOST_COLUMNS {
        return None;
    }
    let (mut reached, mut place) = (0_u32, None);
    for number in 0..*count {
        let before = row.get(..row.len() - rest.len())?;
        let [step, mark, tail @ ..] = rest else {
            return None;
        };
        if *step >= 0x80 || (*step == 0 && number > 0) {
            return None;
        }
        reached += u32::from(*step);
        let (timestamp, tail) = match *mark {
            SHORTEST => (base, tail),
            LIVE => {
                let (timestamp, tail) = tail.split_first_chunk::<8>()?;
                (i64::from_le_bytes(*timestamp), tail)
            }
            _ => return None,
        };
        if *mark == LIVE && timestamp == base {
            return None;
        }
        let (value, after) = short_bytes(tail)?;
        if reached == id {
            place = Some(Place {
                base,
                before,
                step: *step,
                timestamp,
                value,
                after,
            });
        }
        rest = after;
    }
    place.filter(|_| rest.is_empty())
}

/// The mark of a live cell that has the timestamp of its row.
const SHORTEST: u8 = LIVE | BASE_TIMESTAMP;

/// A byte string whose length has one byte, and what follows it.
#[inline]
fn short_bytes(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first().filter(|(length, _)| **length < 0x80)?;
    rest.split_at_checked(usize::from(*length))
}

/// The merged row as far as it is known.
struct Merged<'a, 'o> {
    out: &'o mut Vec<u8>,
    base: Option<i64>,
    stored: &'a [u8],
    /// Where cells of the stored row lie that follow what is in `out`, and keep their bytes. They
    /// are copied in one go.
    run: Range<usize>,
    /// The id of the last cell.
    previous: u32,
    /// How many cells there are.
    count: u8,
}

impl Merged<'_, '_> {
    /// Adds a cell of the stored row, after which so many bytes of that are left.
    #[inline]
    fn keep(&mut self, cell: &ShortCell<'_>, remaining: usize) {
        if !self.has_same_bytes(cell) {
            return self.put(cell);
        }
        let end = self.stored.len() - remaining;
        let start = end - cell.packed.len();
        if self.run.end != start {
            self.copy_run();
            self.run.start = start;
        }
        self.run.end = end;
        self.add(cell);
    }

    /// Adds a cell of either row.
    #[inline]
    fn put(&mut self, cell: &ShortCell<'_>) {
        self.copy_run();
        if self.has_same_bytes(cell) {
            self.out.extend_from_slice(cell.packed);
            return self.add(cell);
        }
        put_unsigned(self.out, u64::from(cell.id - self.previous));
        if self.base == Some(cell.timestamp) {
            self.out.push(LIVE | BASE_TIMESTAMP);
        } else {
            self.out.push(LIVE);
            put_timestamp(self.out, cell.timestamp);
            self.base.get_or_insert(cell.timestamp);
        }
        put_bytes(self.out, cell.value);
        self.add(cell);
    }

    /// Whether the cell has the same bytes here as in the row it comes from.
    #[inline]
    fn has_same_bytes(&self, cell: &ShortCell<'_>) -> bool {
        self.base
            .is_some_and(|base| (base == cell.timestamp) == cell.has_base_timestamp)
            && self.previous == cell.previous
    }

    #[inline]
    fn add(&mut self, cell: &ShortCell<'_>) {
        self.previous = cell.id;
        self.count += 1;
    }

    #[inline]
    fn copy_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if let Some(cells) = self.stored.get(run)
            && !cells.is_empty()
        {
            self.out.extend_from_slice(cells);
        }
    }

    /// How many cells there are.
    fn finish(mut self) -> u8 {
        self.copy_run();
        self.count
    }
}

/// Where the cell comes from that wins.
enum Side {
    Stored,
    Update,
}

fn winner(stored: &ShortCell<'_>, update: &ShortCell<'_>) -> Side {
    let winner = match reconcile::cells(&stored.as_ref(), &update.as_ref()) {
        Winner::GreaterValue => stored.value.cmp(update.value).into(),
        decided => decided,
    };
    match winner {
        Winner::Right => Side::Update,
        Winner::Left | Winner::GreaterValue => Side::Stored,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cell::ColumnId;
    use crate::error::StoreError;
    use crate::row::merge::{SpilledValues, merge};
    use crate::row::packed::{decode, encode_into};
    use crate::row::short::tests::{owned_row, pack};

    struct NothingSpilled;

    impl SpilledValues for NothingSpilled {
        fn compare(&self, _: ColumnId, _: &[u8]) -> Result<Ordering, StoreError> {
            Err(StoreError::Invalid("nothing is spilled"))
        }
    }

    /// Decodes both, merges and encodes again.
    fn merge_whole(stored: &[u8], update: &[u8]) -> Option<Vec<u8>> {
        let (stored, update) = (decode(stored).ok()?, decode(update).ok()?);
        let merged = merge(stored, update, None, &NothingSpilled).ok()?;
        let mut out = Vec::new();
        encode_into(&merged, &mut out);
        Some(out)
    }

    proptest! {
        #[test]
        fn merging_bytes_equals_merging_rows(stored in owned_row(), update in owned_row()) {
            let (stored, update) = (pack(&stored), pack(&update));
            let mut out = vec![7];
            if merge_short(&stored, &update, &mut out).is_some() {
                prop_assert_eq!(out.remove(0), 7);
                prop_assert_eq!(Some(out), merge_whole(&stored, &update));
            }
        }

        #[test]
        fn what_does_not_decode_is_not_merged(
            stored in owned_row(),
            update in owned_row(),
            at: prop::sample::Index,
            byte: u8,
            cut: bool,
        ) {
            let (mut stored, update) = (pack(&stored), pack(&update));
            let at = at.index(stored.len());
            if cut {
                stored.truncate(at);
            } else {
                stored[at] = byte;
            }
            for (a, b) in [(&stored, &update), (&update, &stored)] {
                let mut out = Vec::new();
                if merge_short(a, b, &mut out).is_some() {
                    prop_assert_eq!(Some(out), merge_whole(a, b));
                }
            }
        }
    }

    proptest! {
        /// One cell of few columns, so that it often replaces one.
        #[test]
        fn replacing_one_cell_equals_merging_rows(
            stored in owned_row(),
            liveness in 1_i64..4,
            id in 0_u32..12,
            timestamp in 0_i64..5,
            value in prop::collection::vec(0_u8..3, 0..4),
        ) {
            let stored = pack(&(Some(liveness), stored.1, 0));
            let update = pack(&(None, [(id, (timestamp, value, 0))].into(), 0));
            let mut out = Vec::new();
            if replace_one(&stored, &update, &mut out).is_some() {
                prop_assert_eq!(Some(out), merge_whole(&stored, &update));
            } else {
                prop_assert!(out.is_empty());
            }
        }
    }

    #[test]
    fn the_common_update_is_merged_as_bytes() {
        let row = |liveness, cells: &[(u32, i64, &str)]| {
            let cells = cells
                .iter()
                .map(|(id, time, value)| (*id, (*time, value.as_bytes().to_vec(), 0)));
            pack(&(liveness, cells.collect(), 0))
        };
        let stored = row(Some(5), &[(1, 5, "a"), (2, 5, "b"), (3, 5, "c")]);
        let update = row(None, &[(2, 6, "new")]);
        let mut out = Vec::new();
        assert!(replace_one(&stored, &update, &mut out).is_some());
        assert_eq!(
            out,
            row(Some(5), &[(1, 5, "a"), (2, 6, "new"), (3, 5, "c")])
        );
    }

    #[test]
    fn many_columns_are_left_to_the_whole_merge() {
        let row = |ids: Range<u32>| {
            let cells = ids.map(|id| (id, (5, vec![1], 0)));
            pack(&(Some(5), cells.collect(), 0))
        };
        let mut out = Vec::new();
        assert!(merge_short(&row(0..100), &row(27..127), &mut out).is_some());
        assert_eq!(Some(out), merge_whole(&row(0..100), &row(27..127)));
        assert!(merge_short(&row(0..100), &row(28..128), &mut Vec::new()).is_none());
    }
}
