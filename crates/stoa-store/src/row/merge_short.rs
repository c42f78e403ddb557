//! A stored row and an update become one row, bytes to bytes: the common case of [`super::merge`].
//!
//! Two short rows (see `short.rs`) are merged in one walk over their packed bytes, without taking
//! them apart first.
//!
//! Invariants:
//! 1. What is appended is exactly what decoding both, merging and encoding again would append.
//! 2. Bytes that a decoder would refuse are not merged.

use std::cmp::Ordering;

use super::packed::{BASE_TIMESTAMP, HAS_LIVENESS, LIVE, VERSION};
use super::short::{MOST_COLUMNS, ShortCell, ShortCells};
use crate::codec::{put_bytes, put_timestamp, put_unsigned};
use crate::reconcile::{self, Winner};
use crate::seal::CHECK_BYTES;

/// What a cell may take in the result beyond what it takes now: a timestamp.
const LONGEST_GROWTH: usize = 16;

/// Appends the merge of two packed rows to `out`. `None` if one of them is not short: then `out`
/// holds any part of the result.
#[must_use]
pub fn merge_short(stored: &[u8], update: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (mut stored_cells, mut update_cells) = (ShortCells::new(stored)?, ShortCells::new(update)?);
    let liveness = reconcile::liveness(stored_cells.liveness, update_cells.liveness);
    out.reserve(stored.len() + update.len() + LONGEST_GROWTH + CHECK_BYTES);
    let mut base = liveness.map(|it| it.timestamp);
    match base {
        Some(timestamp) => {
            out.push(VERSION | HAS_LIVENESS);
            put_timestamp(out, timestamp);
        }
        None => out.push(VERSION),
    }
    let count_at = out.len();
    out.push(0);
    let (mut count, mut previous) = (0_u8, 0);
    let (mut left, mut right) = (stored_cells.next()?, update_cells.next()?);
    loop {
        let order = match (&left, &right) {
            (Some(a), Some(b)) => a.id.cmp(&b.id),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        let merged = match (&left, &right) {
            (Some(a), Some(b)) if order.is_eq() => winner(a, b),
            (Some(a), _) if order.is_lt() => *a,
            (_, Some(b)) => *b,
            (_, None) => return None,
        };
        put_cell(out, &mut base, &merged, previous);
        (previous, count) = (merged.id, count + 1);
        if count > MOST_COLUMNS {
            return None;
        }
        if order.is_le() {
            left = stored_cells.next()?;
        }
        if order.is_ge() {
            right = update_cells.next()?;
        }
    }
    if count == 0 && liveness.is_none() {
        return None;
    }
    *out.get_mut(count_at)? = count;
    Some(())
}

#[inline]
fn put_cell(out: &mut Vec<u8>, base: &mut Option<i64>, cell: &ShortCell<'_>, previous: u32) {
    let is_at_base = *base == Some(cell.timestamp);
    if base.is_some() && is_at_base == cell.has_base_timestamp && previous == cell.previous {
        // It has the same bytes in the row it comes from.
        out.extend_from_slice(cell.packed);
        return;
    }
    put_unsigned(out, u64::from(cell.id - previous));
    if is_at_base {
        out.push(LIVE | BASE_TIMESTAMP);
    } else {
        out.push(LIVE);
        put_timestamp(out, cell.timestamp);
        base.get_or_insert(cell.timestamp);
    }
    put_bytes(out, cell.value);
}

fn winner<'a>(stored: &ShortCell<'a>, update: &ShortCell<'a>) -> ShortCell<'a> {
    let winner = match reconcile::cells(&stored.as_ref(), &update.as_ref()) {
        Winner::GreaterValue => stored.value.cmp(update.value).into(),
        decided => decided,
    };
    match winner {
        Winner::Right => *update,
        Winner::Left | Winner::GreaterValue => *stored,
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
        assert!(merge_short(&stored, &update, &mut out).is_some());
        assert_eq!(
            out,
            row(Some(5), &[(1, 5, "a"), (2, 6, "new"), (3, 5, "c")])
        );
    }

    #[test]
    fn many_columns_are_left_to_the_whole_merge() {
        let row = |ids: std::ops::Range<u32>| {
            let cells = ids.map(|id| (id, (5, vec![1], 0)));
            pack(&(Some(5), cells.collect(), 0))
        };
        let mut out = Vec::new();
        assert!(merge_short(&row(0..100), &row(27..127), &mut out).is_some());
        assert_eq!(Some(out), merge_whole(&row(0..100), &row(27..127)));
        assert!(merge_short(&row(0..100), &row(28..128), &mut Vec::new()).is_none());
    }
}
