//! Range deletions of a partition, kept disjoint.
//!
//! A range deletion covers the half-open interval of positions from `start` to `end`. Stored ones
//! never overlap, so the one that covers a row is the last that starts at or below it: one seek.
//! Laying a new one over stored ones splits them: where two overlap, the one that wins stays.
//!
//! ```text
//! key   := partition 0x20 start
//! value := 1:u8 end:bytes timestamp:signed deleted_at:signed
//! ```

use crate::cell::Deletion;
use crate::codec::{DecodeError, Reader, put_bytes, put_signed};

/// A deletion of all rows in `start..end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeDeletion {
    /// The first position covered.
    pub start: Vec<u8>,
    /// The first position no longer covered.
    pub end: Vec<u8>,
    /// What it deletes.
    pub deletion: Deletion,
}

impl RangeDeletion {
    /// The stored value; the start is in the key.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![1];
        put_bytes(&mut out, &self.end);
        put_signed(&mut out, self.deletion.timestamp);
        put_signed(&mut out, self.deletion.deleted_at);
        out
    }

    /// Reads what [`RangeDeletion::encode`] wrote.
    pub fn decode(start: &[u8], bytes: &[u8]) -> Result<Self, DecodeError> {
        let reader = &mut Reader::new(bytes);
        match reader.byte("version of range deletion")? {
            1 => {}
            other => return Err(DecodeError::UnknownVersion(other)),
        }
        let end = reader.bytes("end of range deletion")?.to_vec();
        let timestamp = reader.signed("timestamp of range deletion")?;
        let deleted_at = reader.signed("second of range deletion")?;
        reader.finish("end of range deletion")?;
        Ok(Self {
            start: start.to_vec(),
            end,
            deletion: Deletion {
                timestamp,
                deleted_at,
            },
        })
    }

    /// Whether it covers a row or position.
    #[must_use]
    pub fn contains(&self, position: &[u8]) -> bool {
        self.start.as_slice() <= position && position < self.end.as_slice()
    }
}

/// Lays `new` over `stored`, which are disjoint, sorted, and all overlap or touch it.
///
/// The result is disjoint and sorted, covers all that the arguments cover, and holds at every
/// position the deletion that wins there.
#[must_use]
pub fn overlay(stored: &[RangeDeletion], new: &RangeDeletion) -> Vec<RangeDeletion> {
    let mut pieces = Vec::with_capacity(stored.len() * 2 + 1);
    let mut cursor = new.start.clone();
    for old in stored {
        if old.start < new.start {
            let until = old.end.clone().min(new.start.clone());
            push(&mut pieces, &old.start, &until, old.deletion);
        }
        let from = old.start.clone().max(new.start.clone());
        let until = old.end.clone().min(new.end.clone());
        if from < until {
            push(&mut pieces, &cursor, &from, new.deletion);
            push(&mut pieces, &from, &until, old.deletion.max(new.deletion));
            cursor = until;
        }
        if old.end > new.end {
            push(&mut pieces, &cursor, &new.end, new.deletion);
            cursor.clone_from(&new.end);
            let from = old.start.clone().max(new.end.clone());
            push(&mut pieces, &from, &old.end, old.deletion);
        }
    }
    push(&mut pieces, &cursor, &new.end, new.deletion);
    pieces
}

/// Adds a piece, or lengthens the last one if the two say the same.
fn push(pieces: &mut Vec<RangeDeletion>, start: &[u8], end: &[u8], deletion: Deletion) {
    if start >= end {
        return;
    }
    match pieces.last_mut() {
        Some(last) if last.end == start && last.deletion == deletion => last.end = end.to_vec(),
        _ => pieces.push(RangeDeletion {
            start: start.to_vec(),
            end: end.to_vec(),
            deletion,
        }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range(start: u8, end: u8, timestamp: i64) -> RangeDeletion {
        let deletion = Deletion {
            timestamp,
            deleted_at: timestamp % 3,
        };
        RangeDeletion {
            start: vec![start],
            end: vec![end],
            deletion,
        }
    }

    /// Lays ranges over one another through `overlay`, as the store does.
    fn lay(ranges: &[RangeDeletion]) -> Vec<RangeDeletion> {
        let mut stored: Vec<RangeDeletion> = Vec::new();
        for new in ranges {
            let touches = |old: &RangeDeletion| old.end >= new.start && old.start <= new.end;
            let touched: Vec<_> = stored.iter().filter(|it| touches(it)).cloned().collect();
            stored.retain(|it| !touches(it));
            stored.extend(overlay(&touched, new));
            stored.sort_by(|a, b| a.start.cmp(&b.start));
        }
        stored
    }

    proptest! {
        #[test]
        fn every_position_has_its_winner(
            ranges in prop::collection::vec((0_u8..20, 1_u8..8, 0_i64..6), 0..12)
        ) {
            let ranges: Vec<_> = ranges.iter().map(|(s, len, ts)| range(*s, s + len, *ts)).collect();
            let stored = lay(&ranges);
            prop_assert!(stored.is_sorted_by(|a, b| a.end <= b.start), "{stored:?}");
            for position in 0..30_u8 {
                let covers = |it: &&RangeDeletion| it.contains(&[position]);
                let expected = ranges.iter().filter(covers).map(|it| it.deletion).max();
                let got = stored.iter().find(covers).map(|it| it.deletion);
                prop_assert_eq!(got, expected, "at {}", position);
            }
        }

        #[test]
        fn stored_form_round_trips(start: Vec<u8>, end: Vec<u8>, timestamp: i64, deleted_at: i64) {
            let it = RangeDeletion { start, end, deletion: Deletion { timestamp, deleted_at } };
            prop_assert_eq!(RangeDeletion::decode(&it.start, &it.encode()), Ok(it.clone()));
        }
    }

    #[test]
    fn equal_neighbours_become_one() {
        let stored = lay(&[range(0, 5, 1), range(5, 9, 1)]);
        assert_eq!(stored, vec![range(0, 9, 1)]);
    }
}
